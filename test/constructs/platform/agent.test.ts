/**
 * The node agent of a platform: what its pools state is what the agent expects.
 */
import { App } from 'cdk8s';
import { type DaemonSet } from '../../../src/facts/api/types/apps/v1';
import { type JsonObject } from '../../../src/facts/api/schema';
import { GpuPlatform } from '../../../src/constructs/platform';
import { Sharing } from '../../../src/constructs/gpu-operator';
import { Testing } from '../../../src/interfaces/testing';
import { asObject } from '../../../src/manifests/read';
import { readOptions } from '../../../src/runtime/agent/options';

const POOLS = {
  training: { nodes: 2, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' },
  shared: {
    nodes: 1,
    accelerator: 'L40S',
    devices: 4,
    cpu: 96,
    memory: '768Gi',
    sharing: Sharing.timeSlicing({ replicas: 4 }),
  },
  instinct: { nodes: 1, accelerator: 'MI300X', devices: 8, cpu: 160, memory: '1536Gi' },
  trainium: { nodes: 1, accelerator: 'Trainium2', devices: 16, cpu: 160, memory: '1536Gi' },
} as const;

function rendered(more: Partial<ConstructorParameters<typeof GpuPlatform>[2]> = {}): readonly JsonObject[] {
  const app = new App();
  new GpuPlatform(app, 'platform', { pools: POOLS, teams: { research: { deserved: { training: 1 } } }, ...more });
  return Testing.synth(app);
}

const agents = (objects: readonly JsonObject[]): ReadonlyMap<unknown, DaemonSet> =>
  new Map(
    objects
      .filter(({ kind, metadata }) => kind === 'DaemonSet' && asObject(metadata).namespace === 'gantry-node-agent')
      .map((object) => [asObject(object.metadata).name, object as unknown as DaemonSet]),
  );

test('one DaemonSet for each pool, which expects the devices that pods can request there', () => {
  const sets = agents(rendered({ agent: {} }));
  const expectations = [...sets].map(([name, { spec }]) => {
    const { nodeSelector, containers } = spec?.template.spec ?? {};
    const options = readOptions(containers?.[0].args ?? [], { NODE_NAME: 'n' });
    return [name, nodeSelector, Object.fromEntries(options?.expected.devices ?? [])];
  });
  const profile = (name: string): object => ({ 'gantry.dev/node-profile': name });
  expect(expectations).toEqual([
    ['gantry-node-agent-training', profile('training'), { 'nvidia.com/gpu': 8 }],
    ['gantry-node-agent-shared', profile('shared'), { 'nvidia.com/gpu.shared': 16 }],
    ['gantry-node-agent-instinct', profile('instinct'), { 'amd.com/gpu': 8 }],
    ['gantry-node-agent-trainium', profile('trainium'), { 'aws.amazon.com/neuron': 16 }],
  ]);
});

test('the exporters are those of the vendors in the pools that have one', () => {
  const [{ spec }] = agents(rendered({ agent: {} })).values();
  const options = readOptions(spec?.template.spec?.containers[0].args ?? [], { NODE_NAME: 'n' });
  expect(options?.exporters.map(({ vendor }) => vendor)).toEqual(['nvidia', 'amd']);
});

test('its props are passed on, and it follows the monitoring of the platform', () => {
  const without = rendered({ agent: { dryRun: true }, monitoring: false });
  const [{ spec }] = agents(without).values();
  expect(spec?.template.spec?.containers[0].args).toContain('--dry-run');
  expect(without.some(({ kind }) => kind === 'PodMonitor')).toBe(false);
  const labeled = rendered({ agent: {}, monitoring: { labels: { release: 'p' } } });
  const monitor = labeled.find(
    ({ kind, metadata }) => kind === 'PodMonitor' && asObject(metadata).namespace === 'gantry-node-agent',
  );
  expect(asObject(asObject(monitor?.metadata).labels).release).toBe('p');
});

test('a platform has no agent unless it is set', () => {
  expect(agents(rendered()).size).toBe(0);
});
