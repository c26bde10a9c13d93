import { printFindings, readFindings } from './recorded-findings';

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
