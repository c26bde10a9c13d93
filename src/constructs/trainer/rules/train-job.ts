/**
 * TJ2 to TJ6: a TrainJob against the runtime that it names.
 */
import { oneOfStrings, allOf } from '../../../facts/words';
import {
  type ObjectRule,
  type Rule,
  type RuleContext,
  type RuleFacts,
  type Violation,
} from '../../../checks/rules/rule';
import { fieldOf } from '../../../manifests/pointer';
import { domainPrefixedPath } from '../../../manifests/values/name-syntax';
import { asArray, asInteger, asObject, asString, isObject, isUnset, objectsAt } from '../../../manifests/read';
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
    summary:
      'A TrainJob must have a runtimeRef, which names a TrainingRuntime or a ClusterTrainingRuntime of trainer.kubeflow.org.',
    why: 'The webhook rejects a job without a runtime, or with one of another kind.',
    source: `${TRAINER}, pkg/webhooks/trainjob_webhook.go`,
    fix: 'Set runtimeRef.name, set runtimeRef.kind to TrainingRuntime (same namespace) or ClusterTrainingRuntime, and leave apiGroup unset.',
  },
  function* ({ spec, runtimeKind: kind, runtimeGroup }) {
    if (isUnset(spec.runtimeRef)) {
      yield {
        path: '/spec/runtimeRef',
        message: 'runtimeRef must be set',
        expected: 'the name of a runtime',
        fix: 'Set runtimeRef.name to the name of a ClusterTrainingRuntime, such as torch-distributed.',
      };
    } else if (runtimeGroup !== TRAINER_GROUP) {
      yield {
        path: '/spec/runtimeRef/apiGroup',
        message: `unsupported apiGroup "${runtimeGroup}"`,
        found: runtimeGroup,
        expected: TRAINER_GROUP,
      };
    } else if (kind !== 'TrainingRuntime' && kind !== 'ClusterTrainingRuntime') {
      yield {
        path: '/spec/runtimeRef/kind',
        message: `unsupported runtime kind "${kind}"`,
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
    summary: 'The runtime of a TrainJob must exist before the job.',
    why: 'The webhook looks up the runtime and rejects the TrainJob without it.',
    source: `${TRAINER}, pkg/runtime/core/trainingruntime.go, clustertrainingruntime.go (ValidateObjects)`,
    fix: 'Set runtimeRef.name to an existing runtime, or add the runtime to the manifests.',
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
      message: `${job.runtimeKind} "${job.runtimeName}" not found ${job.runtimeKind === 'TrainingRuntime' ? 'in these manifests in the namespace of the TrainJob' : "in these manifests or among Trainer's built-in runtimes"}`,
      found: job.runtimeName,
      expected: oneOfStrings([...new Set(names), ...(built ? Object.keys(BUILT_IN_RUNTIMES) : [])]),
    };
  },
);

const runtimeSupported = trainJobRule(
  {
    id: 'trainer/runtime-not-deprecated',
    row: 'TJ2',
    tier: 'advice',
    severity: 'info',
    summary: 'A TrainJob should not use a deprecated runtime.',
    why: 'The webhook warns: the runtime will be removed.',
    source: `${TRAINER}, pkg/util/trainingruntime/trainingruntime.go`,
    fix: 'Set runtimeRef.name to the runtime that replaces the deprecated one.',
  },
  function* (job, runtime) {
    if (runtime?.deprecated === true) {
      yield {
        path: '/spec/runtimeRef/name',
        message: `the runtime "${runtime.name}" is deprecated`,
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
      'trainer.env must not set what the runtime sets: PET_* with torch, OMPI_MCA_* with mpi, DMLC_* with xgboost.',
    why: 'The runtime derives them from nodes and processes; the webhook rejects them.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/{torch,mpi,xgboost}; pkg/constants/constants.go`,
    fix: 'Remove the variable from trainer.env, and set trainer.numNodes and trainer.numProcPerNode instead.',
  },
  function* (job, runtime) {
    const policy = policyOf(job, runtime);
    const reserved = policy === undefined ? [] : RESERVED_VARIABLES[policy];
    for (const { value, path } of objectsAt(job.trainer, '/env')) {
      const name = asString(value.name) ?? '';
      if (reserved.includes(name)) {
        yield {
          path: `/spec/trainer${path}`,
          message: `the variable ${name} must not be set: the ${policy ?? ''} policy of the runtime sets it`,
          found: name,
          fix: `Remove ${name} from trainer.env, and set trainer.numNodes and trainer.numProcPerNode instead.`,
        };
      }
    }
  },
);

const fluxProcesses = trainJobRule(
  {
    id: 'trainer/flux-processes-at-least-one',
    row: 'TJ3',
    summary: 'With a flux runtime, numProcPerNode must be at least 1.',
    why: 'The webhook rejects a smaller number.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/flux/flux.go`,
    fix: 'Set trainer.numProcPerNode to the number of processes on each node.',
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
      message: `numProcPerNode must be greater than or equal to 1, but is ${processes}`,
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
      'An initializer in a TrainJob requires a runtime with the job and container dataset-initializer or model-initializer, which mounts the volume initializer.',
    why: 'The webhook rejects an initializer that the runtime would not run.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/jobset.go (Validate)`,
    fix: 'Set runtimeRef.name to a runtime with this initializer, or remove dataset or model from spec.initializer.',
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
          message: `the runtime "${job.runtimeName}" has no job "${name}" with a container "${name}"`,
          expected: `a runtime with a ${field} initializer`,
          fix: `Set runtimeRef.name to a runtime with a ${field} initializer, or remove spec.initializer.${field}.`,
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
        message: `the container "${name}" in the runtime "${job.runtimeName}" does not mount the volume "${INITIALIZER_VOLUME}"`,
        fix: `Add an entry with the name "${INITIALIZER_VOLUME}" and a mountPath to the volumeMounts of the container "${name}" in the runtime "${job.runtimeName}".`,
      };
    }
  },
);

const patches = trainJobRule(
  {
    id: 'trainer/patches-name-what-exists',
    row: 'TJ5',
    summary: 'runtimePatches must name jobs and containers of the runtime, with a manager of the form domain/path.',
    why: 'The webhook rejects a patch for something that the runtime does not have.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/jobset.go (Validate)`,
    fix: 'Set the name in runtimePatches to the name of a job or container in the runtime, such as node.',
  },
  function* (job, runtime) {
    const known = containersByJob(job, runtime);
    for (const patch of objectsAt(job.spec, '/runtimePatches')) {
      const manager = asString(patch.value.manager);
      const complaint = manager === undefined ? undefined : domainPrefixedPath(manager);
      if (complaint !== undefined) {
        yield {
          path: `/spec${patch.path}/manager`,
          message: `the manager "${manager ?? ''}" must ${complaint}`,
          found: manager,
        };
      }
      if (known === undefined) {
        continue;
      }
      for (const { value, path } of objectsAt(patch.value, '/trainingRuntimeSpec/template/spec/replicatedJobs')) {
        const name = asString(value.name) ?? '';
        const at = `/spec${patch.path}${path}`;
        const containers = known.get(name);
        if (containers === undefined) {
          yield {
            path: `${at}/name`,
            message: `the runtime "${job.runtimeName}" has no job "${name}"`,
            found: name,
            ...(known.size === 0 ? {} : { expected: oneOfStrings([...known.keys()]) }),
            fix:
              known.size === 0
                ? `Remove ${fieldOf(at)}, because the runtime has no jobs.`
                : `Set ${fieldOf(`${at}/name`)} to ${oneOfStrings([...known.keys()])}.`,
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
              message: `the job "${name}" in the runtime has no container "${own}"`,
              found: own,
              ...(containers.length === 0 ? {} : { expected: oneOfStrings(containers) }),
              fix:
                containers.length === 0
                  ? `Remove ${fieldOf(`${at}${container.path}`)}, because the job has no containers.`
                  : `Set ${fieldOf(`${at}${container.path}/name`)} to ${oneOfStrings(containers)}.`,
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
    summary: 'runtimePatches must not set env for the containers node, dataset-initializer, and model-initializer.',
    why: 'Their environment is set in trainer.env and initializer.*.env; the webhook rejects it elsewhere.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/jobset/jobset.go (Validate)`,
    fix: 'Move env to spec.trainer.env, or to spec.initializer.<dataset|model>.env.',
  },
  function* (job) {
    for (const patch of objectsAt(job.spec, '/runtimePatches')) {
      for (const { value, path } of objectsAt(patch.value, '/trainingRuntimeSpec/template/spec/replicatedJobs')) {
        for (const container of objectsAt(value, '/template/spec/template/spec/containers')) {
          const name = asString(container.value.name) ?? '';
          if (!OWN_ENV.includes(name) || asArray(container.value.env).length === 0) {
            continue;
          }
          const place = name === NODE ? 'spec.trainer.env' : `spec.initializer.${name.replace('-initializer', '')}.env`;
          yield {
            path: `/spec${patch.path}${path}${container.path}/env`,
            message: `env must not be set for the container "${name}" in runtimePatches`,
            expected: place,
            fix: `Move env of the container "${name}" to ${place}.`,
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
    summary: 'An MPI runtime whose launcher is a node needs both jobs, launcher and node, for more than one node.',
    why: 'Without the job node there are no pods besides the launcher; the webhook rejects more than one node.',
    source: `${TRAINER}, pkg/runtime/framework/plugins/mpi/mpi.go (Validate)`,
    fix: 'Add the missing job, launcher or node, to the runtime, or set trainer.numNodes to 1.',
  },
  function* (job, runtime) {
    if (runtime?.policy !== 'mpi' || runtime.settings.runLauncherAsNode !== true || (job.numNodes ?? 1) < 2) {
      return;
    }
    const missing = [LAUNCHER, NODE].filter((name) => !runtime.jobs.some((candidate) => candidate.name === name));
    if (missing.length === 0) {
      return;
    }
    const jobsNamed = `${missing.length === 1 ? 'job' : 'jobs'} ${allOf(missing.map((name) => `"${name}"`))}`;
    yield {
      path: '/spec/trainer/numNodes',
      message: `for more than one node, the runtime "${runtime.name}" must have the ${jobsNamed}`,
      found: job.numNodes,
      expected: '1',
      fix: `Add the ${jobsNamed} to the runtime, or set trainer.numNodes to 1.`,
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
