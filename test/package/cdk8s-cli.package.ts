/**
 * The checks of an existing cdk8s app: with the real cdk8s-cli, in a folder with an app that uses no construct of this library.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Workplace } from '../interfaces/cli/fake-terminal';
import { installInto, ROOT } from './packed';

const CDK8S = join(dirname(require.resolve('cdk8s-cli/package.json')), 'bin', 'cdk8s');
const TSX = join(dirname(require.resolve('tsx/package.json')), 'dist', 'cli.mjs');

let installed: string;
beforeAll(() => {
  installed = installInto(join(ROOT, '.cache/cdk8s-cli'));
}, 60_000);

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  mkdirSync(join(place.folder, 'node_modules'));
  symlinkSync(installed, join(place.folder, 'node_modules', 'cdk8s-gantry'));
  for (const name of ['cdk8s', 'constructs']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(place.folder, 'node_modules', name));
  }
});
afterEach(() => place.remove());

interface Run {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function cdk8s(...words: readonly string[]): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CDK8S, ...words, '--check-upgrade', 'false'], {
    cwd: place.folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: place.folder },
  });
  return { status, out: stdout, err: stderr };
}

/** `cdk8s.yaml` with the validation; it is JSON, which is YAML. */
function config(app: string, more: object = {}): void {
  const validations = [{ package: './node_modules/cdk8s-gantry', class: 'GantryValidation', version: '0.0.0' }];
  place.write('cdk8s.yaml', JSON.stringify({ language: 'typescript', app, validations, ...more }));
}

/** A TypeScript app with a ConfigMap and a Deployment. */
function writeApp(replicas: string): string {
  place.write(
    'main.ts',
    `import { ApiObject, App, Chart } from 'cdk8s';
const app = new App();
const chart = new Chart(app, 'web');
const labels = { app: 'web' };
new ApiObject(chart, 'settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { mode: 'fast' } });
new ApiObject(chart, 'server', {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'server' },
  spec: {
    replicas: ${replicas},
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1.0' }] } },
  },
});
app.synth();
`,
  );
  return `${process.execPath} ${TSX} main.ts`;
}

test('an app that is right synthesizes, and the report says what was checked', () => {
  config(writeApp('2'));
  const { status, out } = cdk8s('synth', '--validate');
  expect([status, out]).toEqual([0, expect.stringMatching(/Status\s+│ success[^]*Objects\s+│ 2[^]*Errors\s+│ 0/)]);
});

test('an error fails the synthesis, and the report names the construct, the rule, the place, and the fix', () => {
  config(writeApp("'2'"));
  const { status, out } = cdk8s('synth', '--validation-reports-output-file', 'report.json');
  expect(status).toBe(2);
  expect(out).toContain('Construct Path: web/server');
  const { reports } = JSON.parse(readFileSync(join(place.folder, 'report.json'), 'utf8')) as {
    readonly reports: readonly object[];
  };
  expect(reports).toMatchObject([
    {
      summary: { status: 'failure', metadata: { Objects: '2', Errors: '1' } },
      violations: [
        {
          ruleName: 'error schema/type',
          fix: expect.stringMatching(/\.$/) as string,
          violatingConstructs: [
            {
              constructPath: 'web/server',
              resourceName: 'server',
              locations: [expect.stringMatching(/^\/spec\/replicas: .*string/)],
              manifestPath: 'dist/web.k8s.yaml',
            },
          ],
        },
      ],
    },
  ]);
});

const WIDGETS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: { type: integer, minimum: 1 }
`;

test('objects of imported CRDs are checked against the files that cdk8s.yaml imports', () => {
  place.write('widgets.yaml', WIDGETS);
  place.write(
    'main.ts',
    `import { App, Chart } from 'cdk8s';
import { Widget } from './imports/example.com';
const app = new App();
new Widget(new Chart(app, 'web'), 'widget', { metadata: { name: 'small' }, spec: { size: 0 } });
app.synth();
`,
  );
  config(`${process.execPath} ${TSX} main.ts`, { imports: ['widgets.yaml'] });
  expect(cdk8s('import').status).toBe(0);
  const { status, out } = cdk8s('synth');
  expect(status).toBe(2);
  expect(out).toContain('Construct Path: web/widget');
  expect(out).toContain('/spec/size');
  // `gantry synth` knows them, too.
  const gantry = spawnSync(process.execPath, [join(installed, 'bin', 'gantry'), 'synth'], {
    cwd: place.folder,
    encoding: 'utf8',
  });
  expect([gantry.status, gantry.stdout]).toEqual([1, expect.stringContaining('/spec/size')]);
});

test('one line in the program does the same on every synth, without a construct of this library', () => {
  const app = (line: string): string => `const { ApiObject, App, Chart } = require('cdk8s');
const app = new App();
${line}
new ApiObject(new Chart(app, 'web'), 'settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { mode: 1 } });
app.synth();
`;
  const run = (): string =>
    execFileSync(process.execPath, ['main.js'], { cwd: place.folder, stdio: 'pipe' }).toString();
  place.write('main.js', app(''));
  expect(run).not.toThrow();
  place.write('main.js', app("require('cdk8s-gantry').Checks.of(app).onSynth();"));
  expect(run).toThrow('/data/mode');
});
