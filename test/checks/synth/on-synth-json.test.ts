/**
 * What was checked is what is written: the JSON that the check read is the JSON that cdk8s writes.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, JsonPatch, Lazy, YamlOutputType } from 'cdk8s';
import { checkOnSynth } from '../../../src/checks/synth/on-synth';
import { Testing } from '../../../src/interfaces/testing';

let outdir: string;
beforeEach(() => (outdir = mkdtempSync(join(tmpdir(), 'gantry-test-'))));
afterEach(() => rmSync(outdir, { recursive: true }));

/** A config map whose text is counted up each time that it is rendered. */
function counter(yamlOutputType?: YamlOutputType): {
  readonly app: App;
  readonly map: ApiObject;
  readonly times: () => number;
} {
  const app = new App({ outdir, yamlOutputType });
  let times = 0;
  const data = { turn: Lazy.any({ produce: () => String(++times) }) as unknown };
  const map = new ApiObject(new Chart(app, 'chart'), 'map', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'counter' },
    data,
  });
  new ApiObject(new Chart(app, 'other'), 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } });
  checkOnSynth(app);
  return { app, map, times: () => times };
}

function written(): string {
  return readFileSync(join(outdir, 'chart.k8s.yaml'), 'utf8');
}

test('a synth renders each object once', () => {
  const { app, times } = counter();
  app.synth();
  expect(times()).toBe(1);
  expect(written()).toContain('turn: "1"');
  expect(app.synthYaml()).toContain('turn: "2"');
  expect(times()).toBe(2);
});

test.each(Object.values(YamlOutputType).filter((type): type is YamlOutputType => typeof type === 'number'))(
  '... with output type %s too',
  (type) => {
    const { app, times } = counter(type);
    app.synth();
    expect(times()).toBe(1);
  },
);

test('a later synth writes what has changed since', () => {
  const { app, map } = counter();
  app.synth();
  map.addJsonPatch(JsonPatch.add('/data/late', 'yes'));
  app.synth();
  expect(written()).toContain('late: "yes"');
});

test('outside of a synth an object renders itself, after one that failed too', () => {
  const { app, map, times } = counter();
  app.synth();
  expect(Object.hasOwn(map, 'toJson')).toBe(false);
  app.node.addValidation({ validate: () => ['no'] });
  expect(() => app.synth()).toThrow('no');
  expect(Object.hasOwn(map, 'toJson')).toBe(false);
  const before = times();
  expect(map.toJson()).toMatchObject({ data: { turn: String(before + 1) } });
  expect(map.toJson()).toMatchObject({ data: { turn: String(before + 2) } });
});

test('a method that somebody put on one object is called by the check and by cdk8s', () => {
  const { app, map } = counter();
  const own = (): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' } });
  Object.defineProperty(map, 'toJson', { value: own, configurable: true });
  app.synth();
  expect(written()).toContain('name: own');
  expect(Object.getOwnPropertyDescriptor(map, 'toJson')?.value).toBe(own);
});

test('the same bytes are written with checks and without', () => {
  const make = (): App => {
    const app = new App();
    const chart = new Chart(app, 'chart', { labels: { team: 'a' } });
    const spec = { ports: [{ port: 80 }], selector: { app: 'x' }, type: undefined };
    const map = new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', data: { b: '1', a: 'on' } });
    new ApiObject(chart, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec,
    }).addDependency(map);
    return app;
  };
  const checked = make();
  checkOnSynth(checked);
  expect(checked.synthYaml()).toBe(make().synthYaml());
});

test('Testing.synth renders each object once', () => {
  const { app, times } = counter();
  expect(Testing.synth(app)).toMatchObject([{ data: { turn: '1' } }, {}]);
  expect(times()).toBe(1);
});
