/**
 * The scheduler is removed as `docs/scheduler.md` describes: what it has placed goes on, what waits can be given to another scheduler, and nothing of
 * it is left that could stop anything.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { Checks } from '../../../src/checks/synth/checks-of';
import { PlacementGate } from '../../../src/constructs/scheduler';
import { collectionPath, Discovery } from '../control-plane/discovery';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { apply, kubeconfigFor, rendered, schedulerObjects, tokenOf } from './install';
import { Lab, nameOf } from './lab';
import { gang, node } from './manifests';

const NAMESPACE = 'gantry-system';
const NAME = 'gantry-scheduler';

describeLive('the scheduler is removed', () => {
  let lab: Lab;
  let gantry: GantryProcess | undefined;
  let discovery: Discovery;

  beforeAll(async () => {
    lab = await Lab.start();
    await lab.create(node('n-0'), node('n-1'));
    await lab.nodesReady(2);
    discovery = await Discovery.read(lab.cluster.client);
  });
  afterAll(async () => {
    await gantry?.stop();
    await lab?.stop();
  });

  const pathOf = (object: JsonObject): string => {
    const kind = discovery.get(asString(object.apiVersion) ?? '', asString(object.kind) ?? '')!;
    return `${collectionPath(kind, asString(asObject(object.metadata).namespace) ?? 'default')}/${nameOf(object)}`;
  };
  /** As `kubectl delete -f`: each of the objects. */
  const deleteAll = async (objects: readonly JsonObject[]): Promise<void> => {
    for (const object of objects) {
      await lab.cluster.client.request('DELETE', pathOf(object), { body: { propagationPolicy: 'Background' } });
    }
  };
  const podOf = (name: string): Promise<JsonObject | undefined> => lab.get(`/api/v1/namespaces/default/pods/${name}`);
  const isRunning = async (name: string): Promise<boolean> => asObject((await podOf(name))?.status).phase === 'Running';

  /** Objects of kinds that could act on others, and those that name the scheduler. */
  async function leftovers(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const kind of discovery.all()) {
      // Without a namespace in the path the list is that of all namespaces.
      const path = collectionPath(kind, 'x').replace('/namespaces/x/', '/');
      const { status, body } = await lab.cluster.client.request('GET', path);
      for (const object of status < 300 ? asArray(body.items).map(asObject) : []) {
        const { name, namespace, finalizers, labels } = asObject(object.metadata);
        const isOwn =
          asString(name)?.includes('gantry') === true ||
          namespace === NAMESPACE ||
          asObject(labels)['app.kubernetes.io/name'] === NAME ||
          JSON.stringify(finalizers ?? []).includes('gantry');
        if (isOwn && kind.kind !== 'Event') {
          found.push(`${kind.kind} ${asString(namespace) ?? ''}/${asString(name)}`);
        }
      }
    }
    return found;
  }

  it('leaves running pods, and nothing that acts on others', async () => {
    const scheduler = schedulerObjects();
    const gate = rendered((chart, app) => {
      Checks.of(app).target('1.36');
      new PlacementGate(chart, 'gate', { namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } });
    });
    const before = await leftovers();
    await apply(lab, scheduler);
    const token = await tokenOf(lab, NAMESPACE, NAME);
    gantry = await GantryProcess.start({
      kubeconfig: kubeconfigFor(lab, token),
      leaseSeconds: 5,
      flags: ['--lease-namespace', NAMESPACE, '--lease-name', NAME],
    });
    await apply(lab, gate);
    // A policy is in force a moment after it was created.
    await lab.until('new pods are gated', async () => {
      await lab.create(...gang('probe', 1, { gpus: 0, spec: { schedulerName: 'default-scheduler' } }));
      const gates = asArray(asObject((await podOf('probe-0'))?.spec).schedulingGates);
      await lab.delete('/api/v1/namespaces/default/pods/probe-0');
      await lab.until('the probe is gone', async () => (await podOf('probe-0')) === undefined);
      return gates.length > 0;
    });
    const stock = { spec: { schedulerName: 'default-scheduler' } };
    await lab.createMany([...gang('direct', 4, { gpus: 1 }), ...gang('gated', 4, { gpus: 1, ...stock })]);
    // All of them: kube-scheduler binds those that are handed over one by one.
    const first = ['direct', 'gated'].flatMap((name) => [0, 1, 2, 3].map((index) => `${name}-${index}`));
    await lab.until('both run', async () => (await Promise.all(first.map(isRunning))).every(Boolean));
    await lab.createMany([...gang('too-large', 2, { gpus: 8 }), ...gang('gated-too-large', 2, { gpus: 8, ...stock })]);
    await lab.until('both wait with a reason', async () => {
      const waits = async (name: string): Promise<boolean> =>
        asArray(asObject((await podOf(name))?.status).conditions)
          .map(asObject)
          .some(({ reason }) => reason === 'Unschedulable' || reason === 'SchedulingGated');
      return (await waits('too-large-0')) && (await waits('gated-too-large-0'));
    });
    const placed = await lab.places();
    const uids = new Map((await lab.pods()).map((one) => [nameOf(one), asObject(one.metadata).uid]));

    // The order of the page: the gate, then everything.
    await deleteAll(gate);
    await gantry.stop();
    gantry = undefined;
    await deleteAll([...scheduler].reverse());
    await lab.until('nothing is left', async () => (await leftovers()).length === before.length);
    expect(await leftovers()).toEqual(before);

    // What ran runs, on the same nodes, as the same pods; what waited waits.
    expect(await lab.places()).toEqual(placed);
    expect(new Map((await lab.pods()).map((one) => [nameOf(one), asObject(one.metadata).uid]))).toEqual(uids);
    expect((await isRunning('direct-0')) && (await isRunning('gated-0'))).toBe(true);
    // New pods are gated no more, and those that are gated are free to go.
    await lab.create(...gang('later', 1, { gpus: 1, ...stock }));
    await lab.until('kube-scheduler places what comes', () => isRunning('later-0'));
    for (const name of ['direct', 'gated']) {
      for (let i = 0; i < 4; i++) {
        await lab.delete(`/api/v1/namespaces/default/pods/${name}-${i}`);
      }
    }
    for (const name of ['gated-too-large-0', 'gated-too-large-1']) {
      const { status } = await lab.cluster.client.request('PATCH', `/api/v1/namespaces/default/pods/${name}`, {
        body: JSON.stringify([{ op: 'remove', path: '/spec/schedulingGates' }]),
        contentType: 'application/json-patch+json',
      });
      expect(status).toBe(200);
    }
    await lab.delete('/api/v1/namespaces/default/pods/later-0');
    await lab.until(
      'kube-scheduler places what was gated',
      async () => (await isRunning('gated-too-large-0')) && (await isRunning('gated-too-large-1')),
    );
    expect(await podOf('too-large-0')).toMatchObject({ status: { phase: 'Pending' } });
  });
});
