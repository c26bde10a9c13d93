import { check } from '../../../src/checks/engine';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { findingsOf, rulesFiring } from '../../support/findings';
import { expectRuleFacts } from '../../support/rules-survive';
import { AGREEMENT_CASES } from './agreement-cases';
import { METRIC_CASES } from './metric-cases';
import { CPU, deployment, prometheus, QUEUE, scaledObject } from './objects';
import { PARAMETER_CASES } from './parameter-cases';
import { TARGET_CASES } from './target-cases';

const CASES = [...TARGET_CASES, ...METRIC_CASES, ...PARAMETER_CASES, ...AGREEMENT_CASES];

describe.each(CASES)('%s: %s', (rule, _what, wrong, right) => {
  test('fires', () => {
    expect(rulesFiring(wrong, kedaRules)).toContain(rule);
  });

  test('is silent, and nothing else is an error', () => {
    const findings = findingsOf(right, kedaRules);
    expect(findings.filter((finding) => finding.rule === rule || finding.severity === 'error')).toEqual([]);
  });
});

test('every rule has a case', () => {
  expect(kedaRules.map(({ id }) => id).filter((id) => !CASES.some(([rule]) => rule === id))).toEqual([]);
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expectRuleFacts(kedaRules, 'keda', /^KE\d+$/);
});

test('a missing request is certain only where the namespace is part of the manifests', () => {
  const manifests = scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + deployment(' ');
  const severityOf = (yaml: string): string | undefined =>
    findingsOf(yaml, kedaRules).find(({ rule }) => rule === 'keda/resource-trigger-has-requests')?.severity;
  expect(severityOf(manifests)).toBe('warning');
  expect(severityOf(`${manifests}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: serving}\n`)).toBe('error');
});

test('a scalar is made a vector by the fix, a range is not', () => {
  const fixOf = (query: string): string | undefined => findingsOf(scaledObject([prometheus(query)]), kedaRules)[0]?.fix;
  expect(fixOf('scalar(sum(requests))')).toBe('Set metadata.query to vector(scalar(sum(requests))).');
  expect(fixOf('requests[5m]')).not.toContain('vector(requests');
});

test('a misspelled scaler or parameter is reported with the name that was meant', () => {
  const [scaler] = findingsOf(scaledObject(['type: promethues\nmetadata: {}']), kedaRules);
  expect(scaler?.expected).toBe('prometheus');
  const [parameter] = findingsOf(scaledObject([prometheus('sum(requests)', 'treshold: "1"')]), kedaRules);
  expect(parameter?.expected).toBe('threshold');
});

test('what KEDA is about to remove is information, and what it has removed an error', () => {
  const temporal = 'type: temporal\nmetadata: {endpoint: "t:7233", taskQueue: q, selectUnversioned: "true"}';
  expect(findingsOf(scaledObject([temporal]), kedaRules)).toMatchObject([
    { rule: 'keda/parameter-current', severity: 'info', tier: 'advice' },
  ]);
});

test('more replicas at least than at most are refused by the CRD itself', () => {
  const { manifests } = parseYaml(scaledObject([QUEUE], { spec: 'minReplicaCount: 101' }), 'test.yaml');
  expect(check(new ManifestSet(manifests), { rules: kedaRules }).findings).toMatchObject([
    { rule: 'cel/rule', path: '/spec' },
  ]);
});
