/**
 * Remediation as it is installed: its objects on a live server, its bundled program in processes of their own, and what its token can change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { remediationClusterRules, remediationNamespaceRules } from '../../../src/constructs/remediation/permissions';
import {
  readRecord,
  remediationNeeds,
  readRemediationSettings,
  type RemediationRecord,
} from '../../../src/planning/remediation';
import { type Status } from '../../../src/runtime/remediation/status';
import { ApiClient } from '../control-plane/api-client';
import { describeLive } from '../live-cluster';
import { askedBy, granted } from '../scheduler/audit';
import { kubeconfigFor, tokenOf } from '../scheduler/install';
import { Lab } from '../scheduler/lab';
import { node, pod } from '../scheduler/manifests';
import { ALERT_TOKEN, install, NAME, NAMESPACE, RemediationProcess, RULES } from './process';

const USER = `system:serviceaccount:${NAMESPACE}:${NAME}`;
const NODES = ['n-0', 'n-1', 'n-2', 'n-3'];

describeLive('remediation as it is installed', () => {
  let lab: Lab;
  let kubeconfig: string;
  const running: RemediationProcess[] = [];

  const nodeNamed = async (name: string): Promise<JsonObject> => (await lab.get(`/api/v1/nodes/${name}`)) ?? {};
  const recordOf = async (name: string): Promise<RemediationRecord> =>
    readRecord(asString(asObject(asObject((await nodeNamed(name)).metadata).annotations)['gantry.dev/remediation']));
  const isTainted = async (name: string): Promise<boolean> =>
    asArray(asObject((await nodeNamed(name)).spec).taints).some(
      (taint) => asObject(taint).key === 'gantry.dev/unhealthy',
    );
  const isCordoned = async (name: string): Promise<boolean> =>
    asObject((await nodeNamed(name)).spec).unschedulable === true;
  const repair = async (name: string): Promise<unknown> =>
    asArray(asObject((await nodeNamed(name)).status).conditions)
      .map(asObject)
      .find(({ type }) => type === 'GantryRepairRequested')?.status;
  const tainted = async (): Promise<readonly string[]> => {
    const all = await Promise.all(NODES.map(async (name) => ((await isTainted(name)) ? [name] : [])));
    return all.flat();
  };

  /** As an agent would; the type is one that no program of the cluster writes. */
  async function condition(name: string, type: string, status: 'True' | 'False'): Promise<void> {
    const { status: code } = await lab.cluster.client.request('PATCH', `/api/v1/nodes/${name}/status`, {
      body: {
        status: {
          conditions: [
            { type, status, reason: 'Test', message: 'set by the test', lastTransitionTime: new Date().toISOString() },
          ],
        },
      },
      contentType: 'application/strategic-merge-patch+json',
    });
    expect(code).toBe(200);
  }
  async function start(more: Parameters<typeof RemediationProcess.start>[0] = {}): Promise<RemediationProcess> {
    const process = await RemediationProcess.start({ kubeconfig, ...more });
    running.push(process);
    return process;
  }
  async function gang(name: string, ...on: readonly string[]): Promise<void> {
    await lab.create(
      ...on.map((nodeName, index) =>
        pod(`${name}-${index}`, { gang: name, gpus: 2, spec: { nodeName, schedulerName: 'none' } }),
      ),
    );
    await lab.until(`${name} runs`, async () => {
      const pods = await lab.pods();
      return (
        pods.filter(
          ({ metadata, status }) =>
            (asString(asObject(metadata).name) ?? '').startsWith(`${name}-`) && asObject(status).phase === 'Running',
        ).length === on.length
      );
    });
  }
  const podNames = async (): Promise<readonly string[]> =>
    (await lab.pods())
      .filter(({ metadata }) => asObject(metadata).deletionTimestamp === undefined)
      .map(({ metadata }) => asString(asObject(metadata).name) ?? '')
      .sort();

  beforeAll(async () => {
    lab = await Lab.start({
      audit: true,
      serve: ['api/beta', 'scheduling.k8s.io/v1alpha2'],
      featureGates: { GenericWorkload: true },
    });
    await lab.create(
      ...NODES.map((name, index) =>
        node(name, { labels: { 'topology.kubernetes.io/rack': `r${Math.floor(index / 2)}` } }),
      ),
    );
    await lab.nodesReady(4);
    await install(lab);
    kubeconfig = kubeconfigFor(lab, await tokenOf(lab, NAMESPACE, NAME));
  });
  afterEach(async () => {
    // First the programs: what they would still write would be left on the nodes.
    for (const process of running.splice(0)) {
      await process.stop();
    }
    for (const name of NODES) {
      for (const type of ['Bad', 'Slow', 'Missing']) {
        await condition(name, type, 'False');
      }
    }
    for (const name of NODES) {
      await lab.patch(`/api/v1/nodes/${name}`, {
        metadata: { annotations: { 'gantry.dev/remediation': null, 'gantry.dev/repair-requested': null } },
        spec: { taints: null, unschedulable: null },
      });
    }
    // Also those that are evicted and not gone yet: the next test makes pods of the same names.
    await lab.cluster.client.request('DELETE', '/api/v1/namespaces/default/pods', { body: { gracePeriodSeconds: 0 } });
    await lab.until('no pods', async () => (await lab.pods()).length === 0);
    await lab.cluster.client.request('DELETE', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', { body: {} });
  });
  afterAll(() => lab.stop());

  it('a condition taints, cordons, and evicts the whole gang; its end undoes the marks', async () => {
    await gang('g', 'n-0', 'n-1');
    await gang('h', 'n-1');
    await start();
    await condition('n-0', 'Bad', 'True');
    await lab.until('the gang is evicted', async () => (await podNames()).join() === 'h-0');
    expect([await isTainted('n-0'), await isCordoned('n-0')]).toEqual([true, true]);
    await lab.until('the eviction is complete', async () => (await recordOf('n-0')).clearing.length === 0);
    expect((await recordOf('n-0')).why).toEqual([
      'rule bad: condition Bad is True; taint, cordon, evict; evicts default/gang/g',
    ]);
    await condition('n-0', 'Bad', 'False');
    await lab.until('the marks are gone', async () => !(await isTainted('n-0')) && !(await isCordoned('n-0')));
    await lab.until('events say it', async () => {
      const events = await lab.list('/apis/events.k8s.io/v1/namespaces/default/events');
      const reasons = events
        .filter(({ reportingController }) => reportingController === 'gantry.dev/remediation')
        .map(({ reason }) => asString(reason));
      return ['Remediated', 'EvictedByRemediation', 'RemediationUndone'].every((reason) => reasons.includes(reason));
    });
  });

  it('a gang moves when the placement core finds places on healthy nodes', async () => {
    await gang('m', 'n-0');
    const process = await start();
    await condition('n-0', 'Slow', 'True');
    await lab.until('it is evicted', async () => (await podNames()).length === 0);
    await lab.until('the log says it', () =>
      Promise.resolve(process.log.some(({ msg, gang: key }) => msg === 'evicted' && key === 'default/gang/m')),
    );
  });

  it('the pod of the device plugin is recreated', async () => {
    await lab.cluster.client.request('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gpu-operator' } },
    });
    await lab.until(
      'its service account',
      async () => (await lab.get('/api/v1/namespaces/gpu-operator/serviceaccounts/default')) !== undefined,
    );
    const plugin = pod('plugin', {
      gpus: 0,
      labels: { app: 'nvidia-device-plugin-daemonset' },
      spec: { nodeName: 'n-2', schedulerName: 'none' },
    });
    const { status } = await lab.cluster.client.request('POST', '/api/v1/namespaces/gpu-operator/pods', {
      body: { ...plugin, metadata: { ...asObject(plugin.metadata), namespace: 'gpu-operator' } },
    });
    expect(status).toBe(201);
    await start();
    await condition('n-2', 'Missing', 'True');
    await lab.until(
      'it is gone',
      async () => (await lab.get('/api/v1/namespaces/gpu-operator/pods/plugin')) === undefined,
    );
  });

  it('a dry run writes nothing', async () => {
    await gang('g', 'n-0', 'n-1');
    const since = Date.now();
    const process = await start({ mode: 'dry-run' });
    await condition('n-0', 'Bad', 'True');
    await lab.until('it says what it would do', () =>
      Promise.resolve(process.log.some(({ msg }) => msg === 'would act')),
    );
    expect(await process.alert({ alerts: [{ status: 'firing', labels: { alertname: 'Fire', node: 'n-3' } }] })).toBe(
      200,
    );
    await lab.until('the alert, too', () =>
      Promise.resolve(process.log.filter(({ msg }) => msg === 'would act').length === 2),
    );
    await sleep(2500);
    expect(writes(since)).toEqual([]);
    expect([await tainted(), await podNames()]).toEqual([[], ['g-0', 'g-1']]);
    expect((await process.get('/')).text).toContain('Dry run');
  });

  it('no more nodes of a rack than the budget allows, when all fail at once', async () => {
    const process = await start();
    await Promise.all(NODES.map((name) => condition(name, 'Bad', 'True')));
    await lab.until('the others are refused', async () =>
      (await process.get('/metrics')).text.includes('gantry_remediation_refused{kind="budget"} 2'),
    );
    await sleep(2500);
    // Which of a rack depends on what the program saw first.
    const racks = (await tainted()).map((name) => (['n-0', 'n-1'].includes(name) ? 'r0' : 'r1'));
    expect(racks).toEqual(['r0', 'r1']);
  });

  it('a disruption budget keeps the gang whole', async () => {
    await gang('p', 'n-0', 'n-1');
    await lab.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'keep', namespace: 'default' },
      spec: { minAvailable: 2, selector: { matchLabels: { 'gantry.dev/gang': 'p' } } },
    });
    await lab.until('the budget is known', async () => {
      const budget = await lab.get('/apis/policy/v1/namespaces/default/poddisruptionbudgets/keep');
      return asObject(budget?.status).currentHealthy === 2;
    });
    const process = await start();
    await condition('n-0', 'Bad', 'True');
    await lab.until('it says so', () =>
      Promise.resolve(process.log.some(({ msg, kind }) => msg === 'not done' && kind === 'protected')),
    );
    expect([await podNames(), await isTainted('n-0')]).toEqual([['p-0', 'p-1'], true]);
    await lab.cluster.client.request('DELETE', '/apis/policy/v1/namespaces/default/poddisruptionbudgets/keep', {
      body: {},
    });
    await lab.until('the gang is evicted', async () => (await podNames()).length === 0);
  });

  it.each([0, 5, 30, 100, 300])(
    'a leader that is killed %d ms after the fault is followed by one that finishes',
    async (delay) => {
      await gang('k', 'n-0', 'n-1', 'n-2');
      const replicas = [await start({ leaseSeconds: 3 }), await start({ leaseSeconds: 3 })];
      const leads = (one: RemediationProcess): boolean =>
        one.log.some(({ msg, holds }) => msg === 'lease' && holds === true);
      const acts = (one: RemediationProcess): boolean => one.log.some(({ msg }) => msg === 'acted');
      await lab.until('one leads', () => Promise.resolve(replicas.some(leads)));
      await condition('n-0', 'Bad', 'True');
      // On a busy machine the lease may have gone to the other one by now.
      await lab.until('one acts', () => Promise.resolve(replicas.some(acts)));
      const leader = replicas.find(acts)!;
      await sleep(delay);
      leader.kill();
      running.splice(running.indexOf(leader), 1);
      await lab.until('the gang is evicted', async () => (await podNames()).length === 0);
      await lab.until('the eviction is complete', async () => {
        const { clearing, done } = await recordOf('n-0');
        return clearing.length === 0 && done.includes('bad/evict');
      });
      expect((await recordOf('n-0')).episodes).toHaveLength(1);
      await condition('n-0', 'Bad', 'False');
      await lab.until('the successor undoes it', async () => !(await isTainted('n-0')));
    },
  );

  it('an alert is a cause only with the token, and survives a restart of the program', async () => {
    const process = await start();
    const fire = { alerts: [{ status: 'firing', labels: { alertname: 'Fire', node: 'n-3' } }] };
    expect(await process.alert(fire, '')).toBe(401);
    expect(await process.alert(fire, 'wrong')).toBe(401);
    await sleep(1500);
    expect(await repair('n-3')).not.toBe('True');
    expect(await process.alert(fire, ALERT_TOKEN)).toBe(200);
    await lab.until('a repair is requested', async () => (await repair('n-3')) === 'True');
    await process.stop();
    running.splice(0);
    const next = await start();
    await lab.until('the next one has planned for the node', async () => {
      const { leads, nodes } = JSON.parse((await next.get('/status')).text) as Status;
      return leads && nodes.some(({ name }) => name === 'n-3');
    });
    await sleep(2500);
    expect(await repair('n-3')).toBe('True');
    expect(await next.alert({ alerts: [{ ...fire.alerts[0], status: 'resolved' }] })).toBe(200);
    await lab.until('the request ends', async () => (await repair('n-3')) === 'False');
  });

  it.each<readonly [string, string, JsonObject, string]>([
    ['a label', 'nodes/n-0', { metadata: { labels: { zone: 'b' } } }, 'must not change the labels'],
    [
      'a finalizer',
      'nodes/n-0',
      { metadata: { finalizers: ['example.com/x'] } },
      'must not change the labels, the finalizers',
    ],
    [
      'an annotation of others',
      'nodes/n-0',
      { metadata: { annotations: { a: 'b' } } },
      'must change only the annotations',
    ],
    [
      'a taint of others',
      'nodes/n-0',
      { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } },
      'must change only the taint',
    ],
    [
      'its taint that evicts',
      'nodes/n-0',
      { spec: { taints: [{ key: 'gantry.dev/unhealthy', effect: 'NoExecute' }] } },
      'must change only the taint',
    ],
    ['the provider id', 'nodes/n-0', { spec: { providerID: 'x://y' } }, 'must not change anything else in the spec'],
    [
      'readiness',
      'nodes/n-0/status',
      { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      'must change only the condition',
    ],
    [
      'capacity',
      'nodes/n-0/status',
      { status: { capacity: { 'nvidia.com/gpu': '99' } } },
      'must change only the condition',
    ],
    ['a pod', 'namespaces/default/pods/p', { metadata: { labels: { a: 'b' } } }, 'cannot patch resource "pods"'],
    ['a Secret', 'namespaces/default/secrets/s', {}, 'cannot patch resource "secrets"'],
  ])('its token cannot change %s', async (_, path, body, message) => {
    const client = new ApiClient({ ...lab.cluster.client.endpoint, token: await tokenOf(lab, NAMESPACE, NAME) });
    const reply = await client.request('PATCH', `/api/v1/${path}`, {
      body,
      contentType: 'application/strategic-merge-patch+json',
    });
    expect([reply.status >= 400, asString(reply.body.message)]).toEqual([true, expect.stringContaining(message)]);
  });

  it('a kubelet cannot write the record', async () => {
    const { status, body } = await lab.cluster.client.request('PATCH', '/api/v1/nodes/n-0', {
      body: { metadata: { annotations: { 'gantry.dev/remediation': '{"marks":["cordon"]}' } } },
      contentType: 'application/merge-patch+json',
      // The second group is for RBAC, since the lab has no authorizer of nodes.
      headers: { 'impersonate-user': 'system:node:n-0', 'impersonate-group': ['system:nodes', 'system:masters'] },
    });
    expect([status, asString(body.message)]).toEqual([
      403,
      expect.stringContaining('must be written by remediation only'),
    ]);
  });

  it('its program needs every right that it has, and no other', () => {
    const settings = readRemediationSettings(JSON.parse(JSON.stringify(RULES)) as JsonObject);
    const rules = [
      ...remediationClusterRules(remediationNeeds(settings), true),
      ...remediationNamespaceRules(NAME, `${NAME}-alerts`),
    ];
    const used = askedBy(USER, lab.cluster.auditLog).filter(({ status }) => status < 300);
    expect(new Set(used.map(({ right }) => right))).toEqual(granted(rules));
  });

  /** What the program changed since a time, or tried to. */
  function writes(since: number): readonly string[] {
    return askedBy(USER, lab.cluster.auditLog)
      .filter(({ received }) => received >= since)
      .map(({ right }) => right)
      .filter((right) => !/^(get|list|watch) /.test(right));
  }
});
