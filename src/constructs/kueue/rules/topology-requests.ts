/**
 * What pods ask of topology-aware scheduling, in annotations of their template.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type PodTemplateRule, type Rule, type SetRule, type Violation } from '../../../checks/rule';
import { qualifiedName } from '../../../checks/server/syntax';
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pod-template';
import { pointer } from '../../../manifests/pointer';
import { asArray, asInteger, asObject, asString, stringEntries } from '../../../manifests/read';
import {
  KUEUE,
  POD_SET_GROUP,
  PREFERRED_TOPOLOGY,
  REQUIRED_TOPOLOGY,
  SLICE_LAYERS,
  SLICE_SIZE,
  SLICE_TOPOLOGY,
  UNCONSTRAINED_TOPOLOGY,
} from '../kueue-facts';
import { isManaged } from '../queue-view';

const SOURCE = `${KUEUE}, pkg/controller/jobframework/tas_validation.go`;
const ANNOTATIONS = '/metadata/annotations';
const LEVELS = [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, UNCONSTRAINED_TOPOLOGY];
const GO_BOOL = ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'];

type Annotations = ReadonlyMap<string, string>;
type Facts = Pick<PodTemplateRule, 'summary' | 'fix' | 'concerns'>;

function requestRule(
  id: string,
  facts: Facts,
  check: (annotations: Annotations, template: PodTemplate) => Iterable<Violation>,
): PodTemplateRule {
  return {
    ...facts,
    id: `kueue/${id}`,
    row: 'KU14',
    tier: 'webhook',
    severity: 'error',
    on: 'pod-template',
    why: 'The webhook refuses the workload.',
    source: SOURCE,
    *check(template) {
      if (isManaged(template.manifest)) {
        yield* check(annotationsOf(template), template);
      }
    },
  };
}

function annotationsOf({ metadata }: PodTemplate): Annotations {
  return new Map(stringEntries(asObject(metadata).annotations));
}

const oneRequest = requestRule(
  'topology-request-single',
  {
    concerns: LEVELS,
    summary: 'A pod template asks for one of required, preferred and unconstrained topology.',
    fix: 'Keep one of the annotations.',
  },
  function* (annotations) {
    const found = LEVELS.filter((key) => annotations.has(key));
    if (found.length > 1) {
      yield { path: ANNOTATIONS, message: `the template has ${found.join(' and ')}`, found, expected: 'one of them' };
    }
  },
);

const readable = requestRule(
  'topology-request-readable',
  {
    concerns: [...LEVELS, SLICE_TOPOLOGY],
    summary: 'Topology levels are keys of node labels; unconstrained is a boolean.',
    fix: 'Write the node label of a level of the Topology.',
  },
  function* (annotations) {
    for (const key of [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, SLICE_TOPOLOGY]) {
      const value = annotations.get(key);
      const complaint = value === undefined ? undefined : qualifiedName(value);
      if (complaint !== undefined) {
        yield { path: pointer(ANNOTATIONS, key), message: `"${value}" must ${complaint}`, found: value };
      }
    }
    const unconstrained = annotations.get(UNCONSTRAINED_TOPOLOGY);
    if (unconstrained !== undefined && !GO_BOOL.includes(unconstrained)) {
      yield {
        path: pointer(ANNOTATIONS, UNCONSTRAINED_TOPOLOGY),
        message: `"${unconstrained}" is no boolean`,
        found: unconstrained,
        expected: '"true" or "false"',
      };
    }
  },
);

const slices = requestRule(
  'topology-slice-complete',
  {
    concerns: [SLICE_TOPOLOGY, SLICE_SIZE],
    summary: 'Slices have a level and a size, from 1 to the pods of the template.',
    fix: `State both ${SLICE_TOPOLOGY} and ${SLICE_SIZE}.`,
  },
  function* (annotations, { count }) {
    const [level, size] = [annotations.get(SLICE_TOPOLOGY), annotations.get(SLICE_SIZE)];
    if (level !== undefined && size === undefined) {
      yield { path: pointer(ANNOTATIONS, SLICE_TOPOLOGY), message: `${SLICE_SIZE} is missing`, expected: 'a size' };
    }
    if (size === undefined) {
      return;
    }
    const path = pointer(ANNOTATIONS, SLICE_SIZE);
    if (level === undefined) {
      yield { path, message: `${SLICE_TOPOLOGY} is missing`, found: size, expected: 'a level' };
    }
    const pods = /^[+-]?\d+$/.test(size) ? Number(size) : undefined;
    if (pods === undefined || pods < 1) {
      yield { path, message: `"${size}" is no number of pods`, found: size, expected: 'a whole number, at least 1' };
    } else if (count !== undefined && pods > count) {
      yield {
        path,
        message: `a slice of ${pods} pods in a set of ${count}`,
        found: size,
        expected: `at most ${count}`,
      };
    }
  },
);

const layers = requestRule(
  'topology-layers-valid',
  {
    concerns: [SLICE_LAYERS],
    summary:
      'Layers of slices are one to three objects of a level and a size, each size a divisor of the one before, with no other slices or group.',
    fix: 'Write for example `[{"topology": "example.com/rack", "size": 16}, {"topology": "kubernetes.io/hostname", "size": 4}]`.',
  },
  function* (annotations, { count }) {
    const text = annotations.get(SLICE_LAYERS);
    if (text === undefined) {
      return;
    }
    const path = pointer(ANNOTATIONS, SLICE_LAYERS);
    for (const key of [SLICE_TOPOLOGY, SLICE_SIZE, POD_SET_GROUP]) {
      if (annotations.has(key)) {
        yield { path, message: `the template has ${key} too`, expected: 'one of the two' };
      }
    }
    const stated = parsed(text);
    if (stated === undefined || stated.length === 0 || stated.length > 3) {
      yield { path, message: 'the value is no JSON array of one to three layers', found: text };
      return;
    }
    let above: number | undefined;
    const seen = new Set<string>();
    for (const [index, layer] of stated.entries()) {
      const [level, size] = [asString(layer.topology) ?? '', asInteger(layer.size) ?? 0];
      const complaint = qualifiedName(level);
      if (complaint !== undefined) {
        yield { path, message: `the level "${level}" of layer ${index + 1} must ${complaint}`, found: level };
      }
      if (seen.has(level)) {
        yield { path, message: `the level ${level} stands twice`, found: level };
      }
      seen.add(level);
      if (size < 1) {
        yield { path, message: `the size of layer ${index + 1} is ${size}`, found: size, expected: 'at least 1' };
      } else if (above !== undefined && above % size !== 0) {
        yield { path, message: `the size ${size} of layer ${index + 1} does not divide ${above}`, found: size };
      }
      if (index === 0 && count !== undefined && size > count) {
        yield {
          path,
          message: `a slice of ${size} pods in a set of ${count}`,
          found: size,
          expected: `at most ${count}`,
        };
      }
      above = size;
    }
  },
);

function parsed(text: string): readonly JsonObject[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? asArray(value).map(asObject) : undefined;
  } catch {
    return undefined;
  }
}

const groupName = requestRule(
  'pod-set-group-stated-well',
  {
    concerns: [POD_SET_GROUP],
    summary: `${POD_SET_GROUP} is no number, goes with a required or preferred topology, and not with slices.`,
    fix: 'Give the group a name in words, and both of its templates the same topology.',
  },
  function* (annotations) {
    const group = annotations.get(POD_SET_GROUP);
    if (group === undefined) {
      return;
    }
    const path = pointer(ANNOTATIONS, POD_SET_GROUP);
    if (/^\d+$/.test(group)) {
      yield { path, message: `the group is called "${group}"`, found: group, expected: 'a name that is no number' };
    }
    for (const key of [SLICE_SIZE, SLICE_TOPOLOGY]) {
      if (annotations.has(key)) {
        yield { path, message: `the template has ${key} too`, expected: 'one of the two' };
      }
    }
    if (!annotations.has(REQUIRED_TOPOLOGY) && !annotations.has(PREFERRED_TOPOLOGY)) {
      yield {
        path,
        message: 'the template asks for no topology',
        expected: `${REQUIRED_TOPOLOGY} or ${PREFERRED_TOPOLOGY}`,
      };
    }
  },
);

const groupOfTwo: SetRule = {
  id: 'kueue/pod-set-group-of-two',
  row: 'KU14',
  tier: 'webhook',
  severity: 'error',
  on: 'set',
  summary:
    'A pod set group is two templates of one workload, one of them a single pod, that ask for the same topology.',
  why: 'The webhook refuses the workload: a group is a leader beside its workers.',
  source: `${SOURCE}, ValidatePodSetGroupingTopology`,
  fix: 'Put the leader and its workers into one group, with the same topology annotation.',
  *check({ set }) {
    for (const manifest of set.manifests) {
      if (isManaged(manifest)) {
        yield* groupsIn(manifest, set.podTemplatesOf(manifest));
      }
    }
  },
};

function* groupsIn(
  manifest: Manifest,
  templates: readonly PodTemplate[],
): Iterable<Violation & { readonly manifest: Manifest }> {
  const groups = new Map<string, PodTemplate[]>();
  for (const template of templates) {
    const name = annotationsOf(template).get(POD_SET_GROUP);
    if (name !== undefined) {
      groups.set(name, [...(groups.get(name) ?? []), template]);
    }
  }
  for (const [name, members] of groups) {
    const path = pointer(`${members[0]?.path ?? ''}${ANNOTATIONS}`, POD_SET_GROUP);
    const [one, two] = members;
    if (one === undefined || two === undefined || members.length > 2) {
      yield {
        manifest,
        path,
        message: `the group ${name} has ${members.length} template${members.length === 1 ? '' : 's'}`,
        found: name,
        expected: 'two',
      };
      continue;
    }
    if (one.count !== undefined && two.count !== undefined && one.count !== 1 && two.count !== 1) {
      yield {
        manifest,
        path,
        message: `the group ${name} is ${one.count} and ${two.count} pods`,
        found: name,
        expected: 'one pod, and any number',
      };
    }
    const [first, second] = [annotationsOf(one), annotationsOf(two)];
    const differing = [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY].filter((key) => first.get(key) !== second.get(key));
    if (differing.length > 0) {
      yield {
        manifest,
        path,
        message: `the templates of the group ${name} ask for different topologies`,
        found: name,
        expected: `the same ${differing.join(', ')}`,
      };
    }
  }
}

export const topologyRequestRules: readonly Rule[] = [oneRequest, readable, slices, layers, groupName, groupOfTwo];
