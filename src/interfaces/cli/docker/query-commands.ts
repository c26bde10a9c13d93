/**
 * The commands that ask the runner something, or tell it something about tasks that exist.
 */
import { type PlanAnswer, type TaskAnswer } from '../../../runtime/docker/service/answers';
import { table } from '../table';
import { type Terminal, UsageError, wantsColor } from '../terminal';
import { clientOf, reported, type SocketFlags } from './connection';
import { printOutput } from './output-stream';
import { requestText } from '../../../runtime/docker/service/request-text';
import { ageText, commandText, devicesText, planText, printable, stateText, statusOf } from './task-text';

export interface ListFlags extends SocketFlags {
  readonly format?: 'text' | 'json';
  readonly all?: boolean;
  readonly tenant?: string;
  readonly limit?: string;
}

export interface LogsFlags extends SocketFlags {
  readonly follow?: boolean;
  readonly timestamps?: boolean;
  readonly replica?: string;
  readonly attempt?: string;
}

const OPEN = 'queued,starting,running,stopping';
/** What the runner lists at most. */
const MOST_TASKS = 10_000;
/** Of a table that goes to a file or another program, characters. */
const PIPED_WIDTH = 160;
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled']);

export async function listCommand(flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const tasks = await clientOf(flags, terminal).list({
      limit: limitOf(flags, '100'),
      ...(flags.all === true ? {} : { states: OPEN }),
      ...(flags.tenant === undefined ? {} : { tenant: flags.tenant }),
    });
    if (flags.format === 'json') {
      return json(terminal, tasks);
    }
    if (tasks.length === 0) {
      terminal.out(flags.all === true ? 'No tasks.\n' : 'No open tasks; --all also lists those that have ended.\n');
      return 0;
    }
    taskTable(tasks, terminal);
    return 0;
  });
}

function taskTable(tasks: readonly TaskAnswer[], terminal: Terminal): void {
  const now = Date.now();
  const rows = tasks.map((task) => [
    task.id,
    task.name ?? '-',
    task.tenant,
    stateText(task),
    requestText(task.request, task.replicas),
    devicesText(task),
    ageText(task.submittedAt, now),
    task.startedAt === undefined
      ? '-'
      : ageText(task.startedAt, task.endedAt === undefined ? now : Date.parse(task.endedAt)),
    commandText(task),
  ]);
  const head = ['ID', 'NAME', 'TENANT', 'STATE', 'GPUS', 'ON', 'AGE', 'RAN', 'COMMAND'];
  printTable({ head, rows, optional: [2, 7, 6, 5, 4, 1] }, terminal);
}

export async function queueCommand(flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const tasks = [...(await client.list({ limit: limitOf(flags, '20'), states: 'queued' }))].reverse();
    const plans: (PlanAnswer | undefined)[] = [];
    for (const task of tasks) {
      // One of them may have started in between.
      plans.push(await client.plan(task.id).catch(() => undefined));
    }
    if (flags.format === 'json') {
      return json(
        terminal,
        tasks.map((task, index) => ({ ...task, plan: plans[index] })),
      );
    }
    if (tasks.length === 0) {
      terminal.out('No tasks are waiting.\n');
      return 0;
    }
    const now = Date.now();
    const rows = tasks.map((task, index) => {
      const plan = plans[index];
      const until =
        plan?.startAt === undefined ? '-' : `in ${ageText(new Date(now).toISOString(), Date.parse(plan.startAt))}`;
      const why = plan === undefined ? 'starts' : plan.starts === undefined ? (plan.waits ?? '') : 'starts now';
      return [
        task.id,
        task.tenant,
        task.priority,
        requestText(task.request, task.replicas),
        ageText(task.submittedAt, now),
        until,
        why,
      ];
    });
    const head = ['ID', 'TENANT', 'PRIORITY', 'GPUS', 'AGE', 'EARLIEST', 'WHY IT WAITS'];
    printTable({ head, rows, optional: [1, 2, 4, 3, 5] }, terminal);
    return 0;
  });
}

export async function topCommand(flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const [status, devices] = [await client.status(), await client.devices()];
    if (flags.format === 'json') {
      return json(terminal, { ...status, devices });
    }
    const { host, open, engine, problem, isConnected } = status;
    terminal.out(
      `${host.name}: ${host.devices} devices, ${host.cpus} CPUs, ${Math.floor(host.memoryBytes / 2 ** 30)} GiB; ${open} open tasks; engine ${engine}${isConnected ? '' : ' (not connected)'}\n`,
    );
    if (problem !== undefined) {
      terminal.out(`Problem: ${problem}\n`);
    }
    if (devices.length > 0) {
      const rows = devices.map((device) => [
        String(device.index),
        device.model ?? '-',
        device.memoryMiB === undefined ? '-' : `${Math.round(device.memoryMiB / 1024)} GiB`,
        device.numa === undefined ? '-' : String(device.numa),
        device.fault === undefined ? device.state : `${device.state}: ${device.fault}`,
        device.tasks.join(', ') || '-',
        device.id,
      ]);
      const head = ['GPU', 'MODEL', 'MEMORY', 'NUMA', 'STATE', 'TASKS', 'NAME'];
      printTable({ head, rows, optional: [3, 2, 6, 1] }, terminal);
    }
    return 0;
  });
}

export async function showCommand(name: string, flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const tasks = await client.show(name);
    if (flags.format === 'json') {
      return json(terminal, tasks);
    }
    if (tasks.length > 1) {
      taskTable(tasks, terminal);
      return 0;
    }
    const [task] = tasks;
    const lines: (readonly [string, string | undefined])[] = [
      ['Task', task.name === undefined ? task.id : `${task.id} (${task.name})`],
      ['State', stateText(task)],
      ['Reason', task.failure?.message],
      ['Tenant', `${task.tenant}, priority ${task.priority}`],
      ['Command', commandText(task)],
      ['Devices', requestText(task.request, task.replicas)],
      ['Submitted', task.submittedAt],
      ['Started', task.startedAt],
      ['Ended', task.endedAt],
      ['Tries again', task.state === 'queued' ? task.notBefore : undefined],
      ['Attempts', `${task.attempt}, ${task.failures} failed, preempted ${task.preemptions} times`],
      ...task.containers.map(({ index, state, id, devices, cpus }) => {
        const where = [devices.join(', ') || 'no devices', cpus.length === 0 ? '' : `CPUs ${cpus.join(',')}`].filter(
          (text) => text !== '',
        );
        return [
          `Container ${index}`,
          `${state}${id === undefined ? '' : ` ${id.slice(0, 12)}`}; ${where.join('; ')}`,
        ] as const;
      }),
    ];
    for (const [title, text] of lines) {
      terminal.out(text === undefined ? '' : `${`${title}:`.padEnd(13)} ${printable(text)}\n`);
    }
    if (task.state === 'queued') {
      terminal.out(planText(await client.plan(task.id)));
    }
    return 0;
  });
}

export async function planCommand(name: string, flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const plan = await clientOf(flags, terminal).plan(name);
    if (flags.format === 'json') {
      return json(terminal, plan);
    }
    terminal.out(planText(plan));
    return 0;
  });
}

export async function logsCommand(name: string, flags: LogsFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const query = {
      ...(flags.follow === true ? { follow: '1' } : {}),
      ...(flags.replica === undefined ? {} : { replica: flags.replica }),
      ...(flags.attempt === undefined ? {} : { attempt: flags.attempt }),
    };
    await printOutput(await client.logs(name, query), flags.timestamps === true, terminal);
    return 0;
  });
}

export async function cancelCommand(names: readonly string[], flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const tasks: TaskAnswer[] = [];
    for (const name of names) {
      tasks.push(...(await client.cancel(name)));
    }
    if (flags.format === 'json') {
      return json(terminal, tasks);
    }
    tasks.forEach((task) => terminal.out(`${task.id} ${stateText(task)}\n`));
    return 0;
  });
}

/** The status is that of the first task that did not succeed. */
export async function waitCommand(names: readonly string[], flags: ListFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const tasks: TaskAnswer[] = [];
    for (const name of names) {
      let found = await client.wait(name);
      while (!found.every(({ state }) => ENDED.has(state))) {
        found = await client.wait(name);
      }
      tasks.push(...found);
    }
    if (flags.format === 'json') {
      json(terminal, tasks);
    } else {
      tasks.forEach((task) => terminal.out(`${task.id} ${stateText(task)}\n`));
    }
    return tasks.map(statusOf).find((status) => status !== 0) ?? 0;
  });
}

export async function drainCommand(
  device: string,
  drained: boolean,
  flags: ListFlags,
  terminal: Terminal,
): Promise<number> {
  return reported(async () => {
    if (device === '') {
      throw new UsageError('device: must not be empty');
    }
    const devices = await clientOf(flags, terminal).drain(device, drained);
    if (flags.format === 'json') {
      return json(terminal, devices);
    }
    const one = devices.find(({ id, index }) => id === device || String(index) === device);
    const rest = one === undefined || one.tasks.length === 0 ? '' : `; still on it: ${one.tasks.join(', ')}`;
    terminal.out(`${device} ${one?.state ?? 'unknown'}${rest}\n`);
    return 0;
  });
}

function limitOf({ limit = '' }: ListFlags, usual: string): string {
  if (limit !== '' && !(/^[1-9]\d{0,4}$/.test(limit) && Number(limit) <= MOST_TASKS)) {
    throw new UsageError(`--limit ${limit}: must be a whole number from 1 to ${MOST_TASKS}`);
  }
  return limit === '' ? usual : limit;
}

interface Sheet {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that a narrow terminal goes without, in this order. */
  readonly optional: readonly number[];
}

function printTable({ head, rows, optional }: Sheet, terminal: Terminal): void {
  const width = terminal.columns ?? PIPED_WIDTH;
  const cells = rows.map((row) => row.map(printable));
  terminal.out(table(head, cells, { color: wantsColor(terminal, undefined), width, whole: [0], optional }));
}

function json(terminal: Terminal, value: unknown): number {
  terminal.out(`${JSON.stringify(value, undefined, 2)}\n`);
  return 0;
}
