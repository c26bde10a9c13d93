/**
 * Everything that the round trip goes over: the examples, the fixtures, and the manifests of the end-to-end suite.
 */
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ApiObject, App } from 'cdk8s';
import { type JsonObject } from '../../src/facts/api/schema';
import { readManifestFiles } from '../../src/interfaces/checks/read-files';
import { idOf } from '../../src/manifests/identity';
import { ManifestSet } from '../../src/manifests/manifest-set';

export const ROOT = resolve(__dirname, '../..');

export interface Input {
  readonly name: string;
  readonly read: () => ManifestSet;
}

/** What an example renders, as a file that was synthesized. */
export function exampleInputs(): readonly Input[] {
  const folders = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('main.ts'))
    .sort();
  return folders.map((path) => ({ name: `examples/${path}`, read: () => synthesized(join(ROOT, 'examples', path)) }));
}

function synthesized(path: string): ManifestSet {
  // oxlint-disable-next-line typescript/no-require-imports
  const module = require(path) as Readonly<Record<string, (app: App) => unknown>>;
  const app = new App();
  Object.values(module).find((value) => typeof value === 'function' && value.length === 1)?.(app);
  const objects = app.node
    .findAll()
    .filter((child) => ApiObject.isApiObject(child))
    .map((object) => object.toJson() as JsonObject);
  return new ManifestSet(objects.map((object) => ({ id: idOf(object), object, origin: { file: path } })));
}

export function fileInputs(folder: string): readonly Input[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .sort();
  return files.map((path) => {
    const file = join(ROOT, folder, path);
    return { name: relative(ROOT, file), read: () => readManifestFiles(file) };
  });
}
