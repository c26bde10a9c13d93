/**
 * Devices by claim on a real node: a driver publishes them, Gantry's scheduler allocates them as `gantry plan` says, the kubelet has the driver
 * prepare them, and the container sees exactly those.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type ClusterView } from '../../../src/planning/cluster/view/view';
import { gantryIn } from '../gantry-command';
import { claim, claims, deviceClass, template } from '../scheduler/claims-lab';
import { apply, schedulerObjects, tokenOf } from '../scheduler/install';
import { nameOf } from '../scheduler/lab';
import { type Bed, describeNode, isReady, NODE, phaseOf, restartsOf, startBed, stopBed, working } from './bed';

const DRIVER = 'gpu.example.com';
const SYSTEM = 'gantry-system';
const PATIENCE = 120_000;
const LARGE = `device.capacity["${DRIVER}"].memory.compareTo(quantity("80Gi")) >= 0`;

/** The rights of a driver: its slices, and the claims and the node that it reads. */
const DRIVER_OBJECTS: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'claim-driver', namespace: 'kube-system' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'claim-driver' },
    rules: [
      {
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceslices'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      },
      { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims'], verbs: ['get'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'claim-driver' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'claim-driver' },
    subjects: [{ kind: 'ServiceAccount', name: 'claim-driver', namespace: 'kube-system' }],
  },
];

/** Pods of a gang, each with a claim. */
function claiming(name: string, size: number, entry: JsonObject): JsonObject[] {
  return Array.from({ length: size }, (_, index) => {
    const pod = working(`${name}-${index}`, { gang: name, minimum: size, gpus: 0 });
    const [container] = asArray(asObject(pod.spec).containers).map(asObject);
    const resources = { ...asObject(container.resources), claims: [{ name: 'gpu' }] };
    const spec = {
      ...asObject(pod.spec),
      resourceClaims: [{ name: 'gpu', ...entry }],
      containers: [{ ...container, resources }],
    };
    return { ...pod, spec };
  });
}

describeNode('devices by claim on a real node', () => {
  let bed: Bed;
  let token: string;
  let folder: string;

  const podNamed = async (name: string): Promise<JsonObject> =>
    (await bed.lab.get(`/api/v1/namespaces/default/pods/${name}`)) ?? {};
  const names = (name: string, size: number): readonly string[] =>
    Array.from({ length: size }, (_, index) => `${name}-${index}`);
  const run = (...all: readonly string[]): Promise<void> =>
    bed.lab.until(
      `${all.join()} run`,
      async () => (await Promise.all(all.map(podNamed))).every((one) => bed.node.log(one).includes('ready')),
      PATIENCE,
    );
  /** What the containers of pods report, by pod. */
  const seen = async (...all: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> =>
    Object.fromEntries(
      await Promise.all(
        all.map(async (name): Promise<[string, readonly string[]]> => {
          const log = bed.node.log(await podNamed(name));
          return [name, [...log.matchAll(/^CLAIMED_\d+=(.*)$/gm)].map(([, device]) => device).sort()];
        }),
      ),
    );
  /** What `gantry plan` says about manifests on this cluster, by pod. */
  const planned = (...objects: readonly JsonObject[]): Readonly<Record<string, readonly string[]>> => {
    const file = join(folder, 'planned.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...objects] }));
    const { out } = gantryIn(folder, bed.lab.kubeconfig, 'plan', file, '--cluster', 'live', '--format', 'json');
    const { gangs } = JSON.parse(out) as ClusterView;
    const byPod: Record<string, string[]> = {};
    for (const { pod, pool, device } of gangs.flatMap(({ claims: all = [] }) => all)) {
      (byPod[pod.replace(/^[^/]*\//, '')] ??= []).push(`${pool}/${device}`);
    }
    return Object.fromEntries(Object.entries(byPod).map(([pod, devices]) => [pod, devices.sort()]));
  };
  const allocated = async (): Promise<readonly string[]> =>
    (await claims(bed.lab)).flatMap(({ status }) =>
      asArray(asObject(asObject(asObject(status).allocation).devices).results)
        .map(asObject)
        .map(({ pool, device }) => `${asString(pool)}/${asString(device)}`),
    );
  const prepared = (): readonly string[] =>
    readdirSync(join(bed.node.folder, 'run/cdi')).filter((name) => name.startsWith(DRIVER));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-claims-'));
    bed = await startBed();
    await apply(bed.lab, [
      ...DRIVER_OBJECTS,
      deviceClass(DRIVER, `device.driver == "${DRIVER}"`),
      template('one', { name: 'gpu', exactly: { deviceClassName: DRIVER } }),
      template('two-large', {
        name: 'gpu',
        exactly: { deviceClassName: DRIVER, count: 2, selectors: [{ cel: { expression: LARGE } }] },
      }),
      claim('shared', { name: 'gpu', exactly: { deviceClassName: DRIVER } }),
      ...schedulerObjects({ replicas: 1 }),
    ]);
    token = await tokenOf(bed.lab, 'kube-system', 'claim-driver');
    await bed.node.startClaimDriver(token);
    await bed.lab.until(
      'a slice and a scheduler',
      async () => {
        const slices = await bed.lab.list('/apis/resource.k8s.io/v1/resourceslices');
        const [scheduler] = await bed.lab.list(`/api/v1/namespaces/${SYSTEM}/pods`);
        return slices.length === 1 && scheduler !== undefined && isReady(scheduler);
      },
      PATIENCE,
    );
  });
  afterEach(async () => {
    await bed.lab.cluster.client.request('DELETE', '/api/v1/namespaces/default/pods', { body: {} });
    await bed.lab.until('no pods', async () => (await bed.lab.pods()).length === 0, PATIENCE);
    await bed.lab.until('no device is allocated', async () => (await allocated()).length === 0, PATIENCE);
    await bed.lab.until('no device is prepared', () => Promise.resolve(prepared().length === 0), PATIENCE);
  });
  afterAll(async () => {
    await stopBed(bed);
    rmSync(folder, { recursive: true, force: true });
  });

  it('the containers of a gang see exactly the devices of the plan', async () => {
    const gang = claiming('plan', 2, { resourceClaimTemplateName: 'two-large' });
    const templates = (await bed.lab.list('/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates')).map(
      (one): JsonObject => ({ ...one, apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaimTemplate' }),
    );
    const plan = planned(...gang, ...templates.filter((one) => nameOf(one) === 'two-large'));
    await bed.lab.create(...gang);
    await run(...names('plan', 2));
    const given = await seen(...names('plan', 2));
    expect(given).toEqual(plan);
    const large = [4, 5, 6, 7].map((index) => `${NODE}/gpu-${index}`);
    expect(Object.values(given).flat().sort()).toEqual(large);
    expect([...(await allocated())].sort()).toEqual(large);
    expect(prepared()).toHaveLength(2);
  });

  it('a gang for which there are too few devices gets none, and runs when there are enough', async () => {
    await bed.lab.create(...claiming('early', 5, { resourceClaimTemplateName: 'one' }));
    await run(...names('early', 5));
    await bed.lab.create(...claiming('late', 4, { resourceClaimTemplateName: 'one' }));
    await bed.lab.until('the reason why it waits', async () => {
      const conditions = asArray(asObject((await podNamed('late-0')).status).conditions).map(asObject);
      return conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'False');
    });
    expect(await allocated()).toHaveLength(5);
    await bed.lab.delete('/api/v1/namespaces/default/pods/early-0');
    await run(...names('late', 4));
    const all = Object.values(await seen('early-1', 'early-2', 'early-3', 'early-4', ...names('late', 4))).flat();
    expect(all.sort()).toEqual(Array.from({ length: 8 }, (_, index) => `${NODE}/gpu-${index}`));
  });

  it('pods that share a claim see the same device', async () => {
    await bed.lab.create(...claiming('shared', 2, { resourceClaimName: 'shared' }));
    await run(...names('shared', 2));
    const { 'shared-0': first, 'shared-1': second } = await seen(...names('shared', 2));
    expect(first).toHaveLength(1);
    expect(second).toEqual(first);
  });

  it('the driver and the kubelet are killed and come back: pods go on, and new ones get what is left', async () => {
    await bed.lab.create(...claiming('long', 3, { resourceClaimTemplateName: 'one' }));
    await run(...names('long', 3));
    const before = await seen(...names('long', 3));
    await bed.node.kill('claim-driver');
    await bed.node.kill('kubelet');
    await bed.lab.create(...claiming('later', 5, { resourceClaimTemplateName: 'one' }));
    await bed.node.startKubelet();
    await bed.node.startClaimDriver(token);
    await run(...names('later', 5));
    const devices = Object.values({ ...before, ...(await seen(...names('later', 5))) }).flat();
    expect(devices.sort()).toEqual(Array.from({ length: 8 }, (_, index) => `${NODE}/gpu-${index}`));
    for (const name of names('long', 3)) {
      expect([phaseOf(await podNamed(name)), restartsOf(await podNamed(name))]).toEqual(['Running', 0]);
    }
  });
});
