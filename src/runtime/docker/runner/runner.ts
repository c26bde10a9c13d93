/**
 * The runner: carries out what the placement core decides, and follows what the engine reports.
 *
 * What keeps a task from being lost or run twice:
 * - A container is created under a name that only one attempt has, and started only after the store says durably that it exists. If the store does
 *   not say so, the container was never started, and is removed.
 * - A task ends durably before its container is removed. Until then the engine can be asked again.
 * - An answer that did not come says nothing: the engine is asked what is there.
 */
import { EngineError } from '../engine/engine';
import { type OutlookOfTask, type RunnerOptions, type RunnerStatus, type Submission } from './runner-types';
import { RunnerError } from '../runner-error';
import { outlookOf, type Plan, Scheduling } from '../scheduling/scheduling';
import { type World } from '../scheduling/question';
import { containerName, isActive, isEnded, type Member, type Task } from '../task/task';
import { type Failure, oneLine, startFailure } from '../task/failure';
import { Ledger } from './ledger';
import { Dependencies } from './dependencies';
import { containerSpec, LABELS } from './container-spec';
import { OutputFolder } from './output';
import { foreignDevices } from './foreign';
import { taskOfLabels } from './adopt';
import { disposalOf, type End, observed } from './observed';
import { own } from './ownership';
import { Deadlines } from './deadlines';
import { BACKOFF } from '../task/failure';

/** Tasks of a tenant that one decision considers. Those behind them wait for these. */
const CONSIDERED = 200;
/** Milliseconds from one look at everything that the engine has to the next. */
const RESYNC = 10_000;
const RECONNECT = { first: 200, most: 5000 } as const;
/** After a store that could not be written, milliseconds. */
const STORE_PAUSE = 2000;

export class Runner {
  readonly ledger: Ledger;
  readonly output: OutputFolder;
  private readonly dependencies: Dependencies;
  private readonly scheduling = new Scheduling();
  private readonly ended = new AbortController();
  private readonly deadlines: Deadlines;
  private readonly launching = new Set<string>();
  private readonly halting = new Set<string>();
  /** Containers that are asked about, and whether to ask again. */
  private readonly settling = new Map<string, boolean>();
  private readonly cleaning = new Set<string>();
  private readonly background = new Set<Promise<void>>();
  private foreign: ReadonlySet<string> = new Set();
  private drained: Set<string>;
  private isReady = false;
  private isDue = false;
  private pausedUntil = 0;
  private wakeTimer: NodeJS.Timeout | undefined;
  private resyncing: Promise<void> | undefined;
  private engineLostAt: number | undefined;
  /** When the engine was last away: from when it was last seen until it answered again. */
  private outage: { readonly from: number; readonly to: number } | undefined;
  private problem: string | undefined;

  constructor(private readonly options: RunnerOptions) {
    const { store, configuration, clock } = options;
    this.ledger = new Ledger(store, configuration.priorities, (error) => this.troubled(error));
    this.dependencies = new Dependencies(this.ledger, store);
    this.output = new OutputFolder(`${configuration.state}/logs`);
    this.deadlines = new Deadlines(clock);
    this.drained = new Set(JSON.parse(store.meta('drained') ?? '[]') as string[]);
  }

  /**
   * Takes the engine, brings the store and the engine in line, and begins to decide.
   *
   * @throws RunnerError if the engine belongs to another runner, EngineError if it does not answer
   */
  async start(): Promise<void> {
    const { engine, store, configuration } = this.options;
    await own(engine, { runner: store.runner, folder: configuration.state });
    await this.resync();
    this.isReady = true;
    this.run(this.follow());
    this.changed();
  }

  /** Ends the runner; containers go on. */
  async stop(): Promise<void> {
    this.isReady = false;
    this.ended.abort();
    clearTimeout(this.wakeTimer);
    await Promise.allSettled([...this.background]);
    this.ledger.flush();
  }

  /** @throws RunnerError if the submission is not valid, or the store cannot be written; nothing is submitted then */
  submit({ spec, array }: Submission): readonly Task[] {
    this.checkSubmission(spec.after, spec.tenant, spec.priority);
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

  drain(device: string, drained: boolean): void {
    const known = this.options.inventory().devices.some(({ id }) => id === device);
    if (!known) {
      throw new RunnerError(`device ${JSON.stringify(device)}: not found`, undefined, 'not-found');
    }
    const set = new Set(this.drained);
    if (drained) {
      set.add(device);
    } else {
      set.delete(device);
    }
    this.options.store.putMeta('drained', JSON.stringify([...set].sort()));
    this.drained = set;
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

  /** Where a task would start, or why it waits. `undefined` for one that does not wait. */
  outlook(task: Task): OutlookOfTask {
    const { clock } = this.options;
    const held = this.whyHeld(task, clock.now());
    if (held !== undefined) {
      return { held };
    }
    const world = this.world();
    const waiting = world.waiting.some(({ id }) => id === task.id) ? world.waiting : [...world.waiting, task];
    const outlook = outlookOf({ ...world, waiting }, task);
    return { outlook, inventory: this.options.inventory(), now: world.now };
  }

  /** The outlook of a task that is not submitted. */
  plan({ spec }: Submission): OutlookOfTask {
    this.checkSubmission(spec.after, spec.tenant, spec.priority);
    return this.outlook(newTask('planned', Number.MAX_SAFE_INTEGER, this.options.clock.now(), spec));
  }

  status(): RunnerStatus {
    return {
      engine: this.options.engine.name,
      isConnected: this.engineLostAt === undefined,
      open: this.ledger.size,
      ...(this.problem === undefined ? {} : { problem: this.problem }),
      inventory: this.options.inventory(),
      drained: [...this.drained].sort(),
      foreign: [...this.foreign].sort(),
    };
  }

  /** Something happened that a decision may depend on. */
  changed(): void {
    if (!this.isDue && !this.ended.signal.aborted) {
      this.isDue = true;
      setImmediate(() => {
        this.isDue = false;
        this.turn();
      });
    }
  }

  private checkSubmission(after: readonly string[], tenant: string, priority: string): void {
    const { configuration } = this.options;
    const unknown = after.find(
      (id) => this.ledger.find(id) === undefined && this.options.store.elements(id).length === 0,
    );
    if (unknown !== undefined) {
      throw new RunnerError(`after: task ${JSON.stringify(unknown)} not found`, undefined, 'invalid');
    }
    if (!configuration.tenants.some(({ name }) => name === tenant)) {
      const names = configuration.tenants.map(({ name }) => name).join(', ');
      throw new RunnerError(`tenant ${JSON.stringify(tenant)}: not found; tenants are ${names}`, undefined, 'invalid');
    }
    if (!configuration.priorities.has(priority)) {
      const names = [...configuration.priorities.keys()].join(', ');
      throw new RunnerError(
        `priority ${JSON.stringify(priority)}: not found; priorities are ${names}`,
        undefined,
        'invalid',
      );
    }
  }

  private whyHeld(task: Task, now: number): string | undefined {
    const dependency = this.dependencies.of(task);
    if (dependency !== 'met') {
      return dependency === 'open'
        ? `waits for ${task.spec.after.join(', ')}`
        : `task ${dependency.failed} did not succeed`;
    }
    return this.restSeconds(task, now) > 0
      ? `waits ${Math.ceil(this.restSeconds(task, now))} s after a failure (${task.failure?.message ?? 'unknown'})`
      : undefined;
  }

  /** Seconds of the wait after a failure. A clock that was set back does not make it longer than it can be. */
  private restSeconds({ notBefore = 0 }: Task, now: number): number {
    const rest = (notBefore - now) / 1000;
    return rest > BACKOFF.most ? 0 : Math.max(0, rest);
  }

  private world(): World {
    const { configuration, inventory, clock } = this.options;
    const now = clock.now();
    const waiting: Task[] = [];
    for (const tenant of this.ledger.queuedTenants) {
      let considered = 0;
      for (const task of this.ledger.queued(tenant)) {
        if (this.restSeconds(task, now) === 0 && this.dependencies.of(task) === 'met') {
          waiting.push(task);
          if (++considered >= CONSIDERED) {
            break;
          }
        }
      }
    }
    return {
      now,
      inventory: inventory(),
      reserved: configuration.reserved,
      tenants: configuration.tenants,
      priorities: configuration.priorities,
      active: this.ledger.active,
      waiting,
      foreign: this.foreign,
      drained: this.drained,
    };
  }

  /** One turn: what is due by time, then what the core decides. Every change is in the ledger when it returns. */
  private turn(): void {
    const { clock } = this.options;
    if (!this.isReady || this.engineLostAt !== undefined) {
      return;
    }
    if (clock.monotonic() < this.pausedUntil) {
      this.wakeIn(this.pausedUntil - clock.monotonic());
      return;
    }
    try {
      this.giveUpWaiting();
      this.stopOverdue();
      this.carryOut(this.scheduling.decide(this.world()));
      this.problem = undefined;
    } catch (error) {
      this.troubled(error);
    }
    for (const task of this.ledger.active) {
      if (task.state === 'stopping') {
        this.halt(task);
      }
    }
    this.wakeIn(this.nextDue());
  }

  /** Tasks that wait for one that did not succeed can never start. */
  private giveUpWaiting(): void {
    const at = this.options.clock.now();
    for (const tenant of this.ledger.queuedTenants) {
      for (const task of [...this.ledger.queued(tenant)]) {
        const dependency = task.spec.after.length === 0 ? 'met' : this.dependencies.of(task);
        if (typeof dependency === 'object') {
          const message = `task ${dependency.failed}, which it waits for, did not succeed`;
          this.ledger.commit(task.id, { kind: 'give-up', at, failure: { class: 'dependency', message } });
        }
      }
    }
  }

  private stopOverdue(): void {
    const at = this.options.clock.now();
    for (const task of this.ledger.active) {
      if (task.state === 'running' && this.deadlines.isOver(task)) {
        this.ledger.commit(task.id, { kind: 'stop', reason: 'timeout', at });
      }
    }
  }

  private nextDue(): number {
    const { clock } = this.options;
    const now = clock.now();
    let due = Infinity;
    for (const task of this.ledger.active) {
      due = Math.min(due, task.state === 'running' ? this.deadlines.restMilliseconds(task) : Infinity);
    }
    for (const tenant of this.ledger.queuedTenants) {
      for (const task of this.ledger.queued(tenant)) {
        const rest = this.restSeconds(task, now) * 1000;
        due = rest > 0 ? Math.min(due, rest) : due;
      }
    }
    return due;
  }

  private wakeIn(milliseconds: number): void {
    clearTimeout(this.wakeTimer);
    if (milliseconds < Infinity && !this.ended.signal.aborted) {
      this.wakeTimer = setTimeout(() => this.changed(), Math.min(Math.max(1, milliseconds), 3_600_000));
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
        this.launch(placed);
      }
    }
  }

  /** Creates and starts the containers of an attempt, in the background. */
  private launch(task: Task): void {
    if (this.launching.has(task.id) || this.ended.signal.aborted) {
      return;
    }
    this.launching.add(task.id);
    this.run(
      this.launched(task)
        .catch((error: unknown) => this.troubled(error))
        .finally(() => {
          this.launching.delete(task.id);
          this.changed();
        }),
    );
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
    if (!this.isCurrent(task) || this.ledger.get(task.id)?.state !== 'starting') {
      await this.removeAll(containers);
      this.withdraw(task);
      return;
    }
    try {
      this.ledger.commit(
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

  /** Starts the containers that exist and were never started: one that has ended would run twice. */
  private async begin(id: string): Promise<void> {
    for (const { index, container } of this.ledger.get(id)?.members ?? []) {
      const found = container === undefined ? undefined : await this.options.engine.inspect(container);
      if (found?.State.Status !== 'created') {
        continue;
      }
      const task = this.ledger.get(id);
      const member = task?.members[index];
      if (task?.state !== 'starting' || member?.state !== 'created' || member.container === undefined) {
        continue;
      }
      const failure = await this.started(member.container);
      const at = this.options.clock.now();
      if (failure === undefined) {
        const after = this.ledger.note(id, { kind: 'started', member: index, at });
        if (after?.state === 'running') {
          this.deadlines.begin(after);
        }
      } else if (failure !== 'unknown') {
        this.exited(task, index, { at, failure });
        this.clean(task.id, task.attempt, index, member.container);
      }
    }
  }

  private async started(container: string): Promise<Failure | 'unknown' | undefined> {
    try {
      await this.options.engine.start(container);
      return undefined;
    } catch (error) {
      if (error instanceof EngineError && error.isAnswer) {
        return startFailure(error.message);
      }
      this.lostEngine(error);
      return 'unknown';
    }
  }

  /** The id of a new container, or why there is none. */
  private async made(task: Task, member: Member): Promise<string | Failure | Error> {
    const { engine, inventory, cdi, store, configuration } = this.options;
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
      await this.options.engine.pull(image);
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
    const { engine, store } = this.options;
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
    await Promise.allSettled(containers.map((container) => this.options.engine.remove(container, true)));
  }

  /** No container of the attempt was started. */
  private refused(task: Task, problem: Failure | Error): void {
    if (!this.isCurrent(task)) {
      return;
    }
    if (problem instanceof Error) {
      this.withdraw(task);
      if (problem instanceof EngineError) {
        this.lostEngine(problem);
      } else {
        this.troubled(problem);
      }
      return;
    }
    const at = this.options.clock.now();
    const random = this.options.random();
    this.ledger.commit(
      task.id,
      ...task.members.map(({ index }) => ({ kind: 'exited', member: index, at, failure: problem, random }) as const),
    );
  }

  private withdraw(task: Task): void {
    if (this.isCurrent(task)) {
      this.ledger.note(task.id, { kind: 'withdraw', at: this.options.clock.now() });
    }
  }

  private isCurrent({ id, attempt }: Task): boolean {
    const now = this.ledger.get(id);
    return now !== undefined && isActive(now) && now.attempt === attempt;
  }

  /** Stops the containers of a task, in the background. */
  private halt(task: Task): void {
    if (this.halting.has(task.id) || this.launching.has(task.id) || this.ended.signal.aborted) {
      return;
    }
    this.halting.add(task.id);
    this.run(
      this.halted(task)
        .catch((error: unknown) => this.lostEngine(error))
        .finally(() => this.halting.delete(task.id)),
    );
  }

  private async halted(task: Task): Promise<void> {
    const { engine } = this.options;
    await Promise.all(
      task.members.map(async ({ state, container, index }) => {
        if (container !== undefined && state !== 'exited') {
          await engine.stop(container, task.spec.graceSeconds);
          await this.settle(task.id, index, container);
        }
      }),
    );
    if (task.members.every(({ state }) => state === 'planned')) {
      this.withdraw(task);
    }
  }

  /** Asks how a container is, and takes it into the ledger. */
  private async settle(id: string, member: number, container: string, said?: number): Promise<void> {
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

  private async settled(id: string, member: number, container: string, said: number | undefined): Promise<void> {
    const { engine, clock } = this.options;
    const found = await engine.inspect(container);
    const task = this.ledger.get(id);
    if (task?.members[member]?.container !== container || !isActive(task)) {
      return;
    }
    const observation = observed(found, {
      now: clock.now(),
      stopping: task.state === 'stopping',
      ...(this.outage === undefined ? {} : { outage: this.outage }),
      ...(said === undefined ? {} : { said }),
    });
    if (observation.kind === 'running') {
      const after = this.ledger.note(id, { kind: 'started', member, at: observation.at });
      if (after?.state === 'running') {
        this.deadlines.begin(after);
      }
    } else if (observation.kind === 'ended') {
      this.exited(task, member, observation);
      if (found !== undefined) {
        this.clean(task.id, task.attempt, member, container);
      }
    }
  }

  private exited(task: Task, member: number, end: End): void {
    const random = this.options.random();
    const before = task.members[member];
    if (before?.state === 'created' && end.code !== undefined) {
      this.ledger.note(task.id, { kind: 'started', member, at: end.at });
    }
    const after = this.ledger.commit(task.id, { ...end, kind: 'exited', member, random });
    if (after !== undefined && !isActive(after)) {
      this.deadlines.end(after);
    }
    this.changed();
  }

  /** Keeps the output of a container that has ended, and removes it, in the background. */
  private clean(task: string, attempt: number, member: number, container: string): void {
    if (this.cleaning.has(container) || this.ended.signal.aborted) {
      return;
    }
    this.cleaning.add(container);
    const { engine } = this.options;
    const work = async (): Promise<void> => {
      const stream = await engine.logs(container, { follow: false });
      await this.output.keep(task, attempt, member, stream);
      await engine.remove(container, true);
    };
    this.run(
      work()
        .catch((error: unknown) => {
          // Removed by somebody else: there is nothing to keep any more.
          if (!(error instanceof EngineError && error.status === 404)) {
            this.options.log(`task ${task}: its output was not kept yet: ${(error as Error).message}`);
          }
        })
        .finally(() => this.cleaning.delete(container)),
    );
  }

  /** Follows the events of the engine until the runner ends; after a break everything is asked again. */
  private async follow(): Promise<void> {
    const { engine, clock } = this.options;
    const { signal } = this.ended;
    let pause: number = RECONNECT.first;
    let since = clock.now();
    while (!signal.aborted) {
      const resyncs = setInterval(
        () => this.run(this.resync().catch((error: unknown) => this.lostEngine(error))),
        RESYNC,
      );
      try {
        const events = engine.events(since, signal);
        if (this.engineLostAt !== undefined) {
          await engine.ping();
          await this.resync();
        }
        pause = RECONNECT.first;
        for await (const event of events) {
          since = Math.max(since, Math.floor((event.timeNano ?? 0) / 1e6));
          this.heard(event.Actor.ID, event.Actor.Attributes ?? {});
        }
        throw new EngineError(`${engine.name}: the engine ended the connection`, undefined);
      } catch (error) {
        if (!signal.aborted) {
          this.lostEngine(error);
          await new Promise((resolve) => setTimeout(resolve, pause));
          pause = Math.min(RECONNECT.most, pause * 2);
        }
      } finally {
        clearInterval(resyncs);
      }
    }
  }

  private heard(container: string, attributes: Readonly<Record<string, string>>): void {
    if (attributes[LABELS.runner] !== this.options.store.runner) {
      return;
    }
    const id = attributes[LABELS.task] ?? '';
    const member = Number(attributes[LABELS.member]);
    const code = attributes.exitCode === undefined ? undefined : Number(attributes.exitCode);
    this.run(this.settle(id, member, container, code).catch((error: unknown) => this.lostEngine(error)));
  }

  /** Brings the ledger in line with everything that the engine has, once at a time. */
  private resync(): Promise<void> {
    this.resyncing ??= this.resynced().finally(() => (this.resyncing = undefined));
    return this.resyncing;
  }

  private async resynced(): Promise<void> {
    const { engine, store, configuration, clock } = this.options;
    const lostAt = this.engineLostAt;
    if (lostAt !== undefined) {
      // It may be another engine than before.
      await own(engine, { runner: store.runner, folder: configuration.state });
      this.outage = { from: lostAt - RESYNC, to: clock.now() };
    }
    const [containers, all] = await Promise.all([
      engine.containers(`${LABELS.runner}=${store.runner}`),
      engine.containers(),
    ]);
    this.foreign = await foreignDevices(engine, all, this.options.inventory());
    for (const { Id, Labels, State } of containers) {
      await this.known(Id, Labels, State);
    }
    for (const task of this.ledger.active) {
      if (!this.launching.has(task.id)) {
        await this.compare(task);
      }
    }
    if (lostAt !== undefined) {
      this.engineLostAt = undefined;
      this.options.log(`connected to ${engine.name} again`);
    }
    this.changed();
  }

  /** A container that carries the runner's label: is it what the ledger says? */
  private async known(container: string, labels: Readonly<Record<string, string>>, state: string): Promise<void> {
    const { engine } = this.options;
    const id = labels[LABELS.task] ?? '';
    const attempt = Number(labels[LABELS.attempt]);
    const member = Number(labels[LABELS.member]);
    if (this.launching.has(id) || this.cleaning.has(container)) {
      return;
    }
    const task = this.ledger.find(id);
    switch (disposalOf({ container, attempt, member, state }, task)) {
      case 'leave':
        return;
      case 'clean':
        this.clean(id, attempt, member, container);
        return;
      case 'remove':
        await engine.remove(container);
        return;
      case 'remove-and-enter':
        await engine.remove(container);
        this.adopt(labels, undefined);
        return;
      case 'enter':
        this.adopt(labels, container);
        return;
      case 'stop':
        this.options.log(
          `container ${container.slice(0, 12)} of task ${id} belongs to an attempt that is over, and is stopped`,
        );
        await engine.stop(container, task?.spec.graceSeconds ?? 0);
    }
  }

  /** Enters a task that is known only from the labels of its container. */
  private adopt(labels: Readonly<Record<string, string>>, container: string | undefined): void {
    const task = taskOfLabels(labels, container, this.ledger.find(labels[LABELS.task] ?? ''));
    if (task === undefined || isEnded(task)) {
      this.options.log(
        `a container with the labels of task ${labels[LABELS.task] ?? '?'} could not be understood, and is left alone`,
      );
      return;
    }
    this.options.store.reserve(task.sequence);
    this.ledger.restore(task);
    this.options.log(`task ${task.id} was entered again from the labels of its container`);
  }

  private async compare(task: Task): Promise<void> {
    if (task.members.every(({ state }) => state === 'planned')) {
      this.withdraw(task);
      return;
    }
    for (const { index, state, container } of task.members) {
      if (container !== undefined && state !== 'exited') {
        await this.settle(task.id, index, container);
      }
    }
    for (const { index, state } of task.members) {
      if (state === 'planned') {
        const failure: Failure = { class: 'lost', message: 'its container is not there' };
        this.exited(task, index, { at: this.options.clock.now(), failure });
      }
    }
    await this.beginAgain(task.id);
  }

  /**
   * Starts containers whose start was perhaps asked for before. That the engine lists one as created proves that it never ran only while it is the same
   * engine: one that was killed may have started the process and not have written it down.
   */
  private async beginAgain(id: string): Promise<void> {
    const task = this.ledger.get(id);
    if (task?.state !== 'starting') {
      return;
    }
    for (const { index, state, container } of task.members) {
      if (state === 'created' && container !== undefined && !(await this.options.engine.remembersCreation(container))) {
        const message = 'the engine was restarted while it started, so it is not known whether it ran';
        this.exited(task, index, { at: this.options.clock.now(), failure: { class: 'engine', message } });
        this.clean(id, task.attempt, index, container);
      }
    }
    await this.begin(id);
  }

  private lostEngine(error: unknown): void {
    if (!(error instanceof EngineError) || error.isAnswer) {
      this.troubled(error);
      return;
    }
    if (this.engineLostAt === undefined && !this.ended.signal.aborted) {
      this.engineLostAt = this.options.clock.now();
      this.options.log(`lost the engine: ${error.message}`);
    }
  }

  /** Something failed that may work later: nothing more is started for a moment. */
  private troubled(error: unknown): void {
    const text = error instanceof RunnerError ? error.line : error instanceof Error ? error.message : String(error);
    if (this.problem !== text) {
      this.options.log(text);
    }
    this.problem = text;
    this.pausedUntil = this.options.clock.monotonic() + STORE_PAUSE;
    this.wakeIn(STORE_PAUSE);
  }

  private run(work: Promise<void>): void {
    const kept = work.catch((error: unknown) => this.troubled(error)).finally(() => this.background.delete(kept));
    this.background.add(kept);
  }
}

function newTask(id: string, sequence: number, submittedAt: number, spec: Task['spec']): Task {
  return {
    id,
    sequence,
    spec,
    state: 'queued',
    submittedAt,
    attempt: 0,
    failures: 0,
    preemptions: 0,
    members: [],
  };
}
