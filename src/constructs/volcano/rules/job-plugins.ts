/**
 * Job plugins: which there are, their arguments, and the tasks that they look for. A mistake in an argument is only logged by
 * Volcano, so these rules read arguments exactly as it does.
 */
import { cite } from '../../../facts/upstream';
import { asString, objectsAt } from '../../../manifests/read';
import { type ObjectRule, type Violation } from '../../../checks/rule';
import { isJobPlugin, JOB_PLUGIN_FLAGS, JOB_PLUGINS } from '../job-plugins';
import { type JobView, pluginNamed, roleTask, taskNamed } from '../job-spec';
import { JOB_WEBHOOK, jobRule } from './job-rule';

const CONTROLLER = `${cite('volcano')}, pkg/controllers/job/plugins`;

const pluginKnown = jobRule(
  {
    id: 'volcano/job-plugin-known',
    concerns: ['plugins'],
    row: 'VJ5',
    tier: 'webhook',
    severity: 'error',
    summary: `The plugins of a job are among ${JOB_PLUGINS.join(', ')}.`,
    why: 'The webhook refuses the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate; ${CONTROLLER}/factory.go`,
    fix: 'Correct the name or leave the plugin out.',
  },
  function* (job) {
    for (const { name, path } of job.plugins) {
      if (!isJobPlugin(name)) {
        yield { path, message: `there is no job plugin "${name}"`, found: name, expected: JOB_PLUGINS.join(', ') };
      }
    }
  },
);

const mpiMaster = jobRule(
  {
    id: 'volcano/mpi-master-task-exists',
    concerns: ['mpi'],
    row: 'VJ5',
    tier: 'webhook',
    severity: 'error',
    summary:
      'A job with the mpi plugin has the master task that the plugin is told of (`master` where it is told of none).',
    why: 'The webhook refuses the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Name the task with --master, or rename the task.',
  },
  function* (job) {
    const mpi = pluginNamed(job, 'mpi');
    if (mpi === undefined || job.tasks.length === 0) {
      return;
    }
    const master = roleTask(mpi, 'master');
    if (taskNamed(job, master) === undefined) {
      yield missingTask(job, mpi.path, 'mpi', 'master', master);
    }
  },
);

const argumentsRead = jobRule(
  {
    id: 'volcano/job-plugin-arguments-read',
    concerns: ['plugins'],
    row: 'VJ6',
    tier: 'advice',
    severity: 'error',
    summary: 'Each argument of a job plugin is a flag that the plugin has, with a value that it takes.',
    why: 'Volcano logs the mistake and goes on: a number that cannot be read becomes 0, and every argument after it keeps its default.',
    source: `${CONTROLLER}, addFlags of each plugin (Go's flag package)`,
    fix: 'Write each argument as one text, `--name=value`, with a flag of the plugin.',
  },
  function* (job) {
    for (const { name, path, flags, args } of job.plugins) {
      const problem = flags?.problem;
      if (problem === undefined || !isJobPlugin(name)) {
        continue;
      }
      const lost = args.length - problem.index - 1;
      const known = Object.keys(JOB_PLUGIN_FLAGS[name])
        .map((flag) => `--${flag}`)
        .join(', ');
      yield {
        path: `${path}/${problem.index}`,
        message: `${problem.message}${lost > 0 ? `; the ${lost} after it ${lost === 1 ? 'is' : 'are'} lost too` : ''}`,
        found: args[problem.index] ?? null,
        expected: problem.kind === 'unknown' || problem.kind === 'not-a-flag' ? known : undefined,
      };
    }
  },
);

const portsValid = jobRule(
  {
    id: 'volcano/job-plugin-ports-valid',
    concerns: ['plugins'],
    row: 'VJ6',
    tier: 'advice',
    severity: 'error',
    summary: "A port in a plugin's arguments lies between 1 and 65535.",
    why: 'The port is written into the pods, which the API server then refuses; the ssh plugin falls back to 22.',
    source: `${CONTROLLER}`,
    fix: 'Name a port between 1 and 65535.',
  },
  function* (job) {
    for (const { name, path, flags } of job.plugins) {
      for (const [flag, value] of flags?.values ?? []) {
        if (
          !/port$/i.test(flag) ||
          typeof value !== 'number' ||
          (value >= 1 && value <= 65535) ||
          flags?.problem?.flag === flag
        ) {
          continue;
        }
        yield { path, message: `--${flag} of the plugin ${name} is ${value}`, found: value, expected: '1 to 65535' };
      }
    }
  },
);

const roleTasksExist = jobRule(
  {
    id: 'volcano/job-plugin-role-tasks-exist',
    concerns: ['pytorch', 'tensorflow', 'ray', 'mpi', 'hcclrank'],
    row: 'VJ7',
    tier: 'advice',
    otherTiers: ['webhook'],
    severity: 'error',
    summary: 'The tasks that a plugin is told of exist.',
    why: 'The plugin passes over a role without a task: the pods get no addresses, no rank and no host list, and cannot find each other.',
    source: `${CONTROLLER}/distributed-framework`,
    fix: "Name the role's task in the plugin's arguments, or rename the task.",
  },
  function* (job) {
    if (job.tasks.length === 0) {
      return;
    }
    yield* pytorchRoles(job);
    yield* tensorflowRoles(job);
    yield* rayRoles(job);
    yield* mpiWorker(job);
    yield* hcclRoles(job);
  },
);

function* pytorchRoles(job: JobView): Iterable<Violation> {
  const plugin = pluginNamed(job, 'pytorch');
  if (plugin === undefined) {
    return;
  }
  const master = roleTask(plugin, 'master');
  if (taskNamed(job, master) === undefined) {
    yield missingTask(job, plugin.path, 'pytorch', 'master', master);
    return;
  }
  const worker = roleTask(plugin, 'worker');
  for (const task of job.tasks) {
    if (task.name === master || task.name === worker || task.replicas === 0) {
      continue;
    }
    yield {
      path: `${task.path}/name`,
      severity: 'warning',
      message: `the task ${task.name} is neither the master (${master}) nor the worker (${worker}) of the pytorch plugin: its pods get no RANK`,
      found: task.name,
      expected: `${master} or ${worker}, or another --worker`,
    };
  }
}

function* tensorflowRoles(job: JobView): Iterable<Violation> {
  const plugin = pluginNamed(job, 'tensorflow');
  if (plugin === undefined || (job.tasks.length === 1 && job.totalReplicas === 1)) {
    return;
  }
  const roles = ['ps', 'worker', 'chief', 'evaluator'].map((role) => roleTask(plugin, role));
  for (const task of job.tasks) {
    if (roles.includes(task.name)) {
      continue;
    }
    yield {
      path: `${task.path}/name`,
      message: `the task ${task.name} plays no role of the tensorflow plugin (${roles.join(', ')}): it is missing in TF_CONFIG`,
      found: task.name,
      expected: roles.join(', '),
    };
  }
}

function* rayRoles(job: JobView): Iterable<Violation> {
  const plugin = pluginNamed(job, 'ray');
  if (plugin === undefined) {
    return;
  }
  for (const role of ['head', 'worker'] as const) {
    const name = roleTask(plugin, role);
    const task = taskNamed(job, name);
    if (task === undefined) {
      if (role === 'head') {
        yield { ...missingTask(job, plugin.path, 'ray', role, name), tier: 'webhook' };
      } else if (job.tasks.length > 1) {
        yield missingTask(job, plugin.path, 'ray', role, name);
      }
      continue;
    }
    const given = plugin.flags?.values.get(`${role}Container`);
    const container = typeof given === 'string' ? given : role;
    const names = objectsAt(task.podSpec, '/containers').map(({ value }) => asString(value.name) ?? '');
    if (names.length === 0 || names.includes(container)) {
      continue;
    }
    yield {
      path: `${task.podSpecPath}/containers`,
      message: `the task ${task.name} has no container "${container}", in which the ray plugin would start Ray (it has ${names.join(', ')})`,
      found: [...names],
      expected: `a container "${container}", or --${role}Container`,
    };
  }
}

function* mpiWorker(job: JobView): Iterable<Violation> {
  const plugin = pluginNamed(job, 'mpi');
  if (plugin === undefined || job.totalReplicas < 2) {
    return;
  }
  const worker = roleTask(plugin, 'worker');
  if (taskNamed(job, worker) === undefined) {
    yield missingTask(job, plugin.path, 'mpi', 'worker', worker);
  }
}

function* hcclRoles(job: JobView): Iterable<Violation> {
  const plugin = pluginNamed(job, 'hcclrank');
  if (plugin === undefined) {
    return;
  }
  const roles = [roleTask(plugin, 'master'), roleTask(plugin, 'worker')];
  if (job.tasks.some(({ name }) => roles.includes(name)) || pluginNamed(job, 'pytorch') !== undefined) {
    return;
  }
  yield missingTask(job, plugin.path, 'hcclrank', 'master or worker', roles.join(' or '));
}

function missingTask(job: JobView, path: string, plugin: string, role: string, task: string): Violation {
  return {
    path,
    message: `the ${plugin} plugin takes "${task}" for its ${role}, but the tasks are ${job.tasks.map(({ name }) => name).join(', ')}`,
    found: task,
    expected: `one of ${job.tasks.map(({ name }) => name).join(', ')}`,
  };
}

const oneMaster = jobRule(
  {
    id: 'volcano/pytorch-one-master',
    concerns: ['pytorch'],
    row: 'VJ8',
    tier: 'advice',
    severity: 'error',
    summary: 'The master task of the pytorch plugin has exactly one pod.',
    why: 'Every pod of the master task gets RANK 0, so a second one takes the place of the first; without one, MASTER_ADDR names nobody.',
    source: `${CONTROLLER}/distributed-framework/pytorch/pytorch.go, OnPodCreate`,
    fix: 'Give the master one replica and the rest to the worker task.',
  },
  function* (job) {
    const plugin = pluginNamed(job, 'pytorch');
    const master = plugin === undefined ? undefined : taskNamed(job, roleTask(plugin, 'master'));
    if (master === undefined || master.replicas === 1 || master.value.replicas === undefined) {
      return;
    }
    yield {
      path: `${master.path}/replicas`,
      message: `the master task ${master.name} has ${master.replicas} replicas`,
      found: master.replicas,
      expected: '1',
    };
  },
);

const podsFindEachOther = jobRule(
  {
    id: 'volcano/gang-pods-find-each-other',
    tier: 'advice',
    severity: 'warning',
    summary: 'A job of several pods has a plugin that gives them addresses.',
    why: 'Without svc (or pytorch, tensorflow, mpi, ray, which bring it) no Service, host name or host list is made, so the pods cannot find each other.',
    source: `${CONTROLLER}/svc/svc.go`,
    fix: 'Add the plugin of the framework, or svc alone. Pods that need not know of each other want a job with one task and a suppression of this rule.',
  },
  function* (job) {
    if (job.totalReplicas < 2 || job.running.has('svc')) {
      return;
    }
    const independent = job.tasks.length === 1 && job.running.has('env');
    if (independent || job.running.has('hcclrank')) {
      return;
    }
    yield {
      path: job.path,
      message: `the ${job.totalReplicas} pods of the job have no plugin that lets them find each other`,
      expected: 'plugins with svc, pytorch, tensorflow, mpi or ray',
    };
  },
);

export const jobPluginRules: readonly ObjectRule[] = [
  pluginKnown,
  mpiMaster,
  argumentsRead,
  portsValid,
  roleTasksExist,
  oneMaster,
  podsFindEachOther,
];
