/**
 * `examples/scheduler` as it is rendered, on a real node: the kubelet runs its replicas and the pods that it places.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { apply } from '../scheduler/install';
import { nameOf } from '../scheduler/lab';
import {
  type Bed,
  describeNode,
  devicesOf,
  isReady,
  NODE,
  restartsOf,
  stopBed,
  uidOf,
  working,
  workingGang,
} from './bed';
import { ALL_DEVICES, clearExample, NAME, nodeOf, PATIENCE, questionsAbout, startExample, SYSTEM } from './example';

describeNode('examples/scheduler on a real node', () => {
  let bed: Bed;
  const { replicas, leader, podNamed, runs, allRun, bothReady, devices, offered, saysWhy } = questionsAbout(() => bed);

  /** The processes of a replica, by their numbers on this machine. */
  const processesOf = (replica: JsonObject): readonly number[] =>
    bed.node.namespaces
      .processes('/opt/gantry/start.cjs')
      .filter((pid) => readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(uidOf(replica)));
  const evict = async (name: string): Promise<number> => {
    const { status } = await bed.lab.cluster.client.request(
      'POST',
      `/api/v1/namespaces/${SYSTEM}/pods/${name}/eviction`,
      {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: SYSTEM } },
      },
    );
    return status;
  };

  beforeAll(async () => {
    bed = await startExample();
  });
  afterEach(() => clearExample(bed));
  afterAll(() => stopBed(bed));

  it('two replicas become ready where PodSecurity "restricted" is enforced, and run with nothing but that', async () => {
    const namespace = await bed.lab.get(`/api/v1/namespaces/${SYSTEM}`);
    expect(asObject(asObject(namespace?.metadata).labels)['pod-security.kubernetes.io/enforce']).toBe('restricted');
    await bothReady();
    for (const replica of await replicas()) {
      const [pid] = processesOf(replica);
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m);
      expect(status).toMatch(/^CapBnd:\t0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
      expect(restartsOf(replica)).toBe(0);
    }
  });

  it('gangs get the devices of the node, and one that does not fit waits until they end', async () => {
    await bed.lab.create(...workingGang('first', 2, { gpus: 4, queue: 'research' }));
    await allRun('first-0', 'first-1');
    expect(await devices('first-0', 'first-1')).toEqual(ALL_DEVICES);
    await bed.lab.create(...workingGang('second', 4, { gpus: 2, queue: 'research' }));
    await saysWhy('second-0');
    await bed.lab.delete('/api/v1/namespaces/default/pods/first-0');
    await bed.lab.until('it ended', async () => (await podNamed('first-0')) === undefined, PATIENCE);
    // Two of four would fit now.
    await sleep(3000);
    expect(
      (await Promise.all(['second-0', 'second-1', 'second-2', 'second-3'].map((name) => podNamed(name)))).map(nodeOf),
    ).toEqual([undefined, undefined, undefined, undefined]);
    await bed.lab.delete('/api/v1/namespaces/default/pods/first-1');
    await allRun('second-0', 'second-1', 'second-2', 'second-3');
    expect(await devices('second-0', 'second-1', 'second-2', 'second-3')).toEqual(ALL_DEVICES);
  });

  it('a pod that the policy gates is handed over, and runs', async () => {
    const notebook = working('notebook', { gpus: 1, queue: 'research', spec: { schedulerName: 'default-scheduler' } });
    await apply(bed.lab, [{ ...notebook, metadata: { ...asObject(notebook.metadata), namespace: 'notebooks' } }]);
    const created = await podNamed('notebook', 'notebooks');
    expect(asObject(created?.metadata).managedFields).toBeDefined();
    await bed.lab.until('it runs', () => runs('notebook', 'notebooks'), PATIENCE);
    const pod = await podNamed('notebook', 'notebooks');
    expect(asObject(pod?.spec).schedulerName).toBe('default-scheduler');
    expect(JSON.stringify(asObject(pod?.spec).affinity)).toContain(NODE);
    expect(devicesOf(bed.node, pod ?? {})).toHaveLength(1);
  });

  it('an edit of the configuration takes effect in the running replicas', async () => {
    await bothReady();
    const path = `/api/v1/namespaces/${SYSTEM}/configmaps/${NAME}`;
    const text = asString(asObject((await bed.lab.get(path))?.data)['scheduler.yaml']) ?? '';
    const before = (await replicas()).map(uidOf);
    await bed.lab.create(...workingGang('edited', 1, { gpus: 1, queue: 'evening' }));
    await bed.lab.until('its queue is missing', async () =>
      JSON.stringify((await podNamed('edited-0'))?.status).includes('evening'),
    );
    const added =
      'queues:\n  - name: evening\n    deserved:\n      nvidia.com/gpu: "8"\n    guarantee:\n      nvidia.com/gpu: "8"\n';
    await bed.lab.patch(path, { data: { 'scheduler.yaml': text.replace('queues:\n', added) } });
    await bed.lab.until(
      'both replicas have read it',
      async () =>
        (await replicas()).every((pod) => bed.node.log(pod, 'scheduler').includes('"configuration reloaded"')),
      PATIENCE,
    );
    await allRun('edited-0');
    expect((await replicas()).map(uidOf)).toEqual(before);
    await bed.lab.patch(path, { data: { 'scheduler.yaml': text } });
  });

  it('the leader is deleted: the other replica goes on, and a new one joins', async () => {
    await bothReady();
    const old = (await leader()) ?? '';
    await bed.lab.cluster.client.request('DELETE', `/api/v1/namespaces/${SYSTEM}/pods/${old}`);
    await bed.lab.create(...workingGang('after', 2, { gpus: 2, queue: 'research' }));
    await allRun('after-0', 'after-1');
    expect(await leader()).not.toBe(old);
    await bothReady();
  });

  it('the process of the leader is killed: the other replica goes on, and the kubelet starts it again', async () => {
    await bothReady();
    const old = (await leader()) ?? '';
    const replica = (await podNamed(old, SYSTEM)) ?? {};
    const before = restartsOf(replica);
    const [pid] = processesOf(replica);
    process.kill(pid, 'SIGKILL');
    await bed.lab.create(...workingGang('killed', 2, { gpus: 2, queue: 'research' }));
    await allRun('killed-0', 'killed-1');
    await bed.lab.until(
      'its container runs again',
      async () => {
        const now = (await podNamed(old, SYSTEM)) ?? {};
        return restartsOf(now) === before + 1 && isReady(now);
      },
      PATIENCE,
    );
  });

  it('a drain takes one replica at a time', async () => {
    await bothReady();
    await bed.lab.until('the budget allows one', async () => {
      const budget = await bed.lab.get(`/apis/policy/v1/namespaces/${SYSTEM}/poddisruptionbudgets/${NAME}`);
      return asObject(budget?.status).disruptionsAllowed === 1;
    });
    await bed.lab.patch(`/api/v1/nodes/${NODE}`, { spec: { unschedulable: true } });
    const [first, second] = (await replicas()).map(nameOf);
    expect(await evict(first)).toBe(201);
    await bed.lab.until('the first ended', async () => (await podNamed(first, SYSTEM)) === undefined, PATIENCE);
    expect(await evict(second)).toBe(429);
    expect(isReady((await podNamed(second, SYSTEM)) ?? {})).toBe(true);
    await bed.lab.patch(`/api/v1/nodes/${NODE}`, { spec: { unschedulable: false } });
    await bothReady();
    await bed.lab.create(...workingGang('drained', 1, { gpus: 1, queue: 'research' }));
    await allRun('drained-0');
  });

  it('the device plugin ends and comes back: gangs wait for it', async () => {
    await bothReady();
    await bed.node.kill('device-plugin');
    await offered('0');
    await bed.lab.create(...workingGang('waiting', 2, { gpus: 4, queue: 'research' }));
    await saysWhy('waiting-0');
    await bed.node.startDevicePlugin(8);
    await allRun('waiting-0', 'waiting-1');
    expect(await devices('waiting-0', 'waiting-1')).toEqual(ALL_DEVICES);
  });
});
