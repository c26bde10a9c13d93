/**
 * Where a finding says to remove a field, the others at the same place say so too.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { withOneRemoval } from '../../../src/checks/report/removals';
import { type Manifest } from '../../../src/manifests/manifest';

const manifest = { id: {}, object: {}, origin: {} } as unknown as Manifest;

const finding = (path: string, fix: string, more: Partial<Finding> = {}): Finding => ({
  rule: 'a/b',
  tier: 'server',
  severity: 'error',
  object: 'v1 A a',
  path,
  message: 'wrong',
  fix,
  ...more,
});

const fixesOf = (...findings: readonly Finding[]): readonly (string | undefined)[] =>
  withOneRemoval(findings.map((one) => ({ finding: one, manifest }))).map(({ finding: { fix } }) => fix);

test.each([
  ['/spec/class', 'Remove spec.class.'],
  ['/spec/class', 'Remove class.'],
  ['/metadata/uid', 'Remove metadata.uid: the API server sets it.'],
  ['/hard/a~1b', 'Remove hard["a/b"], because hard["c"] is already set.'],
  ['/args/2', 'Remove args[2].'],
])('at %s: %s', (path, fix) => {
  const set = finding(path, 'Set it to "x".');
  expect(fixesOf(set, finding(path, fix))).toEqual([fix, fix]);
  expect(fixesOf(finding(path, fix), set)).toEqual([fix, fix]);
});

test('an option of a command that is found at the place', () => {
  const fix = 'Remove --rank=${RANK} from command, because torchrun assigns the ranks itself.';
  const removal = finding('/command/5', fix, { found: '--rank=${RANK}', severity: 'warning' });
  expect(fixesOf(finding('/command/5', 'Replace ${RANK} with $(RANK) in command[5].'), removal)).toEqual([fix, fix]);
});

test.each([
  ['a choice', '/spec/a', 'Remove spec.a or spec.b.', {}],
  ['a part of the value', '/spec/context', 'Remove privileged from spec.context.', {}],
  ['a step of several', '/spec/a', 'Remove spec.a, and set spec.b.', {}],
  ['another field', '/spec/a', 'Remove spec.b.', {}],
  ['advice that may be ignored', '/spec/a', 'Remove spec.a.', { severity: 'info' as const }],
])('%s is not what the others say', (_, path, fix, more) => {
  const set = 'Set spec.a to 1.';
  expect(fixesOf(finding(path, set), finding(path, fix, more))).toEqual([set, fix]);
});

test('findings elsewhere, and in other objects, stay as they are', () => {
  const other = { ...manifest };
  const set = finding('/spec/a', 'Set spec.a to 1.');
  const removal = finding('/spec/a', 'Remove spec.a.');
  expect(fixesOf(finding('/spec/ab', 'Set spec.ab to 1.'), removal)[0]).toBe('Set spec.ab to 1.');
  expect(
    withOneRemoval([
      { finding: set, manifest: other },
      { finding: removal, manifest },
    ])[0]?.finding.fix,
  ).toBe(set.fix);
});

test('what was expected of a value to set is left out', () => {
  const [first] = withOneRemoval([
    { finding: finding('/spec/a', 'Set spec.a to 1.', { expected: '1' }), manifest },
    { finding: finding('/spec/a', 'Remove spec.a.', { expected: 'no a' }), manifest },
    { finding: finding('/spec/b', 'Set spec.b to 1.', { expected: '1' }), manifest },
    { finding: finding('/spec/b', 'Remove spec.b.'), manifest },
  ]).map(({ finding: { expected } }) => expected);
  expect(first).toBe('no a');
});
