/**
 * Compares the commands of a job's containers with what Volcano's plugins provide. The pytorch plugin counts pods, not processes, and sets
 * none of torchrun's own variables, so the command must pass them.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf } from '../../../manifests/pointer';
import { asArray, asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { type ObjectRule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type LaunchCommand, launchCommandOf, type LaunchOption, optionNamed } from '../../pods/launch-command';
import { JOB_PLUGINS, variablesOf } from '../job-plugins';
import { type JobView, type TaskView } from '../job-spec';
import { jobRule, taskRule } from './job-rule';
import { counted } from '../../../facts/words';

const PYTORCH = `${cite('volcano')}, pkg/controllers/job/plugins/distributed-framework/pytorch/pytorch.go, OnPodCreate`;
const WANTED = '--nnodes=$(WORLD_SIZE) --node-rank=$(RANK) --master-addr=$(MASTER_ADDR) --master-port=$(MASTER_PORT)';

interface ContainerView {
  readonly task: TaskView;
  readonly container: JsonObject;
  /** JSON pointer from the manifest's root. */
  readonly path: string;
  /** The torchrun that it starts, if it starts one. */
  readonly launch: LaunchCommand | undefined;
}

const containersByTask = new WeakMap<TaskView, readonly ContainerView[]>();

function containersOf(task: TaskView): readonly ContainerView[] {
  let containers = containersByTask.get(task);
  if (containers === undefined) {
    containers = objectsAt(task.podSpec, '/containers').map(({ value, path: inPod }) => {
      const path = `${task.podSpecPath}${inPod}`;
      return { task, container: value, path, launch: launchCommandOf(value, path) };
    });
    containersByTask.set(task, containers);
  }
  return containers;
}

type OptionOf = (name: string) => LaunchOption | undefined;

/** A rule over each container of the job that starts torchrun. */
function torchrunRule(
  facts: RuleFacts,
  check: (view: ContainerView, option: OptionOf, job: JobView) => Iterable<Violation>,
): ObjectRule {
  return jobRule(facts, function* (job) {
    for (const view of job.tasks.flatMap(containersOf)) {
      const { launch } = view;
      if (launch !== undefined) {
        yield* check(view, (name) => optionNamed(launch, name), job);
      }
    }
  });
}

/** The names of the variables that a container is given by its own `env`. */
function variablesGiven(container: JsonObject): ReadonlySet<string> {
  return new Set(objectsAt(container, '/env').map(({ value }) => asString(value.name) ?? ''));
}

/** The pods that take part: those of the tasks in which torchrun runs. */
function podsWithTorchrun(job: JobView): number {
  return job.tasks
    .filter((task) => containersOf(task).some(({ launch }) => launch !== undefined))
    .reduce((sum, { replicas }) => sum + replicas, 0);
}

const nodeCount = torchrunRule(
  {
    id: 'volcano/torchrun-nodes-match-pods',
    concerns: ['command', 'args'],
    row: 'VJ8',
    tier: 'advice',
    severity: 'error',
    summary: 'The --nnodes of torchrun must be the number of pods that run torchrun.',
    why: 'With more nodes than pods the rendezvous never completes; with fewer nodes the remaining pods fail.',
    source: `${PYTORCH}; torchrun's --nnodes`,
    fix: "Set --nnodes to $(WORLD_SIZE), which Volcano's pytorch plugin sets to the number of master and worker pods.",
  },
  function* (_view, option, job) {
    const nnodes = option('nnodes');
    const nodes = nnodes?.value ?? '';
    const pods = podsWithTorchrun(job);
    if (!/^\d+$/.test(nodes) || Number(nodes) === pods || (Number(nodes) === 1 && !job.running.has('pytorch'))) {
      return;
    }
    yield {
      path: nnodes?.path,
      message: `--nnodes must equal the number of pods that run torchrun (${nodes} != ${pods})`,
      found: nodes,
      expected: '--nnodes=$(WORLD_SIZE)',
    };
  },
);

const toldItsNodes = torchrunRule(
  {
    id: 'volcano/torchrun-nodes-set',
    concerns: ['command', 'args'],
    row: 'VJ8',
    tier: 'advice',
    severity: 'error',
    summary: 'With the pytorch plugin, torchrun must be given the number of nodes.',
    why:
      'The plugin sets WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT, but none of the PET_ variables that torchrun reads: without --nnodes ' +
      'each pod trains alone.',
    source: PYTORCH,
    fix: `Add ${WANTED} to the options of torchrun in the container.`,
  },
  function* (view, option, job) {
    if (!job.running.has('pytorch') || podsWithTorchrun(job) < 2) {
      return;
    }
    if (
      option('nnodes') !== undefined ||
      option('standalone') !== undefined ||
      variablesGiven(view.container).has('PET_NNODES')
    ) {
      return;
    }
    yield {
      path: view.path,
      message: `--nnodes must be set for torchrun in the task "${view.task.name}", which runs in ${counted(podsWithTorchrun(job), 'pod')}`,
      expected: WANTED,
    };
  },
);

const toldItsPlace = torchrunRule(
  {
    id: 'volcano/torchrun-place-set',
    concerns: ['command', 'args'],
    row: 'VJ8',
    tier: 'advice',
    severity: 'error',
    summary: 'torchrun over several pods must be given the rank of the pod and the address of the master.',
    why: 'Without --node-rank each pod acts as the first node; without --master-addr each pod looks for the master at 127.0.0.1.',
    source: `${PYTORCH}; torchrun's static rendezvous`,
    fix: `Set the options ${WANTED} of torchrun, or use --rdzv-backend=c10d with --rdzv-endpoint.`,
  },
  function* (view, option) {
    const nodes = option('nnodes');
    if (nodes === undefined || nodes.value === '1' || option('standalone') !== undefined) {
      return;
    }
    const given = variablesGiven(view.container);
    const said = (name: string, variable: string): boolean => option(name) !== undefined || given.has(variable);
    const meeting = said('rdzv_endpoint', 'PET_RDZV_ENDPOINT');
    const ranksItself = meeting && option('rdzv_backend')?.value !== 'static';
    const missing = [
      ...(meeting || said('master_addr', 'PET_MASTER_ADDR') ? [] : ['--master-addr=$(MASTER_ADDR)']),
      ...(ranksItself || said('node_rank', 'PET_NODE_RANK') ? [] : ['--node-rank=$(RANK)']),
    ];
    if (missing.length === 0) {
      return;
    }
    yield {
      path: nodes.path,
      message: `torchrun in the task "${view.task.name}" requires ${missing.join(' and ')}`,
      expected: missing.join(' '),
      fix: `Add ${missing.join(' and ')} to the options of torchrun, or use --rdzv-backend=c10d with --rdzv-endpoint.`,
    };
  },
);

const variablesDefined = taskRule(
  {
    id: 'volcano/task-variables-defined',
    concerns: ['command', 'args'],
    row: 'VJ8',
    tier: 'advice',
    severity: 'error',
    summary: "A variable that the launch command uses must be set by a plugin of the job or by the container's env.",
    why:
      'A `$(VAR)` that is not defined is not expanded, and the program receives it as written. Volcano sets no PET_ variables; the ' +
      'training operator does.',
    source: `${PYTORCH}; ${cite('volcano')}, pkg/controllers/job/plugins/{svc,env,distributed-framework}; Kubernetes $(VAR) expansion`,
    fix: 'Replace the variable with one that the pytorch plugin sets: WORLD_SIZE (the number of pods), RANK, MASTER_ADDR, or MASTER_PORT.',
  },
  function* (task, job) {
    const words = containersOf(task).flatMap(({ container }) => [
      ...stringsIn(container.command),
      ...stringsIn(container.args),
    ]);
    if (!words.some((word) => word.includes('$'))) {
      return;
    }
    const taskNames = job.tasks.map(({ name }) => name);
    const given = new Set(
      JOB_PLUGINS.filter((plugin) => job.running.has(plugin)).flatMap((plugin) => variablesOf(plugin, taskNames)),
    );
    const ofPlugins = new Map(
      JOB_PLUGINS.flatMap((plugin) => variablesOf(plugin, taskNames).map((name) => [name, plugin] as const)),
    );
    for (const { container, path } of containersOf(task)) {
      if (asArray(container.envFrom).length > 0) {
        continue;
      }
      const own = variablesGiven(container);
      const inShell = runsInShell(container);
      for (const list of ['command', 'args']) {
        for (const [index, word] of asArray(container[list]).entries()) {
          if (typeof word !== 'string') {
            continue;
          }
          for (const name of new Set(variablesUsed(word, inShell))) {
            const plugin = ofPlugins.get(name);
            if (own.has(name) || given.has(name) || (plugin === undefined && !name.startsWith('PET_'))) {
              continue;
            }
            yield {
              path: `${path.slice(task.path.length)}/${list}/${index}`,
              message:
                plugin === undefined
                  ? `no Volcano plugin sets the variable ${name}`
                  : `the variable ${name} is unset: the ${plugin} plugin, which sets it, is not in spec.plugins`,
              found: word,
              expected: plugin === undefined ? EQUIVALENTS[name] : `${plugin} in spec.plugins`,
              ...variableFix(name, plugin),
            };
          }
        }
      }
    }
  },
);

/** What to write where a variable is unset, if more is known than the fix of the rule says. */
function variableFix(name: string, plugin: string | undefined): Pick<Violation, 'fix'> {
  if (plugin !== undefined) {
    return { fix: `Add ${plugin} to spec.plugins.` };
  }
  const other = Object.hasOwn(EQUIVALENTS, name) ? EQUIVALENTS[name] : undefined;
  return other === undefined ? {} : { fix: `Replace ${name} with ${other}, which the pytorch plugin sets.` };
}

const EQUIVALENTS: Readonly<Record<string, string>> = {
  PET_NNODES: '$(WORLD_SIZE)',
  PET_NODE_RANK: '$(RANK)',
  PET_MASTER_ADDR: '$(MASTER_ADDR)',
  PET_MASTER_PORT: '$(MASTER_PORT)',
};

/** Variables by `$(NAME)`; in a shell by `$NAME` and `${NAME}` too, unless the script sets them itself or gives a default. */
function variablesUsed(word: string, inShell: boolean): readonly string[] {
  const names = [...word.matchAll(/(?<!\$)\$\(([A-Za-z_]\w*)\)/g)].map(([, name = '']) => name);
  if (inShell) {
    const used = [...word.matchAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g)].map(
      ([, braced, bare]) => braced ?? bare ?? '',
    );
    names.push(...used.filter((name) => !new RegExp(`(?:^|[\\s;])(?:export\\s+)?${name}=`).test(word)));
  }
  return names;
}

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash', 'zsh']);

/** Whether the command hands its text to a shell, which then expands `$VAR` and `${VAR}` itself. */
function runsInShell(container: JsonObject): boolean {
  const words = [...stringsIn(container.command), ...stringsIn(container.args)];
  const program = words[0] ?? '';
  return SHELLS.has(program.slice(program.lastIndexOf('/') + 1)) && words.some((word) => /^-[a-z]*c$/.test(word));
}

/** Images whose own command is a shell or an interpreter: with neither terminal nor program it ends at once. */
const BASE_IMAGES =
  /^(?:docker\.io\/)?(?:library\/)?(?:pytorch\/pytorch|tensorflow\/tensorflow|nvidia\/cuda|nvcr\.io\/nvidia\/(?:cuda|pytorch|tensorflow)|python|ubuntu|debian|alpine|busybox|centos|rockylinux\/rockylinux)(?::|@|$)/;

const hasProgram = taskRule(
  {
    id: 'volcano/task-container-has-program',
    tier: 'advice',
    severity: 'warning',
    summary: 'A container with a base image must set the program to run.',
    why: 'The default command of the image is a shell or an interpreter, which exits immediately without a terminal: the task does nothing.',
    source: 'default command of the image',
    fix: 'Set command or args of the container in spec.tasks[].template to the program that the container runs.',
  },
  function* (task, job) {
    const ray = job.running.has('ray');
    for (const { container, path } of containersOf(task)) {
      const image = asString(container.image) ?? '';
      if (
        ray ||
        !BASE_IMAGES.test(image) ||
        stringsIn(container.command).length > 0 ||
        stringsIn(container.args).length > 0
      ) {
        continue;
      }
      yield {
        path: path.slice(task.path.length),
        message: `command or args must be set in the container "${asString(container.name) ?? ''}": its image, ${image}, does not start a program by itself`,
        expected: 'command or args',
        fix: `Set command or args in ${fieldOf(path)} to the program that the container runs.`,
      };
    }
  },
);

const scrapersGetIn = jobRule(
  {
    id: 'volcano/job-network-policy-lets-scrapers-in',
    concerns: ['ports', 'prometheus.io/scrape'],
    row: 'VJ9',
    tier: 'advice',
    severity: 'warning',
    summary: "A job whose pods serve metrics must disable the svc plugin's NetworkPolicy.",
    why: 'The plugin creates a NetworkPolicy that admits traffic only from pods of the job: Prometheus, a dashboard, or a debugger cannot connect.',
    source: `${cite('volcano')}, pkg/controllers/job/plugins/svc/svc.go, createNetworkPolicyIfNotExist`,
    fix: 'Set spec.plugins.svc to ["--disable-network-policy"], and add a NetworkPolicy that allows the scraper, if the pods need one.',
  },
  function* (job) {
    const svc = job.plugins.find(({ name }) => name === 'svc');
    if (!job.running.has('svc') || svc?.flags?.values.get('disable-network-policy') === true) {
      return;
    }
    for (const task of job.tasks) {
      const annotations = asObject(asObject(asObject(task.value.template).metadata).annotations);
      const ports = containersOf(task).flatMap(({ container }) =>
        objectsAt(container, '/ports').map(({ value }) => asString(value.name) ?? ''),
      );
      const why =
        annotations['prometheus.io/scrape'] === 'true'
          ? 'is annotated to be scraped'
          : ports.some((port) => /metrics/.test(port))
            ? 'serves metrics'
            : '';
      if (why === '') {
        continue;
      }
      yield {
        path: `${task.path}/template`,
        message: `the task "${task.name}" ${why}, but the NetworkPolicy of the svc plugin allows connections only from the pods of the job`,
        expected: '--disable-network-policy',
      };
    }
  },
);

export const jobLaunchRules: readonly ObjectRule[] = [
  nodeCount,
  toldItsNodes,
  toldItsPlace,
  variablesDefined,
  hasProgram,
  scrapersGetIn,
];
