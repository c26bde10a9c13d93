/**
 * Priority classes that Volcano objects name.
 */
import { type ManifestSet } from '../../manifests/manifest-set';
import { asObject, asString } from '../../manifests/read';
import { type ObjectRule, type Rule, type Violation } from '../../checks/rule';
import { POD_GROUP_KIND } from './job-queue';
import { jobRule } from './job-rule';

const PRIORITY_CLASS_KIND = 'scheduling.k8s.io/PriorityClass';
/** Every cluster has these. */
const BUILT_IN = ['system-cluster-critical', 'system-node-critical'];

function unknownClass(set: ManifestSet, name: string, path: string): readonly Violation[] {
  if (name === '' || BUILT_IN.includes(name) || set.get(PRIORITY_CLASS_KIND, name) !== undefined) return [];
  const known = set.ofKind(PRIORITY_CLASS_KIND).map(({ id }) => id.name);
  return [{
    path,
    severity: known.length === 0 ? 'info' : 'warning',
    message: `the priority class "${name}" is not among these manifests`,
    found: name,
    expected: known.length === 0 ? 'a PriorityClass, here or in the cluster' : known.slice(0, 8).join(', '),
  }];
}

const WHY = 'A PodGroup with an unknown class counts with priority 0; pods that name one are refused, and a job gives its class to its pods.';

const jobClass = jobRule({
  id: 'volcano/job-priority-class-known',
  tier: 'advice',
  severity: 'info',
  summary: 'The priority class of a job is among the manifests, or stands in the cluster already.',
  why: WHY,
  source: 'volcano v1.15.1, pkg/controllers/job/job_controller_util.go createJobPod; Kubernetes priority admission',
  fix: 'Define the PriorityClass, or correct the name.',
}, (job, { set }) => unknownClass(set, asString(job.spec.priorityClassName) ?? '', `${job.path}/priorityClassName`));

const groupClass: ObjectRule = {
  id: 'volcano/pod-group-priority-class-known',
  tier: 'advice',
  severity: 'info',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: 'The priority class of a PodGroup is among the manifests, or stands in the cluster already.',
  why: WHY,
  source: 'volcano v1.15.1, pkg/scheduler/cache: the priority of a group is that of its class',
  fix: 'Define the PriorityClass, or correct the name.',
  check: ({ object }, { set }) => unknownClass(set, asString(asObject(object.spec).priorityClassName) ?? '', '/spec/priorityClassName'),
};

export const priorityClassRules: readonly Rule[] = [jobClass, groupClass];
