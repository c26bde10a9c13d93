/**
 * Brings the ledger in line with everything that the engine has: at the start, after each break of the connection, and every few seconds.
 */
import { isActive, isEnded, type Task } from '../task/task';
import { type Failure } from '../task/failure';
import { taskOfLabels } from './adopt';
import { LABELS } from './container-spec';
import { foreignDevices } from './foreign';
import { type Launcher } from './launcher';
import { disposalOf } from './observed';
import { own } from './ownership';
import { cleaning, launching, type Parts } from './parts';
import { type Settler } from './settler';

/** Milliseconds from one comparison to the next. */
export const RESYNC = 10_000;

export class Reconciler {
  private running: Promise<void> | undefined;
  private foreignIds: ReadonlySet<string> = new Set();

  constructor(
    private readonly parts: Parts,
    private readonly settler: Settler,
    private readonly launcher: Launcher,
  ) {}

  /** Stable names of the devices that containers of others hold. */
  get foreign(): ReadonlySet<string> {
    return this.foreignIds;
  }

  /** One comparison at a time. */
  resync(): Promise<void> {
    this.running ??= this.resynced().finally(() => (this.running = undefined));
    return this.running;
  }

  private async resynced(): Promise<void> {
    const { options, ledger, background, link } = this.parts;
    const { engine, store, configuration } = options;
    if (link.isLost) {
      // It may be another engine than before.
      await own(engine, { runner: store.runner, folder: configuration.state });
      link.found(RESYNC);
    }
    const [containers, all] = await Promise.all([
      engine.containers(`${LABELS.runner}=${store.runner}`),
      engine.containers(),
    ]);
    this.foreignIds = await foreignDevices(engine, all, options.inventory());
    for (const { Id, Labels, State } of containers) {
      await this.known(Id, Labels, State);
    }
    for (const task of ledger.active) {
      if (!background.has(launching(task.id))) {
        await this.compare(task);
      }
    }
    if (link.regained()) {
      options.log(`connected to ${engine.name} again`);
    }
    this.parts.changed();
  }

  /** A container that carries the runner's label: is it what the ledger says? */
  private async known(container: string, labels: Readonly<Record<string, string>>, state: string): Promise<void> {
    const { options, background, ledger } = this.parts;
    const id = labels[LABELS.task] ?? '';
    const attempt = Number(labels[LABELS.attempt]);
    const member = Number(labels[LABELS.member]);
    if (background.has(launching(id)) || background.has(cleaning(container))) {
      return;
    }
    const task = ledger.find(id);
    switch (disposalOf({ container, attempt, member, state }, task)) {
      case 'leave':
        return;
      case 'clean':
        this.settler.clean(id, attempt, member, container);
        return;
      case 'remove':
        await this.removeUnstarted(container, labels);
        return;
      case 'remove-and-enter':
        if (await this.removeUnstarted(container, labels)) {
          this.adopt(labels, undefined);
        }
        return;
      case 'enter':
        this.adopt(labels, container);
        return;
      case 'stop':
        options.log(
          `container ${container.slice(0, 12)} of task ${id} belongs to an attempt that has ended; the container is stopped`,
        );
        await options.engine.stop(container, task?.spec.graceSeconds ?? 0);
    }
  }

  /** @returns whether it was: not while a process of it runs that the engine does not know of */
  private async removeUnstarted(container: string, labels: Readonly<Record<string, string>>): Promise<boolean> {
    const { engine } = this.parts.options;
    const member = taskOfLabels(labels, container, undefined)?.members[Number(labels[LABELS.member])];
    const isCertain = member === undefined || (await engine.remembersCreation(container));
    if (!isCertain && !this.settler.isGone({ id: labels[LABELS.task] ?? '?' }, member)) {
      return false;
    }
    await engine.remove(container);
    return true;
  }

  /** Enters a task that is known only from the labels of its container. */
  private adopt(labels: Readonly<Record<string, string>>, container: string | undefined): void {
    const { options, ledger } = this.parts;
    const task = taskOfLabels(labels, container, ledger.find(labels[LABELS.task] ?? ''));
    if (task === undefined || isEnded(task)) {
      options.log(
        `a container with the labels of task ${labels[LABELS.task] ?? '?'} has invalid labels, and is ignored`,
      );
      return;
    }
    options.store.reserve(task.sequence);
    ledger.restore(task);
    options.log(`task ${task.id} was restored from the labels of its container`);
  }

  private async compare(task: Task): Promise<void> {
    if (task.members.every(({ state }) => state === 'planned')) {
      this.launcher.withdraw(task);
      return;
    }
    for (const { index, state, container } of task.members) {
      if (container !== undefined && state !== 'exited') {
        await this.settler.settle(task.id, index, container);
      }
    }
    for (const { index, state } of task.members) {
      if (state === 'planned') {
        const failure: Failure = { class: 'lost', message: 'its container does not exist' };
        this.settler.exited(task, index, { at: this.parts.options.clock.now(), failure });
      }
    }
    await this.beginAgain(task.id);
  }

  /**
   * Starts containers whose start was perhaps asked for before. That the engine lists one as created proves that it never ran only while it is the same
   * engine: one that was killed may have started the process and not have written it down.
   */
  private async beginAgain(id: string): Promise<void> {
    const { ledger, options } = this.parts;
    const task = ledger.get(id);
    if (task?.state !== 'starting') {
      return;
    }
    for (const member of task.members) {
      const { index, state, container } = member;
      if (state === 'created' && container !== undefined && !(await options.engine.remembersCreation(container))) {
        if (!this.settler.isGone(task, member)) {
          return;
        }
        const now = ledger.get(id);
        if (now !== undefined && isActive(now) && now.members[index]?.container === container) {
          const message =
            'the engine restarted while the container was starting, so it is unknown whether the program ran';
          this.settler.exited(now, index, { at: options.clock.now(), failure: { class: 'engine', message } });
          this.settler.clean(id, task.attempt, index, container);
        }
      }
    }
    await this.launcher.begin(id);
  }
}
