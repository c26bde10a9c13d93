/**
 * TJ2 to TJ6: a TrainJob against the runtime that it names.
 */
import { type ObjectRule, type Rule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rule';
import { domainPrefixedPath } from '../../../checks/server/syntax';
import { asArray, asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import {
  containersByJob,
  policyOf,
  runtimeInSet,
  type RuntimeView,
  TRAIN_JOB_KIND,
  trainJobOf,
  type TrainJobView,
} from '../../../manifests/trainer/runtime-view';
import {
  BUILT_IN_RUNTIMES,
  builtInRuntime,
  INITIALIZER_VOLUME,
  LAUNCHER,
  NODE,
  RESERVED_VARIABLES,
  TRAINER,
  TRAINER_GROUP,
} from '../../../manifests/trainer/trainer-facts';

type Facts = Omit<RuleFacts, 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

export function trainJobRule(
  facts: Facts,
  check: (job: TrainJobView, runtime: RuntimeView | undefined, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    on: 'object',
    kinds: [TRAIN_JOB_KIND],
    check: (manifest, context) => {
      const job = trainJobOf(manifest);
      return check(job, runtimeInSet(job, manifest, context.set), context);
    },
  };
}

const runtimeKind = trainJobRule(
  {
    id: 'trainer/runtime-kind-known',
    row: 'TJ2',
    summary: 'runtimeRef names a TrainingRuntime or a ClusterTrainingRuntime of trainer.kubeflow.org.',
    why: 'The webhook refuses a runtime of another kind.',
    source: `${TRAINER}, pkg/webhooks/trainjob_webhook.go`,
    fix: 'Use kind TrainingRuntime (of the namespace) or ClusterTrainingRuntime, and leave apiGroup out.',
  },
  function* ({ runtimeKind: kind, runtimeGroup }) {
    if (runtimeGroup !== TRAINER_GROUP) {
      yield {
        path: '/spec/runtimeRef/apiGroup',
        message: `There is no runtime in the group "${runtimeGroup}".`,
        found: runtimeGroup,
        expected: TRAINER_GROUP,
      };
    } else if (kind !== 'TrainingRuntime' && kind !== 'ClusterTrainingRuntime') {
      yield {
        path: '/spec/runtimeRef/kind',
        message: `"${kind}" is no runtime.`,
        found: kind,
        expected: 'TrainingRuntime or ClusterTrainingRuntime',
      };
    }
  },
);

const runtimeExists = trainJobRule(
  {
    id: 'trainer/runtime-exists',
    row: 'TJ2',
    severity: 'warning',
    summary: 'The runtime that a TrainJob names exists before it.',
    why: 'The webhook looks the runtime up and refuses the TrainJob without it.',
    source: `${TRAINER}, pkg/runtime/core/trainingruntime.go, clustertrainingruntime.go (ValidateObjects)`,
    fix: 'Correct the name, or write the runtime beside the TrainJob.',
  },
  function* (job, runtime, { set }) {
    if (runtime !== undefined || job.runtimeGroup !== TRAINER_GROUP || job.runtimeName === '') {
      return;
    }
    const names = set.ofKind(`${TRAINER_GROUP}/${job.runtimeKind}`).map(({ id }) => id.name);
    const built = job.runtimeKind === 'ClusterTrainingRuntime';
    // With no runtime in the set, one of the cluster is meant.
    if (names.length === 0 || (built && builtInRuntime(job.runtimeName) !== undefined)) {
      return;
    }
    yield {
      path: '/spec/runtimeRef/name',
      message: `No ${job.runtimeKind} "${job.runtimeName}" stands here${job.runtimeKind === 'TrainingRuntime' ? ' in this namespace' : ''}, and Trainer brings none of that name.`,
      found: job.runtimeName,
      expected: `one of ${[...names, ...(built ? Object.keys(BUILT_IN_RUNTIMES) : [])].join(', ')}`,
    };
  },
);

const runtimeSupported = trainJobRule(
  {
    id: 'trainer/runtime-not-deprecated',
    row: 'TJ2',
    tier: 'advice',
    severity: 'info',
    summary: 'A TrainJob names a runtime that is not labelled as deprecated.',
    why: 'The webhook warns: the runtime will be taken away.',
    source: `${TRAINER}, pkg/util/trainingruntime/trainingruntime.go`,
    fix: 'Move to the runtime that takes its place.',
  },
  function* (job, runtime) {
    if (runtime?.deprecated === true) {
      yield {
        path: '/spec/runtimeRef/name',
        message: `The runtime ${runtime.name} is deprecated.`,
        found: job.runtimeName,
      };
    }
  },
);

const reservedVariables = trainJobRule(
  {
    id: 'trainer/env-not-reserved',
    row: 'TJ3',
    summary:
      'trainer.env leaves alone what the runtime sets: PET_* with torch, OMPI_MCA_* with mpi, DMLC_* with xgboost.',
    why: 'The runtime derives them from nodes and processes; the webhook refuses others.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/{torch,mpi,xgboost}; pkg/constants/constants.go`,
    fix: 'Take the variable out; state numNodes and numProcPerNode.',
  },
  function* (job, runtime) {
    const policy = policyOf(job, runtime);
    const reserved = policy === undefined ? [] : RESERVED_VARIABLES[policy];
    for (const { value, path } of objectsAt(job.trainer, '/env')) {
      const name = asString(value.name) ?? '';
      if (reserved.includes(name)) {
        yield {
          path: `/spec/trainer${path}`,
          message: `${name} is set by the ${policy ?? ''} policy of the runtime.`,
          found: name,
        };
      }
    }
  },
);

const fluxProcesses = trainJobRule(
  {
    id: 'trainer/flux-processes-at-least-one',
    row: 'TJ3',
    summary: 'With a flux runtime numProcPerNode is at least 1.',
    why: 'The webhook refuses fewer.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/flux/flux.go`,
    fix: 'Write the number of processes on each node.',
  },
  function* (job, runtime) {
    if (policyOf(job, runtime) !== 'flux') {
      return;
    }
    const own = asInteger(job.trainer.numProcPerNode);
    const processes = own ?? asInteger(runtime?.settings.numProcPerNode);
    if (processes === undefined || processes >= 1) {
      return;
    }
    yield {
      path: own === undefined ? '/spec/runtimeRef' : '/spec/trainer/numProcPerNode',
      message: `There are ${processes} processes on a node.`,
      found: processes,
      expected: 'at least 1',
    };
  },
);

const initializers = trainJobRule(
  {
    id: 'trainer/initializer-has-job',
    row: 'TJ4',
    summary:
      'A TrainJob fetches a dataset or a model only with a runtime that has the job and container dataset-initializer or model-initializer, which mounts the volume initializer.',
    why: 'The webhook refuses an initializer that nothing would run.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/jobset.go (Validate)`,
    fix: 'Name a runtime with initializers, or fetch the data in the trainer.',
  },
  function* (job, runtime) {
    const initializer = asObject(job.spec.initializer);
    const known = containersByJob(job, runtime);
    if (known === undefined) {
      return;
    }
    for (const field of ['dataset', 'model']) {
      if (!isObject(initializer[field])) {
        continue;
      }
      const name = `${field}-initializer`;
      const path = `/spec/initializer/${field}`;
      if (known.get(name)?.includes(name) !== true) {
        yield {
          path,
          message: `The runtime ${job.runtimeName} has no job ${name} with a container of that name.`,
          expected: 'a runtime with initializers',
        };
        continue;
      }
      const container = runtime?.jobs.find((candidate) => candidate.name === name)?.podSpec.containers;
      const own = asArray(container)
        .map(asObject)
        .find((candidate) => candidate.name === name);
      if (own === undefined || objectsAt(own, '/volumeMounts').some(({ value }) => value.name === INITIALIZER_VOLUME)) {
        continue;
      }
      yield {
        path,
        message: `The container ${name} of the runtime ${job.runtimeName} does not mount the volume "${INITIALIZER_VOLUME}".`,
      };
    }
  },
);

const patches = trainJobRule(
  {
    id: 'trainer/patches-name-what-exists',
    row: 'TJ5',
    summary: 'runtimePatches name jobs and containers of the runtime, by a manager of the form domain/path.',
    why: 'The webhook refuses a patch of what the runtime does not have.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/jobset.go (Validate)`,
    fix: 'Use the names of the runtime, for example job node and container node.',
  },
  function* (job, runtime) {
    const known = containersByJob(job, runtime);
    for (const patch of objectsAt(job.spec, '/runtimePatches')) {
      const manager = asString(patch.value.manager);
      const complaint = manager === undefined ? undefined : domainPrefixedPath(manager);
      if (complaint !== undefined) {
        yield {
          path: `/spec${patch.path}/manager`,
          message: `The manager "${manager ?? ''}" must ${complaint}.`,
          found: manager,
        };
      }
      const base = '/trainingRuntimeSpec/template/spec/replicatedJobs';
      for (const { value, path } of known === undefined ? [] : objectsAt(patch.value, base)) {
        const name = asString(value.name) ?? '';
        const at = `/spec${patch.path}${path}`;
        const containers = known?.get(name);
        if (containers === undefined) {
          yield {
            path: `${at}/name`,
            message: `The runtime ${job.runtimeName} has no job "${name}".`,
            found: name,
            expected: [...(known?.keys() ?? [])].join(' or '),
          };
          continue;
        }
        for (const list of ['initContainers', 'containers']) {
          for (const container of objectsAt(value, `/template/spec/template/spec/${list}`)) {
            const own = asString(container.value.name) ?? '';
            if (containers.includes(own)) {
              continue;
            }
            yield {
              path: `${at}${container.path}/name`,
              message: `Job ${name} of the runtime has no container "${own}".`,
              found: own,
              expected: containers.join(' or '),
            };
          }
        }
      }
    }
  },
);

/** Containers whose environment a TrainJob states in fields of its own. */
const OWN_ENV = [NODE, 'dataset-initializer', 'model-initializer'];

const patchedEnv = trainJobRule(
  {
    id: 'trainer/patches-leave-env',
    row: 'TJ5',
    summary: 'runtimePatches state no env for the containers node, dataset-initializer and model-initializer.',
    why: 'Their environment stands in trainer.env and initializer.*.env; the webhook refuses it elsewhere.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/jobset.go (Validate)`,
    fix: 'Move it to spec.trainer.env or spec.initializer.<dataset|model>.env.',
  },
  function* (job) {
    for (const patch of objectsAt(job.spec, '/runtimePatches')) {
      for (const { value, path } of objectsAt(patch.value, '/trainingRuntimeSpec/template/spec/replicatedJobs')) {
        for (const container of objectsAt(value, '/template/spec/template/spec/containers')) {
          const name = asString(container.value.name) ?? '';
          if (!OWN_ENV.includes(name) || asArray(container.value.env).length === 0) {
            continue;
          }
          yield {
            path: `/spec${patch.path}${path}${container.path}/env`,
            message: `The environment of ${name} is stated in a patch.`,
            expected: 'spec.trainer.env',
          };
        }
      }
    }
  },
);

const launcherAsNode = trainJobRule(
  {
    id: 'trainer/mpi-launcher-and-nodes',
    row: 'TJ6',
    summary: 'Several nodes with an MPI runtime whose launcher is a node need both jobs, launcher and node.',
    why: 'Without the job node there is nobody beside the launcher; the webhook refuses more than one node.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/mpi/mpi.go (Validate)`,
    fix: 'Add the missing job to the runtime, or train on one node.',
  },
  function* (job, runtime) {
    if (runtime?.policy !== 'mpi' || runtime.settings.runLauncherAsNode !== true || (job.numNodes ?? 1) < 2) {
      return;
    }
    const missing = [LAUNCHER, NODE].filter((name) => !runtime.jobs.some((candidate) => candidate.name === name));
    if (missing.length === 0) {
      return;
    }
    yield {
      path: '/spec/trainer/numNodes',
      message: `The runtime ${runtime.name} has no job ${missing.join(' and ')}.`,
      found: job.numNodes,
      expected: '1',
    };
  },
);

export const trainJobRules: readonly Rule[] = [
  runtimeKind,
  runtimeExists,
  runtimeSupported,
  reservedVariables,
  fluxProcesses,
  initializers,
  patches,
  patchedEnv,
  launcherAsNode,
];
