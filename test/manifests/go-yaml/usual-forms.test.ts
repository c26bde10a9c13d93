/**
 * What is read straight into JSON, against the nodes of the same text: wherever there is a result, the nodes have the same, and report nothing.
 */
import { isUsualText, readUsual, usualPlaces } from '../../../src/manifests/go-yaml/usual-forms';
import { parseNodes } from '../../../src/manifests/go-yaml/nodes';
import { offsetOfPath, valueOfDocument } from '../../../src/manifests/go-yaml/values';
import { readDocuments } from '../../../src/manifests/yaml';
import { type JsonValue } from '../../../src/facts/api/schema';
import { EDGES, fixtures, generatedTexts } from '../../e2e/yaml/texts';

const COUNT = Number(process.env.GANTRY_YAML_TEXTS ?? 5000);
const SEED = Number(process.env.GANTRY_YAML_SEED ?? 7);

/** The texts of documents, each ending with a line feed, as they are cut out of a text. */
function documentsOf(text: string): readonly string[] {
  return text
    .split(/^(?=---)/m)
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .flatMap((part) => [part, part.replace(/^---.*\n/, '')]);
}

/** What the nodes say; a text for what they refuse or report. */
function byNodes(text: string): { readonly value: JsonValue } | string {
  try {
    const root = parseNodes(text);
    const { value, problems } = root === undefined ? { value: null, problems: [] } : valueOfDocument(root);
    return problems.length > 0 ? problems.map(({ message }) => message).join() : { value };
  } catch (error) {
    return String(error);
  }
}

/** As text: the order of members counts, and so does the sign of zero. */
function shown(value: JsonValue): string {
  return JSON.stringify(value, (_, member: JsonValue) => (Object.is(member, -0) ? '-0 itself' : member));
}

function usual(text: string): JsonValue | undefined {
  return isUsualText(text) ? readUsual(text, 0, text.length) : undefined;
}

test(`what has a result has the same in the nodes, in ${COUNT} texts with seed ${SEED}`, () => {
  const texts = [...EDGES, ...fixtures(), ...generatedTexts(COUNT, SEED)].flatMap(documentsOf);
  let read = 0;
  const differ = texts.filter((text) => {
    const value = usual(text);
    if (value === undefined) {
      return false;
    }
    read++;
    const nodes = byNodes(text);
    return typeof nodes === 'string' || shown(nodes.value) !== shown(value);
  });
  expect(differ).toEqual([]);
  expect(read).toBeGreaterThan(texts.length / 8);
});

/** The tokens of every place in a value, and of places that it does not have. */
function* tokensIn(value: JsonValue, before: readonly string[] = []): Iterable<readonly string[]> {
  yield before;
  yield [...before, 'gone', '0'];
  yield [...before, '00'];
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield* tokensIn(member, [...before, name]);
    }
  }
}

test(`places are those of the nodes, in ${COUNT} texts with seed ${SEED}`, () => {
  const texts = [...EDGES, ...fixtures(), ...generatedTexts(COUNT, SEED)].flatMap(documentsOf);
  let found = 0;
  const differ = texts.flatMap((text) => {
    const [value, places] = [usual(text), usualPlaces(text)];
    if (value === undefined || places === undefined) {
      expect(places).toBeUndefined();
      return [];
    }
    const root = parseNodes(text)!;
    const all = [...tokensIn(value)];
    found += all.length;
    return all.filter((tokens) => places(tokens) !== offsetOfPath(root, tokens)).map((tokens) => [text, tokens]);
  });
  expect(differ).toEqual([]);
  expect(found).toBeGreaterThan(5 * texts.length);
});

test.each([
  'a: {<<: {b: 1}, c: 2}\n',
  'a: {b: 1, b: 2}\n',
  'a: &x 1\n',
  'a: !!str 1\n',
  'a: b\n  c\n',
  'a: [b,\n c]\n',
  'a: b\r\n',
])('nodes are left to say what this is: %j', (text) => {
  expect(usual(text)).toBeUndefined();
});

test('nearly all manifests of the project are of the usual forms', () => {
  const documents = fixtures()
    .flatMap((text) => text.split(/^---\n/m))
    .map((text) => `${text.trimEnd()}\n`);
  const read = documents.filter((text) => usual(text) !== undefined).length;
  expect(read / documents.length).toBeGreaterThan(0.85);
});

test.each(['12', 'a: 1', 'a: # b', '[a', '"a', 'a: |', '- ', '# c', '{a: 1'])(
  'a document without a line feed at its end is not read: %j',
  (text) => {
    expect(readUsual(text, 0, text.length)).toBeUndefined();
    expect(usualPlaces(text)).toBeUndefined();
    expect(readDocuments(text, 'a.yaml')).toHaveLength(text === '# c' ? 0 : 1);
  },
);

test.each([
  ['text of another document behind it', 'a: "x\n---b: 1\n"\n', 'a: "x\n'.length],
  ['a block behind it', 'a: |\n  x\n---b: 1\n  y\n', 'a: |\n  x\n'.length],
])('a document ends where it is said to: %s', (_, text, end) => {
  const alone = byNodes(text.slice(0, end));
  const value = readUsual(text, 0, end);
  expect(value === undefined ? 'not read' : shown(value)).toBe(
    typeof alone === 'string' ? 'not read' : shown(alone.value),
  );
});
