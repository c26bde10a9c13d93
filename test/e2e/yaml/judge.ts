/**
 * kubectl's reader of manifests as a program, and the same questions put to Gantry's reader.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readDocuments, withLineFeeds } from '../../../src/manifests/yaml';
import { readWholeYaml } from '../../../src/manifests/texts/yaml-text';
import { type JsonValue } from '../../../src/facts/api/schema';
import { buildGoProgram, cacheFolder, hashOfSources, whyNoPrograms } from '../go-program';

/** One document: its JSON, or that it is refused. */
export type Verdict = { readonly json: JsonValue } | { readonly error: string };

export interface Answer {
  /** The documents of the text, up to the first that is refused. */
  readonly stream: readonly Verdict[];
  /** The text as one document of sigs.k8s.io/yaml. */
  readonly document: Verdict;
}

const FOLDER = __dirname;

function programPath(): string {
  return join(cacheFolder(), `kubectl-yaml-${hashOfSources([FOLDER])}`, 'kubectl-yaml');
}

/** What keeps this machine from running the program; `undefined` where nothing does. */
export function whyNoJudge(): string | undefined {
  return whyNoPrograms([programPath()], "kubectl's reader");
}

/** The path of the program, which is built if the cache does not have it. */
export function buildJudge(print?: (line: string) => void): string {
  return buildGoProgram({ target: programPath(), folder: FOLDER }, print);
}

export function judge(program: string, texts: readonly string[]): readonly Answer[] {
  const input = texts.map((text) => JSON.stringify(text)).join('\n');
  const { status, stdout, stderr } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) {
    throw new Error(`kubectl-yaml failed: ${stderr}`);
  }
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/** What Gantry's reader answers, up to the first document that it refuses. */
export function answerOf(text: string): Answer {
  const stream: Verdict[] = [];
  for (const document of readDocuments(withLineFeeds(text), 'a.yaml')) {
    const verdict = verdictOf(document);
    stream.push(verdict);
    if ('error' in verdict) {
      break;
    }
  }
  return { stream, document: verdictOf(readWholeYaml(text)) };
}

function verdictOf({ value, problems }: ReturnType<typeof readWholeYaml>): Verdict {
  const problem = problems.find(({ kind }) => kind === 'syntax' || kind === 'huge-number');
  return problem === undefined && value !== undefined ? { json: value } : { error: problem?.message ?? 'refused' };
}

/** An answer without the words of errors and the order of keys. */
export function comparable({ stream, document }: Answer): string {
  const plain = (verdict: Verdict): unknown => ('error' in verdict ? 'refused' : { json: sorted(verdict.json) });
  return JSON.stringify({ stream: stream.map(plain), document: plain(document) });
}

function sorted(value: JsonValue): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}
