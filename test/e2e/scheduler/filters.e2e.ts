/**
 * The nodes on which the placement core would let a pod run are those on which kube-scheduler would: random clusters, random pods.
 */
import { randomNumbers } from '../../../bench/machine';
import { type JsonObject } from '../../../src/facts/api/schema';
import { clusterOfObjects } from '../../../src/planning/cluster';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { DEFAULT_POLICY } from '../../../src/placement';
import { STATIC_CONSTRAINTS } from '../../../src/placement/nodes/filters/static';
import { Session } from '../../../src/placement/books/session';
import { describeLive } from '../live-cluster';
import { Judge, JUDGE } from './judge';
import { Lab, nameOf } from './lab';
import { RandomWorld } from './random-world';

/** How many clusters; more of them where there is time. */
const CLUSTERS = Number(process.env.GANTRY_RANDOM_CLUSTERS ?? 6);
/** Pods that are asked about in each, and pods that run already. */
const PODS = 30;
const SETTLED = 6;

interface Feasible {
  readonly found: readonly string[];
  readonly reasons: Readonly<Record<string, string>>;
}

describeLive('filters', () => {
  let lab: Lab;
  let judge: Judge | undefined;
  let found = 0;
  let asked = 0;

  beforeAll(async () => {
    lab = await Lab.start({ extra: [], customResources: false });
  });
  afterEach(async () => {
    await judge?.stop();
    judge = undefined;
    await lab.clear();
    for (const kind of ['persistentvolumeclaims', 'persistentvolumes']) {
      await remove(kind);
    }
  });
  afterAll(() => lab.stop());

  it.each(Array.from({ length: CLUSTERS }, (_, index) => index + 1))(
    'random cluster %d: both find the same nodes feasible',
    async (seed) => {
      const random = randomNumbers(seed);
      const world = new RandomWorld(random);
      const nodes = world.nodes(7);
      const volumes = world.volumes();
      await lab.createMany([...nodes, ...volumes]);
      for (const node of nodes) {
        // Admission taints new nodes until a controller that does not run here finds them ready.
        await lab.patch(`/api/v1/nodes/${nameOf(node)}`, {
          spec: { taints: asArray(asObject(node.spec).taints) as JsonObject[] },
        });
      }
      for (const volume of volumes) {
        await settle(volume);
      }
      for (let i = 0; i < SETTLED; i++) {
        await settlePod(world.pod(JUDGE.repeat(2)), nodes[Math.floor(random() * nodes.length)]);
      }
      // It begins with a list of everything, where one that runs already could decide before it has seen the last change of a node.
      judge = await Judge.start(lab);
      const different: unknown[] = [];
      let feasible = 0;
      for (let i = 0; i < PODS; i++) {
        const pod = world.pod(JUDGE);
        const judged = await judge.feasible(pod);
        const core = await coreFeasible(pod);
        feasible += judged.length;
        const { labels } = asObject(pod.metadata);
        if (JSON.stringify(core.found) !== JSON.stringify(judged)) {
          different.push({ spec: pod.spec, labels, judged, ...core });
        }
      }
      expect(different).toEqual([]);
      found += feasible;
      asked += PODS * nodes.length;
    },
  );

  it('neither everything nor nothing fitted, or nothing would have been tested', () => {
    expect(found / asked).toBeGreaterThan(0.1);
    expect(found / asked).toBeLessThan(0.8);
  });

  /** What the volume controller would write. */
  async function settle(object: JsonObject): Promise<void> {
    const path =
      asString(object.kind) === 'PersistentVolume'
        ? `/api/v1/persistentvolumes/${nameOf(object)}`
        : `/api/v1/namespaces/default/persistentvolumeclaims/${nameOf(object)}`;
    await lab.patch(`${path}/status`, { status: { phase: 'Bound' } });
    if (asString(object.kind) === 'PersistentVolumeClaim') {
      await lab.patch(path, { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } });
    }
  }

  async function settlePod(pod: JsonObject, node: JsonObject): Promise<void> {
    await lab.create(pod);
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: nameOf(pod) },
      target: { apiVersion: 'v1', kind: 'Node', name: nameOf(node) },
    };
    await lab.cluster.client.request('POST', `/api/v1/namespaces/default/pods/${nameOf(pod)}/binding`, { body });
  }

  async function remove(kind: string): Promise<void> {
    const path = kind === 'persistentvolumes' ? `/api/v1/${kind}` : `/api/v1/namespaces/default/${kind}`;
    for (const object of await lab.list(path)) {
      const own = `${path}/${nameOf(object)}`;
      await lab.patch(own, { metadata: { finalizers: null as unknown as JsonObject } });
      await lab.delete(own);
    }
    await lab.until(`${kind} are gone`, async () => (await lab.list(path)).length === 0);
  }

  /** Names of the nodes, in order, and what keeps the pod from each of the others. */
  async function coreFeasible(pod: JsonObject): Promise<Feasible> {
    const read = async (path: string, kind: string): Promise<JsonObject[]> =>
      (await lab.list(path)).map((item): JsonObject => ({ ...item, apiVersion: 'v1', kind }));
    const state = clusterOfObjects(
      [
        ...(await read('/api/v1/nodes', 'Node')),
        ...(await read('/api/v1/pods', 'Pod')),
        ...(await read('/api/v1/namespaces', 'Namespace')),
        ...(await read('/api/v1/persistentvolumes', 'PersistentVolume')),
        ...(await read('/api/v1/persistentvolumeclaims', 'PersistentVolumeClaim')),
        pod,
      ],
      'live',
    );
    const session = new Session(
      {
        now: 0,
        nodes: state.nodes,
        queues: [{ name: 'default' }],
        gangs: state.gangs.map(({ gang }) => gang),
        pods: [...state.gangs.flatMap(({ pods }) => pods), ...state.nodePods.map(({ pod: one }) => one)],
      },
      DEFAULT_POLICY,
    );
    const record = session.pods.find(({ name }) => name === `default/${nameOf(pod)}`)!;
    const reasons: Record<string, string> = {};
    session.table.nodes.forEach(({ name }, row) => {
      const code = session.staticRow(record.podClass)[row];
      const reason =
        code > 0
          ? STATIC_CONSTRAINTS[code - 1]
          : (session.dynamicConstraint(record.podClass, row) ??
            (session.ledger.fits(record.podClass, row) ? undefined : 'room'));
      if (reason !== undefined) {
        reasons[name] = reason;
      }
    });
    return {
      found: session.table.nodes
        .map(({ name }) => name)
        .filter((name) => reasons[name] === undefined)
        .sort(),
      reasons,
    };
  }
});
