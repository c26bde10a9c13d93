/**
 * A profile of kube-scheduler as a policy of the placement core.
 *
 * Source: kubernetes, staging/src/k8s.io/kube-scheduler/config/v1/types.go and pkg/scheduler/apis/config/v1/default_plugins.go.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { type NodeScore } from '../../../placement';
import { type EnginePolicy, weightOf, withParts } from './engine-policy';

const FIT = 'NodeResourcesFit';
const PREEMPTION = 'DefaultPreemption';
/** Plugins that make pods of a group start together, as the core does. */
const GANG_PLUGINS: ReadonlySet<string> = new Set(['Coscheduling', 'GangScheduling']);
const DEFAULT_PROFILE = 'default-scheduler';

/**
 * The profile of a scheduler name; `undefined` if the configuration has none.
 *
 * @param configuration a KubeSchedulerConfiguration
 */
export function profileOf(configuration: JsonObject, schedulerName: string): JsonObject | undefined {
  return asArray(configuration.profiles)
    .filter(isObject)
    .find((profile) => (asString(profile.schedulerName) ?? DEFAULT_PROFILE) === schedulerName);
}

export function kubeSchedulerPolicy(profile: JsonObject, configuration: JsonObject): EnginePolicy {
  const plugins = asObject(profile.plugins);
  const preempts = isEnabled(plugins, 'postFilter', PREEMPTION);
  return {
    policy: {
      actions: preempts ? ['allocate', 'preempt'] : ['allocate'],
      nodeScore: isEnabled(plugins, 'score', FIT) ? nodeScoreOf(argumentsOf(profile, FIT)) : 'first-fit',
      gangSpread: 'anywhere',
      nonPreemptibleWithinQuota: false,
    },
    notMapped: [
      ...['extenders', 'percentageOfNodesToScore'].filter((field) => configuration[field] !== undefined),
      ...Object.keys(plugins).flatMap((point) => namedPlugins(point, asObject(plugins[point]))),
      ...asArray(profile.pluginConfig).filter(isObject).flatMap(unmappedArguments),
    ],
  };
}

/** What is disabled at an extension point, or at all points, is off unless it is enabled again. */
function isEnabled(plugins: JsonObject, point: string, plugin: string): boolean {
  const [here, everywhere] = [asObject(plugins[point]), asObject(plugins.multiPoint)];
  const names = (list: JsonValue | undefined): boolean =>
    asArray(list).some((one) => asObject(one).name === plugin || asObject(one).name === '*');
  if (names(here.enabled) || names(here.disabled)) {
    return names(here.enabled);
  }
  return names(everywhere.enabled) || !names(everywhere.disabled);
}

function argumentsOf(profile: JsonObject, plugin: string): JsonObject {
  const entry = asArray(profile.pluginConfig)
    .filter(isObject)
    .find(({ name }) => name === plugin);
  return asObject(entry?.args);
}

/** By default, kube-scheduler prefers the node with the least in use. */
function nodeScoreOf(fit: JsonObject): NodeScore {
  const { type, requestedToCapacityRatio } = asObject(fit.scoringStrategy);
  if (type === 'MostAllocated') {
    return 'binpack';
  }
  if (type !== 'RequestedToCapacityRatio') {
    return 'spread';
  }
  const shape = asArray(asObject(requestedToCapacityRatio).shape)
    .filter(isObject)
    .map(({ utilization, score }) => ({ utilization: weightOf(utilization, 0), score: weightOf(score, 0) }))
    .sort((a, b) => a.utilization - b.utilization);
  const rise = (shape.at(-1)?.score ?? 0) - (shape[0]?.score ?? 0);
  return rise === 0 ? 'first-fit' : rise > 0 ? 'binpack' : 'spread';
}

/** Plugins that the profile turns on or off, without those that are read. */
function namedPlugins(point: string, { enabled, disabled }: JsonObject): readonly string[] {
  const named = (list: JsonValue | undefined): readonly string[] =>
    asArray(list)
      .flatMap((one) => asString(asObject(one).name) ?? [])
      .filter((name) => !GANG_PLUGINS.has(name) && !isRead(point, name));
  return [
    ...named(enabled).map((name) => `plugin ${name} (${point})`),
    ...named(disabled).map((name) => `disabled plugin ${name} (${point})`),
  ];
}

function isRead(point: string, plugin: string): boolean {
  return (
    (plugin === FIT && ['score', 'multiPoint'].includes(point)) ||
    (plugin === PREEMPTION && ['postFilter', 'multiPoint'].includes(point))
  );
}

function unmappedArguments({ name, args }: JsonObject): readonly string[] {
  const plugin = asString(name) ?? '';
  const { scoringStrategy, ...others } = asObject(args);
  const parts = Object.keys(others).filter((key) => key !== 'apiVersion' && key !== 'kind');
  if (plugin !== FIT) {
    return GANG_PLUGINS.has(plugin) ? [] : [`arguments of plugin ${plugin}`];
  }
  if (asObject(scoringStrategy).resources !== undefined) {
    parts.push('scoringStrategy.resources');
  }
  return parts.length === 0 ? [] : [withParts(`arguments of plugin ${FIT}`, parts)];
}
