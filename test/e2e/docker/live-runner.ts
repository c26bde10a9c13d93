/**
 * A runner in a process of its own, so that it can be killed, and the command line to talk to it.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { RunnerClient } from '../../../src/runtime/docker/service/client';
import { type TaskAnswer } from '../../../src/runtime/docker/service/answers';
import { isRunning, killProcess, type ProcessRecord, startProcess, stopProcess, tail } from '../control-plane/process';
import { forget, remember } from '../control-plane/started';

/** The command line as it is built: `npx tsc --build` after a change. */
export const COMMAND = join(__dirname, '../../../bin/gantry');
const PATIENCE = 120_000;

export interface Printed {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export class LiveRunner {
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-runner-'));
  readonly client = new RunnerClient(join(this.folder, 'runner.sock'));
  private process: ProcessRecord | undefined;

  constructor(
    /** `undefined`: as the environment says. */
    private readonly engineHost: string | undefined,
    configuration: (folder: string) => Readonly<Record<string, unknown>> = () => ({}),
  ) {
    const file = {
      state: join(this.folder, 'state'),
      socket: this.socket,
      ...(engineHost === undefined ? {} : { engine: engineHost }),
      lockMemory: false,
      devicePollSeconds: 1,
    };
    writeFileSync(join(this.folder, 'runner.yaml'), stringify({ ...file, ...configuration(this.folder) }));
    mkdirSync(join(this.folder, 'shared'));
    remember(this.folder, () => this.stop());
  }

  get socket(): string {
    return join(this.folder, 'runner.sock');
  }

  get log(): string {
    return tail(join(this.folder, 'log'), 40);
  }

  /** Puts a program before those of the host, for the runner only. */
  install(name: string, script: string): void {
    mkdirSync(join(this.folder, 'bin'), { recursive: true });
    writeFileSync(join(this.folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** A folder of the host that tasks write to. */
  get shared(): string {
    return join(this.folder, 'shared');
  }

  /** Variables of the runner's environment. */
  env: Readonly<Record<string, string>> = {};

  get pid(): number {
    return this.process!.pid;
  }

  get isRunning(): boolean {
    return this.process !== undefined && isRunning(this.process);
  }

  async start(...flags: readonly string[]): Promise<void> {
    const words = [COMMAND, 'docker', 'serve', '--config', join(this.folder, 'runner.yaml'), ...flags];
    const path = `PATH=${join(this.folder, 'bin')}:${process.env.PATH ?? ''}`;
    const env = Object.entries(this.env).map(([name, value]) => `${name}=${value}`);
    const program = [path, ...env, process.execPath, ...words];
    this.process = startProcess('runner', '/usr/bin/env', program, join(this.folder, 'log'), this.folder);
    await until(
      () => `the runner answers\n${this.log}`,
      async () => (await this.client.status().catch(() => undefined)) !== undefined,
    );
  }

  async kill(): Promise<void> {
    await killProcess(this.process!);
  }

  async stop(): Promise<void> {
    forget(this.folder);
    if (this.process !== undefined) {
      await stopProcess(this.process);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs `gantry docker …`. */
  gantry(...words: readonly string[]): Promise<Printed> {
    return this.gantryWith({}, ...words);
  }

  async gantryWith(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Printed> {
    const child = spawn(process.execPath, [COMMAND, 'docker', ...words], {
      env: { ...process.env, GANTRY_DOCKER_SOCKET: this.socket, DOCKER_HOST: this.engineHost ?? '', ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const status = await new Promise<number | null>((resolve, reject) =>
      child.on('error', reject).on('close', resolve),
    );
    return { status, out, err };
  }

  /** Waits until the tasks have ended. */
  async ended(...ids: readonly string[]): Promise<readonly TaskAnswer[]> {
    const tasks: TaskAnswer[] = [];
    for (const id of ids) {
      await until(
        () => `task ${id} ends\n${this.log}`,
        async () => (await this.task(id)).endedAt !== undefined,
      );
      tasks.push(await this.task(id));
    }
    return tasks;
  }

  async task(id: string): Promise<TaskAnswer> {
    const [task] = await this.client.show(id);
    return task;
  }
}

/** @param what for the error; a function is called when the time is over */
export async function until(what: string | (() => string), isTrue: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE; !(await isTrue()); await sleep(50)) {
    if (Date.now() > deadline) {
      throw new Error(`waited ${PATIENCE / 1000} s: ${typeof what === 'string' ? what : what()}`);
    }
  }
}
