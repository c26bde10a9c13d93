/**
 * Pods and the PodGroups that they name: Kubernetes' own and those of scheduler-plugins. Volcano's have rules of their own.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type PodTemplateRule, type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { groupBy } from '../../../facts/collections';
import { nearestOf } from '../../../facts/spelling';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { PlacedNames } from '../../../manifests/references/placed-names';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { SCHEDULER_PLUGINS_GROUP_LABEL } from '../scheduling-names';
import { allOf, counted } from '../../../facts/words';

const SOURCE = `kubernetes 1.36, pkg/scheduler/framework/plugins/gangscheduling; ${cite('scheduler-plugins')}, pkg/coscheduling`;

/** A way of naming a group. */
interface Way {
  readonly kind: string;
  /** What pods name: the group, and where that holds several, which one. */
  readonly nameOf: (template: PodTemplate) => string | undefined;
  /** Pointer of the name, from the template. */
  readonly path: string;
  /** The groups of an object. */
  readonly groupsOf: (manifest: Manifest) => readonly Group[];
}

interface Group {
  /** As pods name it. */
  readonly name: string;
  /** Pods that it needs to start. */
  readonly least: number | undefined;
  readonly path: string;
}

function gangOf(policy: JsonObject): number | undefined {
  return asInteger(asObject(policy.gang).minCount);
}

const WAYS: readonly Way[] = [
  {
    kind: 'scheduling.k8s.io/PodGroup',
    nameOf: ({ spec }) => asString(asObject(spec.schedulingGroup).podGroupName),
    path: '/spec/schedulingGroup/podGroupName',
    groupsOf: ({ id, object }) => [
      {
        name: id.name,
        least: gangOf(asObject(asObject(object.spec).schedulingPolicy)),
        path: '/spec/schedulingPolicy/gang/minCount',
      },
    ],
  },
  {
    kind: 'scheduling.k8s.io/Workload',
    nameOf: ({ spec }) => {
      const { name, podGroup } = asObject(spec.workloadRef);
      return asString(name) === undefined ? undefined : `${asString(name)}/${asString(podGroup) ?? ''}`;
    },
    path: '/spec/workloadRef/name',
    groupsOf: ({ id, object }) =>
      objectsAt(object, '/spec/podGroups').map(({ value, path }) => ({
        name: `${id.name}/${asString(value.name) ?? ''}`,
        least: gangOf(asObject(value.policy)),
        path: `${path}/policy/gang/minCount`,
      })),
  },
  {
    kind: 'scheduling.x-k8s.io/PodGroup',
    nameOf: ({ metadata }) => asString(asObject(metadata.labels)[SCHEDULER_PLUGINS_GROUP_LABEL]),
    path: pointer('/metadata/labels', SCHEDULER_PLUGINS_GROUP_LABEL),
    groupsOf: ({ id, object }) => [
      { name: id.name, least: asInteger(asObject(object.spec).minMember), path: '/spec/minMember' },
    ],
  },
];

const groupKnown: PodTemplateRule = {
  id: 'scheduling/pod-group-known',
  row: 'PG1',
  tier: 'advice',
  severity: 'warning',
  on: 'pod-template',
  concerns: ['schedulingGroup', 'workloadRef', SCHEDULER_PLUGINS_GROUP_LABEL],
  summary: "The PodGroup of a pod must be in the pod's namespace.",
  why: 'Pods of a group that does not exist stay pending.',
  source: SOURCE,
  fix: 'Set the pod group label or spec.schedulingGroup of the pods to a PodGroup in their namespace, or create the group there.',
  *check(template, { set }) {
    for (const way of WAYS) {
      yield* unknownGroup(way, template, set);
    }
  },
};

const groupsBySet = new WeakMap<ManifestSet, Map<Way, PlacedNames>>();

/** The groups of the set that pods can name in this way. */
function groupNames(set: ManifestSet, way: Way): PlacedNames {
  const ways = groupsBySet.get(set) ?? new Map<Way, PlacedNames>();
  groupsBySet.set(set, ways);
  let names = ways.get(way);
  if (names === undefined) {
    const placed = set
      .ofKind(way.kind)
      .flatMap((manifest) => way.groupsOf(manifest).map(({ name }) => ({ name, namespace: manifest.id.namespace })));
    ways.set(way, (names = new PlacedNames(placed)));
  }
  return names;
}

/** Namespaces that a message names. */
const MOST_NAMED = 6;

function* unknownGroup(way: Way, template: PodTemplate, set: ManifestSet): Iterable<Violation> {
  const name = way.nameOf(template);
  if (name === undefined || name === '') {
    return;
  }
  const groups = groupNames(set, way);
  const here = groups.inReachOf(template.manifest.id.namespace);
  if (groups.all.size === 0 || here.some((names) => names.has(name))) {
    return;
  }
  const elsewhere = groups.namespacesWith(name).slice(0, MOST_NAMED);
  const kind = way.kind.split('/').at(-1) ?? '';
  const where =
    elsewhere.length === 0
      ? 'not found in these manifests'
      : `is in the namespace ${allOf(elsewhere.map((namespace) => `"${namespace}"`))}, not in that of the pod`;
  const near = nearestOf(here, name);
  yield {
    path: way.path,
    message: `${kind} "${name}" ${where}`,
    found: name,
    expected: near ?? (here.map(({ listed }) => listed).join(', ') || `a ${kind} in the namespace of the pod`),
    fix: `${near === undefined ? `Set ${fieldOf(way.path)} to a ${kind} in the namespace of the pod` : `Set ${fieldOf(way.path)} to "${near}"`}, or add the ${kind} "${name}" to the namespace of the pod.`,
  };
}

const groupHasPods: SetRule = {
  id: 'scheduling/pod-group-has-its-pods',
  row: 'PG2',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'A PodGroup must not need more pods than belong to it.',
  why: 'A group that needs more pods than are created never starts.',
  source: SOURCE,
  fix: 'Decrease spec.minMember (or minCount) of the group, or increase the replicas of its workloads.',
  *check({ set }) {
    for (const way of WAYS) {
      const naming = groupBy(set.podTemplates, (template) =>
        JSON.stringify([template.manifest.id.namespace, way.nameOf(template)]),
      );
      for (const manifest of set.ofKind(way.kind)) {
        for (const { name, least, path } of way.groupsOf(manifest)) {
          const members = naming.get(JSON.stringify([manifest.id.namespace, name])) ?? [];
          if (least === undefined || members.length === 0 || members.some(({ count }) => count === undefined)) {
            continue;
          }
          const pods = members.reduce((sum, { count = 0 }) => sum + count, 0);
          if (least > pods) {
            yield {
              manifest,
              path,
              message: `the group "${name}" needs ${counted(least, 'pod')} to start, but only ${pods} ${pods === 1 ? 'belongs' : 'belong'} to it`,
              found: least,
              expected: `at most ${pods}`,
              fix: `Set ${fieldOf(path)} to at most ${pods}, or increase the replicas of the workloads of the group.`,
            };
          }
        }
      }
    }
  },
};

export const podGroupRules: readonly Rule[] = [groupKnown, groupHasPods];
