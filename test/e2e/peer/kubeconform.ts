/**
 * Asks kubeconform about many documents at once, and how long it takes.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { SCHEMA_LOCATION } from './json-schemas';

export interface Kubeconform {
  readonly program: string;
  /** Folder of the JSON schemas. */
  readonly schemas: string;
  /** Documents that it checks at the same time. Default: its own, 4. */
  readonly workers?: number;
}

export interface KubeconformAnswer {
  readonly accepted: boolean;
  readonly message: string;
}

/** Writes each document to a file of its own, named by its number. */
export function writeDocuments(folder: string, documents: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  documents.forEach((document, index) => writeFileSync(join(folder, `${index}.json`), document));
}

/** The answer to each document of the folder, by number. */
export function askKubeconform(peer: Kubeconform, folder: string): readonly KubeconformAnswer[] {
  const answers: KubeconformAnswer[] = [];
  for (const resource of resourcesIn(peer, folder)) {
    const index = Number(basename(asString(resource.filename) ?? '', '.json'));
    answers[index] = { accepted: resource.status === 'statusValid', message: asString(resource.msg) ?? '' };
  }
  return answers;
}

/** How many documents of the folder it finds valid. */
export function countValid(peer: Kubeconform, folder: string): number {
  return resourcesIn(peer, folder).filter(({ status }) => status === 'statusValid').length;
}

function resourcesIn(peer: Kubeconform, folder: string): readonly JsonObject[] {
  const output = run(peer, ['-output', 'json', '-verbose', folder]);
  return asArray(asObject(JSON.parse(output) as JsonValue).resources).map(asObject);
}

/** Documents per second. */
export interface Speed {
  /** By the clock, starting the program and reading the schemas included. */
  readonly cold: number;
  /** By the clock, once every schema is read. */
  readonly warm: number;
  /** Per second of processor time, once every schema is read: what does not depend on what else the machine does. */
  readonly warmPerCpuSecond: number;
}

/** Time of one pass over the folder, and of the second and third pass of a run that makes three. */
export function measureKubeconform(peer: Kubeconform, folder: string, documents: number): Speed {
  const once = timed(peer, [folder]);
  const thrice = timed(peer, [folder, folder, folder]);
  const perSecond = (seconds: number): number => (2 * documents) / Math.max(seconds, 0.001);
  return {
    cold: documents / once.clock,
    warm: perSecond(thrice.clock - once.clock),
    warmPerCpuSecond: perSecond(thrice.cpu - once.cpu),
  };
}

function run(peer: Kubeconform, args: readonly string[]): string {
  return spawned(peer.program, [...flags(peer), ...args]).stdout;
}

function flags({ schemas, workers }: Kubeconform): readonly string[] {
  const atATime = workers === undefined ? [] : ['-n', String(workers)];
  return ['-strict', ...atATime, '-schema-location', join(schemas, SCHEMA_LOCATION)];
}

function timed(peer: Kubeconform, folders: readonly string[]): { readonly clock: number; readonly cpu: number } {
  // Node does not say how much processor time a child took; the shell does.
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null';
  const args = [...flags(peer), '-summary', ...folders];
  const [clock, user, system] = spawned('bash', ['-c', script, 'bash', peer.program, ...args])
    .stderr.trim()
    .split(/\s+/)
    .slice(-3)
    .map(Number);
  return { clock, cpu: user + system };
}

function spawned(program: string, args: readonly string[]): { readonly stdout: string; readonly stderr: string } {
  const result = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { ...process.env, LC_ALL: 'C' },
  });
  // 1 says that documents are invalid; anything else that it could not do its work.
  if (result.status !== 0 && result.status !== 1) {
    throw new Error(`kubeconform failed: ${result.error?.message ?? result.stderr}`);
  }
  return result;
}
