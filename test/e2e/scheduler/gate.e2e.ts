/**
 * Pods that come to Gantry by other ways than their own manifest: gated by policy, or made by a controller from what a workload construct
 * rendered. Both to the end: placed by Gantry, bound by whom it should be, running.
 */
import { Chart, Duration } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Job } from '../../../src/constructs/batch';
import { Checks } from '../../../src/checks/synth/checks-of';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import { GantryScheduler, PlacementGate } from '../../../src/constructs/scheduler';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { apply, rendered } from './install';
import { overCapacity } from './invariants';
import { Lab, nameOf } from './lab';
import { node, podTemplate } from './manifests';

const CONFIG = 'queues: [{ name: research, deserved: { nvidia.com/gpu: 16 } }]\n';
const GATED = 'notebooks';
const OPEN = 'others';

describeLive('pods that are sent to Gantry', () => {
  let lab: Lab;
  let gantry: GantryProcess | undefined;

  beforeAll(async () => {
    lab = await Lab.start();
    await apply(
      lab,
      [GATED, OPEN].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    );
    for (const name of [GATED, OPEN]) {
      await lab.until(
        'the default service account',
        async () => (await lab.get(`/api/v1/namespaces/${name}/serviceaccounts/default`)) !== undefined,
      );
    }
  });
  beforeEach(async () => {
    await lab.create(node('n-0'), node('n-1'));
    await lab.nodesReady(2);
    gantry = await GantryProcess.start({ kubeconfig: lab.kubeconfig, config: CONFIG });
  });
  afterEach(async () => {
    await gantry?.stop();
    for (const name of [GATED, OPEN]) {
      // Those that make pods go with their pods: a controller that hears late of the end of its Job makes some again.
      for (const path of [`/apis/apps/v1/namespaces/${name}/daemonsets`, `/apis/batch/v1/namespaces/${name}/jobs`]) {
        await lab.cluster.client.request('DELETE', path, { body: { propagationPolicy: 'Foreground' } });
        await lab.until('nothing makes pods', async () => (await lab.list(path)).length === 0);
      }
      const path = `/api/v1/namespaces/${name}/pods`;
      await lab.cluster.client.request('DELETE', path, { body: { gracePeriodSeconds: 0 } });
      await lab.until('no pods', async () => (await lab.list(path)).length === 0);
    }
    await lab.clear();
  });
  afterAll(() => lab.stop());

  const pods = (namespace: string): Promise<readonly JsonObject[]> => lab.list(`/api/v1/namespaces/${namespace}/pods`);
  const gates = (pod: JsonObject): readonly string[] =>
    asArray(asObject(pod.spec).schedulingGates).map((gate) => asString(asObject(gate).name) ?? '');
  const nodeOf = (pod: JsonObject): string | undefined => asString(asObject(pod.spec).nodeName);
  const runs = (pod: JsonObject): boolean => asObject(pod.status).phase === 'Running';

  async function create(
    namespace: string,
    name: string,
    spec: JsonObject = {},
    labels: JsonObject = {},
  ): Promise<JsonObject> {
    const template = asObject(podTemplate({ gpus: 1 }).spec);
    const { status, body } = await lab.cluster.client.request('POST', `/api/v1/namespaces/${namespace}/pods`, {
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels },
        spec: { ...template, schedulerName: 'default-scheduler', ...spec },
      },
    });
    if (status >= 300) {
      throw new Error(`${name}: ${asString(body.message)}`);
    }
    return body;
  }

  /** Who said that it bound the pod. */
  async function binders(namespace: string, pod: string): Promise<readonly string[]> {
    const events = await lab.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
    return events
      .filter(({ reason, regarding }) => reason === 'Scheduled' && asObject(regarding).name === pod)
      .map((event) => asString(event.reportingController) ?? '');
  }

  it('by a policy: the gate is put on pods that kube-scheduler would place, in the chosen namespace, and on no other', async () => {
    await apply(
      lab,
      rendered((chart, app) => {
        Checks.of(app).target('1.36');
        new PlacementGate(chart, 'gate', {
          namespaces: { matchLabels: { 'kubernetes.io/metadata.name': GATED } },
          conditions: [
            { name: 'not-exempt', expression: '!has(object.metadata.labels) || !("exempt" in object.metadata.labels)' },
          ],
        });
      }),
    );
    // A policy holds a moment after it was made.
    await lab.until('the policy holds', async () => {
      const probe = await create(GATED, `probe-${Date.now()}`);
      await lab.delete(`/api/v1/namespaces/${GATED}/pods/${nameOf(probe)}`);
      return gates(probe).length > 0;
    });

    const gated = await create(GATED, 'notebook');
    const twice = await create(GATED, 'gated-already', {
      schedulingGates: [{ name: 'gantry.dev/placement' }, { name: 'example.com/quota' }],
    });
    expect(gates(gated)).toEqual(['gantry.dev/placement']);
    expect([...gates(twice)].sort()).toEqual(['example.com/quota', 'gantry.dev/placement']);
    expect(gates(await create(OPEN, 'elsewhere'))).toEqual([]);
    expect(gates(await create(GATED, 'bound', { nodeName: 'n-0' }))).toEqual([]);
    expect(gates(await create(GATED, 'of-another', { schedulerName: 'somebody-else' }))).toEqual([]);
    expect(gates(await create(GATED, 'exempt', {}, { exempt: 'yes' }))).toEqual([]);
    expect(gates(await create(GATED, 'itself', {}, { 'app.kubernetes.io/name': 'gantry-scheduler' }))).toEqual([]);
    expect(gates(await create(GATED, 'another', {}, { 'app.kubernetes.io/name': 'notebook' }))).toEqual([
      'gantry.dev/placement',
    ]);
    await apply(lab, [
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: GATED },
        spec: {
          selector: { matchLabels: { app: 'agent' } },
          template: {
            metadata: { labels: { app: 'agent' } },
            spec: { containers: [{ name: 'main', image: 'agent:1' }] },
          },
        },
      },
    ]);
    await lab.until(
      'an agent on each node',
      async () => (await pods(GATED)).filter((pod) => nameOf(pod).startsWith('agent-') && runs(pod)).length === 2,
    );

    await lab.until('the notebook runs', async () =>
      (await pods(GATED)).some((pod) => nameOf(pod) === 'notebook' && runs(pod)),
    );
    const notebook = (await pods(GATED)).find((pod) => nameOf(pod) === 'notebook') ?? {};
    expect(asObject(asObject(notebook.metadata).annotations)['gantry.dev/node']).toBe(nodeOf(notebook));
    // Events come after what they tell.
    await lab.until('kube-scheduler says that it bound the notebook', async () =>
      (await binders(GATED, 'notebook')).includes('default-scheduler'),
    );
    // Another gate is not Gantry's to take, and a pod that has one waits.
    const waiting = (await pods(GATED)).find((pod) => nameOf(pod) === 'gated-already') ?? {};
    expect(nodeOf(waiting)).toBeUndefined();
    expect(gates(waiting)).toContain('example.com/quota');
  });

  it.each([
    [false, 'gantry'],
    [true, 'default-scheduler'],
  ])('by Scheduling.gantry on a Job, hand-over %s: a gang, all or none', async (handOver, scheduler) => {
    const jobs = rendered((chart) => {
      const queue = new GantryScheduler(new Chart(chart, 'system'), 'gantry', { queues: [{ name: 'research' }] }).queue(
        'research',
      );
      const job = (name: string, nodes: number): Job =>
        new Job(chart, name, {
          name,
          namespace: OPEN,
          parallelism: nodes,
          image: 'registry.example.com/train:1',
          accelerators: Accelerator.nvidia({ count: 8 }),
          resources: { cpu: 8, memory: '64Gi' },
          terminationGracePeriod: Duration.seconds(0),
          scheduling: Scheduling.gantry(queue, { handOver }),
        });
      job('fits', 2);
      job('too-large', 3);
    }).filter(({ kind }) => kind === 'Job');
    expect(jobs).toHaveLength(2);
    await apply(lab, jobs);

    const of = async (job: string): Promise<readonly JsonObject[]> =>
      (await pods(OPEN)).filter((pod) => nameOf(pod).startsWith(`${job}-`));
    await lab.until(
      'the pods of both are there',
      async () => (await of('fits')).length === 2 && (await of('too-large')).length === 3,
    );
    await lab.until('one gang runs', async () => (await of('fits')).every(runs));
    const running = await of('fits');
    expect(new Set(running.map(nodeOf))).toEqual(new Set(['n-0', 'n-1']));
    expect(new Set(running.map((pod) => asString(asObject(pod.spec).schedulerName)))).toEqual(new Set([scheduler]));
    expect((await of('too-large')).map(nodeOf)).toEqual([undefined, undefined, undefined]);
    await lab.until('the other gang has a reason', async () => {
      // It may be decided after the other gang runs.
      const pending =
        await gantry!.json<readonly { readonly gang: string; readonly kind: string }[]>('/gantry/v1/pending');
      const found = pending.find(({ gang }) => gang === `${OPEN}/too-large`);
      return /fit|capacity|quota|large/.test(found?.kind ?? '');
    });
    if (handOver) {
      await lab.until('kube-scheduler says that it bound the gang', async () =>
        (await binders(OPEN, nameOf(running[0]))).includes('default-scheduler'),
      );
    } else {
      const all = async (): Promise<readonly string[]> =>
        (await Promise.all(running.map((pod) => binders(OPEN, nameOf(pod))))).flat();
      await lab.until('an event says who bound the gang', async () => (await all()).length > 0);
      expect(await all()).not.toContain('default-scheduler');
    }
    expect(overCapacity(await lab.list('/api/v1/nodes'), await pods(OPEN))).toEqual([]);
  });
});
