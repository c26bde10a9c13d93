/**
 * The configuration of Volcano's scheduler as a policy of the placement core.
 *
 * Source: volcano, pkg/scheduler/{conf,actions,plugins}.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { type Action, type NodeScore, type Policy } from '../../../placement';
import { type EnginePolicy, weightOf, withParts } from './engine-policy';

/**
 * Volcano's actions in the terms of the core. Its `backfill` starts pods without requests, which the core does in `allocate`; it promises no
 * nodes to a gang that waits, as backfill of the core does.
 */
const ACTIONS: Readonly<Record<string, readonly Action[]>> = {
  allocate: ['allocate'],
  backfill: [],
  preempt: ['preempt'],
  gangpreempt: ['preempt'],
  reclaim: ['reclaim'],
  gangreclaim: ['reclaim'],
};

/** Plugins that shape the policy, or whose subject the core decides in the same way; and the arguments and switches that are read. */
const PLUGINS: Readonly<Record<string, readonly string[]>> = {
  priority: [],
  gang: [],
  predicates: [],
  proportion: [],
  capacity: [],
  drf: ['enableJobOrder', 'enablePreemptable'],
  binpack: ['binpack.weight', 'enableNodeOrder'],
  nodeorder: ['leastrequested.weight', 'mostrequested.weight', 'enableNodeOrder'],
  'network-topology-aware': [],
};

/** Switches that are off unless they are set. */
const OFF_BY_DEFAULT = 'enableHierarchy';

interface Plugin {
  readonly name: string;
  readonly entry: JsonObject;
  readonly settings: JsonObject;
}

/** @param configuration the parsed text of `volcano-scheduler.conf` */
export function volcanoPolicy(configuration: JsonValue): EnginePolicy {
  const { actions, tiers } = asObject(configuration);
  const names = (asString(actions) ?? '').split(',').flatMap((name) => name.trim() || []);
  const plugins = asArray(tiers)
    .flatMap((tier) => asArray(asObject(tier).plugins))
    .filter(isObject)
    .map((entry): Plugin => ({ name: asString(entry.name) ?? '', entry, settings: asObject(entry.arguments) }));
  const find = (name: string): Plugin | undefined => plugins.find((plugin) => plugin.name === name);
  return {
    policy: {
      actions: [...new Set(names.flatMap((name) => (Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : [])))],
      ...queueOrderOf(find),
      gangOrder: find('drf') !== undefined && find('drf')?.entry.enableJobOrder !== false ? 'share' : 'age',
      nodeScore: nodeScoreOf(find),
      gangSpread: find('network-topology-aware') === undefined ? 'anywhere' : 'together',
      nonPreemptibleWithinQuota: false,
    },
    notMapped: [
      ...names.filter((name) => !Object.hasOwn(ACTIONS, name)).map((name) => `action ${name}`),
      ...plugins.flatMap(unmappedParts),
      ...['gang', 'priority'].filter((name) => find(name) === undefined).map((name) => `absence of plugin ${name}`),
    ],
  };
}

function queueOrderOf(find: (name: string) => Plugin | undefined): Partial<Policy> {
  if (find('proportion') !== undefined) {
    return { queueOrder: 'proportion' };
  }
  return find('capacity') === undefined ? {} : { queueOrder: 'quota-then-surplus' };
}

/** The direction in which the scores of the plugins pull together; where they cancel each other out, no node is preferred. */
function nodeScoreOf(find: (name: string) => Plugin | undefined): NodeScore {
  const weightIn = (name: string, argument: string, fallback: number): number => {
    const plugin = find(name);
    return plugin === undefined || plugin.entry.enableNodeOrder === false
      ? 0
      : weightOf(plugin.settings[argument], fallback);
  };
  const packing = weightIn('binpack', 'binpack.weight', 1) + weightIn('nodeorder', 'mostrequested.weight', 0);
  const spreading = weightIn('nodeorder', 'leastrequested.weight', 1);
  if (packing === spreading) {
    return 'first-fit';
  }
  return packing > spreading ? 'binpack' : 'spread';
}

function unmappedParts({ name, entry, settings }: Plugin): readonly string[] {
  if (!Object.hasOwn(PLUGINS, name)) {
    return [`plugin ${name}`];
  }
  const switched = Object.keys(entry).filter((key) =>
    key === OFF_BY_DEFAULT ? entry[key] === true : entry[key] === false,
  );
  const parts = [...switched, ...Object.keys(settings)].filter((key) => !PLUGINS[name].includes(key));
  if (name === 'drf' && entry.enablePreemptable !== false) {
    parts.push('preemption by share');
  }
  return parts.length === 0 ? [] : [withParts(`plugin ${name}`, parts)];
}
