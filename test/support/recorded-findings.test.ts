import { type Rule } from '../../src/checks/rules/rule';
import { NODE_FILE } from '../../src/manifests/documents/node-file';
import { findingsIn, printFindings, readFindings } from './recorded-findings';

const rule = {
  id: 'x/y',
  row: 'X1',
  tier: 'advice',
  severity: 'warning',
  summary: 'maxPods must be set.',
  why: 'Why.',
  source: 'Source.',
  fix: 'Set maxPods.',
  on: 'object',
  kinds: ['Pod', `${NODE_FILE}/KubeletArguments`],
} as const;

function found(message: string, more: object, object: object): readonly string[] {
  const says: Rule = { ...rule, check: () => [{ path: '/max-pods', message, ...more }] };
  return findingsIn([says], JSON.stringify([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, ...object }]));
}

test('of the words of a finding the numbers and identifiers are shown', () => {
  expect(found('maxPods is 10.5Gi, over the 3 of kubeReserved and io.containerd.runc', {}, {})).toEqual([
    'x/y 0/max-pods (10.5Gi, 3, kubeReserved, io.containerd.runc)',
  ]);
  expect(found('the 3 of max-pods', { found: 3 }, {})).toEqual(['x/y 0/max-pods = 3']);
});

test('a file is looked at by its contents', () => {
  const file = { apiVersion: NODE_FILE, kind: 'KubeletArguments', metadata: { name: 'flags' } };
  expect(found('no', { found: '5' }, { ...file, content: { 'max-pods': '5' } })).toEqual(['x/y 0/max-pods']);
  expect(found('no', { found: '5' }, { ...file, content: {} })).toEqual(['x/y 0/max-pods = "5"']);
});

test('documents are read as they were written', () => {
  const documents = [
    { text: '[{"kind":"A","a":1}]', findings: ['x/one 0/a', 'x/two warning 0 = "b"'] },
    { text: '[{"kind":"A","a":"tab\\t and line\\n"}]', findings: [] },
    { text: '[{"kind":"A"}]', findings: ['x/one 0'] },
  ];
  const text = printFindings('head', documents);
  expect(text.split('\n')).toEqual([
    '# head',
    '[{"kind":"A","a":1}]',
    '  x/one 0/a',
    '  x/two warning 0 = "b"',
    '[{"kind":"A","a":"tab\\t and line\\n"}]',
    '[{"kind":"A"}]',
    '  x/one 0',
    '',
  ]);
  expect(readFindings(text)).toEqual(documents);
});
