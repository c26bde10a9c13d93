/**
 * A MIG configuration that the scheduler changes on a live API server, with the rights that its construct gives, and a MIG manager that
 * follows the label of the Node.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { clusterRules } from '../../../src/constructs/scheduler/permissions';
import { ApiClient } from '../control-plane/api-client';
import { describeLive } from '../live-cluster';
import { askedBy, granted } from './audit';
import { GantryProcess } from './gantry-process';
import { apply, kubeconfigFor, schedulerObjects, tokenOf } from './install';
import { Lab } from './lab';
import { gang, node } from './manifests';

const NAMESPACE = 'gantry-system';
const NAME = 'gantry-scheduler';
const CONFIG = `
policy: { repartitionLimit: 1 }
repartition: { intervalSeconds: 1 }
cycle: { periodSeconds: 1 }
`;
const LABELS = {
  'nvidia.com/gpu.count': '2',
  'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
  'nvidia.com/mig.capable': 'true',
  'nvidia.com/mig.strategy': 'mixed',
  'nvidia.com/mig.config': 'all-disabled',
  'nvidia.com/mig.config.state': 'success',
};
/** Of a node with two H100. */
const OFFERS: Readonly<Record<string, JsonObject>> = {
  'all-disabled': { 'nvidia.com/gpu': '2', 'nvidia.com/mig-1g.10gb': '0' },
  'all-1g.10gb': { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.10gb': '14' },
};

describeLive('the scheduler with MIG repartitioning', () => {
  let lab: Lab;
  let token: string;
  let gantry: GantryProcess | undefined;
  let manager: MigManager | undefined;

  beforeAll(async () => {
    lab = await Lab.start({ audit: true });
    await apply(lab, schedulerObjects({ policy: { repartitionLimit: 1 } }));
    token = await tokenOf(lab, NAMESPACE, NAME);
    const kubeconfig = kubeconfigFor(lab, token);
    const flags = ['--lease-namespace', NAMESPACE, '--lease-name', 'repartition', '--authentication', 'off'];
    gantry = await GantryProcess.start({ kubeconfig, config: CONFIG, flags });
    manager = new MigManager(lab);
  });
  afterAll(async () => {
    await manager?.stop();
    await gantry?.stop();
    await lab.stop();
  });

  const instances = (name: string, count: number): JsonObject[] => {
    const resources = { cpu: '1', memory: '1Gi', 'nvidia.com/mig-1g.10gb': '1' };
    const containers = [
      { name: 'main', image: 'registry.example/work:1', resources: { requests: resources, limits: resources } },
    ];
    return gang(name, count, { spec: { containers } });
  };
  const labelsOf = async (name: string): Promise<JsonObject> =>
    asObject(asObject((await lab.get(`/api/v1/nodes/${name}`))?.metadata).labels);

  it('divides a free node for a gang that needs instances, leaves the node in use, and gives whole GPUs back', async () => {
    await lab.create(node('n-0', { gpus: 2, labels: LABELS }), node('n-1', { gpus: 2, labels: LABELS }));
    await lab.nodesReady(2);
    await lab.create(...gang('user', 1, { gpus: 1 }));
    await lab.until('a pod uses one node', async () => (await lab.places())['user-0'] !== undefined);
    const used = (await lab.places())['user-0'];
    const free = used === 'n-0' ? 'n-1' : 'n-0';

    await lab.create(...instances('cut', 9));
    await lab.until('the gang runs', async () => Object.keys(await lab.places()).length === 10);
    expect(await labelsOf(free)).toMatchObject({
      'nvidia.com/mig.config': 'all-1g.10gb',
      'nvidia.com/mig.config.state': 'success',
    });
    expect(await labelsOf(used)).toMatchObject({ 'nvidia.com/mig.config': 'all-disabled' });
    const places = await lab.places();
    expect(new Set(Object.keys(places).flatMap((pod) => (pod.startsWith('cut') ? [places[pod]] : [])))).toEqual(
      new Set([free]),
    );

    // Whole devices come back once the instances are free.
    await lab.create(...gang('whole', 1, { gpus: 2 }));
    for (let i = 0; i < 9; i++) {
      await lab.delete(`/api/v1/namespaces/default/pods/cut-${i}`);
    }
    await lab.until('the gang with whole devices runs', async () => (await lab.places())['whole-0'] === free);
    await lab.until('the manager is done', () => Promise.resolve(manager!.applied.length >= 2));
    expect(manager!.applied).toEqual([`${free} all-1g.10gb`, `${free} all-disabled`]);
    await lab.until('events say it', async () => {
      const events = await lab.list('/apis/events.k8s.io/v1/namespaces/default/events');
      const reasons = events.map(({ reason }) => asString(reason));
      return ['Repartitioning', 'Repartitioned'].every((reason) => reasons.includes(reason));
    });

    const asked = askedBy(`system:serviceaccount:${NAMESPACE}:${NAME}`, lab.cluster.auditLog);
    const done = new Set(asked.filter(({ status }) => status < 300).map(({ right }) => right));
    const own = [...granted(clusterRules(true))].filter((right) => !granted(clusterRules(false)).has(right));
    expect(own).toEqual(['patch nodes']);
    expect(done).toContain('patch nodes');
    expect(asked.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
  });

  it.each<readonly [string, string, JsonObject, string]>([
    ['another label', 'n-0', { metadata: { labels: { zone: 'b' } } }, 'only the labels of the MIG configuration'],
    [
      'another annotation',
      'n-0',
      { metadata: { annotations: { a: 'b' } } },
      'only the annotation gantry.dev/mig-change',
    ],
    ['a taint', 'n-0', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } }, 'must not change the spec'],
    ['the schedulability', 'n-0', { spec: { unschedulable: true } }, 'must not change the spec'],
    ['the finalizers', 'n-0', { metadata: { finalizers: ['a/b'] } }, 'the finalizers'],
    [
      'the status',
      'n-0/status',
      { status: { capacity: { 'nvidia.com/gpu': '99' } } },
      'cannot patch resource "nodes/status"',
    ],
  ])('its token cannot change %s of a node', async (_, path, body, message) => {
    const client = new ApiClient({ ...lab.cluster.client.endpoint, token });
    const reply = await client.request('PATCH', `/api/v1/nodes/${path}`, {
      body,
      contentType: 'application/merge-patch+json',
    });
    expect([reply.status, asString(reply.body.message)]).toEqual([403, expect.stringContaining(message)]);
  });
});

/** Does what NVIDIA's MIG manager does, as far as a scheduler sees it: the device plugin stops, and comes back with other devices. */
class MigManager {
  /** Node and configuration, in order. */
  readonly applied: string[] = [];
  private readonly known = new Map<string, string>();
  private isStopped = false;
  private readonly done: Promise<void>;

  constructor(private readonly lab: Lab) {
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.done;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      for (const { metadata } of await this.lab.list('/api/v1/nodes')) {
        const name = asString(asObject(metadata).name) ?? '';
        const config = asString(asObject(asObject(metadata).labels)['nvidia.com/mig.config']);
        if (config !== undefined && this.known.get(name) !== config) {
          const isFirst = !this.known.has(name);
          this.known.set(name, config);
          if (!isFirst) {
            await this.apply(name, config);
          }
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private async apply(name: string, config: string): Promise<void> {
    const path = `/api/v1/nodes/${name}`;
    const offer = (resources: JsonObject): Promise<void> =>
      this.lab.patch(`${path}/status`, { status: { allocatable: resources, capacity: resources } });
    const say = (state: string): Promise<void> =>
      this.lab.patch(path, { metadata: { labels: { 'nvidia.com/mig.config.state': state } } });
    await say('pending');
    await offer({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.10gb': '0' });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await say('success');
    await offer(OFFERS[config]);
    this.applied.push(`${name} ${config}`);
  }
}
