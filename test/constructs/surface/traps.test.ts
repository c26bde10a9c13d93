/**
 * The traps of `traps.ts` as the compiler sees them: each is an error, on the line on which a user would look for it, and nothing else is.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../../..');
const FILE = resolve(__dirname, 'traps.ts');
const DIRECTIVE = '// @ts-expect-error ';

/** The type check of the project: `npm test` and every landing run it. */
function typeCheck(): ts.ParsedCommandLine {
  const path = resolve(ROOT, 'tsconfig.dev.json');
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { readonly config: object };
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
}

/** Line numbers of the errors of the file, with the given text in place of its own. */
function errorsOf(text: string): readonly { readonly line: number; readonly code: number; readonly message: string }[] {
  const { options } = typeCheck();
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version, ...rest) =>
    resolve(name) === FILE ? ts.createSourceFile(name, text, version, true) : read(name, version, ...rest);
  const program = ts.createProgram([FILE], { ...options, noEmit: true }, host);
  const source = program.getSourceFile(FILE)!;
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((diagnostic) => ({
    line: source.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line + 1,
    code: diagnostic.code,
    message: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
  }));
}

const text = readFileSync(FILE, 'utf8');
const lines = text.split('\n');
/** The lines that must not compile. */
const traps = lines.flatMap((line, index) => (line.trim().startsWith(DIRECTIVE) ? [index + 2] : []));

test('the type check of the project compiles the traps', () => {
  expect(typeCheck().fileNames.map((file) => relative(ROOT, file))).toContain(relative(ROOT, FILE));
});

test('each trap is an error on its own line, and no other line is one', () => {
  // One legal line with a directive above it, as every trap would be that became legal.
  const legal = `${DIRECTIVE}legal\nexport const legal = 8;\n`;
  const marked = text.replaceAll(DIRECTIVE, '// trap: ') + legal;
  const errors = errorsOf(marked);
  expect(new Set(errors.map(({ line }) => line))).toEqual(new Set([...traps, lines.length]));
  expect(errors.filter(({ code }) => code === UNUSED_DIRECTIVE).map(({ line }) => line)).toEqual([lines.length]);
  expect(traps.length).toBeGreaterThan(90);
});

/** TS2578: Unused '@ts-expect-error' directive. */
const UNUSED_DIRECTIVE = 2578;

test('each trap says what to write instead, or what is wrong', () => {
  const without = lines.filter((line) => line.includes('@ts-expect-error')).filter((line) => !/-error \S/.test(line));
  expect(without).toEqual([]);
});
