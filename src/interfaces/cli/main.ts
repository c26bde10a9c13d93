/**
 * The command `gantry`: reads the command line and calls the one command that it names.
 *
 * A command's module is loaded when it is called, so that `gantry catalog` does not load the checks, and none of them loads cdk8s.
 */
import { createRequire } from 'node:module';
import { Command, CommanderError, Option } from 'commander';
import type * as CatalogModule from './catalog-command';
import type * as CheckModule from './check-command';
import { type CheckFlags } from './check-options';
import type * as PlanModule from './plan-command';
import type * as RulesModule from './rules-command';
import type * as SimulateModule from './simulate-command';
import type * as SynthModule from './synth-command';
import { InputError, reasonOf } from '../checks/input-error';
import { processTerminal, type Terminal } from './terminal';
import { versionOf } from '../checks/version';

const load = createRequire(__filename);

/**
 * Runs one command line.
 *
 * @param words without the program's own name
 * @returns exit status: 0 good, 1 findings, 2 usage or unreadable input
 */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const program = commands(terminal, (result) => (status = result));
  try {
    await program.parseAsync([...words], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : 2;
    }
    const text =
      error instanceof InputError ? error.message : `this is a defect of Gantry, please report it\n${stackOf(error)}`;
    terminal.err(`gantry: ${text}\n`);
    return 2;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function commands(terminal: Terminal, finish: (status: number) => void): Command {
  const program = new Command('gantry')
    .description('GPU and AI platforms on Kubernetes: manifests that are checked before anything is applied.')
    .version(versionOf(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addHelpText('after', '\nExit status: 0 good, 1 findings, 2 usage or unreadable input.')
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => terminal.columns ?? 100,
      outputError: (text, write) =>
        write(text.replace(/^error: /, 'gantry: ').replace(/\n\(Did you mean (.*)\?\)\n?$/s, ' (did you mean $1?)\n')),
    });

  withCheckOptions(program.command('check'))
    .summary('check manifests')
    .description('Hold manifests against schemas, CEL rules and the rules of every domain.')
    .argument('[paths...]', 'files, folders, or - for standard input (default: "include" in .gantry.yaml)')
    .option('--kustomize <folder>', 'check what kustomize builds from a folder; repeatable', collect)
    .option('--helm <chart>', 'check what helm renders from a chart; repeatable', collect)
    .option('--values <file>', 'values of the chart; repeatable', collect)
    .option('--set <key=value>', 'a value of the chart; repeatable', collect)
    .option('--release <name>', 'release name of the chart (default: "release")')
    .option('--namespace <name>', 'namespace of the release')
    .option('--exclude <glob>', 'leave files and folders out of folders; repeatable', collect)
    .option('--baseline <file>', 'accept the findings that this file lists')
    .option('--update-baseline', 'write the findings of this run to the baseline')
    .option('--output <file>', 'write the report to a file')
    .option('-q, --quiet', 'print errors only')
    .action(async (paths: string[], flags: CheckFlags) => {
      const { checkCommand } = load('./check-command') as typeof CheckModule;
      finish(await checkCommand(paths, flags, terminal));
    });

  withCheckOptions(program.command('synth'))
    .summary('run a cdk8s app and check what it makes')
    .description('Run a cdk8s app, check what it makes, and replace the output folder if that is good.')
    .option('-a, --app <command>', 'command that runs the app (default: "app" in cdk8s.yaml)')
    .option('-o, --output <folder>', 'folder to replace (default: "output" in cdk8s.yaml, or dist)')
    .option(
      '--cluster <file>',
      'plan on this cluster as well: a cluster file, what kubectl get … -o json printed, or "sample"',
    )
    .option('--page <file>', 'write the plan as an HTML page')
    .action(async (flags: SynthModule.SynthFlags) => {
      const { synthCommand } = load('./synth-command') as typeof SynthModule;
      finish(await synthCommand(flags, terminal));
    });

  program
    .command('plan')
    .summary('where everything goes on a cluster, and what waits')
    .description(
      'Plan the workloads of manifests on a cluster: where each gang is placed, which stay pending and why, and what would help.',
    )
    .argument('[paths...]', 'files, folders, or - for standard input')
    .option(
      '--cluster <file>',
      'cluster file, or what kubectl get … -o json printed; - for standard input (default: a sample cluster)',
    )
    .option('--policy <name|file>', 'how to decide: a name, or a file')
    .option('--what-if <change>', 'drain=NODE, add-pool=POOL:N, add-pool={…} or copies=JOB:N; repeatable', collect)
    .option('--format <format>', 'text, json or html (default: "text")')
    .option('--output <file>', 'write the plan to a file')
    .option('--no-color', 'print without colours')
    .action(async (paths: string[], flags: PlanModule.PlanFlags) => {
      const { planCommand } = load('./plan-command') as typeof PlanModule;
      finish(await planCommand(paths, flags, terminal));
    });

  program
    .command('catalog')
    .summary('accelerators, MIG profiles, resource names, labels')
    .description('Print what is known of accelerators, MIG profiles, resource names, node labels, taints and clouds.')
    .argument('[name]', 'a topic, or the name of anything in the catalog')
    .addOption(new Option('--format <format>', 'text or json').default('text'))
    .option('--no-color', 'print without colours')
    .action((name: string | undefined, flags: CatalogModule.CatalogFlags) => {
      const { catalogCommand } = load('./catalog-command') as typeof CatalogModule;
      finish(catalogCommand(name, flags, terminal));
    });

  program
    .command('rules')
    .summary('list the rules, or explain one')
    .description(
      'Print rules with tier, severity and what must hold; for one rule also why, what to do and its source.',
    )
    .argument('[name]', 'a rule, or the domain that rules begin with')
    .addOption(new Option('--format <format>', 'text or json').default('text'))
    .option('--no-color', 'print without colours')
    .action((name: string | undefined, flags: RulesModule.RulesFlags) => {
      const { rulesCommand } = load('./rules-command') as typeof RulesModule;
      finish(rulesCommand(name, flags, terminal));
    });

  program
    .command('simulate')
    .summary('run scenarios over time')
    .description('Run scenarios through the placement core over time, and hold them against what they expect.')
    .argument('<scenarios...>', 'scenario files, or folders of them')
    .addOption(new Option('--format <format>', 'text, json or html').default('text'))
    .option('--output <file>', 'write the result to a file')
    .option('-q, --quiet', 'print only what was expected and did not come')
    .option('--no-color', 'print without colours')
    .action((paths: string[], flags: SimulateModule.SimulateFlags) => {
      const { simulateCommand } = load('./simulate-command') as typeof SimulateModule;
      finish(simulateCommand(paths, flags, terminal));
    });

  for (const command of program.commands) {
    command.copyInheritedSettings(program);
  }
  return program;
}

/** A flag that may be given several times. */
function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function withCheckOptions(command: Command): Command {
  return command
    .option('--only <tiers>', 'tiers to report: schema, cel, server, webhook, advice', collect)
    .option('--k8s <minor>', 'Kubernetes version that the manifests are meant for (default: "1.35")')
    .option(
      '--crd <file>',
      'file or folder with CustomResourceDefinitions of kinds that are not known; repeatable',
      collect,
    )
    .option('--ignore <rule=reason>', 'silence a rule, with a reason; repeatable', collect)
    .option(
      '--fail-on <severity>',
      'lowest severity that gives exit status 1: error, warning, info; and not-checked (default: "error")',
    )
    .option('--config <file>', 'configuration file (default: the nearest .gantry.yaml)')
    .option('--format <format>', 'text, json or sarif (default: "text")')
    .option('--no-color', 'print without colours');
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
