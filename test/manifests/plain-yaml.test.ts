import fc from 'fast-check';
import { stringify } from 'yaml';
import { readPlainYaml } from '../../src/manifests/plain-yaml';
import { readFullYaml } from '../../src/manifests/yaml-text';

/** What the full reader makes of a text: its one value, or `undefined` where it has something to say. */
function full(text: string): unknown {
  const documents = readFullYaml(text);
  return documents.length === 1 && documents[0].problems.length === 0 ? documents[0].value : undefined;
}

const MANIFEST = `--- # head
# comment
apiVersion: apps/v1   # trailing
kind: Deployment
metadata:
  name: "quoted: name"
  labels: {app: web, "tier": 'back end', empty: {}, list: [1, two, "3", [x]]}
  annotations:
    'it''s': "a \\"b\\" \\u00e9"
    url: http://example.com/#anchor
spec:
  replicas: 0x10
  paused: yes
  nothing:
  template:
    spec:
      containers:
      - name: a
        command:
        - sh
        - -c
        - |
          set -e
            indented # no comment

          echo done
        args: [--x=1, -y]
      -   name: b
          env:
            - name: E
              value: "1"
            - name: F
        # comment between

      volumes:
      - - nested
        - list
      - - x: 1
          z: 2
  keep: |+
    a

  strip: |-
    b
  last: ~
`;

test('a manifest as people write it is read at once, as the full reader reads it', () => {
  const value = readPlainYaml(MANIFEST);
  expect(value).toBeDefined();
  expect(value).toEqual(full(MANIFEST));
  expect(Object.keys(value ?? {})).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
});

test.each([
  'a: &x 1\n',
  'a: *x\n',
  'a: !t x\n',
  'a: >\n  x\n',
  'a: |2\n    x\n',
  'a:\tb\n',
  'a: b\r\n',
  '? a\n: b\n',
  '<<: {a: 1}\n',
  'a: 1\na: 2\n',
  'a: {b: 1, b: 2}\n',
  'a: one\n  two\n',
  'a: "one\n  two"\n',
  'a: [1,\n  2]\n',
  'a: b: c\n',
  'a: "x" y\n',
  'a:\n  b: 1\n c: 2\n',
  'a: .inf\n',
  'a: 9007199254740993\n',
  '__proto__: 1\n',
  '- a\n',
  'a\n',
  'a: @x\n',
  'a: "\\x41"\n',
  'a: [b: c]\n',
  'a: [x, , y]\n',
  'a: {b}\n',
  'a: |\n  no end',
  '...\n',
  'a: 1\n...\n',
  '%YAML 1.2\n',
  'null: 1\n',
  'a: |\n   \n  x\n',
  '',
  '# only\n',
])('%j is left to the full reader, or read as that reads it', (text) => {
  const value = readPlainYaml(text);
  if (value !== undefined) {
    expect(value).toEqual(full(text));
  }
});

test.each([
  'a: &x 1\nb: *x\n',
  'a: 1\na: 2\n',
  '<<: {a: 1}\n',
  'yes: 1\n',
  'a: .inf\n',
  'a: 9007199254740993\n',
  'a: !!str 1\n',
  '__proto__: 1\n',
])('%j is left to the full reader, which has something to say or to decide', (text) => {
  expect(readPlainYaml(text)).toBeUndefined();
});

describe('where it answers, the full reader answers alike', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom(
      'yes',
      '0777',
      '1_0',
      '~',
      'a: b',
      '- x',
      '#c',
      'a #b',
      "it's",
      '"q"',
      '|',
      '{x}',
      '[y]',
      '',
      ' lead',
      'trail ',
      '2020-01-01',
      '-',
      '--- a',
      'x:',
      ':y',
      '<<',
      '1e3',
    ),
  );
  const { value: tree } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        word,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.string({ minLength: 3, maxLength: 30 }).map((text) => text.replaceAll(' ', '\n')),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const options = fc.record({
    version: fc.constantFrom('1.1' as const, '1.2' as const),
    indentSeq: fc.boolean(),
    indent: fc.constantFrom(2, 3, 4),
    defaultStringType: fc.constantFrom(
      'PLAIN' as const,
      'QUOTE_DOUBLE' as const,
      'QUOTE_SINGLE' as const,
      'BLOCK_LITERAL' as const,
    ),
    collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
    lineWidth: fc.constantFrom(0, 40),
    flowCollectionPadding: fc.boolean(),
  });
  const text = fc
    .tuple(fc.dictionary(word, tree, { minKeys: 1, maxKeys: 5 }), options)
    .map(([value, how]) => stringify(value, how));

  function holds(source: string): boolean {
    const value = readPlainYaml(source);
    if (value === undefined) {
      return false;
    }
    expect(value).toEqual(full(source));
    expect(JSON.stringify(value)).toBe(JSON.stringify(full(source)));
    return true;
  }

  test('for whatever a writer of YAML makes', () => {
    let answered = 0;
    fc.assert(
      fc.property(text, (source) => {
        if (holds(source)) {
          answered++;
        }
      }),
      { seed: 5, numRuns: 800 },
    );
    expect(answered).toBeGreaterThan(60);
  }, 60_000);

  test('for texts with letters changed, added and taken away', () => {
    const edit = fc.tuple(
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom(
        ...' \n\n  -:#\'"|{}[],&*!?>%@`\\x0.~+<'.split(''),
        '  ',
        '- ',
        ': ',
        '\n  ',
        '---\n',
        ' #',
        '...\n',
      ),
    );
    let answered = 0;
    const change = (source: string, edits: readonly (readonly [number, number, string])[]): string =>
      edits.reduce((changed, [where, away, put]) => {
        const at = where % (changed.length + 1);
        return changed.slice(0, at) + put + changed.slice(at + away);
      }, source);
    fc.assert(
      fc.property(
        fc.oneof(text, fc.constant(MANIFEST)),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (source, edits) => {
          if (holds(change(source, edits))) {
            answered++;
          }
        },
      ),
      { seed: 6, numRuns: 3000 },
    );
    expect(answered).toBeGreaterThan(200);
  }, 60_000);
});
