/**
 * The history that the whole program writes, as `gantry history` reads it. Compression takes real time, so that tests wait for what is
 * written.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asObject } from '../../../../src/manifests/read';
import {
  type History,
  jobsOf,
  LONGEST_LINE,
  readHistory,
  readSegment,
  segmentIn,
} from '../../../../src/planning/history';
import { InProcessApiServer } from '../../../support/api-server/api-server';
import { gangOf, letTimeRun, podObject, Rig, stopTime } from './rig';

const CONFIG = 'history: { configMaps: 3, intervalSeconds: 5 }';
const CONFIG_MAPS = Array.from({ length: 3 }, (_, index) => ({
  metadata: { namespace: 'kube-system', name: `gantry-scheduler-history-${index}`, labels: { kept: 'yes' } },
}));

function serverWithConfigMaps(): InProcessApiServer {
  const server = new InProcessApiServer();
  CONFIG_MAPS.forEach((configMap) => server.put('v1', 'configmaps', configMap));
  return server;
}

function historyIn({ store }: InProcessApiServer): History {
  return readHistory(
    [...store.collection('v1', 'configmaps').values()].flatMap((map) => {
      const text = segmentIn(map);
      return text === undefined ? [] : readSegment(text);
    }),
  );
}

/** Its pods succeed, as when their containers exit. */
function finish(server: InProcessApiServer, ...names: readonly string[]): void {
  for (const name of names) {
    const pod = server.store.get('v1', 'pods', `default/${name}`)!;
    server.store.update('v1', 'pods', { ...pod, status: { ...asObject(pod.status), phase: 'Succeeded' } });
  }
}

const writes = (server: InProcessApiServer): readonly { readonly path: string; readonly body: JsonObject }[] =>
  server.log.filter(({ method, path }) => method === 'PUT' && path.includes('/configmaps/'));

describe('the history of the scheduler program', () => {
  let server: InProcessApiServer;
  let rig: Rig;
  beforeEach(async () => {
    stopTime();
    server = serverWithConfigMaps();
    rig = await Rig.start({ server, config: CONFIG });
    rig.addNodes(1);
  });
  afterEach(async () => {
    await rig.stop();
    letTimeRun();
  });

  it('has each gang with its wait, its duration, and what it requested', async () => {
    rig.addPods(...gangOf('a', 2, { gpus: 4 }));
    await rig.pass(10_000);
    rig.addPods(...gangOf('b', 2, { gpus: 2, annotations: { 'gantry.dev/expected-seconds': '60' } }));
    await rig.pass(10_000);
    finish(server, 'a-0', 'a-1');
    await rig.until('the end of a is written', () => historyIn(server).ended.length === 1);
    await rig.pass(20_000);
    server.store.delete('v1', 'pods', 'default/b-0');
    server.store.delete('v1', 'pods', 'default/b-1');
    await rig.until('the end of b is written', () => historyIn(server).ended.length === 2);
    const { jobs } = jobsOf(historyIn(server));
    expect(jobs).toEqual([
      expect.objectContaining({ name: 'default/a', queue: 'default', pods: 2, devices: 4, cpu: 1, evictions: 0 }),
      expect.objectContaining({ name: 'default/b', pods: 2, devices: 2 }),
    ]);
    const [a, b] = historyIn(server).ended.map(({ progress, ended }) => ({ ...progress, ended }));
    // Looked at once a second.
    expect(Math.abs(a.ran - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs(b.started! - a.ended)).toBeLessThanOrEqual(2);
    expect(b.started! - b.arrived).toBeGreaterThanOrEqual(8);
  });

  it('is written at most once in each interval, and keeps the labels of its ConfigMap', async () => {
    for (let second = 0; second < 60; second++) {
      rig.addPods(podObject(`p-${second}`, { gpus: 0 }));
      await rig.pass(1000);
    }
    expect(writes(server).length).toBeGreaterThan(1);
    expect(writes(server).length).toBeLessThanOrEqual(13);
    expect(server.store.get('v1', 'configmaps', 'kube-system/gantry-scheduler-history-0')).toMatchObject({
      metadata: { labels: { kept: 'yes' } },
    });
    // A quiet cluster is not written about.
    const before = writes(server).length;
    await rig.pass(60_000);
    expect(writes(server).length - before).toBeLessThanOrEqual(1);
  });

  it('counts evictions, and a gang whose pods are recreated as one gang', async () => {
    server.put('scheduling.k8s.io/v1', 'priorityclasses', { metadata: { name: 'high' }, value: 1000 });
    rig.addPods(...gangOf('low', 2, { gpus: 4 }));
    await rig.pass(10_000);
    rig.addPods(podObject('high', { gpus: 8, spec: { priority: 1000, priorityClassName: 'high' } }));
    await rig.until('low is evicted', () => server.store.get('v1', 'pods', 'default/low-0') === undefined);
    rig.addPods(...gangOf('low', 2, { gpus: 4 }));
    await rig.pass(30_000);
    finish(server, 'high');
    await rig.pass(10_000);
    finish(server, 'low-0', 'low-1');
    await rig.until('both have ended', () => historyIn(server).ended.length === 2);
    const { ended } = historyIn(server);
    expect(ended.map(({ gang, progress }) => [gang.members?.name, progress.evicted])).toEqual([
      ['default/low', 2],
      ['default/high', 0],
    ]);
    // It ran for 10 seconds before its eviction, and for about 10 after it.
    expect(Math.abs(ended[0].progress.ran - 20)).toBeLessThanOrEqual(5);
  });

  it('ends a gang that does not come back after its eviction when it lost its pods', async () => {
    server.put('scheduling.k8s.io/v1', 'priorityclasses', { metadata: { name: 'high' }, value: 1000 });
    rig.addPods(...gangOf('low', 2, { gpus: 4 }));
    await rig.pass(10_000);
    rig.addPods(podObject('high', { gpus: 8, spec: { priority: 1000, priorityClassName: 'high' } }));
    await rig.pass(60_000);
    expect(historyIn(server).ended).toEqual([]);
    await rig.until('low has ended', () => historyIn(server).ended.length === 1, 180_000);
    const [{ progress, ended }] = historyIn(server).ended;
    expect(ended - progress.arrived).toBeLessThan(20);
  });

  it('is continued by the next leader; when a gang ended in between is unknown', async () => {
    rig.addPods(...gangOf('stays', 2), podObject('ends'));
    await rig.pass(10_000);
    await rig.stop();
    server.store.delete('v1', 'pods', 'default/ends');
    rig = await Rig.start({ server, config: CONFIG });
    await rig.pass(20_000);
    finish(server, 'stays-0', 'stays-1');
    await rig.until('stays has ended', () => historyIn(server).ended.length === 1);
    const history = historyIn(server);
    expect(history).toMatchObject({ unseen: 1, running: 0, waiting: 0 });
    expect(history.ended[0].progress.ran).toBeGreaterThanOrEqual(28);
  });

  it('survives an outage of the API server: what happened meanwhile is written later', async () => {
    rig.addPods(podObject('a'));
    await rig.pass(10_000);
    let isDown = true;
    server.trouble = ({ method, path }) =>
      isDown && method === 'PUT' && path.includes('/configmaps/') ? 503 : undefined;
    finish(server, 'a');
    await rig.pass(20_000);
    await rig.until('a write fails', () => rig.said('the history was not written').length > 0);
    expect(historyIn(server).ended).toEqual([]);
    isDown = false;
    await rig.until('the end is written', () => historyIn(server).ended.length === 1);
    expect(historyIn(server).ended[0].progress.ran).toBeLessThan(15);
    expect(rig.said('the history was not written')).toHaveLength(1);
  });

  it('is read again if somebody else wrote to its ConfigMap', async () => {
    rig.addPods(podObject('a'));
    await rig.pass(10_000);
    const name = 'kube-system/gantry-scheduler-history-0';
    const map = server.store.get('v1', 'configmaps', name)!;
    server.store.update('v1', 'configmaps', {
      ...map,
      metadata: { ...asObject(map.metadata), labels: { kept: 'no' } },
    });
    rig.addPods(podObject('b'));
    await rig.until('a write fails', () => rig.said('the history was not written').length > 0);
    // Of what happens before it is read again, only gangs that still exist are recorded.
    await rig.until('both are written', () => historyIn(server).running === 2);
    finish(server, 'a', 'b');
    await rig.until('both have ended', () => historyIn(server).ended.length === 2);
    expect(server.store.get('v1', 'configmaps', name)).toMatchObject({ metadata: { labels: { kept: 'no' } } });
  });

  it('does not grow by what a tenant writes about a gang, and decisions go on without ConfigMaps', async () => {
    const long = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`example.com/${i}`, 'x'.repeat(60)]));
    rig.addPods(podObject('long', { spec: { nodeSelector: long } }));
    await rig.until('its arrival is written', () => historyIn(server).waiting === 1);
    const text = segmentIn(server.store.get('v1', 'configmaps', 'kube-system/gantry-scheduler-history-0')!)!;
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(LONGEST_LINE);
    CONFIG_MAPS.forEach(({ metadata }) => server.store.delete('v1', 'configmaps', `kube-system/${metadata.name}`));
    rig.addPods(podObject('next'));
    await rig.until('it is bound', () => Object.keys(server.places()).length === 1);
  });
});
