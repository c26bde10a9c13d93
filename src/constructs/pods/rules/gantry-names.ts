/**
 * Labels and annotations of `gantry.dev` on pods. Only Gantry reads them, so no other component reports mistakes in them.
 */
import {
  findGantryNames,
  GANTRY_CHECKPOINT_SECONDS,
  GANTRY_EXPECTED_SECONDS,
  GANTRY_GANG_LABEL,
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_MINIMUM_RUNTIME,
  GANTRY_NAMES,
  GANTRY_PLACEMENT_GATE,
  GANTRY_PREEMPTIBLE,
  GANTRY_PREFIX,
  GANTRY_QUEUE_LABEL,
  GANTRY_SCHEDULER,
  type GantryName,
  GANTRY_TOPOLOGY_PREFERRED,
  GANTRY_TOPOLOGY_REQUIRED,
} from '../../../facts/catalog';
import { type JsonObject } from '../../../facts/api/schema';
import {
  type ObjectRule,
  type PodTemplateRule,
  type Rule,
  type RuleFacts,
  type SetRule,
  type Violation,
} from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { readGantryStatement } from '../../../manifests/pods/gantry-statement';
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { counted } from '../../../facts/words';

const SOURCE = 'Gantry, docs/scheduling.md';
/** What is said of a gang as a whole. */
const OF_THE_GANG = [
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_TOPOLOGY_REQUIRED,
  GANTRY_TOPOLOGY_PREFERRED,
  GANTRY_CHECKPOINT_SECONDS,
  GANTRY_EXPECTED_SECONDS,
  GANTRY_PREEMPTIBLE,
];
const READ_ON_PODS = [...OF_THE_GANG, GANTRY_MINIMUM_RUNTIME];

const known: RuleFacts = {
  id: 'scheduling/gantry-name-known',
  row: 'GS1',
  tier: 'advice',
  severity: 'error',
  summary: `A label, annotation, or scheduling gate that begins with ${GANTRY_PREFIX} must be one that Gantry reads, on the right object.`,
  why: 'An unknown name has no effect, and a pod with an unknown gate waits forever.',
  source: SOURCE,
  fix: `Rename the key to one that Gantry reads, such as ${GANTRY_GANG_LABEL}, or remove it.`,
};

const PLACES = [
  ['labels', 'label'],
  ['annotations', 'annotation'],
] as const;

function* unknownNames(metadata: JsonObject, base: string): Iterable<Violation> {
  for (const [field, place] of PLACES) {
    for (const key of Object.keys(asObject(metadata[field]))) {
      if (key.startsWith(GANTRY_PREFIX)) {
        yield* misplaced(key, place, pointer(`${base}/${field}`, key));
      }
    }
  }
}

function* misplaced(key: string, place: GantryName['place'], path: string): Iterable<Violation> {
  const [name, ...others] = findGantryNames(key);
  if ([name, ...others].some((candidate) => candidate?.place === place)) {
    return;
  }
  if (name !== undefined) {
    yield {
      path,
      message: `"${key}" must be set as ${aPlace(name.place)}, not as ${aPlace(place)}`,
      found: key,
      expected: aPlace(name.place),
      fix: `Set "${key}" as ${aPlace(name.place)}, and remove the ${place}.`,
    };
    return;
  }
  const near = nearestName(
    key,
    GANTRY_NAMES.filter((candidate) => candidate.place === place).map((candidate) => candidate.key),
  );
  yield {
    path,
    message: `unknown Gantry ${place} "${key}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`,
    found: key,
    expected: near,
    ...(place === 'scheduling gate'
      ? { fix: `Set the name in schedulingGates to ${GANTRY_PLACEMENT_GATE}, or remove the gate.` }
      : near === undefined
        ? {}
        : { fix: `Rename the ${place} to ${near}, or remove it.` }),
  };
}

function aPlace(place: GantryName['place']): string {
  return `${place === 'annotation' ? 'an' : 'a'} ${place}`;
}

const objectNames: ObjectRule = {
  ...known,
  on: 'object',
  kinds: ['*'],
  check: ({ object }) => unknownNames(asObject(object.metadata), '/metadata'),
};

const podNames: PodTemplateRule = {
  ...known,
  id: 'scheduling/gantry-pod-name-known',
  summary: `In a pod template, a label, annotation, or scheduling gate that begins with ${GANTRY_PREFIX} must be one that Gantry reads.`,
  on: 'pod-template',
  sees: 'template',
  *check({ metadata, spec, isPod }) {
    if (!isPod) {
      yield* unknownNames(metadata, '/metadata');
    }
    for (const [index, gate] of asArray(spec.schedulingGates).entries()) {
      const name = asString(asObject(gate).name) ?? '';
      if (name.startsWith(GANTRY_PREFIX)) {
        yield* misplaced(name, 'scheduling gate', `/spec/schedulingGates/${index}/name`);
      }
    }
  },
};

const readable: PodTemplateRule = {
  id: 'scheduling/gantry-value-readable',
  row: 'GS2',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'template',
  concerns: READ_ON_PODS,
  summary:
    "The values of Gantry's labels and annotations must have the form that Gantry reads: counts, seconds, booleans, label keys.",
  why: 'Gantry treats a value that it cannot read as unset.',
  source: SOURCE,
  fix: 'Set the annotation to a string of the expected form, for example "4".',
  *check({ metadata }) {
    for (const { key, found, expected } of readGantryStatement(metadata).problems) {
      yield {
        path: pointer('/metadata/annotations', key),
        message: `invalid value for ${key}: ${JSON.stringify(found)}`,
        found,
        expected,
        fix: `Set annotations["${key}"] to ${expected}, as a string.`,
      };
    }
  },
};

function schedulerOf({ schedulerName }: JsonObject): string {
  const name = asString(schedulerName);
  return name === undefined ? 'the default scheduler' : `the scheduler "${name}"`;
}

function hasGate(spec: JsonObject): boolean {
  return asArray(spec.schedulingGates).some((gate) => asObject(gate).name === GANTRY_PLACEMENT_GATE);
}

const oneWay: PodTemplateRule = {
  id: 'scheduling/gantry-binds-or-hands-over',
  row: 'GS3',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'template',
  concerns: ['schedulingGates'],
  summary: `A pod with the gate ${GANTRY_PLACEMENT_GATE} must not use Gantry as its scheduler.`,
  why: 'Gantry places the pod and hands it over to its scheduler, which is Gantry again, so the pod is never bound.',
  source: SOURCE,
  fix: `Remove schedulerName, so that another scheduler binds the pod, or remove ${GANTRY_PLACEMENT_GATE} from schedulingGates, so that Gantry binds it.`,
  *check({ spec }) {
    if (hasGate(spec) && spec.schedulerName === GANTRY_SCHEDULER) {
      yield {
        path: '/spec/schedulerName',
        message: `the scheduling gate ${GANTRY_PLACEMENT_GATE} must not be set when schedulerName is ${GANTRY_SCHEDULER}`,
        found: GANTRY_SCHEDULER,
        expected: 'either the gate or the scheduler',
      };
    }
  },
};

const heard: PodTemplateRule = {
  id: 'scheduling/gantry-listens',
  row: 'GS4',
  tier: 'advice',
  severity: 'info',
  on: 'pod-template',
  sees: 'template',
  concerns: [GANTRY_GANG_LABEL, ...READ_ON_PODS],
  summary: "A pod with Gantry's labels or annotations must be scheduled by Gantry or have its gate.",
  why: 'Another scheduler does not read them. If an admission policy of the cluster adds the gate, suppress this rule.',
  source: SOURCE,
  fix: `Set schedulerName: ${GANTRY_SCHEDULER}, or add ${GANTRY_PLACEMENT_GATE} to schedulingGates.`,
  *check({ metadata, spec }) {
    const found = [...Object.keys(asObject(metadata.labels)), ...Object.keys(asObject(metadata.annotations))].filter(
      (key) => key === GANTRY_GANG_LABEL || READ_ON_PODS.includes(key),
    );
    const [first] = found;
    if (first === undefined || spec.schedulerName === GANTRY_SCHEDULER || hasGate(spec)) {
      return;
    }
    yield {
      path: '/metadata',
      message: `"${first}" has no effect, because ${schedulerOf(spec)} schedules the pod`,
      found: first,
    };
  },
};

const named: PodTemplateRule = {
  id: 'scheduling/gantry-gang-named',
  row: 'GS5',
  tier: 'advice',
  severity: 'warning',
  on: 'pod-template',
  sees: 'template',
  concerns: [GANTRY_GANG_MIN_MEMBER, GANTRY_GANG_PER_LABEL],
  summary: `Pods that set the size of a gang must have the gang label ${GANTRY_GANG_LABEL}.`,
  why: 'Without the label each pod is a gang of its own, unless Gantry knows the gang from its controller or a PodGroup.',
  source: SOURCE,
  fix: `Set metadata.labels["${GANTRY_GANG_LABEL}"] to the name of the gang.`,
  *check({ metadata }) {
    if (asObject(metadata.labels)[GANTRY_GANG_LABEL] !== undefined) {
      return;
    }
    for (const key of [GANTRY_GANG_MIN_MEMBER, GANTRY_GANG_PER_LABEL]) {
      const value = asObject(metadata.annotations)[key];
      if (value !== undefined) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `${key} has no effect on pods without the label ${GANTRY_GANG_LABEL}`,
          found: value,
          expected: `the label ${GANTRY_GANG_LABEL}`,
        };
      }
    }
  },
};

interface GangOfSet {
  readonly name: string;
  readonly templates: readonly PodTemplate[];
}

/** Templates of one namespace with one gang label. */
function gangsIn(templates: readonly PodTemplate[]): readonly GangOfSet[] {
  const gangs = new Map<string, { name: string; templates: PodTemplate[] }>();
  for (const template of templates) {
    const name = asString(asObject(template.metadata.labels)[GANTRY_GANG_LABEL]);
    if (name === undefined || name === '') {
      continue;
    }
    const key = `${template.manifest.id.namespace}/${name}`;
    const gang = gangs.get(key) ?? { name, templates: [] };
    gang.templates.push(template);
    gangs.set(key, gang);
  }
  return [...gangs.values()];
}

type Found = Violation & { readonly manifest: Manifest };

const agreed: SetRule = {
  id: 'scheduling/gantry-gang-agrees',
  row: 'GS6',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'All pods of a gang must set the same values for the gang, and the same queue.',
  why: 'Gantry uses the values of the first pod that it sees, which may be any of them.',
  source: SOURCE,
  fix: `Set the same gang annotations and the same label ${GANTRY_GANG_LABEL} in every template of the gang.`,
  *check({ set }): Iterable<Found> {
    for (const { name, templates } of gangsIn(set.podTemplates)) {
      const [first, ...others] = templates;
      for (const other of others) {
        if (first !== undefined) {
          yield* differences(name, first, other);
        }
      }
    }
  },
};

function* differences(gang: string, first: PodTemplate, other: PodTemplate): Iterable<Found> {
  const said = (template: PodTemplate, key: string): string | undefined =>
    asString(asObject(template.metadata[key === GANTRY_QUEUE_LABEL ? 'labels' : 'annotations'])[key]);
  for (const key of [GANTRY_QUEUE_LABEL, ...OF_THE_GANG]) {
    const [one, two] = [said(first, key), said(other, key)];
    if (one === two) {
      continue;
    }
    yield {
      manifest: other.manifest,
      path: `${other.path}/metadata`,
      message: `${key} must be the same in all templates of the gang "${gang}", but is ${shown(two)} here and ${shown(one)} in ${placeOf(first)}`,
      found: two ?? null,
      expected: one ?? 'unset',
      fix: one === undefined ? `Remove ${key}, or set it in all templates of the gang.` : `Set ${key} to "${one}".`,
    };
  }
}

const complete: SetRule = {
  id: 'scheduling/gantry-gang-has-its-pods',
  row: 'GS7',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'A gang must have at least as many pods as it needs to start.',
  why: 'A gang that needs more pods than are created never starts.',
  source: SOURCE,
  fix: `Decrease ${GANTRY_GANG_MIN_MEMBER}, or increase the replicas of the workload.`,
  *check({ set }): Iterable<Found> {
    for (const { name, templates } of gangsIn(set.podTemplates)) {
      const [first] = templates;
      const minimum = first === undefined ? undefined : readGantryStatement(first.metadata).minMember;
      if (first === undefined || minimum === undefined) {
        continue;
      }
      // A count below 0 is reported where it is.
      if (templates.some(({ count, manifest }) => count === undefined || count < 0 || grows(manifest))) {
        continue;
      }
      const pods = templates.reduce((sum, { count = 0 }) => sum + count, 0);
      if (minimum > pods) {
        yield {
          manifest: first.manifest,
          path: pointer(`${first.path}/metadata/annotations`, GANTRY_GANG_MIN_MEMBER),
          message: `the gang "${name}" needs ${counted(minimum, 'pod')} to start, but has only ${pods}`,
          found: String(minimum),
          expected: `at most ${pods}`,
          fix: `Set ${GANTRY_GANG_MIN_MEMBER} to at most "${pods}", or increase the replicas of the workload.`,
        };
      }
    }
  },
};

const shown = (value: string | undefined): string => (value === undefined ? 'unset' : `"${value}"`);

/** `Job "train"`, with the role where the workload has several. */
const placeOf = ({ manifest, role }: PodTemplate): string =>
  `${manifest.id.kind} "${manifest.id.name}"${manifest.id.kind.toLowerCase() === role ? '' : ` (role "${role}")`}`;

/** Kinds that make more pods than they begin with. */
function grows({ object }: Manifest): boolean {
  const spec = asObject(object.spec);
  return isObject(spec.elasticPolicy) || spec.enableInTreeAutoscaling === true;
}

export const gantryNameRules: readonly Rule[] = [
  objectNames,
  podNames,
  readable,
  oneWay,
  heard,
  named,
  agreed,
  complete,
];
