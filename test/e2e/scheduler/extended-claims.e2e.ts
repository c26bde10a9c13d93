/**
 * Extended resources that a DeviceClass serves, on a live control plane: the program makes their claims as the account that GantryScheduler
 * makes. kube-scheduler makes those of the same pods, and both must be the same.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { Random } from '../../support/random';
import { describeLive } from '../live-cluster';
import { allocated, claim, CLAIMS, claims, ClaimsLab, deviceClass, DRIVER, messageOf, oneGpu } from './claims-lab';
import { apply } from './install';
import { type Lab, nameOf } from './lab';
import { gang, pod } from './manifests';

const CONFIG = `
handOver: { guarded: true }
cycle: { periodSeconds: 1 }
explain: { repeatSeconds: 2, writesPerSecond: 100 }
`;
const MARK = 'resource.kubernetes.io/extended-resource-claim';
const RESOURCE = 'nvidia.com/gpu';
const OTHER = 'example.com/device';

describeLive('extended resources of a DeviceClass', () => {
  let lab: Lab;
  const run = ClaimsLab.ofSuite({
    config: CONFIG,
    classes: [serving(DRIVER, RESOURCE), serving('other.example.com', OTHER)],
    faults: podsWithoutDevices,
  });
  beforeAll(() => {
    lab = run.lab;
  });

  it('get the claims, and the status of their pods, that kube-scheduler makes for the same pods', async () => {
    await run.publish(4, 40);
    await run.start();
    const random = new Random(181_818);
    const shapes = Array.from({ length: 12 }, () => randomSpec(random));
    await lab.create(...shapes.map((spec, i) => pod(`ours-${i}`, { gpus: 0, spec })));
    await run.bound(12);
    // Of two schedulers that choose at the same moment, only ours looks whether a device was given twice.
    await lab.create(
      ...shapes.map((spec, i) =>
        pod(`theirs-${i}`, { gpus: 0, spec: { ...spec, schedulerName: 'default-scheduler' } }),
      ),
    );
    await run.bound(24);
    const pods = new Map((await lab.pods()).map((one) => [nameOf(one), one]));
    const made = new Map((await claims(lab)).map((one) => [nameOf(one), one]));
    const said = (name: string): JsonObject => {
      const one = pods.get(name);
      const own = made.get(claimNameOf(one ?? {}) ?? '');
      const { annotations, ownerReferences, finalizers } = asObject(own?.metadata);
      const { results, config } = asObject(asObject(asObject(own?.status).allocation).devices);
      const [owner] = asArray(ownerReferences).map(asObject);
      return {
        spec: own?.spec ?? null,
        annotations: annotations ?? null,
        finalizers: finalizers ?? null,
        owner: { ...owner, name: '', uid: owner.uid === asObject(one?.metadata).uid },
        requests: asArray(results).map((each) => asObject(each).request ?? null),
        config: config ?? null,
        mappings: asObject(asObject(one?.status).extendedResourceClaimStatus).requestMappings ?? null,
      };
    };
    shapes.forEach((_, i) => {
      expect({ i, ...said(`ours-${i}`) }).toEqual({ i, ...said(`theirs-${i}`) });
    });
    expect(made.size).toBe(24);
    // With the pods, kube-controller-manager takes the claims away.
    await lab.clear();
    await lab.until('no claims are left', async () => (await claims(lab)).length === 0);
  });

  it('start for a whole gang or not at all, and go back with their pods', async () => {
    await run.publish(2, 3);
    await run.start();
    await lab.create(...gang('large', 4, { gpus: 2 }), ...gang('fits', 2, { gpus: 3 }));
    await run.bound(2);
    expect((await allocated(lab)).length).toBe(6);
    await lab.until('the large gang has a reason', async () =>
      /of 4 pods fit|free devices/.test(messageOf(await run.podNamed('large-0'))),
    );
    expect((await claims(lab)).length).toBe(2);
    await lab.delete('/api/v1/namespaces/default/pods/fits-0');
    await lab.until('its devices are free', async () => (await allocated(lab)).length === 3);
    await lab.create(pod('next', { gpus: 3 }));
    await run.bound(2);
  });

  it.each([
    ['after some claims were made', /\/resourceclaims$/, 3],
    ['after some devices were written', /resourceclaims\/[^/]*\/status/, 3],
    ['after the status of some pods was written', /pods\/a-\d\/status/, 3],
    ['between allocation and binding', /\/binding$/, 0],
    ['after some pods were bound', /\/binding$/, 3],
  ] as const)('of a leader that is killed %s are used by the next one', async (_, which, after) => {
    await run.publish(2, 4);
    await run.killLeader(which, after, gang('a', 8, { gpus: 1 }));
    await run.bound(8);
    expect((await allocated(lab)).length).toBe(8);
    await lab.until('no claim is left over', async () => (await claims(lab)).length === 8);
  });

  it('do not follow from claims that tenants annotate, many of them', async () => {
    await run.publish(1, 3);
    await apply(lab, [claim('used', oneGpu)]);
    await run.start();
    const using = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'used' }] };
    await lab.create(pod('victim', { gpus: 0, spec: { ...using, schedulerName: 'default-scheduler' } }));
    await lab.until('the victim runs', async () => (await lab.places()).victim !== undefined);
    // The pod has to wait: its uid is known before it is decided about.
    await lab.create(pod('p', { gpus: 1, spec: { schedulingGates: [{ name: 'example.com/wait' }] } }));
    const { uid } = asObject((await run.podNamed('p'))?.metadata);
    const marks = {
      annotations: { [MARK]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }],
    };
    await lab.patch(`${CLAIMS}/used`, { metadata: marks });
    const forged = Array.from({ length: 60 }, (_, i): JsonObject => {
      const { metadata, ...rest } = claim(`forged-${i}`, {
        ...oneGpu,
        exactly: { deviceClassName: DRIVER, count: 2 },
      });
      return { ...rest, metadata: { ...asObject(metadata), ...marks } };
    });
    await apply(lab, forged);
    await lab.patch('/api/v1/namespaces/default/pods/p', { spec: { schedulingGates: [] } });
    await lab.create(pod('other', { gpus: 1 }));
    await lab.until('both run', async () => {
      const places = await lab.places();
      return places.p !== undefined && places.other !== undefined;
    });
    expect(claimNameOf((await run.podNamed('p')) ?? {})).toMatch(/^p-extended-resources-/);
    const used = await lab.get(`${CLAIMS}/used`);
    expect(asArray(asObject(used?.status).reservedFor).map((one) => asObject(one).name)).toEqual(['victim']);
    expect((await allocated(lab)).length).toBe(3);
    await lab.delete('/api/v1/namespaces/default/pods/victim');
    await lab.until('the victim is gone', async () => (await run.podNamed('victim')) === undefined);
  });

  it('are the only ones for which the scheduler makes and deletes claims', async () => {
    await run.publish(1, 1);
    await apply(lab, [claim('c', oneGpu)]);
    await lab.create(pod('p', { gpus: 0, spec: { schedulerName: 'nobody' } }));
    const { uid } = asObject((await run.podNamed('p'))?.metadata);
    const asScheduler = await run.asScheduler();
    const send = async (method: string, path: string, body: JsonObject): Promise<number> =>
      (await asScheduler.request(method, path, { body })).status;
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true };
    const own = (name: string, exactly: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
      const base = claim(name, { name: 'x', exactly: { deviceClassName: DRIVER, ...exactly } });
      const marks = { annotations: { [MARK]: 'true' }, ownerReferences: [owner] };
      return { ...base, metadata: { ...asObject(base.metadata), ...marks, ...metadata } };
    };
    expect(await send('POST', CLAIMS, claim('plain', oneGpu))).toBe(403);
    expect(await send('POST', CLAIMS, own('foreign', {}, { ownerReferences: [] }))).toBe(403);
    const selectors = [{ cel: { expression: 'true' } }];
    expect(await send('POST', CLAIMS, own('chosen', { selectors }))).toBe(403);
    expect(await send('DELETE', `${CLAIMS}/c`, {})).toBe(403);
    expect(await send('DELETE', CLAIMS, {})).toBe(403);
    expect(await send('POST', CLAIMS, own('own'))).toBe(201);
    expect(await send('DELETE', `${CLAIMS}/own`, {})).toBe(200);
    asScheduler.close();
  });
});

/** In words: pods that run without the claim that their status names, or away from its devices. */
async function podsWithoutDevices(lab: Lab): Promise<readonly string[]> {
  const before = new Set((await lab.pods()).filter(isBound).map(({ metadata }) => asObject(metadata).uid));
  const all = await claims(lab);
  const pods = (await lab.pods()).filter(({ metadata }) => before.has(asObject(metadata).uid));
  return pods.flatMap((one): readonly string[] => {
    const found = all.find((each) => nameOf(each) === claimNameOf(one));
    const { reservedFor, allocation } = asObject(found?.status);
    const uids = asArray(reservedFor).map((each) => asObject(each).uid);
    const pools = asArray(asObject(asObject(allocation).devices).results).map((each) => asObject(each).pool);
    const isRight =
      uids.includes(asObject(one.metadata).uid ?? null) &&
      pools.length > 0 &&
      pools.every((pool) => pool === asObject(one.spec).nodeName);
    return isRight ? [] : [`${nameOf(one)} runs without devices of its own`];
  });
}

function serving(name: string, extendedResourceName: string): JsonObject {
  return deviceClass(name, `device.driver == "${DRIVER}"`, { extendedResourceName });
}

/** A pod with up to three init containers, of which some stay, and up to three others. */
function randomSpec(random: Random): JsonObject {
  const container = (name: string, more: JsonObject = {}): JsonObject => {
    const resources: JsonObject = {
      cpu: '10m',
      ...(random.chance(0.7) && { [RESOURCE]: String(1 + random.below(3)) }),
      ...(random.chance(0.4) && { [OTHER]: String(1 + random.below(2)) }),
    };
    return { name, image: 'registry.example/work:1', resources: { requests: resources, limits: resources }, ...more };
  };
  const always: JsonObject = {
    name: 'main',
    image: 'registry.example/work:1',
    resources: { requests: { [RESOURCE]: '1' }, limits: { [RESOURCE]: '1' } },
  };
  return {
    initContainers: Array.from({ length: random.below(4) }, (_, i) =>
      container(`init-${i}`, random.chance(0.4) ? { restartPolicy: 'Always' } : {}),
    ),
    containers: [always, ...Array.from({ length: random.below(3) }, (_, i) => container(`more-${i}`))],
  };
}

function claimNameOf({ status }: JsonObject): string | undefined {
  return asString(asObject(asObject(status).extendedResourceClaimStatus).resourceClaimName);
}

/** A pod on a node that requests extended resources. */
function isBound({ spec }: JsonObject): boolean {
  const { nodeName, containers } = asObject(spec);
  const requests = asArray(containers).map((one) => asObject(asObject(asObject(one).resources).requests));
  return nodeName !== undefined && requests.some((one) => one[RESOURCE] !== undefined || one[OTHER] !== undefined);
}
