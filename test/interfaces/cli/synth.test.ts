import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Report } from '../../../src/checks/report/report';
import { BAD, Workplace } from './fake-terminal';

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

const CDK8S = JSON.stringify(require.resolve('cdk8s'));

/** A plain cdk8s app with one ConfigMap; `more` is merged into its object. */
function app(more = '', after = ''): string {
  return `const { App, Chart, ApiObject } = require(${CDK8S});
const app = new App();
const chart = new Chart(app, 'platform');
new ApiObject(chart, 'settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, ${more} });
${after}
app.synth();
console.log('hello from the app');
`;
}

/** Everything in the working folder, with the content of files. */
function files(folder = place.folder): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')] as const)
      .sort(),
  );
}

test('a good app replaces the output folder, whole, and says what was made', async () => {
  place.write('app.js', app());
  place.write('out/old.k8s.yaml', 'old');
  const { status, out, err } = await place.run(['synth', '--app', 'node app.js', '--output', 'out']);
  expect([status, out]).toEqual([
    0,
    'out: 1 object in 1 file\n  platform.k8s.yaml\n  ConfigMap 1\n\n1 document: no errors\n',
  ]);
  expect(err).toBe('hello from the app\n');
  expect(Object.keys(files())).toEqual(['app.js', 'out/platform.k8s.yaml']);
});

test('files of nodes are written beside the manifests: known ones are checked, and none blocks the next run', async () => {
  const write = (text: string): string => `
const { mkdirSync, writeFileSync } = require('node:fs');
mkdirSync(app.outdir + '/node-files/etc/containerd', { recursive: true });
writeFileSync(app.outdir + '/node-files/etc/containerd/config.toml', ${JSON.stringify(text)});
writeFileSync(app.outdir + '/node-files/ROLL-OUT.txt', 'drain: first\\n  then: [');
`;
  const good = 'version = 3\n[plugins."io.containerd.cri.v1.runtime".containerd]\ndefault_runtime_name = "runc"\n';
  place.write('app.js', app('', write(good)));
  expect((await place.run(['synth', '--app', 'node app.js', '--output', 'out'])).status).toBe(0);
  expect((await place.run(['synth', '--app', 'node app.js', '--output', 'out'])).status).toBe(0);
  expect(Object.keys(files())).toEqual([
    'app.js',
    'out/node-files/ROLL-OUT.txt',
    'out/node-files/etc/containerd/config.toml',
    'out/platform.k8s.yaml',
  ]);
  place.write(
    'app.js',
    app(
      '',
      write(
        good.replace('.containerd]', '.containerd.default_runtime]').replace('default_runtime_name', 'runtime_type'),
      ),
    ),
  );
  expect((await place.run(['synth', '--app', 'node app.js', '--output', 'out'])).out).toContain(
    'node-tuning/containerd-default-runtime-by-name',
  );
});

test('app and output are taken from cdk8s.yaml, and the output is dist by default', async () => {
  place.write('app.js', app());
  place.write('cdk8s.yaml', 'language: typescript\napp: node app.js\noutput: made/here\n');
  expect((await place.run(['synth'])).status).toBe(0);
  expect(existsSync(join(place.folder, 'made/here/platform.k8s.yaml'))).toBe(true);
  place.write('cdk8s.yaml', 'app: node app.js\n');
  expect((await place.run(['synth'])).status).toBe(0);
  expect(existsSync(join(place.folder, 'dist/platform.k8s.yaml'))).toBe(true);
});

test('findings name the construct, give exit status 1, and leave the folder as it was', async () => {
  place.write('app.js', app('daat: {}'));
  place.write('out/old.k8s.yaml', 'old');
  const before = files();
  const { status, out } = await place.run(['synth', '--app', 'node app.js', '--output', 'out']);
  expect(status).toBe(1);
  expect(out).toContain('out: unchanged; the app created 1 object in 1 file');
  expect(out).toContain('platform/settings  v1 ConfigMap settings');
  expect(files()).toEqual(before);
});

test('standard output has only the JSON report', async () => {
  place.write('app.js', app('daat: {}'));
  const { out } = await place.run(['synth', '--app', 'node app.js', '--format', 'json']);
  expect((JSON.parse(out) as Report).findings).toEqual([
    expect.objectContaining({ rule: 'schema/unknown-field', construct: 'platform/settings' }),
  ]);
});

test('objects that share a name are named by file', async () => {
  place.write(
    'app.js',
    app(
      'daat: {}',
      "new ApiObject(chart, 'two', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'settings' } });",
    ),
  );
  const { out } = await place.run(['synth', '--app', 'node app.js', '--output', 'out', '--format', 'json']);
  expect((JSON.parse(out) as Report).findings).toEqual([
    expect.objectContaining({ file: 'out/platform.k8s.yaml', line: expect.any(Number) as number }),
  ]);
});

test('findings of an app that checks itself with its own rules are reported', async () => {
  const finding = {
    rule: 'acme/own',
    tier: 'advice',
    severity: 'error',
    object: 'v1 ConfigMap settings',
    path: '',
    message: 'not ours',
    construct: 'platform/settings',
  };
  const report = { documents: 1, findings: [finding], notChecked: [], suppressed: [] };
  const tell = `require('fs').writeFileSync(process.env.GANTRY_REPORT_FILE, ${JSON.stringify(JSON.stringify(report))});`;
  place.write('app.js', app('', tell));
  for (const more of [[], ['--k8s', '1.34']]) {
    const { status, out } = await place.run(['synth', '--app', 'node app.js', '--format', 'json', ...more]);
    expect([status, (JSON.parse(out) as Report).findings]).toEqual([1, [finding]]);
  }
  expect((await place.run(['synth', '--app', 'node app.js', '--only', 'schema'])).status).toBe(0);
});

test('a report that speaks of a part of what was written does not stand for the rest', async () => {
  const tell = `require('fs').writeFileSync(process.env.GANTRY_REPORT_FILE, JSON.stringify({ documents: 7, findings: [], notChecked: [], suppressed: [] }));`;
  place.write('app.js', app('daat: {}', tell));
  expect((await place.run(['synth', '--app', 'node app.js'])).status).toBe(1);
});

describe('what goes wrong is said, with exit status 2, and changes nothing', () => {
  async function failure(words: readonly string[]): Promise<string> {
    const before = files();
    const { status, out, err } = await place.run(words);
    expect([status, out]).toEqual([2, '']);
    expect(files()).toEqual(before);
    return err;
  }

  test('an app that throws: its message, without the frames of libraries', async () => {
    place.write('app.js', app('', "throw new Error('no such team: research');"));
    const err = await failure(['synth', '--app', 'node app.js']);
    expect(err).toContain('gantry: the app "node app.js" failed (exit status 1)');
    expect(err).toContain('no such team: research');
    expect(err).not.toContain('node:internal');
  });

  test('a command that does not exist', async () => {
    expect(await failure(['synth', '--app', 'no-such-command'])).toContain('exit status 127');
  });

  test('no app', async () => {
    expect(await failure(['synth'])).toBe('gantry: no app to run; pass --app COMMAND, or set "app" in cdk8s.yaml\n');
  });

  test('a broken cdk8s.yaml', async () => {
    place.write('cdk8s.yaml', 'app: [\n');
    expect(await failure(['synth'])).toMatch(/^gantry: cdk8s\.yaml:\d+:\d+: /);
  });

  test('an app that writes elsewhere', async () => {
    place.write('app.js', '');
    expect(await failure(['synth', '--app', 'node app.js'])).toContain('wrote no manifests to CDK8S_OUTDIR');
  });

  test('an app that writes broken YAML', async () => {
    place.write('app.js', "require('fs').writeFileSync(process.env.CDK8S_OUTDIR + '/a.k8s.yaml', 'a: [');");
    expect(await failure(['synth', '--app', 'node app.js'])).toMatch(/^gantry: a\.k8s\.yaml:\d+:\d+: /);
  });

  test('an output folder with things that no synth made', async () => {
    place.write('app.js', app());
    place.write('dist/main.js', '');
    expect(await failure(['synth', '--app', 'node app.js'])).toContain(
      'would be replaced, but contains main.js, which gantry synth did not create',
    );
  });

  test.each(['.', '..', '/'])('the output folder %s', async (output) => {
    place.write('app.js', app());
    expect(await failure(['synth', '--app', 'node app.js', '--output', output])).toContain(
      'must not be the working directory, because it would be replaced',
    );
  });

  test('an output that is a file', async () => {
    place.write('app.js', app());
    place.write('out', 'text');
    expect(await failure(['synth', '--app', 'node app.js', '--output', 'out'])).toBe(
      'gantry: --output out: must be a folder\n',
    );
  });

  test('a wrong flag, before the app is run', async () => {
    expect(await failure(['synth', '--app', 'touch ran', '--k8s', '2.0'])).toContain(
      '--k8s 2.0: unsupported Kubernetes version',
    );
    expect(existsSync(join(place.folder, 'ran'))).toBe(false);
  });
});

test('output folders inside folders are made', async () => {
  place.write('app.js', app());
  mkdirSync(join(place.folder, 'deep'));
  writeFileSync(join(place.folder, 'deep/keep.txt'), BAD);
  expect((await place.run(['synth', '--app', 'node app.js', '--output', 'deep/er/out'])).status).toBe(0);
  expect(Object.keys(files())).toEqual(['app.js', 'deep/er/out/platform.k8s.yaml', 'deep/keep.txt']);
});
