/**
 * The runner: carries out what the placement core decides, and follows what the engine reports.
 *
 * What keeps a task from being lost or run twice:
 * - `Launcher`: a container is started only after the store says durably that it exists.
 * - `Settler`: a task ends durably before its container is removed, and not before its processes.
 * - `Reconciler`: an answer that did not come says nothing, so the engine is asked what is there.
 */
import { RunnerError } from '../runner-error';
import { type World } from '../scheduling/question';
import { type Outlook, outlookOf, outlooksOf, type Plan, Scheduling } from '../scheduling/scheduling';
import { newTask, type Task } from '../task/task';
import { admitted } from './admission';
import { Background } from './background';
import { Deadlines } from './deadlines';
import { Dependencies } from './dependencies';
import { EngineLink } from './engine-link';
import { Follower } from './follower';
import { Launcher } from './launcher';
import { Ledger } from './ledger';
import { OutOfService } from './out-of-service';
import { OutputFolder } from './output';
import { own } from './ownership';
import { type Parts } from './parts';
import { Reconciler } from './reconciler';
import { type OutlookOfTask, type RunnerOptions, type RunnerStatus, type Submission } from './runner-types';
import { Settler } from './settler';
import { Waiting } from './waiting';

/** After a store that could not be written, milliseconds. */
const STORE_PAUSE = 2000;
/** While a process is being ended, milliseconds. */
const LOOK_AGAIN = 300;

export class Runner {
  readonly ledger: Ledger;
  readonly output: OutputFolder;
  private readonly parts: Parts;
  private readonly waiting: Waiting;
  private readonly scheduling = new Scheduling();
  private readonly launcher: Launcher;
  private readonly reconciler: Reconciler;
  private readonly follower: Follower;
  private isReady = false;
  private isDue = false;
  private pausedUntil = 0;
  private wakeTimer: NodeJS.Timeout | undefined;
  private lookTimer: NodeJS.Timeout | undefined;
  private problem: string | undefined;

  constructor(private readonly options: RunnerOptions) {
    const { store, configuration, clock, log } = options;
    const troubled = (error: unknown): void => this.troubled(error);
    this.ledger = new Ledger(store, configuration.priorities, troubled);
    this.output = new OutputFolder(`${configuration.state}/logs`);
    this.waiting = new Waiting(this.ledger, new Dependencies(this.ledger, store));
    this.parts = {
      options,
      ledger: this.ledger,
      output: this.output,
      deadlines: new Deadlines(clock),
      background: new Background(troubled),
      link: new EngineLink(clock, log, troubled),
      outOfService: new OutOfService(store),
      changed: () => this.changed(),
      troubled,
      lookAgain: () => this.lookAgain(),
    };
    const settler = new Settler(this.parts);
    this.launcher = new Launcher(this.parts, settler);
    this.reconciler = new Reconciler(this.parts, settler, this.launcher);
    this.follower = new Follower(this.parts, settler, this.reconciler);
  }

  /**
   * Takes the engine, brings the store and the engine in line, and begins to decide.
   *
   * @throws RunnerError if the engine belongs to another runner, EngineError if it does not answer
   */
  async start(): Promise<void> {
    const { engine, store, configuration } = this.options;
    await own(engine, { runner: store.runner, folder: configuration.state });
    await this.reconciler.resync();
    this.isReady = true;
    this.parts.background.run(this.follower.follow());
    this.changed();
  }

  /** Ends the runner; containers go on. */
  async stop(): Promise<void> {
    this.isReady = false;
    clearTimeout(this.wakeTimer);
    clearTimeout(this.lookTimer);
    await this.parts.background.end();
    this.ledger.flush();
  }

  /** @throws RunnerError if the submission is not valid, or the store cannot be written; nothing is submitted then */
  submit({ spec: submitted, array }: Submission): readonly Task[] {
    const spec = admitted(submitted, { ...this.options, ledger: this.ledger });
    const { store, clock } = this.options;
    const submittedAt = clock.now();
    const first = store.nextSequence();
    const base = String(first);
    const tasks =
      array === undefined
        ? [newTask(base, first, submittedAt, spec)]
        : array.map((index, place) => ({
            ...newTask(`${base}-${index}`, place === 0 ? first : store.nextSequence(), submittedAt, spec),
            array: { id: base, index },
          }));
    this.ledger.add(tasks);
    this.changed();
    return tasks;
  }

  /** Cancels a task, or all elements of an array. @returns the tasks afterwards */
  cancel(ids: readonly string[]): readonly Task[] {
    const at = this.options.clock.now();
    const tasks = ids.flatMap((id) => this.ledger.commit(id, { kind: 'cancel', at }) ?? this.ledger.find(id) ?? []);
    this.changed();
    return tasks;
  }

  /** Takes a device out of service, or puts it in service again after a drain or a quarantine. */
  drain(device: string, drained: boolean): void {
    if (!this.options.inventory().devices.some(({ id }) => id === device)) {
      throw new RunnerError(`device ${JSON.stringify(device)}: not found`, undefined, 'not-found');
    }
    const { outOfService } = this.parts;
    if (drained) {
      outOfService.drain(device);
    } else {
      outOfService.resume(device);
    }
    this.changed();
  }

  /** Takes a device out of service until an administrator resumes it. */
  quarantine(device: string, reason: string): void {
    this.options.log(`quarantined ${device}: ${reason}`);
    this.parts.outOfService.quarantine([device], reason);
    this.changed();
  }

  /** Tasks that a name means: a task, or the elements of an array, by id or name. */
  named(name: string): readonly Task[] {
    const one = this.ledger.find(name);
    if (one !== undefined) {
      return [one];
    }
    const elements = this.options.store.elements(name);
    const byName = elements.length > 0 ? undefined : this.options.store.named(name);
    const listed =
      byName === undefined
        ? elements
        : byName.array === undefined
          ? [byName]
          : this.options.store.elements(byName.array.id);
    return listed.map((task) => this.ledger.get(task.id) ?? task);
  }

  /** Where a task would start, or why it waits. */
  outlook(task: Task): OutlookOfTask {
    const held = this.waiting.whyHeld(task, this.options.clock.now());
    if (held !== undefined) {
      return { held };
    }
    const world = this.world();
    const waiting = world.waiting.some(({ id }) => id === task.id) ? world.waiting : [...world.waiting, task];
    const outlook = outlookOf({ ...world, waiting }, task);
    return this.outlookOfTask(task, outlook);
  }

  /** The outlooks of waiting tasks, by one decision, in their order. */
  outlooks(tasks: readonly Task[]): readonly OutlookOfTask[] {
    const world = this.world();
    const held = tasks.map((task) => this.waiting.whyHeld(task, world.now));
    const free = tasks.filter((_, index) => held[index] === undefined);
    const found =
      free.length === 0
        ? undefined
        : outlooksOf(
            world,
            free.map(({ id }) => id),
          );
    return tasks.map((task, index) => {
      const reason = held[index];
      return reason === undefined ? this.outlookOfTask(task, found!.get(task.id)!) : { held: reason };
    });
  }

  private outlookOfTask({ spec }: Task, outlook: Outlook): OutlookOfTask {
    const { inventory, configuration } = this.options;
    return { outlook, spec, inventory: inventory(), reserved: configuration.reserved };
  }

  /** The outlook of a task that is not submitted. */
  plan({ spec: planned }: Submission): OutlookOfTask {
    const spec = admitted(planned, { ...this.options, ledger: this.ledger });
    return this.outlook(newTask('planned', Number.MAX_SAFE_INTEGER, this.options.clock.now(), spec));
  }

  status(): RunnerStatus {
    const { link, outOfService } = this.parts;
    return {
      engine: this.options.engine.name,
      isConnected: !link.isLost,
      open: this.ledger.size,
      ...(this.problem === undefined ? {} : { problem: this.problem }),
      inventory: this.options.inventory(),
      drained: [...outOfService.drained].sort(),
      quarantined: outOfService.quarantined,
      foreign: [...this.reconciler.foreign].sort(),
    };
  }

  /** Something happened that a decision may depend on. */
  changed(): void {
    if (!this.isDue && !this.parts.background.signal.aborted) {
      this.isDue = true;
      setImmediate(() => {
        this.isDue = false;
        this.turn();
      });
    }
  }

  private world(): World {
    const { configuration, inventory, clock } = this.options;
    const now = clock.now();
    return {
      now,
      inventory: inventory(),
      reserved: configuration.reserved,
      tenants: configuration.tenants,
      priorities: configuration.priorities,
      active: this.ledger.active,
      waiting: this.waiting.ready(now),
      foreign: this.reconciler.foreign,
      outOfService: this.parts.outOfService.all,
    };
  }

  /** One turn: what is due by time, then what the core decides. Every change is in the ledger when it returns. */
  private turn(): void {
    const { clock } = this.options;
    if (!this.isReady || this.parts.link.isLost) {
      return;
    }
    if (clock.monotonic() < this.pausedUntil) {
      this.wakeIn(this.pausedUntil - clock.monotonic());
      return;
    }
    try {
      this.waiting.giveUp(clock.now());
      this.stopOverdue();
      this.stopWithoutDevice();
      this.carryOut(this.scheduling.decide(this.world()));
      this.problem = undefined;
    } catch (error) {
      this.troubled(error);
    }
    for (const task of this.ledger.active) {
      if (task.state === 'stopping') {
        this.launcher.halt(task);
      }
    }
    this.wakeIn(this.nextDue());
  }

  private stopOverdue(): void {
    const at = this.options.clock.now();
    for (const task of this.ledger.active) {
      if (task.state === 'running' && this.parts.deadlines.isOver(task)) {
        this.ledger.commit(task.id, { kind: 'stop', reason: 'timeout', at });
      }
    }
  }

  /** What ran on a lost device cannot go on; another attempt gets another device. */
  private stopWithoutDevice(): void {
    const { devices } = this.options.inventory();
    const lost = new Map(devices.flatMap(({ id, fault, isLost }) => (isLost === true ? [[id, fault ?? '']] : [])));
    const at = this.options.clock.now();
    for (const task of lost.size === 0 ? [] : this.ledger.active) {
      const id = task.members.flatMap(({ deviceIds }) => deviceIds).find((device) => lost.has(device));
      if (id !== undefined && task.state !== 'stopping') {
        this.ledger.commit(task.id, { kind: 'stop', reason: 'device', at, message: `device ${id}: ${lost.get(id)}` });
      }
    }
  }

  private nextDue(): number {
    const running = this.ledger.active.filter(({ state }) => state === 'running');
    return Math.min(
      this.waiting.nextDue(this.options.clock.now()),
      ...running.map((task) => this.parts.deadlines.restMilliseconds(task)),
    );
  }

  private wakeIn(milliseconds: number): void {
    clearTimeout(this.wakeTimer);
    if (milliseconds < Infinity && !this.parts.background.signal.aborted) {
      this.wakeTimer = setTimeout(() => this.changed(), Math.min(Math.max(1, milliseconds), 3_600_000));
    }
  }

  private lookAgain(): void {
    const { background, link } = this.parts;
    clearTimeout(this.lookTimer);
    if (!background.signal.aborted) {
      this.lookTimer = setTimeout(() => background.run(this.reconciler.resync(), link.failed), LOOK_AGAIN);
    }
  }

  private carryOut({ starts, stops }: Plan): void {
    const at = this.options.clock.now();
    for (const { task, beneficiary } of stops) {
      const message = beneficiary === undefined ? 'stopped for other tasks' : `stopped for task ${beneficiary}`;
      this.ledger.commit(task.id, { kind: 'stop', reason: 'preempt', at, message });
    }
    for (const { task, placements } of starts) {
      const placed = this.ledger.note(task.id, { kind: 'place', at, placements });
      if (placed?.state === 'starting') {
        this.launcher.launch(placed);
      }
    }
  }

  private troubled(error: unknown): void {
    const text = error instanceof RunnerError ? error.line : error instanceof Error ? error.message : String(error);
    if (this.problem !== text) {
      this.options.log(text);
    }
    this.problem = text;
    this.pausedUntil = this.options.clock.monotonic() + STORE_PAUSE;
    this.wakeIn(STORE_PAUSE);
  }
}
