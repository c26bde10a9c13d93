/**
 * KT6, KT9 to KT12: the elastic policy of PyTorchJob (and the range of PaddleJob's), and a static job's need of a Master.
 */
import { type Rule } from '../../../checks/rules/rule';
import { asBoolean, asInteger, asString } from '../../../manifests/read';
import { RENDEZVOUS_BACKENDS, replicaName } from '../frameworks';
import { elasticRange, roleNamed } from '../training-job';
import { jobRule, namedJobRule } from './job-rule';
import { counted, oneOf } from '../../../facts/words';

const elasticNeedsWorker = jobRule(
  {
    id: 'elastic-has-worker',
    concerns: ['elasticPolicy'],
    row: 'KT6',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'A PyTorchJob with elasticPolicy must have a Worker role.',
    why: 'The number of Workers is what changes; the webhook rejects the job without them.',
    source: 'pkg/webhooks/pytorch/pytorchjob_webhook.go, validateSpec',
    fix: 'Add pytorchReplicaSpecs.Worker, or remove elasticPolicy.',
  },
  function* (job) {
    if (job.elasticPolicy === undefined || roleNamed(job, 'Worker') !== undefined) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy',
      message: 'elasticPolicy must not be set without a Worker role',
      expected: 'pytorchReplicaSpecs.Worker',
    };
  },
);

const nprocStatedOnce = jobRule(
  {
    id: 'nproc-per-node-stated-once',
    concerns: ['nProcPerNode'],
    row: 'KT6',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.nProcPerNode must not be used; spec.nprocPerNode replaces it.',
    why: 'It is deprecated, and the webhook rejects it together with spec.nprocPerNode.',
    source: 'pkg/webhooks/pytorch/pytorchjob_webhook.go, validateSpec',
    fix: 'Remove elasticPolicy.nProcPerNode, and set spec.nprocPerNode to the number as a string.',
  },
  function* (job) {
    const found = job.elasticPolicy?.nProcPerNode;
    if (found === undefined || found === null) {
      return;
    }
    const both = job.spec.nprocPerNode !== undefined;
    yield {
      path: '/spec/elasticPolicy/nProcPerNode',
      message: both
        ? 'elasticPolicy.nProcPerNode must not be set when spec.nprocPerNode is set'
        : 'elasticPolicy.nProcPerNode is deprecated; use spec.nprocPerNode',
      found,
      expected: 'only spec.nprocPerNode',
      ...(both && { fix: 'Remove elasticPolicy.nProcPerNode.' }),
      ...(both ? {} : ({ severity: 'warning', tier: 'advice' } as const)),
    };
  },
);

const nprocKnown = jobRule(
  {
    id: 'nproc-per-node-known',
    concerns: ['nprocPerNode'],
    row: 'KT9',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'nprocPerNode must be auto, cpu, gpu, or a number of at least 1, as a string.',
    why: 'The schema accepts any string; torchrun receives it as PET_NPROC_PER_NODE and fails on an unknown value.',
    source: 'pkg/apis/kubeflow.org/v1/pytorch_types.go; torch/distributed/run.py, determine_local_world_size',
    fix: 'Set nprocPerNode to the number of processes per pod, for example "8", or to auto.',
  },
  function* (job) {
    const found = asString(job.spec.nprocPerNode);
    if (found === undefined || ['auto', 'cpu', 'gpu'].includes(found) || /^[1-9]\d*$/.test(found)) {
      return;
    }
    yield {
      path: '/spec/nprocPerNode',
      message: `unsupported value "${found}" for nprocPerNode`,
      found,
      expected: 'auto, cpu, gpu, or a number of at least 1',
      // Newer releases of PyTorch know names of other backends (xpu, and those that a plug-in registers).
      ...(/^[a-z]+$/.test(found) ? ({ severity: 'warning' } as const) : {}),
    };
  },
);

const backendKnown = jobRule(
  {
    id: 'rendezvous-backend-known',
    concerns: ['rdzvBackend'],
    row: 'KT9',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.rdzvBackend must be c10d, etcd, or etcd-v2.',
    why: 'The schema accepts any string; torchrun receives it as PET_RDZV_BACKEND and fails on a backend that is not registered.',
    source: 'pkg/apis/kubeflow.org/v1/pytorch_types.go',
    fix: 'Set elasticPolicy.rdzvBackend to c10d, which requires no server.',
  },
  function* (job) {
    const found = asString(job.elasticPolicy?.rdzvBackend);
    if (found === undefined || RENDEZVOUS_BACKENDS.some((known) => known === found)) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy/rdzvBackend',
      message: `unsupported rdzvBackend "${found}"`,
      found,
      expected: oneOf(RENDEZVOUS_BACKENDS),
    };
  },
);

const etcdHasHost = namedJobRule(
  {
    id: 'etcd-backend-has-host',
    concerns: ['rdzvBackend'],
    row: 'KT9',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'With the backend etcd or etcd-v2, elasticPolicy must set rdzvHost and rdzvPort of the server.',
    why: 'Without them the operator sends every worker to port 23456 of worker 0, where no etcd listens.',
    source: 'pkg/controller.v1/pytorch/elastic.go, generateEnvRDZVEndpoint',
    fix: 'Set rdzvHost and rdzvPort to the etcd server, or set rdzvBackend: c10d.',
  },
  function* (job) {
    const backend = asString(job.elasticPolicy?.rdzvBackend);
    if (backend !== 'etcd' && backend !== 'etcd-v2') {
      return;
    }
    const missing = ['rdzvHost', 'rdzvPort'].filter((field) => job.elasticPolicy?.[field] === undefined);
    if (missing.length === 0) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy',
      message: `rdzvBackend ${backend} requires ${missing.join(' and ')}; without ${missing.length === 1 ? 'it' : 'them'}, workers look for etcd at ${replicaName(job.name, 'Worker', 0)}:${job.framework.port}`,
      expected: missing.join(' and '),
      severity: missing.includes('rdzvHost') ? 'error' : 'warning',
    };
  },
);

const rendezvousConfNotEmpty = jobRule(
  {
    id: 'rendezvous-conf-not-empty',
    concerns: ['rdzvConf'],
    row: 'KT10',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.rdzvConf must not be an empty list.',
    why: 'For an empty list the operator removes the last character of an empty string and panics at each reconcile; the job never gets a pod.',
    source: 'pkg/controller.v1/pytorch/elastic.go, generateEnvRDZVConf',
    fix: 'Remove elasticPolicy.rdzvConf, or add an entry to elasticPolicy.rdzvConf.',
  },
  function* (job) {
    const conf = job.elasticPolicy?.rdzvConf;
    if (!Array.isArray(conf) || conf.length > 0) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy/rdzvConf',
      message: 'rdzvConf must not be empty, because the operator then panics',
      found: conf,
      expected: 'unset, or at least one entry',
    };
  },
);

const rangeOrdered = jobRule(
  {
    id: 'elastic-range-ordered',
    concerns: ['elasticPolicy'],
    row: 'KT11',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob', 'PaddleJob'],
    summary: 'minReplicas must be at least 1 and at most maxReplicas.',
    why: 'Nothing checks this at admission; torchrun rejects the range that it receives as PET_NNODES, and every pod fails.',
    source:
      'pkg/apis/kubeflow.org/v1/pytorch_defaults.go, setElasticPolicy; torch/distributed/run.py, config_from_args',
    fix: 'Set elasticPolicy.minReplicas to at least 1 and elasticPolicy.maxReplicas to at least minReplicas.',
  },
  function* (job) {
    const min = asInteger(job.elasticPolicy?.minReplicas);
    const max = asInteger(job.elasticPolicy?.maxReplicas);
    if (min !== undefined && min < 1) {
      yield {
        path: '/spec/elasticPolicy/minReplicas',
        message: `minReplicas must be greater than or equal to 1, but is ${min}`,
        found: min,
        expected: 'at least 1',
      };
    }
    if (min !== undefined && max !== undefined && min > max) {
      yield {
        path: '/spec/elasticPolicy/maxReplicas',
        message: `minReplicas must be less than or equal to maxReplicas (${min} > ${max})`,
        found: max,
        expected: `at least ${min}`,
      };
    }
  },
);

/** The numbers of workers with which training starts, and of which all take part. */
function workersFix({ min, max }: { readonly min: number; readonly max: number }): string {
  return `Set replicas of the Worker role to ${min === max ? min : `a number from ${min} to ${max}`}.`;
}

const workersInRange = jobRule(
  {
    id: 'elastic-workers-in-range',
    concerns: ['elasticPolicy'],
    row: 'KT11',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob', 'PaddleJob'],
    summary: 'The number of Workers must be between minReplicas and maxReplicas.',
    why: 'With fewer Workers training never starts; Workers above maxReplicas do not take part but hold their devices.',
    source: 'pkg/controller.v1/pytorch/elastic.go, generateEnvNnodes',
    fix: 'Set replicas of the Worker role to a number from minReplicas to maxReplicas.',
  },
  function* (job) {
    const range = elasticRange(job);
    const worker = roleNamed(job, 'Worker');
    if (range === undefined || worker === undefined || range.min > range.max) {
      return;
    }
    const { replicas } = worker.value;
    if (replicas !== undefined && replicas !== null && asInteger(replicas) === undefined) {
      return;
    }
    const path = replicas === undefined ? worker.path : `${worker.path}/replicas`;
    const stated = `${counted(worker.count, 'Worker replica')}${replicas === undefined ? ' by default' : ''}`;
    if (worker.count < range.min) {
      yield {
        path,
        message: `the job has ${stated}, but training starts only with ${range.min}`,
        found: worker.count,
        expected: range.min === range.max ? `${range.min}` : `${range.min} to ${range.max}`,
        fix: workersFix(range),
      };
    } else if (worker.count > range.max) {
      yield {
        path,
        message: `the job has ${stated}, but maxReplicas is ${range.max}`,
        found: worker.count,
        expected: range.min === range.max ? `${range.min}` : `${range.min} to ${range.max}`,
        fix: workersFix(range),
        severity: 'warning',
      };
    }
  },
);

const elasticWorkersOnly = jobRule(
  {
    id: 'elastic-is-workers-only',
    concerns: ['elasticPolicy'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'An elastic PyTorchJob must have only Workers.',
    why: 'All pods rendezvous at worker 0 with PET_NNODES=min:max. A Master joins as an additional node that the range does not count, Workers wait for it, and the job completes when the Master does.',
    source: 'pkg/controller.v1/pytorch/elastic.go, envvar.go, pytorchjob_controller.go (UpdateJobStatus)',
    fix: 'Remove pytorchReplicaSpecs.Master and increase Worker.replicas by one, or remove elasticPolicy.',
  },
  function* (job) {
    const master = roleNamed(job, 'Master');
    if (job.elasticPolicy === undefined || master === undefined) {
      return;
    }
    yield {
      path: master.path,
      message: 'an elastic job should not have a Master, because minReplicas and maxReplicas count only Workers',
      expected: 'only Workers',
    };
  },
);

const maxRestartsStated = jobRule(
  {
    id: 'elastic-max-restarts-stated',
    concerns: ['elasticPolicy'],
    row: 'KT11',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.maxRestarts should be set to the number of failures that the job survives.',
    why: 'By default torchrun restarts its workers 0 times: the first failed process ends the pod that should have formed a new group.',
    source: 'pkg/controller.v1/pytorch/elastic.go; torch/distributed/run.py (--max-restarts, 0)',
    fix: 'Set elasticPolicy.maxRestarts to at least 1, for example 10.',
  },
  function* (job) {
    if (job.elasticPolicy === undefined || job.elasticPolicy.maxRestarts !== undefined) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy',
      message: 'maxRestarts is unset and defaults to 0, so the elastic job does not survive a failure',
      expected: 'maxRestarts of at least 1',
    };
  },
);

const standaloneIsOnePod = jobRule(
  {
    id: 'standalone-is-one-pod',
    concerns: ['standalone'],
    row: 'KT11',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.standalone must be set only for a job with one pod.',
    why: 'A standalone torchrun forms a group of its own: each pod trains alone on all of the data.',
    source: 'pkg/apis/kubeflow.org/v1/pytorch_types.go; pkg/controller.v1/pytorch/elastic.go',
    fix: 'Remove elasticPolicy.standalone.',
  },
  function* (job) {
    const pods = (roleNamed(job, 'Worker')?.count ?? 0) + (roleNamed(job, 'Master')?.count ?? 0);
    if (asBoolean(job.elasticPolicy?.standalone) !== true || pods < 2) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy/standalone',
      message: `standalone must not be set for a job with ${counted(pods, 'pod')}, because each pod then trains alone`,
      found: true,
      expected: 'unset',
    };
  },
);

const staticHasMaster = jobRule(
  {
    id: 'static-has-master',
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'A PyTorchJob with more than one pod must have a Master or an elasticPolicy.',
    why: 'The operator sets MASTER_ADDR, RANK, and PET_NODE_RANK only if there is a Master, and the rendezvous endpoint only with elasticPolicy; Workers alone cannot find each other.',
    source: 'pkg/controller.v1/pytorch/envvar.go, setPodEnv',
    fix: 'Add pytorchReplicaSpecs.Master with replicas: 1 in place of one Worker, or add elasticPolicy.',
  },
  function* (job) {
    const worker = roleNamed(job, 'Worker');
    if (
      job.elasticPolicy !== undefined ||
      worker === undefined ||
      worker.count < 2 ||
      roleNamed(job, 'Master') !== undefined
    ) {
      return;
    }
    yield {
      path: worker.path,
      message: `the job has ${counted(worker.count, 'Worker')}, but neither a Master nor an elasticPolicy`,
      expected: 'a Master with replicas: 1',
    };
  },
);

export const elasticRules: readonly Rule[] = [
  elasticNeedsWorker,
  nprocStatedOnce,
  nprocKnown,
  backendKnown,
  etcdHasHost,
  rendezvousConfNotEmpty,
  rangeOrdered,
  workersInRange,
  elasticWorkersOnly,
  maxRestartsStated,
  standaloneIsOnePod,
  staticHasMaster,
];
