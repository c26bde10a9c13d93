/**
 * Valid objects to begin with: of the corpus, of the fixtures, of Gantry's examples as they are synthesized, and of the official examples
 * that the project's module has.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { idOf } from '../../../src/manifests/identity';
import { examplesOf, moduleFolder } from '../../corpus/official/examples';
import { EXAMPLE_SOURCES } from '../../corpus/official/sources';
import { type BaseManifest, corpus, manifestsOfFile } from '../agreement/corpus';
import { kindOf } from '../agreement/mutants';
import { type WebhookProject } from './projects';

export interface WebhookBase {
  /** Where it comes from, for people. */
  readonly file: string;
  readonly object: JsonObject;
  /** Objects of the same source that matter to the project. */
  readonly beside: readonly JsonObject[];
}

const FIXTURES = resolve(__dirname, '../../fixtures/manifests');

/** Objects of the project's kinds, each once. */
export function basesOf(project: WebhookProject): readonly WebhookBase[] {
  const sets = [...groupedByFile(corpus()), ...groupedByFile(fixtures()), ...officialExamples(project)];
  const met = new Set<string>();
  const everywhere = project.besideOfAll === true ? sets.flatMap(({ objects }) => objects) : undefined;
  return sets.flatMap(({ file, objects }) =>
    objects.flatMap((object): readonly WebhookBase[] => {
      const key = JSON.stringify(object);
      if (!isJudged(project, object) || met.has(key)) {
        return [];
      }
      met.add(key);
      const others = everywhere ?? objects;
      const beside = others.filter(
        (other) =>
          other !== object &&
          project.beside?.includes(kindOf(other)) &&
          (everywhere === undefined || key.includes(JSON.stringify(idOf(other).name))),
      );
      return [{ file, object, beside: eachOnce(beside) }];
    }),
  );
}

function eachOnce(objects: readonly JsonObject[]): readonly JsonObject[] {
  const byId = new Map(
    objects.map((object) => [`${kindOf(object)} ${idOf(object).namespace ?? ''}/${idOf(object).name}`, object]),
  );
  return [...byId.values()];
}

export function isJudged({ kinds, judges }: WebhookProject, object: JsonObject): boolean {
  return kinds.includes(kindOf(object)) && judges?.(object) !== false;
}

interface Source {
  readonly file: string;
  readonly objects: readonly JsonObject[];
}

function groupedByFile(manifests: readonly BaseManifest[]): readonly Source[] {
  const files = new Map<string, JsonObject[]>();
  for (const { file, object } of manifests) {
    files.set(file, [...(files.get(file) ?? []), object]);
  }
  return [...files].map(([file, objects]) => ({ file, objects }));
}

function fixtures(): readonly BaseManifest[] {
  return existsSync(FIXTURES)
    ? readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.yaml'))
        .sort()
        .flatMap((file) => manifestsOfFile(join(FIXTURES, file)))
    : [];
}

function officialExamples({ upstream }: WebhookProject): readonly Source[] {
  return EXAMPLE_SOURCES.filter(({ project }) => project === upstream).flatMap((source) =>
    examplesOf(source, moduleFolder(source)).map(({ file, set }) => ({
      file,
      objects: set.manifests.map(({ object }) => object),
    })),
  );
}
