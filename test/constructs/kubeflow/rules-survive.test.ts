import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { type Rule } from '../../../src/checks/rules/rule';
import { kubeflowRules } from '../../../src/constructs/kubeflow/rules';
import { type Manifest } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { valueAt } from '../../../src/manifests/pointer';
import { elasticJob, job, mpiJob, staticJob } from './jobs';
import { samples } from '../../support/samples';

const SEED = { seed: 20261120 };

function manifestOf(object: JsonObject): Manifest {
  const { apiVersion = '', kind = '' } = object as { apiVersion?: string; kind?: string };
  return { id: { apiVersion, group: 'kubeflow.org', kind, namespace: '', name: 'train' }, object, origin: {} };
}

function violations(object: JsonObject): readonly { readonly rule: Rule; readonly path: string | undefined }[] {
  const manifest = manifestOf(object);
  const context = { set: new ManifestSet([manifest]), kubernetes: '1.35' } as const;
  return kubeflowRules.flatMap((rule) => {
    if (rule.on === 'pod-template') {
      return [];
    }
    return [...(rule.on === 'set' ? rule.check(context) : rule.check(manifest, context))].map(({ path }) => ({
      rule,
      path,
    }));
  });
}

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => value as JsonValue);

/** Replaces one value somewhere in a good job by any other. */
function broken(object: JsonObject): fc.Arbitrary<JsonObject> {
  const places: (readonly (string | number)[])[] = [];
  const walk = (value: JsonValue, path: readonly (string | number)[]): void => {
    if (path.length > 0) {
      places.push(path);
    }
    if (Array.isArray(value)) {
      value.forEach((item, index) => walk(item, [...path, index]));
    } else if (value !== null && typeof value === 'object') {
      Object.entries(value).forEach(([key, item]) => walk(item, [...path, key]));
    }
  };
  walk(object.spec ?? null, ['spec']);
  return fc
    .tuple(fc.constantFrom(...places), anyJson)
    .map(([path, value]) => replaced(object, path, value) as JsonObject);
}

function replaced(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [head, ...rest] = path;
  if (head === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === head ? replaced(item, rest, by) : item));
  }
  return { ...(value as JsonObject), [head]: replaced((value as JsonObject)[head] ?? null, rest, by) };
}

const KINDS = ['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'];

test('rules survive any spec of any kind', () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), anyJson, (kind, spec) => {
      violations({ apiVersion: 'kubeflow.org/v1', kind, metadata: { name: 'train' }, spec });
    }),
    { ...SEED, numRuns: samples(500) },
  );
});

test('rules of the mpi-operator survive any spec', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyJson,
        broken(mpiJob()).map(({ spec }) => spec ?? null),
      ),
      (spec) => {
        violations({ ...mpiJob(), spec });
      },
    ),
    { ...SEED, numRuns: samples(300) },
  );
});

test('rules survive a good job with any value in the wrong place, and point into it', () => {
  const jobs = [
    staticJob(),
    elasticJob(),
    job('MPIJob', { Launcher: {}, Worker: { replicas: 2 } }),
    job('TFJob', { Chief: {}, PS: {} }),
  ];
  fc.assert(
    fc.property(fc.oneof(...jobs.map(broken)), (object) => {
      for (const { rule, path } of violations(object)) {
        if (path === undefined || path === '/spec') {
          continue;
        }
        expect([rule.id, path, valueAt(object, path.slice(0, path.lastIndexOf('/')))]).not.toEqual([
          rule.id,
          path,
          undefined,
        ]);
      }
    }),
    { ...SEED, numRuns: samples(500) },
  );
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expect(new Set(kubeflowRules.map((rule) => rule.id)).size).toBe(kubeflowRules.length);
  for (const rule of kubeflowRules) {
    expect(rule.id).toMatch(/^kubeflow\/[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(rule.row).toMatch(/^K[TM]\d+$/);
    const source =
      rule.row === 'KM8' ? /nccl-tests/ : rule.row?.startsWith('KM') === true ? /mpi-operator v0\.8\.0/ : /v1\.9\.4/;
    expect(rule.source).toMatch(source);
    for (const text of [rule.summary, rule.why, rule.fix]) {
      expect(text).toMatch(/\.$/);
    }
  }
});
