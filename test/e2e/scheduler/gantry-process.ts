/**
 * The scheduler program as users run it: the bundle, in a process of its own, with its log read along.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forget, remember } from '../control-plane/started';
import { watchProcess } from '../evidence';
import { SCHEDULER_BUNDLE, writeBundle } from '../../../projen/runtime/bundle';

const ROOT = resolve(__dirname, '../../..');

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

export interface GantryOptions {
  readonly kubeconfig: string;
  /** Text of the configuration file. @default - built-in defaults */
  readonly config?: string;
  readonly identity?: string;
  /** @default - the only replica, without a lease */
  readonly leaseSeconds?: number;
  /** By how much the clock of its machine is wrong, milliseconds. @default 0 */
  readonly clockSkew?: number;
  /** Further flags. @default - none */
  readonly flags?: readonly string[];
  /** Path of another build of the program. @default - that of these sources */
  readonly bundle?: string;
}

let bundled: Promise<number> | undefined;

export class GantryProcess {
  readonly log: LogLine[] = [];
  /** Of the last member of `log` that was not looked at; for messages. */
  private readonly rest: string[] = [];
  private port = 0;
  /** It has ended, and all that it wrote was read. */
  private isClosed = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly configPath: string,
  ) {
    let kept = '';
    const take = (text: string): void => {
      const lines = (kept + text).split('\n');
      kept = lines.pop() ?? '';
      lines.forEach((line) => this.take(line));
    };
    child.stdout!.setEncoding('utf8').on('data', take);
    child.stderr!.setEncoding('utf8').on('data', (text: string) => this.rest.push(text));
    child.once('close', () => (this.isClosed = true));
  }

  /** Starts it, and waits until it serves. */
  static async start({
    kubeconfig,
    config,
    identity,
    leaseSeconds,
    clockSkew,
    flags = [],
    bundle,
  }: GantryOptions): Promise<GantryProcess> {
    if (bundle === undefined) {
      await (bundled ??= writeBundle(SCHEDULER_BUNDLE));
    }
    const folder = mkdtempSync(join(tmpdir(), 'gantry-scheduler-'));
    const path = join(folder, 'config.yaml');
    writeFileSync(path, config ?? '{}\n');
    const preload = join(folder, 'skew.js');
    writeFileSync(preload, `const now = Date.now; Date.now = () => now() + ${clockSkew ?? 0};`);
    const args = [
      ...(clockSkew === undefined ? [] : ['--require', preload]),
      bundle ?? join(ROOT, SCHEDULER_BUNDLE.output),
      '--kubeconfig',
      kubeconfig,
      '--config',
      path,
      '--port',
      '0',
      ...(identity === undefined ? [] : ['--identity', identity]),
      ...(leaseSeconds === undefined ? ['--no-leader-election'] : ['--lease-seconds', String(leaseSeconds)]),
      ...flags,
    ];
    const started = new GantryProcess(
      spawn(
        process.execPath,
        [...(process.env.GPROF ? ['--cpu-prof', '--cpu-prof-dir=' + process.env.GPROF] : []), ...args],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      ),
      folder,
      path,
    );
    remember(folder, () => started.stop());
    watchProcess({ name: identity ?? 'gantry', log: () => started.written() });
    const { port } = await started.until('started');
    started.port = Number(port);
    return started;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Of its page and API, without a slash at its end. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  configure(text: string): void {
    writeFileSync(this.configPath, text);
  }

  /**
   * The first line with this message (and that passes) among those since `from`.
   * @throws where it does not come in time, with the end of the log
   */
  async until(
    message: string,
    passes: (line: LogLine) => boolean = () => true,
    { from = 0, limit = 120_000 } = {},
  ): Promise<LogLine> {
    for (const deadline = Date.now() + limit; ; await sleep(20)) {
      const { isClosed } = this;
      const found = this.log.slice(from).find((line) => line.msg === message && passes(line));
      if (found !== undefined) {
        return found;
      }
      if (Date.now() > deadline || isClosed) {
        const ending = this.log
          .slice(-15)
          .map((line) => JSON.stringify(line))
          .join('\n');
        throw new Error(
          `The scheduler did not log "${message}" within ${limit} ms:\n${ending}\n${this.rest.slice(-10).join('')}`,
        );
      }
    }
  }

  /** All that it wrote so far. */
  written(): string {
    return `${this.log.map((line) => JSON.stringify(line)).join('\n')}\n${this.rest.join('')}`;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  text(path: string): Promise<string> {
    return new Promise((done, fail) => {
      get({ host: '127.0.0.1', port: this.port, path }, (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => done(text))
          .on('error', fail);
      }).on('error', fail);
    });
  }

  /** What a readiness probe learns. */
  async isReady(): Promise<boolean> {
    return (await fetch(`${this.address}/readyz`)).status === 200;
  }

  /** Value of a metric, summed up over its labels. */
  async metric(name: string): Promise<number> {
    const lines = (await this.text('/metrics'))
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Ends it with the signal, and waits. */
  async stop(name: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    forget(this.folder);
    if (this.isRunning) {
      const ended = new Promise((done) => this.child.once('close', done));
      // A stopped process takes no other signal.
      this.child.kill('SIGCONT');
      this.child.kill(name);
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private take(line: string): void {
    if (!line.startsWith('{')) {
      this.rest.push(`${line}\n`);
      return;
    }
    this.log.push(JSON.parse(line) as LogLine);
  }
}
