/**
 * The valid manifests that mutants are made of: those of this suite, and the corrected manifests of the fixtures.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, asString, isObject } from '../../../src/manifests/read';

export interface BaseManifest {
  readonly file: string;
  readonly object: JsonObject;
}

const PROJECT = resolve(__dirname, '../../..');
export const CORPUS_FOLDER = join(PROJECT, 'test/e2e/corpus');
export const CORRECTED_FOLDER = join(PROJECT, 'test/fixtures/manifests/corrected');
/** The namespace of everything in the corpus. */
export const CORPUS_NAMESPACE = 'corpus';

export function corpus(): readonly BaseManifest[] {
  return [CORPUS_FOLDER, CORRECTED_FOLDER].flatMap(manifestsIn);
}

/** The manifests of a folder's YAML files, without configuration files that no API server takes. */
export function manifestsIn(folder: string): readonly BaseManifest[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => manifestsOfFile(join(folder, file)));
}

export function manifestsOfFile(file: string): readonly BaseManifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8'))
    .map((document) => document.toJS() as JsonValue | undefined)
    .filter((object): object is JsonObject => isObject(object) && !isConfigurationFile(object))
    .map((object) => ({ file, object }));
}

/** Read by a program from its disk, never sent to a server. */
export function isConfigurationFile(object: JsonObject): boolean {
  return /^kubelet\.config\.k8s\.io\//.test(asString(object.apiVersion) ?? '');
}

/** The namespaces that these manifests live in. */
export function namespacesOf(manifests: readonly BaseManifest[]): readonly string[] {
  const names = manifests.flatMap(({ object }) => {
    const { namespace } = asObject(object.metadata);
    return typeof namespace === 'string' ? [namespace] : [];
  });
  return [...new Set(names)].sort();
}
