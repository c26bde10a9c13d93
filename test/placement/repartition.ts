/**
 * Repartitioning of free devices, held against a brute force over all configurations of all nodes.
 *
 * Small worlds of GPUs with four slices. What is decided is applied at once, and the next decision has to start the gang; where one gang
 * waits and any configurations of free nodes let it start, some must be decided.
 */
import * as fc from 'fast-check';
import { type ClusterNode, decide, type Decision, DEFAULT_POLICY, type Gang, type Snapshot } from '../../src/placement';
import { layoutOf, withMigConfig } from '../../src/placement/nodes/mig-config';
import { cluster, gang, node, NOW, template } from './builders';
import { apply } from './guarantees';

/** An A30: four slices. */
export const CONFIGS = {
  'all-disabled': {},
  'all-1g.6gb': { '1g.6gb': 4 },
  'all-2g.12gb': { '2g.12gb': 2 },
  'all-4g.24gb': { '4g.24gb': 1 },
} as const;
type Config = keyof typeof CONFIGS;
export const CONFIG_NAMES = Object.keys(CONFIGS) as readonly Config[];
export const LIMIT = 2;

type Asked = '1g.6gb' | '2g.12gb' | '4g.24gb' | 'whole';
interface AskedGang {
  readonly asks: Asked;
  readonly count: number;
  readonly each: number;
  readonly cpu: number;
}

interface RepartitionWorld {
  readonly nodes: readonly { readonly devices: number; readonly config: Config; readonly cpu: number }[];
  readonly running: readonly AskedGang[];
  readonly waiting: readonly AskedGang[];
}

const gangs = (most: number): fc.Arbitrary<readonly AskedGang[]> =>
  fc.array(
    fc.record({
      asks: fc.constantFrom('1g.6gb', '2g.12gb', '4g.24gb', 'whole'),
      count: fc.integer({ min: 1, max: 4 }),
      each: fc.integer({ min: 1, max: 2 }),
      cpu: fc.constantFrom(1, 1, 4),
    }),
    { minLength: 1, maxLength: most },
  );

export const repartitionWorlds: fc.Arbitrary<RepartitionWorld> = fc.record({
  nodes: fc.array(
    fc.record({
      devices: fc.integer({ min: 1, max: 2 }),
      config: fc.constantFrom(...CONFIG_NAMES),
      cpu: fc.constantFrom(4, 32),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  running: gangs(2),
  waiting: gangs(3),
});

/** A node of A30s with this configuration. */
export function divided(name: string, devices: number, config: Config, cpu = 32): ClusterNode {
  const whole = node(name, devices, {
    devices: Array.from({ length: devices }, () => ({ model: 'A30', memoryMiB: 24 * 1024 })),
    migConfigs: CONFIGS,
  });
  return withMigConfig({ ...whole, allocatable: { ...whole.allocatable, cpu: cpu * 1000 } }, config);
}

/** A gang that asks each pod's instances, or whole devices. */
export function asking(name: string, { asks, count, each, cpu }: AskedGang, more: Partial<Gang> = {}): Gang {
  const pod =
    asks === 'whole'
      ? template(each, { accelerator: { kind: 'whole', count: each } })
      : template(0, { accelerator: { kind: 'mig', profile: asks, count: each } });
  return gang(name, count, { ...pod, request: { ...pod.request, cpu: cpu * 1000 } }, more);
}

function snapshotOf({ nodes, running, waiting }: RepartitionWorld): Snapshot {
  const first = cluster(
    nodes.map(({ devices, config, cpu }, i) => divided(`n${i}`, devices, config, cpu)),
    running.map((asked, i) => asking(`r${i}`, asked)),
    [],
    { queues: [{ name: 'q' }, { name: 'p' }] },
  );
  const pods = apply(first, decide(first, { ...DEFAULT_POLICY, actions: ['allocate'] }));
  const started = new Set(pods.map(({ gang: of }) => of));
  return {
    ...first,
    gangs: [
      ...first.gangs.filter(({ name }) => started.has(name)),
      ...waiting.map((asked, i) => asking(`w${i}`, asked, { arrival: NOW + i, queue: i % 2 === 0 ? 'q' : 'p' })),
    ],
    pods,
  };
}

const POLICY = { ...DEFAULT_POLICY, repartitionLimit: LIMIT };

/** The snapshot with the configurations applied. */
export function reconfigured(snapshot: Snapshot, configs: ReadonlyMap<string, string>): Snapshot {
  const nodes = snapshot.nodes.map((one) => {
    const config = configs.get(one.name);
    return config === undefined ? one : withMigConfig(one, config);
  });
  return { ...snapshot, nodes };
}

function configsOf({ repartitions = [] }: Decision): ReadonlyMap<string, string> {
  return new Map(repartitions.map(({ node: on, config }) => [on, config]));
}

/** @throws when a decision breaks a rule of repartitioning */
export function checkRepartition(runs: number, seed: number): void {
  fc.assert(fc.property(repartitionWorlds, checkWorld), { numRuns: runs, seed });
}

/** @throws Error that names the broken rule */
function checkWorld(world: RepartitionWorld): void {
  const snapshot = snapshotOf(world);
  const must = (holds: boolean, rule: string): void => {
    if (!holds) {
      throw new Error(rule);
    }
  };
  must(decide(snapshot).repartitions === undefined, 'off by default');

  const decision = decide(snapshot, POLICY);
  const configs = configsOf(decision);
  must(configs.size <= LIMIT && configs.size === (decision.repartitions ?? []).length, 'at most the limit');
  const inUse = new Set([...snapshot.pods, ...decision.bindings, ...decision.nominations].map(({ node: on }) => on));
  must(![...configs.keys()].some((name) => inUse.has(name)), 'no node whose devices are in use');

  const after = { ...snapshot, pods: apply(snapshot, decision) };
  const waitsFor = decision.pending.filter(({ kind }) => kind === 'repartition').map(({ gang: name }) => name);
  const startedBy = (changed: ReadonlyMap<string, string>): ReadonlySet<string> =>
    new Set(decide(reconfigured(after, changed)).bindings.map(({ gang: name }) => name));
  const starts = startedBy(configs);
  must(
    waitsFor.every((name) => starts.has(name)),
    'each gang that waits for a repartition starts after it',
  );
  const anyway = startedBy(new Map());
  must(!waitsFor.some((name) => anyway.has(name)), 'no gang waits for a repartition that it does not need');
  for (const { node: on, beneficiary } of decision.repartitions ?? []) {
    must(waitsFor.includes(beneficiary), 'the beneficiary waits for the repartition');
    const fewer = new Map([...configs].filter(([name]) => name !== on));
    must(
      waitsFor.some((name) => !startedBy(fewer).has(name)),
      'no node is repartitioned in vain',
    );
  }
  checkChanging(after, configs, waitsFor, must);
  const pending = decision.pending.map(({ gang: name }) => name);
  if (pending.length === 1 && configs.size === 0) {
    must(!anyConfigStarts(after, pending[0], inUse), 'what configurations of free nodes solve is found');
  }
}

/** While the nodes change, nothing starts on their devices, no further node changes for the same gangs, and they wait for the same. */
function checkChanging(
  after: Snapshot,
  configs: ReadonlyMap<string, string>,
  waitsFor: readonly string[],
  must: (holds: boolean, rule: string) => void,
): void {
  if (configs.size === 0) {
    return;
  }
  const nodes = after.nodes.map((one) => {
    const migChange = configs.get(one.name);
    return migChange === undefined ? one : { ...one, migChange };
  });
  const meanwhile = decide({ ...after, nodes }, POLICY);
  must(
    [...meanwhile.bindings, ...meanwhile.nominations].every(({ node: on }) => !configs.has(on)),
    'nothing starts on a node that changes',
  );
  must(
    !(meanwhile.repartitions ?? []).some(
      ({ node: on, beneficiary }) => configs.has(on) || waitsFor.includes(beneficiary),
    ),
    'a change that is enough is waited for',
  );
  must(
    waitsFor.every((name) => meanwhile.pending.some(({ gang: of, kind }) => of === name && kind === 'repartition')),
    'the reason stays while the nodes change',
  );
}

/** Brute force: does the gang start with any configurations of at most `LIMIT` free nodes? */
function anyConfigStarts(snapshot: Snapshot, name: string, inUse: ReadonlySet<string | undefined>): boolean {
  const free = snapshot.nodes.filter((one) => !inUse.has(one.name));
  const tries = (from: number, changed: ReadonlyMap<string, string>): boolean => {
    const world = reconfigured(snapshot, changed);
    if (
      changed.size > 0 &&
      decide(world, { ...DEFAULT_POLICY, actions: ['allocate'] }).bindings.some((one) => one.gang === name)
    ) {
      return true;
    }
    return (
      changed.size < LIMIT &&
      free
        .slice(from)
        .some((one, i) =>
          CONFIG_NAMES.some(
            (config) =>
              layoutOf(one, config) !== undefined && tries(from + i + 1, new Map([...changed, [one.name, config]])),
          ),
        )
    );
  };
  return tries(0, new Map());
}
