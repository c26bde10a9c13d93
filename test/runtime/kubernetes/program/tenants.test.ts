import { asObject, asString } from '../../../../src/manifests/read';
import { gangOf, kubeScheduler, letTimeRun, nodeObject, podObject, Rig, stopTime } from './rig';

const QUEUES = 'scheduling.volcano.sh/v1beta1';

describe('what tenants write', () => {
  let rig: Rig;
  beforeEach(() => stopTime());
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  async function start(config = '{}'): Promise<Rig> {
    rig = await Rig.start({ config });
    rig.server.serve(QUEUES, 'queues', 'podgroups');
    return rig;
  }
  const isBound = (pod: string): boolean => rig.server.places()[pod] !== undefined;

  describe('viewing', () => {
    const PATHS = ['/', 'view', 'pending', 'pending/default/a', 'decisions', 'stream'].map((path) =>
      path === '/' ? path : `/gantry/v1/${path}`,
    );

    it('takes a right that no default role grants, for every path', async () => {
      rig = await Rig.start({ authentication: 'always' });
      const { reviews } = rig.server;
      reviews.users.set('stranger', {
        username: 'system:serviceaccount:default:stranger',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      });
      reviews.users.set('reader', { username: 'reader', groups: ['readers', 'system:authenticated'] });
      reviews.roles.push({ name: 'gantry-viewer', urls: ['/gantry/v1/*'], groups: ['readers'] });
      await rig.pass(1000);
      for (const path of PATHS) {
        expect([path, (await rig.ask(path, 'stranger')).status]).toEqual([path, 403]);
        expect([path, (await rig.ask(path)).status]).toEqual([path, 401]);
        // No gang waits: a reader may look, and finds none.
        const status = path.endsWith('pending/default/a') ? 404 : 200;
        expect([path, (await rig.ask(path, 'reader')).status]).toEqual([path, status]);
      }
    });

    it.each(['/api/view', '/api/pending', '/api/decisions', '/api/stream', '/apis/view'])(
      'is not served where everybody may look (%s)',
      async (path) => {
        rig = await Rig.start({ authentication: 'off' });
        expect((await rig.ask(path)).status).toBe(404);
      },
    );

    it.each([
      ['//', 400, 'The path is not a valid URL.'],
      ['/%', 404, 'Page not found.'],
      ['/gantry/v1/pending/%', 404, 'Pending gang not found.'],
      ['/gantry/v1/pending/%ff', 404, 'Pending gang not found.'],
    ])('answers a broken path: %s', async (path, status, text) => {
      rig = await Rig.start({ authentication: 'off' });
      expect(await rig.ask(path)).toEqual({ status, text });
      expect((await rig.ask('/healthz')).status).toBe(200);
    });
  });

  it('gangs whose names look like those of others do not stop the cycle', async () => {
    await start();
    rig.addNodes(2);
    rig.addPods(
      podObject('one', { annotations: { 'scheduling.k8s.io/group-name': 'x' } }),
      podObject('two', { labels: { 'gantry.dev/gang': 'x' } }),
      podObject('three', {
        annotations: { 'scheduling.k8s.io/group-name': 'podgroup/x' },
        labels: { 'volcano.sh/task-spec': 'evil' },
      }),
    );
    await rig.pass(2000);
    rig.addPods(...gangOf('good', 4, { namespace: 'other' }));
    await rig.until('the good gang runs', () => isBound('other/good-3'));
    await rig.until('each of the others runs by itself', () =>
      ['one', 'two', 'three'].every((pod) => isBound(`default/${pod}`)),
    );
    expect(rig.said('the cycle failed')).toEqual([]);
  });

  it('queues that are each other parents cost those queues alone', async () => {
    await start();
    const queue = (name: string, parent?: string): void =>
      void rig.server.put(QUEUES, 'queues', { metadata: { name }, spec: parent === undefined ? {} : { parent } });
    queue('a', 'b');
    queue('b', 'a');
    queue('below', 'a');
    queue('good');
    rig.addNodes(1);
    rig.addPods(
      podObject('in-a', { queue: 'a' }),
      podObject('in-below', { queue: 'below' }),
      podObject('in-good', { queue: 'good' }),
      podObject('in-none'),
    );
    await rig.until('others run', () => isBound('default/in-good') && isBound('default/in-none'));
    expect([isBound('default/in-a'), isBound('default/in-below')]).toEqual([false, false]);
    await rig.until('the reason is reported', () => rig.server.condition('default/in-a')?.includes('cycle') === true);
    expect(rig.server.condition('default/in-a')).toContain(
      'Queue "a" is set aside: its parents form a cycle: a -> b -> a',
    );
    expect(await rig.metric('gantry_set_aside', 'kind="queue"')).toBe(3);
    expect(rig.server.notes().filter((note) => note.startsWith('SetAside'))).toHaveLength(3);
    // Put right, they are used again.
    queue('b');
    await rig.until('they run', () => isBound('default/in-a') && isBound('default/in-below'));
    expect(await rig.metric('gantry_set_aside')).toBe(0);
  });

  it('a node that announces a billion devices costs that node alone', async () => {
    await start();
    rig.server.put('v1', 'nodes', nodeObject('absurd', 1_000_000_000));
    rig.addNodes(1);
    rig.addPods(...gangOf('good', 8));
    await rig.until('the gang runs', () => isBound('default/good-7'));
    expect(await rig.metric('gantry_set_aside', 'kind="node"')).toBe(1);
    expect(rig.server.notes().join()).toContain(
      'SetAside: The scheduler ignores it: the node reports 4096 devices or more, which is not possible',
    );
    rig.server.put('v1', 'nodes', nodeObject('absurd', 8));
    rig.addPods(...gangOf('more', 8));
    await rig.until('it is used once it is put right', () => isBound('default/more-7'));
    expect(await rig.metric('gantry_set_aside')).toBe(0);
  });

  describe('devices', () => {
    const NO_GPU = { gpus: 0, cpu: '10m' };

    it('that a pod of another scheduler claims by annotation stay free', async () => {
      await start();
      rig.addNodes(10);
      rig.addPods(
        podObject('thief', {
          ...NO_GPU,
          annotations: {
            'gpu-fraction': '0.01',
            'gpu-fraction-num-devices': '80',
            'gantry.dev/devices': Array.from({ length: 80 }, (_, i) => i).join(','),
          },
          spec: { schedulerName: 'kai-scheduler', nodeName: 'n-0' },
        }),
        ...Array.from({ length: 80 }, (_, i) => podObject(`p-${i}`)),
      );
      await rig.until('all eighty run', () => Object.keys(rig.server.places()).length === 81);
      expect([...rig.faults]).toEqual([]);
    });

    it('that a pod of Gantry claims beyond its node are not those of the next node', async () => {
      await start();
      rig.addNodes(2);
      rig.addPods(
        podObject('liar', {
          gpus: 8,
          annotations: { 'gantry.dev/devices': '8,9,10,11,12,13,14,15' },
          spec: { nodeName: 'n-0' },
        }),
      );
      await rig.pass(500);
      rig.addPods(...gangOf('good', 8));
      await rig.until('the gang has the other node', () => rig.server.places()['default/good-7'] === 'n-1');
      expect([...rig.faults]).toEqual([]);
    });

    it('that two pods claim are held once, and the second pod holds others', async () => {
      await start();
      rig.addNodes(1);
      const claim = { annotations: { 'gantry.dev/devices': '0' }, spec: { nodeName: 'n-0' } };
      rig.addPods(podObject('first', claim), podObject('second', claim), podObject('third', claim));
      await rig.pass(500);
      rig.addPods(...Array.from({ length: 8 }, (_, i) => podObject(`p-${i}`)));
      await rig.pass(10_000);
      expect(Object.keys(rig.server.places())).toHaveLength(8);
      expect([...rig.faults]).toEqual([]);
    });

    it('that a pod of Gantry asks for by fraction count only once the scheduler gave them', async () => {
      await start();
      rig.addNodes(1);
      rig.addPods(
        podObject('self-placed', {
          ...NO_GPU,
          annotations: { 'gpu-fraction': '0.9', 'gpu-fraction-num-devices': '8' },
          spec: { nodeName: 'n-0' },
        }),
      );
      await rig.pass(500);
      rig.addPods(...gangOf('good', 8));
      await rig.until('the gang runs', () => isBound('default/good-7'));
    });
  });

  describe('reservations', () => {
    const pinned = (node: string): object => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
          },
        },
      },
    });
    const phantoms = (): void =>
      rig.addPods(
        ...Array.from({ length: 10 }, (_, i) =>
          podObject(`phantom-${i}`, {
            gpus: 8,
            annotations: { 'gantry.dev/node': `n-${i}` },
            spec: { schedulerName: 'nobody', ...pinned(`n-${i}`) },
          }),
        ),
      );

    it('that anybody could write are none', async () => {
      await start();
      rig.addNodes(10);
      phantoms();
      await rig.pass(1000);
      rig.addPods(...gangOf('good', 10, { gpus: 8 }));
      await rig.until('the gang runs', () => isBound('default/good-9'));
      // Nor does the scheduler delete pods that it did not hand over.
      await rig.pass(60_000);
      expect(rig.server.writes(/eviction$/)).toEqual([]);
    });

    it('of this process count without an admission policy', async () => {
      await start();
      rig.addNodes(1);
      rig.addPods(podObject('handed', { gpus: 8, gated: true }));
      await rig.until('it is handed over', () => rig.server.writes(/pods\/handed$/).length === 1);
      rig.addPods(podObject('later', { gpus: 8 }));
      await rig.pass(10_000);
      expect(isBound('default/later')).toBe(false);
    });

    it('of an earlier process count where a policy keeps others from writing them', async () => {
      await start('handOver: { guarded: true }');
      rig.addNodes(1);
      rig.addPods(
        podObject('handed', {
          gpus: 8,
          annotations: { 'gantry.dev/node': 'n-0' },
          spec: { schedulerName: 'default-scheduler', ...pinned('n-0') },
        }),
      );
      await rig.pass(1000);
      rig.addPods(podObject('later', { gpus: 8 }));
      await rig.pass(10_000);
      expect(isBound('default/later')).toBe(false);
      expect(asObject(rig.server.store.get('v1', 'pods', 'default/handed')?.spec).schedulerName).toBe(
        'default-scheduler',
      );
    });

    it('of pods that run are their own place, and their gang is known after a restart', async () => {
      await start();
      kubeScheduler(rig.server);
      rig.addNodes(1);
      rig.addPods(...gangOf('handed', 4, { gated: true }));
      await rig.until('they run', () => isBound('default/handed-3'));
      const { server } = rig;
      await rig.stop();
      rig = await Rig.start({ server });
      await rig.pass(2000);
      expect(await rig.metric('gantry_queue_allocated', 'nvidia.com/gpu')).toBe(4);
    });
  });

  describe('queues', () => {
    const CONFIG = `
queues:
  - { name: team-a, namespaces: [a], capability: { nvidia.com/gpu: 4 } }
  - { name: below, parent: team-a }
  - { name: open }
`;

    it('are used by the namespaces that they name, and others wait with a reason', async () => {
      await start(CONFIG);
      rig.addNodes(2);
      rig.addPods(
        podObject('own', { namespace: 'a', queue: 'team-a' }),
        podObject('own-below', { namespace: 'a', queue: 'below' }),
        podObject('foreign', { namespace: 'b', queue: 'team-a' }),
        podObject('foreign-below', { namespace: 'b', queue: 'below' }),
        podObject('in-open', { namespace: 'b', queue: 'open' }),
      );
      await rig.until('those that may run', () => ['a/own', 'a/own-below', 'b/in-open'].every(isBound));
      await rig.pass(20_000);
      expect([isBound('b/foreign'), isBound('b/foreign-below')]).toEqual([false, false]);
      expect(rig.server.condition('b/foreign')).toContain('Queue "team-a" may not be used from namespace "b"');
    });

    it('of the cluster name their namespaces in an annotation', async () => {
      await start();
      rig.server.put(QUEUES, 'queues', {
        metadata: { name: 'team-a', annotations: { 'gantry.dev/namespaces': 'a, c' } },
        spec: {},
      });
      rig.addNodes(1);
      rig.addPods(
        podObject('own', { namespace: 'c', queue: 'team-a' }),
        podObject('foreign', { namespace: 'b', queue: 'team-a' }),
      );
      await rig.until('its own runs', () => isBound('c/own'));
      await rig.pass(5000);
      expect(isBound('b/foreign')).toBe(false);
    });

    it('are not filled by pods of others that run already and change their label', async () => {
      await start(CONFIG);
      rig.addNodes(1);
      rig.addPods(...gangOf('intruder', 4, { namespace: 'b', queue: 'open' }));
      await rig.until('they run', () => isBound('b/intruder-3'));
      for (const pod of rig.server.pods()) {
        const metadata = asObject(pod.metadata);
        const labels = { ...asObject(metadata.labels), 'gantry.dev/queue': 'team-a' };
        rig.server.put('v1', 'pods', { ...pod, metadata: { ...metadata, labels } });
      }
      await rig.pass(2000);
      rig.addPods(...gangOf('own', 4, { namespace: 'a', queue: 'team-a' }));
      await rig.until('the team has what it may have', () => isBound('a/own-3'));
      expect(await rig.metric('gantry_queue_allocated', 'queue="default",resource="nvidia.com/gpu"')).toBe(4);
    });

    it('that do not exist do not hide what runs', async () => {
      await start('queues: [{ name: default, capability: { nvidia.com/gpu: 4 } }]');
      rig.addNodes(2);
      rig.addPods(...gangOf('first', 4));
      await rig.until('they run', () => isBound('default/first-3'));
      for (const pod of rig.server.pods()) {
        const metadata = asObject(pod.metadata);
        const labels = { ...asObject(metadata.labels), 'gantry.dev/queue': 'nowhere' };
        rig.server.put('v1', 'pods', { ...pod, metadata: { ...metadata, labels } });
      }
      rig.addPods(...gangOf('second', 4));
      await rig.pass(20_000);
      expect(Object.keys(rig.server.places()).filter((pod) => pod.startsWith('default/second'))).toEqual([]);
      expect(asString(rig.server.condition('default/second-0'))).toContain('queue');
    });
  });
});
