/**
 * What a command may know of the world around it: where text goes, how wide it may be, where paths start.
 *
 * Commands take it as a value, so that tests can watch what they say.
 */
import { InputError } from '../../manifests/input-error';

export interface Terminal {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Everything on standard input. */
  readonly stdin: () => Promise<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory. */
  readonly cwd: string;
  /** Columns of the terminal; `undefined` where standard output is none. */
  readonly columns: number | undefined;
  /** Standard error is a terminal, on which a line may be written over. */
  readonly canProgress: boolean;
}

/** Something that the caller got wrong: one line for standard error, exit status 2. */
export class UsageError extends InputError {
  override readonly name = 'UsageError';
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    stdin: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of process.stdin) {
        chunks.push(chunk as Uint8Array);
      }
      return Buffer.concat(chunks);
    },
    env: process.env,
    cwd: process.cwd(),
    columns: stdout.isTTY ? stdout.columns : undefined,
    canProgress: stderr.isTTY,
  };
}

/** Colors on a terminal, or if FORCE_COLOR is set; never if NO_COLOR or `--no-color` is set. */
export function wantsColor(terminal: Terminal, option: boolean | undefined): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = terminal.env;
  if (option === false || (NO_COLOR !== undefined && NO_COLOR !== '')) {
    return false;
  }
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0') {
    return true;
  }
  return terminal.columns !== undefined && TERM !== 'dumb';
}

/** A progress line on standard error, removed at the end. Prints nothing if standard error is not a terminal. */
export class Progress {
  private shown = false;

  constructor(private readonly terminal: Terminal) {}

  say(text: string): void {
    if (!this.terminal.canProgress) {
      return;
    }
    this.terminal.err(`\r\u001B[K${text}`);
    this.shown = true;
  }

  done(): void {
    if (this.shown) {
      this.terminal.err('\r\u001B[K');
    }
    this.shown = false;
  }
}
