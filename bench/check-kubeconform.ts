/**
 * The speed of checks beside kubeconform: the same files, the same schemas, the same two processors.
 *
 * kubeconform reads schemas when it first needs them, as Gantry does. Warm is what a further pass over all files takes in the same process.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { DEFAULT_MINOR, findKind } from '../src/facts/api/kinds';
import { type JsonObject, type KindInfo } from '../src/facts/api/schema';
import { asObject, asString } from '../src/manifests/read';
import { corpus } from '../test/e2e/agreement/corpus';
import { components, programPath } from '../test/e2e/control-plane/components';
import { writeBundledSchemas } from '../test/e2e/peer/json-schemas';
import { countValid, measureKubeconform, type Kubeconform, type Speed } from '../test/e2e/peer/kubeconform';
import { median } from './machine';

const FILES = 100;
const WORKERS = 2;
/** Its schema reaches itself, which a file of JSON Schema would have to say in another way. */
const LEFT_OUT = 'CustomResourceDefinition';

export interface Beside {
  readonly objects: number;
  readonly kinds: number;
  /** How many of the objects kubeconform finds valid: it must not be fast because it reads nothing. */
  readonly valid: number;
  readonly kubeconform: Speed;
  /** With the tier that does what kubeconform does, with those that a server's answer needs, and with all; on one thread and on as many as kubeconform has. */
  readonly gantry: Readonly<Record<Measured, Speed>>;
}

/** What is measured of Gantry: the tiers, which are all if none is named, and the threads. */
const MEASURED = {
  'schema, 1 thread': ['schema', 1],
  'schema, 2 threads': ['schema', WORKERS],
  'schema, cel, server, 1 thread': ['schema,cel,server', 1],
  'schema, cel, server, 2 threads': ['schema,cel,server', WORKERS],
  'all tiers, 1 thread': ['', 1],
  'all tiers, 2 threads': ['', WORKERS],
} as const;
export type Measured = keyof typeof MEASURED;
const NAMES = Object.keys(MEASURED) as readonly Measured[];

/** Medians of `runs` turns, or undefined where kubeconform is not built. */
export function besideKubeconform(objects: number, runs: number): Beside | undefined {
  const program = programPath(components().find(({ name }) => name === 'kubeconform')!);
  if (!existsSync(program)) {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  try {
    const [schemas, documents] = [join(folder, 'schemas'), join(folder, 'documents')];
    const peer: Kubeconform = { program, schemas, workers: WORKERS };
    const kinds = writeDocuments(documents, objects);
    writeBundledSchemas(schemas, kinds, DEFAULT_MINOR);
    const turns = Array.from({ length: runs }, () => ({
      kubeconform: measureKubeconform(peer, documents, objects),
      gantry: NAMES.map((name) => measureGantry(documents, objects, MEASURED[name][0], MEASURED[name][1])),
    }));
    const speeds = NAMES.map((name, index) => [name, medianSpeed(turns.map(({ gantry }) => gantry[index]))] as const);
    return {
      objects,
      kinds: kinds.length,
      valid: countValid(peer, documents),
      kubeconform: medianSpeed(turns.map(({ kubeconform }) => kubeconform)),
      gantry: Object.fromEntries(speeds) as Record<Measured, Speed>,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the valid manifests of the corpus, again and again: each copy is in namespaces of its own, and returns their kinds. */
function writeDocuments(folder: string, objects: number): readonly KindInfo[] {
  const kinds = new Map<string, KindInfo>();
  const bases = corpus().flatMap(({ object }) => {
    const info = findKind(asString(object.apiVersion) ?? '', asString(object.kind) ?? '');
    if (info === undefined || info.kind === LEFT_OUT || info.minors?.includes(DEFAULT_MINOR) === false) {
      return [];
    }
    kinds.set(`${info.apiVersion} ${info.kind}`, info);
    return [object];
  });
  const texts = Array.from({ length: objects }, (_, index) =>
    stringify(inCopy(bases[index % bases.length], Math.floor(index / bases.length))),
  );
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    writeFileSync(join(folder, `${file}.yaml`), texts.filter((_, index) => index % FILES === file).join('---\n'));
  }
  return [...kinds.values()];
}

/** Each copy of the corpus is in namespaces of its own; what has no namespace gets another name. */
function inCopy(object: JsonObject, copy: number): JsonObject {
  const metadata = asObject(object.metadata);
  const info = findKind(asString(object.apiVersion) ?? '', asString(object.kind) ?? '');
  const identity: JsonObject =
    info?.scope === 'Cluster'
      ? { name: `${asString(metadata.name) ?? 'object'}-${copy}` }
      : { namespace: `${asString(metadata.namespace) ?? 'default'}-${copy}` };
  return { ...object, metadata: { ...metadata, ...identity } };
}

function measureGantry(folder: string, objects: number, tiers: string, threads: number): Speed {
  const passes = join(__dirname, 'check-passes.ts');
  const words = ['--import', 'tsx', passes, folder, String(objects), tiers, String(threads)];
  return JSON.parse(
    execFileSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as Speed;
}

function medianSpeed(speeds: readonly Speed[]): Speed {
  return {
    cold: median(speeds.map(({ cold }) => cold)),
    warm: median(speeds.map(({ warm }) => warm)),
    warmPerCpuSecond: median(speeds.map(({ warmPerCpuSecond }) => warmPerCpuSecond)),
  };
}
