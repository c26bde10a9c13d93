/**
 * Every object that the scheduler's constructs can render, as the server sees it: known fields, right values, admitted.
 */
import { Duration } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Checks } from '../../../src/checks/synth/checks-of';
import { asObject, asString } from '../../../src/manifests/read';
import { Accelerator } from '../../../src/constructs/pods';
import {
  GantryScheduler,
  type GantrySchedulerProps,
  PlacementGate,
  SchedulerImage,
} from '../../../src/constructs/scheduler';
import { askServer } from '../control-plane/server-verdict';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { rendered } from './install';

const ASKS_FOR_GPUS =
  'object.spec.containers.exists(c, has(c.resources.limits) && "nvidia.com/gpu" in c.resources.limits)';

const PROPS: Readonly<Record<string, GantrySchedulerProps>> = {
  plain: { namespace: 'default' },
  alone: {
    namespace: 'default',
    replicas: 1,
    image: SchedulerImage.prebuilt('registry.example.com/gantry-scheduler:1'),
    access: 'always',
  },
  stated: {
    namespace: 'default',
    name: 'second',
    replicas: 3,
    access: 'open',
    priorityClass: { kind: 'PriorityClass', name: 'system-node-critical' },
    monitoring: { labels: { release: 'prometheus' } },
    queues: [{ name: 'research', weight: 2, deserved: { accelerators: Accelerator.nvidia({ count: 64 }) } }],
    tuning: { explain: { repeat: Duration.seconds(60) } },
    allowedFrom: [{ namespaceSelector: { matchLabels: { team: 'platform' } } }],
    apiServerPorts: [8443],
    resources: { requests: { cpu: 2 }, limits: { memory: '1Gi' } },
    labels: { team: 'platform' },
    annotations: { 'example.com/contact': 'platform' },
  },
} as const;

describeLive('objects of the scheduler', () => {
  let live: LiveCluster;
  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  async function refused(objects: readonly JsonObject[]): Promise<readonly string[]> {
    const { cluster, discovery } = live;
    const said = await Promise.all(
      objects.map(async (object) => ({ object, ...(await askServer(cluster.client, discovery, object)) })),
    );
    return said
      .filter(({ verdict }) => verdict !== 'accepted')
      .map(({ object, message }) => `${asString(object.kind)}: ${message}`);
  }

  it.each(Object.entries(PROPS))('%s: the server takes all of them', async (_, props) => {
    const objects = rendered((chart) => new GantryScheduler(chart, 'scheduler', props));
    expect(objects.length).toBeGreaterThan(10);
    expect(await refused(objects)).toEqual([]);
  });

  // The version that 1.34 and 1.35 serve is served by later ones too, where beta versions are switched on.
  it.each(['1.35', '1.36'] as const)('the gate as written for %s, with everything that can be said', async (minor) => {
    const objects = rendered((chart, app) => {
      Checks.of(app).target(minor);
      new PlacementGate(chart, 'plain');
      new PlacementGate(chart, 'stated', {
        name: 'stated',
        namespaces: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }] },
        pods: { matchLabels: { tier: 'batch' } },
        conditions: [{ name: 'asks-for-gpus', expression: ASKS_FOR_GPUS }],
        failurePolicy: 'Ignore',
      });
    });
    expect(objects).toHaveLength(4);
    expect(await refused(objects)).toEqual([]);
  });

  it('its pod is one that PodSecurity "restricted" admits', async () => {
    const { client } = live.cluster;
    const name = 'gantry-restricted';
    await client.request('POST', '/api/v1/namespaces', {
      body: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
      },
    });
    const deployment =
      rendered((chart) => new GantryScheduler(chart, 'scheduler', PROPS.plain)).find(
        ({ kind }) => kind === 'Deployment',
      ) ?? {};
    const { spec } = asObject(asObject(deployment.spec).template);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod', namespace: name }, spec: asObject(spec) };
    const bad = { ...pod, spec: { ...pod.spec, hostNetwork: true } };
    expect((await askServer(client, live.discovery, pod)).message).toBe('');
    expect((await askServer(client, live.discovery, bad)).message).toContain('violates PodSecurity "restricted');
    await client.request('DELETE', `/api/v1/namespaces/${name}`);
  });
});
