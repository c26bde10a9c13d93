/**
 * Checks run by themselves: with App.synth of any app that holds a Gantry construct.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import { Queue } from '../../../src/facts/api/types/scheduling.volcano.sh/v1beta1';
import { Checks } from '../../../src/checks/synth/checks-of';
import { Resource } from '../../../src/constructs/resources/resource';
import { type ObjectRule } from '../../../src/checks/rules/rule';
import '../../../src/interfaces/checks';

let outdir: string;
let stderr: jest.SpyInstance;
beforeEach(() => {
  outdir = mkdtempSync(join(tmpdir(), 'gantry-synth-'));
  stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  rmSync(outdir, { recursive: true });
  stderr.mockRestore();
});

const named = (severity: 'error' | 'warning'): ObjectRule => ({
  id: `test/${severity}`,
  tier: 'advice',
  severity,
  summary: 'Nothing is called bad.',
  why: 'Tests want a rule that they can steer.',
  source: 'this test',
  fix: 'Choose another name.',
  on: 'object',
  kinds: ['*'],
  check: (manifest) =>
    manifest.id.name === 'bad' ? [{ path: '/metadata/name', message: 'It is called bad.', found: 'bad' }] : [],
});

function stack(name: string): { app: App; chart: Chart } {
  const app = new App({ outdir });
  const chart = new Chart(app, 'platform');
  new Resource(chart, 'queue', Queue, { metadata: { name }, spec: { weight: 1 } });
  return { app, chart };
}

test('an app without findings is written', () => {
  stack('good').app.synth();
  expect(readdirSync(outdir)).toEqual(['platform.k8s.yaml']);
});

test('an unknown field stops the synth before a file is written, and the error names the construct, the place and the fix', () => {
  const { app, chart } = stack('good');
  new Resource(chart, 'research', Queue, {
    metadata: { name: 'research' },
    spec: { guaranteed: { cpu: 1 } } as object,
  });
  expect(() => app.synth()).toThrow(/\[platform\/research\][\s\S]*guaranteed[\s\S]*guarantee/);
  expect(readdirSync(outdir)).toEqual([]);
});

test('objects that no Gantry construct made are checked too', () => {
  const { app, chart } = stack('good');
  new ApiObject(chart, 'raw', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'raw' }, date: {} });
  expect(() => app.synth()).toThrow(/\[platform\/raw\]/);
});

test('a patch is checked, since it is part of what is written', () => {
  const { app, chart } = stack('good');
  (chart.node.findChild('queue') as Resource<Queue>).addJsonPatch(JsonPatch.replace('/spec/weight', 'heavy'));
  expect(() => app.synth()).toThrow(/weight/);
});

test('an app may bring rules of its own', () => {
  const { app } = stack('bad');
  Checks.of(app).addRules(named('error'));
  expect(() => app.synth()).toThrow(/test\/error/);
});

test('a warning is printed and stops nothing', () => {
  const { app } = stack('bad');
  Checks.of(app).addRules(named('warning'));
  app.synth();
  expect(stderr.mock.calls.flat().join('')).toContain('test/warning');
  expect(readdirSync(outdir)).toEqual(['platform.k8s.yaml']);
});

test('a rule silenced on a construct stays silent below it, and the reason travels with the object', () => {
  const { app, chart } = stack('bad');
  Checks.of(app).addRules(named('error'));
  Checks.of(chart).ignore('test/error', 'the name is given from outside');
  app.synth();
  expect(readFileSync(join(outdir, 'platform.k8s.yaml'), 'utf8')).toContain(
    'gantry.dev/ignore: "test/error: the name is given from outside"',
  );
});

test('a silence needs a reason', () => {
  expect(() => Checks.of(stack('bad').chart).ignore('test/error', ' ')).toThrow(/requires a non-empty reason/);
});

test('the target decides which API versions are served', () => {
  const { app, chart } = stack('good');
  const claim = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} };
  new ApiObject(chart, 'class', claim);
  Checks.of(app).target('1.33');
  expect(() => app.synth()).toThrow(/resource\.k8s\.io\/v1/);
});

test('what was wrong and was put right no longer stops the next synth', () => {
  const { app, chart } = stack('good');
  const research = new Resource(chart, 'research', Queue, {
    metadata: { name: 'research' },
    spec: { guaranteed: {} } as object,
  });
  expect(() => app.synth()).toThrow();
  research.addJsonPatch(JsonPatch.remove('/spec/guaranteed'));
  app.synth();
  expect(readdirSync(outdir)).toHaveLength(1);
});
