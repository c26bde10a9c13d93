import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Report } from '../../../src/checks/report/report';
import { BAD, GOOD, UNKNOWN, Workplace } from './fake-terminal';

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
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
              size: {type: integer}
`;

describe('exit status', () => {
  test('is 0 where nothing is found', async () => {
    expect(await place.run(['check', place.write('a.yaml', GOOD)])).toEqual({
      status: 0,
      out: '1 document: no errors\n',
      err: '',
    });
  });

  test('is 1 for an error, which names its file and line', async () => {
    const { status, out, err } = await place.run(['check', place.write('a.yaml', BAD)]);
    expect(status).toBe(1);
    expect(err).toBe('');
    expect(out).toContain('a.yaml  v1 ConfigMap bad');
    expect(out).toContain('a.yaml:5:1 /daat');
    expect(out).toMatch(/1 document: 1 error$/m);
  });

  test('hangs on --fail-on', async () => {
    const file = place.write(
      'a.yaml',
      'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: 1\nglobalDefault: true\n',
    );
    const report = JSON.parse((await place.run(['check', file, '--format', 'json'])).out) as Report;
    const severities = new Set(report.findings.map(({ severity }) => severity));
    expect((await place.run(['check', file])).status).toBe(severities.has('error') ? 1 : 0);
    expect((await place.run(['check', file, '--fail-on', 'info'])).status).toBe(severities.size > 0 ? 1 : 0);
  });
});

describe('bad input is one clear line and exit status 2', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    [
      'no path',
      ['check'],
      'gantry: no manifests to check; pass files or folders, or list them under `include` in .gantry.yaml\n',
    ],
    ['a missing file', ['check', 'gone.yaml'], 'gantry: gone.yaml: no such file or folder\n'],
    [
      'an unknown version',
      ['check', 'a.yaml', '--k8s', '1.99'],
      expect.stringMatching(
        /^gantry: --k8s 1\.99: unsupported Kubernetes version; supported versions are 1\.30, .*\n$/,
      ),
    ],
    [
      'a version that is none',
      ['check', 'a.yaml', '--k8s', 'abc'],
      expect.stringMatching(/^gantry: --k8s abc: unsupported Kubernetes version.*\n$/),
    ],
    [
      'an unknown tier',
      ['check', 'a.yaml', '--only', 'schema,cle'],
      'gantry: --only cle: unknown tier; supported values are schema, cel, server, webhook, advice\n',
    ],
    [
      'an unknown format',
      ['check', 'a.yaml', '--format', 'xml'],
      'gantry: --format xml: unknown format; supported values are text, json, sarif\n',
    ],
    [
      'an unknown severity',
      ['check', 'a.yaml', '--fail-on', 'all'],
      'gantry: --fail-on all: unknown severity; supported values are error, warning, info, not-checked\n',
    ],
    [
      'a silence without a reason',
      ['check', 'a.yaml', '--ignore', 'schema/unknown-field'],
      'gantry: --ignore schema/unknown-field: must be RULE=REASON with a non-empty reason\n',
    ],
    [
      'a silence with an empty reason',
      ['check', 'a.yaml', '--ignore', 'schema/unknown-field= '],
      'gantry: --ignore schema/unknown-field= : must be RULE=REASON with a non-empty reason\n',
    ],
    [
      'a silence of no rule',
      ['check', 'a.yaml', '--ignore', 'no/such=why'],
      'gantry: --ignore no/such=why: unknown rule no/such; list the rules with `gantry rules`\n',
    ],
    ['a missing CRD', ['check', 'a.yaml', '--crd', 'gone.yaml'], 'gantry: gone.yaml: no such file or folder\n'],
    [
      'a CRD file without one',
      ['check', 'a.yaml', '--crd', 'a.yaml'],
      'gantry: --crd a.yaml: contains no CustomResourceDefinition\n',
    ],
    [
      'a broken CRD file',
      ['check', 'a.yaml', '--crd', 'broken.yaml'],
      expect.stringMatching(/^gantry: broken\.yaml:3:4: .*\n$/),
    ],
    [
      'an unknown flag',
      ['check', 'a.yaml', '--onyl', 'cel'],
      'gantry: unknown option "--onyl" (did you mean --only?)\n',
    ],
    ['an unknown command', ['chek'], 'gantry: unknown command "chek" (did you mean check?)\n'],
    [
      'a report into a folder that is not there',
      ['check', 'a.yaml', '--output', 'gone/report.txt'],
      'gantry: gone/report.txt: no such file or folder\n',
    ],
  ];

  test.each(cases)('%s', async (_, words, expected) => {
    place.write('a.yaml', GOOD);
    place.write('broken.yaml', 'a:\n  b\n  c: 1\n');
    expect(await place.run(words)).toEqual({ status: 2, out: '', err: expected });
  });
});

describe('inputs', () => {
  test('a folder is searched through by name; hidden folders, node_modules and other files are left out', async () => {
    for (const name of ['b/x.yml', 'a.yaml', 'b.json', '.git/c.yaml', 'node_modules/d.yaml', 'e.txt']) {
      place.write(
        name,
        name.endsWith('json') ? '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"j"}}' : UNKNOWN,
      );
    }
    symlinkSync(place.folder, join(place.folder, 'b', 'round'));
    const { out } = await place.run(['check', '.', '--format', 'json']);
    expect((JSON.parse(out) as Report).notChecked.map(({ file }) => file)).toEqual(['a.yaml', 'b/x.yml', 'b.json']);
  });

  test('a file that is named twice is read once', async () => {
    const file = place.write('a/a.yaml', GOOD);
    expect((await place.run(['check', file, 'a', `./${file}`])).out).toBe('1 document: no errors\n');
  });

  test('- is standard input', async () => {
    const { status, out } = await place.run(['check', '-'], { input: BAD });
    expect(status).toBe(1);
    expect(out).toContain('-:5:1 /daat');
  });

  test('a CRD makes its kind known', async () => {
    const file = place.write('w.yaml', `${UNKNOWN}spec: {size: big}\n`);
    expect((await place.run(['check', file])).out).toMatch(/^Not checked\n {2}w\.yaml {2}example\.com\/v1 Widget w: /);
    const { status, out } = await place.run(['check', file, '--crd', place.write('crd.yaml', CRD)]);
    expect([status, out]).toEqual([1, expect.stringContaining('/spec/size')]);
  });
});

describe('reports', () => {
  test('--only leaves the tiers that were named', async () => {
    const file = place.write('a.yaml', BAD);
    expect((await place.run(['check', file, '--only', 'webhook,advice'])).status).toBe(0);
    expect((await place.run(['check', file, '--only', 'schema', '--only', 'cel'])).status).toBe(1);
  });

  test('--ignore silences a rule and counts it', async () => {
    const file = place.write('a.yaml', BAD);
    const { status, out } = await place.run(['check', file, '--ignore', 'schema/unknown-field=known to be there']);
    expect([status, out]).toEqual([0, '1 document: no errors, 1 suppressed\n']);
  });

  test('JSON has exactly the documented keys', async () => {
    const { out } = await place.run(['check', place.write('a.yaml', `${BAD}---\n${UNKNOWN}`), '--format', 'json']);
    const report = JSON.parse(out) as Report;
    expect(Object.keys(report)).toEqual(['documents', 'counts', 'findings', 'notChecked', 'suppressed', 'skipped']);
    expect(report.documents).toBe(2);
    expect(report.findings).toEqual([
      expect.objectContaining({
        rule: 'schema/unknown-field',
        tier: 'schema',
        severity: 'error',
        object: 'v1 ConfigMap bad',
        path: '/daat',
        file: 'a.yaml',
        line: 5,
      }),
    ]);
    expect(report.notChecked).toEqual([
      { object: 'example.com/v1 Widget w', file: 'a.yaml', why: expect.any(String) as string },
    ]);
  });

  test('--output writes a whole file, without colors, and nothing else', async () => {
    const file = place.write('a.yaml', BAD);
    const { status, out, err } = await place.run(['check', file, '--output', 'report.txt'], {
      columns: 60,
      env: { FORCE_COLOR: '1' },
    });
    expect([status, out, err]).toEqual([1, '', 'gantry: wrote report.txt\n']);
    const written = readFileSync(join(place.folder, 'report.txt'), 'utf8');
    expect(written).toContain('1 document: 1 error\n');
    expect(written).not.toContain('\u001B');
    expect(readdirSync(place.folder).sort()).toEqual(['a.yaml', 'report.txt']);
  });

  test('--quiet prints errors and nothing else', async () => {
    expect((await place.run(['check', '-q', place.write('a.yaml', GOOD)])).out).toBe('');
    expect((await place.run(['check', '-q', place.write('b.yaml', BAD)])).out).not.toContain('document');
  });

  test('colors are for terminals, and can be forbidden and forced', async () => {
    const file = place.write('a.yaml', BAD);
    const colored = async (words: readonly string[], more: Parameters<Workplace['run']>[1]): Promise<boolean> =>
      (await place.run(['check', file, ...words], more)).out.includes('\u001B');
    expect(await colored([], { columns: 80, env: {} })).toBe(true);
    expect(await colored([], { env: {} })).toBe(false);
    expect(await colored([], { env: { FORCE_COLOR: '1' } })).toBe(true);
    expect(await colored([], { columns: 80, env: { NO_COLOR: '1' } })).toBe(false);
    expect(await colored(['--no-color'], { columns: 80, env: {} })).toBe(false);
  });

  test('progress is shown on a terminal only, and wiped away', async () => {
    const text = Array.from({ length: 501 }, (_, i) => GOOD.replace('good', `g${i}`)).join('---\n');
    const file = place.write('a.yaml', text);
    expect((await place.run(['check', file], { canProgress: true })).err).toBe(
      '\r\u001B[Kchecking 501 objects\r\u001B[K',
    );
    expect((await place.run(['check', file])).err).toBe('');
  });
});

test('help for an unknown command is a usage error', async () => {
  expect(await place.run(['help', 'chek'])).toMatchObject({
    status: 2,
    out: '',
    err: 'gantry: unknown command "chek" (did you mean check?)\n',
  });
  expect((await place.run(['help', 'check'])).status).toBe(0);
});

test('help is no failure and names the exit statuses', async () => {
  const { status, out } = await place.run(['--help']);
  expect(status).toBe(0);
  expect(out).toContain('Exit status:\n  0  no findings, no pending gangs, all expectations and targets met\n');
  expect((await place.run(['check', '--help'])).out).toContain('--ignore <rule=reason>');
  expect((await place.run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+/);
});

test('rules are listed with tier and severity', async () => {
  const { out } = await place.run(['rules']);
  expect(out).toMatch(/^schema\/unknown-field +schema +error +\S/m);
  const rules = JSON.parse((await place.run(['rules', '--format', 'json'])).out) as readonly { readonly id: string }[];
  expect(rules.map(({ id }) => id)).toEqual([...rules.map(({ id }) => id)].sort());
});

test('the rules of a domain are listed, and one rule is printed in full', async () => {
  const { out } = await place.run(['rules', 'yaml']);
  expect(
    out
      .trimEnd()
      .split('\n')
      .slice(1)
      .every((line) => line.startsWith('yaml/')),
  ).toBe(true);
  const one = await place.run(['rules', 'schema/unknown-field']);
  expect(one.out).toMatch(/^schema\/unknown-field\n {2}severity +error\n/);
  for (const label of ['summary', 'why', 'fix', 'source']) {
    expect(one.out).toMatch(new RegExp(`^ {2}${label} +\\S`, 'm'));
  }
  const none = await place.run(['rules', 'schema/unknwon-field']);
  expect(none).toMatchObject({
    status: 2,
    err: 'gantry: rules schema/unknwon-field: not found (did you mean schema/unknown-field?)\n',
  });
});

describe('catalog', () => {
  test('shows everything, a topic, or a name', async () => {
    expect((await place.run(['catalog'])).out).toContain('Node labels\n');
    expect((await place.run(['catalog', 'taints'])).out).toMatch(/^Taints\nkey +value/);
    expect((await place.run(['catalog', 'A100'])).out).toMatch(/memory +\d+ GB/);
    const [entry] = JSON.parse((await place.run(['catalog', 'nvidia.com/gpu', '--format', 'json'])).out) as readonly {
      readonly name: string;
    }[];
    expect(entry.name).toBe('nvidia.com/gpu');
  });

  test('says what comes near a name that it does not have', async () => {
    const { status, err } = await place.run(['catalog', 'nvidia.com/gpus']);
    expect([status, err]).toEqual([2, expect.stringContaining('nvidia.com/gpu')]);
  });

  test('fits the terminal', async () => {
    const { out } = await place.run(['catalog', 'resources', '--no-color'], { columns: 100 });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe('files of nodes', () => {
  const CONTAINERD =
    'version = 3\n[plugins."io.containerd.cri.v1.runtime".containerd]\n  default_runtime_name = "nvidia"\n';

  test('are known by what is in them, whatever they are called, and are said to have no schema', async () => {
    place.write('etc/containerd.txt', CONTAINERD);
    place.write('etc/daemon.json', '{"default-runtime": "nvidia", "debug": true}');
    const { status, out } = await place.run(['check', 'etc/containerd.txt', 'etc/daemon.json']);
    expect(status).toBe(1);
    expect(out).toContain('file ContainerdConfig etc/containerd.txt');
    expect(out).toContain(
      'at        etc/containerd.txt:3:3 /plugins/io.containerd.cri.v1.runtime/containerd/default_runtime_name',
    );
    expect(out).toContain('the default runtime "nvidia" is not defined in runtimes');
    expect(out).toContain('a configuration file of containerd, not an API object');
  });

  test('that rules read as their own readers do count as checked: runner.yaml, and a Compose file', async () => {
    place.write('runner.yaml', 'state: /srv/gantry\ntenants: { alice: { weight: 2 } }\n');
    place.write(
      'compose.yaml',
      'services: { a: { image: x, deploy: { resources: { reservations: { devices: [{ driver: nvidia, capabilities: [gpu], count: 1 }] } } } } }\n',
    );
    expect(await place.run(['check', 'runner.yaml', 'compose.yaml', '--fail-on', 'not-checked'])).toEqual({
      status: 0,
      out: '2 documents: no errors\n',
      err: '',
    });
  });

  test('are found in folders, where other files of such names are left alone', async () => {
    place.write('node/conf.d/50-a.toml', CONTAINERD);
    place.write('node/Cargo.toml', '[package]\nname = "x"\n');
    place.write('node/nginx.conf', 'worker_processes 4;\n');
    place.write(
      'node/50-gpu.conf',
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ntopologyManagerPolicy: Restricted\n',
    );
    const { out } = await place.run(['check', 'node', '--format', 'json']);
    const { documents, findings } = JSON.parse(out) as {
      documents: number;
      findings: { rule: string; file: string }[];
    };
    expect([documents, findings.map(({ rule, file }) => [file, rule])]).toEqual([
      2,
      [
        ['node/50-gpu.conf', 'node-tuning/kubelet-policy-known'],
        ['node/conf.d/50-a.toml', 'node-tuning/containerd-gpu-runtime-chosen'],
      ],
    ]);
  });

  test('that cannot be read are a finding', async () => {
    place.write('config.toml', `${CONTAINERD}[broken\n`);
    const { status, out } = await place.run(['check', 'config.toml']);
    expect(status).toBe(2);
    expect(out).toMatch(
      /^config\.toml\n {2}error {4}yaml\/syntax .*\n +a configuration file of containerd that cannot be read: /,
    );
    expect(out).toMatch(/ at +config\.toml:4:\d+\n/);
  });
});
