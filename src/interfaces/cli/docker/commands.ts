/**
 * `gantry docker`: the words of the command line. What they do is in the files beside this one, which are loaded when one of them is called.
 */
import { createRequire } from 'node:module';
import { type Command, Option } from 'commander';
import { type Terminal } from '../terminal';
import type * as CheckModule from './check-command';
import type * as DashboardModule from './dashboard-command';
import type * as ExportModule from './export-command';
import type * as InstallModule from './install-command';
import type * as PageModule from './page-command';
import type * as QueryModule from './query-commands';
import type * as RunModule from './run-command';
import type * as ServeModule from './serve-command';

const load = createRequire(__filename);
const format = (): Option => new Option('--format <format>', 'text or json').choices(['text', 'json']).default('text');

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
  const socket = (): { readonly socket?: string } => docker.opts();
  const query = (): typeof QueryModule => load('./query-commands') as typeof QueryModule;

  docker
    .command('serve')
    .summary('start the runner')
    .description(
      'Start the runner in the foreground. SIGTERM and Ctrl-C stop it; containers keep running, and the next start finds them.',
    )
    .option('--config <file>', 'runner.yaml (default: all devices that the engine discovers, one tenant)')
    .option('--adopt', 'take over the engine of a runner whose tasks are lost')
    .action(async (flags: ServeModule.ServeFlags) => {
      const { serveCommand } = load('./serve-command') as typeof ServeModule;
      finish(await serveCommand({ ...flags, ...socket() }, terminal));
    });

  docker
    .command('check')
    .summary('check the host and the engine')
    .description(
      'Report what the host and the engine have, and for each thing that is missing the command that fixes it.',
    )
    .option('--config <file>', 'runner.yaml')
    .addOption(format())
    .action(async (flags: CheckModule.CheckFlags) => {
      const { checkCommand } = load('./check-command') as typeof CheckModule;
      finish(await checkCommand(flags, terminal));
    });

  docker
    .command('install')
    .summary('write the systemd unit of the runner, or its Compose file')
    .option('--config <file>', 'runner.yaml that the unit names')
    .option('--compose', 'write a Compose file instead of a systemd unit')
    .option(
      '--output <file>',
      'file to write; - prints it (default: /etc/systemd/system/gantry-docker.service, or compose.yaml)',
    )
    .option('--force', 'replace a file that is different')
    .action(async (flags: InstallModule.InstallFlags) => {
      const { installCommand } = load('./install-command') as typeof InstallModule;
      finish(await installCommand(flags, terminal));
    });

  docker
    .command('page')
    .summary('open the web page of the runner')
    .description(
      'Serve the web page of the runner on the loopback address until Ctrl-C, and print a link that opens it. The page has the permissions that you have on the socket.',
    )
    .option('--port <port>', 'port of 127.0.0.1 (default: a free one)')
    .action(async (flags: PageModule.PageFlags) => {
      const { pageCommand } = load('./page-command') as typeof PageModule;
      finish(await pageCommand({ ...flags, ...socket() }, terminal));
    });

  docker
    .command('dashboard')
    .summary('print the Grafana dashboard of the runner')
    .option('--alerts', 'print the alerts instead, as a rule file of Prometheus')
    .action((flags: DashboardModule.DashboardFlags) => {
      const { dashboardCommand } = load('./dashboard-command') as typeof DashboardModule;
      finish(dashboardCommand(flags, terminal));
    });

  docker
    .command('run')
    .summary('run a command in a container when its devices are free')
    .description(
      'Queue a task. Without --detach, print its output until it ends and exit with its status; Ctrl-C leaves it running.',
    )
    .argument('<image>', 'image')
    .argument('[command...]', 'command and its arguments')
    .passThroughOptions()
    .option('--gpus <count>', 'whole devices')
    .option('--gpu <model>', 'only devices of this model; repeatable', collect)
    .option('--gpu-memory <quantity>', 'memory of one device that other tasks use too, for example 20Gi')
    .option('--mig <profile>', 'a MIG instance, for example 1g.10gb')
    .option('--cpus <number>', 'CPUs; a whole number reserves cores, a fraction is a limit')
    .option('-m, --memory <quantity>', 'memory, for example 64Gi (default: no limit)')
    .option('--shm-size <quantity>', 'size of /dev/shm')
    .option('--replicas <count>', 'containers that start together or not at all')
    .option('--array <indices>', 'one task for each index, for example 0-31 or 1,5,9')
    .option('--priority <name>', 'low, normal, high, or a priority of runner.yaml')
    .option('--tenant <name>', 'tenant of runner.yaml')
    .option('--name <name>', 'name of the task')
    .option('--after <task>', 'start only when this task or array has succeeded; repeatable', collect)
    .option('--retries <count>', 'how many times to try again after a failure')
    .option(
      '--retry-on <classes>',
      'program, oom, timeout, device, image, engine, lost; infra or any (default: all but oom and timeout)',
    )
    .option(
      '--timeout <duration>',
      'time limit, for example 12h; tasks with one may start before larger ones that wait',
    )
    .option('--preemptible', 'may be stopped for tasks of higher priority, and is queued again')
    .option('--grace-period <seconds>', 'from SIGTERM to SIGKILL (default: 10)')
    .option('-v, --volume <volume>', 'SOURCE:/TARGET[:ro]; repeatable', collect)
    .option('-e, --env <variable>', 'NAME=value, or NAME of this environment; repeatable', collect)
    .option('-w, --workdir <path>', 'working directory in the container')
    .option('-u, --user <user>', 'user in the container')
    .option('--network <network>', 'network of the container')
    .option('--entrypoint <program>', 'entrypoint instead of that of the image')
    .option('--read-only', 'read-only root file system')
    .option('-d, --detach', 'print the id and return')
    .option('--dry-run', 'print where it would start, or why it would wait, and do not queue it')
    .addOption(format())
    .action(async (image: string, words: string[], flags: RunModule.RunFlags) => {
      const { runCommand } = load('./run-command') as typeof RunModule;
      finish(await runCommand(image, words, { ...flags, ...socket() }, terminal));
    });

  docker
    .command('list')
    .alias('ps')
    .summary('list tasks')
    .option('-a, --all', 'also tasks that have ended')
    .option('--tenant <name>', 'tasks of this tenant')
    .option('--limit <count>', 'at most this many, the latest (default: 100)')
    .addOption(format())
    .action(async (flags: QueryModule.ListFlags) =>
      finish(await query().listCommand({ ...flags, ...socket() }, terminal)),
    );
  docker
    .command('queue')
    .summary('list waiting tasks with the reason why they wait')
    .option('--limit <count>', 'at most this many (default: 20)')
    .addOption(format())
    .action(async (flags: QueryModule.ListFlags) =>
      finish(await query().queueCommand({ ...flags, ...socket() }, terminal)),
    );
  docker
    .command('top')
    .summary('list devices and what runs on them')
    .addOption(format())
    .action(async (flags: QueryModule.ListFlags) =>
      finish(await query().topCommand({ ...flags, ...socket() }, terminal)),
    );
  docker
    .command('show')
    .summary('show a task')
    .argument('<task>', 'id or name')
    .addOption(format())
    .action(async (task: string, flags: QueryModule.ListFlags) =>
      finish(await query().showCommand(task, { ...flags, ...socket() }, terminal)),
    );
  docker
    .command('plan')
    .summary('show why a task waits, until when, and what would help')
    .argument('<task>', 'id or name')
    .addOption(format())
    .action(async (task: string, flags: QueryModule.ListFlags) =>
      finish(await query().planCommand(task, { ...flags, ...socket() }, terminal)),
    );
  docker
    .command('logs')
    .summary('print the output of a task')
    .argument('<task>', 'id or name')
    .option('-f, --follow', 'follow the output until the task ends')
    .option('-t, --timestamps', 'with the time of each line')
    .option('--replica <index>', 'container of a task with --replicas (default: 0)')
    .option('--attempt <number>', 'an earlier attempt (default: the last)')
    .action(async (task: string, flags: QueryModule.LogsFlags) =>
      finish(await query().logsCommand(task, { ...flags, ...socket() }, terminal)),
    );
  docker
    .command('export')
    .summary('print a task as a workload for a cluster')
    .argument('<task>', 'id or name')
    .addOption(
      new Option('--as <kind>', 'kind of the workload').choices(['job', 'pytorchjob', 'jobset']).default('job'),
    )
    .action(async (task: string, flags: ExportModule.ExportFlags) => {
      const { exportCommand } = load('./export-command') as typeof ExportModule;
      finish(await exportCommand(task, { ...flags, ...socket() }, terminal));
    });
  docker
    .command('cancel')
    .summary('cancel tasks')
    .argument('<tasks...>', 'ids or names; the id of an array cancels all of its tasks')
    .addOption(format())
    .action(async (tasks: string[], flags: QueryModule.ListFlags) =>
      finish(await query().cancelCommand(tasks, { ...flags, ...socket() }, terminal)),
    );
  docker
    .command('wait')
    .summary('wait until tasks have ended')
    .argument('<tasks...>', 'ids or names')
    .addOption(format())
    .action(async (tasks: string[], flags: QueryModule.ListFlags) =>
      finish(await query().waitCommand(tasks, { ...flags, ...socket() }, terminal)),
    );
  for (const word of ['drain', 'resume'] as const) {
    docker
      .command(word)
      .summary(word === 'drain' ? 'start nothing more on a device' : 'use a drained device again')
      .argument('<device>', 'index or name of the device')
      .addOption(format())
      .action(async (device: string, flags: QueryModule.ListFlags) =>
        finish(await query().drainCommand(device, word === 'drain', { ...flags, ...socket() }, terminal)),
      );
  }
  for (const command of docker.commands) {
    command.copyInheritedSettings(program);
  }
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
