/**
 * What pods say to Gantry in names of `gantry.dev`: read by nobody else, so nobody else complains.
 */
import {
  findGantryNames,
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
} from '../../../checks/rule';
import { nearestName } from '../../../facts/spelling';
import { readGantryStatement } from '../../../manifests/gantry-statement';
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pod-template';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';

const SOURCE = 'Gantry, docs/scheduling.md';
/** What is said of a gang as a whole. */
const OF_THE_GANG = [
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_TOPOLOGY_REQUIRED,
  GANTRY_TOPOLOGY_PREFERRED,
  GANTRY_EXPECTED_SECONDS,
  GANTRY_PREEMPTIBLE,
];
const READ_ON_PODS = [...OF_THE_GANG, GANTRY_MINIMUM_RUNTIME];

const known: RuleFacts = {
  id: 'scheduling/gantry-name-known',
  row: 'GS1',
  tier: 'advice',
  severity: 'error',
  summary: `A label, annotation or scheduling gate that begins with ${GANTRY_PREFIX} is one that Gantry knows, in its place.`,
  why: 'A name that nobody reads does nothing; a gate that nobody removes keeps the pod waiting for ever.',
  source: SOURCE,
  fix: 'Correct the name, or put it where it is read.',
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
      message: `${key} is ${aPlace(name.place)}, not ${aPlace(place)}`,
      found: key,
      expected: aPlace(name.place),
    };
    return;
  }
  const near = nearestName(
    key,
    GANTRY_NAMES.filter((candidate) => candidate.place === place).map((candidate) => candidate.key),
  );
  yield {
    path,
    message: `Gantry knows no ${place} ${key}${near === undefined ? '' : `; did you mean ${near}?`}`,
    found: key,
    expected: near,
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
  summary: `In a pod template too, a label, annotation or scheduling gate that begins with ${GANTRY_PREFIX} is one that Gantry knows.`,
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
  summary: 'Gantry can read what pods say to it: counts, seconds, booleans, keys of labels.',
  why: 'What it cannot read counts as not said.',
  source: SOURCE,
  fix: 'Write a value of the form named, as a text.',
  *check({ metadata }) {
    for (const { key, found, expected } of readGantryStatement(metadata).problems) {
      yield {
        path: pointer('/metadata/annotations', key),
        message: `Gantry cannot read ${key}: ${JSON.stringify(found)}`,
        found,
        expected,
      };
    }
  },
};

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
  summary: `A pod with the gate ${GANTRY_PLACEMENT_GATE} does not name Gantry as its scheduler.`,
  why: 'Gantry places it and hands it over to the scheduler that the pod names, which is Gantry again: nobody binds it.',
  source: SOURCE,
  fix: 'Leave schedulerName out to hand over, or the gate to let Gantry bind.',
  *check({ spec }) {
    if (hasGate(spec) && spec.schedulerName === GANTRY_SCHEDULER) {
      yield {
        path: '/spec/schedulerName',
        message: 'the pod has the gate for the hand-over, and names Gantry as its scheduler',
        found: GANTRY_SCHEDULER,
        expected: 'the gate, or the scheduler',
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
  summary: 'A pod that speaks to Gantry is scheduled by it, or has its gate.',
  why: 'Another scheduler does not read these names. Where a policy of the cluster adds the gate, all is well.',
  source: SOURCE,
  fix: `Name the scheduler ${GANTRY_SCHEDULER}, or add the gate ${GANTRY_PLACEMENT_GATE}.`,
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
      message: `the pod says ${first} to Gantry, and is scheduled by ${asString(spec.schedulerName) ?? 'the default scheduler'}`,
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
  summary: `Pods that state a gang's size carry its label ${GANTRY_GANG_LABEL}.`,
  why: 'Without it each pod is a gang of one, unless its controller or a PodGroup tells Gantry the gang.',
  source: SOURCE,
  fix: `Add the label ${GANTRY_GANG_LABEL}.`,
  *check({ metadata }) {
    if (asObject(metadata.labels)[GANTRY_GANG_LABEL] !== undefined) {
      return;
    }
    for (const key of [GANTRY_GANG_MIN_MEMBER, GANTRY_GANG_PER_LABEL]) {
      const value = asObject(metadata.annotations)[key];
      if (value !== undefined) {
        yield {
          path: pointer('/metadata/annotations', key),
          message: `${key} stands on pods of no gang`,
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
  summary: 'All pods of a gang say the same of it, and name the same queue.',
  why: 'Gantry takes what the first of them says, whichever that is.',
  source: SOURCE,
  fix: 'Write the same on every template of the gang.',
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
      message: `the gang ${gang} has ${key} "${two ?? ''}" in ${other.role}, "${one ?? ''}" in ${first.role}`,
      found: two ?? null,
      expected: one ?? 'nothing',
    };
  }
}

const complete: SetRule = {
  id: 'scheduling/gantry-gang-has-its-pods',
  row: 'GS7',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'A gang has as many pods as it needs to start.',
  why: 'A gang that waits for more pods than are made never starts.',
  source: SOURCE,
  fix: `Lower ${GANTRY_GANG_MIN_MEMBER}, or make more pods.`,
  *check({ set }): Iterable<Found> {
    for (const { name, templates } of gangsIn(set.podTemplates)) {
      const [first] = templates;
      const minimum = first === undefined ? undefined : readGantryStatement(first.metadata).minMember;
      if (first === undefined || minimum === undefined) {
        continue;
      }
      if (templates.some(({ count, manifest }) => count === undefined || grows(manifest))) {
        continue;
      }
      const pods = templates.reduce((sum, { count = 0 }) => sum + count, 0);
      if (minimum > pods) {
        yield {
          manifest: first.manifest,
          path: pointer(`${first.path}/metadata/annotations`, GANTRY_GANG_MIN_MEMBER),
          message: `the gang ${name} needs ${minimum} pods, and has ${pods}`,
          found: String(minimum),
          expected: `at most ${pods}`,
        };
      }
    }
  },
};

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
