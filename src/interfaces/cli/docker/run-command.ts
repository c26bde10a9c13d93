/**
 * `gantry docker run`: submits a task, and follows it.
 */
import { type TaskAnswer } from '../../../runtime/docker/service/answers';
import { type RunnerClient } from '../../../runtime/docker/service/client';
import { RunnerError } from '../../../runtime/docker/runner-error';
import { type Terminal, UsageError } from '../terminal';
import { clientOf, reported, type SocketFlags } from './connection';
import { printOutput } from './output-stream';
import { inOptions, requestOf, type TaskFlags } from './request-of-flags';
import { planText, stateText, statusOf } from './task-text';

export interface RunFlags extends TaskFlags, SocketFlags {
  readonly detach?: boolean;
  readonly dryRun?: boolean;
  readonly format?: 'text' | 'json';
}

/** As a shell has it for a program that SIGINT ended. */
const INTERRUPTED = 130;

export async function runCommand(
  image: string,
  command: readonly string[],
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  return reported(async () => {
    const client = clientOf(flags, terminal);
    const request = requestOf(image, command, flags, terminal);
    if (flags.dryRun === true) {
      const plan = await asked(client.planned(request));
      terminal.out(flags.format === 'json' ? `${JSON.stringify(plan, undefined, 2)}\n` : planText(plan));
      return 0;
    }
    const tasks = await asked(client.submit(request));
    if (flags.format === 'json') {
      terminal.out(`${JSON.stringify(tasks, undefined, 2)}\n`);
    }
    if (flags.detach === true || flags.format === 'json' || tasks.length > 1) {
      if (flags.format !== 'json') {
        terminal.out(`${tasks[0].array ?? tasks[0].id}\n`);
      }
      return 0;
    }
    return follow(client, tasks[0], terminal);
  });
}

/** @throws UsageError with the option that the runner refuses */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RunnerError && error.code === 'invalid' ? new UsageError(inOptions(error.line)) : error;
  }
}

/** Prints the output of every attempt until the task ends. */
async function follow(client: RunnerClient, first: TaskAnswer, terminal: Terminal): Promise<number> {
  const { id } = first;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  try {
    const plan = await client.plan(id).catch(() => undefined);
    if (plan?.waits !== undefined) {
      terminal.err(
        `task ${id} waits: ${plan.waits}${plan.startAt === undefined ? '' : `; earliest start ${plan.startAt}`}\n`,
      );
    }
    for (let after = 0; ;) {
      const answer = await client.logs(id, { follow: '1', after: String(after) }, interrupted.signal);
      await printOutput(answer, false, terminal);
      const attempt = Number(answer.headers['gantry-attempt'] ?? after);
      const [task] = await client.show(id);
      if (attempt === after || task.endedAt !== undefined) {
        return ended(task, terminal);
      }
      after = attempt;
    }
  } catch (error) {
    if (interrupted.signal.aborted) {
      terminal.err(
        `\ntask ${id} keeps running. Follow it: gantry docker logs -f ${id}    End it: gantry docker cancel ${id}\n`,
      );
      return INTERRUPTED;
    }
    throw error;
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

function ended(task: TaskAnswer, terminal: Terminal): number {
  if (task.state !== 'succeeded') {
    const why = task.failure === undefined ? '' : `: ${task.failure.message}`;
    terminal.err(`task ${task.id} ${stateText(task)}${why}\n`);
  }
  return statusOf(task);
}
