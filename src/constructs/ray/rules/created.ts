/**
 * RA14: what KubeRay needs to create a cluster, and the Job that submits the work of a RayJob.
 */
import { cite } from '../../../facts/upstream';
import { type ObjectRule, type Rule } from '../../../checks/rules/rule';
import { asObject, asString, isObject, isUnset } from '../../../manifests/read';
import { KUBERAY } from '../ray-view';
import { rayJobRule, rayRule } from './ray-rule';

const hasSpec: ObjectRule = rayRule(
  ['ray.io/RayCluster', 'ray.io/RayService'],
  {
    id: 'ray/object-has-spec',
    row: 'RA14',
    summary: 'A RayCluster and a RayService must have a spec.',
    why: 'The schema does not require one. The controller rejects a cluster without a head group, and creates no pod.',
    fix: 'Set spec.headGroupSpec, or in a RayService spec.rayClusterConfig.headGroupSpec, to a head group with a pod template.',
  },
  function* ({ id, object }) {
    if (isUnset(object.spec)) {
      const field = id.kind === 'RayService' ? 'spec.rayClusterConfig.headGroupSpec' : 'spec.headGroupSpec';
      yield {
        path: '/spec',
        message: 'spec must be set',
        expected: `a ${id.kind} with ${field}`,
        fix: `Set ${field}.template to a pod template with a Ray container.`,
      };
    }
  },
);

const submitterEnds: ObjectRule = rayJobRule(
  {
    id: 'ray/job-submitter-restart-policy',
    row: 'RA14',
    summary: 'submitterPodTemplate of a RayJob in K8sJobMode must set restartPolicy to Never or OnFailure.',
    why: 'KubeRay creates a Job from the template as it is. The API server rejects the default Always in a Job, and the work is never submitted.',
    source: `${KUBERAY}, ray-operator/controllers/ray/common/job.go, GetSubmitterTemplate; ${cite('kubernetes')}, pkg/apis/batch/validation/validation.go`,
    fix: 'Set restartPolicy: Never in submitterPodTemplate.spec.',
    concerns: ['submitterPodTemplate'],
  },
  function* ({ spec, path, mode }) {
    const template = spec.submitterPodTemplate;
    if (mode !== 'K8sJobMode' || !isObject(template)) {
      return;
    }
    const policy = asString(asObject(template.spec).restartPolicy) ?? '';
    if (policy !== 'Never' && policy !== 'OnFailure') {
      yield {
        path: `${path}/submitterPodTemplate/spec/restartPolicy`,
        message:
          policy === ''
            ? 'restartPolicy must be set in submitterPodTemplate, because the default Always is not supported in a Job'
            : `unsupported restartPolicy "${policy}" in submitterPodTemplate, which becomes a Job`,
        ...(policy === '' ? {} : { found: policy }),
        expected: 'Never or OnFailure',
      };
    }
  },
);

export const createdRules: readonly Rule[] = [hasSpec, submitterEnds];
