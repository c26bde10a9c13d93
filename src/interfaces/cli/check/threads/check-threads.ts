/**
 * `gantry check` on several threads: each reads some of the files, gets what the others read, and looks at the objects of its own files. The main
 * thread has fewer files, and runs the rules on the whole set. The report is the same as that of one thread.
 *
 * Threads are for many files: a thread has to load the rules, so it does not pay for a few.
 */
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type * as WorkerThreads from 'node:worker_threads';
import { check, type CheckOptions } from '../../../../checks/engine';
import { checkPart, reportOfParts } from '../../../../checks/parts';
import { type Recorded } from '../../../../checks/recording';
import { type Report } from '../../../../checks/report/report';
import { type Origin } from '../../../../manifests/manifest';
import { ManifestSet } from '../../../../manifests/manifest-set';
import { type FoundFile } from '../../../checks/find-files';
import { UsageError } from '../../terminal';
import { type Answer, type Questions, readFiles } from './answers';
import { bytesOf, joined, type Sources, sourcesOf } from './portable-sources';

/** The program of a thread, where the package is compiled. */
const PROGRAM = join(__dirname, 'thread.js');

/** A thread that answers one question at a time. */
export interface Thread {
  readonly ask: <Name extends keyof Questions>(
    name: Name,
    question: Questions[Name]['question'],
  ) => Promise<Questions[Name]['answer']>;
  readonly end: () => void;
}

/**
 * How many threads, with the main one, check these files.
 *
 * @param jobs how many the user wants
 */
export function threadCount(files: readonly FoundFile[], cwd: string, jobs = 1): number {
  const most = Math.min(jobs, files.length);
  if (most <= 1 || !existsSync(PROGRAM)) {
    return 1;
  }
  return files.every(({ path }) => sizeOf(path, cwd) !== undefined) ? most : 1;
}

/** `undefined` for what can be read only once, such as a pipe. */
function sizeOf(path: string, cwd: string): number | undefined {
  const stats = path === '-' ? undefined : statSync(resolve(cwd, path), { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.size : undefined;
}

/** What is checked. */
export interface ThreadedInput {
  /** What was read before, in front of the files. */
  readonly given: Sources;
  readonly files: readonly FoundFile[];
  readonly cwd: string;
}

/**
 * Threads beside the main one, for one check or several after each other: in later ones, schemas and rules are loaded and their code is fast.
 * Threads that wait keep no process alive, so a program may leave them for its next check, and need not end them.
 */
export class CheckThreads {
  private readonly threads: readonly Thread[];

  /** @param start starts a thread. @default - a worker thread of Node */
  constructor(count: number, start: () => Thread = () => startThread()) {
    this.threads = Array.from({ length: count - 1 }, start);
  }

  async check({ given, files, cwd }: ThreadedInput, options: CheckOptions): Promise<Report> {
    const parts = this.threads.length + 1;
    const [ours, ...theirs] = dividedBySize(files, cwd, parts);
    const reading = this.threads.map((thread, index) => thread.ask('read', { files: theirs[index], cwd }));
    const own = joined([given, readFiles(ours, cwd)]);
    const texts = new Texts(files, cwd);
    const bytes = [bytesOf(own), ...(await Promise.all(reading))];
    const checking = this.threads.map((thread, index) =>
      thread.ask('check', {
        before: bytes.slice(0, index + 1),
        after: bytes.slice(index + 2),
        options,
      }),
    );
    const read = [own, ...bytes.slice(1).map((one) => sourcesOf(one, texts.locatorOf))];
    const { manifests, problems, skipped } = joined(read);
    const set = new ManifestSet(manifests, problems, skipped);
    const first = checkPart(set, options, { from: 0, to: own.manifests.length, runsSetRules: true }, false);
    const others = await Promise.all(checking);
    const located = { ...first, sets: await this.located(first.sets, read) };
    return reportOfParts(set, options, [located, ...others]) ?? check(set, options);
  }

  /** Findings of rules on the whole set get their places from the thread that has the text. */
  private async located(found: readonly Recorded[], read: readonly Sources[]): Promise<readonly Recorded[]> {
    let from = 0;
    const starts = read.map(({ manifests }) => (from += manifests.length) - manifests.length);
    const wanted = read.map((): { readonly number: number; readonly path: string; readonly one: Recorded }[] => []);
    for (const one of found) {
      if (one.what === 'finding' && one.position === undefined) {
        const reader = starts.findLastIndex((start) => start <= one.manifest);
        wanted[reader].push({ number: one.manifest - starts[reader], path: one.said.path ?? '', one });
      }
    }
    const places = new Map<Recorded, Recorded>();
    await Promise.all(
      this.threads.map(async (thread, index) => {
        const ofThread = wanted[index + 1];
        const positions = await thread.ask(
          'locate',
          ofThread.map(({ number, path }) => [number, path]),
        );
        ofThread.forEach(({ one }, at) => places.set(one, { ...one, position: positions[at] } as Recorded));
      }),
    );
    return found.map((one) => places.get(one) ?? one);
  }

  end(): void {
    this.threads.forEach((thread) => thread.end());
  }
}

/** The texts of other threads, read again for a place that they could not know is needed. */
class Texts {
  private readonly files: ReadonlyMap<string, FoundFile>;
  private readonly read = new Map<string, Sources>();

  constructor(
    files: readonly FoundFile[],
    private readonly cwd: string,
  ) {
    this.files = new Map(files.map((file) => [file.path, file]));
  }

  readonly locatorOf =
    (path: string, number: number): NonNullable<Origin['locate']> =>
    (pointer) =>
      this.sourcesOf(path)?.manifests[number]?.origin.locate?.(pointer);

  private sourcesOf(path: string): Sources | undefined {
    const file = this.files.get(path);
    let sources = this.read.get(path);
    if (sources === undefined && file !== undefined) {
      this.read.set(path, (sources = readFiles([file], this.cwd)));
    }
    return sources;
  }
}

/** How much the main thread reads while another thread reads 1. */
const SHARE_OF_MAIN = 0.7;

/** The files in as many runs, in their order and of about the same size, but for the first. */
function dividedBySize(files: readonly FoundFile[], cwd: string, parts: number): readonly (readonly FoundFile[])[] {
  const sizes = files.map(({ path }) => sizeOf(path, cwd) ?? 0);
  const one = sizes.reduce((sum, size) => sum + size, 0) / (parts - 1 + SHARE_OF_MAIN);
  const runs = Array.from({ length: parts }, (): FoundFile[] => []);
  let before = 0;
  files.forEach((file, index) => {
    const middle = before + sizes[index] / 2;
    const run = one === 0 ? 0 : Math.max(0, Math.floor(middle / one - SHARE_OF_MAIN) + 1);
    runs[Math.min(parts - 1, run)].push(file);
    before += sizes[index];
  });
  return runs;
}

/** A worker thread of Node, which keeps the process alive only while it is asked. When it ends before it answers, the question fails. */
export function startThread(program = PROGRAM): Thread {
  // Most checks need no threads, and do not wait for Node to load them.
  const { Worker } = createRequire(__filename)('node:worker_threads') as typeof WorkerThreads;
  const worker = new Worker(program);
  let settle: ((answer: Answer) => void) | undefined;
  let ended: string | undefined;
  const answer = (said: Answer): void => {
    worker.unref();
    settle?.(said);
    settle = undefined;
  };
  const fail = (why: string): void => {
    ended ??= why;
    answer({ failure: { isInput: true, message: messageOfEnd(ended) } });
  };
  worker.on('message', answer);
  worker.on('messageerror', (error) => fail(error.message));
  worker.on('error', (error) => fail(error instanceof Error ? error.message : String(error)));
  worker.on('exit', (status) => fail(`exit status ${status}`));
  // After the listeners: the first one for messages takes back what was said before.
  worker.unref();
  return {
    ask: (name, question) => {
      const answered = new Promise<Answer>((done) => (settle = done)).then((said) => valueOf(said) as never);
      // The main thread may fail first, and then nothing waits for the answer.
      answered.catch(() => undefined);
      if (ended === undefined) {
        worker.ref();
        worker.postMessage({ name, question });
      } else {
        fail(ended);
      }
      return answered;
    },
    end: () => void worker.terminate(),
  };
}

function messageOfEnd(why: string): string {
  return `a thread of the check exited before it finished (${why}); run the check with --jobs 1, which needs less memory`;
}

function valueOf(said: Answer): Questions[keyof Questions]['answer'] {
  if ('answer' in said) {
    return said.answer;
  }
  const { isInput, message, stack } = said.failure;
  if (isInput) {
    throw new UsageError(message);
  }
  throw Object.assign(new Error(message), { stack });
}
