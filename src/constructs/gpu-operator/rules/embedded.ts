/**
 * Finds the configurations that are embedded in ConfigMaps (those that a ClusterPolicy names, and those that look like one) and in
 * the values of the operator's chart, which creates ConfigMaps from them.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { type ConfigProblem } from '../config-problem';
import {
  type DcgmReading,
  DCGM_OPERATOR_KEY,
  DCGM_STANDALONE_KEY,
  isDcgmCounters,
  readDcgmCounters,
} from '../dcgm-counters-text';
import { type DevicePluginReading, isDevicePluginConfig, readDevicePluginConfig } from '../device-plugin-text';
import { isMigConfig, MIG_CONFIG_KEY, type MigConfigReading, readMigConfig } from '../mig-parted-text';

export const CLUSTER_POLICY = 'nvidia.com/ClusterPolicy';
export const GPU_CLUSTER = 'nvidia.com/GPUCluster';
export const CONFIG_KINDS: readonly string[] = [
  'ConfigMap',
  'helm.toolkit.fluxcd.io/HelmRelease',
  'argoproj.io/Application',
];

/** A configuration in a ConfigMap. */
export interface Embedded<Reading> {
  readonly key: string;
  readonly path: string;
  readonly reading: Reading;
}

type Component = 'devicePlugin' | 'migManager' | 'dcgmExporter';

const namedBySet = new WeakMap<ManifestSet, Map<Component, ReadonlySet<string>>>();

/** The names of the ConfigMaps that the operator's settings name for a component. */
export function namedMaps(set: ManifestSet, component: Component): ReadonlySet<string> {
  const byComponent = namedBySet.get(set) ?? new Map<Component, ReadonlySet<string>>();
  namedBySet.set(set, byComponent);
  let named = byComponent.get(component);
  if (named === undefined) {
    const policies = [...set.ofKind(CLUSTER_POLICY), ...set.ofKind(GPU_CLUSTER)];
    const names = policies.map(({ object }) => mapNameOf(object, component));
    named = new Set(names.filter((name): name is string => name !== undefined && name !== ''));
    byComponent.set(component, named);
  }
  return named;
}

export function mapNameOf(policy: JsonObject, component: Component): string | undefined {
  return asString(asObject(asObject(asObject(policy.spec)[component]).config).name);
}

interface Finder<Reading> {
  readonly component: Component;
  readonly takes: (key: string, text: string, named: boolean) => boolean;
  readonly read: (text: string) => Reading;
}

interface Found<Reading> {
  /** Whether a ClusterPolicy names the ConfigMap: it decides what is read. */
  readonly named: boolean;
  readonly configs: readonly Embedded<Reading>[];
}

/** Each ConfigMap is looked through once per component, however many rules ask. */
function finder<Reading>({ component, takes, read }: Finder<Reading>): Find<Reading> {
  const cache = new WeakMap<Manifest, Found<Reading>>();
  return (manifest, set) => {
    const place = dataOf(manifest, component);
    const named = place.inChart || namedMaps(set, component).has(manifest.id.name);
    const known = cache.get(manifest);
    if (known?.named === named) {
      return known.configs;
    }
    const configs = stringEntries(place.data)
      .filter(([key, text]) => takes(key, text, named))
      .map(([key, text]) => ({ key, path: pointer(place.path, key), reading: read(text) }));
    cache.set(manifest, { named, configs });
    return configs;
  };
}

interface DataPlace {
  readonly data: JsonValue | undefined;
  readonly path: string;
  readonly inChart: boolean;
}

/** Where the texts of a manifest are: in a ConfigMap's data, or in the values of the operator's chart. */
function dataOf(manifest: Manifest, component: Component): DataPlace {
  if (manifest.id.kind === 'ConfigMap') {
    return { data: manifest.object.data, path: '/data', inChart: false };
  }
  const flux = manifest.id.kind === 'HelmRelease';
  return {
    data: asObject(asObject(operatorValues(manifest)?.[component]).config).data,
    path: `${flux ? '/spec/values' : '/spec/source/helm/valuesObject'}/${component}/config/data`,
    inChart: true,
  };
}

/** The values that a HelmRelease or an Application gives the operator's chart; `undefined` for another chart. */
export function operatorValues({ id, object }: Manifest): JsonObject | undefined {
  const spec = asObject(object.spec);
  const source = asObject(spec.source);
  const flux = id.kind === 'HelmRelease';
  const chart = flux ? asObject(asObject(spec.chart).spec).chart : source.chart;
  return chart === 'gpu-operator' ? asObject(flux ? spec.values : asObject(source.helm).valuesObject) : undefined;
}

export type Find<Reading> = (manifest: Manifest, set: ManifestSet) => readonly Embedded<Reading>[];

export const devicePluginConfigsOf: Find<DevicePluginReading> = finder({
  component: 'devicePlugin',
  takes: (_key, text, named) => named || isDevicePluginConfig(text),
  read: readDevicePluginConfig,
});
export const migConfigsOf: Find<MigConfigReading> = finder({
  component: 'migManager',
  takes: (key, text, named) => (named && key === MIG_CONFIG_KEY) || isMigConfig(text),
  read: readMigConfig,
});
export const dcgmCountersOf: Find<DcgmReading> = finder({
  component: 'dcgmExporter',
  takes: (key, text, named) =>
    key === DCGM_OPERATOR_KEY || (named && key === DCGM_STANDALONE_KEY) || isDcgmCounters(text),
  read: readDcgmCounters,
});

type Facts = Omit<RuleFacts, 'id' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

const applying = new Map<Find<unknown>, NonNullable<ObjectRule['appliesTo']>>();

/** One function for all rules over the configurations of a component. */
function appliesTo(of: Find<unknown>): NonNullable<ObjectRule['appliesTo']> {
  let applies = applying.get(of);
  if (applies === undefined) {
    applies = (manifest, { set }) => of(manifest, set).length > 0;
    applying.set(of, applies);
  }
  return applies;
}

/** A rule over the configurations of one component; its id without the domain. */
export function embeddedRule<Reading>(
  id: string,
  facts: Facts,
  of: Find<Reading>,
  check: (config: Embedded<Reading>, manifest: Manifest, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `gpu-operator/${id}`,
    on: 'object',
    kinds: CONFIG_KINDS,
    appliesTo: appliesTo(of),
    check: function* (manifest, context) {
      for (const config of of(manifest, context.set)) {
        yield* check(config, manifest, context);
      }
    },
  };
}

/** A message that names its place: `sharing.mps.resources must have at least one resource`. */
function placedMessage(at: string, message: string): string {
  const field = at.slice(at.lastIndexOf('.') + 1);
  if (at === '' || message.includes(at) || message.startsWith('unknown key ')) {
    return message;
  }
  return message.startsWith(`${field} `) ? `${at}${message.slice(field.length)}` : `${at}: ${message}`;
}

/** A rule that reports what a reader noted. */
export function problemRule<Kind extends string>(
  id: string,
  facts: Facts,
  of: Find<{ readonly problems: readonly ConfigProblem<Kind>[] }>,
  ...kinds: readonly Kind[]
): ObjectRule {
  return embeddedRule(id, facts, of, function* ({ path, reading }) {
    for (const problem of reading.problems) {
      if (!kinds.includes(problem.kind)) {
        continue;
      }
      const { at, message, found, expected } = problem;
      const isTypeOfField =
        at !== '' && /^(?:an? |at least |true or false$)/.test(expected ?? '') && !expected?.includes('{}');
      const fix = problem.fix ?? (isTypeOfField ? `Set ${at} to ${expected}.` : facts.fix);
      yield {
        path,
        message: placedMessage(at, message),
        found,
        expected,
        fix,
      };
    }
  });
}
