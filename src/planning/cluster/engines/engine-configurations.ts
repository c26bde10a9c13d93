/**
 * The configurations of other schedulers in a set of manifests or in a cluster: ConfigMaps of Volcano, Kueue, and kube-scheduler.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { SCHEDULER_CONF_KEY } from '../../../facts/catalog/volcano-names';
import { asObject, asString, isObject } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { kindOf, nameOf, namespaceOf } from '../lookups';

export type Engine = 'volcano' | 'kueue' | 'kube-scheduler';

export interface EngineConfiguration {
  readonly engine: Engine;
  /** `ConfigMap namespace/name`. */
  readonly from: string;
  readonly value: JsonObject;
}

export interface EngineConfigurations {
  /** The first of each engine. */
  readonly found: ReadonlyMap<Engine, EngineConfiguration>;
  /** What cannot be read, and what is ignored. */
  readonly notes: readonly { readonly engine: Engine; readonly text: string }[];
}

const GROUPS: readonly (readonly [string, Engine])[] = [
  ['config.kueue.x-k8s.io', 'kueue'],
  ['kubescheduler.config.k8s.io', 'kube-scheduler'],
];

/** @param lists objects, those that win first: manifests replace the ConfigMap of the same name in the cluster */
export function engineConfigurationsIn(lists: readonly (readonly JsonObject[])[]): EngineConfigurations {
  const found = new Map<Engine, EngineConfiguration>();
  const seen = new Set<string>();
  const notes: { engine: Engine; text: string }[] = [];
  for (const object of lists.flat().filter((one) => kindOf(one) === 'ConfigMap')) {
    const from = `ConfigMap ${namespaceOf(object)}/${nameOf(object)}`;
    if (seen.has(from)) {
      continue;
    }
    seen.add(from);
    for (const [key, written] of Object.entries(asObject(object.data))) {
      const engine = engineOf(key, written);
      if (engine === undefined) {
        continue;
      }
      const value = read(asString(written) ?? '', from);
      const first = found.get(engine);
      if (typeof value === 'string') {
        notes.push({
          engine,
          text: `${from} cannot be read as the configuration of ${ENGINE_NAMES[engine]}: ${value}`,
        });
      } else if (first !== undefined) {
        notes.push({
          engine,
          text: `${from} is ignored; the configuration of ${ENGINE_NAMES[engine]} is that of ${first.from}.`,
        });
      } else {
        found.set(engine, { engine, from, value });
      }
    }
  }
  return { found, notes };
}

/** What messages call the engines. */
export const ENGINE_NAMES: Readonly<Record<Engine, string>> = {
  volcano: "Volcano's scheduler",
  kueue: 'Kueue',
  'kube-scheduler': 'kube-scheduler',
};

function engineOf(key: string, text: JsonValue): Engine | undefined {
  if (typeof text !== 'string') {
    return undefined;
  }
  return key === SCHEDULER_CONF_KEY
    ? 'volcano'
    : GROUPS.find(([group]) => new RegExp(`^\\s*"?apiVersion"?:\\s*"?${group}/`, 'm').test(text))?.[1];
}

/** The value, or why it cannot be read. */
function read(text: string, file: string): JsonObject | string {
  const parsed = parseValue(text, file);
  if ('problem' in parsed) {
    const { position, message } = parsed.problem;
    return `line ${position.line}: ${message}`;
  }
  return isObject(parsed.value) ? parsed.value : 'it is not a map.';
}
