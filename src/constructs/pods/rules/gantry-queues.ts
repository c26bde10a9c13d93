/**
 * Queues that pods for Gantry's scheduler name, against those of its configuration and of Volcano in the same manifests.
 */
import { GANTRY_PLACEMENT_GATE, GANTRY_QUEUE_LABEL, GANTRY_SCHEDULER } from '../../../facts/catalog';
import { type JsonObject } from '../../../facts/api/schema';
import { ObjectNames } from '../../../facts/spelling';
import { type PodTemplateRule, type Rule } from '../../../checks/rules/rule';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, stringsIn } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { CONFIGURATION_KEY, NAME_LABEL, SCHEDULER_NAME } from '../../../planning/scheduler-settings/deployment-names';

const VOLCANO_QUEUE = 'scheduling.volcano.sh/Queue';

interface KnownQueue {
  readonly parent?: string;
  /** Namespaces whose pods may use the queue. Absent: those of its parent, or all. */
  readonly namespaces?: readonly string[];
}

interface Queues {
  /** `schedulerName` of pods that the configured scheduler binds. */
  readonly schedulerName: string;
  readonly queues: ReadonlyMap<string, KnownQueue>;
  readonly names: ObjectNames;
}

const known = new WeakMap<ManifestSet, Queues | null>();

/** The queues of the one scheduler that the set configures; `undefined` where it configures none, or several. */
function queuesOf(set: ManifestSet): Queues | undefined {
  let queues = known.get(set);
  if (queues === undefined) {
    queues = readQueues(set) ?? null;
    known.set(set, queues);
  }
  return queues ?? undefined;
}

function readQueues(set: ManifestSet): Queues | undefined {
  const texts = set
    .ofKind('ConfigMap')
    .filter(({ object }) => asObject(asObject(object.metadata).labels)[NAME_LABEL] === SCHEDULER_NAME)
    .flatMap(({ object }) => asString(asObject(object.data)[CONFIGURATION_KEY]) ?? []);
  const parsed = texts.length === 1 ? parseValue(texts[0], CONFIGURATION_KEY) : undefined;
  if (parsed === undefined || !('value' in parsed) || !isObject(parsed.value)) {
    return undefined;
  }
  const configuration = parsed.value;
  const queues = new Map<string, KnownQueue>([[asString(configuration.defaultQueue) ?? 'default', {}]]);
  for (const { id, object } of set.ofKind(VOLCANO_QUEUE)) {
    queues.set(id.name, { parent: asString(asObject(object.spec).parent) });
  }
  for (const queue of asArray(configuration.queues).filter(isObject)) {
    queues.set(asString(queue.name) ?? '', {
      parent: asString(queue.parent),
      ...(Array.isArray(queue.namespaces) ? { namespaces: stringsIn(queue.namespaces) } : {}),
    });
  }
  return {
    schedulerName: asString(configuration.schedulerName) ?? GANTRY_SCHEDULER,
    queues,
    names: new ObjectNames(queues.keys()),
  };
}

function isPlacedBy({ schedulerName }: Queues, spec: JsonObject): boolean {
  return (
    spec.schedulerName === schedulerName ||
    asArray(spec.schedulingGates).some((gate) => asObject(gate).name === GANTRY_PLACEMENT_GATE)
  );
}

/** The namespaces of the queue, or of the nearest queue above it that names some. */
function namespacesOf(queues: ReadonlyMap<string, KnownQueue>, name: string): readonly string[] | undefined {
  const seen = new Set<string>();
  for (let at: string | undefined = name; at !== undefined && !seen.has(at); at = queues.get(at)?.parent) {
    const namespaces = queues.get(at)?.namespaces;
    if (namespaces !== undefined) {
      return namespaces;
    }
    seen.add(at);
  }
  return undefined;
}

const queueKnown: PodTemplateRule = {
  id: 'scheduling/gantry-queue-known',
  tier: 'advice',
  severity: 'info',
  on: 'pod-template',
  concerns: [GANTRY_QUEUE_LABEL],
  summary: `The queue in the label ${GANTRY_QUEUE_LABEL} should be one that Gantry's scheduler knows, and should admit the namespace.`,
  why: 'Pods in a queue that does not exist, or that does not admit their namespace, stay pending. The cluster may have more queues than the manifests.',
  source: 'Gantry, docs/scheduling.md',
  fix: `Set the label ${GANTRY_QUEUE_LABEL} to a queue in the scheduler's configuration, or add the queue to the configuration.`,
  *check({ manifest, metadata, spec }, { set }) {
    const found = queuesOf(set);
    const name = asString(asObject(metadata.labels)[GANTRY_QUEUE_LABEL]) ?? '';
    if (found === undefined || name === '' || !isPlacedBy(found, spec)) {
      return;
    }
    const path = pointer('/metadata/labels', GANTRY_QUEUE_LABEL);
    const { queues, names } = found;
    if (!queues.has(name)) {
      const near = names.nearest(name);
      yield {
        path,
        message: `queue "${name}" not found in the configuration of Gantry's scheduler${near === undefined ? '' : ` (did you mean "${near}"?)`}`,
        found: name,
        ...(near === undefined
          ? {}
          : {
              fix: `Set the label ${GANTRY_QUEUE_LABEL} to "${near}", or add the queue "${name}" to the configuration.`,
            }),
        expected: near ?? names.listed,
        ...(near === undefined ? {} : { severity: 'warning' as const }),
      };
      return;
    }
    const namespaces = namespacesOf(queues, name);
    const { namespace } = manifest.id;
    if (namespaces !== undefined && namespace !== '' && !namespaces.includes(namespace)) {
      yield {
        path,
        severity: 'warning',
        message: `the queue "${name}" does not admit pods of the namespace "${namespace}"`,
        found: name,
        expected: `a queue that admits the namespace "${namespace}"`,
        fix: `Add "${namespace}" to namespaces of the queue "${name}" in the scheduler's configuration, or set the label ${GANTRY_QUEUE_LABEL} to another queue.`,
      };
    }
  },
};

export const gantryQueueRules: readonly Rule[] = [queueKnown];
