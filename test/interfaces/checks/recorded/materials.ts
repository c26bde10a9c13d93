/**
 * What documents are made from: the manifests with which the rules of a domain are tested, those of the fixtures, and those that are recorded for any
 * domain.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { parseYaml } from '../../../../src/manifests/yaml';
import { PROJECT } from '../../../mutation/mutants';
import { manifestsOfTests } from '../../../support/manifests-of-tests';
import { readFindings } from '../../../support/recorded-findings';
import { recordedProjects } from '../../../support/webhook-verdicts';
import { type Domain, domains, fixtureOf } from './domains';

const FOLDERS = ['test/e2e/corpus', 'test/fixtures/manifests/defects', 'test/fixtures/manifests/corrected'];
/** How many manifests of a file are taken together. */
const SET_SIZE = 4;

/** Lists of manifests as JSON, each once, the shortest first. */
export function materialsFor({ tests }: Domain): readonly string[] {
  const fromFiles = FOLDERS.flatMap((folder) => readdirSync(join(PROJECT, folder)).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => inSets(manifestsOfFile(file)));
  const ofProjects = recordedProjects().flatMap(({ verdicts }) =>
    verdicts.map(({ object, beside }) => [object, ...beside]),
  );
  const texts = [...fromFiles, ...ofProjects].map((objects) => JSON.stringify(objects));
  return [...new Set([...manifestsOfTests(tests), ...texts, ...recordedDocuments()])].sort(
    (a, b) => a.length - b.length,
  );
}

/** Those in which the rules of any domain found something when they were recorded. */
function recordedDocuments(): readonly string[] {
  return domains()
    .map(fixtureOf)
    .filter((fixture) => existsSync(fixture))
    .flatMap((fixture) => readFindings(readFileSync(fixture, 'utf8')).map(({ text }) => text));
}

function manifestsOfFile(file: string): readonly JsonObject[] {
  return parseYaml(readFileSync(join(PROJECT, file), 'utf8'), file).manifests.map(({ object }) => object);
}

function inSets(objects: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  return objects.map((_, index) => objects.slice(index, index + SET_SIZE));
}
