/**
 * The command line on a terminal of its own, as a person types on it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { COMMAND, until } from './live-runner';

/** What keeps this machine from giving programs a terminal; `undefined` where nothing does. */
export function whyNoTerminal(): string | undefined {
  return spawnSync('script', ['--version']).error === undefined ? undefined : 'script of util-linux is not installed';
}

export class Pty {
  /** What is on the screen so far. */
  screen = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;

  /** Runs `gantry docker WORDS` on a terminal with a number of columns. */
  constructor(socket: string, columns: number, ...words: readonly string[]) {
    const quoted = [process.execPath, COMMAND, 'docker', ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    this.child = spawn('script', ['-qefc', `stty cols ${columns}; exec ${quoted.join(' ')}`, '/dev/null'], {
      env: { ...process.env, GANTRY_DOCKER_SOCKET: socket },
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.screen += text));
    this.ended = new Promise((resolve, reject) => this.child.on('error', reject).on('close', resolve));
  }

  get lines(): readonly string[] {
    return stripVTControlCharacters(this.screen).split(/\r?\n/);
  }

  type(keys: string): void {
    this.child.stdin!.write(keys);
  }

  async shows(pattern: RegExp): Promise<void> {
    await until(
      () => `${pattern.source} appears on the screen\n${this.screen}`,
      () => Promise.resolve(pattern.test(this.screen)),
    );
  }

  /** @returns the exit status of the command */
  status(): Promise<number | null> {
    return this.ended;
  }
}

export const CTRL_C = '\u0003';
