/**
 * A node as files below a temporary folder, and a tuner that runs on it for real.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SCRIPTS = resolve(__dirname, '../../../src/constructs/node-tuning/scripts');

export interface Ended {
  readonly status: number | null;
  readonly log: string;
}

export class FakeNode {
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-node-'));
  private readonly running: Tuner[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) {
      this.write(path, text);
    }
    this.boot('one');
  }

  write(path: string, text: string): void {
    const file = join(this.folder, 'root', path);
    mkdirSync(dirname(file), { recursive: true });
    // In one step: a script may be reading it.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, 'root', path), 'utf8').trim();
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, 'root', path));
  }

  boot(id: string): void {
    writeFileSync(join(this.folder, 'boot-id'), `${id}\n`);
  }

  /** A program in front of the others, as the NVIDIA runtime would add it. */
  program(name: string, text: string): void {
    mkdirSync(join(this.folder, 'bin'), { recursive: true });
    writeFileSync(join(this.folder, 'bin', name), text, { mode: 0o755 });
  }

  get originals(): string {
    const file = join(this.folder, 'state', 'originals');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  environment(plan: readonly string[], more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    writeFileSync(join(this.folder, 'plan'), `${plan.join('\n')}\n`);
    return {
      PATH: `${join(this.folder, 'bin')}:/usr/bin:/bin`,
      GANTRY_ROOT: join(this.folder, 'root'),
      GANTRY_PLAN: join(this.folder, 'plan'),
      GANTRY_STATE: join(this.folder, 'state'),
      GANTRY_BOOT_ID: join(this.folder, 'boot-id'),
      GANTRY_INTERVAL: '0.05',
      ...more,
    };
  }

  /** Runs one command of the tuner to its end. */
  tune(command: string, plan: readonly string[], more: NodeJS.ProcessEnv = {}): Ended {
    const { status, stdout, stderr } = spawnSync('busybox', ['sh', join(SCRIPTS, 'tune.sh'), command], {
      env: this.environment(plan, more),
      encoding: 'utf8',
    });
    return { status, log: stdout + stderr };
  }

  /** Starts a script that goes on until it is stopped. */
  start(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Tuner {
    const tuner = new Tuner(spawn('busybox', ['sh', join(SCRIPTS, script), ...args], { env }));
    this.running.push(tuner);
    return tuner;
  }

  async remove(): Promise<void> {
    for (const tuner of this.running) {
      await tuner.end('SIGKILL');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A script that runs. */
export class Tuner {
  log = '';
  private readonly ended: Promise<number | null>;

  constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (data: Buffer) => {
      this.log += data.toString();
    });
    child.stderr!.on('data', (data: Buffer) => {
      this.log += data.toString();
    });
    this.ended = new Promise((done) =>
      child.once('exit', (status) => {
        done(status);
      }),
    );
  }

  /** Waits until the log says it. */
  async says(text: string | RegExp): Promise<void> {
    const pattern = typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text;
    for (let tries = 0; !pattern.test(this.log); tries++) {
      if (tries > 5000) {
        throw new Error(`never said ${pattern.source}; it said:\n${this.log}`);
      }
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}
