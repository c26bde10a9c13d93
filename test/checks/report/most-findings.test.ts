/**
 * Of many findings of one rule in one object, 100 are listed, and one represents the others.
 */
import { defineRule } from '../../../src/checks/rules/define-rule';
import { check } from '../../../src/checks/engine';
import { type Finding } from '../../../src/checks/report/finding';
import { renderJson } from '../../../src/checks/report/json';
import { renderSarif } from '../../../src/checks/report/sarif';
import { renderText } from '../../../src/checks/report/text';
import { countsOf, type Report } from '../../../src/checks/report/report';
import { type Rule } from '../../../src/checks/rules/rule';
import { type JsonObject } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import '../../../src/interfaces/checks';
import { manifestOf } from '../../support/manifest-of';

const badKeys = (count: number, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', annotations },
  data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`bad key! ${index}`, 'x'])),
});

function reportOf(object: JsonObject, rules?: readonly Rule[]): Report {
  return check(new ManifestSet([manifestOf(object)]), rules === undefined ? {} : { rules });
}

const shown = ({ path, message, omitted }: Finding): readonly unknown[] => [path, message, omitted];

test('100 findings of a rule in an object are listed', () => {
  const { findings } = reportOf(badKeys(100));
  expect(findings).toHaveLength(100);
  expect(findings.every(({ omitted }) => omitted === undefined)).toBe(true);
});

test('the others count, and the last finding of the object represents them', () => {
  const report = reportOf(badKeys(350));
  expect(report.findings).toHaveLength(101);
  expect(report.findings[0]?.path).toBe('/data/bad key! 0');
  expect(shown(report.findings[100])).toEqual([
    '',
    '250 further findings of this rule in the object are not listed',
    250,
  ]);
  expect(report.findings[100]).toMatchObject({ rule: 'core/config-key-valid', tier: 'server', severity: 'error' });
  expect(countsOf(report).error).toBe(350);
  expect(renderText(report)).toContain('1 document: 350 errors');
  expect(JSON.parse(renderJson(report))).toMatchObject({ counts: { error: 350 } });
  expect(renderSarif(report, { version: '1', rules: [] })).toContain('"occurrenceCount": 250');
});

test('a suppressed rule is suppressed in whole', () => {
  const report = reportOf(badKeys(350, { 'gantry.dev/ignore': 'core/config-key-valid: read by one program' }));
  expect(report.findings).toEqual([]);
  expect(report.suppressed).toHaveLength(101);
  expect(report.suppressed[100]).toMatchObject({ omitted: 250, reason: 'read by one program' });
  expect(renderText(report)).toContain('350 suppressed');
});

test('each object has its own 100', () => {
  const { findings } = check(
    new ManifestSet([badKeys(150), { ...badKeys(150), metadata: { name: 'b' } }].map(manifestOf)),
  );
  expect(findings.map(({ object, omitted }) => [object, omitted]).filter(([, omitted]) => omitted)).toEqual([
    ['v1 ConfigMap a', 50],
    ['v1 ConfigMap b', 50],
  ]);
});

test('errors are listed, however many warnings of the same rule there are', () => {
  const rule = defineRule({
    on: 'object',
    id: 'acme/many',
    kinds: ['ConfigMap'],
    summary: 'There are many.',
    fix: 'Write fewer.',
    check: () => [
      ...Array.from({ length: 150 }, (_, index) => ({ message: `warning ${index}`, severity: 'warning' as const })),
      { path: '/data', message: 'the error' },
    ],
  });
  const report = reportOf(badKeys(0), [rule]);
  expect(countsOf(report)).toMatchObject({ error: 1, warning: 150 });
  expect(report.findings.filter(({ severity }) => severity === 'error').map(shown)).toEqual([
    ['/data', 'the error', undefined],
  ]);
});

test('no place is looked up for what is not listed', () => {
  let places = 0;
  const manifest = manifestOf(badKeys(1000));
  const locate = (): undefined => void (places += 1);
  const { findings } = check(new ManifestSet([{ ...manifest, origin: { file: 'a.yaml', locate } }]));
  expect([findings.length, places]).toEqual([101, 101]);
});

test('a missing field that a better message reports counts once, also where it is not listed', () => {
  const containers = Array.from({ length: 150 }, () => ({ image: 'registry.example.com/a:1' }));
  const report = reportOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers } });
  const errors = report.findings.filter(({ severity }) => severity === 'error');
  expect(new Set(errors.map(({ rule }) => rule))).toEqual(new Set(['core/container-name-required']));
  expect(countsOf(report).error).toBe(150);
});

test('a schema that finds many unknown fields lists 100', () => {
  const spec = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`field${index}`, 1]));
  const report = reportOf({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'Queue',
    metadata: { name: 'a' },
    spec,
  });
  const unknown = report.findings.filter(({ rule }) => rule === 'schema/unknown-field');
  expect([unknown.length, unknown.at(-1)?.omitted]).toEqual([101, 150]);
});
