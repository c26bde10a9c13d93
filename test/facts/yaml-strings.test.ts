/**
 * Strings in fixes: YAML reads each as the string that is meant.
 */
import { asYaml, oneOfStrings } from '../../src/facts/words';
import { parseYaml } from '../../src/manifests/yaml';

const readOf = (text: string): unknown =>
  parseYaml(`apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n  a: ${text}\n`, 'a.yaml').manifests.map(
    ({ object }) => (object.data as Record<string, unknown>).a,
  )[0];

const STRINGS = [
  ...[
    '',
    ' ',
    'a b',
    ' a',
    'a ',
    'null',
    'Null',
    'NULL',
    '~',
    'true',
    'True',
    'TRUE',
    'false',
    'yes',
    'No',
    'on',
    'OFF',
    'y',
    'n',
  ],
  ...[
    '0',
    '1',
    '-1',
    '+1',
    '007',
    '0o7',
    '0x10',
    '0b11',
    '1_000',
    '1.5',
    '.5',
    '1.',
    '1e3',
    '1E3',
    '1.5e-3',
    '.inf',
    '-.INF',
    '.nan',
  ],
  ...[
    '2026-01-31',
    '2026-01-31T15:04:05Z',
    '190:20:30',
    '12:30',
    '1.2.3',
    '10.0.0.1',
    '10.0.0.0/8',
    '1Gi',
    '50%',
    '10%',
    '5m',
  ],
  ...[
    '*',
    '&a',
    '!a',
    '|',
    '>',
    '%a',
    '@daily',
    '`a',
    '"a"',
    "'a'",
    '{a}',
    '[a]',
    '#a',
    'a #b',
    'a: b',
    'a:',
    'a:b',
    '- a',
    '-a',
    '-',
    '?',
    '? a',
    ':a',
    ', a',
  ],
  ...[
    '0 2 * * *',
    '*/5 * * * *',
    'nvidia.com/gpu',
    'a,b',
    'a=b',
    'tokenize',
    'null-flow',
    'trueish',
    'e3',
    '1a',
    'A',
    '_',
    '.',
    '..',
    '=',
    '<<',
  ],
];

test.each(STRINGS)('%j', (string) => {
  expect(readOf(asYaml(string))).toBe(string);
});

test.each(['tokenize', 'nvidia.com/gpu', '10.0.0.1', '1Gi', '50%', '-a', '*.example.com'.slice(1), 'a:b', 'null-flow'])(
  '%s needs no quotes',
  (string) => {
    expect(asYaml(string)).toBe(string);
  },
);

test('choices of strings', () => {
  expect(oneOfStrings(['a', 'null', '1'])).toBe('a, "null", or "1"');
});
