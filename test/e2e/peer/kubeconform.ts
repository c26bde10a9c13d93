/**
 * Asks kubeconform about many documents at once, and how long it takes.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type JsonObject, type JsonValue } from '../../../src/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { SCHEMA_LOCATION } from './json-schemas';

export interface Kubeconform {
  readonly program: string;
  /** Folder of the JSON schemas. */
  readonly schemas: string;
}

export interface KubeconformAnswer {
  readonly accepted: boolean;
  readonly message: string;
}

/** Writes each document to a file of its own, named by its number. */
export function writeDocuments(folder: string, documents: readonly JsonObject[]): void {
  mkdirSync(folder, { recursive: true });
  documents.forEach((document, index) => writeFileSync(join(folder, `${index}.json`), JSON.stringify(document)));
}

/** The answer to each document of the folder, by number. */
export function askKubeconform(peer: Kubeconform, folder: string): readonly KubeconformAnswer[] {
  const output = run(peer, ['-output', 'json', '-verbose', folder]);
  const answers: KubeconformAnswer[] = [];
  for (const resource of asArray(asObject(JSON.parse(output) as JsonValue).resources).map(asObject)) {
    const index = Number(basename(asString(resource.filename) ?? '', '.json'));
    answers[index] = { accepted: resource.status === 'statusValid', message: asString(resource.msg) ?? '' };
  }
  return answers;
}

export interface Speed {
  /** Documents per second, starting the program and reading the schemas included. */
  readonly cold: number;
  /** Documents per second once every schema is read. */
  readonly warm: number;
}

/** Time of one pass over the folder, and of the second and third pass of a run that makes three. */
export function measureKubeconform(peer: Kubeconform, folder: string, documents: number): Speed {
  const once = seconds(() => run(peer, ['-summary', folder]));
  const thrice = seconds(() => run(peer, ['-summary', folder, folder, folder]));
  return { cold: documents / once, warm: (2 * documents) / Math.max(thrice - once, 0.001) };
}

function run({ program, schemas }: Kubeconform, args: readonly string[]): string {
  const result = spawnSync(program, ['-strict', '-schema-location', join(schemas, SCHEMA_LOCATION), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  // 1 says that documents are invalid; anything else that it could not do its work.
  if (result.status !== 0 && result.status !== 1) throw new Error(`kubeconform failed: ${result.error?.message ?? result.stderr}`);
  return result.stdout;
}

function seconds(work: () => void): number {
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}
