import { type Log } from 'sarif';
import { type Finding } from '../../../src/checks/report/finding';
import { type Report } from '../../../src/checks/report/report';
import { renderJson } from '../../../src/checks/report/json';
import { renderSarif } from '../../../src/checks/report/sarif';
import { type RuleFacts } from '../../../src/checks/rules/rule';

const finding: Finding = {
  construct: 'platform/q',
  line: 3,
  column: 5,
  file: './a b/q.yaml',
  fix: 'Do it.',
  expected: 'less',
  found: null,
  message: 'Too much.',
  path: '/spec',
  object: 'v1 X q',
  severity: 'warning',
  tier: 'advice',
  rule: 'x/y',
};
const bare: Finding = { rule: 'a/b', tier: 'schema', severity: 'error', object: '', path: '', message: 'Broken.' };
const report: Report = {
  documents: 2,
  findings: [finding, bare],
  notChecked: [{ why: 'unknown', object: 'v1 Y y' }],
  suppressed: [{ ...bare, severity: 'info', file: '/abs/z.yaml', reason: 'known' }],
  skipped: [{ why: 'a Compose file', line: 1, file: 'compose.yaml' }],
};

describe('JSON', () => {
  test('has the documented keys in the documented order; those that do not apply are absent', () => {
    const parsed = JSON.parse(renderJson(report)) as Report;
    expect(Object.keys(parsed)).toEqual(['documents', 'counts', 'findings', 'notChecked', 'suppressed', 'skipped']);
    expect(Object.keys(parsed.findings[0])).toEqual([
      'rule',
      'tier',
      'severity',
      'object',
      'path',
      'message',
      'found',
      'expected',
      'fix',
      'file',
      'line',
      'construct',
    ]);
    expect(Object.keys(parsed.findings[1])).toEqual(['rule', 'tier', 'severity', 'object', 'path', 'message']);
    expect(parsed.notChecked).toEqual([{ object: 'v1 Y y', why: 'unknown' }]);
    expect(parsed.suppressed[0]).toMatchObject({ rule: 'a/b', reason: 'known' });
  });

  test('holds what was found, also where it is null', () => {
    expect((JSON.parse(renderJson(report)) as Report).findings[0].found).toBeNull();
  });

  test('ends with a line end', () => {
    expect(renderJson(report)).toMatch(/}\n$/);
  });
});

describe('SARIF', () => {
  const facts: RuleFacts = {
    id: 'x/y',
    tier: 'advice',
    severity: 'warning',
    summary: 'S.',
    why: 'W.',
    source: 'the code',
    fix: 'F.',
  };
  const log = JSON.parse(renderSarif(report, { version: '1.2.3', rules: [facts] })) as Log;
  const [run] = log.runs;

  test('is a log of version 2.1.0 with one run of a named tool', () => {
    expect(log.version).toBe('2.1.0');
    expect(log.$schema).toMatch(/sarif-schema-2\.1\.0\.json$/);
    expect(log.runs).toHaveLength(1);
    expect(run.tool.driver).toMatchObject({ name: 'gantry', semanticVersion: '1.2.3' });
  });

  test('describes each rule once, sorted, with help where it is known', () => {
    expect(run.tool.driver.rules?.map(({ id }) => id)).toEqual(['a/b', 'x/y']);
    expect(run.tool.driver.rules?.[1]).toMatchObject({
      shortDescription: { text: 'S.' },
      help: { text: 'S. W. F.\nSource: the code' },
      defaultConfiguration: { level: 'warning' },
    });
  });

  test('every result points at its rule and has a message and a place', () => {
    expect(run.results).toHaveLength(3);
    for (const result of run.results ?? []) {
      expect(run.tool.driver.rules?.[result.ruleIndex ?? -1].id).toBe(result.ruleId);
      expect(result.message.text).toBeTruthy();
      expect(result.locations).toHaveLength(1);
    }
    expect(run.results?.map(({ level }) => level)).toEqual(['warning', 'error', 'note']);
  });

  test('places are relative references with a line, and constructs by path', () => {
    const [first, second, third] = (run.results ?? []).map(({ locations }) => locations?.[0]);
    expect(first).toEqual({
      physicalLocation: { artifactLocation: { uri: 'a%20b/q.yaml' }, region: { startLine: 3, startColumn: 5 } },
      logicalLocations: [{ fullyQualifiedName: 'platform/q', kind: 'construct' }],
    });
    expect(second?.physicalLocation).toBeUndefined();
    expect(third?.physicalLocation?.artifactLocation?.uri).toBe('file:///abs/z.yaml');
  });

  test('suppressed results carry their reason, and what was not checked is a notification', () => {
    expect(run.results?.[2].suppressions).toEqual([{ kind: 'external', status: 'accepted', justification: 'known' }]);
    expect(run.invocations?.[0].toolExecutionNotifications?.[0].message.text).toBe('v1 Y y was not checked: unknown');
  });
});

test('the sentences of a SARIF message are separated', () => {
  const message = (parts: Partial<Finding>): string | undefined => {
    const finding = { ...report.findings[0], expected: undefined, fix: undefined, ...parts };
    const log = JSON.parse(renderSarif({ ...report, findings: [finding] }, { version: '1', rules: [] })) as Log;
    return log.runs[0].results?.[0].message.text;
  };
  expect(message({ message: 'unknown field "x"', expected: 'y', fix: 'Remove it.' })).toBe(
    'unknown field "x". Expected: y. Remove it.',
  );
  expect(message({ message: 'It is wrong.', fix: 'Remove it.' })).toBe('It is wrong. Remove it.');
  expect(message({ message: 'unknown field "x"' })).toBe('unknown field "x"');
});
