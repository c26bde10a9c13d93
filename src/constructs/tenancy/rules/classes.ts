/**
 * Pods against the priority class and the runtime class that they name: what the server rejects because it sets it from the class.
 */
import { type Rule } from '../../../checks/rules/rule';
import { priorityViolations, runtimeClassViolations } from '../../../checks/server/admission/classes';
import { contentsOfSet } from '../../../checks/server/admission/cluster-contents';
import { asString } from '../../../manifests/read';

const priorityAgrees: Rule = {
  id: 'tenancy/priority-agrees-with-class',
  on: 'pod-template',
  concerns: ['priority', 'preemptionPolicy'],
  tier: 'server',
  severity: 'error',
  summary: 'A pod must not set another priority or preemption policy than its priority class.',
  why: 'The API server sets both from the class, and rejects a pod that states another value.',
  source: 'Kubernetes 1.36, plugin/pkg/admission/priority/admission.go',
  fix: 'Remove priority and preemptionPolicy from the pod, and set priorityClassName.',
  check: ({ spec }, { set }) => priorityViolations(spec, contentsOfSet(set)),
};

const runtimeClassAgrees: Rule = {
  id: 'tenancy/runtime-class-agrees',
  on: 'pod-template',
  concerns: ['runtimeClassName', 'overhead'],
  tier: 'server',
  otherTiers: ['advice'],
  severity: 'error',
  summary: 'A pod must not contradict its runtime class in overhead or node selector.',
  why: 'The API server takes both from the RuntimeClass, and rejects a pod that states other values.',
  source: 'Kubernetes 1.36, plugin/pkg/admission/runtimeclass/admission.go',
  fix: 'Remove overhead from the pod, and the label of the runtime class from its nodeSelector.',
  *check({ spec, isPod }, { set }) {
    const named = (asString(spec.runtimeClassName) ?? '') !== '';
    for (const violation of runtimeClassViolations(spec, contentsOfSet(set))) {
      // Whatever else exists, the server accepts the template, and rejects the pods that are made of it.
      yield { ...violation, ...(isPod || named ? {} : { tier: 'advice' as const }) };
    }
  },
};

export const classRules: readonly Rule[] = [priorityAgrees, runtimeClassAgrees];
