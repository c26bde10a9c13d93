/**
 * KT6, KT9 to KT12: the elastic policy of PyTorchJob (and the range of PaddleJob's), and a static job's need of a Master.
 */
import { type Rule } from '../../../checks/rule';
import { asBoolean, asInteger, asString } from '../../../manifests/read';
import { RENDEZVOUS_BACKENDS, replicaName } from '../frameworks';
import { elasticRange, roleNamed } from '../training-job';
import { counted, jobRule, oneOf } from './job-rule';

export const elasticNeedsWorker = jobRule(
  {
    id: 'elastic-has-worker',
    concerns: ['elasticPolicy'],
    row: 'KT6',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'A PyTorchJob with elasticPolicy has a Worker role.',
    why: 'The Workers are what is elastic; the webhook refuses the job without them.',
    source: 'pkg/webhooks/pytorch/pytorchjob_webhook.go, validateSpec',
    fix: 'Add the Worker role, or take elasticPolicy out.',
  },
  function* (job) {
    if (job.elasticPolicy === undefined || roleNamed(job, 'Worker') !== undefined) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy',
      message: 'The job is elastic and has no Worker role.',
      expected: 'pytorchReplicaSpecs.Worker',
    };
  },
);

export const nprocStatedOnce = jobRule(
  {
    id: 'nproc-per-node-stated-once',
    concerns: ['nProcPerNode'],
    row: 'KT6',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.nProcPerNode is not used; spec.nprocPerNode takes its place.',
    why: 'It is deprecated, and the webhook refuses it beside spec.nprocPerNode.',
    source: 'pkg/webhooks/pytorch/pytorchjob_webhook.go, validateSpec',
    fix: 'Move the number to spec.nprocPerNode, as a string.',
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
        ? 'Both elasticPolicy.nProcPerNode and spec.nprocPerNode are stated.'
        : 'elasticPolicy.nProcPerNode is deprecated.',
      found,
      expected: 'spec.nprocPerNode alone',
      ...(both ? {} : ({ severity: 'warning', tier: 'advice' } as const)),
    };
  },
);

export const nprocKnown = jobRule(
  {
    id: 'nproc-per-node-known',
    concerns: ['nprocPerNode'],
    row: 'KT9',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'nprocPerNode is auto, cpu, gpu or a number of at least 1, as a string.',
    why: 'The schema takes any string; torchrun gets it as PET_NPROC_PER_NODE and stops at a value that it does not know.',
    source: 'pkg/apis/kubeflow.org/v1/pytorch_types.go; torch/distributed/run.py, determine_local_world_size',
    fix: 'Write the number of processes per pod, for example "8", or auto.',
  },
  function* (job) {
    const found = asString(job.spec.nprocPerNode);
    if (found === undefined || ['auto', 'cpu', 'gpu'].includes(found) || /^[1-9]\d*$/.test(found)) {
      return;
    }
    yield {
      path: '/spec/nprocPerNode',
      message: `"${found}" is no number of processes.`,
      found,
      expected: 'auto, cpu, gpu, or a number of at least 1',
      // Newer releases of PyTorch know names of other backends (xpu, and those that a plug-in registers).
      ...(/^[a-z]+$/.test(found) ? ({ severity: 'warning' } as const) : {}),
    };
  },
);

export const backendKnown = jobRule(
  {
    id: 'rendezvous-backend-known',
    concerns: ['rdzvBackend'],
    row: 'KT9',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.rdzvBackend is c10d, etcd or etcd-v2.',
    why: 'The schema takes any string; torchrun gets it as PET_RDZV_BACKEND and stops at a backend that is not registered.',
    source: 'pkg/apis/kubeflow.org/v1/pytorch_types.go',
    fix: 'Use c10d, which needs no server.',
  },
  function* (job) {
    const found = asString(job.elasticPolicy?.rdzvBackend);
    if (found === undefined || RENDEZVOUS_BACKENDS.some((known) => known === found)) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy/rdzvBackend',
      message: `"${found}" is no rendezvous backend of the operator.`,
      found,
      expected: oneOf(RENDEZVOUS_BACKENDS),
    };
  },
);

export const etcdHasHost = jobRule(
  {
    id: 'etcd-backend-has-host',
    concerns: ['rdzvBackend'],
    row: 'KT9',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'With the backend etcd or etcd-v2, elasticPolicy names the server: rdzvHost and rdzvPort.',
    why: 'Without them the operator sends every worker to port 23456 of worker 0, where no etcd listens.',
    source: 'pkg/controller.v1/pytorch/elastic.go, generateEnvRDZVEndpoint',
    fix: 'Name rdzvHost and rdzvPort of the etcd server, or use c10d.',
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
      message: `Backend ${backend} without ${missing.join(' and ')}: workers look for etcd at ${replicaName(job.name, 'Worker', 0)}:${job.framework.port}.`,
      expected: missing.join(' and '),
      severity: missing.includes('rdzvHost') ? 'error' : 'warning',
    };
  },
);

export const rendezvousConfNotEmpty = jobRule(
  {
    id: 'rendezvous-conf-not-empty',
    concerns: ['rdzvConf'],
    row: 'KT10',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.rdzvConf, where it stands, has an entry.',
    why: 'For an empty list the operator cuts the last character off an empty string and panics at each reconcile; the job never gets a pod.',
    source: 'pkg/controller.v1/pytorch/elastic.go, generateEnvRDZVConf',
    fix: 'Leave rdzvConf out.',
  },
  function* (job) {
    const conf = job.elasticPolicy?.rdzvConf;
    if (!Array.isArray(conf) || conf.length > 0) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy/rdzvConf',
      message: 'rdzvConf is an empty list, at which the operator panics.',
      found: conf,
      expected: 'no rdzvConf',
    };
  },
);

export const rangeOrdered = jobRule(
  {
    id: 'elastic-range-ordered',
    concerns: ['elasticPolicy'],
    row: 'KT11',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob', 'PaddleJob'],
    summary: 'minReplicas is at least 1 and at most maxReplicas.',
    why: 'Nothing checks it at admission; torchrun refuses the range that it gets as PET_NNODES, and every pod fails.',
    source:
      'pkg/apis/kubeflow.org/v1/pytorch_defaults.go, setElasticPolicy; torch/distributed/run.py, config_from_args',
    fix: 'Order the bounds.',
  },
  function* (job) {
    const min = asInteger(job.elasticPolicy?.minReplicas);
    const max = asInteger(job.elasticPolicy?.maxReplicas);
    if (min !== undefined && min < 1) {
      yield {
        path: '/spec/elasticPolicy/minReplicas',
        message: `minReplicas is ${min}.`,
        found: min,
        expected: 'at least 1',
      };
    }
    if (min !== undefined && max !== undefined && min > max) {
      yield {
        path: '/spec/elasticPolicy/maxReplicas',
        message: `minReplicas ${min} is above maxReplicas ${max}.`,
        found: max,
        expected: `at least ${min}`,
      };
    }
  },
);

export const workersInRange = jobRule(
  {
    id: 'elastic-workers-in-range',
    concerns: ['elasticPolicy'],
    row: 'KT11',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob', 'PaddleJob'],
    summary: 'The Worker count lies between minReplicas and maxReplicas.',
    why: 'With fewer, training never starts; the surplus of more waits outside and holds its devices.',
    source: 'pkg/controller.v1/pytorch/elastic.go, generateEnvNnodes',
    fix: 'Set replicas of the Worker role within the range.',
  },
  function* (job) {
    const range = elasticRange(job);
    const worker = roleNamed(job, 'Worker');
    if (range === undefined || worker === undefined || range.min > range.max) {
      return;
    }
    const path = worker.value.replicas === undefined ? worker.path : `${worker.path}/replicas`;
    const stated = worker.value.replicas === undefined ? `${worker.count} (the default)` : String(worker.count);
    if (worker.count < range.min) {
      yield {
        path,
        message: `${stated} Worker replicas, and training waits for ${range.min}.`,
        found: worker.count,
        expected: `${range.min} to ${range.max}`,
      };
    } else if (worker.count > range.max) {
      yield {
        path,
        message: `${stated} Worker replicas, of which only ${range.max} take part.`,
        found: worker.count,
        expected: `${range.min} to ${range.max}`,
        severity: 'warning',
      };
    }
  },
);

export const elasticWorkersOnly = jobRule(
  {
    id: 'elastic-is-workers-only',
    concerns: ['elasticPolicy'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'An elastic PyTorchJob has Workers only.',
    why: 'All pods meet at worker 0 with PET_NNODES=min:max. A Master joins as one more node that the range does not count, Workers wait for it, and the job is over when it is.',
    source: 'pkg/controller.v1/pytorch/elastic.go, envvar.go, pytorchjob_controller.go (UpdateJobStatus)',
    fix: 'Drop the Master and raise the Workers by one, or drop elasticPolicy.',
  },
  function* (job) {
    const master = roleNamed(job, 'Master');
    if (job.elasticPolicy === undefined || master === undefined) {
      return;
    }
    yield {
      path: master.path,
      message: 'The job is elastic and has a Master, which minReplicas and maxReplicas do not count.',
      expected: 'the Worker role alone',
    };
  },
);

export const maxRestartsStated = jobRule(
  {
    id: 'elastic-max-restarts-stated',
    concerns: ['elasticPolicy'],
    row: 'KT11',
    tier: 'advice',
    severity: 'warning',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.maxRestarts says how many failures the job survives.',
    why: 'torchrun restarts its workers 0 times by default: the first failed process ends the pod that should have formed a new group.',
    source: 'pkg/controller.v1/pytorch/elastic.go; torch/distributed/run.py (--max-restarts, 0)',
    fix: 'State maxRestarts, for example 10.',
  },
  function* (job) {
    if (job.elasticPolicy === undefined || job.elasticPolicy.maxRestarts !== undefined) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy',
      message: 'The job is elastic and does not say maxRestarts, which makes it 0.',
      expected: 'maxRestarts: N',
    };
  },
);

export const standaloneIsOnePod = jobRule(
  {
    id: 'standalone-is-one-pod',
    concerns: ['standalone'],
    row: 'KT11',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'elasticPolicy.standalone is for a job of one pod.',
    why: 'A stand-alone torchrun meets only itself: each pod trains alone on all of the data.',
    source: 'pkg/apis/kubeflow.org/v1/pytorch_types.go; pkg/controller.v1/pytorch/elastic.go',
    fix: 'Take standalone out.',
  },
  function* (job) {
    const pods = (roleNamed(job, 'Worker')?.count ?? 0) + (roleNamed(job, 'Master')?.count ?? 0);
    if (asBoolean(job.elasticPolicy?.standalone) !== true || pods < 2) {
      return;
    }
    yield {
      path: '/spec/elasticPolicy/standalone',
      message: `${counted(pods, 'pod')} that each train alone.`,
      found: true,
      expected: 'no standalone',
    };
  },
);

export const staticHasMaster = jobRule(
  {
    id: 'static-has-master',
    row: 'KT12',
    tier: 'advice',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'A PyTorchJob of more than one pod has a Master or an elasticPolicy.',
    why: 'The operator sets MASTER_ADDR, RANK and PET_NODE_RANK only where there is a Master, and the rendezvous endpoint only with elasticPolicy; Workers alone cannot find each other.',
    source: 'pkg/controller.v1/pytorch/envvar.go, setPodEnv',
    fix: 'Make one of the Workers a Master with replicas: 1, or add elasticPolicy.',
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
      message: `${worker.count} Workers without Master and without elasticPolicy.`,
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
