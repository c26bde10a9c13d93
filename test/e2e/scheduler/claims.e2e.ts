/**
 * Devices by claim on a live control plane: the program allocates as the account that GantryScheduler makes, on slices that the test
 * publishes. kube-controller-manager creates claims and takes devices back; kube-scheduler reads what was allocated, and allocates the rest.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { describeLive } from '../live-cluster';
import {
  allocated,
  claim,
  claimingGang,
  CLAIMS,
  claims,
  ClaimsLab,
  deviceClass,
  DRIVER,
  gpus,
  messageOf,
  oneGpu,
  slice,
  template,
} from './claims-lab';
import { apply } from './install';
import { type Lab, nameOf } from './lab';
import { node, pod, priorityClass } from './manifests';

const CONFIG = `
handOver: { guarded: true }
cycle: { periodSeconds: 1 }
explain: { repeatSeconds: 2, writesPerSecond: 100 }
queues: [{ name: small, deserved: { nvidia.com/gpu: 2 }, capability: { nvidia.com/gpu: 2 } }]
`;
const CHANNEL = 'compute-domain.nvidia.com';
const ofType = (type: string): string =>
  `device.driver == "${DRIVER}" && device.attributes["${DRIVER}"].type == "${type}"`;

describeLive('devices by claim', () => {
  let lab: Lab;
  const run = ClaimsLab.ofSuite({
    config: CONFIG,
    classes: [deviceClass(DRIVER, ofType('gpu')), template('one', oneGpu)],
  });
  beforeAll(() => {
    lab = run.lab;
  });

  it('are allocated for a whole gang or not at all, and kube-scheduler agrees with what it finds', async () => {
    await run.publish(2, 2);
    await run.start();
    await lab.create(...claimingGang('large', 5, { resourceClaimTemplateName: 'one' }));
    await lab.create(...claimingGang('fits', 3, { resourceClaimTemplateName: 'one' }));
    await run.bound(3);
    expect((await allocated(lab)).length).toBe(3);
    // Two pods of kube-scheduler want a device each, and one is left.
    await lab.create(
      ...claimingGang('theirs', 2, { resourceClaimTemplateName: 'one' }).map((one) => ({
        ...one,
        spec: { ...asObject(one.spec), schedulerName: 'default-scheduler' },
      })),
    );
    await run.bound(4);
    await lab.until('kube-scheduler says why the other waits', async () => {
      const waiting = (await lab.pods()).find(
        ({ metadata, spec }) => nameOf({ metadata }).startsWith('theirs') && asObject(spec).nodeName === undefined,
      );
      return /cannot allocate all claims/.test(messageOf(waiting));
    });
    expect((await allocated(lab)).length).toBe(4);
    await lab.until('the large gang has a reason', async () =>
      /no node that fits the next pod has free devices|of 5 pods fit/.test(messageOf(await run.podNamed('large-0'))),
    );
    // With their pods, devices go back, and the gang that waited gets none before it fits as a whole.
    for (const name of ['fits-0', 'fits-1', 'fits-2']) {
      await lab.delete(`/api/v1/namespaces/default/pods/${name}`);
    }
    await lab.until('their devices are free', async () => (await allocated(lab)).length <= 2);
    await apply(lab, [slice('n-2', gpus(4))]);
    await lab.create(node('n-2', { gpus: 0 }));
    await lab.until(
      'the large gang runs',
      async () => Object.keys(await lab.places()).filter((name) => name.startsWith('large')).length === 5,
    );
  });

  // kubernetes#138765
  it('of earlier pods are chosen again, so that pods which take a whole device or a half start on two halves', async () => {
    const part = (name: string, slots: string): JsonObject => ({
      name,
      attributes: { type: { string: slots === '2' ? 'gpu' : 'mig' } },
      consumesCounters: [{ counterSet: 'gpu-0', counters: { slots: { value: slots } } }],
    });
    const pool = { name: 'n-0', generation: 1, resourceSliceCount: 2 };
    const counters = { pool, sharedCounters: [{ name: 'gpu-0', counters: { slots: { value: '2' } } }] };
    await apply(lab, [
      deviceClass(DRIVER, ofType('gpu')),
      deviceClass('mig.nvidia.com', ofType('mig')),
      slice('n-0', [part('whole', '2'), part('half-a', '1'), part('half-b', '1')], { pool }),
      slice('n-0', [], counters, 'n-0-counters'),
      template('either', {
        name: 'gpu',
        firstAvailable: [
          { name: 'whole', deviceClassName: DRIVER },
          { name: 'half', deviceClassName: 'mig.nvidia.com' },
        ],
      }),
    ]);
    await lab.create(node('n-0', { gpus: 0 }));
    await lab.nodesReady(1);
    await run.start();
    await lab.create(...claimingGang('a', 2, { resourceClaimTemplateName: 'either' }));
    await run.bound(2);
    expect(await allocated(lab)).toEqual(['n-0/half-a', 'n-0/half-b']);
  });

  // kubernetes#137617
  it('are shared by the pods of a gang, also with pods of kube-scheduler, until the last of them ends', async () => {
    await run.publish(2, 1);
    await apply(lab, [claim('single', oneGpu)]);
    await run.start();
    await lab.create(...claimingGang('a', 2, { resourceClaimName: 'single' }));
    await run.bound(2);
    await lab.create(pod('theirs', { gpus: 0, spec: { ...using('single'), schedulerName: 'default-scheduler' } }));
    await run.bound(3);
    const places = await lab.places();
    expect(new Set(Object.values(places)).size).toBe(1);
    const [single] = await claims(lab);
    expect(
      asArray(asObject(single.status).reservedFor)
        .map((one) => asString(asObject(one).name))
        .sort(),
    ).toEqual(['a-0', 'a-1', 'theirs']);
    for (const name of ['a-0', 'a-1', 'theirs']) {
      await lab.delete(`/api/v1/namespaces/default/pods/${name}`);
    }
    await lab.until('the device was taken back', async () => (await allocated(lab)).length === 0);
  });

  // KAI-Scheduler#1217
  it('are chosen with the GPUs of a device plugin in one rack, the idle one', async () => {
    const racks = ['r04', 'r11'];
    const names = racks.flatMap((rack) => Array.from({ length: 4 }, (_, i) => `${rack}-${i}`));
    const channel = [{ name: 'channel-0', attributes: { type: { string: 'channel' }, id: { int: 0 } } }];
    await apply(lab, [
      deviceClass(
        'compute-domain-default-channel.nvidia.com',
        `device.driver == "${CHANNEL}" && device.attributes["${CHANNEL}"].type == "channel" && device.attributes["${CHANNEL}"].id == 0`,
      ),
      template('channel', {
        name: 'channel',
        exactly: { deviceClassName: 'compute-domain-default-channel.nvidia.com' },
      }),
      ...names.map((name) => slice(name, channel, { driver: CHANNEL })),
    ]);
    await lab.create(
      ...names.map((name) => node(name, { gpus: 4, labels: { 'nvidia.com/gpu.clique': name.slice(0, 3) } })),
    );
    await lab.nodesReady(8);
    await run.start();
    const inRack = { 'kueue.x-k8s.io/podset-required-topology': 'nvidia.com/gpu.clique' };
    const rack = (name: string): JsonObject[] =>
      claimingGang(name, 4, { resourceClaimTemplateName: 'channel' }, { gpus: 4, annotations: inRack });
    await lab.create(...rack('a'));
    await run.bound(4);
    await lab.create(...rack('b'));
    await run.bound(8);
    const racksOf = async (gang: string): Promise<readonly string[]> => [
      ...new Set(
        Object.entries(await lab.places())
          .filter(([name]) => name.startsWith(gang))
          .map(([, place]) => place.slice(0, 3)),
      ),
    ];
    const [a, b] = [await racksOf('a-'), await racksOf('b-')];
    expect([a.length, b.length]).toEqual([1, 1]);
    expect([...a, ...b].sort()).toEqual(racks);
  });

  it('are handed over on nodes that have them, charged to the queue, and free for a gang that others are evicted for', async () => {
    await run.publish(2, 2);
    await run.start();
    await lab.create(priorityClass('high', 1000));
    await lab.create(
      ...claimingGang('handed', 2, { resourceClaimTemplateName: 'one' }, { queue: 'small', handOver: true }),
    );
    await run.bound(2);
    // The queue has no more, though the nodes do.
    await lab.create(
      ...claimingGang('more', 1, { resourceClaimTemplateName: 'one' }, { queue: 'small', handOver: true }),
    );
    await lab.until('the queue says so', async () => /small/.test(messageOf(await run.podNamed('more-0'))));
    await lab.create(...claimingGang('low', 2, { resourceClaimTemplateName: 'one' }));
    await run.bound(4);
    await lab.create(...claimingGang('urgent', 2, { resourceClaimTemplateName: 'one' }, { priorityClass: 'high' }));
    await lab.until('the urgent gang runs', async () => {
      const places = await lab.places();
      return places['urgent-0'] !== undefined && places['urgent-1'] !== undefined;
    });
    expect((await allocated(lab)).length).toBe(4);
  });

  it('that another writer takes at the same moment are left to it', async () => {
    await run.publish(1, 3);
    await apply(lab, [claim('theirs', oneGpu)]);
    let isTaken = false;
    const through = await run.through(async (method, path) => {
      // The first request to write devices does not arrive, and another one of the same device has before the scheduler hears of it.
      if (!isTaken && method === 'PATCH' && /resourceclaims\/[^/]*\/status/.test(path)) {
        isTaken = true;
        await lab.patch(`${CLAIMS}/theirs/status`, {
          status: {
            allocation: {
              devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'n-0', device: 'gpu-0' }] },
            },
            reservedFor: [{ resource: 'pods', name: 'elsewhere', uid: 'elsewhere' }],
          },
        });
        return 503;
      }
      return undefined;
    });
    // kube-controller-manager takes back what no pod uses: the reservation is looked at before it does.
    await run.start({ through });
    await lab.create(...claimingGang('a', 2, { resourceClaimTemplateName: 'one' }));
    await run.bound(2);
    expect(isTaken).toBe(true);
    run.forget(/is held by/);
  });

  it.each([
    ['before the first device is written', /resourceclaims\/[^/]*\/status/, 0],
    ['after some devices were written', /resourceclaims\/[^/]*\/status/, 3],
    ['between allocation and binding', /\/binding$/, 0],
    ['after some pods were bound', /\/binding$/, 3],
  ] as const)('of a leader that is killed %s are used by the next one', async (_, which, after) => {
    await run.publish(2, 4);
    await run.killLeader(which, after, claimingGang('a', 8, { resourceClaimTemplateName: 'one' }));
    await run.bound(8);
    expect((await allocated(lab)).length).toBe(8);
  });

  it('are not written by anything else of the scheduler than its devices, reservations, and finalizer', async () => {
    await run.publish(1, 1);
    await apply(lab, [claim('c', oneGpu)]);
    const path = `${CLAIMS}/c`;
    const asScheduler = await run.asScheduler();
    const send = async (where: string, body: JsonObject): Promise<number> => {
      const { status } = await asScheduler.request('PATCH', where, {
        body,
        contentType: 'application/merge-patch+json',
      });
      return status;
    };
    expect(await send(path, { metadata: { labels: { a: 'b' } } })).toBe(403);
    expect(await send(path, { metadata: { finalizers: ['example.com/forever'] } })).toBe(403);
    expect(await send(path, { metadata: { finalizers: ['resource.kubernetes.io/delete-protection'] } })).toBe(200);
    const allocation = { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'n-0', device: 'gpu-0' }] } };
    const ofGroup = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'g' };
    expect(await send(`${path}/status`, { status: { allocation, reservedFor: [ofGroup] } })).toBe(403);
    const report = { driver: DRIVER, pool: 'n-0', device: 'gpu-0' };
    expect(await send(`${path}/status`, { status: { allocation, devices: [report] } })).toBeGreaterThanOrEqual(400);
    const consumer = { resource: 'pods', name: 'p', uid: 'p' };
    expect(await send(`${path}/status`, { status: { allocation, reservedFor: [consumer] } })).toBe(200);
    asScheduler.close();
  });
});

function using(name: string): JsonObject {
  return { resourceClaims: [{ name: 'gpu', resourceClaimName: name }] };
}
