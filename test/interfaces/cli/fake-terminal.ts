/**
 * A command line run inside the test, in a folder of its own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../../../src/interfaces/cli/main';
import { type Terminal } from '../../../src/interfaces/cli/terminal';

export interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-test-'));

  /** Writes a file and gives its name. */
  write(name: string, text: string): string {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
    return name;
  }

  async run(
    words: readonly string[],
    more: Partial<Pick<Terminal, 'columns' | 'env' | 'canProgress'>> & {
      readonly input?: string;
      /** A folder below the workplace. */
      readonly cwd?: string;
    } = {},
  ): Promise<Run> {
    let out = '';
    let err = '';
    const terminal: Terminal = {
      out: (text) => (out += text),
      err: (text) => (err += text),
      stdin: () => Promise.resolve(Buffer.from(more.input ?? '')),
      env: more.env ?? { PATH: process.env.PATH },
      cwd: join(this.folder, more.cwd ?? ''),
      columns: more.columns,
      canProgress: more.canProgress ?? false,
    };
    return { status: await main(words, terminal), out, err };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const GOOD = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n';

/** One error of the schema tier, on line 5. */
export const BAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bad\ndaat: {}\n';

/** A kind that is unknown. */
export const UNKNOWN = 'apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\n';
