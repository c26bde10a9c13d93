/**
 * YAML and JSON texts to compare readers on: written by hand for the edges, generated in every style, and both with letters and lines
 * changed.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../support/random';

const ROOT = join(__dirname, '../../..');

/** Edges of the language, most of them from manifests that people published. */
export const EDGES: readonly string[] = [
  // Scalars in quotes and brackets that go on at a smaller indentation.
  'spec:\n  config: \'{\n  "cniVersion": "0.3.1",\n"type": "macvlan"\n}\'\n',
  "a:\n  b: '{\n    x\n  }\n'\nc: 1\n",
  'a:\n  b: "one\ntwo"\n  c: 3\n',
  'a:\n    b: [1,\n  2,\n3]\n',
  'a:\n  b: {x: 1,\ny: 2\n}\nc: 1\n',
  'a: [\n]\n',
  'a: {\n}\n',
  'a:\n- [1,\n2]\n- {\nb: 1}\n',
  'data:\n  volcano.conf: "actions: \\"allocate\\"\ntiers:\n- plugins:"\n',
  // Documents.
  '',
  '\n',
  '---',
  '---\n---\n',
  '--- \na: 1\n',
  '--- # comment\na: 1\n',
  '--- a\n',
  '--- {a: 1}\n',
  '---a: 1\n',
  '----\na: 1\n',
  'a: 1\n---\n---\nb: 2\n',
  'a: 1\n...\nb: 2\n',
  'a: 1\n...\n---\nb: 2\n',
  '...\n',
  '...\na: 1\n',
  'a: 1\n--- \n...\n---\nb: 2\n',
  'a: |\n  x\n---\nb: |\n  y',
  'a: "x\n---\ny"\n',
  '# only a comment\n',
  '~\n',
  'null\n---\na: 1\n',
  '\uFEFFa: 1\n',
  '\uFEFF---\na: 1\n---\n\uFEFFb: 1\n',
  '\uFEFF{"a": 1}',
  'a: 1\r\nb:\r\n- 2\r\n---\r\nc: |\r\n  x\r\n  y\r\n',
  'a: 1\rb: 2\r',
  'a: x\r\r\nb: y\r\n',
  'a: |\n  x\r\r\n  y\n',
  '%YAML 1.1\n---\na: 1\n',
  '%YAML 1.2\n---\na: 1\n',
  '%TAG !e! tag:example.com,2000:\n---\na: !e!x 1\n',
  '# c\n%YAML 1.1\n--- \na: 1\n',
  '%FOO bar\n---\na: 1\n',
  // Tabs.
  'a:\tb\n',
  'a:\n\tb: 1\n',
  'a:\n  b:\t1\t# c\n',
  'a: [\t1,\t2\t]\n',
  '-\ta\n',
  'a: |\n\tx\n',
  'a: x\n\ty\n',
  '\ta: 1\n',
  '- a\n\t\n- b\n',
  // Control characters.
  'a: \0\n',
  'a: "\0"\n',
  'a: \x01\n',
  'a: \x7f\n',
  'a: \x85b\n',
  'a: x\u2028y\n',
  'a: x\u2029  y\n',
  'a: |\n  x\u2028  y\n',

  'a: \u{1F600}\n\u{1F600}: b\n',
  'a: \uFFFE\n',
  // Anchors, aliases, merge keys.
  'a: &x {b: 1}\nc: *x\n',
  'a: &x 1\nb: &x 2\nc: *x\n',
  'a: *x\n',
  'a: &x [*x]\n',
  'a: &x\n  b: *x\n',
  '&a a: 1\nb: *a\n*a : c\n',
  'a: &x {b: 1, c: 1}\nd:\n  b: 2\n  <<: *x\n',
  'a: &x {b: 1, c: 1}\nd:\n  <<: *x\n  b: 2\n',
  'a: &x {b: 1}\nc: &y {b: 2, d: 1}\ne:\n  <<: [*x, *y]\n',
  '<<: {a: 1}\nb: 2\n',
  '"<<": {a: 1}\n',
  '<<: 1\n',
  '<<:\n',
  '<<: [1]\n',
  '!!merge <<: {a: 1}\n',
  'a: <<\n',
  'a: &x\nb: *x\n',
  'a: &x !!str\nb: *x\n',
  'a: &x-y_1 1\nb: *x-y_1\n',
  'a: &x: 1\n',
  'a: &é 1\n',
  'a: & x\n',
  'a: * x\n',
  'a: *x: y\n',
  // Tags.
  'a: !!str 12\n',
  'a: !!int "12"\n',
  'a: !!int x\n',
  'a: !!float 3\n',
  'a: !!float 18446744073709551615\n',
  'a: !!bool yes\n',
  'a: !!bool 1\n',
  'a: !!null ""\n',
  'a: !!null x\n',
  'a: !!binary aGVsbG8=\n',
  'a: !!binary aGVsbG8\n',
  'a: !!binary |\n  aGVs\n  bG8=\n',
  'a: !!timestamp 2001-01-01\n',
  'a: !!timestamp x\n',
  'a: !!set {x, y}\n',
  'a: !!seq x\n',
  'a: !custom on\n',
  'a: ! on\n',
  'a: ! {b: 1}\n',
  'a: !<tag:yaml.org,2002:str> 1\n',
  'a: !<x 1\n',
  'a: !e!x 1\n',
  'a: !%41 1\n',
  'a: !!map [1]\n',
  '!!map {a: 1}\n',
  'a: !x{b: 1}\n',
  'a: !!str\n',
  'a: !!str, b\n',
  // Words.
  ...'yes No ON off y N true False ~ null Null .nan .inf -.Inf 0777 0o17 0x1F 0b11 1_000 +12 -0 -0.0 007 08 1e3 .5 1. +.5 1e400 .5e999 1.5.2'
    .split(' ')
    .flatMap((word) => [`a: ${word}\n`, `${word}: a\n`]),
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '-9223372036854775809',
    '18446744073709551615',
    '18446744073709551616',
    '+18446744073709551615',
    '0xFFFFFFFFFFFFFFFF',
    '0x10000000000000000',
    '-0x8000000000000000',
    '-0x8000000000000001',
    '02000000000000000000000',
    '0b1111111111111111111111111111111111111111111111111111111111111111',
    '9007199254740993',
    '123456789.125',
    '1e21',
    '1e-7',
    '100000.0',
    '1000000.0',
    '3.4e39',
    '0.1',
    '2001-12-14t21:59:43.10-05:00',
    '2001-12-14 21:59:43',
    '12:30:45',
    '1__0',
    '0x_1F',
    '1_',
    '0b',
    '0x',
  ].flatMap((word) => [`a: ${word}\n`, `${word}: a\n`]),
  // Keys.
  '? a\n: b\n',
  '? [a]\n: b\n',
  '? {a: 1}\n: b\n',
  '{a: 1}: b\n',
  '[a]: b\n',
  '? a\n? b\n',
  ': a\n',
  'a:\nb:\n',
  'a: {b, c: 1, d: }\n',
  'a: {b:1}\n',
  'a: {"b":1}\n',
  'a: [b: c, d]\n',
  'a: [? b : c]\n',
  'a: [? : c]\n',
  'a: [: c]\n',
  'a: {: c}\n',
  'a: {? b : c, ? d}\n',
  'a: [,]\n',
  'a: [a,,b]\n',
  'a: [a,]\n',
  'a: {a: 1,}\n',
  'a: {,}\n',
  'a: 1\na: 2\n',
  'a: {b: 1, b: 2}\n',
  "\"a b\": 1\n'c''d': 2\n",
  'a : 1\n',
  'a: b: c\n',
  'a: - b\n',
  'a: {{ .Values.x }}\n',
  '{{ if .x }}\na: 1\n{{ end }}\n',
  'a: "{{ .x }}"\n',
  'a: @x\n',
  'a: `x`\n',
  'a: %x\n',
  'a: #x\n',
  'a: x #y\n',
  'a: x#y\n',
  'a: "x"#y\n',
  'a: "x" y\n',
  "a: 'x'y\n",
  'a: [x] y\n',
  '[x] y\n',
  'a: -x\n',
  'a: ?x\n',
  'a: :x\n',
  'a: [-x, :y]\n',
  'a: [?x]\n',
  'a: [- x]\n',
  'a: x?y\n',
  'a: [x?y]\n',
  'a: http://x:80/y\n',
  'a: [http://x:80/y]\n',
  'a: [x:y, z:]\n',
  `${'k'.repeat(1024)}: 1\n`,
  `${'k'.repeat(1025)}: 1\n`,
  `"${'k'.repeat(1023)}": 1\n`,
  `a: {${'k'.repeat(1025)}: 1}\n`,
  `${'\u{1F600}'.repeat(600)}: 1\n`,
  `"multi\nline": 1\n`,
  `{"multi\nline": 1}\n`,
  `{multi\nline: 1}\n`,
  // Lists and indentation.
  '- a\n- b\n',
  'a:\n- b\n- c\nd: e\n',
  'a:\n - b\n- c\n',
  'a:\n  - b\n c: d\n',
  'a:\n    b: 1\n  c: 2\n',
  '  a: 1\n  b: 2\n',
  '  a: 1\nb: 2\n',
  '- - a\n  - b\n-\n  - c\n- \n  d: e\n  f: g\n',
  '- a: 1\n  b: 2\n- c: 3\n b: 4\n',
  '-\n-\n- a\n',
  'a:\n-\n- b\nc:\n-\nd: 1\n',
  'a: b\n  c\n   d\n\n  e\nf: g\n',
  'a: b\nc\n',
  'a\nb\n',
  'a: "b\n  c\n\n  d"\n',
  'a: "b \\\n   c\\\n d"\n',
  'a: "\\x41\\u00e9\\U0001F600\\n\\t\\e\\_\\N\\L\\P\\/"\n',
  'a: "\\x41\\u00e9\\U0001F600\\n\\t\\e\\_\\N\\L\\P"\n',
  'a: "\\q"\n',
  'a: "\\ud83d\\ude00"\n',
  'a: "\\ud800"\n',
  'a: "\\x4"\n',
  "a: 'b\n\n\n  c'\n",
  'a: "x\n',
  "a: 'x\n",
  'a: "x\n...\n"\n',
  // Block scalars.
  'a: |\n  x\n  y\n',
  'a: |-\n  x\n\n',
  'a: |+\n  x\n\nb: 1\n',
  'a: |2\n    x\n',
  'a: |2-\n    x\n',
  'a: |-2\n    x\n',
  'a: |0\n  x\n',
  'a: |10\n  x\n',
  'a: >\n  x\n  y\n\n  z\n   w\n  v\n',
  'a: >-\n\n  x\n\n\n  y\n',
  'a: | # comment\n  x\n',
  'a: |# comment\n  x\n',
  'a: | x\n',
  'a: |\nb: 1\n',
  'a: |\n\n\n',
  'a: |\n   x\n  y\n',
  'a: |\n     \n  x\n',
  'a: |\nx\n',
  '- |\n x\n- >\n y\n',
  '|\n x\n',
  '--- |\n x\n',
  'a: |\n  x',
  'a:\n  b: |\n  c: 1\n',
  'a: [|\n x]\n',
  // JSON.
  '{"a": 1}',
  '{"a": 1}{"b": 2}',
  '{"a": 1}\n{"b": 2}\n{"c": 3}',
  '{"a": 1}\n---\n{"b": 2}\n',
  '{"a": 1}\n---\nb: 2\n',
  '{"a": 1}{"b": 2}{"c": 3}{',
  '{"a": 1}{"b": 2}\n---\nc: 3\n',
  '{"a": 1}\nb: 2\n',
  '{"a": 1} # c\n---\nb: 2\n',
  '  {"a": 1}\n',
  '\n\n{a: 1}\n',
  '{"a": 1e999}',
  '{"a": -1e999}',
  '{"a": 1e-999}',
  '{"a": 01}',
  '{"a": .5}',
  '{"a": 1.}',
  '{"a": +1}',
  '{"a": "\\u0000"}',
  '{"a": "\0"}',
  '{"a": "\t"}',
  '{"a": "x\ny"}',
  '{"a": "\\ud800"}',
  '{"a": "\\ud83d\\ude00"}',
  '{"a": "\\/"}',
  '{"a": "\\x41"}',
  '{"a": "\x7f\u2028"}',
  "{'a': 1}",
  '{"a": tru}',
  '{"a": [1,]}',
  '{"a": 1, "a": 2}',
  '{"a": 18446744073709551615, "b": 9223372036854775808, "c": -9223372036854775809}',
  '{"a": 1.0, "b": -0, "c": 1e2}',
  '[1, 2]',
  '["a"]\n---\nb: 1\n',
  '"a"',
  '12',
  '{"__proto__": {"a": 1}, "constructor": 2}',
  '__proto__: {a: 1}\nconstructor: 2\ntoString: 3\n',
  '{',
  '}',
  '[',
  ']',
  'a: }\n',
  'a: ]\n',
  'a: {b: [}\n',
];

/** Every YAML and JSON file of the project, as texts. */
export function fixtures(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '*.yaml', '*.yml'], { cwd: ROOT, encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((file) => file !== '')
    .map((file) => readFileSync(join(ROOT, file), 'utf8'));
}

const WORDS = [
  ...'a b name metadata spec kind Pod v1 yes no on ~ null true 0777 0x1f 1_0 1e3 1.5 -1 +2 .5 .inf 2020-01-01 << nvidia.com/gpu x:y x#y a-b'.split(
    ' ',
  ),
  'two words',
  "it's",
  'a "b" c',
  'é\u{1F600}',
  'http://x/#y',
  '',
];

/** Random documents in every style that YAML has. */
export class TextGenerator {
  constructor(private readonly random: Random) {}

  text(): string {
    const documents = Array.from({ length: this.random.chance(0.2) ? 2 : 1 }, () => this.document());
    const joined = documents.join(this.random.pick(['---\n', '--- # c\n', '...\n---\n', '---\n---\n']));
    const text = `${this.random.chance(0.2) ? '---\n' : ''}${joined}`;
    return this.random.chance(0.06) ? text.replaceAll('\n', '\r\n') : text;
  }

  private document(): string {
    return this.random.chance(0.1) ? `${this.flow(3)}\n` : this.block(0, 4).replace(/^\n/, '');
  }

  /** A value after `key:` or `-`, from the blank in front of it on. */
  private block(indent: number, depth: number): string {
    const { random } = this;
    const kind = depth <= 0 ? 0 : random.below(10);
    const pad = ' '.repeat(indent);
    if (kind <= 2) {
      return `${indent === 0 ? '' : ' '}${this.properties()}${this.inline(indent)}\n`;
    }
    if (kind === 3) {
      const header = `${random.pick(['|', '>'])}${random.pick(['', '', '-', '+', '2'])}`;
      const inner = ' '.repeat(indent + 2);
      const lines = Array.from({ length: 1 + random.below(3) }, () =>
        random.chance(0.2) ? '' : `${inner}${random.chance(0.2) ? ' ' : ''}${random.pick(WORDS)}`,
      );
      return ` ${header}\n${lines.join('\n')}\n`;
    }
    if (kind === 4) {
      return ` ${this.properties()}${this.flow(2)}\n`;
    }
    const isList = kind <= 6;
    const count = 1 + random.below(3);
    const deeper = isList && random.chance(0.4) ? indent : indent + random.pick([1, 2, 2, 4]);
    let text = this.random.chance(0.1) ? ` ${this.properties()}\n` : '\n';
    for (let index = 0; index < count; index++) {
      text += `${pad}${isList ? '-' : `${this.key(index)}:`}${this.block(Math.max(deeper, isList ? indent + 1 : 0), depth - 1)}`;
      if (random.chance(0.08)) {
        text += random.pick(['\n', '# c\n', `${pad}# c\n`, '  \n']);
      }
    }
    return text;
  }

  private key(index: number): string {
    const { random } = this;
    return random.chance(0.8)
      ? `k${index}`
      : random.pick(['"q k"', "'s'", 'yes', '1', '1.50', 'a b', '<<', '*x', '&k k', 'k0']);
  }

  private properties(): string {
    const { random } = this;
    return random.chance(0.1)
      ? random.pick(['&x ', '&y ', '!!str ', '!t ', '&x !!str ', '! ', '!!int ', '!!float '])
      : '';
  }

  private inline(indent: number): string {
    const { random } = this;
    const word = random.pick(WORDS);
    const fold = `\n${' '.repeat(random.pick([0, indent, indent + 2]))}`;
    switch (random.below(6)) {
      case 0:
        return JSON.stringify(word).replace(' ', random.chance(0.5) ? fold : ' ');
      case 1:
        return `'${word.replaceAll("'", "''").replace(' ', random.chance(0.5) ? fold : ' ')}'`;
      case 2:
        return random.chance(0.2) ? random.pick(['*x', '*y']) : `${word}${random.pick(['', ' # c', fold + word])}`;
      default:
        return word;
    }
  }

  private flow(depth: number): string {
    const { random } = this;
    if (depth <= 0 || random.chance(0.4)) {
      return this.inline(2);
    }
    const gap = (): string => random.pick(['', '', ' ', '\n', '\n  ', '\t', ' # c\n']);
    const items = Array.from({ length: random.below(4) }, (_, index) => {
      const value = this.flow(depth - 1);
      return random.chance(0.5) ? `${gap()}k${index}${random.pick([': ', ':', ' : '])}${value}` : `${gap()}${value}`;
    });
    const inner = `${items.join(',')}${random.chance(0.1) ? ',' : ''}${gap()}`;
    return random.chance(0.5) ? `[${inner}]` : `{${inner}}`;
  }
}

const SNIPPETS = [
  ...' \n\t-:#\'"|{}[],&*!?>%@`\\x0.~+<\r'.split(''),
  '  ',
  '- ',
  ': ',
  '\n  ',
  '---\n',
  ' #',
  '...\n',
  '\r\n',
  '&x ',
  '*x',
  '<<: ',
  '!!int ',
  "''",
  '\\u00',
  '\0',
  '\u2028',
  '\u0085',
  '%YAML 1.1\n',
  '{{',
  '}}',
  '? ',
  '|2\n',
  '>-\n',
  '0x',
  '1e999',
];

/** A text with one to three changes. */
export function mutated(text: string, random: Random, others: readonly string[]): string {
  let changed = text;
  for (let step = 1 + random.below(3); step > 0; step--) {
    const lines = changed.split('\n');
    const line = random.below(lines.length);
    const at = random.below(changed.length + 1);
    switch (random.below(9)) {
      case 0:
        lines.splice(line, 1);
        changed = lines.join('\n');
        break;
      case 1:
        lines.splice(line, 0, random.pick(random.pick(others).split('\n')));
        changed = lines.join('\n');
        break;
      case 2:
        lines[line] = ` ${lines[line]}`;
        changed = lines.join('\n');
        break;
      case 3:
        lines[line] = (lines[line] ?? '').replace(/^ {1,2}/, '');
        changed = lines.join('\n');
        break;
      case 4:
        changed = changed.slice(0, at) + changed.slice(at + 1 + random.below(3));
        break;
      case 5:
        changed = changed.slice(0, at);
        break;
      default:
        changed = changed.slice(0, at) + random.pick(SNIPPETS) + changed.slice(at + random.below(2));
    }
  }
  // Half of a surrogate pair is not text, and no file can contain it.
  return changed.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** `count` texts by seed: a quarter of them generated, the others mutants of generated ones, of the edges, and of short fixtures. */
export function generatedTexts(count: number, seed: number): readonly string[] {
  const random = new Random(seed);
  const generator = new TextGenerator(random);
  const short = fixtures()
    .flatMap((text) => text.split(/^---\n/m))
    .filter((text) => text.length < 3000);
  return Array.from({ length: count }, (_, index) => {
    if (index % 4 === 0) {
      return generator.text();
    }
    const base = index % 4 === 1 ? generator.text() : random.pick(index % 4 === 2 ? EDGES : short);
    return mutated(base, random, [...EDGES, generator.text()]);
  });
}
