/**
 * Job plugins: which there are, their arguments, and the tasks that they look for. A mistake in an argument is only logged by
 * Volcano, so these rules read arguments exactly as it does.
 */
import { nearestName } from '../../../facts/spelling';
import { counted, oneOf, oneOfStrings } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { isAcceleratorResource } from '../../../facts/catalog';
import { type JsonObject } from '../../../facts/api/schema';
import { podAmounts } from '../../../manifests/pods/pod-amounts';
import { asString, objectsAt } from '../../../manifests/read';
import { type ObjectRule, type Violation } from '../../../checks/rules/rule';
import { type FlagProblem } from '../go-flags';
import { isJobPlugin, JOB_PLUGIN_FLAGS, JOB_PLUGINS, type JobPluginName } from '../job-plugins';
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
    summary: `The plugins of a job must be among ${JOB_PLUGINS.join(', ')}.`,
    why: 'The webhook rejects the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate; ${CONTROLLER}/factory.go`,
    fix: 'Rename the key in spec.plugins to a supported plugin, or remove it.',
  },
  function* (job) {
    for (const { name, path } of job.plugins) {
      if (!isJobPlugin(name)) {
        const near = nearestName(name.trim(), JOB_PLUGINS);
        yield {
          path,
          message: `unknown job plugin "${name}"`,
          found: name,
          expected: oneOf(JOB_PLUGINS),
          fix:
            near === undefined
              ? `Remove the key "${name}" from spec.plugins, or rename it to ${oneOf(JOB_PLUGINS)}.`
              : `Rename the key "${name}" in spec.plugins to ${near}.`,
        };
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
      "A job with the mpi plugin must have the master task that the plugin's --master names (default: `master`).",
    why: 'The webhook rejects the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Set --master in spec.plugins.mpi to the name of a task, or rename the task to the value of --master.',
  },
  function* (job) {
    const mpi = pluginNamed(job, 'mpi');
    if (mpi === undefined || job.tasks.length === 0) {
      return;
    }
    const master = roleTask(mpi, 'master');
    if (taskNamed(job, master) === undefined) {
      yield missingTask(job, mpi.path, 'mpi', ['master'], [master]);
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
    summary: 'Each argument of a job plugin must be a flag of the plugin with a valid value.',
    why: 'Volcano logs the mistake and continues: a number that it cannot read becomes 0, and all arguments after it keep their defaults.',
    source: `${CONTROLLER}, addFlags of each plugin (Go's flag package)`,
    fix: 'Set each argument in spec.plugins to a string of the form `--name=value`, with a flag of the plugin.',
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
        message: `${problem.message}${lost > 0 ? `; the plugin also ignores the ${lost === 1 ? 'argument' : counted(lost, 'argument')} after it` : ''}`,
        found: args[problem.index] ?? null,
        expected: problem.kind === 'unknown' || problem.kind === 'not-a-flag' ? known : undefined,
        fix: argumentFix(name, args[problem.index] ?? '', problem),
      };
    }
  },
);

/** What to write for an argument that a plugin does not read. */
function argumentFix(plugin: JobPluginName, arg: string, { kind, flag = '' }: FlagProblem): string {
  const types = JOB_PLUGIN_FLAGS[plugin];
  const flags = Object.keys(types).map((name) => `--${name}`);
  if (kind === 'missing-value' || kind === 'bad-value') {
    const type = Object.hasOwn(types, flag) ? types[flag] : undefined;
    const value = type === 'int' ? 'an integer' : type === 'bool' ? 'true or false' : 'a value';
    return `Set --${flag} in spec.plugins.${plugin} to ${value}, in the form --${flag}=<value>.`;
  }
  return flags.length === 0
    ? `Remove ${JSON.stringify(arg)} from spec.plugins.${plugin}, which takes no arguments.`
    : `Replace ${JSON.stringify(arg)} in spec.plugins.${plugin} with ${oneOf(flags)}, or remove it.`;
}

const portsValid = jobRule(
  {
    id: 'volcano/job-plugin-ports-valid',
    concerns: ['plugins'],
    row: 'VJ6',
    tier: 'advice',
    severity: 'error',
    summary: "A port in a plugin's arguments must be between 1 and 65535.",
    why: 'The port is written into the pods, which the API server then rejects; the ssh plugin falls back to 22.',
    source: `${CONTROLLER}`,
    fix: 'Set the port argument in spec.plugins to a number from 1 to 65535.',
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
        yield {
          path,
          message: `--${flag} of the ${name} plugin must be between 1 and 65535, but is ${value}`,
          found: value,
          expected: '1 to 65535',
          fix: `Set --${flag} in spec.plugins.${name} to a number from 1 to 65535.`,
        };
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
    summary: "The tasks that a plugin's arguments name must exist.",
    why: 'The plugin ignores a role without a task: the pods get no addresses, no rank, and no host list, and cannot find each other.',
    source: `${CONTROLLER}/distributed-framework`,
    fix: 'Set the argument for the role in spec.plugins to the name of a task, or rename the task in spec.tasks.',
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
    yield missingTask(job, plugin.path, 'pytorch', ['master'], [master]);
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
      message: `the task "${task.name}" is neither --master ("${master}") nor --worker ("${worker}") of the pytorch plugin, so RANK is unset in its pods`,
      found: task.name,
      expected: `${master} or ${worker}`,
      fix: `Rename the task to ${master} or ${worker}, or set --worker in spec.plugins.pytorch to ${task.name}.`,
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
      message: `the task "${task.name}" has no role in the tensorflow plugin, so TF_CONFIG does not contain its pods`,
      found: task.name,
      expected: oneOf(roles),
      fix: `Rename the task to ${oneOf(roles)}, or set a flag such as --worker in spec.plugins.tensorflow to ${task.name}.`,
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
        yield { ...missingTask(job, plugin.path, 'ray', [role], [name]), tier: 'webhook' };
      } else if (job.tasks.length > 1) {
        yield missingTask(job, plugin.path, 'ray', [role], [name]);
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
      message: `the task "${task.name}" must have a container "${container}", in which the ray plugin starts Ray`,
      fix: `Set --${role}Container in spec.plugins.ray to ${oneOf(names)}, or rename the container to "${container}".`,
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
    yield missingTask(job, plugin.path, 'mpi', ['worker'], [worker]);
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
  yield missingTask(job, plugin.path, 'hcclrank', ['master', 'worker'], roles);
}

/** The tasks that a plugin looks for, by their roles: all of them are missing. */
/** The tasks that may have the roles: not those that have other roles of the plugin. */
function freeTasks(job: JobView, plugin: string, roles: readonly string[]): readonly string[] {
  const view = isJobPlugin(plugin) ? pluginNamed(job, plugin) : undefined;
  const taken = ['master', 'worker'].filter((role) => !roles.includes(role));
  const names = view === undefined ? [] : taken.map((role) => roleTask(view, role));
  return job.tasks.map(({ name }) => name).filter((name) => name !== '' && !names.includes(name));
}

function missingTask(
  job: JobView,
  path: string,
  plugin: string,
  roles: readonly string[],
  tasks: readonly string[],
): Violation {
  const names = freeTasks(job, plugin, roles);
  const flags = oneOf(roles.map((role) => `--${role}`));
  const quoted = oneOf(tasks.map((task) => `"${task}"`));
  return {
    path,
    message: `the job has no task ${quoted}, which the ${plugin} plugin uses as the ${oneOf(roles)}`,
    found: tasks.join(' or '),
    expected: names.length === 0 ? 'the name of a task' : oneOfStrings(names),
    fix: `Set ${flags} in spec.plugins.${plugin} to ${names.length === 0 || names.length > 6 ? 'the name of a task' : oneOf(names)}, or rename a task to ${quoted}.`,
  };
}

const oneMaster = jobRule(
  {
    id: 'volcano/pytorch-one-master',
    concerns: ['pytorch'],
    row: 'VJ8',
    tier: 'advice',
    severity: 'error',
    summary: 'The master task of the pytorch plugin must have exactly one pod.',
    why: 'Every pod of the master task gets RANK 0, so two pods would both be rank 0; without a master pod, MASTER_ADDR does not resolve.',
    source: `${CONTROLLER}/distributed-framework/pytorch/pytorch.go, OnPodCreate`,
    fix: 'Set replicas of the master task to 1, and increase replicas of the worker task instead.',
  },
  function* (job) {
    const plugin = pluginNamed(job, 'pytorch');
    const master = plugin === undefined ? undefined : taskNamed(job, roleTask(plugin, 'master'));
    if (master === undefined || master.replicas === 1 || master.value.replicas === undefined) {
      return;
    }
    yield {
      path: `${master.path}/replicas`,
      message: `replicas must be 1 for the master task "${master.name}", but is ${master.replicas}`,
      found: master.replicas,
      expected: '1',
      fix: `Set tasks[${master.index}].replicas to 1, and increase replicas of the worker task instead.`,
    };
  },
);

const podsFindEachOther = jobRule(
  {
    id: 'volcano/gang-pods-find-each-other',
    tier: 'advice',
    severity: 'warning',
    summary: 'A job with several pods must have a plugin that gives them addresses.',
    why: 'Without svc (or pytorch, tensorflow, mpi, or ray, which include it) there is no Service, host name, or host list, so the pods cannot find each other.',
    source: `${CONTROLLER}/svc/svc.go`,
    fix: 'Add svc, or the plugin for your framework, such as pytorch, to spec.plugins, or suppress the rule if the pods are independent.',
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
      // Several pods with accelerators are nearly always ranks of one program; others may be independent.
      severity: job.tasks.some(({ podSpec }) => requestsAccelerator(podSpec)) ? 'warning' : 'info',
      message: `the ${job.totalReplicas} pods of the job cannot resolve each other's host names, because no plugin in spec.plugins creates a Service`,
      expected: 'svc, pytorch, tensorflow, mpi, or ray in spec.plugins',
    };
  },
);

function requestsAccelerator(podSpec: JsonObject): boolean {
  return [...podAmounts(podSpec).requests.keys()].some(isAcceleratorResource);
}

export const jobPluginRules: readonly ObjectRule[] = [
  pluginKnown,
  mpiMaster,
  argumentsRead,
  portsValid,
  roleTasksExist,
  oneMaster,
  podsFindEachOther,
];
