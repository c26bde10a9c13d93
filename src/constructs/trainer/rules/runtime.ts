/**
 * TJ3, TJ8 and TJ9: training runtimes.
 */
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asInteger, isObject, objectsAt, stringsIn, asString } from '../../../manifests/read';
import { oneOfStrings } from '../../../facts/words';
import { RUNTIME_KINDS, runtimeOf, type RuntimeView } from '../../../manifests/trainer/runtime-view';
import {
  ANCESTOR_CONTAINERS,
  ANCESTOR_LABEL,
  NODE,
  TRAINER,
  VOLCANO_QUEUE_ANNOTATION,
} from '../../../manifests/trainer/trainer-facts';

type Facts = Omit<RuleFacts, 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

function runtimeRule(facts: Facts, check: (runtime: RuntimeView) => Iterable<Violation>): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    on: 'object',
    kinds: RUNTIME_KINDS,
    check: (manifest) => check(runtimeOf(manifest)),
  };
}

const ancestors = runtimeRule(
  {
    id: 'trainer/ancestor-job-fits',
    row: 'TJ9',
    summary:
      'A job with the label trainer, dataset-initializer, or model-initializer must have one replica and the container node, dataset-initializer, or model-initializer.',
    why: 'Trainer writes image, command, and environment of the TrainJob into that container; the webhook rejects a runtime without it.',
    source: `${TRAINER}, pkg/webhooks/trainingruntime_webhook.go (validateReplicatedJobs)`,
    fix: 'Set containers[].name to the name for the step, remove replicas, and set the number of nodes in mlPolicy.numNodes.',
  },
  function* ({ jobs }) {
    for (const job of jobs) {
      const container = job.ancestor === undefined ? undefined : ANCESTOR_CONTAINERS[job.ancestor];
      if (container === undefined) {
        continue;
      }
      const replicas = asInteger(job.value.replicas) ?? 1;
      if (replicas !== 1) {
        yield {
          path: `${job.path}/replicas`,
          message: `replicas must be 1 for the job "${job.name}", but is ${replicas}`,
          found: replicas,
          expected: '1',
        };
      }
      if (!job.containers.includes(container)) {
        yield {
          path: `${job.podSpecPath}/containers`,
          message: `the job "${job.name}" must have a container named "${container}", because Trainer runs it as the step "${job.ancestor}"`,
          expected: `a container named "${container}"`,
          fix: `Set the name of the container that runs this step to ${container}, or remove the label ${ANCESTOR_LABEL} from the job "${job.name}".`,
        };
      }
    }
  },
);

const hasTrainer = runtimeRule(
  {
    id: 'trainer/runtime-has-trainer-job',
    row: 'TJ9',
    tier: 'advice',
    severity: 'warning',
    summary: 'A runtime must have a job with the label trainer.kubeflow.org/trainjob-ancestor-step: trainer.',
    why: 'Only such a job gets the nodes, image, command, and environment of a TrainJob; without it they are silently ignored.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/builder.go`,
    fix: 'Add the label trainer.kubeflow.org/trainjob-ancestor-step: trainer to template.metadata.labels in the entry of replicatedJobs that runs the training.',
  },
  function* ({ jobs }) {
    if (jobs.length === 0 || jobs.some(({ ancestor }) => ancestor === 'trainer')) {
      return;
    }
    yield {
      path: '/spec/template/spec/replicatedJobs',
      message: 'no job in the runtime has the label trainer.kubeflow.org/trainjob-ancestor-step: trainer',
      expected: 'the label in the template of one of the replicatedJobs',
    };
  },
);

const targets = runtimeRule(
  {
    id: 'trainer/env-injection-targets-exist',
    row: 'TJ3',
    summary: 'torch.envInjection must name jobs and containers of the runtime.',
    why: 'The webhook rejects each TrainJob that uses the runtime.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/torch/torch.go (validateEnvInjectionTargets)`,
    fix: 'Set jobName in torch.envInjection.targets to a job in the runtime, and containerNames to containers in that job.',
  },
  function* ({ mlPolicy, jobs }) {
    for (const { value, path } of objectsAt(mlPolicy, '/torch/envInjection/targets')) {
      const name = asString(value.jobName) ?? '';
      const job = jobs.find((candidate) => candidate.name === name);
      for (const [index, container] of stringsIn(value.containerNames).entries()) {
        if (job?.containers.includes(container) === true || job?.initContainers.includes(container) === true) {
          continue;
        }
        const place = `/spec/mlPolicy${path}/containerNames/${index}`;
        const choices = oneOfStrings([...new Set([...(job?.containers ?? []), ...(job?.initContainers ?? [])])]);
        if (job === undefined) {
          const names = oneOfStrings(jobs.map((one) => one.name));
          yield {
            path: place,
            message: `the runtime has no job "${name}"`,
            found: container,
            ...(names === '' ? {} : { fix: `Set jobName in ${fieldOf(`/spec/mlPolicy${path}`)} to ${names}.` }),
          };
          continue;
        }
        yield {
          path: place,
          message: `the job "${name}" has no container "${container}"`,
          found: container,
          ...(choices === '' ? {} : { expected: choices, fix: `Set ${fieldOf(place)} to ${choices}.` }),
        };
      }
    }
  },
);

const fluxInstaller = runtimeRule(
  {
    id: 'trainer/flux-installer-reserved',
    row: 'TJ3',
    summary: 'The job node of a flux runtime must not have an init container flux-installer.',
    why: 'Trainer adds one of that name; the webhook rejects each TrainJob that uses the runtime.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/flux/flux.go`,
    fix: 'Set initContainers[].name to a name other than flux-installer.',
  },
  function* ({ policy, jobs }) {
    const job = jobs.find(({ name }) => name === NODE);
    if (policy !== 'flux' || job?.initContainers.includes('flux-installer') !== true) {
      return;
    }
    yield {
      path: `${job.podSpecPath}/initContainers`,
      message: 'the init container name "flux-installer" is reserved for Trainer',
    };
  },
);

const volcanoQueue = runtimeRule(
  {
    id: 'trainer/volcano-queue-named',
    row: 'TJ8',
    summary: 'With the volcano policy, the queue annotation of the template must not be empty.',
    why: 'The webhook rejects an empty annotation.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/volcano/volcano.go`,
    fix: 'Set the annotation scheduling.volcano.sh/queue-name to the name of a queue, or remove the annotation.',
  },
  function* ({ podGroupPolicy, templateAnnotations }) {
    if (!isObject(podGroupPolicy.volcano) || templateAnnotations[VOLCANO_QUEUE_ANNOTATION] !== '') {
      return;
    }
    yield {
      path: pointer('/spec/template/metadata/annotations', VOLCANO_QUEUE_ANNOTATION),
      message: 'the annotation scheduling.volcano.sh/queue-name must not be empty',
      found: '',
    };
  },
);

const volcanoScheduler = runtimeRule(
  {
    id: 'trainer/volcano-policy-has-scheduler',
    row: 'TJ8',
    tier: 'advice',
    severity: 'warning',
    summary: 'With the volcano policy, the pods of the runtime must use the scheduler volcano.',
    why: 'Trainer creates the PodGroup but does not change schedulerName: the default scheduler schedules the pods one by one, unless a webhook sets the name or Volcano runs as the default scheduler.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/volcano/volcano.go`,
    fix: 'Set schedulerName: volcano in the pod template of each job.',
  },
  function* ({ podGroupPolicy, jobs }) {
    if (!isObject(podGroupPolicy.volcano)) {
      return;
    }
    for (const { name, ancestor, podSpec, podSpecPath } of jobs) {
      // An initializer is one pod, which runs to its end before there is a gang.
      if (ancestor !== undefined && ancestor.endsWith('-initializer')) {
        continue;
      }
      if (podSpec.schedulerName !== undefined && podSpec.schedulerName !== 'default-scheduler') {
        continue;
      }
      yield {
        path: podSpecPath,
        message: `schedulerName must be volcano for the job "${name}": the default scheduler ignores the Volcano policy`,
        found: podSpec.schedulerName,
        expected: 'schedulerName: volcano',
        fix: `Set schedulerName: volcano in the pod template of the job "${name}".`,
      };
    }
  },
);

export const runtimeRules: readonly Rule[] = [
  ancestors,
  hasTrainer,
  targets,
  fluxInstaller,
  volcanoQueue,
  volcanoScheduler,
];
