/**
 * NodeAgent: what it renders, and what its policy lets the agent change.
 */
import { App, Chart } from 'cdk8s';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type ValidatingAdmissionPolicy } from '../../../src/facts/api/types/admissionregistration.k8s.io/v1';
import { type DaemonSet } from '../../../src/facts/api/types/apps/v1';
import { NODE_AGENT_CONDITIONS } from '../../../src/facts/catalog/node-conditions';
import { metricsOf, parsePromql } from '../../../src/facts/promql';
import { NODE_AGENT_ALERTS, NodeAgent, type NodeAgentPool, type NodeAgentProps } from '../../../src/constructs/agent';
import { Testing } from '../../../src/interfaces/testing';
import { asObject } from '../../../src/manifests/read';
import { Metrics } from '../../../src/runtime/agent/metrics';
import { readOptions } from '../../../src/runtime/agent/options';
import { policyRefusals } from '../../support/policy-refusals';

const AGENT = 'system:serviceaccount:gantry-node-agent:gantry-node-agent';
const NODE_NAME = 'authentication.kubernetes.io/node-name';

function rendered(props: NodeAgentProps = {}): readonly JsonObject[] {
  const app = new App();
  new NodeAgent(new Chart(app, 'chart'), 'agent', props);
  return Testing.synth(app);
}

const only = (objects: readonly JsonObject[], kind: string): JsonObject => {
  const found = objects.filter((object) => object.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
};

const daemonSets = (props?: NodeAgentProps): readonly DaemonSet[] =>
  rendered(props).filter(({ kind }) => kind === 'DaemonSet') as unknown as readonly DaemonSet[];

test('the pod is root without a capability, on read-only folders of the host', () => {
  const pod = daemonSets()[0].spec?.template.spec;
  expect(pod?.securityContext).toMatchObject({ runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } });
  const [container] = pod?.containers ?? [];
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.volumeMounts?.every(({ readOnly }) => readOnly === true)).toBe(true);
  // Mounts below the folders of the host, such as cgroups, are read-only too.
  const ofHost = container.volumeMounts?.filter(({ mountPath }) => mountPath.startsWith('/host'));
  expect(ofHost?.map(({ recursiveReadOnly }) => recursiveReadOnly)).toEqual(Array(4).fill('IfPossible'));
  const paths = pod?.volumes?.flatMap(({ hostPath }) => (hostPath === undefined ? [] : [hostPath.path]));
  expect(paths).toEqual(['/sys', '/proc/pressure', '/var/log/pods', '/var/lib/kubelet/pod-resources']);
  const [expecting] = daemonSets({
    pools: [{ name: 'h100', nodeSelector: { pool: 'h100' }, devices: { 'nvidia.com/gpu': 8 } }],
  });
  const spec = expecting.spec?.template.spec;
  expect(spec?.volumes?.flatMap(({ hostPath }) => hostPath?.path ?? []).at(-1)).toBe('/var/lib/kubelet/device-plugins');
  expect(spec?.containers[0].volumeMounts?.at(-1)).toEqual({
    name: 'device-plugins',
    mountPath: '/host/var/lib/kubelet/device-plugins',
    readOnly: true,
    recursiveReadOnly: 'IfPossible',
  });
  expect([pod?.hostPID, pod?.hostNetwork, pod?.hostIPC]).toEqual([undefined, undefined, undefined]);
});

test('the flags of each pool are flags of the program', () => {
  const pools = [
    { name: 'h100', nodeSelector: { pool: 'h100' }, devices: { 'nvidia.com/gpu': 8 }, rdmaPorts: 8 },
    { name: 'rest', nodeSelector: { pool: 'rest' } },
  ];
  const sets = daemonSets({ pools, exporters: { nvidia: {}, amd: { namespace: 'amd' } }, dryRun: true });
  expect(sets.map(({ metadata }) => metadata?.name)).toEqual(['gantry-node-agent-h100', 'gantry-node-agent-rest']);
  const options = sets.map(({ spec }) =>
    readOptions(spec?.template.spec?.containers[0].args ?? [], { NODE_NAME: 'n-1' }),
  );
  expect(options[0]).toMatchObject({
    node: 'n-1',
    hostRoot: '/host',
    expected: { devices: new Map([['nvidia.com/gpu', 8]]), rdmaPorts: 8 },
    exporters: [
      { vendor: 'nvidia', url: 'http://gantry-node-agent-nvidia.gpu-operator:9400/metrics' },
      { vendor: 'amd', url: 'http://gantry-node-agent-amd.amd:5000/metrics' },
    ],
    dryRun: true,
  });
  expect(options[1]?.expected).toEqual({ devices: new Map() });
  expect(sets.map(({ spec }) => spec?.template.spec?.nodeSelector)).toEqual([{ pool: 'h100' }, { pool: 'rest' }]);
});

test('nvidia-smi runs on the pools that may have it, without a right more', () => {
  const pools: readonly NodeAgentPool[] = [
    { name: 'h100', nodeSelector: { pool: 'h100' }, devices: { 'nvidia.com/gpu': 8 } },
    { name: 'mi300x', nodeSelector: { pool: 'mi300x' }, devices: { 'amd.com/gpu': 8 } },
  ];
  const [h100, mi300x] = daemonSets({ pools, nvidiaSmi: {} }).map(({ spec }) => spec?.template.spec);
  expect(h100?.runtimeClassName).toBe('nvidia');
  expect(h100?.containers[0].env).toContainEqual({ name: 'NVIDIA_DRIVER_CAPABILITIES', value: 'utility' });
  expect(readOptions(h100?.containers[0].args ?? [], { NODE_NAME: 'n' })?.nvidiaSmi).toBe('nvidia-smi');
  expect(h100?.containers[0].securityContext?.capabilities).toEqual({ drop: ['ALL'] });
  expect([mi300x?.runtimeClassName, mi300x?.containers[0].env?.length]).toEqual([undefined, 1]);
  expect(readOptions(mi300x?.containers[0].args ?? [], { NODE_NAME: 'n' })?.nvidiaSmi).toBeUndefined();
  expect(daemonSets({ nvidiaSmi: { runtimeClass: 'gpu' } })[0].spec?.template.spec?.runtimeClassName).toBe('gpu');
});

test('a Service leads to the exporter of the same node only', () => {
  expect(only(rendered(), 'Service')).toMatchObject({
    metadata: { name: 'gantry-node-agent-nvidia', namespace: 'gpu-operator' },
    spec: { selector: { app: 'nvidia-dcgm-exporter' }, internalTrafficPolicy: 'Local' },
  });
});

test.each([
  [
    {
      pools: [
        { name: 'a', nodeSelector: {} },
        { name: 'a', nodeSelector: {} },
      ],
    },
    'pools has two pools named "a"',
  ],
  [
    { pools: [{ name: 'a', nodeSelector: {}, devices: { 'nvidia.com/gpu': 0 } }] },
    'nvidia.com/gpu of the pool "a" must be a whole number greater than or equal to 1, not 0.',
  ],
  [{ pools: [{ name: 'a', nodeSelector: {}, rdmaPorts: 1.5 }] }, 'rdmaPorts of the pool "a" must be a whole number'],
])('%j is refused', (props: NodeAgentProps, message) => {
  expect(() => rendered(props)).toThrow(message);
});

test('the program starts from its ConfigMaps', () => {
  const objects = rendered();
  const folder = mkdtempSync(join(tmpdir(), 'gantry-agent-'));
  for (const { data, binaryData } of objects.filter(({ immutable }) => immutable === true)) {
    Object.entries(asObject(data)).forEach(([key, text]) => writeFileSync(join(folder, key), text as string));
    Object.entries(asObject(binaryData)).forEach(([key, text]) =>
      writeFileSync(join(folder, key), Buffer.from(text as string, 'base64')),
    );
  }
  const run = spawnSync(process.execPath, [join(folder, 'start.cjs'), '--help'], { encoding: 'utf8' });
  expect(run.stdout).toContain('gantry-node-agent [flags]');
  const wrong = spawnSync(process.execPath, [join(folder, 'start.cjs'), '--node', 'n', '--port', 'x'], {
    encoding: 'utf8',
  });
  expect([wrong.status, wrong.stderr]).toEqual([2, '--port is x; it must be a whole number from 0 to 65535.\n']);
  rmSync(folder, { recursive: true });
});

test('alerts read metrics and conditions that the agent has', async () => {
  const names = (await new Metrics().registry.getMetricsAsJSON()).map(({ name }) => name);
  for (const { expr } of NODE_AGENT_ALERTS) {
    const { expression, problems } = parsePromql(expr);
    expect(problems).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(expression === undefined ? ['none'] : [...metricsOf(expression)]));
    const [, type] = /type="(\w+)"/.exec(expr) ?? [];
    expect(type === undefined || (NODE_AGENT_CONDITIONS as readonly string[]).includes(type)).toBe(true);
  }
});

describe('the policy of the agent', () => {
  const policy = only(rendered(), 'ValidatingAdmissionPolicy') as ValidatingAdmissionPolicy;
  const condition = (type: string, status = 'False'): JsonObject => ({ type, status, reason: 'R', message: '' });
  const node = (change: { metadata?: JsonObject; status?: JsonObject } = {}): JsonObject => ({
    metadata: { name: 'n-1', labels: { zone: 'a' }, annotations: { other: '1' }, ...change.metadata },
    status: { conditions: [condition('Ready', 'True')], capacity: { cpu: '4' }, ...change.status },
  });
  const refusals = (after: JsonObject, more: Partial<Parameters<typeof policyRefusals>[1]> = {}): readonly string[] =>
    policyRefusals(policy, {
      before: node(),
      after,
      user: AGENT,
      extra: { [NODE_NAME]: ['n-1'] },
      request: { operation: 'UPDATE', subResource: 'status' },
      ...more,
    });

  test('allows its annotations and conditions on its own node', () => {
    const conditions = [condition('Ready', 'True'), ...NODE_AGENT_CONDITIONS.map((type) => condition(type))];
    const annotations = {
      other: '1',
      'gantry.dev/accelerator-capacity': '{}',
      'gantry.dev/allocated-devices': '{}',
    };
    expect(refusals(node({ metadata: { annotations }, status: { conditions } }))).toEqual([]);
    expect(refusals(node(), { before: node({ metadata: { annotations }, status: { conditions } }) })).toEqual([]);
  });

  test.each<readonly [string, JsonObject]>([
    ['labels', node({ metadata: { labels: { zone: 'b' } } })],
    ['labels', node({ metadata: { labels: null } })],
  ])('refuses other %s', (_, after) => {
    const metadata = asObject(after.metadata);
    const cleaned = {
      ...after,
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null)),
    };
    expect(refusals(cleaned)).toEqual(['the node agent must not change labels']);
  });

  test.each([
    [{ metadata: { annotations: { other: '2' } } }],
    [{ metadata: { annotations: {} } }],
    [{ metadata: { annotations: { other: '1', 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } } }],
  ])('refuses other annotations: %j', (change) => {
    expect(refusals(node(change))).toEqual(['the node agent must change its own annotations only']);
  });

  test.each([[[condition('Ready', 'False')]], [[]], [[condition('Ready', 'True'), condition('DiskPressure', 'True')]]])(
    'refuses other conditions: %j',
    (conditions) => {
      expect(refusals(node({ status: { conditions } }))).toEqual([
        'the node agent must change its own conditions only',
      ]);
    },
  );

  test.each([[{ capacity: { cpu: '64' } }], [{ allocatable: { cpu: '4' } }], [{ addresses: [] }]])(
    'refuses what the kubelet reports: %j',
    (status) => {
      expect(refusals(node({ status }))).toEqual(['the node agent must not change what the kubelet reports']);
    },
  );

  test('refuses another node, and a token that was issued for no node', () => {
    const message = ['the node agent must change its own node only'];
    expect(refusals(node(), { extra: { [NODE_NAME]: ['n-2'] } })).toEqual(message);
    expect(refusals(node(), { extra: {} })).toEqual(message);
    expect(refusals(node(), { extra: undefined })).toEqual(message);
  });

  test('refuses everything but the status, and says nothing about others', () => {
    const message = ['the node agent must change the status of nodes only'];
    expect(refusals(node(), { request: { operation: 'UPDATE' } })).toEqual(message);
    expect(refusals(node(), { request: { operation: 'CREATE', subResource: 'status' } })).toEqual(message);
    expect(refusals(node({ metadata: { labels: {} } }), { user: 'system:node:n-1' })).toEqual([]);
  });
});
