/**
 * Commands that look up and explain: `gantry catalog`, `gantry rules`, and `gantry explain`.
 */
import { createRequire } from 'node:module';
import { type Command, Option } from 'commander';
import type * as CatalogModule from '../catalog-command';
import type * as RulesModule from '../check/rules-command';
import type * as ExplainModule from '../explain/explain-command';
import { examples } from '../command-parts';
import { type Terminal } from '../terminal';

const load = createRequire(__filename);

export function addLookupCommands(program: Command, terminal: Terminal, finish: (status: number) => void): void {
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
      const { catalogCommand } = load('../catalog-command') as typeof CatalogModule;
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
    .action(async (name: string | undefined, flags: RulesModule.RulesFlags) => {
      const { rulesCommand } = load('../check/rules-command') as typeof RulesModule;
      finish(await rulesCommand(name, flags, terminal));
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
      const { explainCommand } = load('../explain/explain-command') as typeof ExplainModule;
      finish(await explainCommand(what, flags, terminal));
    });
}
