/**
 * GantryScheduler as it is installed: its objects on a live server, and what its program does with the rights that they give, no more and
 * no less, according to the server's audit log.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { clusterRules, namespaceRules } from '../../../src/constructs/scheduler/permissions';
import { historySegmentName } from '../../../src/planning/scheduler-settings/deployment-names';
import { describeLive } from '../live-cluster';
import { type Asked, askedBy, granted } from './audit';
import { claimingGang, deviceClass, DRIVER, gpus, oneGpu, slice, template } from './claims-lab';
import { FaultyProxy } from './faulty-proxy';
import { GantryProcess } from './gantry-process';
import { apply, kubeconfigFor, schedulerObjects, tokenOf } from './install';
import { Lab, nameOf } from './lab';
import { gang, node, pod, priorityClass } from './manifests';

const NAMESPACE = 'gantry-system';
const NAME = 'gantry-scheduler';
const CONFIG = `
queues: [{ name: research, deserved: { nvidia.com/gpu: 16 } }]
policy: { staleGangSeconds: 600 }
explain: { repeatSeconds: 2, writesPerSecond: 100 }
cycle: { periodSeconds: 1 }
history: { configMaps: 8, intervalSeconds: 1 }
`;
const HISTORY = Array.from({ length: 8 }, (_, index) => historySegmentName(NAME, index));

describeLive('the scheduler as it is installed', () => {
  let lab: Lab;
  let proxy: FaultyProxy | undefined;
  const running: GantryProcess[] = [];

  beforeAll(async () => {
    // Native PodGroups are alpha in this minor, and only there if asked for.
    lab = await Lab.start({
      audit: true,
      serve: ['api/beta', 'scheduling.k8s.io/v1alpha2'],
      featureGates: { GenericWorkload: true },
    });
    // Both nodes are ready before the replicas are pending: the scheduler prefers one replica per node, and a pending pod takes the first
    // node that becomes ready.
    await lab.create(node('system-0'), node('system-1'));
    await lab.nodesReady(2);
    await apply(lab, schedulerObjects());
  });
  afterEach(async () => {
    for (const gantry of running.splice(0)) {
      await gantry.stop();
    }
    await proxy?.stop();
    proxy = undefined;
    await lab.clear();
  });
  afterAll(() => lab.stop());

  it('both replicas run in a namespace that enforces PodSecurity "restricted"', async () => {
    const namespace = await lab.get(`/api/v1/namespaces/${NAMESPACE}`);
    expect(asObject(asObject(namespace?.metadata).labels)['pod-security.kubernetes.io/enforce']).toBe('restricted');
    await lab.until('two replicas are available', async () => {
      const deployment = await lab.get(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${NAME}`);
      return asObject(deployment?.status).availableReplicas === 2;
    });
    const pods = await lab.list(`/api/v1/namespaces/${NAMESPACE}/pods`);
    expect(new Set(pods.map(({ spec }) => asString(asObject(spec).nodeName)))).toEqual(
      new Set(['system-0', 'system-1']),
    );
    // Another controller than that of the Deployment counts these.
    await lab.until('one replica may be evicted', async () => {
      const budget = await lab.get(`/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets/${NAME}`);
      const { expectedPods, disruptionsAllowed } = asObject(budget?.status);
      return expectedPods === 2 && disruptionsAllowed === 1;
    });
  });

  it('its program needs every right that it has, and no other', async () => {
    proxy = await FaultyProxy.start(kubeconfigFor(lab, await tokenOf(lab, NAMESPACE, NAME)));
    // One answer of each kind is lost, so that a pod and a claim are looked at. A claim that was made is refused its devices once.
    const lost = new Set<string>();
    proxy.trouble = (method, path) => {
      if (method === 'PATCH' && /extended-resources-[^/]*\/status/.test(path) && !lost.has('made')) {
        lost.add('made');
        return 403;
      }
      const kind = path.endsWith('/binding') ? 'binding' : /resourceclaims\/[^/]*\/status/.test(path) ? 'claim' : '';
      if (kind === '' || lost.has(kind) || method === 'GET') {
        return undefined;
      }
      lost.add(kind);
      return 'lost';
    };
    const flags = ['--lease-namespace', NAMESPACE, '--lease-name', NAME, '--authentication', 'always'];
    const gantry = await GantryProcess.start({ kubeconfig: proxy.kubeconfig, config: CONFIG, leaseSeconds: 5, flags });
    running.push(gantry);
    await lab.create(priorityClass('high', 1000), priorityClass('low', 1), node('n-0'), node('n-1'));
    await lab.nodesReady(2);

    // A direct binding and a hand-over; then a gang that others have to go for, and one that waits.
    await lab.create(
      ...gang('direct', 2, { gpus: 4, queue: 'research', priorityClass: 'low' }),
      ...gang('handed', 2, { gpus: 4, queue: 'research', priorityClass: 'low', handOver: true }),
    );
    await lab.until('four pods run', async () => Object.keys(await lab.places()).length === 4);
    await lab.create(
      ...gang('urgent', 1, { gpus: 8, queue: 'research', priorityClass: 'high' }),
      pod('never', { gpus: 16, queue: 'research' }),
    );
    await lab.until('room was made', async () => (await lab.places())['urgent-0'] !== undefined);

    // Devices by claim.
    await apply(lab, [
      deviceClass(DRIVER, `device.driver == "${DRIVER}"`, { extendedResourceName: 'example.com/gpu' }),
      template('one', oneGpu),
      slice('n-0', gpus(2)),
    ]);
    await lab.create(...claimingGang('claims', 1, { resourceClaimTemplateName: 'one' }, { queue: 'research' }));
    await lab.until('a claim has its device', async () => (await lab.places())['claims-0'] !== undefined);
    const resources = { 'example.com/gpu': '1' };
    const containers = [{ name: 'main', image: 'registry.example/work:1', resources: { limits: resources } }];
    await lab.create(pod('extended', { gpus: 0, queue: 'research', spec: { containers } }));
    await lab.until('a claim was made', async () => (await lab.places()).extended !== undefined);
    expect(lost.has('made')).toBe(true);

    // One gang by each kind of PodGroup, none of which fits.
    const groups: readonly { readonly apiVersion: string; readonly spec: JsonObject }[] = [
      { apiVersion: 'scheduling.volcano.sh/v1beta1', spec: { minMember: 2 } },
      { apiVersion: 'scheduling.x-k8s.io/v1alpha1', spec: { minMember: 2 } },
      { apiVersion: 'scheduling.k8s.io/v1alpha2', spec: { schedulingPolicy: { gang: { minCount: 2 } } } },
    ];
    await apply(
      lab,
      groups.map(({ apiVersion, spec }, i) => ({
        apiVersion,
        kind: 'PodGroup',
        metadata: { name: `group-${i}`, namespace: 'default' },
        spec,
      })),
    );
    const ways = [
      { annotations: { 'scheduling.k8s.io/group-name': 'group-0' } },
      { labels: { 'scheduling.x-k8s.io/pod-group': 'group-1' } },
      { spec: { schedulingGroup: { podGroupName: 'group-2' } } },
    ];
    await lab.create(
      ...ways.flatMap((way, i) =>
        [0, 1].map((member) => pod(`in-group-${i}-${member}`, { gpus: 8, queue: 'research', ...way })),
      ),
    );
    await lab.until('each PodGroup has a status', async () => {
      const all = await Promise.all(
        groups.map(({ apiVersion }, i) => lab.get(`/apis/${apiVersion}/namespaces/default/podgroups/group-${i}`)),
      );
      return all.every((group) => Object.keys(asObject(group?.status)).length > 0);
    });
    await lab.until('an event was repeated', async () => {
      const events = await lab.list('/apis/events.k8s.io/v1/namespaces/default/events');
      return events.some((event) => nameOf(event).startsWith('never.') && Number(asObject(event.series).count) > 1);
    });

    // A user with the permission sees the page; without it, or without credentials, the request is refused.
    await apply(lab, [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader', namespace: 'default' } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'stranger', namespace: 'default' } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'gantry-viewer' },
        rules: [{ nonResourceURLs: ['/gantry/v1/*'], verbs: ['get'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'gantry-viewer' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gantry-viewer' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
      },
    ]);
    const look = async (path: string, token?: string): Promise<number> =>
      (
        await fetch(`${gantry.address}${path}`, {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        })
      ).status;
    const [reader, stranger] = [await tokenOf(lab, 'default', 'reader'), await tokenOf(lab, 'default', 'stranger')];
    expect([await look('/'), await look('/', 'nonsense'), await look('/', stranger), await look('/', reader)]).toEqual([
      401, 401, 403, 200,
    ]);
    expect([await look('/gantry/v1/view', reader), await look('/gantry/v1/view')]).toEqual([200, 401]);
    expect([await look('/healthz'), await look('/readyz'), await look('/metrics')]).toEqual([200, 200, 200]);
    // Probes ask what the Deployment says.
    const deployment = await lab.get(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${NAME}`);
    const [container] = asArray(asObject(asObject(asObject(deployment?.spec).template).spec).containers).map(asObject);
    const { livenessProbe, readinessProbe, startupProbe } = container;
    const probes = [livenessProbe, readinessProbe, startupProbe].map((probe) =>
      asString(asObject(asObject(probe).httpGet).path),
    );
    expect(probes).toEqual(['/healthz', '/readyz', '/healthz']);

    const rights = new Set(granted([...clusterRules(false), ...namespaceRules(NAME, HISTORY)]));
    // No request names it: the API server asks for it where a claim gets devices.
    expect([...rights].filter((right) => /\bresourceclaims\b.*\bbinding\b/.test(right))).toHaveLength(1);
    rights.forEach((right) => /\bresourceclaims\b.*\bbinding\b/.test(right) && rights.delete(right));
    const asked = (): readonly Asked[] => askedBy(`system:serviceaccount:${NAMESPACE}:${NAME}`, lab.cluster.auditLog);
    const unused = (): readonly string[] => {
      const used = new Set(asked().map(({ right }) => right));
      return [...rights].filter((right) => !used.has(right)).sort();
    };
    // What follows from an event of the cluster is asked for some time after it.
    await lab.until(`it uses ${unused().join()}`, () => Promise.resolve(unused().length === 0));
    await gantry.stop();
    expect(asked().filter(({ status }) => status === 401 || status === 403)).toEqual([]);
    expect([...new Set(asked().map(({ right }) => right))].filter((right) => !rights.has(right)).sort()).toEqual([]);
  });
});
