/**
 * Commands that begin a project: `gantry init` and `gantry adopt`.
 */
import { createRequire } from 'node:module';
import { type Command, Option } from 'commander';
import type * as InitModule from '../init/init-command';
import type * as AdoptModule from '../adopt/adopt-command';
import { examples } from '../command-parts';
import { type Terminal } from '../terminal';

const load = createRequire(__filename);

export function addProjectCommands(program: Command, terminal: Terminal, finish: (status: number) => void): void {
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
      const { initCommand } = load('../init/init-command') as typeof InitModule;
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
      const { adoptCommand } = load('../adopt/adopt-command') as typeof AdoptModule;
      finish(await adoptCommand(paths, flags, terminal));
    });
}
