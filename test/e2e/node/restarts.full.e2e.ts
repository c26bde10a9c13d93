/**
 * Restarts on a real node: of the kubelet, of containerd, and of the node itself, under the replicas of `examples/scheduler` and the gangs that they
 * have placed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { nameOf } from '../scheduler/lab';
import {
  type Bed,
  checkpoint,
  describeNode,
  devicesOf,
  isReady,
  NODE,
  phaseOf,
  restartsOf,
  stopBed,
  uidOf,
  workingGang,
  workingSet,
} from './bed';
import { ALL_DEVICES, clearExample, nodeOf, PATIENCE, questionsAbout, registrations, startExample } from './example';

describeNode('restarts of a real node and its programs', () => {
  let bed: Bed;
  const { replicas, podNamed, runs, allRun, bothReady, devices, offered, saysWhy } = questionsAbout(() => bed);

  const theNode = async (): Promise<JsonObject> => (await bed.lab.get(`/api/v1/nodes/${NODE}`)) ?? {};
  const nodeIs = (status: 'ready' | 'not ready'): Promise<void> =>
    bed.lab.until(`the node is ${status}`, async () => isReady(await theNode()) === (status === 'ready'), PATIENCE);
  const restarts = async (...names: readonly string[]): Promise<readonly number[]> =>
    Promise.all(names.map(async (name) => restartsOf((await podNamed(name)) ?? {})));
  /** The processes of the containers of pods, by their numbers on this machine. */
  const processesOf = async (...names: readonly string[]): Promise<readonly (readonly number[])[]> => {
    const working = bed.node.namespaces.processes('sleep 1000000');
    const pods = await Promise.all(names.map((name) => podNamed(name)));
    return pods.map((pod) => working.filter((pid) => bed.node.namespaces.isOf(pid, uidOf(pod ?? {}))));
  };
  /** What the kubelet has written down for pods. */
  const written = async (...names: readonly string[]): Promise<readonly (readonly number[] | undefined)[]> => {
    const all = checkpoint(bed.node);
    return (await Promise.all(names.map((name) => podNamed(name)))).map((pod) => all.get(uidOf(pod ?? {})));
  };

  beforeAll(async () => {
    bed = await startExample();
  });
  afterEach(() => clearExample(bed));
  afterAll(() => stopBed(bed));

  it('the kubelet is killed and comes back: pods go on with their devices, and none is given twice', async () => {
    await bothReady();
    await bed.lab.create(...workingGang('long', 2, { gpus: 3, queue: 'research' }));
    await allRun('long-0', 'long-1');
    const given = [await devices('long-0'), await devices('long-1')];
    const registered = registrations(bed);
    await bed.node.kill('kubelet');
    // Decided while the kubelet is away. When it is back it rejects the pod if the device plugin has not registered yet; then comes another.
    await bed.lab.create(workingSet('short', 1, { gpus: 2, queue: 'research' }));
    await bed.lab.until('it is placed', async () => (await bed.lab.pods()).filter(isPlaced).length === 3);
    await bed.node.startKubelet();
    await bed.lab.until('the gang that fits runs', async () => (await running('short')).length === 1, PATIENCE);
    await bed.lab.until('the device plugin is registered again', () =>
      Promise.resolve(registrations(bed) > registered),
    );
    await offered('8');
    await bed.lab.create(...workingGang('none', 1, { gpus: 1, queue: 'research' }));
    await saysWhy('none-0');
    // The node reports every two seconds.
    await sleep(5000);
    expect([await devices('long-0'), await devices('long-1')]).toEqual(given);
    expect(await written('long-0', 'long-1')).toEqual(given);
    const [short] = await running('short');
    expect(await devices('long-0', 'long-1', nameOf(short))).toEqual(ALL_DEVICES);
    expect([phaseOf(await podNamed('none-0')), nodeOf(await podNamed('none-0'))]).toEqual(['Pending', undefined]);
    expect(await restarts('long-0', 'long-1')).toEqual([0, 0]);
  });

  it('containerd is killed under running pods: they go on with their devices, and a gang that comes meanwhile waits for the node', async () => {
    await bothReady();
    await bed.lab.create(...workingGang('long', 2, { gpus: 3, queue: 'research' }));
    await allRun('long-0', 'long-1');
    const given = [await devices('long-0'), await devices('long-1')];
    const processes = await processesOf('long-0', 'long-1');
    expect(processes.map(({ length }) => length)).toEqual([1, 1]);
    const before = (await replicas()).map((one) => [nameOf(one), restartsOf(one)]);
    await bed.node.kill('containerd');
    // Half a minute after the kubelet lost it.
    await nodeIs('not ready');
    await bed.lab.create(...workingGang('short', 1, { gpus: 2, queue: 'research' }));
    await saysWhy('short-0');
    expect(nodeOf(await podNamed('short-0'))).toBeUndefined();
    await bed.node.startContainerd();
    await nodeIs('ready');
    await bed.lab.create(...workingGang('none', 1, { gpus: 1, queue: 'research' }));
    await bed.lab.until('the gang that fits runs', () => runs('short-0'), PATIENCE);
    await saysWhy('none-0');
    expect([await devices('long-0'), await devices('long-1')]).toEqual(given);
    expect(await written('long-0', 'long-1')).toEqual(given);
    expect(await devices('long-0', 'long-1', 'short-0')).toEqual(ALL_DEVICES);
    expect([phaseOf(await podNamed('none-0')), nodeOf(await podNamed('none-0'))]).toEqual(['Pending', undefined]);
    // The same processes as before, also those of the scheduler.
    expect(await processesOf('long-0', 'long-1')).toEqual(processes);
    expect(await restarts('long-0', 'long-1')).toEqual([0, 0]);
    await bothReady();
    expect((await replicas()).map((one) => [nameOf(one), restartsOf(one)])).toEqual(before);
  });

  it('the node loses its power and starts again: gangs come back whole, both replicas are ready, and no device is promised twice', async () => {
    await bothReady();
    await bed.lab.create(workingSet('long', 2, { gpus: 3, queue: 'research' }));
    await bed.lab.until('the gang runs', async () => (await running('long')).length === 2, PATIENCE);
    const before = new Map((await replicas()).map((one) => [uidOf(one), restartsOf(one)]));
    const old = new Map((await running('long')).map((one) => [uidOf(one), restartsOf(one)]));
    const watch = new Promises(bed);
    try {
      const { bootID } = asObject(asObject((await theNode()).status).nodeInfo);
      await bed.node.losePower();
      expect(bed.node.namespaces.processes('sleep 1000000')).toEqual([]);
      await nodeIs('not ready');
      // No replica decides about it: both are on the node.
      await bed.lab.create(...workingGang('short', 1, { gpus: 2, queue: 'research' }));
      await bed.node.startContainerd();
      await bed.node.startKubelet();
      await nodeIs('ready');
      // As a DaemonSet brings it: after the kubelet has looked at the pods that it had.
      await bed.node.startDevicePlugin(8);
      await offered('8');
      await bothReady();
      // Each of them started again, in its pod or in another one.
      expect((await replicas()).filter((one) => restartsOf(one) <= (before.get(uidOf(one)) ?? -1))).toEqual([]);
      await bed.lab.until('the gang is whole again', async () => (await running('long')).length === 2, PATIENCE);
      await bed.lab.until('the gang that came runs', () => runs('short-0'), PATIENCE);
      const now = [...(await running('long')), (await podNamed('short-0')) ?? {}];
      expect(now.flatMap((one) => devicesOf(bed.node, one)).sort((a, b) => a - b)).toEqual(ALL_DEVICES);
      const kept = checkpoint(bed.node);
      expect(now.map((one) => kept.get(uidOf(one)))).toEqual(now.map((one) => devicesOf(bed.node, one)));
      // None of them is one that went on without a start.
      expect(now.filter((one) => restartsOf(one) <= (old.get(uidOf(one)) ?? -1))).toEqual([]);
      expect(asObject(asObject((await theNode()).status).nodeInfo).bootID).not.toBe(bootID);
    } finally {
      await watch.stop();
    }
    expect([...watch.faults]).toEqual([]);
  });

  /** Pods of a set whose containers run, since the latest start of the node. */
  async function running(set: string): Promise<readonly JsonObject[]> {
    const alive = bed.node.namespaces.processes('sleep 1000000');
    return (await bed.lab.pods()).filter(
      (one) =>
        asObject(asObject(one.metadata).labels).set === set &&
        isReady(one) &&
        alive.some((pid) => bed.node.namespaces.isOf(pid, uidOf(one))),
    );
  }
});

/** Looks all the time whether the pods that are placed need more devices than the node has. */
class Promises {
  readonly faults = new Set<string>();
  private stopped = false;
  private readonly looking: Promise<void>;

  constructor(private readonly bed: Bed) {
    this.looking = this.look();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.looking;
  }

  private async look(): Promise<void> {
    for (; !this.stopped; await sleep(200)) {
      const held = (await this.bed.lab.pods())
        .filter(isPlaced)
        .map((one) => ({ name: nameOf(one), devices: devicesIn(one) }));
      const sum = held.reduce((all, { devices }) => all + devices, 0);
      if (sum > ALL_DEVICES.length) {
        this.faults.add(`${held.map(({ name }) => name).join(', ')} hold ${sum} devices`);
      }
    }
  }
}

/** On a node, and not ended. */
function isPlaced(one: JsonObject): boolean {
  return nodeOf(one) !== undefined && !['Succeeded', 'Failed'].includes(phaseOf(one));
}

function devicesIn({ spec }: JsonObject): number {
  return asArray(asObject(spec).containers)
    .map((one) => Number(asString(asObject(asObject(asObject(one).resources).limits)['nvidia.com/gpu']) ?? 0))
    .reduce((sum, count) => sum + count, 0);
}
