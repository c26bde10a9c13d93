import { ApiObject, App, Chart } from 'cdk8s';
import { reportMistake } from '../../../src/checks/synth/mistakes';
import { CheckError, Namespace, synthesize } from '../../../src';

function app(kind = 'ConfigMap'): App {
  const made = new App();
  const chart = new Chart(made, 'platform');
  new Namespace(chart, 'research');
  new ApiObject(chart, 'raw', { apiVersion: 'v1', kind, metadata: { name: 'raw', namespace: 'research' } });
  return made;
}

test('returns objects, manifests with construct paths, and the report', () => {
  const { objects, manifests, report } = synthesize(app());
  expect(objects.map(({ kind }) => kind)).toEqual(['Namespace', 'ConfigMap']);
  expect(manifests.manifests.map(({ origin }) => origin.construct)).toEqual([
    'platform/research/Resource',
    'platform/raw',
  ]);
  expect(report).toMatchObject({ documents: 2, findings: [] });
});

test('throws a CheckError with the report where a finding is an error', () => {
  expect(() => synthesize(app('ConfigMop'))).toThrow(CheckError);
  expect(() => synthesize(app('ConfigMop'))).toThrow(/ConfigMop/);
});

test('returns errors where the caller asks for it', () => {
  expect(synthesize(app('ConfigMop'), { onErrors: 'return' }).report.findings).toMatchObject([
    { rule: 'schema/known-kind', construct: 'platform/raw' },
  ]);
});

test('validations of constructs count, and the check does not run twice', () => {
  const made = app();
  made.node.addValidation({ validate: () => ['no'] });
  expect(() => synthesize(made)).toThrow('Validation failed with the following errors:\n  no');
  const wrong = app('ConfigMop');
  expect(() => wrong.synth()).toThrow();
  expect(() => synthesize(wrong)).toThrow(CheckError);
});

test('mistakes are reported together, each with its construct and its line', () => {
  const made = app();
  reportMistake(made.node.findChild('platform'), 'first');
  reportMistake(made, 'second');
  expect(() => synthesize(made)).toThrow(
    /\n {2}second \(test\/checks\/synth\/synthesize\.test\.ts:\d+\)\n {2}\[platform\] first \(test\/checks\/synth\/synthesize\.test\.ts:\d+\)$/,
  );
});
