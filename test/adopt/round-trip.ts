/**
 * Runs the source that `adopt` writes, and compares what it renders with what was adopted.
 */
import { transformSync } from '@swc/core';
import { ApiObject, App, type Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import * as tsMorph from 'ts-morph';
import { type JsonObject } from '../../src/facts/api/schema';
import { describeId } from '../../src/manifests/manifest';
import { type ManifestSet } from '../../src/manifests/manifest-set';
import { adopt, type Adoption } from '../../src/interfaces/cli/adopt/adopt';
import { differences } from '../../src/interfaces/difference/compare';
import { idOf } from '../../src/manifests/identity';

export interface RoundTrip {
  readonly adoption: Adoption;
  /** What differs, one line for each object; empty where the stack renders equal objects. */
  readonly differing: readonly string[];
}

/** Adopts a set with the values of its Secrets, runs the source, and compares. */
export function roundTrip(set: ManifestSet): RoundTrip {
  const adoption = adopt(set, { secrets: true, className: 'Stack' }, tsMorph);
  return { adoption, differing: adoption.source === '' ? [] : differing(adoption, objectsOf(adoption.source)) };
}

/** The objects that a source renders. */
export function objectsOf(source: string): readonly JsonObject[] {
  const { code } = transformSync(source, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  const exported: Record<string, new (scope: Construct, id: string) => Chart> = {};
  // The code is our own, and runs as a module would.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function('require', 'exports', code) as (require: typeof load, exports: typeof exported) => void;
  run(load, exported);
  const { Stack } = exported;
  if (Stack === undefined) {
    throw new Error('the source exports no Stack');
  }
  // Not by the chart, which would also run the checks.
  const objects = new Stack(new App(), 'stack').node.findAll().filter((child) => ApiObject.isApiObject(child));
  return objects.map((object) => object.toJson() as JsonObject);
}

/** The package as the tests have it. */
function load(name: string): unknown {
  const [, kind] = /^cdk8s-gantry\/api\/(.+)$/.exec(name) ?? [];
  const path =
    kind === undefined ? (name === 'cdk8s-gantry' ? '../../src' : name) : `../../src/facts/api/types/${kind}`;
  // oxlint-disable-next-line typescript/no-require-imports
  return require(path);
}

function differing({ declarations, notCarried }: Adoption, rendered: readonly JsonObject[]): readonly string[] {
  const wanted = declarations.flatMap(({ manifest, covers }) => [manifest, ...covers]);
  const left = new Map<string, JsonObject[]>();
  for (const object of rendered) {
    const key = describeId(idOf(object));
    left.set(key, [...(left.get(key) ?? []), object]);
  }
  const missing = wanted.flatMap((manifest) => {
    const key = describeId(manifest.id);
    const candidates = left.get(key) ?? [];
    const lost = notCarried.filter((one) => one.manifest === manifest).map(({ path }) => path);
    const found = candidates.map((object) =>
      differences(manifest.object, object).filter(({ path }) => !lost.includes(`/${path.join('/')}`)),
    );
    const same = found.findIndex((one) => one.length === 0);
    if (same >= 0) {
      left.set(
        key,
        candidates.filter((_, index) => index !== same),
      );
      return [];
    }
    return [`${key}: ${JSON.stringify(found[0] ?? 'not rendered')}`];
  });
  const more = [...left].flatMap(([key, objects]) => objects.map(() => `${key}: not wanted`));
  return [...missing, ...more];
}
