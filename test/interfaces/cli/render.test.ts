import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Report } from '../../../src/checks/report/report';
import { hasHelm, hasKubectl } from '../../support/tools';
import { BAD, GOOD, Workplace } from './fake-terminal';

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

/** A program that notes its words, one on each line, and prints a text. */
function fake(name: string, output: string, more = ''): void {
  const text = output.replaceAll("'", `'\\''`);
  place.write(
    `bin/${name}`,
    `#!${process.execPath}\nrequire('fs').appendFileSync(${JSON.stringify(join(place.folder, `${name}.log`))}, process.argv.slice(2).join('\\n') + '\\n');\n${more}\nprocess.stdout.write(${JSON.stringify(text)});\n`,
  );
  chmodSync(join(place.folder, `bin/${name}`), 0o755);
}

const words = (name: string): readonly string[] =>
  readFileSync(join(place.folder, `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n');

async function reportOf(given: readonly string[]): Promise<Report & { readonly status: number }> {
  const { status, out, err } = await place.run(['check', ...given, '--format', 'json'], {
    env: { PATH: join(place.folder, 'bin') },
  });
  expect(err).toBe('');
  return { ...(JSON.parse(out) as Report), status };
}

const RENDERED = `---\n# Source: demo/templates/good.yaml\n${GOOD}---\n# Source: demo/templates/sub/bad.yaml\n${BAD}`;

describe('--helm', () => {
  test('checks what helm renders, and names the template of an object', async () => {
    fake('helm', RENDERED);
    place.write('charts/demo/templates/sub/bad.yaml', '{{ x }}');
    const { status, findings, documents } = await reportOf(['--helm', 'charts/demo']);
    expect([status, documents]).toEqual([1, 2]);
    expect(findings.map(({ object, file, line }) => [object, file, line])).toEqual([
      ['v1 ConfigMap bad', 'charts/demo/templates/sub/bad.yaml', undefined],
    ]);
  });

  test('names the template as helm does where the chart is no folder here', async () => {
    fake('helm', RENDERED);
    const { findings } = await reportOf(['--helm', 'oci://example.com/demo']);
    expect(findings.map(({ file }) => file)).toEqual(['demo/templates/sub/bad.yaml']);
  });

  test('hands values, settings, release, namespace and target to helm, word by word', async () => {
    fake('helm', '');
    const value = 'a=$(touch x);b "c"';
    await reportOf(
      [
        '--helm',
        'demo',
        '--values',
        'a b.yaml',
        '--values',
        'c.yaml',
        '--set',
        value,
        '--release',
        'r',
        '--namespace',
        'n',
      ].concat('--k8s', '1.34'),
    );
    expect(words('helm')).toEqual(
      [
        'template',
        'r',
        'demo',
        '--include-crds',
        '--kube-version',
        '1.34',
        '--values',
        'a b.yaml',
        '--values',
        'c.yaml',
      ].concat(['--set', value, '--namespace', 'n']),
    );
    expect(readdirSync(place.folder)).not.toContain('x');
  });

  test('with files, as one set', async () => {
    fake('helm', GOOD);
    place.write('a.yaml', BAD);
    expect((await reportOf(['a.yaml', '--helm', 'demo'])).documents).toBe(2);
  });

  test('a broken document is a finding', async () => {
    fake('helm', `${GOOD}---\na: [\n`);
    const { status, findings } = await reportOf(['--helm', 'demo']);
    expect([status, findings.map(({ rule, file }) => `${rule} ${file}`)]).toEqual([2, ['yaml/syntax --helm demo']]);
  });
});

describe('--kustomize', () => {
  const ORIGIN = (path: string): string =>
    GOOD.replace(
      'name: good\n',
      `name: ${'d'}\n  annotations:\n    config.kubernetes.io/origin: |\n      path: ${path}\n`,
    );

  test('asks kustomize for the origin of each object, names its file, and takes the annotation off', async () => {
    place.write('app/base/d.yaml', 'x');
    fake(
      'kustomize',
      '',
      `const fs = require('fs'); const given = fs.readFileSync(process.argv[3] + '/kustomization.yaml', 'utf8');
       const folder = /resources:\\s+- (.*)/.exec(given)[1];
       if (!given.includes('originAnnotations')) process.exit(3);
       process.stdout.write(${JSON.stringify(ORIGIN('FOLDER/../base/d.yaml').replace('kind: ConfigMap', 'kind: ConfigMap\ndaat: {}'))}.replaceAll('FOLDER', folder));`,
    );
    place.write('app/over/kustomization.yaml', 'resources: [../base]\n');
    const { findings } = await reportOf(['--kustomize', 'app/over']);
    expect(findings.map(({ path, file }) => [path, file])).toEqual([['/daat', 'app/base/d.yaml']]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('gantry-kustomize-'))).toEqual([]);
  });

  test('takes the folder as it is where it cannot be wrapped, such as a Component', async () => {
    place.write('app/kustomization.yaml', 'kind: Component\n');
    fake('kustomize', BAD, `if (process.argv[3] !== 'app') process.exit(1);`);
    const { findings } = await reportOf(['--kustomize', 'app']);
    expect(findings.map(({ file }) => file)).toEqual(['--kustomize app']);
  });

  test('takes kubectl where kustomize is not installed', async () => {
    fake('kubectl', GOOD);
    expect((await reportOf(['--kustomize', 'https://example.com/app'])).documents).toBe(1);
    expect(words('kubectl')).toEqual(['kustomize', 'https://example.com/app']);
  });
});

describe('what goes wrong is one line and exit status 2', () => {
  test.each([
    ['helm is not installed', ['--helm', 'x'], 'gantry: --helm x: requires helm in PATH; install it\n'],
    [
      'neither kustomize nor kubectl is installed',
      ['--kustomize', '.'],
      'gantry: --kustomize .: requires kustomize or kubectl in PATH; install one of them\n',
    ],
    [
      'a value without a chart',
      ['--set', 'a=b', '.'],
      'gantry: --values, --set, --release, and --namespace require --helm CHART\n',
    ],
  ])('%s', async (_, given, err) => {
    expect(await place.run(['check', ...given], { env: { PATH: place.folder } })).toEqual({ status: 2, out: '', err });
  });

  test.each([
    [
      '--helm',
      'helm',
      "process.stderr.write('WARNING: x\\nError: no such chart\\n'); process.exit(1);",
      'no such chart',
    ],
    [
      '--kustomize',
      'kustomize',
      "process.stderr.write('Error: no kustomization\\n'); process.exit(1);",
      'no kustomization',
    ],
    ['--helm', 'helm', 'process.exit(7);', 'exit status 7'],
  ])('%s that fails', async (flag, program, code, reason) => {
    fake(program, '', code);
    const { status, err } = await place.run(['check', flag, 'x'], { env: { PATH: join(place.folder, 'bin') } });
    expect([status, err]).toEqual([2, `gantry: ${flag} x: ${reason}\n`]);
  });
});

(hasKubectl ? test : test.skip)('kubectl itself renders an overlay, and each object has its file', async () => {
  place.write('base/kustomization.yaml', 'resources: [d.yaml]\n');
  place.write('base/d.yaml', BAD);
  place.write('over/kustomization.yaml', 'resources: [../base]\nnamePrefix: p-\n');
  const { out } = await place.run(['check', '--kustomize', 'over', '--format', 'json']);
  expect((JSON.parse(out) as Report).findings.map(({ object, file }) => [object, file])).toEqual([
    ['v1 ConfigMap p-bad', 'base/d.yaml'],
  ]);
});

(hasHelm ? test : test.skip)('helm itself renders a chart, and each object has its template', async () => {
  place.write('demo/Chart.yaml', 'apiVersion: v2\nname: demo\nversion: 1.0.0\n');
  place.write('demo/values.yaml', 'name: x\n');
  place.write('demo/templates/a.yaml', BAD.replace('bad', '{{ .Values.name }}'));
  const { out } = await place.run(['check', '--helm', 'demo', '--set', 'name=given', '--format', 'json']);
  expect((JSON.parse(out) as Report).findings.map(({ object, file }) => [object, file])).toEqual([
    ['v1 ConfigMap given', join(dirname('demo/x'), 'templates/a.yaml')],
  ]);
});
