import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseValue, parseYaml } from '../../src/manifests/yaml';
import { type JsonValue } from '../../src/facts/api/schema';
import { samples } from '../support/samples';

const HEAD = 'apiVersion: v1\nkind: Thing\n';

/** The one object of a text, without its head. */
function body(text: string, head = HEAD): JsonValue {
  const { manifests, problems } = parseYaml(head + text, 'a.yaml');
  expect(problems).toEqual([]);
  const { apiVersion, kind, ...rest } = manifests[0].object;
  expect([apiVersion, kind]).toEqual(['v1', 'Thing']);
  return rest;
}

/** `line:column kind message` of every problem. */
function problemsOf(text: string, file = 'a.yaml'): string[] {
  return parseYaml(text, file).problems.map(
    ({ position, kind, message }) => `${position.line}:${position.column} ${kind} ${message}`,
  );
}

describe('documents', () => {
  test('are parted by --- and end at ...; empty ones are passed over', () => {
    const { manifests, problems } = parseYaml(
      `---\n---\n# only a comment\n--- # with one\n${HEAD}...\n---\n~\n---\n${HEAD}metadata: {name: b}\n`,
      'a.yaml',
    );
    expect(problems).toEqual([]);
    expect(manifests.map(({ id }) => id.name)).toEqual(['', 'b']);
    expect(manifests.map(({ origin }) => origin.locate?.('')?.line)).toEqual([5, 11]);
  });

  test('know their file, their index and their identity', () => {
    const { manifests } = parseYaml(
      '---\n---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q, namespace: ns}\n',
      'x/q.yaml',
    );
    expect(manifests[0].id).toEqual({
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      group: 'scheduling.volcano.sh',
      kind: 'Queue',
      namespace: 'ns',
      name: 'q',
    });
    expect(manifests[0].origin).toMatchObject({ file: 'x/q.yaml', document: 1 });
  });

  test('may begin with a byte order mark and end lines with CR LF', () => {
    const { manifests, problems } = parseYaml(
      '\uFEFFapiVersion: v1\r\nkind: Thing\r\nspec:\r\n  text: |\r\n    a\r\n    b\r\n',
      'a.yaml',
    );
    expect(problems).toEqual([]);
    expect(manifests[0].object).toEqual({ apiVersion: 'v1', kind: 'Thing', spec: { text: 'a\nb\n' } });
    expect(manifests[0].origin.locate?.('/spec/text')).toEqual({ line: 4, column: 3 });
  });

  test('with directives are refused, as kubectl cuts the text between the directive and its document', () => {
    const { manifests, problems } = parseYaml(`%YAML 1.1\n---\n${HEAD}---\n${HEAD}`, 'a.yaml');
    expect(manifests).toHaveLength(2);
    expect(problems.map(({ position, message }) => [position.line, message])).toEqual([
      [1, 'kubectl does not support directives: delete the line that begins with "%"'],
    ]);
  });

  test('with text after --- are refused at that line, and what is around it is read', () => {
    const { manifests, problems } = parseYaml(`${HEAD}--- a: 1\n${HEAD}`, 'a.yaml');
    expect(manifests).toHaveLength(2);
    expect(problems.map(({ position, message }) => [position.line, message])).toEqual([
      [3, 'nothing but a comment may follow "---" on its line'],
    ]);
  });

  test('end at ..., and nothing is read between it and the next ---', () => {
    const { manifests, problems } = parseYaml(`${HEAD}...\nkind: [\n---\n${HEAD}`, 'a.yaml');
    expect([manifests.length, problems]).toEqual([2, []]);
  });

  test('may be JSON first and YAML after it', () => {
    const { manifests, problems } = parseYaml(`{"apiVersion": "v1", "kind": "A"}\n---\n${HEAD}`, 'a.yaml');
    expect(problems).toEqual([]);
    expect(manifests.map(({ id, origin }) => [id.kind, origin.document, origin.locate?.('/kind')?.line])).toEqual([
      ['A', 0, 1],
      ['Thing', 1, 4],
    ]);
  });

  test('that are broken do not keep the others from being read', () => {
    const { manifests, problems } = parseYaml(`${HEAD}---\na: [\n---\n${HEAD}`, 'a.yaml');
    expect(manifests).toHaveLength(2);
    expect(problems.map(({ kind, position }) => [kind, position.line])).toEqual([['syntax', 4]]);
  });
});

describe('what other readers of YAML refuse and kubectl does not', () => {
  test('a string in quotes goes on at a smaller indentation, as Multus documents its configurations', () => {
    const config = '{\n  "cniVersion": "0.3.1",\n"type": "macvlan"\n}';
    expect(body(`spec:\n  config: '${config}'\n  other: 1\n`)).toEqual({
      spec: { config: '{ "cniVersion": "0.3.1", "type": "macvlan" }', other: 1 },
    });
  });

  test('a list and a map in brackets go on at a smaller indentation', () => {
    expect(body('spec:\n    args: [a,\n  b\n]\n    labels: {\nx: 1\n}\n')).toEqual({
      spec: { args: ['a', 'b'], labels: { x: 1 } },
    });
  });

  test('places after such a string are those of the text', () => {
    const { manifests } = parseYaml(`${HEAD}spec:\n  config: '{\n}'\n  other: 1\n`, 'a.yaml');
    expect(manifests[0].origin.locate?.('/spec/other')).toEqual({ line: 6, column: 3 });
  });
});

describe('values', () => {
  test('quoted words stay texts, unquoted ones are resolved', () => {
    expect(body('a: yes\nb: "yes"\nc: \'0777\'\nd: 0777\ne: !!str 12\nf: !!float 3\ng: !custom on\nh:\n')).toEqual({
      a: true,
      b: 'yes',
      c: '0777',
      d: 511,
      e: '12',
      f: 3,
      g: 'on',
      h: null,
    });
  });

  test('keys become texts', () => {
    expect(body('on: 1\n2: x\n1.50: z\n')).toEqual({ true: 1, 2: 'x', 1.5: 'z' });
  });

  test('the key __proto__ is a key like any other', () => {
    const { manifests } = parseYaml(`${HEAD}data: {__proto__: {a: 1}}\n`, 'a.yaml');
    expect(JSON.stringify(manifests[0].object.data)).toBe('{"__proto__":{"a":1}}');
  });

  test('aliases stand for what their anchor holds', () => {
    expect(body('a: &x {b: 1}\nc: *x\nd: [*x, &y 2, *y]\n&k e: 1\nf: *k\n')).toEqual({
      a: { b: 1 },
      c: { b: 1 },
      d: [{ b: 1 }, 2, 2],
      e: 1,
      f: 'e',
    });
  });

  test('binary values are decoded', () => {
    expect(body('a: !!binary aGk=\n')).toEqual({ a: 'hi' });
  });

  test('what nothing remains of does not have to fit JSON', () => {
    const { manifests } = parseYaml(`${HEAD}a: .inf\na: 1\n`, 'a.yaml');
    expect(manifests[0].object.a).toBe(1);
  });

  test('of a member and a merged one, the later counts', () => {
    expect(body('a: &x {b: 1}\nc:\n  b: 2\n  <<: *x\nd:\n  <<: *x\n  b: 2\n')).toMatchObject({
      c: { b: 1 },
      d: { b: 2 },
    });
  });

  test('merge keys add what the map does not have', () => {
    expect(body('a: &x {b: 1, c: 1}\nd: &z {c: 3, f: 3}\ne:\n  <<: [*x, *z]\n  b: 2\ng: {"<<": 1}\n')).toMatchObject({
      e: { b: 2, c: 1, f: 3 },
      g: { '<<': 1 },
    });
  });

  test('agree with the yaml library on all that JSON can say', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 4, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] }),
        (value) => {
          const text = stringify({ apiVersion: 'v1', kind: 'Thing', spec: value }, { version: '1.1' });
          const { manifests, problems } = parseYaml(text, 'a.yaml');
          expect(problems).toEqual([]);
          expect(manifests[0].object.spec).toEqual(value);
        },
      ),
      { seed: 7, numRuns: samples(300) },
    );
  }, 60_000);
});

describe('what cannot be read is said with its place', () => {
  test.each([
    ['a tab for indentation', `${HEAD}spec:\n\ta: 1\n`, /^4:1 syntax .*tab/],
    ['a colon inside a text', `${HEAD}a: b: c\n`, /^3:5 syntax .*quotes/],
    ['an unclosed quote', `${HEAD}a: "x\n`, /^3:4 syntax missing closing quote \("\)/],
    ['a template that was not rendered', `${HEAD}a: {{ .Values.x }}\n`, /^3:5 syntax .*rendered/],
    ['a reserved character', `${HEAD}a: @x\n`, /^3:4 syntax .*quotes/],
    ['an alias without its anchor', `${HEAD}a: *x\n`, /^3:4 syntax .*anchor/],
    ['an anchor that contains itself', `${HEAD}a: &x [*x]\n`, /^3:8 syntax .*contains itself/],
    ['infinity', `${HEAD}a: .inf\n`, /^3:4 syntax must be a finite number/],
    ['a list as key', `${HEAD}? [a]\n: 1\n`, /^3:3 syntax .*key/],
    ['no key', `${HEAD}null: 1\n`, /^3:1 syntax a map key must be a string/],
    ['a tag that does not fit', `${HEAD}a: !!int x\n`, /^3:4 syntax|^3:10 syntax/],
    ['binary that is not base64', `${HEAD}a: !!binary aGk\n`, /^3:4 syntax .*base64/],
    ['a control character', `${HEAD}a: \0\n`, /^3:4 syntax .*U\+0000/],
    ['a merge of a text', `${HEAD}a:\n  <<: x\n`, /^4:7 syntax .*merge key/],
    ['nesting without end', `${HEAD}a: ${'['.repeat(1000)}${']'.repeat(1000)}\n`, /nested more than 500 deep/],
  ])('%s', (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  test('a few lines that stand for billions of values', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`,
    );
    expect(problemsOf(`${HEAD}a0: &l0 x\n${levels.join('\n')}\n`)).toEqual([
      expect.stringMatching(/syntax .*too many values/),
    ]);
  });
});

describe('what is well-formed and wrong', () => {
  test('a duplicate key is reported with its object and pointer, and the last value counts', () => {
    const { manifests, problems } = parseYaml(`${HEAD}spec:\n  a/b: 1\n  c: 2\n  a/b: 3\n`, 'a.yaml');
    expect(manifests[0].object.spec).toEqual({ 'a/b': 3, c: 2 });
    expect(problems).toEqual([
      expect.objectContaining({
        kind: 'duplicate-key',
        file: 'a.yaml',
        position: { line: 6, column: 3 },
        path: '/spec/a~1b',
        manifest: manifests[0],
      }),
    ]);
  });

  test('keys that become the same text are duplicates', () => {
    expect(problemsOf(`${HEAD}1: a\n"1": b\n`)).toEqual(['4:1 duplicate-key duplicate key "1" in this map']);
  });

  test('an integer with too many digits is reported', () => {
    expect(problemsOf(`${HEAD}a: 9007199254740993\n`)).toEqual([
      expect.stringMatching(/^3:4 inexact-number .*9007199254740993/),
    ]);
  });

  test.each([
    ['a: 1\n', '1:1 not-an-object the document has no apiVersion and no kind'],
    ['kind: Pod\n', '1:1 not-an-object the document has no apiVersion'],
    ['apiVersion: v1\nkind: [Pod]\n', '2:1 not-an-object kind must be a string, but is a list'],
    ['- a\n', '1:1 not-an-object the document is a list; a Kubernetes object must set apiVersion and kind'],
    ['text\n', '1:1 not-an-object the document is a string; a Kubernetes object must set apiVersion and kind'],
  ])('%j is no Kubernetes object', (text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
  });
});

describe('lists', () => {
  const LIST = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a}
- apiVersion: v1
  kind: PodList
  items:
  - metadata: {name: p}
    spec: {x: 1, x: 2}
`;

  test('are taken apart, lists in lists too, and items of a typed list get its kind', () => {
    const { manifests } = parseYaml(LIST, 'a.yaml');
    expect(manifests.map(({ id }) => [id.kind, id.name])).toEqual([
      ['ConfigMap', 'a'],
      ['Pod', 'p'],
    ]);
    expect(manifests[1].object).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
  });

  test('keep the place of each item, and problems find their item', () => {
    const { manifests, problems } = parseYaml(LIST, 'a.yaml');
    expect(manifests[1].origin.locate?.('/spec')).toEqual({ line: 11, column: 5 });
    expect(problems).toEqual([
      expect.objectContaining({ kind: 'duplicate-key', path: '/spec/x', manifest: manifests[1] }),
    ]);
  });

  test('name the items that are no objects', () => {
    expect(problemsOf('apiVersion: v1\nkind: List\nitems:\n- 3\n- kind: X\n')).toEqual([
      '4:3 not-an-object item 0 of the list is a number; a Kubernetes object must set apiVersion and kind',
      '5:3 not-an-object item 1 of the list has no apiVersion',
    ]);
  });
});

describe('places', () => {
  const { manifests } = parseYaml(
    `${HEAD}base: &b\n  deep: 1\nspec:\n  list:\n  - a: 1\n  - b: 2\n  via: *b\n  merged:\n    <<: *b\n    own: 1\n`,
    'a.yaml',
  );
  const at = (path: string): string => {
    const position = manifests[0].origin.locate?.(path);
    return `${position?.line}:${position?.column}`;
  };

  test.each([
    ['', '1:1'],
    ['/kind', '2:1'],
    ['/spec/list/1', '8:5'],
    ['/spec/list/1/b', '8:5'],
    ['/spec/list/7', '6:3'],
    ['/spec/nothing/at/all', '5:1'],
    ['/spec/via/deep', '4:3'],
    ['/spec/merged/deep', '4:3'],
    ['/spec/merged/own', '12:5'],
  ])('%j is at %s', (path, expected) => {
    expect(at(path)).toBe(expected);
  });
});

describe('JSON', () => {
  test('a string of many megabytes is read', () => {
    const long = 'x'.repeat(12_000_000);
    const { manifests, problems } = parseYaml(
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"${long}"}}`,
      'a.json',
    );
    expect(problems).toEqual([]);
    expect((manifests[0].object.data as { readonly a: string }).a).toHaveLength(long.length);
  });

  test.each(['{"a": "b', '{"a": "b\\', '{"a": "b\\"}'])('%j has a string that does not end', (text) => {
    expect(parseYaml(text, 'a.json').problems).toMatchObject([
      { kind: 'syntax', message: 'a string must end on the line on which it begins' },
    ]);
  });

  test('is read with duplicate keys, long integers and places', () => {
    const text =
      '{\n  "apiVersion": "v1", "kind": "Thing",\n  "a": 9007199254740993,\n  "b": {"c": 1,\n "c": [2, "\\u00e9"]}\n}\n{"apiVersion":"v1","kind":"Second"}';
    const { manifests, problems } = parseYaml(text, 'a.json');
    expect(manifests.map(({ id }) => id.kind)).toEqual(['Thing', 'Second']);
    expect(manifests[0].object.b).toEqual({ c: [2, 'é'] });
    expect(problems.map(({ kind, position, path }) => [kind, position.line, path])).toEqual([
      ['inexact-number', 3, '/a'],
      ['duplicate-key', 5, '/b/c'],
    ]);
    expect(manifests[0].origin.locate?.('/b/c/1')).toEqual({ line: 5, column: 11 });
    expect(manifests[1].origin.locate?.('/spec')).toEqual({ line: 7, column: 1 });
  });

  test.each([
    ['{"a": 1,,}', '1:9 syntax a key in double quotes is expected here'],
    ['{"a" 1}', '1:6 syntax a colon is expected here'],
    ['{"a": [1 2}', '1:10 syntax a comma or ] is expected here'],
    ['{"a": "\\x"}', '1:7 syntax a string contains an escape sequence or a control character that JSON does not allow'],
    ['{"a": "x', '1:7 syntax a string must end on the line on which it begins'],
    ['{"a": ', '1:7 syntax unexpected end of the text'],
    ['{"a": @}', '1:7 syntax a value is expected here'],
  ])('%s is refused in a .json file', (text, expected) => {
    expect(problemsOf(text, 'a.json')).toEqual([expected]);
  });

  test('a number that no reader of JSON can hold is a problem and stays the text that it is, as in YAML', () => {
    const { manifests, problems } = parseYaml('{"apiVersion": "v1", "kind": "Thing", "a": 1e400}', 'a.yaml');
    expect(problems.map(({ kind, path, position }) => [kind, path, position.column])).toEqual([
      ['huge-number', '/a', 44],
    ]);
    expect(manifests[0].object.a).toBe('1e400');
    expect(parseYaml('apiVersion: v1\nkind: Thing\na: 1e400\n', 'a.yaml').manifests[0].object.a).toBe('1e400');
  });

  test('braces that only YAML understands are read as YAML', () => {
    expect(parseYaml('{apiVersion: v1, kind: Thing, a: yes}', 'a.yaml').manifests[0].object.a).toBe(true);
  });

  test('agrees with JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseValue(`{"x":${text}}`, 'a.json');
        expect(value).toEqual({ value: JSON.parse(`{"x":${text}}`) as JsonValue });
      }),
      { seed: 11, numRuns: samples(500) },
    );
  });
});

test('a thousand documents keep their own lines', () => {
  const text = Array.from({ length: 1000 }, (_, i) => `${HEAD}metadata: {name: m${i}}\n`).join('---\n');
  const { manifests } = parseYaml(text, 'a.yaml');
  expect(manifests).toHaveLength(1000);
  expect(manifests[999].origin.locate?.('/metadata/name')).toEqual({ line: 999 * 4 + 3, column: 12 });
});
