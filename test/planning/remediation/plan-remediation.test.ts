/**
 * The planner of remediation: single decisions, and long random histories in which a small world does what it says.
 */
import { Random } from '../../support/random';
import {
  DEFAULT_REMEDIATION,
  DRIVER_UPGRADE_ANNOTATION,
  hasMark,
  isActing,
  NO_MEMORY,
  NO_RECORD,
  planRemediation,
  type RemediationGang,
  type RemediationMemory,
  type RemediationNode,
  type RemediationPlan,
  type RemediationPod,
  type RemediationRecord,
  type RemediationRule,
  type RemediationSettings,
  type RemediationState,
} from '../../../src/planning/remediation';
import { most } from '../../../src/planning/remediation/budget';

const TAINT = 'gantry.dev/unhealthy';
const TIME = Date.UTC(2026, 0, 1);
const SECOND = TIME / 1000;

const rule = (more: Partial<RemediationRule> = {}): RemediationRule => ({
  name: 'r',
  cause: { condition: 'Bad' },
  afterSeconds: 10,
  actions: ['taint'],
  ...more,
});
const settingsOf = (
  rules: readonly RemediationRule[],
  more: Partial<RemediationSettings> = {},
): RemediationSettings => ({
  ...DEFAULT_REMEDIATION,
  healthySeconds: 30,
  rules,
  ...more,
});
const node = (name: string, more: Partial<RemediationNode> = {}): RemediationNode => ({
  name,
  labels: {},
  annotations: {},
  isReady: true,
  isCordoned: false,
  taints: [],
  problems: [],
  record: NO_RECORD,
  ...more,
});
const stateOf = (nodes: readonly RemediationNode[], more: Partial<RemediationState> = {}): RemediationState => ({
  now: 100_000,
  time: TIME,
  nodes,
  gangs: [],
  plugins: [],
  alerts: [],
  ...more,
});
const pod = (name: string, on: string, createdAt = TIME - 60_000): RemediationPod => ({
  namespace: 'a',
  name,
  uid: name,
  node: on,
  createdAt,
});
const gangOf = (key: string, ...pods: readonly RemediationPod[]): RemediationGang => ({
  key,
  pods,
  nodes: new Set(pods.map((one) => one.node)),
});
const recordOf = (more: Partial<RemediationRecord>): RemediationRecord => ({ ...NO_RECORD, ...more });
/** Every cause has lasted for long, and no node was without one. */
const long = (rules: readonly RemediationRule[], nodes: readonly RemediationNode[]): RemediationMemory => ({
  since: new Map(nodes.flatMap(({ name }) => rules.map((one) => [`${name} ${one.name}`, 0] as const))),
  healthySince: new Map(),
  nodes: new Set(nodes.map(({ name }) => name)),
});
const planned = (
  rules: readonly RemediationRule[],
  state: RemediationState,
  more: Partial<RemediationSettings> = {},
  fits?: Parameters<typeof planRemediation>[3],
): RemediationPlan => planRemediation(settingsOf(rules, more), state, long(rules, state.nodes), fits);

const bad = (name: string, more: Partial<RemediationNode> = {}): RemediationNode =>
  node(name, { problems: ['Bad'], ...more });

test('acts once the cause has lasted, and not a second earlier', () => {
  const settings = settingsOf([rule()]);
  const first = planRemediation(settings, stateOf([bad('n')], { now: 0 }));
  const early = planRemediation(settings, stateOf([bad('n')], { now: 9999 }), first.memory);
  const late = planRemediation(settings, stateOf([bad('n')], { now: 10_000 }), early.memory);
  expect([first.steps, early.steps]).toEqual([[], []]);
  expect(late.steps).toEqual([
    {
      node: 'n',
      add: ['taint'],
      remove: [],
      record: recordOf({
        marks: ['taint'],
        done: ['r/taint'],
        episodes: [SECOND],
        why: ['rule r: condition Bad is True; taint'],
      }),
      gangs: [],
      plugins: [],
      reasons: ['rule r: condition Bad is True; taint'],
    },
  ]);
});

test('a cause that ends in between starts again', () => {
  const settings = settingsOf([rule()]);
  const first = planRemediation(settings, stateOf([bad('n')], { now: 0 }));
  const healthy = planRemediation(settings, stateOf([node('n')], { now: 5000 }), first.memory);
  expect(planRemediation(settings, stateOf([bad('n')], { now: 12_000 }), healthy.memory).steps).toEqual([]);
});

test('undoes its marks after the healthy time, and those alone', () => {
  const settings = settingsOf([rule()]);
  const marked = node('n', {
    isCordoned: true,
    taints: [TAINT],
    record: recordOf({ marks: ['taint'], done: ['r/taint', 'r/cordon'] }),
  });
  const first = planRemediation(settings, stateOf([marked], { now: 0 }));
  expect(planRemediation(settings, stateOf([marked], { now: 29_999 }), first.memory).steps).toEqual([]);
  expect(planRemediation(settings, stateOf([marked], { now: 30_000 }), first.memory).steps).toMatchObject([
    { node: 'n', add: [], remove: ['taint'], record: NO_RECORD, reasons: ['no cause for 30 seconds'] },
  ]);
});

test('a node that is cordoned already is not cordoned by remediation, so it stays cordoned', () => {
  const [step] = planned([rule({ actions: ['cordon'] })], stateOf([bad('n', { isCordoned: true })])).steps;
  expect(step).toMatchObject({ add: [], record: { marks: [], done: ['r/cordon'] } });
});

test('a mark that an administrator removed is forgotten and not made again', () => {
  const record = recordOf({ marks: ['cordon'], done: ['r/cordon'] });
  const [step] = planned([rule({ actions: ['cordon'] })], stateOf([bad('n', { record })])).steps;
  expect(step).toMatchObject({ add: [], remove: [], record: { marks: [], done: ['r/cordon'] } });
});

test('evicts each gang as a whole, once, with the grace period of the rule', () => {
  const gang = gangOf('a/gang/g', pod('p', 'n'), pod('q', 'm'), pod('r', 'o'));
  const other = gangOf('a/gang/h', pod('s', 'o'));
  const state = stateOf([bad('n'), bad('m'), node('o')], { gangs: [gang, other] });
  const { steps } = planned([rule({ actions: ['evict'], graceSeconds: 7 })], state, { maxUnavailablePercent: 100 });
  expect(steps.flatMap(({ gangs }) => gangs)).toEqual([
    { rule: 'r', gang: 'a/gang/g', before: TIME - 60_000, graceSeconds: 7 },
  ]);
});

test('moves a gang only if it fits without the unhealthy nodes', () => {
  const gang = gangOf('a/gang/g', pod('p', 'n'));
  const state = stateOf([bad('n'), bad('m'), node('o')], { gangs: [gang] });
  const asked: string[][] = [];
  const fits = (answer: boolean) => (_: unknown, without: ReadonlySet<string>) => {
    asked.push([...without].sort());
    return answer;
  };
  const rules = [rule({ actions: ['move'] })];
  const stays = planned(rules, state, { maxUnavailablePercent: 100 }, fits(false));
  expect(stays.steps.flatMap(({ gangs }) => gangs)).toEqual([]);
  expect(stays.refusals).toEqual([
    { node: 'n', rule: 'r', kind: 'no-places', reason: 'gang a/gang/g does not fit on the healthy nodes' },
  ]);
  expect(asked).toEqual([['m', 'n']]);
  const moved = planned(rules, state, { maxUnavailablePercent: 100 }, fits(true));
  expect(moved.steps.flatMap(({ gangs }) => gangs)).toMatchObject([{ gang: gang.key }]);
});

test('recreates the device plugin of the node only, and waits for one', () => {
  const rules = [rule({ actions: ['restart-device-plugin'] })];
  const plugins = [pod('plugin-n', 'n'), pod('plugin-m', 'm')];
  expect(planned(rules, stateOf([bad('n'), node('m')], { plugins })).steps).toMatchObject([
    { node: 'n', plugins: [plugins[0]], record: { done: ['r/restart-device-plugin'], plugins: ['plugin-n'] } },
  ]);
  expect(planned(rules, stateOf([bad('n')])).steps).toEqual([]);
});

test('annotations of others are neither written nor removed', () => {
  const rules = [rule({ actions: ['request-driver-upgrade', 'request-repair'] })];
  const annotations = { [DRIVER_UPGRADE_ANNOTATION]: 'true' };
  expect(planned(rules, stateOf([bad('n', { annotations })])).steps).toMatchObject([
    { add: ['request-repair'], record: { marks: ['request-repair'] } },
  ]);
});

test.each([
  ['its name and labels', { name: 'Fire', labels: { node: 'n', severity: 'critical', more: 'x' } }, 1],
  ['another label', { name: 'Fire', labels: { node: 'n', severity: 'info' } }, 0],
  ['a missing label', { name: 'Fire', labels: { node: 'n' } }, 0],
  ['another name', { name: 'Water', labels: { node: 'n', severity: 'critical' } }, 0],
  ['another node', { name: 'Fire', labels: { node: 'm', severity: 'critical' } }, 0],
])('an alert is a cause by %s', (_, alert, count) => {
  const rules = [rule({ cause: { alert: 'Fire', labels: { severity: 'critical' } } })];
  expect(planned(rules, stateOf([node('n')], { alerts: [alert] })).steps).toHaveLength(count);
});

test('a label that every object inherits is no label of an alert', () => {
  const rules = [rule({ cause: { alert: 'Fire', labels: { constructor: 'x' } } })];
  const alerts = [{ name: 'Fire', labels: { node: 'n' } }];
  expect(planned(rules, stateOf([node('n')], { alerts })).steps).toEqual([]);
});

test.each([
  [{ devices: 7 }, 1],
  [{ devices: 8 }, 0],
  [{ devices: 8, freeMemoryMiB: 99 }, 1],
  [{ devices: 8, freeMemoryMiB: 100 }, 0],
  [undefined, 0],
])('a capacity report %j', (report, count) => {
  const rules = [rule({ cause: { report: { devicesBelow: 8, freeMemoryBelowMiB: 100 } } })];
  expect(planned(rules, stateOf([node('n', { report })])).steps).toHaveLength(count);
});

test.each([
  [4, 10, 1],
  [19, 10, 1],
  [20, 10, 2],
  [10, 100, 10],
])('of %d nodes, %d%% are %d', (size, percent, count) => {
  expect(most(size, percent)).toBe(count);
});

test('one node of a rack, and nodes that failed or were cordoned count', () => {
  const labels = { [DEFAULT_REMEDIATION.rackLabel]: 'r1' };
  const rules = [rule()];
  const all = { maxUnavailablePercent: 100 };
  const steps = (...nodes: RemediationNode[]): readonly string[] =>
    planned(rules, stateOf(nodes), all).steps.map((step) => step.node);
  expect(steps(bad('a', { labels }), bad('b', { labels }), bad('c'))).toEqual(['a', 'c']);
  expect(steps(bad('a', { labels }), node('b', { labels, isReady: false }))).toEqual([]);
  expect(steps(bad('a', { labels }), node('b', { labels, isCordoned: true }))).toEqual([]);
  expect(steps(bad('a', { labels, isReady: false }))).toEqual(['a']);
});

test('a node of 7 devices instead of 8 is tainted by the default rules', () => {
  const missing = node('n', { problems: ['AcceleratorsMissing'] });
  const memory = { since: new Map([['n accelerators-missing', 0]]), healthySince: new Map(), nodes: new Set(['n']) };
  const { steps } = planRemediation(DEFAULT_REMEDIATION, stateOf([missing], { now: 300_000 }), memory);
  expect(steps).toMatchObject([{ node: 'n', add: ['taint'] }]);
});

const RULES: readonly RemediationRule[] = [
  rule({ name: 'a', actions: ['taint', 'evict'] }),
  rule({ name: 'b', cause: { condition: 'Worse' }, afterSeconds: 0, actions: ['cordon', 'request-repair'] }),
  rule({ name: 'c', cause: { alert: 'Fire' }, actions: ['taint', 'cordon', 'request-driver-upgrade'] }),
];

/** A cluster that does what the planner says, while conditions, alerts, and administrators come and go. */
class World {
  nodes: RemediationNode[];
  memory = NO_MEMORY;
  /** Marks that remediation made and that are still there. */
  readonly made = new Set<string>();

  constructor(
    private readonly random: Random,
    readonly settings: RemediationSettings,
    size: number,
  ) {
    this.nodes = Array.from({ length: size }, (_, index) =>
      node(`n${String(index).padStart(2, '0')}`, {
        labels: {
          [settings.poolLabel]: index % 3 === 0 ? 'small' : 'large',
          [settings.rackLabel]: `rack-${index % 6}`,
        },
      }),
    );
  }

  disturb(): void {
    const turned = (was: boolean, on: number, off: number): boolean => this.random.chance(was ? 1 - off : on);
    this.nodes = this.nodes.map((one) => ({
      ...one,
      problems: ['Bad', 'Worse'].filter((type) => turned(one.problems.includes(type), 0.02, 0.1)),
      isReady: !turned(!one.isReady, 0.003, 0.3),
      isCordoned: turned(one.isCordoned, 0.003, 0.1),
      taints: this.random.chance(0.02) ? [] : one.taints,
    }));
  }

  plan(now: number, alerts: RemediationState['alerts']): RemediationPlan {
    // A program that restarts knows only what the nodes say.
    const memory = this.random.chance(0.02) ? NO_MEMORY : this.memory;
    const plan = planRemediation(this.settings, stateOf(this.nodes, { now, time: TIME + now, alerts }), memory);
    this.memory = plan.memory;
    for (const { node: name, add, remove, record } of plan.steps) {
      this.nodes = this.nodes.map((one) => (one.name === name ? applied(one, add, remove, record) : one));
    }
    return plan;
  }
}

function applied(
  one: RemediationNode,
  add: readonly string[],
  remove: readonly string[],
  record: RemediationNode['record'],
): RemediationNode {
  const annotations = { ...one.annotations };
  for (const [mark, key] of [
    ['request-driver-upgrade', DRIVER_UPGRADE_ANNOTATION],
    ['request-repair', DEFAULT_REMEDIATION.repairAnnotation],
  ]) {
    if (add.includes(mark)) {
      annotations[key] = 'true';
    } else if (remove.includes(mark)) {
      delete annotations[key];
    }
  }
  return {
    ...one,
    annotations,
    record,
    isCordoned: add.includes('cordon') || (one.isCordoned && !remove.includes('cordon')),
    taints: add.includes('taint') ? [TAINT] : remove.includes('taint') ? [] : one.taints,
  };
}

const unavailable = (one: RemediationNode): boolean => !one.isReady || one.isCordoned || isActing(one.record);

test('a node that fails again within a day must be healthy for longer each time, and a day later as before', () => {
  const settings = settingsOf([rule({ afterSeconds: 0 })]);
  let now = 0;
  let memory = NO_MEMORY;
  let one = node('n');
  const pass = (seconds: number, problems: readonly string[]): RemediationPlan => {
    now += seconds * 1000;
    const plan = planRemediation(settings, stateOf([{ ...one, problems }], { now, time: TIME + now }), memory);
    memory = plan.memory;
    plan.steps.forEach(({ add, remove, record }) => (one = applied(one, add, remove, record)));
    return plan;
  };
  const healthyFor: number[] = [];
  for (let episode = 0; episode < 8; episode++) {
    pass(1, ['Bad']);
    pass(1, []);
    let seconds = 0;
    for (; one.taints.length > 0; seconds += 30) {
      pass(30, []);
    }
    healthyFor.push(seconds);
  }
  expect(healthyFor).toEqual([30, 60, 120, 240, 480, 960, 960, 960]);
  pass(24 * 3600, []);
  expect(one.record).toEqual(NO_RECORD);
});

test.each([
  ['set back by years', -1000 * 24 * 3600, 1],
  ['set back by an hour', -3600, 3],
])('episodes, if the clock is %s', (_, seconds, count) => {
  const record = recordOf({ episodes: [SECOND - 60, SECOND - 30] });
  const state = stateOf([bad('n', { record })], { time: TIME + seconds * 1000 });
  expect(planned([rule()], state).steps[0].record.episodes).toHaveLength(count);
});

describe('the eviction of a gang', () => {
  const before = TIME - 60_000;
  const clearing = { rule: 'r', gang: 'a/gang/g', before, graceSeconds: 7 };
  const record = recordOf({ done: ['r/evict'], clearing: [clearing] });
  const rules = [rule({ actions: ['evict'] })];
  const evictions = (gangs: readonly RemediationGang[]): RemediationPlan =>
    planned(rules, stateOf([bad('n', { record }), node('m')], { gangs }));

  test('goes on from the record alone: pods of other nodes first, those of the node last', () => {
    const [first] = evictions([gangOf('a/gang/g', pod('p', 'n'), pod('q', 'm'))]).evictions;
    expect([first.pods, first.now].map((pods) => pods.map(({ name }) => name))).toEqual([['p', 'q'], ['q']]);
    expect(first).toMatchObject({ node: 'n', rule: 'r', gang: 'a/gang/g', graceSeconds: 7 });
    const [last] = evictions([gangOf('a/gang/g', pod('p', 'n'))]).evictions;
    expect(last.now.map(({ name }) => name)).toEqual(['p']);
  });

  test('leaves pods that were created later, and ends without the others', () => {
    const later = pod('later', 'm', before + 1000);
    const [one] = evictions([gangOf('a/gang/g', pod('p', 'n'), later)]).evictions;
    expect(one.pods.map(({ name }) => name)).toEqual(['p']);
    const { evictions: none, steps } = evictions([{ ...gangOf('a/gang/g', later), nodes: new Set(['n', 'm']) }]);
    expect(none).toEqual([]);
    expect(steps).toMatchObject([{ node: 'n', add: [], reasons: [], record: { clearing: [], done: ['r/evict'] } }]);
  });

  test('of a gang without a pod on the node is not believed: a record cannot evict what is elsewhere', () => {
    const { evictions: none, steps } = evictions([gangOf('a/gang/g', pod('q', 'm'))]);
    expect(none).toEqual([]);
    expect(steps[0].record.clearing).toEqual([]);
  });

  test('goes on while a pod of it on the node has failed', () => {
    const gang = { ...gangOf('a/gang/g', pod('q', 'm')), nodes: new Set(['n', 'm']) };
    expect(evictions([gang]).evictions[0].now.map(({ name }) => name)).toEqual(['q']);
  });

  test('is not decided again by another node of the gang', () => {
    const gang = gangOf('a/gang/g', pod('p', 'n'), pod('q', 'm'));
    const nodes = [bad('n', { record }), bad('m')];
    const plan = planned(rules, stateOf(nodes, { gangs: [gang] }), { maxUnavailablePercent: 100 });
    expect(plan.steps).toMatchObject([{ node: 'm', gangs: [], record: { done: ['r/evict'] } }]);
  });

  test('ends when the node is healthy again', () => {
    const state = stateOf([node('n', { record })], { now: 30_000, gangs: [gangOf('a/gang/g', pod('p', 'n'))] });
    const memory = { since: new Map(), healthySince: new Map([['n', 0]]), nodes: new Set(['n']) };
    const { steps } = planRemediation(settingsOf(rules), state, memory);
    expect(steps[0].record).toEqual(NO_RECORD);
  });
});

test('the device plugin is recreated from the record, once, and only a pod that is one', () => {
  const record = recordOf({ done: ['r/restart-device-plugin'], plugins: ['plugin-n', 'plugin-m', 'work'] });
  const plugins = [pod('plugin-n', 'n'), pod('plugin-m', 'm')];
  const rules = [rule({ actions: ['restart-device-plugin'] })];
  const state = stateOf([bad('n', { record }), node('m')], { plugins });
  const plan = planned(rules, state);
  expect(plan.restarts.map(({ name }) => name)).toEqual(['plugin-n']);
  expect(plan.steps[0].record.plugins).toEqual(['plugin-n']);
});

describe('after a restart', () => {
  const settings = settingsOf([rule({ afterSeconds: 100 })]);
  const stepsOf = (one: RemediationNode, memory = NO_MEMORY): readonly unknown[] =>
    planRemediation(settings, stateOf([one]), memory).steps;

  test.each([
    ['as long as the rule says', 100_000, 1],
    ['for less', 99_000, 0],
    ['since a moment that is still to come', -5_000_000, 0],
    ['since a time that makes no sense', NaN, 0],
  ])('a condition that holds %s', (_, held, count) => {
    expect(stepsOf(bad('n', { held: { Bad: held } }))).toHaveLength(count);
  });

  test('a node that is known is measured on the own clock', () => {
    const memory = { ...NO_MEMORY, nodes: new Set(['n']) };
    expect(stepsOf(bad('n', { held: { Bad: 1e9 } }), memory)).toEqual([]);
  });

  test.each([
    ['the condition has been False for long', ['r/taint'], { Bad: 30_000 }, 1],
    ['the condition has been False for less', ['r/taint'], { Bad: 29_000 }, 0],
    ['the condition is not reported', ['r/taint'], {}, 0],
    ['a rule that is no more acted', ['old/taint'], { Bad: 30_000 }, 0],
  ])('a node is given back if %s', (_, done, held, count) => {
    const record = recordOf({ marks: ['taint'], done });
    expect(stepsOf(node('n', { taints: [TAINT], record, held }))).toHaveLength(count);
  });
});

test('says when the next wait ends', () => {
  const settings = settingsOf([rule({ afterSeconds: 10 })]);
  const first = planRemediation(settings, stateOf([bad('n'), node('m')], { now: 1000 }));
  expect(first.nextAt).toBe(11_000);
  const record = recordOf({ marks: ['taint'], done: ['r/taint'] });
  const healing = planRemediation(settings, stateOf([node('n', { record, taints: [TAINT] })], { now: 1000 }));
  expect(healing.nextAt).toBe(31_000);
  expect(planRemediation(settings, stateOf([node('n')])).nextAt).toBeUndefined();
});

test('when all nodes fail at once, only as many as the budget allows are acted on', () => {
  const nodes = Array.from({ length: 200 }, (_, index) => bad(`n${index}`));
  const { steps, refusals } = planned([rule({ actions: ['taint', 'evict'] })], stateOf(nodes));
  expect(steps).toHaveLength(20);
  expect(refusals).toHaveLength(180);
  expect(refusals[0]).toMatchObject({
    kind: 'budget',
    reason: '20 of 200 nodes of the pool may be unavailable, and 20 others are',
  });
});

test('an alert names its node in the label of the rule', () => {
  const rules = [rule({ cause: { alert: 'Fire', nodeLabel: 'Hostname' } })];
  const alerts = [{ name: 'Fire', labels: { Hostname: 'n', node: 'm' } }];
  expect(planned(rules, stateOf([node('n'), node('m')], { alerts })).steps.map((step) => step.node)).toEqual(['n']);
});

describe.each([1, 2, 3, 4, 5, 6])('a random history, seed %d', (seed) => {
  const random = new Random(seed);
  const settings = settingsOf(RULES, { maxUnavailablePercent: 20 });
  const world = new World(random, settings, 30);
  let now = 0;

  test('budgets are kept, nothing is done twice, and only own marks are removed', () => {
    let acted = 0;
    for (let round = 0; round < 400; round++) {
      now += 1000 * (1 + random.below(15));
      world.disturb();
      const before = new Map(world.nodes.map((one) => [one.name, one]));
      const alerts = world.nodes
        .filter(() => random.chance(0.05))
        .map(({ name }) => ({ name: 'Fire', labels: { node: name } }));
      const { steps } = world.plan(now, alerts);
      for (const step of steps) {
        const was = before.get(step.node)!;
        expect(step.remove.every((mark) => was.record.marks.includes(mark))).toBe(true);
        expect(step.add.some((mark) => hasMark(was, mark, settings))).toBe(false);
        expect(new Set(step.record.done).size).toBe(step.record.done.length);
        const isNew = step.record.done.length > was.record.done.length;
        if (isNew) {
          acted++;
          const groupOf = (label: string): readonly RemediationNode[] =>
            world.nodes.filter(({ labels }) => labels[label] === was.labels[label]);
          const pool = groupOf(settings.poolLabel);
          expect(pool.filter(unavailable).length).toBeLessThanOrEqual(Math.max(1, Math.floor(pool.length * 0.2)));
          expect(groupOf(settings.rackLabel).filter(unavailable).length).toBeLessThanOrEqual(settings.maxPerRack);
        }
      }
    }
    expect(acted).toBeGreaterThan(10);
  });

  test('when all causes end, every mark of remediation is removed, and what administrators did stays', () => {
    world.nodes = world.nodes.map((one) => ({ ...one, problems: [] }));
    const cordoned = world.nodes
      .filter(({ isCordoned, record }) => isCordoned && !record.marks.includes('cordon'))
      .map(({ name }) => name);
    // A node that failed again and again must be healthy for longer.
    for (let round = 0; round < 120; round++) {
      now += 10_000;
      world.plan(now, []);
    }
    expect(world.nodes.filter(({ record }) => isActing(record))).toEqual([]);
    expect(world.nodes.filter(({ annotations }) => Object.keys(annotations).length > 0)).toEqual([]);
    expect(world.nodes.filter(({ taints }) => taints.length > 0)).toEqual([]);
    expect(world.nodes.filter(({ isCordoned }) => isCordoned).map(({ name }) => name)).toEqual(cordoned);
  });
});
