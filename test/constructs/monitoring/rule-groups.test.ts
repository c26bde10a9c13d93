/**
 * Groups of rules: their names and labels, in objects of the operator and in files of Prometheus.
 */
import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf } from '../../support/findings';

const rule = (name: string): JsonObject => ({ alert: name, expr: 'up == 0' });

function said(rules: JsonObject): readonly (readonly [string, string, string])[] {
  return findingsOf(JSON.stringify(rules), monitoringRules).map(({ rule: id, path, message }) => [id, path, message]);
}

function inObject(...groups: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'a', namespace: 'ai' },
    spec: { groups: [...groups] },
  };
}

function inFile(...groups: readonly JsonObject[]): JsonObject {
  const data = { 'rules.yaml': stringify({ groups }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
}

test.each(['', '__name__'])('the label %j of a group is reported at the label, or at the file', (name) => {
  const group = { name: 'gpu', labels: { team: 'a', [name]: 'b' }, rules: [rule('A'), rule('B')] };
  const message = `"${name}" in the labels of the group "gpu" is not a valid label name`;
  expect(said(inObject(group))).toEqual([['monitoring/rule-label-named', `/spec/groups/0/labels/${name}`, message]]);
  expect(said(inFile(group))).toEqual([['monitoring/rule-label-named', '/data/rules.yaml', message]]);
});

test('a label or annotation of a rule needs a name, and an annotation may have the name of the metric', () => {
  const own = { ...rule('A'), labels: { '': 'a', team: 'b' }, annotations: { '': 'a', __name__: 'b' } };
  expect(said(inObject({ name: 'gpu', rules: [rule('B'), own] }))).toEqual([
    [
      'monitoring/rule-label-named',
      '/spec/groups/0/rules/1/annotations/',
      '"" in the annotations of the alert "A" is not a valid annotation name',
    ],
    [
      'monitoring/rule-label-named',
      '/spec/groups/0/rules/1/labels/',
      '"" in the labels of the alert "A" is not a valid label name',
    ],
  ]);
});

test('a rule file in JSON is read, on one line or on several', () => {
  const group = { name: 'gpu', labels: { '': 'b' }, rules: [rule('A')] };
  for (const indent of [0, 2]) {
    const data = { 'rules.json': JSON.stringify({ groups: [group] }, undefined, indent) };
    expect(said({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data })).toEqual([
      [
        'monitoring/rule-label-named',
        '/data/rules.json',
        '"" in the labels of the group "gpu" is not a valid label name',
      ],
    ]);
  }
  // A dashboard with a key of that name is none.
  const panel = JSON.stringify({ panels: [{ targets: [{ expr: 'a{' }] }], groups: [group] });
  expect(
    said({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { 'a.json': panel } }).filter(
      ([id]) => id === 'monitoring/rule-label-named',
    ),
  ).toEqual([]);
});

test('each group of a file needs a name that no other has', () => {
  const [one, other, third] = ['A', 'B', 'C'].map(rule);
  expect(said(inFile({ name: 'gpu', rules: [one] }, { name: '', rules: [other] }))).toEqual([
    ['monitoring/group-named-once', '/data/rules.yaml', 'groups[].name must be set'],
  ]);
  // Two without a name are not also duplicates.
  expect(said(inFile({ rules: [one] }, { name: '', rules: [other] })).map(([, , message]) => message)).toEqual([
    'groups[].name must be set',
    'groups[].name must be set',
  ]);
  expect(
    said(inFile({ name: 'gpu', rules: [one] }, { name: 'cpu', rules: [third] }, { name: 'gpu', rules: [other] })),
  ).toEqual([['monitoring/group-named-once', '/data/rules.yaml', 'duplicate group name "gpu"']]);
});
