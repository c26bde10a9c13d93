/**
 * The configuration of Gantry's own scheduler, as its ConfigMap in a set of manifests or in a cluster states it.
 */
import { GANTRY_PLACEMENT_GATE } from '../../../facts/catalog/gantry-names';
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type Configuration, ConfigurationError, readConfiguration } from '../../scheduler-settings/configuration';
import { CONFIGURATION_KEY, NAME_LABEL, SCHEDULER_NAME } from '../../scheduler-settings/deployment-names';
import { kindOf, nameOf } from '../lookups';

export interface FoundConfiguration {
  readonly configuration: Configuration;
  /** `namespace/name` of the ConfigMap. */
  readonly from: string;
}

export interface FoundConfigurations {
  /** @default - there is none, or it cannot be read */
  readonly found?: FoundConfiguration;
  /** What a reader of the plan has to know: what was ignored, and why. */
  readonly notes: readonly string[];
}

/**
 * Finds the configuration.
 *
 * @param lists objects, those that win first: manifests replace the ConfigMap of the same name in the cluster
 */
export function schedulerConfigurationIn(...lists: readonly (readonly JsonObject[])[]): FoundConfigurations {
  const texts = new Map<string, string>();
  for (const object of lists.flatMap((list) => list.filter(isSchedulerConfiguration))) {
    const from = `${asString(asObject(object.metadata).namespace) ?? 'default'}/${nameOf(object)}`;
    const text = asString(asObject(object.data)[CONFIGURATION_KEY]);
    if (text !== undefined && !texts.has(from)) {
      texts.set(from, text);
    }
  }
  const notes: string[] = [];
  let found: FoundConfiguration | undefined;
  for (const [from, text] of texts) {
    if (found !== undefined) {
      notes.push(`ConfigMap ${from} configures another Gantry scheduler and is ignored; the plan uses ${found.from}.`);
      continue;
    }
    try {
      found = { configuration: readConfiguration(text, `ConfigMap ${from}`), from };
    } catch (error) {
      if (!(error instanceof ConfigurationError)) {
        throw error;
      }
      notes.push(`ConfigMap ${from} cannot be read as the configuration of Gantry's scheduler: ${error.faults[0]}`);
    }
  }
  return { ...(found !== undefined && { found }), notes };
}

function isSchedulerConfiguration(object: JsonObject): boolean {
  return kindOf(object) === 'ConfigMap' && asObject(asObject(object.metadata).labels)[NAME_LABEL] === SCHEDULER_NAME;
}

/** Whether pods of this specification are placed by the scheduler: directly, or before they are handed over. */
export function isScheduledBy(configuration: Configuration, podSpec: JsonObject): boolean {
  return (
    asString(podSpec.schedulerName) === configuration.schedulerName ||
    asArray(podSpec.schedulingGates).some((gate) => asObject(gate).name === GANTRY_PLACEMENT_GATE)
  );
}
