/**
 * The command `gantry`: reads the command line and calls the one command that it names.
 *
 * A command's module is loaded when it is called, so that `gantry catalog` does not load the checks, and none of them loads cdk8s.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import type * as AdoptModule from './adopt/adopt-command';
import type * as CatalogModule from './catalog-command';
import type * as CheckModule from './check/check-command';
import { addDockerCommands } from './docker/commands';
import { type CheckFlags } from './check/check-options';
import { collect, examples, withCheckOptions } from './command-parts';
import { requireCompiled } from './compile-cache';
import type * as DiffModule from './diff/diff-command';
import type * as ExplainModule from './explain/explain-command';
import type * as InitModule from './init/init-command';
import type * as HistoryModule from './history-command';
import type * as PlanModule from './plan/plan-command';
import type * as RulesModule from './check/rules-command';
import type * as SnapshotModule from './snapshot-command';
import type * as SimulateModule from './plan/simulate-command';
import type * as SizeModule from './plan/size-command';
import type * as SynthModule from './synth/synth-command';
import { nearestName } from '../../facts/spelling';
import { printable } from '../../facts/words';
import { InputError, reasonOf } from '../../manifests/input-error';
import { SCHEDULER_NAME } from '../../planning/scheduler-settings/deployment-names';
import { processTerminal, type Terminal } from './terminal';
import { versionOf } from '../checks/version';

const load = createRequire(__filename);
/** `check-command` and all that it needs in one file, which the build of the package writes: it loads in half of the time. */
const CHECK_BUNDLE = join(__dirname, 'check-bundle.js');

const EXIT_STATUS = `Exit status:
  0  no findings, no pending gangs, all expectations and targets met
  1  findings, pending gangs, or unmet expectations or targets
  2  invalid usage or unreadable input`;

/**
 * Runs one command line.
 *
 * @param words without the program's own name
 * @returns exit status: 0 success, 1 findings, 2 invalid usage or unreadable input
 */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const program = commands(terminal, (result) => (status = result));
  try {
    refuseUnknownHelp(program, words);
    await program.parseAsync([...words], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : 2;
    }
    const text =
      error instanceof InputError
        ? error.message.split('\n').map(printable).join('\n')
        : `internal error. This is a bug in Gantry, please report it\n${stackOf(error)}`;
    terminal.err(`gantry: ${text}\n`);
    return 2;
  }
}

/** `gantry help foo` is as wrong as `gantry foo`. */
function refuseUnknownHelp(program: Command, words: readonly string[]): void {
  const [first, name] = words;
  const names = program.commands.map((command) => command.name());
  if (first !== 'help' || name === undefined || name.startsWith('-') || name === 'help' || names.includes(name)) {
    return;
  }
  const near = nearestName(name, names);
  throw new InputError(
    `unknown command "${name}"${near === undefined ? `; commands are ${names.join(', ')}` : ` (did you mean ${near}?)`}`,
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function commands(terminal: Terminal, finish: (status: number) => void): Command {
  const program = new Command('gantry')
    .enablePositionalOptions()
    .description('Check, plan, and simulate GPU and AI workloads on Kubernetes before you apply them.')
    .version(versionOf(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', `\n${EXIT_STATUS}\n\nUse "gantry COMMAND --help" for more information about a command.`)
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => terminal.columns ?? 100,
      outputError: (text, write) =>
        write(
          text
            .replace(/^error: /, 'gantry: ')
            .replace(/\n\(Did you mean (.*)\?\)\n?$/s, ' (did you mean $1?)\n')
            .replace(/'([^'\n]*)'/g, '"$1"'),
        ),
    });

  withCheckOptions(program.command('check'))
    .summary('check manifests')
    .description(
      'Check manifests without a cluster: schemas, CEL rules, the validation of the API server, and the rules of each project.',
    )
    .argument('[paths...]', 'files, folders, or - for standard input (default: "include" in .gantry.yaml)')
    .option('--kustomize <folder>', 'check the output of kustomize for a folder; repeatable', collect)
    .option('--helm <chart>', 'check the output of helm template for a chart; repeatable', collect)
    .option('--values <file>', 'values file of the chart; repeatable', collect)
    .option('--set <key=value>', 'value of the chart; repeatable', collect)
    .option('--release <name>', 'release name of the chart (default: "release")')
    .option('--namespace <name>', 'namespace of the release')
    .option('--cluster <cluster>', 'check against this cluster: a snapshot, or live[:CONTEXT] for a running one')
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--exclude <glob>', 'skip the files and folders that match; repeatable', collect)
    .option('--baseline <file>', 'suppress the findings that this file lists')
    .option('--update-baseline', 'write the findings of this run to the baseline file')
    .option('--output <file>', 'write the report to a file')
    .option('-q, --quiet', 'print errors only')
    .addHelpText(
      'after',
      examples(
        ['Check a folder', 'gantry check manifests/'],
        ['Check the output of another tool', 'kustomize build overlays/prod | gantry check -'],
        [
          'Check what the API server of Kubernetes 1.33 validates',
          'gantry check --k8s 1.33 --only schema,cel,server .',
        ],
        [
          'Suppress a rule, with a reason',
          `gantry check --ignore 'pods/shared-memory-for-several-gpus=single-process jobs' manifests/`,
        ],
      ),
    )
    .action(async (paths: string[], flags: CheckFlags) => {
      const { checkCommand } = (
        existsSync(CHECK_BUNDLE) ? requireCompiled(CHECK_BUNDLE) : load('./check/check-command')
      ) as typeof CheckModule;
      finish(await checkCommand(paths, flags, terminal));
    });

  withCheckOptions(program.command('synth'))
    .summary('synthesize a cdk8s app and check the result')
    .description(
      'Synthesize a cdk8s app and check its manifests. The output folder is replaced only if the check passes.',
    )
    .option('-a, --app <command>', 'command that runs the app (default: "app" in cdk8s.yaml)')
    .option('-o, --output <folder>', 'output folder (default: "output" in cdk8s.yaml, or dist)')
    .option(
      '--cluster <cluster>',
      'also check against and plan on this cluster: a snapshot, a cluster file, the output of kubectl get … -o json, live[:CONTEXT], or "sample"',
    )
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--page <file>', 'write the plan to an HTML page; requires --cluster')
    .addHelpText(
      'after',
      examples(
        ['Synthesize the app of cdk8s.yaml', 'gantry synth'],
        ['Also plan the app on a cluster', 'gantry synth --cluster cluster.yaml --page plan.html'],
      ),
    )
    .action(async (flags: SynthModule.SynthFlags) => {
      const { synthCommand } = load('./synth/synth-command') as typeof SynthModule;
      finish(await synthCommand(flags, terminal));
    });

  program
    .command('plan')
    .summary('show where workloads run on a cluster, and why they stay pending')
    .description(
      'Plan workloads on a cluster: where each gang is placed, which gangs stay pending, why, and which changes would help.',
    )
    .argument('[paths...]', 'files, folders, or - for standard input')
    .option(
      '--cluster <cluster>',
      'snapshot, cluster file, or output of kubectl get … -o json; - for standard input; live[:CONTEXT] for a running cluster (default: a sample cluster)',
    )
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--policy <name|file>', 'scheduling policy: a name, or a file')
    .option('--what-if <change>', 'drain=NODE, add-pool=POOL:N, add-pool={…}, or copies=JOB:N; repeatable', collect)
    .option(
      '--price <pool=usd>',
      'price of a node per hour, for pools that an autoscaler may enlarge; repeatable',
      collect,
    )
    .option('--format <format>', 'text, json, or html (default: "text")')
    .option('--output <file>', 'write the plan to a file')
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Plan manifests on a cluster that a file describes', 'gantry plan manifests/ --cluster cluster.yaml'],
        [
          'Plan manifests on a running cluster',
          'kubectl get nodes,pods,podgroups,queues -A -o json | gantry plan manifests/ --cluster -',
        ],
        ['Compare with a cluster in which a node is drained', 'gantry plan manifests/ --what-if drain=node-7'],
      ),
    )
    .action(async (paths: string[], flags: PlanModule.PlanFlags) => {
      const { planCommand } = load('./plan/plan-command') as typeof PlanModule;
      finish(await planCommand(paths, flags, terminal));
    });

  program
    .command('simulate')
    .summary('run scenarios over time')
    .description('Run scenarios over time through the placement core, and compare the results with their expectations.')
    .argument('<scenarios...>', 'scenario files, or folders that contain them')
    .option(
      '--policy <policy>',
      'a policy file or the name of a policy, instead of that of the scenario; repeatable',
      collect,
    )
    .addOption(new Option('--format <format>', 'text, json, or html').default('text'))
    .option('--output <file>', 'write the result to a file')
    .option('-q, --quiet', 'print unmet expectations only')
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Run all scenarios of a folder', 'gantry simulate scenarios/'],
        [
          'Write a page with the timeline of one scenario',
          'gantry simulate scenarios/drain.yaml --format html --output drain.html',
        ],
      ),
    )
    .action((paths: string[], flags: SimulateModule.SimulateFlags) => {
      const { simulateCommand } = load('./plan/simulate-command') as typeof SimulateModule;
      finish(simulateCommand(paths, flags, terminal));
    });

  program
    .command('size')
    .summary('find the cheapest nodes that keep waits under a target')
    .description(
      'Find how many nodes each pool needs to keep waits under a target at the least cost, by simulating the work of a sizing file.',
    )
    .argument('<file>', 'sizing file')
    .option(
      '--cluster <cluster>',
      'nodes and queues of today, instead of those of the file: a snapshot, a cluster file, or live[:CONTEXT]',
    )
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option(
      '--policy <policy>',
      'a policy file or the name of a policy, instead of that of the file; repeatable',
      collect,
    )
    .option('--seed <number>', 'seed of the replications, instead of that of the file')
    .option('--evaluations <count>', 'maximum number of mixes that are simulated, instead of that of the file')
    .addOption(new Option('--format <format>', 'text, json, or html').default('text'))
    .option('--output <file>', 'write the result to a file')
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Find the cheapest mix', 'gantry size sizing.yaml'],
        ['Compare two policies on the nodes of today', 'gantry size sizing.yaml --policy default --policy fifo.yaml'],
      ),
    )
    .action(async (file: string, flags: SizeModule.SizeFlags) => {
      const { sizeCommand } = load('./plan/size-command') as typeof SizeModule;
      finish(await sizeCommand(file, flags, terminal));
    });

  program
    .command('snapshot')
    .summary('read a cluster into a file')
    .description(
      'Read a cluster once, with your kubeconfig and read-only rights, into a file that other commands take as --cluster. It never contains a Secret.',
    )
    .option('--context <name>', 'context of the kubeconfig (default: the current context)')
    .option('--kubeconfig <file>', 'kubeconfig file (default: that of kubectl)')
    .option(
      '-o, --output <file>',
      'file to write; plain JSON if its name does not end in .gz (default: CONTEXT.gantry.json.gz)',
    )
    .option('--include-configmap <namespace/name>', 'also read this ConfigMap; repeatable', collect)
    .option('--anonymize', 'replace the names of namespaces, nodes, queues, workloads, and labels consistently')
    .option('--cluster-role', 'print the ClusterRole that a snapshot needs, and read nothing')
    .addHelpText(
      'after',
      examples(
        ['Read the cluster of the current context', 'gantry snapshot -o prod.gantry.json.gz'],
        [
          'Check manifests against it, without access to the cluster',
          'gantry check manifests/ --cluster prod.gantry.json.gz',
        ],
      ),
    )
    .action(async (flags: SnapshotModule.SnapshotFlags) => {
      const { snapshotCommand } = load('./snapshot-command') as typeof SnapshotModule;
      finish(await snapshotCommand(flags, terminal));
    });

  program
    .command('history')
    .summary('list the jobs that the scheduler recorded')
    .description(
      'Read the history that Gantry\'s scheduler records of gangs, as a list of jobs for "gantry size" and "gantry simulate".',
    )
    .option('--context <name>', 'context of the kubeconfig (default: the current context)')
    .option('--kubeconfig <file>', 'kubeconfig file (default: that of kubectl)')
    .option('-n, --namespace <namespace>', 'namespace of the scheduler', 'gantry-system')
    .option('--scheduler <name>', 'name of the scheduler', SCHEDULER_NAME)
    .option('--since <time>', 'only gangs that arrived since then: a duration such as 30d, or a date and time')
    .option('--format <format>', 'jsonl or csv (default: "csv" if the name of the output ends in .csv, else "jsonl")')
    .option('-o, --output <file>', 'write the list to a file')
    .addHelpText(
      'after',
      examples(
        ['Write the jobs of the last 30 days', 'gantry history --since 30d -o history.jsonl'],
        ['Find out what would have kept their waits short', 'gantry size sizing.yaml'],
      ),
    )
    .action(async (flags: HistoryModule.HistoryFlags) => {
      const { historyCommand } = load('./history-command') as typeof HistoryModule;
      finish(await historyCommand(flags, terminal));
    });

  program
    .command('init')
    .summary('create a project')
    .description(
      'Create a project with a small platform, a test, and a CI workflow. Existing files are never replaced.',
    )
    .argument('[folder]', 'folder of the project', '.')
    .addOption(new Option('--template <template>', 'cdk8s, pulumi, or yaml').default('cdk8s'))
    .option('--name <name>', 'name of the project (default: the name of the folder)')
    .addHelpText(
      'after',
      examples(
        ['Create a cdk8s project in a new folder', 'gantry init my-platform'],
        ['Create a project for plain manifests in the working directory', 'gantry init --template yaml'],
      ),
    )
    .action((folder: string, flags: InitModule.InitFlags) => {
      const { initCommand } = load('./init/init-command') as typeof InitModule;
      finish(initCommand(folder, flags, terminal));
    });

  program
    .command('adopt')
    .summary('turn manifests into a TypeScript stack')
    .description(
      'Turn existing manifests into a TypeScript stack that renders equal objects: constructs where one fits, typed objects elsewhere. Requires the package ts-morph.',
    )
    .argument('<paths...>', 'files, folders, or - for standard input')
    .option('-o, --out <file>', 'write the stack to a file (default: standard output)')
    .option('--class <name>', 'name of the class (default: "Stack")')
    .option('--force', 'replace the file')
    .option('--secrets', 'write the values of Secrets into the stack (default: Secrets with values are left out)')
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Adopt a folder', 'gantry adopt manifests/ --out stack.ts'],
        [
          'Adopt what runs in a namespace',
          'kubectl get jobs,queues,configmaps -n research -o yaml | gantry adopt - --out stack.ts',
        ],
      ),
    )
    .action(async (paths: string[], flags: AdoptModule.AdoptFlags) => {
      const { adoptCommand } = load('./adopt/adopt-command') as typeof AdoptModule;
      finish(await adoptCommand(paths, flags, terminal));
    });

  program
    .command('diff')
    .summary('show what changes between two sets of manifests, and what applying it does')
    .description(
      'Compare two sets of manifests, object by object and field by field: which updates are rejected, which pods are replaced, and which queues, quotas, and plans change.',
    )
    .argument('<paths...>', 'OLD and NEW: folders, files, or snapshots; with one path, OLD is the cluster')
    .option('--cluster <cluster>', 'plan both on this cluster: a snapshot, a cluster file, or live[:CONTEXT]')
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .option('--field-manager <name>', 'with one path and a running cluster: who applies (default: "kubectl")')
    .option('--k8s <minor>', 'Kubernetes version of the target cluster (default: "1.35")')
    .option('--exit-code', 'exit with status 1 if anything changes (default: only if an update is rejected)')
    .option('--format <format>', 'text, json, or markdown (default: "text")')
    .option('--output <file>', 'write the diff to a file')
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Compare the manifests of two branches', 'gantry diff main/manifests manifests'],
        [
          'Write a comment for a pull request, with the plan on a snapshot',
          'gantry diff main/manifests manifests --cluster prod.gantry.json.gz --format markdown',
        ],
        ['Show what applying the manifests changes in a running cluster', 'gantry diff manifests --cluster live:prod'],
      ),
    )
    .action(async (paths: string[], flags: DiffModule.DiffFlags) => {
      const { diffCommand } = load('./diff/diff-command') as typeof DiffModule;
      finish(await diffCommand(paths, flags, terminal));
    });

  program
    .command('catalog')
    .summary('look up accelerators, MIG profiles, resource names, and labels')
    .description('Look up accelerators, MIG profiles, resource names, node labels, taints, and clouds.')
    .argument('[name]', 'a topic, or the name of a catalog entry')
    .addOption(new Option('--format <format>', 'text or json').default('text'))
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['List all accelerators', 'gantry catalog accelerators'],
        ['Explain a node label', 'gantry catalog nvidia.com/gpu.memory'],
      ),
    )
    .action((name: string | undefined, flags: CatalogModule.CatalogFlags) => {
      const { catalogCommand } = load('./catalog-command') as typeof CatalogModule;
      finish(catalogCommand(name, flags, terminal));
    });

  program
    .command('rules')
    .summary('list the rules, or explain one')
    .description(
      'List the rules with their tier and severity. For one rule, also print the reason, the fix, and the source.',
    )
    .argument('[name]', 'a rule, or a domain such as volcano')
    .addOption(new Option('--format <format>', 'text or json').default('text'))
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['List the rules of a domain', 'gantry rules volcano'],
        ['Explain a rule', 'gantry rules volcano/queue-parent-known'],
      ),
    )
    .action((name: string | undefined, flags: RulesModule.RulesFlags) => {
      const { rulesCommand } = load('./check/rules-command') as typeof RulesModule;
      finish(rulesCommand(name, flags, terminal));
    });

  program
    .command('explain')
    .summary('explain a rule, a message, a file, or work that waits')
    .description(
      'Explain a rule, a place in a file, work of a cluster, or messages of schedulers and controllers on standard input.',
    )
    .argument(
      '<what>',
      'a rule, FILE[:LINE], work as KIND/NAMESPACE/NAME, queue/NAME, or - for messages on standard input',
    )
    .option('--cluster <cluster>', 'the cluster of the work: a snapshot, a cluster file, or live[:CONTEXT]')
    .option('-n, --namespace <namespace>', 'the namespace of the work (default: any in which the name is unique)')
    .option('--max-age <days>', 'age from which a snapshot is reported as old (default: "7d")')
    .addOption(new Option('--format <format>', 'text or json').default('text'))
    .option('--no-color', 'print without colors')
    .addHelpText(
      'after',
      examples(
        ['Explain events', 'kubectl get events -A | gantry explain -'],
        ['Explain why a job waits', 'gantry explain job/research/train --cluster prod.gantry.json.gz'],
        ['Explain the findings on a line', 'gantry explain manifests/queue.yaml:12'],
      ),
    )
    .action(async (what: string, flags: ExplainModule.ExplainFlags) => {
      const { explainCommand } = load('./explain/explain-command') as typeof ExplainModule;
      finish(await explainCommand(what, flags, terminal));
    });

  addDockerCommands(program, terminal, finish);

  for (const command of program.commands) {
    command.copyInheritedSettings(program);
  }
  return program;
}

/** Runs the process's own command line. */
export function run(): void {
  // A reader that has seen enough (`gantry check … | head`) is not a failure.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') {
        process.exit(process.exitCode ?? 0);
      }
      if (stream === process.stdout) {
        process.stderr.write(`gantry: standard output: ${reasonOf(error)}\n`);
      }
      process.exit(2);
    });
  }
  void main(process.argv.slice(2), processTerminal()).then((status) => {
    process.exitCode = status;
  });
}
