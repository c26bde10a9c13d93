/**
 * One task through its whole life, with a crash at one step of it; and what has to hold afterwards, whatever crashed.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TaskAnswer } from '../../../../src/runtime/docker/service/answers';
import { IMAGE, type LiveEngine } from '../live-engine';
import { LiveRunner, until } from '../live-runner';

export type Victim = 'runner' | 'engine';

export interface Fault {
  /** The number of the step, from 1. */
  readonly at: number;
  readonly kills: readonly Victim[];
}

export interface Scenario {
  readonly name: string;
  /** As the runner's API takes it, without what all tasks here have. */
  readonly task: Readonly<Record<string, unknown>>;
  readonly script: string;
  /** Is canceled once it runs. */
  readonly cancel?: boolean;
  /** How it ends if the engine does not. */
  readonly state: TaskAnswer['state'];
  readonly attempts: number;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'succeeds', task: {}, script: 'sleep 0.3', state: 'succeeded', attempts: 1 },
  { name: 'is canceled', task: { graceSeconds: 0 }, script: 'sleep 300', cancel: true, state: 'canceled', attempts: 1 },
  {
    name: 'of two containers fails and is tried again',
    task: { replicas: 2, retries: 1, retryOn: ['any'] },
    script: '[ $GANTRY_ATTEMPT = 2 ]',
    state: 'succeeded',
    attempts: 2,
  },
];

/** Says that it runs, and whether another container has one of its devices. The lock of a file ends with the process, in whatever way that ends. */
const BEGIN = [0, 1]
  .map(
    (index) =>
      `[ -z "$GIVEN_${index}" ] || { exec ${index + 7}>/shared/device-${index}; flock -n ${index + 7} || echo twice >> /shared/ran; }`,
  )
  .concat('echo $GANTRY_TASK/$GANTRY_ATTEMPT/$GANTRY_REPLICA >> /shared/ran')
  .join('\n');

export class Ordeal {
  readonly runner: LiveRunner;
  private readonly folder: string;

  constructor(
    private readonly engine: LiveEngine,
    private readonly scenario: Scenario,
    private readonly fault?: Fault,
  ) {
    this.runner = new LiveRunner(engine.host);
    this.folder = join(this.runner.folder, 'faults');
    mkdirSync(this.folder);
    const plan = { folder: this.folder, at: fault?.at ?? 0, kills: fault?.kills ?? [], engine: engine.pidFiles };
    this.runner.env = { NODE_OPTIONS: `--require=${join(__dirname, 'hook.cjs')}`, GANTRY_FAULTS: JSON.stringify(plan) };
  }

  /** The steps that were reached, in order. */
  get steps(): readonly string[] {
    return this.lines(join(this.folder, 'steps'));
  }

  /** The step at which it crashed. `undefined` if it was not reached. */
  get crashedAt(): string | undefined {
    return this.lines(join(this.folder, 'sprung'))[0];
  }

  /** What ran: `TASK/ATTEMPT/REPLICA`, or `twice` for a device that was promised twice. */
  get ran(): readonly string[] {
    return this.lines(join(this.runner.shared, 'ran'));
  }

  /** @returns the task as it has ended; `undefined` if the crash came before the client knew that it was submitted, and it was not */
  async task(): Promise<TaskAnswer | undefined> {
    const { runner, scenario } = this;
    await runner.start();
    writeFileSync(join(this.folder, 'armed'), '');
    const submitted = await this.submitted(scenario.script, scenario.task);
    if (scenario.cancel === true && submitted !== undefined) {
      await this.unlessCrashed(async () => {
        await until('it runs', async () => this.hasCrashed || this.ran.length > 0 || !(await this.exists(submitted)));
        await runner.client.cancel(submitted);
      });
    }
    await until('it crashes, or all is done', () => this.isOver(submitted));
    rmSync(join(this.folder, 'armed'));
    await this.recover();
    const tasks = await runner.client.list({ all: '1', limit: '9' });
    if (tasks.length === 0 && submitted === undefined) {
      return undefined;
    }
    if (tasks.length !== 1) {
      throw new Error(`task ${submitted ?? '?'} is lost: ${JSON.stringify(tasks)}`);
    }
    const [{ id }] = tasks;
    if (scenario.cancel === true) {
      await runner.client.cancel(id);
    }
    return (await runner.ended(id))[0];
  }

  /** The clock of the runner is an hour behind that of the engine from when the task runs, and the runner is killed then. @returns the task as it has ended */
  async withClockSetBack(): Promise<TaskAnswer> {
    const { runner, scenario } = this;
    await runner.start();
    const [{ id }] = await runner.client.submit(this.body(scenario.script, scenario.task));
    await until('it runs', async () => (await runner.task(id)).state === 'running');
    writeFileSync(join(this.folder, 'clock'), '-3600000');
    await runner.kill();
    // It ends while no runner runs, so that only what the engine remembers says how.
    writeFileSync(join(runner.shared, 'go'), '');
    await until(
      'its container ended',
      async () => (await this.engine.ask<unknown[]>('GET', '/containers/json')).length === 0,
    );
    await runner.start();
    return (await runner.ended(id))[0];
  }

  /** A task that needs all devices. @returns how it ended */
  async next(): Promise<string> {
    const [{ id }] = await this.runner.client.submit(this.body('true', { devices: { kind: 'whole', count: 2 } }));
    const [{ state }] = await this.runner.ended(id);
    return state;
  }

  async end(): Promise<void> {
    if (!this.engine.isRunning) {
      await this.engine.startAgain();
    }
    await this.runner.stop();
    await this.engine.clear();
  }

  /** Starts again what was killed. */
  private async recover(): Promise<void> {
    const kills = this.hasCrashed ? (this.fault?.kills ?? []) : [];
    if (kills.includes('engine')) {
      await until('the engine is gone', () => Promise.resolve(!this.engine.isRunning));
      await this.engine.startAgain();
    }
    if (kills.includes('runner')) {
      await until('the runner is gone', () => Promise.resolve(!this.runner.isRunning));
      await this.runner.start();
    }
  }

  private body(script: string, task: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return {
      image: IMAGE,
      command: ['sh', '-c', `${BEGIN}\n${script}`],
      network: 'none',
      volumes: [`${this.runner.shared}:/shared`],
      devices: { kind: 'whole', count: 1 },
      ...task,
    };
  }

  /** @returns its id; `undefined` if there was no answer */
  private async submitted(script: string, task: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    const answer = await this.unlessCrashed(() => this.runner.client.submit(this.body(script, task)));
    return answer?.[0].id;
  }

  private async unlessCrashed<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (this.hasCrashed) {
        return undefined;
      }
      throw error;
    }
  }

  private get hasCrashed(): boolean {
    return existsSync(join(this.folder, 'sprung'));
  }

  private async exists(id: string): Promise<boolean> {
    return (await this.runner.client.show(id)).some(({ endedAt }) => endedAt === undefined);
  }

  /** It crashed, or the task has ended and nothing more happens. */
  private async isOver(id: string | undefined): Promise<boolean> {
    if (this.hasCrashed) {
      return true;
    }
    if (id === undefined || (await this.exists(id).catch(() => true))) {
      return false;
    }
    const before = this.steps.length;
    await sleep(2000);
    return this.steps.length === before;
  }

  private lines(path: string): readonly string[] {
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }
}
