/**
 * The command `gantry`: reads the command line and calls the one command that it names.
 *
 * `commands/` has the words of the commands. A command's module is loaded when it is called, so that `gantry catalog` does not load the checks, and
 * none of them loads cdk8s.
 */
import { Command, CommanderError } from 'commander';
import { addCheckingCommands } from './commands/checking';
import { addClusterCommands } from './commands/clusters';
import { addLookupCommands } from './commands/lookups';
import { addPlanningCommands } from './commands/planning';
import { addProjectCommands } from './commands/projects';
import { addDockerCommands } from './docker/commands';
import { nearestName } from '../../facts/spelling';
import { printable } from '../../facts/words';
import { InputError, reasonOf } from '../../manifests/input-error';
import { processTerminal, type Terminal } from './terminal';
import { versionOf } from '../checks/version';

const EXIT_STATUS = `Exit status:
  0  no findings, no pending gangs, all expectations and targets met
  1  findings, pending gangs, or unmet expectations or targets
  2  invalid usage or unreadable input`;

/** The commands in the order of the help, by what adds them. */
const GROUPS: readonly { readonly names: readonly string[]; readonly add: typeof addCheckingCommands }[] = [
  { names: ['check', 'synth', 'diff'], add: addCheckingCommands },
  { names: ['plan', 'simulate', 'size'], add: addPlanningCommands },
  { names: ['snapshot', 'history'], add: addClusterCommands },
  { names: ['init', 'adopt'], add: addProjectCommands },
  { names: ['catalog', 'rules', 'explain'], add: addLookupCommands },
  { names: ['docker'], add: addDockerCommands },
];

/**
 * Runs one command line.
 *
 * @param words without the program's own name
 * @returns exit status: 0 success, 1 findings, 2 invalid usage or unreadable input
 */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const program = commands(words[0] ?? '', terminal, (result) => (status = result));
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

/** @param first the first word: where it names a command, the others are not needed */
function commands(first: string, terminal: Terminal, finish: (status: number) => void): Command {
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

  const named = GROUPS.filter(({ names }) => names.includes(first));
  for (const { add } of named.length > 0 ? named : GROUPS) {
    add(program, terminal, finish);
  }

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
