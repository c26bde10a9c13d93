/**
 * Pod groups: their own numbers, and the pods that belong to them. A group that no pod names does nothing.
 */
import { cite } from '../../../facts/upstream';
import { mayShareNamespace } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asArray, asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { type ObjectRule, type PodTemplateRule, type Rule } from '../../../checks/rules/rule';
import { JOB_KIND } from '../job-spec';
import {
  GROUP_MIN_MEMBER_ANNOTATION,
  GROUP_NAME_ANNOTATION,
  schedulesWithVolcano,
  TASK_ANNOTATION,
  UNREAD_GROUP_NAME_ANNOTATION,
} from '../volcano-pods';
import { tierNamedTwice } from './job';
import { POD_GROUP_KIND } from './job-queue';
import { counted } from '../../../facts/words';

const SCHEDULER = `${cite('volcano')}, pkg/scheduler/api/job_info.go`;
const CONTROLLER = `${cite('volcano')}, pkg/controllers/podgroup/pg_controller_handler.go`;

/** The pod templates of a set by the group that they name, `namespace/name`. */
const membersBySet = new WeakMap<ManifestSet, ReadonlyMap<string, readonly PodTemplate[]>>();

function membersOf(set: ManifestSet, group: Manifest): readonly PodTemplate[] {
  let members = membersBySet.get(set);
  if (members === undefined) {
    const byGroup = new Map<string, PodTemplate[]>();
    for (const template of set.podTemplates) {
      const name = asString(asObject(template.metadata.annotations)[GROUP_NAME_ANNOTATION]);
      if (name === undefined) {
        continue;
      }
      const key = `${template.manifest.id.namespace}/${name}`;
      const list = byGroup.get(key);
      if (list === undefined) {
        byGroup.set(key, [template]);
      } else {
        list.push(template);
      }
    }
    members = byGroup;
    membersBySet.set(set, members);
  }
  return members.get(`${group.id.namespace}/${group.id.name}`) ?? [];
}

const groupTier: ObjectRule = {
  id: 'volcano/pod-group-network-topology-names-one-tier',
  row: 'VP2',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary:
    'A networkTopology of a PodGroup, or of one of its subgroups, must set its highest tier either by number or by name.',
  why: 'The webhook rejects the PodGroup.',
  source: `${cite('volcano')}, pkg/webhooks/admission/podgroups/validate/validate_podgroup.go, validateNetworkTopology`,
  fix: 'Remove highestTierAllowed or highestTierName.',
  *check({ object }) {
    yield* tierNamedTwice(asObject(object.spec).networkTopology, '/spec/networkTopology');
    for (const { value, path } of objectsAt(object, '/spec/subGroupPolicy')) {
      yield* tierNamedTwice(value.networkTopology, `${path}/networkTopology`);
    }
  },
};

const minMemberCoversTasks: ObjectRule = {
  id: 'volcano/pod-group-min-member-covers-tasks',
  row: 'VP3',
  tier: 'advice',
  severity: 'warning',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: 'The minMember of a PodGroup must be the sum of its minTaskMember.',
  why: 'Below the sum the scheduler skips the check for each task; above it, the scheduler waits for pods that belong to no task.',
  source: `${SCHEDULER}, CheckTaskValid and CheckTaskReady`,
  fix: 'Set spec.minMember to the sum of the numbers in spec.minTaskMember, or remove spec.minTaskMember.',
  *check({ object }) {
    const spec = asObject(object.spec);
    const tasks = Object.entries(asObject(spec.minTaskMember)).flatMap(([task, count]) =>
      typeof count === 'number' ? [{ task, count }] : [],
    );
    const sum = tasks.reduce((total, { count }) => total + count, 0);
    const minimum = asInteger(spec.minMember) ?? 0;
    if (tasks.length === 0 || minimum === sum) {
      return;
    }
    yield {
      path: spec.minMember === undefined ? '/spec' : '/spec/minMember',
      message: `minMember must equal the sum of the numbers in minTaskMember (${minimum} != ${sum})`,
      found: minimum,
      expected: `${sum}`,
      fix: `Set spec.minMember to ${sum}, or remove spec.minTaskMember.`,
    };
  },
};

const enoughPods: ObjectRule = {
  id: 'volcano/pod-group-has-enough-pods',
  row: 'VP3',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary:
    'The workloads of a PodGroup must have at least minMember pods in total, and minTaskMember pods of each task.',
  why: 'The gang is never complete, so none of its pods is ever scheduled.',
  source: `${SCHEDULER}, CheckTaskValid; pkg/scheduler/plugins/gang/gang.go`,
  fix: 'Decrease spec.minMember, or increase the replicas of the workloads.',
  *check(group, { set }) {
    const members = membersOf(set, group);
    if (members.length === 0 || members.some(({ count }) => count === undefined)) {
      return;
    }
    const spec = asObject(group.object.spec);
    const pods = members.reduce((sum, { count }) => sum + (count ?? 0), 0);
    const minimum = asInteger(spec.minMember) ?? 0;
    if (minimum > pods) {
      yield {
        path: '/spec/minMember',
        message: `minMember must be less than or equal to the number of pods in these manifests that belong to the PodGroup (${minimum} > ${pods})`,
        found: minimum,
        expected: `at most ${pods}`,
        fix: `Set spec.minMember to at most ${pods}, or increase the replicas of the workloads to a total of at least ${minimum}.`,
      };
      return;
    }
    const wanted = Object.entries(asObject(spec.minTaskMember));
    const sum = wanted.reduce((total, [, count]) => total + (typeof count === 'number' ? count : 0), 0);
    if (minimum < sum) {
      return;
    }
    for (const [task, count] of wanted) {
      const ofTask = members
        .filter(({ metadata }) => asObject(metadata.annotations)[TASK_ANNOTATION] === task)
        .reduce((total, member) => total + (member.count ?? 0), 0);
      if (typeof count !== 'number' || count <= ofTask) {
        continue;
      }
      yield {
        path: pointer('/spec/minTaskMember', task),
        message: `minTaskMember requires ${counted(count, 'pod')} of the task "${task}", but only ${ofTask} ${ofTask === 1 ? 'has' : 'have'} the annotation ${TASK_ANNOTATION}: ${task}`,
        found: count,
        expected: `at most ${ofTask}, or the annotation on more pods`,
        fix: `Set ${fieldOf(pointer('/minTaskMember', task))} to at most ${ofTask}, or set the annotation ${TASK_ANNOTATION}: ${task} on at least ${counted(count, 'pod')}.`,
      };
    }
  },
};

const groupUsed: ObjectRule = {
  id: 'volcano/pod-group-is-named-by-pods',
  row: 'VP4',
  tier: 'advice',
  severity: 'warning',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: `Pods in the namespace of a PodGroup must refer to it with the annotation ${GROUP_NAME_ANNOTATION}.`,
  why: 'Nothing else links pods to a group. Volcano Jobs and training jobs create a group of their own and ignore this one.',
  source: `${SCHEDULER}, getJobID; ${CONTROLLER}`,
  fix: `Set the annotation ${GROUP_NAME_ANNOTATION} on the pods, or remove the PodGroup if a Volcano Job creates its own.`,
  *check(group, { set }) {
    if (asArray(asObject(group.object.metadata).ownerReferences).length > 0 || membersOf(set, group).length > 0) {
      return;
    }
    const job = set.ofKind(JOB_KIND)[0];
    yield {
      message:
        job === undefined
          ? 'no pod in these manifests belongs to the PodGroup'
          : `no pod in these manifests belongs to the PodGroup: the Volcano Job "${job.id.name}" creates its own`,
      severity: set.podTemplates.length === 0 ? 'info' : 'warning',
      expected: `pods with the annotation ${GROUP_NAME_ANNOTATION}: ${group.id.name}`,
      fix: `Set the annotation ${GROUP_NAME_ANNOTATION}: ${group.id.name} on the pods of the gang, or remove the PodGroup if a Volcano Job creates its own.`,
    };
  },
};

const groupNameRead: PodTemplateRule = {
  id: 'volcano/pod-group-annotation-read',
  row: 'VP4',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'template',
  summary: `Pods must name their PodGroup in the annotation ${GROUP_NAME_ANNOTATION}.`,
  why: `The scheduler and the controller read only that annotation. ${UNREAD_GROUP_NAME_ANNOTATION} is read only by the vGPU code, so each pod gets a group of its own with one member.`,
  source: `${SCHEDULER}, getJobID; ${CONTROLLER}`,
  fix: `Rename the annotation ${UNREAD_GROUP_NAME_ANNOTATION} to ${GROUP_NAME_ANNOTATION}.`,
  *check({ metadata, spec }) {
    const annotations = asObject(metadata.annotations);
    const group = annotations[UNREAD_GROUP_NAME_ANNOTATION];
    if (group === undefined || annotations[GROUP_NAME_ANNOTATION] !== undefined || !schedulesWithVolcano(spec)) {
      return;
    }
    yield {
      path: pointer('/metadata/annotations', UNREAD_GROUP_NAME_ANNOTATION),
      message: `Volcano ignores the annotation ${UNREAD_GROUP_NAME_ANNOTATION}`,
      found: group,
      expected: GROUP_NAME_ANNOTATION,
    };
  },
};

const groupKnown: PodTemplateRule = {
  id: 'volcano/pod-group-known',
  row: 'VP4',
  tier: 'advice',
  severity: 'info',
  on: 'pod-template',
  sees: 'namespace',
  summary:
    'The PodGroup that a pod names must be in the manifests or exist in the cluster, in the namespace of the pod.',
  why: 'A pod stays pending if its group does not exist.',
  source: `${SCHEDULER}, getJobID`,
  fix: `Set the annotation ${GROUP_NAME_ANNOTATION} to a PodGroup in the namespace of the pod, or make sure that the PodGroup exists in the cluster.`,
  *check({ manifest, metadata, spec }, { set }) {
    const group = asString(asObject(metadata.annotations)[GROUP_NAME_ANNOTATION]);
    if (group === undefined || !schedulesWithVolcano(spec)) {
      return;
    }
    const groups = set.ofKind(POD_GROUP_KIND);
    if (groups.length === 0 || set.get(POD_GROUP_KIND, group, manifest.id.namespace) !== undefined) {
      return;
    }
    const named = groups.filter(({ id }) => id.name === group);
    if (named.some(({ id }) => mayShareNamespace(id.namespace, manifest.id.namespace))) {
      return;
    }
    const [elsewhere] = named;
    yield {
      path: pointer('/metadata/annotations', GROUP_NAME_ANNOTATION),
      severity: elsewhere === undefined ? 'info' : 'warning',
      message:
        elsewhere === undefined
          ? `PodGroup "${group}" not found in these manifests`
          : `PodGroup "${group}" is in the namespace "${elsewhere.id.namespace}", not in "${manifest.id.namespace}", the namespace of the pods`,
      found: group,
      ...(elsewhere === undefined && { absent: { kind: POD_GROUP_KIND, name: group } }),
    };
  },
};

/** Kinds whose annotations the controller reads for the groups that it makes itself (a Deployment's reach its ReplicaSets). */
const INHERITED = ['apps/Deployment', 'apps/ReplicaSet', 'apps/StatefulSet', 'apps/DaemonSet', 'batch/Job'];

const minMemberOnWorkload: PodTemplateRule = {
  id: 'volcano/group-min-member-on-workload',
  row: 'VP4',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  concerns: [GROUP_MIN_MEMBER_ANNOTATION],
  summary: `${GROUP_MIN_MEMBER_ANNOTATION} must be set on the workload itself (${INHERITED.map((kind) => kind.split('/')[1]).join(', ')}).`,
  why: 'The controller reads the annotation from the owner of the pods. On the pod template it has no effect, and each pod becomes a gang of its own.',
  source: `${CONTROLLER}, getMinMemberFromUpperRes`,
  fix: `Move the annotation ${GROUP_MIN_MEMBER_ANNOTATION} to metadata.annotations of the workload.`,
  *check({ metadata, spec, path, manifest }) {
    const value = asObject(metadata.annotations)[GROUP_MIN_MEMBER_ANNOTATION];
    if (value === undefined || !schedulesWithVolcano(spec)) {
      return;
    }
    if (
      asObject(asObject(manifest.object.metadata).annotations)[GROUP_MIN_MEMBER_ANNOTATION] !== undefined &&
      path !== ''
    ) {
      return;
    }
    yield {
      path: pointer('/metadata/annotations', GROUP_MIN_MEMBER_ANNOTATION),
      message: `the annotation ${GROUP_MIN_MEMBER_ANNOTATION} has no effect on a pod template`,
      found: value,
      expected: 'the annotation on the workload',
    };
  },
};

const minMemberReachable: ObjectRule = {
  id: 'volcano/group-min-member-within-replicas',
  row: 'VP3',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: INHERITED,
  summary: `${GROUP_MIN_MEMBER_ANNOTATION} must be an integer less than or equal to the workload's replicas.`,
  why: 'A gang that needs more pods than the workload has is never scheduled; a value that is not an integer counts as 1.',
  source: `${CONTROLLER}, getMinMemberFromUpperRes`,
  fix: `Decrease the annotation ${GROUP_MIN_MEMBER_ANNOTATION}, or increase spec.replicas.`,
  *check({ object, id }) {
    const value = asString(asObject(asObject(object.metadata).annotations)[GROUP_MIN_MEMBER_ANNOTATION]);
    if (value === undefined) {
      return;
    }
    const path = pointer('/metadata/annotations', GROUP_MIN_MEMBER_ANNOTATION);
    if (!/^\d+$/.test(value)) {
      yield {
        path,
        message: `the annotation ${GROUP_MIN_MEMBER_ANNOTATION} must be an integer: Volcano reads "${value}" as 1`,
        found: value,
        expected: 'an integer',
        fix: `Set the annotation ${GROUP_MIN_MEMBER_ANNOTATION} to an integer in quotes, such as "4".`,
      };
      return;
    }
    const spec = asObject(object.spec);
    const pods =
      id.kind === 'DaemonSet' ? undefined : (asInteger(id.kind === 'Job' ? spec.parallelism : spec.replicas) ?? 1);
    if (pods === undefined || Number(value) <= pods) {
      return;
    }
    yield {
      path,
      message: `the gang requires more pods than the ${id.kind} has (${value} > ${pods})`,
      found: value,
      expected: `at most ${pods}`,
      fix: `Set the annotation ${GROUP_MIN_MEMBER_ANNOTATION} to at most "${pods}", or spec.${id.kind === 'Job' ? 'parallelism' : 'replicas'} to at least ${value}.`,
    };
  },
};

export const podGroupRules: readonly Rule[] = [
  groupTier,
  minMemberCoversTasks,
  enoughPods,
  groupUsed,
  groupNameRead,
  groupKnown,
  minMemberOnWorkload,
  minMemberReachable,
];
