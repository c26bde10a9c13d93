/**
 * The mistakes of the program that runs. Each is reported once: by the synth of its app or, if the app is never synthesized or fails before,
 * when the program ends.
 */
/** A mistake in what the package was given. */
export interface Mistake {
  /** What was given, and what to write. */
  readonly text: string;
  /** File and line of the program. @default - not known */
  readonly place?: string;
  /** Path of the construct. @default - no construct was given the value yet */
  path?: string;
  /** Whether a synth has reported it. */
  isReported?: boolean;
}

const mistakes: Mistake[] = [];

/** Remembers a mistake until it is reported. */
export function rememberMistake(mistake: Mistake): Mistake {
  if (mistakes.length === 0) {
    process.once('exit', reportAtExit);
  }
  mistakes.push(mistake);
  return mistake;
}

/** Mistakes in values that no construct was given. */
export function mistakesWithoutConstruct(): readonly Mistake[] {
  return mistakes.filter(({ path, isReported }) => path === undefined && isReported !== true);
}

/** The texts of mistakes, which the caller reports. */
export function mistakeTexts(reported: readonly Mistake[]): string[] {
  return reported.map((mistake) => {
    mistake.isReported = true;
    return textOf(mistake);
  });
}

/** Every mistake that no synth has reported, as an error of cdk8s lists them; `undefined` if there is none. */
export function unreportedMistakes(): string | undefined {
  const open = mistakes.filter(({ isReported }) => isReported !== true);
  const lines = open.map((mistake) => `  ${withPath(mistake.path, mistakeTexts([mistake])[0])}`);
  return open.length === 0 ? undefined : ['Validation failed with the following errors:', ...lines, ''].join('\n');
}

/** A text with the path of its construct; that of the app is empty and says nothing. */
export function withPath(path: string | undefined, text: string): string {
  return path === undefined || path === '' ? text : `[${path}] ${text}`;
}

function reportAtExit(status: number): void {
  const text = unreportedMistakes();
  if (text !== undefined) {
    process.stderr.write(text);
    process.exitCode = status === 0 ? 1 : status;
  }
}

function textOf({ text, place }: Mistake): string {
  return place === undefined ? text : `${text} (${place})`;
}
