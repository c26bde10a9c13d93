import { type Finding } from '../../../src/checks/report/finding';
import { type Report } from '../../../src/checks/report/report';
import { findingText, renderText } from '../../../src/checks/report/text';

const finding: Finding = {
  rule: 'volcano/queue-guarantee-within-deserved',
  tier: 'webhook',
  severity: 'error',
  object: 'scheduling.volcano.sh/v1beta1 Queue research',
  path: '/spec/guarantee/resource/cpu',
  message: 'The guarantee of cpu, 8, is more than deserved, 4.',
  found: '8',
  expected: 'at most 4',
  fix: 'Raise deserved or lower the guarantee.',
  file: 'queues.yaml',
  line: 9,
  column: 3,
};

const built: Finding = {
  ...finding,
  file: undefined,
  line: undefined,
  column: undefined,
  construct: 'platform/research',
};

function report(more: Partial<Report> = {}): Report {
  return { documents: 1, findings: [finding], notChecked: [], suppressed: [], skipped: [], ...more };
}

test('a finding says what is wrong, where, what was found and expected, and what to do', () => {
  expect(renderText(report())).toBe(`queues.yaml  scheduling.volcano.sh/v1beta1 Queue research
  error    volcano/queue-guarantee-within-deserved (webhook)
           The guarantee of cpu, 8, is more than deserved, 4.
           at        queues.yaml:9:3 /spec/guarantee/resource/cpu
           found     "8"
           expected  at most 4
           fix       Raise deserved or lower the guarantee.

1 document: 1 error`);
});

test('a finding of a construct is headed by its path', () => {
  expect(renderText(report({ findings: [built] }))).toMatch(/^platform\/research {2}scheduling/);
});

test('findings of one object are under one head; order is kept', () => {
  const second = { ...finding, rule: 'a/b', path: '' };
  const other = { ...finding, object: 'v1 Pod p' };
  const text = renderText(report({ findings: [finding, second, other] }));
  expect(text.match(/^queues\.yaml /gm)).toHaveLength(2);
  expect(text.indexOf('a/b')).toBeLessThan(text.indexOf('v1 Pod p'));
});

test('an info finding that many objects get is listed once, with its places', () => {
  const hint: Finding = { ...finding, severity: 'info', rule: 'pods/hint', message: 'a hint' };
  const hints = (count: number): readonly Finding[] =>
    Array.from({ length: count }, (_, index) => ({ ...hint, line: index + 1, object: `v1 Pod p${index + 1}` }));
  expect(renderText(report({ findings: [finding, ...hints(7)] }))).toContain(`Repeated findings
  info     pods/hint (webhook, 7 times)
           a hint
           at        queues.yaml:1:3 Pod p1, queues.yaml:2:3 Pod p2, queues.yaml:3:3 Pod p3, queues.yaml:4:3 Pod p4, queues.yaml:5:3 Pod p5 and 2 more
           fix       Raise deserved or lower the guarantee.

1 document: 1 error, 7 info`);
  expect(renderText(report({ findings: hints(2) }))).not.toContain('Repeated');
  expect(renderText(report({ findings: hints(2) })).match(/pods\/hint/g)).toHaveLength(2);
  const warnings = hints(7).map((one): Finding => ({ ...one, severity: 'warning' }));
  expect(renderText(report({ findings: warnings })).match(/pods\/hint/g)).toHaveLength(7);
});

test('the last line counts', () => {
  const text = renderText(
    report({
      documents: 3,
      findings: [
        finding,
        { ...finding, severity: 'warning' },
        { ...finding, severity: 'info' },
        { ...finding, severity: 'info' },
      ],
      notChecked: [{ object: 'example.com/v1 Widget w', file: 'w.yaml', why: 'it is unknown' }],
      suppressed: [{ ...finding, reason: 'known' }],
    }),
  );
  expect(text.split('\n').at(-1)).toBe('3 documents: 1 error, 1 warning, 2 info, 1 not checked, 1 suppressed');
  expect(text).toContain('Not checked\n  w.yaml  example.com/v1 Widget w: it is unknown');
});

test('what several objects have in common is said once', () => {
  const notChecked = ['a', 'b'].map((name) => ({ object: `example.com/v1 Widget ${name}`, why: 'it is unknown' }));
  expect(renderText(report({ notChecked }))).toContain('Not checked\n  2 objects: it is unknown (Widget a, Widget b)');
});

test('lines are broken between words to fit the terminal; long names stay whole', () => {
  const text = renderText(report(), { width: 50 });
  const long = text.split('\n').filter((line) => line.length > 50);
  expect(long.every((line) => !line.trim().includes(' ') || /^\S+ {2}|^ {2}error|\/spec/.test(line))).toBe(true);
  expect(text).toContain('\n           The guarantee of cpu, 8, is more than\n           deserved, 4.');
});

test('text of a manifest cannot steer the terminal', () => {
  const text = renderText(
    report({
      findings: [
        { ...finding, message: 'name \u001B[2J\u0007 is odd', object: 'v1 Pod \u202Eevil', found: '\u009B1A' },
      ],
    }),
  );
  for (const character of ['\u0007', '\u001B', '\u009B', '\u202E']) {
    expect(text).not.toContain(character);
  }
  expect(text).toContain('name \\u001b[2J\\u0007 is odd');
});

test('a long value is cut', () => {
  const found = Array.from({ length: 100 }, (_, i) => i);
  expect(renderText(report({ findings: [{ ...finding, found }] }))).toMatch(/found {5}\[0,1,.*…$/m);
});

test('one finding on its own begins with its place', () => {
  expect(findingText(finding).split('\n')[0]).toBe(
    'queues.yaml:9:3: error [volcano/queue-guarantee-within-deserved] scheduling.volcano.sh/v1beta1 Queue research /spec/guarantee/resource/cpu: The guarantee of cpu, 8, is more than deserved, 4.',
  );
  expect(findingText(built)).toMatch(/^platform\/research: error/);
  expect(findingText(built, { withoutConstruct: true })).toMatch(/^error/);
});
