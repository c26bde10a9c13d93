/**
 * NodeAgent as a DaemonSet of a real kubelet: what it may do to the node, and what it makes of the kubelet's devices, cgroups, and logs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type ClusterView } from '../../../src/planning/cluster/view/view';
import { NodeAgent } from '../../../src/constructs/agent';
import { dcgmText } from '../../runtime/agent/host';
import { apply, rendered, schedulerObjects, tokenOf } from '../scheduler/install';
import { nameOf } from '../scheduler/lab';
import {
  type Bed,
  describeNode,
  devicesOf,
  isReady,
  NODE,
  restartsOf,
  startBed,
  stopBed,
  uidOf,
  working,
  workingGang,
} from './bed';
import { NODE_ADDRESS } from './configuration';

const SYSTEM = 'gantry-system';
const AGENT = 'gantry-node-agent';
const PATIENCE = 240_000;

/** A metrics exporter of accelerators, which says what a file says. */
const EXPORTER = `
const [address, file] = process.argv.slice(1);
require('node:http').createServer((_, response) => response.end(require('node:fs').readFileSync(file))).listen(9400, address);
`;

describeNode('the node agent on a real kubelet', () => {
  let bed: Bed;

  const agent = async (): Promise<JsonObject | undefined> =>
    (await bed.lab.list(`/api/v1/namespaces/${AGENT}/pods`)).find(
      ({ metadata }) => asObject(metadata).deletionTimestamp === undefined,
    );
  const nodeNow = async (): Promise<JsonObject> => (await bed.lab.get(`/api/v1/nodes/${NODE}`)) ?? {};
  const condition = async (type: string): Promise<JsonObject | undefined> =>
    asArray(asObject((await nodeNow()).status).conditions)
      .map(asObject)
      .find((one) => one.type === type);
  const report = async (name: string): Promise<JsonObject> =>
    JSON.parse(
      asString(asObject(asObject((await nodeNow()).metadata).annotations)[`gantry.dev/${name}`]) ?? '{}',
    ) as JsonObject;
  /** By pod UID, sorted. */
  const reported = async (): Promise<Readonly<Record<string, readonly number[]>>> =>
    Object.fromEntries(
      Object.entries(asObject((await report('allocated-devices'))['nvidia.com/gpu'])).map(([uid, devices]) => [
        uid,
        asArray(devices)
          .map(Number)
          .sort((a, b) => a - b),
      ]),
    );
  const podNamed = async (name: string): Promise<JsonObject> =>
    (await bed.lab.get(`/api/v1/namespaces/default/pods/${name}`)) ?? {};
  const run = (...names: readonly string[]): Promise<void> =>
    bed.lab.until(
      `${names.join()} run`,
      async () => (await Promise.all(names.map(podNamed))).every((one) => bed.node.log(one).includes('ready')),
      PATIENCE,
    );
  const processOf = async (): Promise<number> => {
    const uid = uidOf((await agent()) ?? {});
    const [pid] = bed.node.namespaces
      .processes('/opt/gantry/start.cjs')
      .filter((one) => readFileSync(`/proc/${one}/cgroup`, 'utf8').includes(uid));
    return pid;
  };
  const exports = (text: string): void => writeFileSync(join(bed.node.folder, 'exporter.txt'), text);

  beforeAll(async () => {
    bed = await startBed();
    await bed.node.startDevicePlugin(8);
    exports(dcgmText(Array.from({ length: 8 }, () => 0)));
    await bed.node.startProgram('exporter', process.execPath, [
      '-e',
      EXPORTER,
      NODE_ADDRESS,
      join(bed.node.folder, 'exporter.txt'),
    ]);
    await apply(bed.lab, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gpu-operator' } },
      ...schedulerObjects({ replicas: 1 }),
      ...rendered(
        (chart) =>
          new NodeAgent(chart, 'agent', {
            monitoring: false,
            pools: [{ name: 'h100', nodeSelector: { 'example.com/rack': 'r1' }, devices: { 'nvidia.com/gpu': 8 } }],
            // No program of the test makes Services work.
            overrides: {
              template: {
                spec: { hostAliases: [{ ip: NODE_ADDRESS, hostnames: [`${AGENT}-nvidia.gpu-operator`] }] },
              },
            },
          }),
      ),
    ]);
    await bed.lab.until(
      'the agent is ready',
      async () => {
        const pod = await agent();
        return pod !== undefined && isReady(pod);
      },
      PATIENCE,
    );
  });
  afterEach(async () => {
    await bed.lab.cluster.client.request('DELETE', '/api/v1/namespaces/default/pods', {
      body: { gracePeriodSeconds: 0 },
    });
    await bed.lab.until('no pods', async () => (await bed.lab.pods()).length === 0, PATIENCE);
  });
  afterAll(() => stopBed(bed));

  it('runs as root without any capability, and cannot write to any file of the host', async () => {
    const pid = await processOf();
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t0\t0\t0\t0$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, , , , target]) => target === '/' || target.startsWith('/host') || target.startsWith('/opt/gantry'));
    expect(mounts.map(([, , , , target]) => target)).toEqual(
      expect.arrayContaining(['/', '/host/sys', '/host/var/log/pods', '/host/sys/fs/cgroup/memory']),
    );
    expect(
      mounts.filter(([, , , , , options]) => !options.split(',').includes('ro')).map(([, , , , target]) => target),
    ).toEqual([]);
  });

  it('reports the devices that the kubelet gave, and the books of the scheduler follow', async () => {
    await bed.lab.create(...workingGang('books', 3, { gpus: 2 }), working('alone', { gpus: 1 }));
    const names = ['books-0', 'books-1', 'books-2', 'alone'];
    await run(...names);
    const pods = await Promise.all(names.map(podNamed));
    const given = Object.fromEntries(pods.map((one) => [uidOf(one), devicesOf(bed.node, one)]));
    // The device plugin prefers the last devices, and the scheduler wished for others.
    expect(pods.map((one) => asString(asObject(asObject(one.metadata).annotations)['gantry.dev/devices']))).not.toEqual(
      pods.map((one) => devicesOf(bed.node, one).join()),
    );
    await bed.lab.until(
      'the report says what the containers report',
      async () =>
        JSON.stringify(Object.entries(await reported()).sort()) === JSON.stringify(Object.entries(given).sort()),
      PATIENCE,
    );
    await booksSay(pods);
  });

  it('containerd is killed and comes back: neither the report nor the books change for pods that go on', async () => {
    await bed.lab.create(...workingGang('stays', 2, { gpus: 3 }));
    await run('stays-0', 'stays-1');
    const pods = await Promise.all(['stays-0', 'stays-1'].map(podNamed));
    const given = JSON.stringify(pods.map((one) => devicesOf(bed.node, one)));
    const reportedOf = async (): Promise<string> => {
      const all = await reported();
      return JSON.stringify(pods.map((one) => all[uidOf(one)]));
    };
    await bed.lab.until('the report has them', async () => (await reportedOf()) === given, PATIENCE);
    const seen = new Set<string>();
    let isOver = false;
    const looking = (async () => {
      for (; !isOver; await sleep(200)) {
        seen.add(await reportedOf());
      }
    })();
    try {
      await bed.node.kill('containerd');
      await sleep(10_000);
      await bed.node.startContainerd();
      await bed.lab.create(working('comes', { gpus: 2 }));
      await run('comes');
      const comes = await podNamed('comes');
      await bed.lab.until('the report has the new one', async () => uidOf(comes) in (await reported()), PATIENCE);
      await booksSay([...pods, comes]);
    } finally {
      isOver = true;
      await looking;
    }
    expect([...seen]).toEqual([given]);
    expect(restartsOf((await agent()) ?? {})).toBe(0);
  });

  it('a pod that comes back under its name is reported by its new UID', async () => {
    await bed.lab.create(working('same', { gpus: 2 }));
    await run('same');
    const old = uidOf(await podNamed('same'));
    await bed.lab.until('the report has it', async () => old in (await reported()), PATIENCE);
    await bed.lab.delete('/api/v1/namespaces/default/pods/same');
    await bed.lab.until('it ended', async () => (await bed.lab.pods()).length === 0, PATIENCE);
    await bed.lab.create(working('same', { gpus: 2 }));
    await run('same');
    const now = await podNamed('same');
    await bed.lab.until(
      'the report has the new one',
      async () => JSON.stringify(await reported()) === JSON.stringify({ [uidOf(now)]: devicesOf(bed.node, now) }),
      PATIENCE,
    );
  });

  it('a device less than the pool has is a condition until it is back', async () => {
    await bed.lab.until(
      'all are there',
      async () => (await condition('AcceleratorsMissing'))?.status === 'False',
      PATIENCE,
    );
    await bed.node.kill('device-plugin');
    await bed.node.startDevicePlugin(7);
    await bed.lab.until(
      'one is missing',
      async () => (await condition('AcceleratorsMissing'))?.status === 'True',
      PATIENCE,
    );
    expect(asString((await condition('AcceleratorsMissing'))?.message)).toContain('7');
    await bed.node.kill('device-plugin');
    await bed.node.startDevicePlugin(8);
    await bed.lab.until(
      'it is back',
      async () => (await condition('AcceleratorsMissing'))?.status === 'False',
      PATIENCE,
    );
  });

  it('a container that uses up its CPU limit is named, from the cgroups of the kubelet', async () => {
    const busy = working('busy', {
      gpus: 0,
      spec: {
        schedulerName: 'default-scheduler',
        containers: [
          {
            name: 'main',
            image: 'gantry.test/work:1',
            command: ['sh', '-c', 'echo ready; while :; do :; done'],
            resources: { limits: { cpu: '50m', memory: '16Mi' } },
          },
        ],
      },
    });
    await bed.lab.create(busy);
    await bed.lab.until('it is throttled', async () => (await condition('CpuThrottled'))?.status === 'True', PATIENCE);
    expect(asString((await condition('CpuThrottled'))?.message)).toMatch(/default\/busy in \d+%/);
    await bed.lab.delete('/api/v1/namespaces/default/pods/busy');
    await bed.lab.until('it ended', async () => (await condition('CpuThrottled'))?.status === 'False', PATIENCE);
  });

  it('has read the kubelet all the time, and was never started again', async () => {
    const pod = (await agent()) ?? {};
    const { text } = bed.node.fetch(`http://${asString(asObject(pod.status).podIP)}:10271/metrics`);
    expect(text).toMatch(/^gantry_node_allocatable_devices\{.*nvidia.com\/gpu.*\} 8$/m);
    expect(text).not.toMatch(/^gantry_agent_source_failures_total\{source="kubelet"\} [1-9]/m);
    expect(restartsOf(pod)).toBe(0);
  });

  /** Until the scheduler shows these pods with the devices that their containers report. */
  async function booksSay(pods: readonly JsonObject[]): Promise<void> {
    const token = await viewerToken();
    const [scheduler] = await bed.lab.list(`/api/v1/namespaces/${SYSTEM}/pods`);
    const url = `http://${asString(asObject(scheduler.status).podIP)}:10270/gantry/v1/view`;
    let said = '';
    await bed.lab
      .until(
        'the books say it',
        () => {
          const { status, text } = bed.node.fetch(url, { authorization: `Bearer ${token}` });
          said = `${status} ${text.slice(0, 200)}`;
          const view = status === 200 ? (JSON.parse(text) as ClusterView | null) : null;
          const inView = (view?.nodes[0]?.pods ?? []).map(({ name, devices }) => [name, [...devices].sort()] as const);
          return Promise.resolve(
            pods.every((one) => {
              const found = inView.find(([name]) => name.endsWith(nameOf(one)));
              return JSON.stringify(found?.[1]) === JSON.stringify(devicesOf(bed.node, one));
            }),
          );
        },
        PATIENCE,
      )
      .catch((error: Error) => {
        throw new Error(`${error.message}; the last answer: ${said}`);
      });
  }

  /** Of an account that may read what the scheduler shows. */
  async function viewerToken(): Promise<string> {
    const subject = { kind: 'ServiceAccount', name: 'viewer', namespace: 'default' };
    const metadata = { name: 'gantry-viewer' };
    await apply(bed.lab, [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'viewer', namespace: 'default' } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata,
        rules: [{ nonResourceURLs: ['/gantry/v1/*'], verbs: ['get'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gantry-viewer' },
        subjects: [subject],
      },
    ]);
    return tokenOf(bed.lab, 'default', 'viewer');
  }
});
