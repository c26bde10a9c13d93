/**
 * kubectl's reader of manifests as a program, and the same questions put to Gantry's reader.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readDocuments, withLineFeeds } from '../../../src/manifests/yaml';
import { readWholeYaml } from '../../../src/manifests/yaml-text';
import { type JsonValue } from '../../../src/facts/api/schema';

/** One document: its JSON, or that it is refused. */
export type Verdict = { readonly json: JsonValue } | { readonly error: string };

export interface Answer {
  /** The documents of the text, up to the first that is refused. */
  readonly stream: readonly Verdict[];
  /** The text as one document of sigs.k8s.io/yaml. */
  readonly document: Verdict;
}

const SOURCES = ['main.go', 'go.mod', 'go.sum'];

function programPath(): string {
  const hash = createHash('sha256');
  for (const file of SOURCES) {
    hash.update(readFileSync(join(__dirname, file)));
  }
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'gantry', `kubectl-yaml-${hash.digest('hex').slice(0, 12)}`, 'kubectl-yaml');
}

/** What keeps this machine from running the program; `undefined` where nothing does. */
export function whyNoJudge(): string | undefined {
  if (existsSync(programPath())) {
    return undefined;
  }
  return spawnSync('go', ['version']).status === 0
    ? undefined
    : 'Go is not on this machine (no `go` in PATH), and the program is not in the cache.';
}

/** The path of the program, which is built if the cache does not have it. */
export function buildJudge(): string {
  const target = programPath();
  if (existsSync(target)) {
    return target;
  }
  mkdirSync(dirname(target), { recursive: true });
  const partial = `${target}.${process.pid}`;
  const { status, stderr } = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', partial, '.'],
    { cwd: __dirname, encoding: 'utf8', env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' } },
  );
  if (status !== 0) {
    throw new Error(`go build failed:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
  return target;
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
