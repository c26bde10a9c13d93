import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { ACCELERATORS } from '../../../src/facts/catalog';
import { readDcgmCounters } from '../../../src/constructs/gpu-operator/dcgm-counters-text';
import { dcgmCsv } from '../../../src/constructs/gpu-operator/dcgm-counters';
import { readDevicePluginConfig } from '../../../src/constructs/gpu-operator/device-plugin-text';
import { migLayoutProblems } from '../../../src/facts/catalog/mig-layout';
import { readMigConfig } from '../../../src/constructs/gpu-operator/mig-parted-text';
import { gpuOperatorRules } from '../../../src/constructs/gpu-operator/rules';
import { findingsOf } from '../../support/findings';
import { clusterPolicy, configMap, driver, entry, gpuCluster, node, pod, slicing } from './world';
import { samples } from '../../support/samples';

const SEED = 20261120;
const junk: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    '',
    0,
    -1,
    1.5,
    true,
    [],
    {},
    [null],
    [[]],
    { '': null },
    'DCGM_FI_A',
    'sharing:',
    '\u0000',
    [{}],
    'constructor',
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
);

/** The places of a value, those of containers before those inside. */
function places(value: JsonValue, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') {
    return [path];
  }
  const entries: [string | number, JsonValue][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return [path, ...entries.flatMap(([key, item]) => places(item, [...path, key]))];
}

function replaced(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  }
  const object = value as JsonObject;
  return { ...object, [key]: replaced(object[key] ?? null, rest, by) };
}

const plugin: JsonObject = {
  ...slicing(),
  flags: { migStrategy: 'none', plugin: { deviceListStrategy: ['envvar'] }, gfd: {} },
  imex: { channelIDs: [0] },
};
const mig: JsonObject = {
  version: 'v1',
  'mig-configs': { a: [entry({ '1g.10gb': 7 }, { 'device-filter': ['0x233010DE'] })] },
};

test('no rule fails, whatever replaces any part of a manifest', () => {
  const good: JsonObject[] = [
    clusterPolicy({
      devicePlugin: { config: { name: 'c', default: 'a' } },
      migManager: { config: { name: 'c' } },
      dcgmExporter: { config: { name: 'c' } },
      cdi: { nriPluginEnabled: true },
    }),
    gpuCluster(),
    driver('a', {
      nodeSelector: { a: 'b' },
      gds: { enabled: true, version: '2.20' },
      kernelModuleType: 'proprietary',
      usePrecompiled: true,
    }),
    driver('b', { default: true, rdma: { useHostMofed: true } }),
    configMap(
      { a: JSON.stringify(plugin), 'config.yaml': JSON.stringify(mig), 'dcgm-metrics.csv': 'DCGM_FI_A, gauge, a\n' },
      'c',
    ),
    node({ 'nvidia.com/mig.config': 'a', 'nvidia.com/device-plugin.config': 'a' }),
    pod({ 'nvidia.com/gpu.shared': 2 }),
  ];
  const targets = good.flatMap((manifest, index) =>
    places(manifest)
      .filter(([first]) => first !== 'apiVersion' && first !== 'kind' && first !== undefined)
      .map((path) => [index, ...path]),
  );
  fc.assert(
    fc.property(fc.constantFrom(...targets), junk, (path, value) => {
      const set = replaced(good, path, value) as JsonValue[];
      findingsOf(set.map((manifest) => JSON.stringify(manifest)).join('\n---\n'), gpuOperatorRules);
    }),
    { seed: SEED, numRuns: samples(250) },
  );
});

test('any text and any value is read as a configuration without failing', () => {
  const words = fc.constantFrom(
    'version: v1',
    'sharing:',
    '  timeSlicing:',
    '- name: gpu',
    'mig-configs:',
    'DCGM_FI_A',
    ',',
    '"',
    'gauge',
    '#',
    '&a',
    '*a',
    '\n',
    '{',
    ': ',
    '- ',
  );
  const broken = fc.oneof(
    fc.string(),
    fc.array(words).map((parts) => parts.join(' ')),
    fc.array(words).map((parts) => parts.join('\n')),
  );
  const around = (base: JsonObject): fc.Arbitrary<string> =>
    fc
      .tuple(fc.constantFrom(...places(base)), junk)
      .map(([path, value]) => JSON.stringify(replaced(base, path, value)));
  fc.assert(
    fc.property(fc.oneof(broken, around(plugin), around(mig)), (text) => {
      for (const { problems } of [readDevicePluginConfig(text), readMigConfig(text), readDcgmCounters(text)]) {
        for (const { message } of problems) {
          expect(message.length).toBeGreaterThan(5);
        }
      }
    }),
    { seed: SEED, numRuns: samples(500) },
  );
});

test('counters are read back as they were written', () => {
  const field = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/).map((name) => `DCGM_FI_${name}` as const);
  const counter = fc.record({
    field,
    type: fc.constantFrom('gauge', 'counter', 'label'),
    help: fc.stringMatching(/^[a-z][a-z,"# ]{0,20}[a-z]$/),
  });
  fc.assert(
    fc.property(fc.uniqueArray(counter, { selector: (one) => one.field }), (counters) => {
      const { rows, problems } = readDcgmCounters(dcgmCsv(counters));
      expect(problems).toEqual([]);
      expect(rows.map(({ field: name, type, help }) => ({ field: name, type, help }))).toEqual(
        counters.map((one) => ({ ...one, help: one.help.replace(/ +/g, ' ') })),
      );
    }),
    { seed: SEED, numRuns: samples(100) },
  );
});

test('what fits a GPU still fits with an instance less, and every profile fits alone up to its greatest count', () => {
  for (const gpu of ACCELERATORS.filter(({ mig: profiles }) => profiles.length > 0)) {
    for (const { name, maxPerGpu } of gpu.mig) {
      expect([gpu.name, name, migLayoutProblems(gpu, { [name]: maxPerGpu })]).toEqual([gpu.name, name, []]);
      expect(migLayoutProblems(gpu, { [name]: maxPerGpu + 1 }).length).toBeGreaterThan(0);
    }
  }
  const cut = ACCELERATORS.filter(({ mig: profiles }) => profiles.length > 0);
  const layout = fc
    .constantFrom(...cut)
    .chain((gpu) =>
      fc
        .dictionary(fc.constantFrom(...gpu.mig.map(({ name }) => name)), fc.integer({ min: 1, max: 4 }))
        .map((counts) => ({ gpu, counts })),
    );
  fc.assert(
    fc.property(layout, ({ gpu, counts }) => {
      if (migLayoutProblems(gpu, counts).length > 0) {
        return;
      }
      for (const [name, count] of Object.entries(counts)) {
        expect(migLayoutProblems(gpu, { ...counts, [name]: count - 1 })).toEqual([]);
      }
    }),
    { seed: SEED, numRuns: samples(300) },
  );
});
