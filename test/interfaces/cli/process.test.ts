/**
 * The command as it is installed: `npm test` compiles before it runs the tests.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BAD, GOOD, Workplace } from './fake-terminal';

const ROOT = join(__dirname, '../../..');
const GANTRY = join(ROOT, 'bin', 'gantry');

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

/** Where the command keeps compiled code: only the first run compiles it. */
const cache = new Workplace();
afterAll(() => cache.remove());

function gantry(
  words: readonly string[],
  input = '',
  cacheFolder = cache.folder,
): { readonly status: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GANTRY, ...words], {
    cwd: place.folder,
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: cacheFolder },
  });
  return { status, out: stdout, err: stderr };
}

test('the package is compiled', () => {
  expect(existsSync(join(ROOT, 'lib', 'interfaces', 'cli', 'main.js'))).toBe(true);
});

test('the exit status is that of the check', () => {
  place.write('good.yaml', GOOD);
  place.write('bad.yaml', BAD);
  expect(gantry(['check', 'good.yaml'])).toEqual({ status: 0, out: '1 document: no errors\n', err: '' });
  expect(gantry(['check', 'bad.yaml'])).toMatchObject({ status: 1, err: '' });
  expect(gantry(['check', 'gone.yaml'])).toEqual({
    status: 2,
    out: '',
    err: 'gantry: gone.yaml: no such file or folder\n',
  });
  expect(gantry([])).toMatchObject({ status: 2 });
});

test('threads change nothing in the report', () => {
  for (let file = 0; file < 5; file++) {
    const more = file % 2 === 0 ? BAD : `${GOOD}---\nkind: [`;
    place.write(`${file}.yaml`, `${more}---\n${BAD.replace('name: bad', `name: bad-${file}`)}`);
  }
  const reports = ['1', '2', '3', '99'].map((jobs) => gantry(['check', '.', '--jobs', jobs, '--format', 'json']));
  expect(reports[0]).toMatchObject({ status: 2, err: '' });
  expect((JSON.parse(reports[0].out) as { readonly findings: readonly object[] }).findings.length).toBeGreaterThan(8);
  for (const report of reports) {
    expect(report).toEqual(reports[0]);
  }
});

test('what threads cannot check with is checked by one, and errors are those of one', () => {
  place.write('a.yaml', BAD);
  place.write('b.yaml', BAD);
  const rule = `{ on: 'object', id: 'acme/once', kinds: ['ConfigMap'], tier: 'advice', severity: 'warning', summary: 'S.', why: 'W.', source: 's', fix: 'F.', check: () => (count++ === 0 ? [] : [{ message: 'is the second' }]) }`;
  place.write('rules.cjs', `let count = 0;\nmodule.exports = { rules: [${rule}] };\n`);
  place.write('.gantry.yaml', 'rule-modules: [./rules.cjs]\n');
  const own = gantry(['check', 'a.yaml', 'b.yaml', '--jobs', '2', '--format', 'json']);
  expect(own.err).toBe('');
  expect(own.out.match(/is the second/g)).toHaveLength(1);
  place.write('.gantry.yaml', '');
  expect(gantry(['check', 'a.yaml', 'b.yaml', '--jobs', 'two'])).toEqual({
    status: 2,
    out: '',
    err: 'gantry: --jobs two: must be a whole number from 1 to 9999\n',
  });
  place.write(
    'crd.yaml',
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: 5}\n',
  );
  const [one, two] = ['1', '2'].map((jobs) =>
    gantry(['check', 'a.yaml', 'b.yaml', '--crd', 'crd.yaml', '--jobs', jobs]),
  );
  expect(two).toEqual(one);
});

test('a mistake in a CEL expression is a finding of the command as it is bundled', () => {
  const selector = 'device.vendor == "a"';
  place.write(
    'class.yaml',
    `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: a}
spec: {selectors: [{cel: {expression: '${selector}'}}]}
`,
  );
  const { status, out, err } = gantry(['check', 'class.yaml', '--format', 'json']);
  expect({ status, err }).toEqual({ status: 1, err: '' });
  expect(JSON.parse(out)).toMatchObject({ findings: [{ rule: 'core/device-class-valid' }], notChecked: [] });
});

test('a module of rules may wait; one that waits forever is an error', () => {
  const rule = `{ id: 'acme/x', on: 'object', kinds: ['ConfigMap'], tier: 'advice', severity: 'error', summary: 's', why: 'w', source: 'us', fix: 'f', check: () => [] }`;
  place.write('waits.mjs', `await Promise.resolve();\nexport const rules = [${rule}];\n`);
  place.write('forever.mjs', 'await new Promise(() => undefined);\nexport const rules = [];\n');
  place.write('null.cjs', 'throw null;\n');
  place.write('.gantry.yaml', 'rule-modules: [null.cjs]\n');
  expect(gantry(['rules']).err).toBe('gantry: .gantry.yaml: cannot load null.cjs: it throws null\n');
  place.write('.gantry.yaml', 'rule-modules: [waits.mjs]\n');
  expect(gantry(['rules', 'acme/x'])).toMatchObject({ status: 0, err: '' });
  place.write('.gantry.yaml', 'rule-modules: [forever.mjs]\n');
  for (const words of [['rules'], ['check', '-']]) {
    expect(gantry(words)).toEqual({
      status: 2,
      out: '',
      err: 'gantry: .gantry.yaml: cannot load forever.mjs: its top-level await never ends\n',
    });
  }
});

test('a run that uses the compiled code of the run before says the same', () => {
  place.write('bad.yaml', BAD);
  const before = gantry(['check', 'bad.yaml'], '', place.folder);
  expect(readdirSync(join(place.folder, 'cdk8s-gantry')).sort()).toEqual([
    expect.stringMatching(/^check-bundle-.*\.v8$/),
    expect.stringMatching(/^main-bundle-.*\.v8$/),
  ]);
  expect(gantry(['check', 'bad.yaml'], '', place.folder)).toEqual(before);
});

test('each command that the help lists is found by its name alone', () => {
  const [, listed = ''] = gantry(['--help']).out.split('Commands:\n');
  const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
  expect(names.slice(0, 4)).toEqual(['check', 'synth', 'diff', 'plan']);
  expect(names).toHaveLength(15);
  for (const name of names.filter((one) => one !== 'help')) {
    expect(gantry([name, '--help']).out).toMatch(new RegExp(`^Usage: gantry ${name} `));
  }
});

test('what kustomize renders is checked beside files that several threads read, as by one thread', () => {
  const service = (name: string, app: string): string =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: n}\nspec: {selector: {app: ${app}}, ports: [{port: 80, nodePort: 1}]}\n`;
  // One object is rendered, and is in a file as well.
  const rendered = [service('a', 'server-b'), BAD, service('twice', 'one')].join('---\n');
  place.write('bin/kustomize', `#!${process.execPath}\nprocess.stdout.write(${JSON.stringify(rendered)});\n`);
  chmodSync(join(place.folder, 'bin/kustomize'), 0o755);
  place.write('over/kustomization.yaml', 'resources: []\n');
  for (const name of ['b', 'c', 'd', 'twice']) {
    place.write(`files/${name}.yaml`, `${service(name, 'one')}---\n${BAD.replace('name: bad', `name: bad-${name}`)}`);
  }
  const log = join(place.folder, 'threads.log');
  const noteThread = place.write(
    'note-thread.cjs',
    `if (!require('node:worker_threads').isMainThread) require('node:fs').appendFileSync(${JSON.stringify(log)}, 'one\\n');\n`,
  );
  const checked = (
    jobs: number,
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
    spawnSync(
      process.execPath,
      [GANTRY, 'check', '--kustomize', 'over', 'files', '--format', 'json', '--jobs', String(jobs)],
      {
        cwd: place.folder,
        encoding: 'utf8',
        env: {
          PATH: [join(place.folder, 'bin'), process.env.PATH].join(delimiter),
          XDG_CACHE_HOME: cache.folder,
          NODE_OPTIONS: `--require ${join(place.folder, noteThread)}`,
        },
      },
    );

  const alone = checked(1);
  expect([alone.status, alone.stderr, existsSync(log)]).toEqual([1, '', false]);
  const { documents, findings } = JSON.parse(alone.stdout) as {
    readonly documents: number;
    readonly findings: readonly { readonly rule: string; readonly file?: string; readonly line?: number }[];
  };
  expect(documents).toBe(11);
  expect(new Set(findings.map(({ file }) => file))).toEqual(
    new Set(['--kustomize over', 'files/b.yaml', 'files/c.yaml', 'files/d.yaml', 'files/twice.yaml']),
  );
  expect(findings.map(({ rule }) => rule)).toContain('core/object-once');

  for (const jobs of [2, 3]) {
    const { status, stdout, stderr } = checked(jobs);
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toBe(alone.stdout);
  }
  expect(readFileSync(log, 'utf8')).toBe('one\n'.repeat(3));
});

test('standard input is read to its end', () => {
  const text = Array.from({ length: 3000 }, (_, i) => GOOD.replace('good', `g${i}`)).join('---\n');
  expect(gantry(['check', '-'], text)).toMatchObject({ status: 0, out: '3000 documents: no errors\n' });
});

test('a reader that goes away is no failure', async () => {
  place.write('bad.yaml', Array.from({ length: 3000 }, (_, i) => BAD.replace('bad', `b${i}`)).join('---\n'));
  const child = spawn(process.execPath, [GANTRY, 'check', 'bad.yaml'], {
    cwd: place.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  await new Promise((done) => child.once('close', done));
  expect(err).toBe('');
});

test('a check loads neither cdk8s nor constructs', () => {
  place.write('good.yaml', GOOD);
  const script = `
    const { main } = require(${JSON.stringify(join(ROOT, 'lib', 'interfaces', 'cli', 'main.js'))});
    const { processTerminal } = require(${JSON.stringify(join(ROOT, 'lib', 'interfaces', 'cli', 'terminal.js'))});
    main(['check', 'good.yaml'], processTerminal()).then(() => {
      const loaded = Object.keys(require.cache).filter((file) => /node_modules.(cdk8s|constructs|typescript|ts-morph)/.test(file));
      console.error(JSON.stringify(loaded));
    });`;
  const { stderr } = spawnSync(process.execPath, ['-e', script], { cwd: place.folder, encoding: 'utf8' });
  expect(stderr).toBe('[]\n');
});
