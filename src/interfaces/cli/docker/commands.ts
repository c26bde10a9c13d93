/**
 * `gantry docker`: the words of the command line. What they do is in the files beside this one, which are loaded when one of them is called.
 */
import { createRequire } from 'node:module';
import { type Command, Option } from 'commander';
import { type Terminal } from '../terminal';
import type * as CheckModule from './check-command';
import { type SocketFlags } from './connection';
import type * as DashboardModule from './dashboard-command';
import type * as ExportModule from './export-command';
import type * as InstallModule from './install-command';
import type * as PageModule from './page-command';
import type * as QueryModule from './query-commands';
import type * as RunModule from './run-command';
import type * as ServeModule from './serve-command';
import { taskOptions } from './task-options';

const load = createRequire(__filename);

const format = (): Option => new Option('--format <format>', 'text or json').choices(['text', 'json']).default('text');
const config = (without: string): Option => new Option('--config <file>', `runner.yaml (default: ${without})`);
const limit = (usual: string): Option =>
  new Option('--limit <count>', `at most this many, the latest (default: ${usual})`);

type Status = number | Promise<number>;

export function addDockerCommands(program: Command, terminal: Terminal, finish: (status: number) => void): void {
  const docker = program
    .command('docker')
    .summary('run GPU tasks on a Docker host: queue, priorities, tenants, retries')
    .description(
      'Queue and run GPU tasks on one Docker host. "serve" is the runner; the other commands talk to it over its socket.',
    )
    .enablePositionalOptions()
    .option(
      '--socket <path>',
      'socket or https:// address of the runner (default: GANTRY_DOCKER_SOCKET, or where "serve" listens)',
    );
  const query = (): typeof QueryModule => load('./query-commands') as typeof QueryModule;
  /** The action of a command without arguments: its options come with those of `gantry docker`. */
  const alone =
    <Flags>(work: (flags: Flags & SocketFlags) => Status) =>
    async (flags: Flags): Promise<void> =>
      finish(await work({ ...flags, ...docker.opts<SocketFlags>() }));
  /** The action of a command with one argument, or a list of them. */
  const about =
    <What, Flags>(work: (what: What, flags: Flags & SocketFlags) => Status) =>
    async (what: What, flags: Flags): Promise<void> =>
      finish(await work(what, { ...flags, ...docker.opts<SocketFlags>() }));
  /** A command about one task. */
  const ofTask = (name: string, description: string): Command =>
    docker.command(name).description(description).argument('<task>', 'id or name');

  docker
    .command('serve')
    .summary('start the runner')
    .description(
      'Start the runner in the foreground. SIGTERM and Ctrl-C stop it; containers keep running, and the next start finds them.',
    )
    .addOption(config('all devices that the engine discovers, one tenant'))
    .option('--adopt', 'take over the engine of a runner whose tasks are lost')
    .action(
      alone((flags: ServeModule.ServeFlags) =>
        (load('./serve-command') as typeof ServeModule).serveCommand(flags, terminal),
      ),
    );
  docker
    .command('check')
    .summary('check the host and the engine')
    .description(
      'Report what the host and the engine have, and for each thing that is missing the command that fixes it. The exit status is 1 if something is missing.',
    )
    .addOption(config('none'))
    .addOption(format())
    .action(
      alone((flags: CheckModule.CheckFlags) =>
        (load('./check-command') as typeof CheckModule).checkCommand(flags, terminal),
      ),
    );
  docker
    .command('install')
    .summary('write the systemd unit of the runner, or its Compose file')
    .description('Check runner.yaml, and write the systemd unit of the runner, or its Compose file.')
    .addOption(config('none'))
    .option('--compose', 'write a Compose file instead of a systemd unit')
    .option(
      '--output <file>',
      'file to write; - prints it (default: /etc/systemd/system/gantry-docker.service, or compose.yaml)',
    )
    .option('--force', 'replace a file that is different')
    .action(
      alone((flags: InstallModule.InstallFlags) =>
        (load('./install-command') as typeof InstallModule).installCommand(flags, terminal),
      ),
    );
  docker
    .command('page')
    .summary('open the web page of the runner')
    .description(
      'Serve the web page of the runner on the loopback address until Ctrl-C, and print a link that opens it. The page has the permissions that you have on the socket.',
    )
    .option('--port <port>', 'port of 127.0.0.1 (default: a free one)')
    .action(
      alone((flags: PageModule.PageFlags) =>
        (load('./page-command') as typeof PageModule).pageCommand(flags, terminal),
      ),
    );
  docker
    .command('dashboard')
    .description('print the Grafana dashboard of the runner')
    .option('--alerts', 'print the alerts instead, as a rule file of Prometheus')
    .action(
      alone((flags: DashboardModule.DashboardFlags) =>
        (load('./dashboard-command') as typeof DashboardModule).dashboardCommand(flags, terminal),
      ),
    );

  const run = docker
    .command('run')
    .summary('run a command in a container when its devices are free')
    .description(
      'Queue a task. Without --detach, print its output until it ends and exit with its status; Ctrl-C leaves it running. Options that "docker run" has too mean the same.',
    )
    .argument('<image>', 'image')
    .argument('[command...]', 'command and its arguments')
    .passThroughOptions();
  taskOptions().forEach((option) => run.addOption(option));
  run
    .option('-d, --detach', 'print the id and return')
    .option('--dry-run', 'print where it would start, or why it would wait, and do not queue it')
    .addOption(format())
    .action(async (image: string, words: string[], flags: RunModule.RunFlags) => {
      const { runCommand } = load('./run-command') as typeof RunModule;
      finish(await runCommand(image, words, { ...flags, ...docker.opts<SocketFlags>() }, terminal));
    });

  docker
    .command('list')
    .alias('ps')
    .description('list tasks')
    .option('-a, --all', 'also tasks that have ended')
    .option('--tenant <name>', 'tasks of this tenant')
    .addOption(limit('100'))
    .addOption(format())
    .action(alone((flags: QueryModule.ListFlags) => query().listCommand(flags, terminal)));
  docker
    .command('queue')
    .description('list waiting tasks with the reason why they wait')
    .addOption(limit('20'))
    .addOption(format())
    .action(alone((flags: QueryModule.ListFlags) => query().queueCommand(flags, terminal)));
  docker
    .command('top')
    .description('list devices and what runs on them')
    .addOption(format())
    .action(alone((flags: QueryModule.ListFlags) => query().topCommand(flags, terminal)));
  ofTask('show', 'show a task; the id of an array lists its tasks')
    .addOption(format())
    .action(about((task: string, flags: QueryModule.ListFlags) => query().showCommand(task, flags, terminal)));
  ofTask('plan', 'show why a task waits, until when, and what would help')
    .addOption(format())
    .action(about((task: string, flags: QueryModule.ListFlags) => query().planCommand(task, flags, terminal)));
  ofTask('logs', 'print the output of a task')
    .option('-f, --follow', 'follow the output until the task ends')
    .option('-t, --timestamps', 'with the time of each line')
    .option('--replica <index>', 'container of a task with --replicas (default: 0)')
    .option('--attempt <number>', 'an earlier attempt (default: the last)')
    .action(about((task: string, flags: QueryModule.LogsFlags) => query().logsCommand(task, flags, terminal)));
  ofTask('export', 'print a task as a workload for a cluster')
    .addOption(
      new Option('--as <kind>', 'kind of the workload').choices(['job', 'pytorchjob', 'jobset']).default('job'),
    )
    .action(
      about((task: string, flags: ExportModule.ExportFlags) =>
        (load('./export-command') as typeof ExportModule).exportCommand(task, flags, terminal),
      ),
    );
  docker
    .command('cancel')
    .description('cancel tasks')
    .argument('<tasks...>', 'ids or names; the id of an array cancels all of its tasks')
    .addOption(format())
    .action(about((tasks: string[], flags: QueryModule.ListFlags) => query().cancelCommand(tasks, flags, terminal)));
  docker
    .command('wait')
    .summary('wait until tasks have ended')
    .description('Wait until tasks have ended, and exit with the status of the first one that did not succeed.')
    .argument('<tasks...>', 'ids or names; the id of an array waits for all of its tasks')
    .addOption(format())
    .action(about((tasks: string[], flags: QueryModule.ListFlags) => query().waitCommand(tasks, flags, terminal)));
  for (const [word, description] of [
    ['drain', 'start nothing more on a device'],
    ['resume', 'use a device again that was drained or quarantined'],
  ] as const) {
    docker
      .command(word)
      .description(description)
      .argument('<device>', 'index or name of the device')
      .addOption(format())
      .action(
        about((device: string, flags: QueryModule.ListFlags) =>
          query().drainCommand(device, word === 'drain', flags, terminal),
        ),
      );
  }
  for (const command of docker.commands) {
    command.copyInheritedSettings(program);
  }
}
