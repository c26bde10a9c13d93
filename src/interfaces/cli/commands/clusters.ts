/**
 * Commands that read a cluster: `gantry snapshot` and `gantry history`.
 */
import { createRequire } from 'node:module';
import { type Command } from 'commander';
import type * as SnapshotModule from '../snapshot-command';
import type * as HistoryModule from '../history-command';
import { collect, examples } from '../command-parts';
import { type Terminal } from '../terminal';
import { SCHEDULER_NAME } from '../../../planning/scheduler-settings/deployment-names';

const load = createRequire(__filename);

export function addClusterCommands(program: Command, terminal: Terminal, finish: (status: number) => void): void {
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
      const { snapshotCommand } = load('../snapshot-command') as typeof SnapshotModule;
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
      const { historyCommand } = load('../history-command') as typeof HistoryModule;
      finish(await historyCommand(flags, terminal));
    });
}
