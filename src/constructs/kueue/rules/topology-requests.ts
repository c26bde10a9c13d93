/**
 * What pods ask of topology-aware scheduling, in annotations of their template.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { nameFix } from '../../../checks/rules/name-fix';
import { type JsonObject } from '../../../facts/api/schema';
import { type PodTemplateRule, type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { qualifiedName } from '../../../manifests/values/name-syntax';
import { addTo } from '../../../facts/collections';
import { parseGoBool } from '../../../manifests/values/go-boolean';
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
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
import { isManaged, podsPerWorkload } from '../queue-view';
import { allOf } from '../../../facts/words';

const SOURCE = `${KUEUE}, pkg/controller/jobframework/tas_validation.go`;
const ANNOTATIONS = '/metadata/annotations';
const LEVELS = [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, UNCONSTRAINED_TOPOLOGY];

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
    why: 'The webhook rejects the workload.',
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
    summary:
      'A pod template must have only one of the annotations for required, preferred, and unconstrained topology.',
    fix: `Keep one of ${REQUIRED_TOPOLOGY}, ${PREFERRED_TOPOLOGY}, and the annotation for unconstrained topology, and remove the others.`,
  },
  function* (annotations) {
    const found = LEVELS.filter((key) => annotations.has(key));
    if (found.length > 1) {
      yield {
        path: ANNOTATIONS,
        message: `${allOf(found)} must not be set together`,
        found,
        expected: 'one of the annotations',
        fix: `Keep one of ${allOf(found)}, and remove the ${found.length > 2 ? 'others' : 'other'}.`,
      };
    }
  },
);

const readable = fixesByField(
  requestRule(
    'topology-request-readable',
    {
      concerns: [...LEVELS, SLICE_TOPOLOGY],
      summary: 'Topology levels must be keys of node labels, and unconstrained must be a boolean.',
      fix: `Set ${REQUIRED_TOPOLOGY} or ${PREFERRED_TOPOLOGY} to the node label of a level of the Topology.`,
    },
    function* (annotations) {
      for (const key of [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY, SLICE_TOPOLOGY]) {
        const value = annotations.get(key);
        const complaint = value === undefined ? undefined : qualifiedName(value);
        if (complaint !== undefined) {
          yield {
            path: pointer(ANNOTATIONS, key),
            message: `the topology level "${value}" must ${complaint}`,
            found: value,
          };
        }
      }
      const unconstrained = annotations.get(UNCONSTRAINED_TOPOLOGY);
      if (unconstrained !== undefined && parseGoBool(unconstrained) === undefined) {
        yield {
          path: pointer(ANNOTATIONS, UNCONSTRAINED_TOPOLOGY),
          message: `"${unconstrained}" is not a valid boolean`,
          found: unconstrained,
          expected: '"true" or "false"',
        };
      }
    },
  ),
);

/** Where the template has no pods, no size fits. */
function atMost(
  { manifest, count = 0 }: PodTemplate,
  size: number,
  set: string,
): { readonly expected?: string; readonly fix: string } {
  const pods = manifest.id.kind === 'Job' ? 'spec.parallelism' : 'the number of pods';
  const most = count === 1 ? '1' : `at most ${count}`;
  return count === 0
    ? { fix: `Set ${pods} to at least ${size}.` }
    : { expected: most, fix: `${set} to ${most}, or raise ${pods} to at least ${size}.` };
}

const SLICE_FIX = `Set both ${SLICE_TOPOLOGY} and ${SLICE_SIZE}.`;

const slices = fixesByField(
  requestRule(
    'topology-slice-complete',
    {
      concerns: [SLICE_TOPOLOGY, SLICE_SIZE],
      summary: 'Slices must have a level, and a size from 1 to the number of pods of the template.',
      fix: SLICE_FIX,
    },
    function* (annotations, template) {
      const { count } = template;
      const [level, size] = [annotations.get(SLICE_TOPOLOGY), annotations.get(SLICE_SIZE)];
      if (level !== undefined && size === undefined) {
        yield {
          path: pointer(ANNOTATIONS, SLICE_TOPOLOGY),
          message: `${SLICE_SIZE} must be set when ${SLICE_TOPOLOGY} is set`,
          fix: SLICE_FIX,
        };
      }
      if (size === undefined) {
        return;
      }
      const path = pointer(ANNOTATIONS, SLICE_SIZE);
      if (level === undefined) {
        yield { path, message: `${SLICE_TOPOLOGY} must be set when ${SLICE_SIZE} is set`, found: size, fix: SLICE_FIX };
      }
      const pods = /^[+-]?\d+$/.test(size) ? Number(size) : undefined;
      if (pods === undefined || pods < 1) {
        yield {
          path,
          message: `"${size}" is not a valid number of pods`,
          found: size,
          expected: 'an integer of at least 1',
        };
      } else if (count !== undefined && pods > count) {
        yield {
          path,
          message: `the slice size must be less than or equal to the number of pods (${pods} > ${count})`,
          found: size,
          ...atMost(template, pods, `Set ${SLICE_SIZE}`),
        };
      }
    },
  ),
);

const LAYERS_FIX = `Set ${SLICE_LAYERS} to a list such as [{"topology": "example.com/rack", "size": 16}, {"topology": "kubernetes.io/hostname", "size": 4}].`;

/** An annotation that excludes another one. */
function excluded(path: string, key: string, other: string): Violation {
  return {
    path,
    message: `${key} must not be set when ${other} is set`,
    expected: 'one of the two annotations',
    fix: `Remove ${key} or ${other}.`,
  };
}

const layers = requestRule(
  'topology-layers-valid',
  {
    concerns: [SLICE_LAYERS],
    summary:
      'Slice layers must be a list of one to three levels with sizes, each size a divisor of the previous one, without other slices or a group.',
    fix: LAYERS_FIX,
  },
  function* (annotations, template) {
    const { count } = template;
    const text = annotations.get(SLICE_LAYERS);
    if (text === undefined) {
      return;
    }
    const path = pointer(ANNOTATIONS, SLICE_LAYERS);
    for (const key of [SLICE_TOPOLOGY, SLICE_SIZE, POD_SET_GROUP]) {
      if (annotations.has(key)) {
        yield excluded(path, SLICE_LAYERS, key);
      }
    }
    const stated = parsed(text);
    if (stated === undefined || stated.length === 0 || stated.length > 3) {
      yield {
        path,
        message: `${SLICE_LAYERS} must be a JSON array of one to three layers`,
        found: text,
        fix: LAYERS_FIX,
      };
      return;
    }
    let above: number | undefined;
    const seen = new Set<string>();
    for (const [index, layer] of stated.entries()) {
      const [level, size] = [asString(layer.topology) ?? '', asInteger(layer.size) ?? 0];
      const complaint = qualifiedName(level);
      if (complaint !== undefined) {
        yield {
          path,
          message: `the topology "${level}" of layer ${index} must ${complaint}`,
          found: level,
          fix: nameFix(`${SLICE_LAYERS}[${index}].topology`, complaint, level),
        };
      }
      if (seen.has(level)) {
        yield {
          path,
          message: `duplicate topology "${level}" in layer ${index}`,
          found: level,
          fix: `Set ${SLICE_LAYERS}[${index}].topology to a different level, or remove the layer.`,
        };
      }
      seen.add(level);
      if (size < 1) {
        yield {
          path,
          message: `the size of layer ${index} must be greater than or equal to 1, but is ${size}`,
          found: size,
          expected: 'at least 1',
          fix: `Set ${SLICE_LAYERS}[${index}].size to at least 1.`,
        };
      } else if (above !== undefined && above % size !== 0) {
        yield {
          path,
          message: `the size of layer ${index} must be a divisor of the size of layer ${index - 1} (${above}), but is ${size}`,
          found: size,
          fix: `Set ${SLICE_LAYERS}[${index}].size to a divisor of ${above}.`,
        };
      }
      if (index === 0 && count !== undefined && size > count) {
        yield {
          path,
          message: `the size of layer 0 must be less than or equal to the number of pods (${size} > ${count})`,
          found: size,
          ...atMost(template, size, `Set ${SLICE_LAYERS}[0].size`),
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
    summary: `${POD_SET_GROUP} must not be a number, requires a required or preferred topology, and excludes slices.`,
    fix: `Set ${POD_SET_GROUP} to a name that is not a number, and set the same topology annotation on both of its templates.`,
  },
  function* (annotations) {
    const group = annotations.get(POD_SET_GROUP);
    if (group === undefined) {
      return;
    }
    const path = pointer(ANNOTATIONS, POD_SET_GROUP);
    if (/^\d+$/.test(group)) {
      yield {
        path,
        message: `the group name must not be a number: "${group}"`,
        found: group,
        expected: 'a name that is not a number',
        fix: `Set ${POD_SET_GROUP} to a name such as workers.`,
      };
    }
    for (const key of [SLICE_SIZE, SLICE_TOPOLOGY]) {
      if (annotations.has(key)) {
        yield excluded(path, POD_SET_GROUP, key);
      }
    }
    if (!annotations.has(REQUIRED_TOPOLOGY) && !annotations.has(PREFERRED_TOPOLOGY)) {
      yield {
        path,
        message: `${POD_SET_GROUP} requires ${REQUIRED_TOPOLOGY} or ${PREFERRED_TOPOLOGY} on the same template`,
        expected: `${REQUIRED_TOPOLOGY} or ${PREFERRED_TOPOLOGY}`,
        fix: `Add ${REQUIRED_TOPOLOGY} or ${PREFERRED_TOPOLOGY} to the annotations of the template.`,
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
    'A pod set group must be two templates of one workload, one of them with a single pod, that request the same topology.',
  why: 'The webhook rejects the workload, because a group is a leader and its workers.',
  source: `${SOURCE}, ValidatePodSetGroupingTopology`,
  fix: `Set ${POD_SET_GROUP} to the same name in the templates of the leader and its workers, with the same topology annotation in both.`,
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
      addTo(groups, name, template);
    }
  }
  for (const [name, members] of groups) {
    const path = pointer(`${members[0]?.path ?? ''}${ANNOTATIONS}`, POD_SET_GROUP);
    const [one, two] = members;
    if (one === undefined || two === undefined || members.length > 2) {
      yield {
        manifest,
        path,
        message: `the pod set group "${name}" must have two templates, but has ${members.length}`,
        found: name,
        expected: 'exactly two templates, a leader and its workers',
        fix:
          members.length > 2
            ? `Keep ${POD_SET_GROUP}: "${name}" in two templates, and remove it from the others.`
            : `Set ${POD_SET_GROUP} to "${name}" in a second template too, with the same topology annotation in both, or remove it.`,
      };
      continue;
    }
    const counts = [podsPerWorkload(one), podsPerWorkload(two)];
    if (counts.every((count) => count !== undefined && count !== 1)) {
      yield {
        manifest,
        path,
        message: `one template of the pod set group "${name}" must have a single pod, but the templates have ${counts.join(' and ')} pods`,
        found: name,
        expected: 'one pod in one template, and any number in the other',
        fix: `Set the number of pods of one template of the pod set group "${name}" to 1.`,
      };
    }
    const [first, second] = [annotationsOf(one), annotationsOf(two)];
    const differing = [REQUIRED_TOPOLOGY, PREFERRED_TOPOLOGY].filter((key) => first.get(key) !== second.get(key));
    if (differing.length > 0) {
      yield {
        manifest,
        path,
        message: `the templates of the pod set group "${name}" request different topologies`,
        found: name,
        expected: `the same ${allOf(differing)}`,
        fix: `Set the same ${allOf(differing)} in both templates of the pod set group "${name}".`,
      };
    }
  }
}

export const topologyRequestRules: readonly Rule[] = [oneRequest, readable, slices, layers, groupName, groupOfTwo];
