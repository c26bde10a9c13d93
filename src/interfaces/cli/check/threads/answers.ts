/**
 * What a thread does for the command: it reads its files, and looks at their objects once it has those of the other threads.
 */
import { type CheckOptions } from '../../../../checks/engine';
import { checkPart, type FoundInPart } from '../../../../checks/parts';
import { InputError } from '../../../../manifests/input-error';
import { type Position } from '../../../../manifests/manifest';
import { ManifestSet } from '../../../../manifests/manifest-set';
import { type FoundFile } from '../../../checks/find-files';
import { readBytes, SourceReader } from '../../../checks/read-files';
import { bytesOf, joined, type Sources, sourcesOf } from './portable-sources';

/** What the command asks, and `answer`, which is never sent: the type of the answer. */
export interface Questions {
  readonly read: {
    readonly question: { readonly files: readonly FoundFile[]; readonly cwd: string };
    readonly answer: Uint8Array;
  };
  readonly check: {
    readonly question: {
      /** What the other threads read, before and after the files of this one. */
      readonly before: readonly Uint8Array[];
      readonly after: readonly Uint8Array[];
      readonly options: CheckOptions;
    };
    readonly answer: FoundInPart;
  };
  /** Places in objects of this thread, by their numbers in its own files. */
  readonly locate: {
    readonly question: readonly (readonly [manifest: number, path: string])[];
    readonly answer: readonly (Position | undefined)[];
  };
}

export type Question = {
  readonly [Name in keyof Questions]: { readonly name: Name } & Pick<Questions[Name], 'question'>;
}[keyof Questions];

export type Answer =
  | { readonly answer: Questions[keyof Questions]['answer'] }
  | { readonly failure: { readonly isInput: boolean; readonly message: string; readonly stack?: string } };

/** One thread: what it read stays with it. */
export class Answers {
  private own: Sources = { manifests: [], problems: [], skipped: [] };

  answerTo(asked: Question): Answer {
    try {
      return { answer: this.answer(asked) };
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
      return { failure: { isInput: error instanceof InputError, message, stack } };
    }
  }

  private answer(asked: Question): Questions[keyof Questions]['answer'] {
    switch (asked.name) {
      case 'read':
        this.own = readFiles(asked.question.files, asked.question.cwd);
        return bytesOf(this.own);
      case 'check':
        return this.check(asked.question);
      case 'locate':
        return asked.question.map(([manifest, path]) => this.own.manifests[manifest].origin.locate?.(path));
    }
  }

  private check({ before, after, options }: Questions['check']['question']): FoundInPart {
    const first = joined(before.map((bytes) => sourcesOf(bytes)));
    const { manifests, problems, skipped } = joined([first, this.own, ...after.map((bytes) => sourcesOf(bytes))]);
    const from = first.manifests.length;
    const to = from + this.own.manifests.length;
    return checkPart(new ManifestSet(manifests, problems, skipped), options, { from, to, runsSetRules: false }, true);
  }
}

export function readFiles(files: readonly FoundFile[], cwd: string): Sources {
  const sources = new SourceReader({ skipped: [], unreadable: [] });
  for (const file of files) {
    sources.read(file, () => readBytes(file.path, cwd));
  }
  return sources.set();
}
