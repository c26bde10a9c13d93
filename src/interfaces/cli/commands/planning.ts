/**
 * Commands that plan, simulate, and size: `gantry plan`, `gantry simulate`, and `gantry size`.
 */
import { createRequire } from 'node:module';
import { type Command, Option } from 'commander';
import type * as ClustersModule from '../plan/clusters-command';
import type * as PlanModule from '../plan/plan-command';
import type * as SimulateModule from '../plan/simulate-command';
import type * as SizeModule from '../plan/size-command';
import { collect, examples } from '../command-parts';
import { type Terminal } from '../terminal';

const load = createRequire(__filename);

export function addPlanningCommands(program: Command, terminal: Terminal, finish: (status: number) => void): void {
  program
    .command('plan')
    .summary('show where workloads run on a cluster, and why they stay pending')
    .description(
      'Plan workloads on a cluster: where each gang is placed, which gangs stay pending, why, and which changes would help.',
    )
    .argument('[paths...]', 'files, folders, or - for standard input')
    .option(
      '--cluster <cluster>',
      'snapshot, cluster file, or output of kubectl get … -o json; - for standard input; live[:CONTEXT] for a running cluster; NAME=CLUSTER, repeated, for several clusters (default: a sample cluster)',
      collect,
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
        [
          'Plan which cluster of MultiKueue runs each job',
          'gantry plan jobs/ --cluster hub=hub.json --cluster east=east.json --cluster west=west.json',
        ],
        ['Compare with a cluster in which a node is drained', 'gantry plan manifests/ --what-if drain=node-7'],
      ),
    )
    .action(async (paths: string[], flags: PlanModule.PlanFlags) => {
      const { cluster } = flags;
      if (cluster !== undefined && cluster.length > 1) {
        const { planClustersCommand } = load('../plan/clusters-command') as typeof ClustersModule;
        finish(await planClustersCommand(paths, { ...flags, cluster }, terminal));
      } else {
        const { planCommand } = load('../plan/plan-command') as typeof PlanModule;
        finish(await planCommand(paths, flags, terminal));
      }
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
      const { simulateCommand } = load('../plan/simulate-command') as typeof SimulateModule;
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
      const { sizeCommand } = load('../plan/size-command') as typeof SizeModule;
      finish(await sizeCommand(file, flags, terminal));
    });
}
