/**
 * Creates, starts, and stops the containers of tasks, in the background.
 *
 * A container is created under a name that only one attempt has, and started only after the store says durably that it exists. If the store does not
 * say so, the container was never started, and is removed.
 */
import { EngineError } from '../engine/engine-error';
import { RunnerError } from '../runner-error';
import { type Failure, oneLine, startFailure } from '../task/failure';
import { containerName, isActive, type Member, type Task } from '../task/task';
import { containerSpec, LABELS } from './container-spec';
import { isFollowed } from './observed';
import { halting, launching, type Parts } from './parts';
import { type Settler } from './settler';

export class Launcher {
  constructor(
    private readonly parts: Parts,
    private readonly settler: Settler,
  ) {}

  /** Creates and starts the containers of an attempt. */
  launch(task: Task): void {
    this.parts.background.once(launching(task.id), async () => {
      try {
        await this.launched(task);
      } catch (error) {
        this.parts.troubled(error);
      }
      this.parts.changed();
    });
  }

  /** Stops the containers of a task. */
  halt(task: Task): void {
    const { background, link } = this.parts;
    if (!background.has(launching(task.id))) {
      background.once(halting(task.id), () => this.halted(task), link.failed);
    }
  }

  /** Starts the containers that exist and were never started: one that has ended would run twice. */
  async begin(id: string): Promise<void> {
    const { ledger, options, link, deadlines } = this.parts;
    for (const { index, container } of ledger.get(id)?.members ?? []) {
      const found = container === undefined ? undefined : await options.engine.inspect(container);
      if (found?.State.Status !== 'created') {
        continue;
      }
      const task = ledger.get(id);
      const member = task?.members[index];
      if (task?.state !== 'starting' || member?.state !== 'created' || member.container === undefined) {
        continue;
      }
      const failure = await this.started(member.container);
      const at = options.clock.now();
      if (failure === undefined) {
        // Its end may have been settled before the engine answered.
        if (!ledger.holds(id, index, member.container)) {
          continue;
        }
        link.witness(member.container);
        const after = ledger.note(id, { kind: 'started', member: index, at });
        if (after?.state === 'running') {
          deadlines.begin(after);
        }
      } else if (failure !== 'unknown') {
        this.settler.exited(task, index, { at, failure });
        this.settler.clean(task.id, task.attempt, index, member.container);
      }
    }
  }

  /** Gives back the place of an attempt that started nothing. */
  withdraw(task: Task): void {
    if (this.isCurrent(task)) {
      this.parts.ledger.note(task.id, { kind: 'withdraw', at: this.parts.options.clock.now() });
    }
  }

  private async launched(task: Task): Promise<void> {
    const containers: string[] = [];
    for (const member of task.members) {
      const made = await this.made(task, member);
      if (made instanceof Error || typeof made !== 'string') {
        await this.removeAll(containers);
        this.refused(task, made);
        return;
      }
      containers.push(made);
    }
    const { ledger } = this.parts;
    if (!this.isCurrent(task) || ledger.get(task.id)?.state !== 'starting') {
      await this.removeAll(containers);
      this.withdraw(task);
      return;
    }
    try {
      ledger.commit(
        task.id,
        ...containers.map((container, member) => ({ kind: 'created', member, container }) as const),
      );
    } catch (error) {
      // Nothing was started: it can begin again when the store can be written.
      await this.removeAll(containers);
      this.withdraw(task);
      throw error;
    }
    await this.begin(task.id);
  }

  private async started(container: string): Promise<Failure | 'unknown' | undefined> {
    const { options, link } = this.parts;
    try {
      await options.engine.start(container);
      return undefined;
    } catch (error) {
      if (error instanceof EngineError && error.isAnswer) {
        return startFailure(error.message);
      }
      link.failed(error);
      return 'unknown';
    }
  }

  /** The id of a new container, or why there is none. */
  private async made(task: Task, member: Member): Promise<string | Failure | Error> {
    const { engine, inventory, cdi, store, configuration } = this.parts.options;
    const name = containerName(task, member.index);
    const host = { inventory: inventory(), cdi: cdi(), runner: store.runner, lockMemory: configuration.lockMemory };
    const spec = containerSpec(task, member, host);
    for (let tries = 0; ; tries++) {
      try {
        return await engine.create(name, spec);
      } catch (error) {
        if (!(error instanceof EngineError) || !error.isAnswer || tries >= 2) {
          return error instanceof EngineError && error.isAnswer ? startFailure(error.message) : (error as Error);
        }
        if (error.status === 404 && /no such image/i.test(error.message)) {
          const failure = await this.pulled(task.spec.image);
          if (failure !== undefined) {
            return failure;
          }
        } else if (error.status === 409 && /name/i.test(error.message)) {
          // Made by a runner that ended before the store knew of it, so it was never started.
          await this.removeUnstarted(name);
        } else {
          return startFailure(error.message);
        }
      }
    }
  }

  private async pulled(image: string): Promise<Failure | Error | undefined> {
    try {
      await this.parts.options.engine.pull(image);
      return undefined;
    } catch (error) {
      if (error instanceof EngineError) {
        return { class: 'image', message: oneLine(`image ${image}: ${error.message}`) };
      }
      return error as Error;
    }
  }

  /** @throws Error if it was started: then it is not what it is taken for */
  private async removeUnstarted(name: string): Promise<void> {
    const { engine, store } = this.parts.options;
    const found = await engine.inspect(name);
    if (found === undefined) {
      return;
    }
    const isOwn = found.Config?.Labels?.[LABELS.runner] === store.runner;
    if (!isOwn || found.State.Status !== 'created') {
      throw new RunnerError(
        `container ${name} exists, and is ${found.State.Status}`,
        `Remove it: docker rm -f ${name}`,
      );
    }
    await engine.remove(found.Id);
  }

  private async removeAll(containers: readonly string[]): Promise<void> {
    await Promise.allSettled(containers.map((container) => this.parts.options.engine.remove(container, true)));
  }

  /** No container of the attempt was started. */
  private refused(task: Task, problem: Failure | Error): void {
    if (!this.isCurrent(task)) {
      return;
    }
    if (problem instanceof Error) {
      this.withdraw(task);
      this.parts.link.failed(problem);
      return;
    }
    const { ledger, options } = this.parts;
    const at = options.clock.now();
    const random = options.random();
    ledger.commit(
      task.id,
      ...task.members.map(({ index }) => ({ kind: 'exited', member: index, at, failure: problem, random }) as const),
    );
  }

  private isCurrent({ id, attempt }: Task): boolean {
    const now = this.parts.ledger.get(id);
    return now !== undefined && isActive(now) && now.attempt === attempt;
  }

  private async stop({ id, spec }: Task, member: number, container: string): Promise<void> {
    const { options, ledger, link } = this.parts;
    if (isFollowed(await options.engine.inspect(container)) && ledger.holds(id, member, container)) {
      link.stops(container);
    }
    await options.engine.stop(container, spec.graceSeconds);
  }

  private async halted(task: Task): Promise<void> {
    await Promise.all(
      task.members.map(async ({ state, container, index }) => {
        if (container !== undefined && state !== 'exited') {
          await this.stop(task, index, container);
          await this.settler.settle(task.id, index, container);
        }
      }),
    );
    if (task.members.every(({ state }) => state === 'planned')) {
      this.withdraw(task);
    }
  }
}
