/**
 * TJ3, TJ8 and TJ9: training runtimes.
 */
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rule';
import { pointer } from '../../../manifests/pointer';
import { asInteger, isObject, objectsAt, stringsIn, asString } from '../../../manifests/read';
import { RUNTIME_KINDS, runtimeOf, type RuntimeView } from '../../../manifests/trainer/runtime-view';
import { ANCESTOR_CONTAINERS, NODE, TRAINER, VOLCANO_QUEUE_ANNOTATION } from '../../../manifests/trainer/trainer-facts';

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
      'A job that is labelled as trainer, dataset-initializer or model-initializer has one replica and the container node, dataset-initializer or model-initializer.',
    why: 'Trainer writes image, command and environment of the TrainJob into that container; the webhook refuses a runtime without it.',
    source: `${TRAINER}, pkg/webhooks/trainingruntime_webhook.go (validateReplicatedJobs)`,
    fix: 'Name the container after its step and leave replicas out; the number of nodes is mlPolicy.numNodes.',
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
          message: `Job ${job.name} has ${replicas} replicas.`,
          found: replicas,
          expected: '1',
        };
      }
      if (!job.containers.includes(container)) {
        yield {
          path: `${job.podSpecPath}/containers`,
          message: `Job ${job.name} has no container "${container}".`,
          expected: `a container named ${container}`,
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
    summary: 'A runtime has a job that is labelled trainer.kubeflow.org/trainjob-ancestor-step: trainer.',
    why: 'Only such a job gets the nodes, image, command and environment of a TrainJob; without it they are passed over in silence.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/builder.go`,
    fix: 'Label the template of the training job.',
  },
  function* ({ jobs }) {
    if (jobs.length === 0 || jobs.some(({ ancestor }) => ancestor === 'trainer')) {
      return;
    }
    yield {
      path: '/spec/template/spec/replicatedJobs',
      message: 'No job of this runtime takes what a TrainJob states.',
      expected: 'the label trainjob-ancestor-step: trainer',
    };
  },
);

const targets = runtimeRule(
  {
    id: 'trainer/env-injection-targets-exist',
    row: 'TJ3',
    summary: 'torch.envInjection targets jobs and containers of the runtime.',
    why: 'The webhook refuses each TrainJob that names the runtime.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/torch/torch.go (validateEnvInjectionTargets)`,
    fix: 'Use names of this runtime.',
  },
  function* ({ mlPolicy, jobs }) {
    for (const { value, path } of objectsAt(mlPolicy, '/torch/envInjection/targets')) {
      const name = asString(value.jobName) ?? '';
      const job = jobs.find((candidate) => candidate.name === name);
      for (const [index, container] of stringsIn(value.containerNames).entries()) {
        if (job?.containers.includes(container) === true || job?.initContainers.includes(container) === true) {
          continue;
        }
        yield {
          path: `/spec/mlPolicy${path}/containerNames/${index}`,
          message: `There is no container "${container}" in a job "${name}".`,
          found: container,
        };
      }
    }
  },
);

const fluxInstaller = runtimeRule(
  {
    id: 'trainer/flux-installer-reserved',
    row: 'TJ3',
    summary: 'The job node of a flux runtime has no init container flux-installer.',
    why: 'Trainer adds one of that name; the webhook refuses each TrainJob that names the runtime.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/flux/flux.go`,
    fix: 'Rename the init container.',
  },
  function* ({ policy, jobs }) {
    const job = jobs.find(({ name }) => name === NODE);
    if (policy !== 'flux' || job?.initContainers.includes('flux-installer') !== true) {
      return;
    }
    yield {
      path: `${job.podSpecPath}/initContainers`,
      message: 'flux-installer is the name of the init container that Trainer adds.',
    };
  },
);

const volcanoQueue = runtimeRule(
  {
    id: 'trainer/volcano-queue-named',
    row: 'TJ8',
    summary: 'With the volcano policy the queue annotation of the template, where it stands, names a queue.',
    why: 'The webhook refuses an empty one.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/volcano/volcano.go`,
    fix: 'Name the queue, or take the annotation out.',
  },
  function* ({ podGroupPolicy, templateAnnotations }) {
    if (!isObject(podGroupPolicy.volcano) || templateAnnotations[VOLCANO_QUEUE_ANNOTATION] !== '') {
      return;
    }
    yield {
      path: pointer('/spec/template/metadata/annotations', VOLCANO_QUEUE_ANNOTATION),
      message: 'The queue has no name.',
      found: '',
    };
  },
);

const volcanoScheduler = runtimeRule(
  {
    id: 'trainer/volcano-policy-has-scheduler',
    row: 'TJ8',
    tier: 'advice',
    severity: 'error',
    summary: 'With the volcano policy the nodes of the runtime name the scheduler volcano.',
    why: 'Trainer makes the PodGroup and does not touch schedulerName: the default scheduler places the pods one by one and Volcano never sees them.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/volcano/volcano.go`,
    fix: 'Write schedulerName: volcano into the pod templates.',
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
        message: `Pods of job ${name} are left to the default scheduler.`,
        found: podSpec.schedulerName,
        expected: 'schedulerName: volcano',
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
