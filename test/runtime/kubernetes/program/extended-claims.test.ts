/**
 * Extended resources that a DeviceClass serves: the scheduler makes their claims itself.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../../src/manifests/read';
import { InProcessApiServer } from '../../../support/api-server/api-server';
import { claimFaults, claims, deviceClass, devicesOf, GROUP, reservedFor, serveClaims, slice } from './claims-rig';
import { gangOf, letTimeRun, nodeObject, podObject, Rig, stopTime } from './rig';

const CONFIG = 'binding: { timeoutSeconds: 5 }\ncycle: { periodSeconds: 1 }\n';
const RESOURCE = 'nvidia.com/gpu';
const MARK = 'resource.kubernetes.io/extended-resource-claim';

function prepared(): InProcessApiServer {
  const server = new InProcessApiServer();
  serveClaims(server);
  deviceClass(server, 'gpu.example.com', { extendedResourceName: RESOURCE });
  return server;
}

function devices(server: InProcessApiServer, ...counts: readonly number[]): void {
  counts.forEach((count, i) => {
    server.put('v1', 'nodes', nodeObject(`n-${i}`, 0));
    slice(
      server,
      `n-${i}`,
      Array.from({ length: count }, (_, index) => `gpu-${index}`),
    );
  });
}

const allocated = (server: InProcessApiServer): readonly string[] => claims(server).flatMap(devicesOf).sort();
const statusOf = (server: InProcessApiServer, name: string): JsonObject =>
  asObject(asObject(server.store.get('v1', 'pods', `default/${name}`)?.status).extendedResourceClaimStatus);
const claimOfPod = (server: InProcessApiServer, name: string): JsonObject | undefined =>
  server.store.get(GROUP, 'resourceclaims', `default/${asString(statusOf(server, name).resourceClaimName)}`);
const uidOf = (server: InProcessApiServer, name: string): string =>
  asString(asObject(server.store.get('v1', 'pods', `default/${name}`)?.metadata).uid) ?? '';

/** Bound pods whose claim is not theirs, in words. */
function faultsOf(server: InProcessApiServer): readonly string[] {
  return server.pods().flatMap((pod) => {
    const { nodeName } = asObject(pod.spec);
    const name = asString(asObject(pod.metadata).name) ?? '';
    const claim = claimOfPod(server, name);
    const isRight =
      claim !== undefined &&
      reservedFor(claim).includes(name) &&
      devicesOf(claim).every((device) => device.startsWith(`${asString(nodeName)}/`));
    return nodeName === undefined || isRight ? [] : [`${name} runs without devices of its own`];
  });
}

describe('extended resources of a DeviceClass', () => {
  let rigs: Rig[];
  let server: InProcessApiServer;
  let faults: Set<string>;

  beforeEach(() => {
    stopTime();
    rigs = [];
    faults = new Set();
    server = prepared();
    server.store.lookAtStates(() =>
      [...claimFaults(server), ...faultsOf(server)].forEach((fault) => faults.add(fault)),
    );
  });
  afterEach(async () => {
    server.trouble = () => undefined;
    await Promise.all(rigs.map((rig) => rig.stop()));
    letTimeRun();
    expect([...faults]).toEqual([]);
  });

  async function start(config = CONFIG, leaseSeconds?: number, identity?: string): Promise<Rig> {
    const rig = await Rig.start({
      config,
      server,
      ...(leaseSeconds !== undefined && { leaseSeconds }),
      ...(identity !== undefined && { identity }),
    });
    rigs.push(rig);
    return rig;
  }

  const bound = (): number => Object.keys(server.places()).length;

  it('get a claim that is made, allocated, and made known to the pod before any pod of the gang is bound', async () => {
    const rig = await start();
    devices(server, 4, 4);
    rig.addPods(...gangOf('g', 2, { gpus: 3 }));
    await rig.until('both are bound', () => bound() === 2);
    expect(allocated(server)).toEqual(['n-0/gpu-0', 'n-0/gpu-1', 'n-0/gpu-2', 'n-1/gpu-0', 'n-1/gpu-1', 'n-1/gpu-2']);
    const claim = claimOfPod(server, 'g-0');
    expect(asObject(claim?.metadata)).toMatchObject({
      name: expect.stringMatching(/^g-0-extended-resources-[0-9a-f]{8}$/) as string,
      annotations: { [MARK]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'g-0', uid: uidOf(server, 'g-0'), controller: true }],
      finalizers: ['resource.kubernetes.io/delete-protection'],
    });
    expect(claim?.spec).toEqual({
      devices: {
        requests: [
          {
            name: 'container-0-request-1',
            exactly: { deviceClassName: 'gpu.example.com', allocationMode: 'ExactCount', count: 3 },
          },
        ],
      },
    });
    const results = asArray(asObject(asObject(asObject(claim?.status).allocation).devices).results).map(asObject);
    expect(results.map(({ request }) => request)).toEqual(Array(3).fill('container-0-request-1'));
    expect(statusOf(server, 'g-0').requestMappings).toEqual([
      { containerName: 'main', resourceName: RESOURCE, requestName: 'container-0-request-1' },
    ]);
    const written = server.writes(/resourceclaims|binding|pods\/.*\/status/);
    const firstBinding = written.findIndex((line) => line.endsWith('/binding'));
    expect(written.slice(firstBinding).filter((line) => line.includes('resourceclaims'))).toEqual([]);
    // The version after the status was written is known: no binding is tried twice.
    expect(written.filter((line) => line.endsWith('/binding'))).toHaveLength(2);
    expect(rig.said('claims allocated')).toHaveLength(1);
  });

  it('start with the other claims of the pod, and end with it', async () => {
    const rig = await start();
    devices(server, 3);
    server.put(GROUP, 'resourceclaimtemplates', {
      metadata: { namespace: 'default', name: 'one' },
      spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } } },
    });
    const both = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }] };
    rig.addPods(podObject('both', { gpus: 2, spec: both }));
    await rig.until('it is bound', () => bound() === 1);
    expect(allocated(server)).toEqual(['n-0/gpu-0', 'n-0/gpu-1', 'n-0/gpu-2']);
    rig.addPods(podObject('next', { gpus: 2 }));
    await rig.pass(10_000);
    expect(bound()).toBe(1);
    server.store.delete('v1', 'pods', 'default/both');
    await rig.until('the next one is bound', () => server.places()['default/next'] !== undefined);
    expect(claims(server)).toHaveLength(1);
  });

  it('of a gang that does not fit leave nothing behind', async () => {
    const rig = await start();
    devices(server, 2, 1);
    rig.addPods(...gangOf('g', 2, { gpus: 2 }));
    await rig.pass(20_000);
    expect(claims(server)).toEqual([]);
    expect(server.condition('default/g-0')).toMatch(/1 of 2 pods fit.*no node that fits the next pod has free devices/);
    slice(server, 'n-1', ['gpu-0', 'gpu-1'], { generation: 2 });
    await rig.until('both are bound', () => bound() === 2);
  });

  it.each([
    ['a claim cannot be made', /^POST .*resourceclaims$/],
    ['a claim cannot be allocated', /^PATCH .*resourceclaims\/.*\/status$/],
    ['the status of a pod cannot be written', /^PATCH .*pods\/.*\/status$/],
  ])('are taken back for the whole gang where %s', async (_, which) => {
    const rig = await start();
    devices(server, 4);
    let matched = 0;
    server.trouble = ({ method, path }) => (which.test(`${method} ${path}`) && ++matched === 2 ? 403 : undefined);
    rig.addPods(...gangOf('g', 4, { gpus: 1 }));
    await rig.until('they were given back', () => rig.said('the devices of the gang were released').length > 0);
    expect(claims(server)).toEqual([]);
    expect(bound()).toBe(0);
    await rig.pass(1000);
    expect(server.pods().filter((pod) => asObject(pod.status).extendedResourceClaimStatus)).toEqual([]);
    await rig.until('all are bound', () => bound() === 4);
    expect(claims(server)).toHaveLength(4);
  });

  it('are made once, whatever answers are lost or late', async () => {
    const rig = await start();
    devices(server, 4);
    let troubled = 0;
    server.trouble = ({ method, path }) => {
      const isOne = method !== 'GET' && /resourceclaims|pods\/.*\/status/.test(path);
      if (!isOne || troubled > 25) {
        return undefined;
      }
      troubled++;
      return troubled % 3 === 0 ? 'unanswered' : troubled % 3 === 1 ? { late: 12_000 } : 'lost';
    };
    rig.addPods(...gangOf('g', 2, { gpus: 1 }), ...gangOf('h', 2, { gpus: 1 }));
    await rig.until('all are bound', () => bound() === 4, 600_000);
    await rig.pass(60_000);
    expect(allocated(server)).toHaveLength(4);
    expect(claims(server)).toHaveLength(4);
  });

  it('wait for an API server that keeps the status, and do not ask it all the time', async () => {
    const rig = await start();
    devices(server, 1);
    server.kept = (plural, object) => {
      const kept = Object.entries(asObject(object.status)).filter(([name]) => name !== 'extendedResourceClaimStatus');
      return plural === 'pods' ? { ...object, status: Object.fromEntries(kept) } : object;
    };
    rig.addPods(podObject('p'));
    await rig.until('it says why', () => /DRAExtendedResource is off/.test(server.condition('default/p') ?? ''));
    expect(claims(server)).toEqual([]);
    await rig.pass(20_000);
    expect(server.writes(/^.*\/resourceclaims$/)).toHaveLength(1);
    server.kept = (_, object) => object;
    await rig.until('it is bound', () => bound() === 1);
  });

  it('of pods that the API server refuses to bind are given back', async () => {
    const rig = await start();
    devices(server, 1);
    server.trouble = ({ path }) => (/g-0\/binding$/.test(path) ? 403 : undefined);
    rig.addPods(...gangOf('g', 1));
    await rig.until('it has a device', () => allocated(server).length === 1);
    await rig.until('it was given back', () => rig.said('devices that the pod does not use are released').length > 0);
    await rig.pass(200);
    expect(statusOf(server, 'g-0')).toEqual({});
    server.trouble = () => undefined;
    await rig.until('it is bound', () => bound() === 1);
    expect(claims(server)).toHaveLength(1);
  });

  describe('of a leader that is killed', () => {
    async function cutOff(matches: (line: string) => boolean): Promise<Rig> {
      const first = await start(CONFIG, 15, 'first');
      let isCut = false;
      server.trouble = ({ path, method }) => {
        isCut ||= method !== 'GET' && method !== 'WATCH' && matches(`${method} ${path}`);
        return isCut ? 'dropped' : undefined;
      };
      return first;
    }

    it.each([
      ['after it made some claims', (): ((line: string) => boolean) => after(/^POST .*resourceclaims$/, 2)],
      ['after it allocated some', (): ((line: string) => boolean) => after(/resourceclaims\/.*\/status$/, 2)],
      [
        'after it wrote the status of some pods',
        (): ((line: string) => boolean) => after(/PATCH .*pods\/g-.*\/status$/, 2),
      ],
      ['before it bound any', (): ((line: string) => boolean) => after(/binding$/, 0)],
      ['after it bound some', (): ((line: string) => boolean) => after(/binding$/, 2)],
    ])('%s are used by the next one', async (_, condition) => {
      const first = await cutOff(condition());
      devices(server, 2, 2);
      first.addPods(...gangOf('g', 4));
      await first.pass(5000);
      expect(bound()).toBeLessThan(4);
      const before = claims(server).map(({ metadata }) => asObject(metadata).name);
      server.trouble = () => undefined;
      const second = await start(CONFIG, 15, 'second');
      await second.until('all are bound', () => bound() === 4);
      await second.pass(20_000);
      const now = claims(server).map(({ metadata }) => asObject(metadata).name);
      expect(now).toHaveLength(4);
      expect(now).toEqual(expect.arrayContaining(before));
    });

    it('are given back where the gang does not fit any more', async () => {
      const first = await cutOff(after(/resourceclaims\/.*\/status$/, 2));
      devices(server, 2, 2);
      first.addPods(...gangOf('g', 4));
      await first.pass(5000);
      expect(allocated(server)).toHaveLength(2);
      slice(server, 'n-1', ['gpu-0'], { generation: 2 });
      server.trouble = () => undefined;
      const second = await start(CONFIG, 15, 'second');
      await second.until('they were given back', () => allocated(server).length === 0);
      second.addPods(podObject('other', { gpus: 2 }));
      await second.until('another pod has them', () => server.places()['default/other'] !== undefined);
    });
  });

  describe('and hostile tenants', () => {
    const forged = (name: string, uid: string, more: JsonObject = {}, spec?: JsonObject): JsonObject => ({
      metadata: {
        namespace: 'default',
        name,
        annotations: { [MARK]: 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }],
      },
      spec: spec ?? {
        devices: { requests: [{ name: 'x', exactly: { deviceClassName: 'gpu.example.com', adminAccess: true } }] },
      },
      ...more,
    });
    const inUse = (pool: string, device: string, uid: string): JsonObject => ({
      status: {
        allocation: { devices: { results: [{ request: 'x', driver: 'gpu.example.com', pool, device }] } },
        reservedFor: [{ resource: 'pods', name: 'victim', uid }],
      },
    });
    const kept = (name: string): JsonObject | undefined => server.store.get(GROUP, 'resourceclaims', `default/${name}`);

    it('neither get devices by a forged claim, nor keep their pods from claims of their own', async () => {
      const rig = await start();
      devices(server, 3);
      const pod = podObject('p');
      // A claim in use that is annotated as the pod's, one that requests admin access, and one of a pod that is gone.
      server.put('v1', 'pods', podObject('p', { metadata: { uid: 'uid-p' }, gated: true }));
      server.put(GROUP, 'resourceclaims', forged('used', 'uid-p', inUse('n-0', 'gpu-0', 'uid-of-victim')));
      server.put(GROUP, 'resourceclaims', forged('admin', 'uid-p'));
      server.put(GROUP, 'resourceclaims', forged('stranger', 'uid-of-nobody'));
      server.put('v1', 'pods', pod);
      await rig.until('it is bound', () => bound() === 1);
      await rig.pass(20_000);
      const name = asString(statusOf(server, 'p').resourceClaimName) ?? '';
      expect(['used', 'admin', 'stranger']).not.toContain(name);
      expect(devicesOf(kept('used') ?? {})).toEqual(['n-0/gpu-0']);
      expect([kept('admin'), kept('stranger')].map((one) => devicesOf(one ?? {}))).toEqual([[], []]);
      expect(devicesOf(claimOfPod(server, 'p') ?? {})).toEqual(['n-0/gpu-1']);
    });

    it('cannot have the claim of another pod by naming it in the status', async () => {
      const rig = await start();
      devices(server, 1);
      server.put(GROUP, 'resourceclaims', forged('victim', 'uid-of-victim', inUse('n-0', 'gpu-0', 'uid-of-victim')));
      rig.addPods({
        ...podObject('p'),
        status: {
          phase: 'Pending',
          extendedResourceClaimStatus: {
            resourceClaimName: 'victim',
            requestMappings: [{ containerName: 'main', resourceName: RESOURCE, requestName: 'x' }],
          },
        },
      });
      await rig.pass(20_000);
      expect(bound()).toBe(0);
      expect(reservedFor(kept('victim') ?? {})).toEqual(['victim']);
    });

    it('find a claim used that requests just what the pod does, and is not in use', async () => {
      const rig = await start();
      devices(server, 1);
      server.put(
        'v1',
        'pods',
        podObject('p', { metadata: { uid: 'uid-p' }, spec: { schedulingGates: [{ name: 'x' }] } }),
      );
      const spec = {
        devices: {
          requests: [{ name: 'container-0-request-1', exactly: { deviceClassName: 'gpu.example.com', count: 1 } }],
        },
      };
      server.put(GROUP, 'resourceclaims', forged('early', 'uid-p', {}, spec));
      server.put('v1', 'pods', podObject('p', { metadata: { uid: 'uid-p' } }));
      await rig.until('it is bound', () => bound() === 1);
      expect(statusOf(server, 'p').resourceClaimName).toBe('early');
      expect(claims(server)).toHaveLength(1);
    });

    it('create 1,000 pods with forged claims that cannot start, and no claim is made for them', async () => {
      const rig = await start();
      devices(server, 2);
      for (let i = 0; i < 1000; i++) {
        const resourceClaimName = `forged-${i}`;
        const requestMappings = [{ containerName: 'main', resourceName: RESOURCE, requestName: 'x' }];
        server.put('v1', 'pods', {
          ...podObject(`bad-${i}`, { gpus: 5, metadata: { uid: `uid-bad-${i}` } }),
          status: { phase: 'Pending', extendedResourceClaimStatus: { resourceClaimName, requestMappings } },
        });
        server.put(GROUP, 'resourceclaims', forged(resourceClaimName, `uid-bad-${i}`));
      }
      rig.addPods(...gangOf('other', 2));
      await rig.until('the others are bound', () => bound() === 2);
      await rig.pass(5000);
      expect(server.writes(/resourceclaims\/forged/)).toEqual([]);
      expect(claims(server)).toHaveLength(1002);
    });

    it('make 1,000 claims for a pod, and cost others nothing', async () => {
      const rig = await start();
      devices(server, 2);
      server.put('v1', 'pods', podObject('p', { metadata: { uid: 'uid-p' } }));
      for (let i = 0; i < 1000; i++) {
        server.put(GROUP, 'resourceclaims', forged(`forged-${i}`, 'uid-p'));
      }
      rig.addPods(podObject('other'));
      await rig.until('both are bound', () => bound() === 2);
      expect(server.writes(/resourceclaims\/forged/)).toEqual([]);
    });
  });
});

/** Whether more than this many lines have matched. */
function after(which: RegExp, count: number): (line: string) => boolean {
  let matched = 0;
  return (line) => which.test(line) && ++matched > count;
}
