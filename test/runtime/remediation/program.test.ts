/**
 * What the remediation program does to nodes and pods, and undoes.
 */
import { asArray, asObject } from '../../../src/manifests/read';
import { statusPage } from '../../../src/runtime/remediation/page';
import { until } from '../fake-server';
import { firing, node, pod, Rig, rounds, SETTINGS } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
  rig.nodes('n-0', 'n-1', 'n-2');
});
afterEach(() => rig.stop());

const gangs = (): void =>
  rig.pods(pod('g-0', 'n-0', { gang: 'g' }), pod('g-1', 'n-1', { gang: 'g' }), pod('h-0', 'n-1', { gang: 'h' }));

test('a condition taints and cordons, evicts the gang as a whole, and its end undoes both', async () => {
  gangs();
  const before = rig.node('n-0');
  rig.condition('n-0', 'Bad', 'True');
  await rig.start();
  await until(() => rig.podNames().length === 1);
  expect(rig.podNames()).toEqual(['h-0']);
  // The pod on the node itself goes last.
  expect(rig.evictions()).toEqual(['team/g-1', 'team/g-0']);
  const sent = rig.server.log.filter(({ path }) => path.endsWith('/eviction')).map(({ body }) => body.deleteOptions);
  expect(sent.every((options) => asObject(options).gracePeriodSeconds === 3)).toBe(true);
  expect([rig.isCordoned('n-0'), rig.taints('n-0')]).toEqual([true, ['other', 'gantry.dev/unhealthy']]);
  await until(() => rig.record('n-0').clearing.length === 0);
  expect(rig.record('n-0').done).toEqual(['bad/taint', 'bad/cordon', 'bad/evict']);
  rig.condition('n-0', 'Bad', 'False');
  await until(() => !rig.isCordoned('n-0'));
  expect(rig.node('n-0').spec).toEqual(before.spec);
  expect(rig.annotation('n-0', 'own')).toBe('x');
  expect(rig.record('n-0')).toMatchObject({ marks: [], done: [], why: [] });
  await until(() => rig.eventReasons().length === 4);
  expect([...rig.eventReasons()].sort()).toEqual([
    'EvictedByRemediation',
    'EvictedByRemediation',
    'Remediated',
    'RemediationUndone',
  ]);
});

test('a dry run writes nothing, elects no leader, and shows what it would do and undo', async () => {
  gangs();
  rig.condition('n-0', 'Bad', 'True');
  rig.condition('n-1', 'Missing', 'True');
  await rig.start({ mode: 'dry-run' });
  expect(await rig.alert(firing('Fire', { node: 'n-2' }))).toBe(200);
  await until(() => rig.log.filter(({ msg }) => msg === 'would act').length === 2);
  await rounds();
  const { nodes, mode, leads } = await rig.status();
  expect([mode, leads]).toEqual(['dry-run', false]);
  expect(nodes.map(({ name, record: { marks, clearing } }) => [name, marks, clearing.length])).toEqual([
    ['n-0', ['taint', 'cordon'], 1],
    ['n-1', [], 0],
    ['n-2', ['request-repair'], 0],
  ]);
  expect(await rig.metric('gantry_remediation_actions_total{action="taint",outcome="dry-run"}')).toBe(1);
  expect(await rig.metric('gantry_remediation_dry_run')).toBe(1);
  rig.condition('n-0', 'Bad', 'False');
  await until(() => rig.log.filter(({ msg }) => msg === 'would act').length === 3);
  expect(rig.server.writes()).toEqual([]);
  expect((await rig.get('/')).text).toContain('Dry run: this page shows what would be done. Nothing is changed.');
});

test('a gang is moved if the placement core finds places on healthy nodes, and stays otherwise', async () => {
  const free = (name: string): void => void rig.server.put('v1', 'nodes', { ...node(name), spec: {} });
  rig.server.store.delete('v1', 'nodes', 'n-2');
  ['n-0', 'n-1'].forEach(free);
  rig.pods(pod('g-0', 'n-0', { gang: 'g', gpus: 2 }), pod('h-0', 'n-1', { gang: 'h', gpus: 2 }));
  rig.condition('n-0', 'Slow', 'True');
  await rig.start();
  await rounds();
  expect(rig.evictions()).toEqual([]);
  expect((await rig.status()).nodes[0].refusals).toEqual([
    'rule slow: gang team/gang/g does not fit on the healthy nodes',
  ]);
  expect(await rig.metric('gantry_remediation_refused{kind="no-places"}')).toBe(1);
  free('n-2');
  await until(() => rig.evictions().length > 0);
  expect(rig.evictions()).toEqual(['team/g-0']);
});

test('of two gangs only one is moved to the places of one', async () => {
  rig.pods(pod('g-0', 'n-0', { gang: 'g' }), pod('h-0', 'n-0', { gang: 'h' }), pod('i-0', 'n-1', { gpus: 2 }));
  rig.pods(pod('j-0', 'n-2', { gpus: 1 }));
  rig.condition('n-0', 'Slow', 'True');
  await rig.start();
  await until(() => rig.evictions().length > 0);
  await rounds();
  expect(rig.evictions()).toHaveLength(1);
  expect(await rig.metric('gantry_remediation_refused{kind="no-places"}')).toBe(1);
});

test('recreates the pod of the device plugin on the node, and not on others', async () => {
  rig.pods(pod('p-0', 'n-0', { plugin: true }), pod('p-1', 'n-1', { plugin: true }));
  rig.condition('n-0', 'Missing', 'True');
  await rig.start();
  await until(() => rig.podNames().length === 1);
  // The DaemonSet makes another one.
  rig.pods(pod('p-2', 'n-0', { plugin: true }));
  await rounds();
  expect(rig.evictions()).toEqual(['gpu-operator/p-0']);
  expect(rig.record('n-0')).toMatchObject({ done: ['missing/restart-device-plugin'], plugins: [] });
});

test('a disruption budget keeps the whole gang, and is asked again', async () => {
  gangs();
  rig.server.budget = ({ metadata }) =>
    asObject(metadata).name === 'g-0' ? "Cannot evict pod as it would violate the pod's disruption budget." : undefined;
  rig.condition('n-0', 'Bad', 'True');
  await rig.start();
  await until(() => rig.log.some(({ msg, kind }) => msg === 'not done' && kind === 'protected'));
  await rounds();
  expect(rig.podNames()).toEqual(['g-0', 'g-1', 'h-0']);
  expect(rig.evictions()).toEqual([]);
  expect((await rig.status()).nodes[0].refusals[0]).toMatch(/^rule bad: gang team\/gang\/g is protected: Cannot evict/);
  rig.server.budget = () => undefined;
  await until(() => rig.podNames().length === 1);
});

test('a repair is requested by an annotation and a condition, and both end', async () => {
  await rig.start();
  await rig.alert(firing('Fire', { node: 'n-2' }));
  const condition = (): unknown =>
    asArray(asObject(rig.node('n-2').status).conditions)
      .map(asObject)
      .filter(({ type }) => type === 'GantryRepairRequested')
      .map(({ status, reason, message }) => [status, reason, message])[0];
  await until(() => condition() !== undefined);
  expect(rig.annotation('n-2', 'gantry.dev/repair-requested')).toBe('true');
  expect(condition()).toEqual(['True', 'RemediationRequested', 'rule fire: alert Fire fires; request-repair']);
  await rig.alert(firing('Fire', { node: 'n-2' }, 'resolved'));
  await until(() => rig.annotation('n-2', 'gantry.dev/repair-requested') === undefined);
  await until(() => (condition() as string[])[0] === 'False');
});

test('the page says what is wrong, what was done, and why', async () => {
  rig.condition('n-0', 'Bad', 'True');
  await rig.start();
  await until(() => rig.eventReasons().length > 0);
  await rounds();
  const { text } = await rig.get('/');
  const cell = (...texts: readonly string[]): string =>
    `<td class="lines">${texts.map((one) => `<span>${one}</span>`).join('')}</td>`;
  expect(text.replace(/for \d+ s/, 'for N s')).toContain(
    `<th scope="row">n-0</th>${cell('Bad')}${cell('rule bad: condition Bad is True for N s')}${cell('taint', 'cordon')}`,
  );
  // Three nodes, of which 100 percent may be unavailable.
  expect(text).toContain(`<th scope="row">nodes without a pool</th>${cell('3')}${cell('1')}${cell('3')}`);
  expect(text).toContain('rule bad: condition Bad is True; taint, cordon, evict');
  expect(text).toContain('This replica acts on nodes.');
});

test('a reader who wants to read can stop the page from loading again', async () => {
  await rig.start();
  await rounds();
  expect((await rig.get('/')).text).toContain('<meta http-equiv="refresh" content="10">');
  const { text } = await rig.get('/?refresh=off');
  expect(text).not.toContain('http-equiv="refresh"');
  expect(text).toContain('<h1>No node has a cause</h1>');
});

test('a fault of a thousand nodes gives a page of the first 500, and all of them as JSON', () => {
  const nodes = Array.from({ length: 1000 }, (_, index) => ({
    name: `n-${index}`,
    conditions: ['Bad'],
    causes: ['rule bad: condition Bad is True for 1 s'],
    record: { marks: [], why: [], clearing: [] },
    refusals: [],
  }));
  const text = statusPage({ mode: 'dry-run', leads: false, holder: '', nodes, budget: [], recent: [] });
  expect(text.split('<th scope="row">')).toHaveLength(501);
  expect(text).toContain('and 500 more nodes; /status lists them all');
  expect(text).toContain('<h1>1000 nodes with a cause</h1>');
});

test('no name of the cluster is markup in the page', () => {
  const hostile = '<img src=x onerror="alert(1)">&';
  const text = statusPage({
    mode: 'active',
    leads: false,
    holder: hostile,
    nodes: [
      {
        name: hostile,
        conditions: [hostile],
        causes: [hostile],
        record: { marks: [], why: [hostile], clearing: [{ rule: 'r', gang: hostile, before: 0 }] },
        refusals: [hostile],
      },
    ],
    budget: [{ kind: 'rack', name: hostile, nodes: 1, unavailable: 1, most: 2 }],
    recent: [{ at: hostile, node: hostile, text: hostile }],
  });
  expect(text).not.toContain('<img');
  expect(text.split('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;')).toHaveLength(12);
});

test('the budget of a rack is kept, and the rest is said', async () => {
  ['n-0', 'n-1', 'n-2'].forEach((name) => {
    rig.change(name, {
      metadata: { ...asObject(rig.node(name).metadata), labels: { 'topology.kubernetes.io/rack': 'r' } },
    });
    rig.condition(name, 'Bad', 'True');
  });
  await rig.start({ settings: { ...SETTINGS, maxPerRack: 1 } });
  await until(() => rig.isTainted('n-0'));
  await rounds();
  expect(['n-0', 'n-1', 'n-2'].filter((name) => rig.isTainted(name))).toEqual(['n-0']);
  expect(await rig.metric('gantry_remediation_refused{kind="budget"}')).toBe(2);
});

test('health, readiness, and paths that do not exist', async () => {
  await rig.start();
  await until(() => rig.server.openWatches > 1);
  await rounds();
  expect([(await rig.get('/healthz')).status, (await rig.get('/readyz')).status]).toEqual([200, 200]);
  expect((await rig.get('/nothing')).status).toBe(404);
  const posted = await fetch(`http://127.0.0.1:${rig.programs[0].port}/metrics`, { method: 'POST' });
  expect(posted.status).toBe(405);
});
