import { App, Chart } from 'cdk8s';
import { Checks } from '../../../src/checks/synth/checks-of';
import { check } from '../../../src/checks/engine';
import { FindingCollector } from '../../../src/checks/report/collector';
import { type ObjectRule } from '../../../src/checks/rules/rule';
import { runRules } from '../../../src/checks/rules/run-rules';
import { formatSuppressions, type Suppression } from '../../../src/checks/report/suppression';
import { type Report } from '../../../src/checks/report/report';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';

const noData: ObjectRule = {
  id: 'test/no-data',
  tier: 'advice',
  severity: 'error',
  summary: 'A ConfigMap holds nothing.',
  why: 'Tests want a rule that always fires.',
  source: 'this test',
  fix: 'Remove the data.',
  on: 'object',
  kinds: ['ConfigMap'],
  check: (manifest) => ('data' in manifest.object ? [{ path: '/data', message: 'There is data.' }] : []),
};

function report(annotation: string | undefined, ignore: readonly Suppression[] = []): Report {
  const annotations =
    annotation === undefined ? '' : `\n  annotations:\n    gantry.dev/ignore: ${JSON.stringify(annotation)}`;
  const { manifests } = parseYaml(
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a${annotations}\ndata: {x: y}\n`,
    'a.yaml',
  );
  const set = new ManifestSet(manifests);
  const collector = new FindingCollector(set, { ignore });
  runRules([noData], { set, kubernetes: '1.35' }, collector);
  return collector.report();
}

test('a rule reports where it is not suppressed', () => {
  expect(report(undefined).findings.map(({ rule, line }) => [rule, line])).toEqual([['test/no-data', 5]]);
});

test('an annotation with a reason silences the rule on its object, and the finding is kept with the reason', () => {
  const { findings, suppressed } = report('test/no-data: legacy dashboards read it');
  expect(findings).toEqual([]);
  expect(suppressed.map(({ rule, reason }) => [rule, reason])).toEqual([['test/no-data', 'legacy dashboards read it']]);
});

test('an annotation without a reason silences nothing and is a finding itself', () => {
  const { findings } = report('test/no-data');
  expect(findings.map(({ rule }) => rule).sort()).toEqual(['gantry/suppression-needs-reason', 'test/no-data']);
});

test('an annotation names several rules, one a line; only those are silenced', () => {
  expect(report('test/other: because\n\ntest/no-data: because').findings).toEqual([]);
  expect(report('test/other: because').findings).toHaveLength(1);
});

test('a whole check can silence a rule', () => {
  expect(report(undefined, [{ rule: 'test/no-data', reason: 'not ours' }]).findings).toEqual([]);
});

test('what is written as an annotation is read back, also where the reason has several lines', () => {
  const text = formatSuppressions([{ rule: 'test/no-data', reason: 'first\n  second' }]);
  expect(report(text).suppressed.map(({ reason }) => reason)).toEqual(['first second']);
});

test('a rule that fails is said, and the other rules go on', () => {
  const { manifests } = parseYaml('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: y}\n', 'a.yaml');
  const set = new ManifestSet(manifests);
  const collector = new FindingCollector(set, {});
  const broken: ObjectRule = {
    ...noData,
    id: 'test/broken',
    check: () => {
      throw new Error('no such thing');
    },
  };
  runRules([broken, noData], { set, kubernetes: '1.35' }, collector);
  const { findings, notChecked } = collector.report();
  expect(findings).toHaveLength(1);
  expect(notChecked).toEqual([
    { object: 'v1 ConfigMap a', file: 'a.yaml', why: 'the rule test/broken failed: no such thing', failed: true },
  ]);
});

describe('a suppression that names no rule', () => {
  const checked = (annotation: string): readonly string[] =>
    check(
      new ManifestSet(
        parseYaml(
          `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    gantry.dev/ignore: ${JSON.stringify(annotation)}\n`,
          'a.yaml',
        ).manifests,
      ),
      { rules: [noData] },
    ).findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);

  test.each([
    [
      'a misspelled rule',
      'schema/unknown-feild: ours',
      'unknown rule "schema/unknown-feild" (did you mean "schema/unknown-field"?)',
    ],
    [
      'a rule without its domain',
      'unknown-field: ours',
      'unknown rule "unknown-field" (did you mean "schema/unknown-field"?)',
    ],
    ['a rule of a known domain', 'schema/whatever-else: ours', 'unknown rule "schema/whatever-else"'],
  ])('%s is a warning', (_what, annotation, problem) => {
    expect(checked(annotation)).toEqual([
      `warning gantry/suppression-names-rule: ${problem}: its line in the annotation has no effect`,
    ]);
  });

  test.each(['schema/unknown-field: ours', 'test/no-data: ours', 'acme/owner-label: a rule of our organization'])(
    '"%s" is not reported',
    (annotation) => {
      expect(checked(annotation)).toEqual([]);
    },
  );
});

describe('Checks', () => {
  test('ignore refuses a rule that does not exist, and takes one of the app', () => {
    const app = new App();
    const chart = new Chart(app, 'platform');
    expect(() => Checks.of(chart).ignore('schema/known-knd', 'ours')).toThrow(
      'platform: unknown rule "schema/known-knd" (did you mean "schema/known-kind"?). List the rules with `gantry rules`.',
    );
    expect(() => Checks.of(app).ignore('schema/known-kind', ' ')).toThrow(
      'ignoring the rule "schema/known-kind" requires a non-empty reason.',
    );
    expect(() => Checks.of(app).addRules(noData).ignore('test/no-data', 'ours')).not.toThrow();
  });

  test('target refuses a version without schemas', () => {
    expect(() => Checks.of(new App()).target('1.99')).toThrow(
      /^unsupported Kubernetes version "1\.99"\. Supported versions are 1\.30, .*1\.37\.$/,
    );
  });
});
