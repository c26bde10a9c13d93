/**
 * What goes wrong around the remediation program: it ends in the middle, its API server answers with errors, and what it reads is hostile.
 */
import { asObject } from '../../../src/manifests/read';
import { recordText, NO_RECORD } from '../../../src/planning/remediation';
import { until } from '../fake-server';
import { node, pod, Rig, rounds, SETTINGS } from './rig';

function newRig(): Rig {
  const made = new Rig();
  made.nodes('n-0', 'n-1', 'n-2');
  made.pods(pod('g-0', 'n-0', { gang: 'g' }), pod('g-1', 'n-1', { gang: 'g' }), pod('h-0', 'n-1', { gang: 'h' }));
  return made;
}

let rig: Rig;
beforeEach(() => (rig = newRig()));
afterEach(() => rig.stop());

/** Cases that mostly wait, all at the same time, each with an API server of its own. */
async function atOnce<T>(cases: readonly T[], check: (own: Rig, one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(
    cases.map(async (one) => {
      const own = newRig();
      await check(own, one).catch((error: unknown) => failures.push({ case: one, error }));
      await own.stop();
    }),
  );
  expect(failures).toEqual([]);
}

test('a program that starts again undoes what an earlier one did, and does nothing twice', async () => {
  rig.condition('n-0', 'Bad', 'True');
  const first = await rig.start();
  await until(() => rig.record('n-0').done.length > 0 && rig.record('n-0').clearing.length === 0);
  await first.stop('it ends');
  const done = rig.server.writes().length;
  await rig.start();
  await rounds();
  expect(rig.server.writes()).toHaveLength(done);
  rig.condition('n-0', 'Bad', 'False');
  await until(() => !rig.isCordoned('n-0'));
});

test('a leader that ends after any number of writes is followed by one that finishes', async () => {
  await atOnce([1, 2, 3, 4, 5], async (own, count) => {
    const settings = { ...SETTINGS, healthySeconds: 3600 };
    own.condition('n-0', 'Bad', 'True');
    const first = await own.start({ leaderElection: true, settings });
    const second = await own.start({ leaderElection: true, settings });
    let writes = 0;
    // From here on, nothing that the first one sends arrives, as if it were killed.
    own.server.trouble = ({ method, path }) =>
      /nodes|eviction/.test(path) && method !== 'GET' && method !== 'WATCH' && ++writes > count ? 'dropped' : undefined;
    await until(() => writes > count, 10_000).catch(() => undefined);
    const leader = (await own.status(first)).leads ? first : second;
    void leader.stop('it was killed');
    own.server.trouble = () => undefined;
    await until(() => !own.podNames().some((name) => name.startsWith('g')));
    await until(() => own.record('n-0').clearing.length === 0);
    expect(own.podNames()).toEqual(['h-0']);
    expect(own.isTainted('n-0')).toBe(true);
    expect(own.taints('n-0')).toEqual(['other', 'gantry.dev/unhealthy']);
  });
});

test('of two replicas only the leader writes', async () => {
  const first = await rig.start({ leaderElection: true });
  const second = await rig.start({ leaderElection: true });
  await until(() => rig.log.some(({ msg, holds }) => msg === 'lease' && holds === true));
  rig.condition('n-0', 'Bad', 'True');
  await until(() => rig.podNames().length === 1);
  const leads = [(await rig.status(first)).leads, (await rig.status(second)).leads];
  expect(leads.filter(Boolean)).toHaveLength(1);
  const standby = leads[0] ? second : first;
  expect((await rig.status(standby)).recent).toEqual([]);
  expect((await rig.status(standby)).nodes).toMatchObject([{ name: 'n-0', record: { marks: ['taint', 'cordon'] } }]);
  expect((await rig.get('/', standby)).text).toMatch(/This replica is on standby. replica-\d acts on nodes./);
});

test.each([409, 500, 503, 429, 403, 'lost', 'unanswered'] as const)(
  'a patch that is answered with %s is made up for, once',
  async (fault) => {
    let failed = 0;
    rig.server.patience = 500;
    rig.server.trouble = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('/nodes/n-0') && failed++ < 2 ? fault : undefined;
    rig.condition('n-0', 'Bad', 'True');
    await rig.start({ settings: { ...SETTINGS, healthySeconds: 3600 } });
    await until(() => rig.podNames().length === 1);
    const patches = rig.server.log.filter(({ method }) => method === 'PATCH');
    expect(patches.every(({ timeout }) => timeout === 10_000)).toBe(true);
    expect(rig.taints('n-0')).toEqual(['other', 'gantry.dev/unhealthy']);
    expect(rig.record('n-0').done).toEqual(['bad/taint', 'bad/cordon', 'bad/evict']);
    expect(rig.record('n-0').episodes).toHaveLength(1);
  },
);

test.each([404, 409, 429, 500, 'lost'] as const)(
  'an eviction that is answered with %s is tried again',
  async (fault) => {
    let failed = 0;
    rig.server.trouble = ({ path }) => (path.endsWith('/eviction') && failed++ < 4 ? fault : undefined);
    rig.condition('n-0', 'Bad', 'True');
    await rig.start();
    await until(() => rig.podNames().length === 1);
    expect(rig.podNames()).toEqual(['h-0']);
  },
);

test('watches that expire or fail are begun again', async () => {
  await rig.start();
  await until(() => rig.server.openWatches > 0);
  let gone = 0;
  rig.server.trouble = ({ method }) => (method === 'WATCH' && gone++ < 3 ? 'gone' : undefined);
  rig.server.store.compactedAt = Infinity;
  rig.server.cutWatches();
  rig.condition('n-0', 'Bad', 'True');
  await rounds();
  rig.server.store.compactedAt = 0;
  await until(() => rig.isTainted('n-0'));
});

test('an API server that crashes and comes back', async () => {
  await rig.start();
  await rounds();
  rig.server.kill();
  rig.condition('n-0', 'Bad', 'True');
  await rounds();
  rig.server.restart();
  await until(() => rig.podNames().length === 1);
});

test('a change by others in between is not lost', async () => {
  let patches = 0;
  rig.server.trouble = ({ method, path }) => {
    if (method === 'PATCH' && path.endsWith('/nodes/n-0') && patches++ === 0) {
      const { spec } = node('n-0');
      rig.change('n-0', { spec: { ...asObject(spec), taints: [{ key: 'theirs', effect: 'NoSchedule' }] } });
    }
    return undefined;
  };
  rig.condition('n-0', 'Bad', 'True');
  await rig.start();
  await until(() => rig.isTainted('n-0'));
  expect(rig.taints('n-0')).toEqual(['theirs', 'gantry.dev/unhealthy']);
});

test('a node annotation that is no record, or a hostile one, evicts nothing that no rule demands', async () => {
  const texts = [
    '{',
    '[]',
    '['.repeat(20_000),
    '{"marks":["__proto__","constructor"],"done":["__proto__/taint"],"__proto__":{"done":["bad/taint"]}}',
    // An eviction of a gang elsewhere.
    recordText({ ...NO_RECORD, clearing: [{ rule: 'x', gang: 'team/gang/h', before: 9e15 }] }),
    // Device plugins that are none.
    recordText({ ...NO_RECORD, plugins: ['uid-3', 'uid-4', 'uid-5', 'uid-6'] }),
  ];
  await atOnce(texts, async (own, text = '') => {
    const { metadata } = own.node('n-2');
    own.change('n-2', { metadata: { ...asObject(metadata), annotations: { 'gantry.dev/remediation': text } } });
    own.condition('n-0', 'Bad', 'True');
    await own.start();
    await until(() => own.podNames().length === 1);
    await rounds();
    expect([...own.evictions()].sort()).toEqual(['team/g-0', 'team/g-1']);
  });
});

test('a cause that comes and goes faster than the rule waits for does nothing', async () => {
  const rules = SETTINGS.rules.map((rule) => ({ ...rule, afterSeconds: 1 }));
  await rig.start({ settings: { ...SETTINGS, rules } });
  // A second and a half, of which no eighth has the cause as the one before it has.
  for (let flap = 0; flap < 12; flap++) {
    rig.condition('n-0', 'Bad', flap % 2 === 0 ? 'True' : 'False');
    await new Promise((done) => setTimeout(done, 125));
  }
  expect(rig.server.writes()).toEqual([]);
});
