/**
 * How containers are, as the engine says when it is asked, taken into the ledger; and the end of containers: no process of theirs is left, their output is
 * kept, and they are removed.
 */
import { allOf } from '../../../facts/words';
import { type ContainerState } from '../engine/answers';
import { EngineError } from '../engine/engine-error';
import { isActive, type Member, type Task } from '../task/task';
import { type End, isFollowed, observed } from './observed';
import { cleaning, type Parts } from './parts';

export class Settler {
  /** Containers that are asked about, and whether to ask again. */
  private readonly settling = new Map<string, boolean>();

  constructor(private readonly parts: Parts) {}

  /** Asks how a container is, and takes it into the ledger. @param said the exit code that an event reported */
  async settle(id: string, member: number, container: string, said?: number): Promise<void> {
    if (this.settling.has(container)) {
      this.settling.set(container, true);
      return;
    }
    try {
      do {
        this.settling.set(container, false);
        await this.settled(id, member, container, said);
      } while (this.settling.get(container) === true);
    } finally {
      this.settling.delete(container);
    }
  }

  private async settled(id: string, index: number, container: string, said: number | undefined): Promise<void> {
    const { ledger, options, link, deadlines } = this.parts;
    const found = await options.engine.inspect(container);
    const task = this.current(id, index, container);
    if (task === undefined) {
      return;
    }
    const isKnown =
      isFollowed(found) || link.hasWitnessed(container) || (await options.engine.remembersCreation(container));
    const outage = link.outage(!isKnown);
    const observation = observed(found, {
      now: options.clock.now(),
      stopping: task.state === 'stopping',
      ...(outage === undefined ? {} : { outage }),
      ...(said === undefined ? {} : { said }),
    });
    if (observation.kind === 'running' && ledger.holds(id, index, container)) {
      link.witness(container);
      const after = ledger.note(id, { kind: 'started', member: index, at: observation.at });
      if (after?.state === 'running') {
        deadlines.begin(after);
      }
    } else if (observation.kind === 'ended' && (isKnown || this.isGone(task, task.members[index], hasEnded(found)))) {
      const now = this.current(id, index, container);
      if (now !== undefined) {
        this.exited(now, index, observation);
        if (found !== undefined) {
          this.clean(id, now.attempt, index, container);
        }
      }
    }
  }

  private current(id: string, member: number, container: string): Task | undefined {
    const { ledger } = this.parts;
    return ledger.holds(id, member, container) ? ledger.get(id) : undefined;
  }

  /**
   * Whether no process of the container is left. One that the engine does not know of is ended, and the task holds its devices until then. Where processes
   * cannot be seen, the devices are quarantined.
   *
   * @param isRecorded the engine has recorded the end of the container. @default - it does not know that it was started
   */
  isGone({ id }: Pick<Task, 'id'>, { container = '', deviceIds }: Member, isRecorded = false): boolean {
    const { options, outOfService } = this.parts;
    const pids = options.processes.of(container);
    const name = container.slice(0, 12);
    if (pids === undefined && !isRecorded) {
      const reason = `the engine was restarted while it started container ${name} of task ${id}, so a process may be left; end it, then resume the device`;
      outOfService.quarantine(deviceIds, reason);
      options.log(`quarantined ${deviceIds.join(', ') || 'no device'}: ${reason}`);
    }
    if (pids === undefined || pids.length === 0) {
      outOfService.release(container);
      return true;
    }
    const reason = `${pids.length === 1 ? 'process' : 'processes'} ${allOf(pids.map(String))} of container ${name} of task ${id} ${pids.length === 1 ? 'runs' : 'run'}, unknown to the engine`;
    if (outOfService.hold(container, deviceIds, reason)) {
      options.log(`${reason}; ending ${pids.length === 1 ? 'it' : 'them'}`);
    }
    pids.forEach((pid) => options.processes.kill(pid));
    this.parts.lookAgain();
    return false;
  }

  exited(task: Task, member: number, end: End): void {
    const { ledger, options, link, deadlines } = this.parts;
    const before = task.members[member];
    if (before?.state === 'created' && end.code !== undefined) {
      ledger.note(task.id, { kind: 'started', member, at: end.at });
    }
    const { container = '' } = before ?? {};
    const wasStopped = link.wasStopped(container);
    const after = ledger.commit(task.id, { ...end, kind: 'exited', member, wasStopped, random: options.random() });
    link.forget(container);
    if (after !== undefined && !isActive(after)) {
      deadlines.end(after);
    }
    this.parts.changed();
  }

  /** Keeps the output of a container that has ended, and removes it, in the background. */
  clean(task: string, attempt: number, member: number, container: string): void {
    const { background, options, output } = this.parts;
    background.once(
      cleaning(container),
      async () => {
        const stream = await options.engine.logs(container, { follow: false });
        await output.keep(task, attempt, member, stream);
        await options.engine.remove(container, true);
      },
      (error) => {
        // Removed by somebody else: there is nothing to keep any more.
        if (!(error instanceof EngineError && error.status === 404)) {
          options.log(`task ${task}: its output was not kept yet: ${(error as Error).message}`);
        }
      },
    );
  }
}

function hasEnded(found: ContainerState | undefined): boolean {
  return found?.State.Status === 'exited' || found?.State.Status === 'dead';
}
