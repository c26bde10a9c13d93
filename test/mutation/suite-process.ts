/**
 * The worker seen from outside: started when needed, replaced when it grows, ended when a mutant hangs.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT } from './mutants';
import { type Order, type Outcome, RUN_FOLDER } from './plan';
import { processorSeconds } from './processor-time';

/** Contexts of finished suites are not given back in full. */
const MEMORY_LIMIT_MIB = 2500;

export class SuiteProcess {
  private child: ChildProcess | undefined;

  constructor(private readonly folder: string) {}

  /** Runs a suite; `hung` where it takes more than `seconds` of processor time, `ended` where the process ended by itself. */
  async run(order: Order, seconds: number): Promise<Outcome | 'hung' | 'ended'> {
    const child = await this.ready();
    const outcome = await new Promise<Outcome | 'hung' | 'ended'>((resolve) => {
      const pid = child.pid ?? 0;
      const started = processorSeconds(pid);
      const timer = setInterval(() => {
        if (processorSeconds(pid) - started > seconds) {
          settle('hung');
        }
      }, 1000);
      const settle = (result: Outcome | 'hung' | 'ended'): void => {
        clearInterval(timer);
        resolve(result);
      };
      child.removeAllListeners('message');
      child.once('message', (message) => settle(message as Outcome));
      child.once('exit', () => settle('ended'));
      child.send(order);
    });
    child.removeAllListeners('exit');
    if (outcome === 'hung' || outcome === 'ended' || outcome.memory > MEMORY_LIMIT_MIB) {
      this.stop();
    }
    return outcome;
  }

  stop(): void {
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private async ready(): Promise<ChildProcess> {
    if (this.child === undefined) {
      const child = fork(join(__dirname, 'worker.ts'), {
        cwd: PROJECT,
        execArgv: ['--import', 'tsx', '--max-old-space-size=4096'],
        env: { ...process.env, [RUN_FOLDER]: this.folder, NODE_ENV: 'test', JEST_WORKER_ID: '1' },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      await new Promise<void>((resolve, reject) => {
        child.once('message', () => resolve());
        child.once('exit', (code) => reject(new Error(`the process that runs suites ended with status ${code}`)));
      });
      child.removeAllListeners('exit');
      this.child = child;
    }
    return this.child;
  }
}
