import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Report } from '../../../src/checks/report/report';
import { BAD, GOOD, Workplace } from './fake-terminal';

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

async function reportOf(words: readonly string[]): Promise<Report & { readonly status: number }> {
  const { status, out, err } = await place.run(['check', ...words, '--format', 'json']);
  expect(err).toBe('');
  return { ...(JSON.parse(out) as Report), status };
}

const places = ({ findings }: Report): readonly string[] =>
  findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`);

describe('a file that cannot be read is a finding, and the others are checked', () => {
  test.each([
    ['broken YAML', 'a:\n  b\n  c: 1\n', 3],
    ['broken JSON', '{"a": [\n@]}', 2],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x61]), 1],
    ['a NUL', 'a: 1\nb: \0\n', 2],
  ])('%s', async (_, content, line) => {
    writeFileSync(join(place.folder, 'broken.yaml'), content);
    place.write('good.yaml', GOOD);
    place.write('wrong.yaml', BAD);
    const report = await reportOf(['.']);
    expect(places(report)).toEqual([`yaml/syntax broken.yaml:${line}`, 'schema/unknown-field wrong.yaml:5']);
    expect([report.status, report.documents]).toEqual([2, 3]);
  });

  test('whatever tiers are asked for', async () => {
    place.write('broken.yaml', 'a: [');
    const report = await reportOf(['.', '--only', 'webhook']);
    expect([report.status, places(report)]).toEqual([2, ['yaml/syntax broken.yaml:1']]);
  });

  test('unless its rule is suppressed with a reason', async () => {
    place.write('broken.yaml', 'a: [');
    const report = await reportOf(['.', '--ignore', 'yaml/syntax=kept for a test of another program']);
    expect([report.status, report.suppressed.length]).toEqual([0, 1]);
  });

  test('a file that may not be read, where files can be kept from this user', async () => {
    place.write('secret.yaml', GOOD);
    chmodSync(join(place.folder, 'secret.yaml'), 0);
    const report = await reportOf(['.']);
    expect(report.status).toBe(process.getuid?.() === 0 ? 0 : 2);
  });

  test('a link to nothing', async () => {
    symlinkSync('gone.yaml', join(place.folder, 'link.yaml'));
    place.write('good.yaml', GOOD);
    const report = await reportOf(['.']);
    expect([report.status, report.documents, places(report)]).toEqual([2, 2, ['yaml/syntax link.yaml:1']]);
    expect(report.findings[0]?.message).toBe('cannot be read: no such file or folder');
  });

  test('links in a cycle, with a fix that is about the file and not about its text', async () => {
    symlinkSync('b.yaml', join(place.folder, 'a.yaml'));
    symlinkSync('a.yaml', join(place.folder, 'b.yaml'));
    const { status, findings } = await reportOf(['.']);
    expect([status, findings.slice(0, 1).map(({ message, fix }) => [message, fix])]).toEqual([
      2,
      [
        [
          'cannot be read: too many levels of symbolic links',
          'Make a.yaml a readable file, or leave it out with --exclude.',
        ],
      ],
    ]);
  });

  test('the documents around a broken one', async () => {
    place.write('a.yaml', `${GOOD}---\na: [\n---\n${BAD}`);
    expect(places(await reportOf(['a.yaml']))).toEqual(['yaml/syntax a.yaml:6', 'schema/unknown-field a.yaml:12']);
  });
});

describe('what is no manifest is recognized and not judged', () => {
  test.each([
    ['ci.yml', 'name: ci\non: [push]\njobs: {test: {runs-on: x, steps: []}}\n', 'a GitHub Actions workflow'],
    ['action.yml', 'name: x\nruns: {using: node20, main: i.js}\n', 'a GitHub action'],
    ['x.gitlab-ci.yml', 'build: {script: [make]}\n', 'a GitLab CI pipeline'],
    ['pipe.yml', 'stages: [a]\nbuild: {script: [make]}\n', 'a GitLab CI pipeline'],
    ['azure.yml', 'trigger: [main]\nsteps: [{script: make}]\n', 'an Azure pipeline'],
    ['values.yaml', 'image: {tag: x}\n', 'the values of a Helm chart'],
    ['values-prod.yaml', 'replicas: 1\n', 'the values of a Helm chart'],
    ['prod-values.yaml', 'replicas: 1\n', 'the values of a Helm chart'],
    ['Chart.yaml', 'apiVersion: v2\nname: x\nversion: 1.0.0\n', 'a Helm chart description'],
    ['docker-compose.yml', 'services: {web: {image: x}}\n', 'a Compose file without GPUs'],
    ['package.json', '{"name": "x", "version": "1.0.0"}', 'a Node package description'],
    ['tsconfig.json', '{"compilerOptions": {}}', 'a Node package description'],
    ['settings.json', '{\n  // a comment\n  "editor.tabSize": 2,\n}', 'not a manifest, and not plain JSON'],
    ['tasks.json', '{\n  // a comment\n  "group": {"kind": "test"},\n}', 'not a manifest, and not plain JSON'],
    ['patch.yaml', '- {op: add, path: /spec/x, value: 1}\n', 'a JSON patch'],
    ['scenario.yaml', 'cluster: {pools: []}\ngangs: [{name: a}]\nexpect: {}\n', 'a Gantry scenario'],
    ['cluster.yaml', 'name: c\npools: [{name: h100, count: 4}]\n', 'a Gantry cluster file'],
    [
      'deployment.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n',
      'an unrendered template',
    ],
    ['if.yaml', '{{- if .Values.x }}\napiVersion: v1\nkind: ConfigMap\n{{- end }}\n', 'an unrendered template'],
    ['openapi.json', '{"openapi": "3.0.0", "paths": {}}', 'an OpenAPI description'],
    ['dashboard.json', '{"title": "x", "panels": []}', 'a Grafana dashboard'],
    ['prometheus.yml', 'scrape_configs: []\n', 'a Prometheus configuration'],
    ['playbook.yml', '- hosts: all\n  tasks: []\n', 'an Ansible playbook'],
    ['index.yaml', 'apiVersion: v1\nentries: {web: [{version: 1.0.0}]}\n', 'the index of a Helm repository'],
    ['datasources.yaml', 'apiVersion: 1\ndatasources: []\n', 'a Grafana provisioning file'],
    [
      'overlay.yaml',
      '#@ load("@ytt:data", "data")\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ data.values.name\n',
      'a template of ytt, or an overlay for one',
    ],
    [
      'secret.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {x: "ENC[AES256_GCM,data:a]"}\nsops: {mac: a, version: 3.9.0}\n',
      'a manifest that SOPS has encrypted',
    ],
    ['notes.yaml', 'some: text\n', 'not a manifest'],
    ['list.yaml', '- a\n- b\n', 'not a manifest'],
  ])('%s: %s', async (name, text, why) => {
    place.write(`repo/${name}`, text);
    place.write('repo/zz-good.yaml', GOOD);
    const report = await reportOf(['repo']);
    expect(report.findings).toEqual([]);
    expect(report.skipped).toEqual([{ file: `repo/${name}`, line: expect.any(Number) as number, why }]);
    expect([report.documents, report.status]).toEqual([1, 0]);
  });

  const variables = (at: string): string =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: "a${at === 'name' ? '-${env}' : ''}", labels: {env: "${at === 'label' ? '${env:=dev}' : 'dev'}"}}\n` +
    `spec:\n  replicas: ${at === 'replicas' ? '${replicas}' : 1}\n  selector: {matchLabels: {a: b}}\n` +
    `  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "a/b:1", args: ['${'${HOME}'}', '{{ x }}'], env: [{name: A, value: '${'${B}'}'}]}]}}\n`;

  test.each(['name', 'label', 'replicas'])('a variable that is to be replaced, in a %s', async (at) => {
    place.write('repo/a.yaml', variables(at));
    const { findings, skipped } = await reportOf(['repo']);
    expect([
      findings,
      skipped.map(({ why }) => /^an unrendered template: \$\{\w+.*\} must be replaced/.test(why)),
    ]).toEqual([[], [true]]);
    // What is named itself, or comes through a pipe, should be complete.
    expect((await reportOf(['repo/a.yaml'])).status).toBe(1);
  });

  test.each([
    ['a port', 'containers: [{name: c, image: "a:1", ports: [{containerPort: "8{{ .Index }}"}]}]'],
    [
      'a label that a selector reads',
      'nodeSelector: {rack: "rack-{{ .Index }}"}, containers: [{name: c, image: "a:1"}]',
    ],
    [
      'the key of a toleration',
      'tolerations: [{key: "{{ .Key }}", operator: Exists}], containers: [{name: c, image: "a:1"}]',
    ],
  ])('an expression in braces in %s', async (_what, spec) => {
    place.write('repo/a.yaml', `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {${spec}}\n`);
    const { findings, skipped } = await reportOf(['repo']);
    expect([findings, skipped.map(({ why }) => /^an unrendered template: \{\{ .* \}\} must be/.test(why))]).toEqual([
      [],
      [true],
    ]);
  });

  test('a variable without braces, in a namespace', async () => {
    place.write('repo/a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: $TEST_NAMESPACE}\n');
    const { findings, skipped } = await reportOf(['repo']);
    expect([findings, skipped.map(({ why }) => why)]).toEqual([
      [],
      ['an unrendered template: $TEST_NAMESPACE must be replaced before it is applied'],
    ]);
  });

  test('a patch that a Kustomization in the folder beside it names', async () => {
    place.write(
      'repo/parts/web.yaml',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n',
    );
    place.write('repo/large/kustomization.yaml', 'resources: [../base]\npatchesStrategicMerge: [../parts/web.yaml]\n');
    const { findings, skipped } = await reportOf(['repo']);
    expect(findings).toEqual([]);
    expect(skipped).toContainEqual({ file: 'repo/parts/web.yaml', why: 'a patch of the Kustomization in repo/large' });
  });

  test('variables that a program in the container reads are text', async () => {
    place.write('repo/a.yaml', variables('none'));
    place.write(
      'repo/b.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {name: "${X}", host: "${X}"}\n',
    );
    const { documents, skipped } = await reportOf(['repo']);
    expect([documents, skipped]).toEqual([2, []]);
  });

  test('a name in braces, which a template engine fills in; generators with braces below are checked', async () => {
    const set = (name: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: "${name}"}\nspec: {template: {metadata: {name: "{{cluster}}"}}}\n`;
    place.write('repo/a.yaml', set('{{ app }}'));
    place.write('repo/b.yaml', set('apps'));
    const { documents, skipped } = await reportOf(['repo']);
    expect([documents, skipped.map(({ file }) => file)]).toEqual([1, ['repo/a.yaml']]);
  });

  test.each([
    ['kuttl', 'repo/t/00-assert.yaml', undefined],
    [
      'Chainsaw',
      'repo/t/expected.yaml',
      'spec: {steps: [{try: [{apply: {file: a.yaml}}, {assert: {file: expected.yaml}}]}]}',
    ],
  ])('what a test of %s expects', async (tool, expected, test) => {
    place.write(expected, 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nstatus: {phase: Running}\n');
    if (test !== undefined) {
      place.write(
        'repo/t/chainsaw-test.yaml',
        `apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\n${test}\n`,
      );
    }
    const { findings, skipped } = await reportOf(['repo']);
    expect([findings, skipped]).toEqual([[], [{ file: expected, why: `an expected result of a ${tool} test` }]]);
  });

  test('patches that a Kustomization does not name yet, and resources whose name is that of a patch', async () => {
    const patch = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 3}\n';
    place.write('repo/crd/kustomization.yaml', 'resources: [resource_patch.yaml]\n');
    place.write('repo/crd/patches/webhook_in_a.yaml', patch);
    place.write('repo/crd/manager_auth_patch.yaml', patch);
    place.write('repo/crd/resource_patch.yaml', BAD);
    place.write('repo/other/patches/b.yaml', BAD.replace('bad', 'other'));
    const { findings, skipped } = await reportOf(['repo']);
    expect(findings.map(({ file }) => file)).toEqual(['repo/crd/resource_patch.yaml', 'repo/other/patches/b.yaml']);
    expect(skipped.map(({ file, why }) => `${file} ${why}`).slice(0, 2)).toEqual([
      'repo/crd/manager_auth_patch.yaml a patch by its name, beside the Kustomization in repo/crd',
      'repo/crd/patches/webhook_in_a.yaml a patch by its name, beside the Kustomization in repo/crd',
    ]);
  });

  test.each([
    ['little', Buffer.from(`\uFEFF${BAD}`, 'utf16le')],
    ['big', Buffer.from(`\uFEFF${BAD}`, 'utf16le').swap16()],
  ])('UTF-16 with a byte order mark, %s-endian, is read as kubectl reads it', async (_, bytes) => {
    writeFileSync(join(place.folder, 'a.yaml'), bytes);
    expect(places(await reportOf(['a.yaml']))).toEqual(['schema/unknown-field a.yaml:5']);
  });

  test('scripts with `docker run` are not read, and in manifests such lines are text', async () => {
    const line = 'docker run --gpus all --runtime nvidia example.com/train:1';
    for (const name of ['run.sh', 'Makefile', 'README.md']) {
      place.write(`repo/${name}`, `${line}\n`);
    }
    place.write(
      'repo/a.yaml',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  run.sh: |\n    ${line}\n`,
    );
    const report = await reportOf(['repo']);
    expect([report.findings, report.skipped, report.status]).toEqual([[], [], 0]);
  });

  test('a file that is named itself and says nothing of what it is, is judged', async () => {
    place.write('notes.yaml', 'some: text\n');
    expect(places(await reportOf(['notes.yaml']))).toEqual(['yaml/kubernetes-object notes.yaml:1']);
  });

  test('an object whose kind or apiVersion is missing is judged', async () => {
    place.write('repo/a.yaml', 'apiVersion: v1\nmetadata: {name: a}\ndata: {}\n');
    place.write('repo/b.yaml', 'metadata: {name: b}\nspec: {}\n');
    expect(places(await reportOf(['repo']))).toEqual([
      'yaml/kubernetes-object repo/a.yaml:1',
      'yaml/kubernetes-object repo/b.yaml:1',
    ]);
  });

  test('a Kustomization and what it merges into objects; its resources are checked', async () => {
    place.write(
      'app/over/kustomization.yaml',
      'resources: [extra.yaml]\npatches: [{path: p.yaml}]\npatchesStrategicMerge: [q.yaml]\nconfigMapGenerator: [{name: c, files: [x=settings.yaml]}]\nreplacements: [{path: r.yaml}]\n',
    );
    for (const file of ['p', 'q']) {
      place.write(
        `app/over/${file}.yaml`,
        'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 3}\n',
      );
    }
    place.write('app/over/settings.yaml', 'apiVersion: v1\n');
    place.write('app/over/r.yaml', '- source: {kind: x}\n');
    place.write('app/over/extra.yaml', GOOD);
    const { findings, skipped, documents } = await reportOf(['app']);
    expect([findings, documents]).toEqual([[], 1]);
    expect(skipped.map(({ file, why }) => `${file} ${why}`)).toEqual([
      'app/over/p.yaml a patch of the Kustomization in app/over',
      'app/over/q.yaml a patch of the Kustomization in app/over',
      'app/over/r.yaml a replacement of the Kustomization in app/over',
      'app/over/settings.yaml an input of a generated ConfigMap or Secret of the Kustomization in app/over',
      'app/over/kustomization.yaml a Kustomization; `gantry check --kustomize app/over` checks what it builds',
    ]);
  });

  test('templates of a chart, even those that are YAML; its definitions are checked', async () => {
    place.write('chart/Chart.yaml', 'apiVersion: v2\nname: x\nversion: 1.0.0\n');
    place.write('chart/templates/sub/a.yaml', BAD);
    place.write('chart/crds/b.yaml', GOOD);
    const { findings, skipped, documents } = await reportOf(['chart']);
    expect([findings, documents]).toEqual([[], 1]);
    expect(skipped.map(({ file, why }) => `${file} ${why}`)).toEqual([
      'chart/templates/sub/a.yaml a template of the Helm chart chart; `gantry check --helm chart` checks what it renders',
      'chart/Chart.yaml a Helm chart description',
    ]);
  });

  test('the text report counts them and names a few', async () => {
    place.write('repo/good.yaml', GOOD);
    for (const name of ['a', 'b', 'c', 'd']) {
      place.write(`repo/${name}/values.yaml`, 'x: 1\n');
    }
    expect((await place.run(['check', 'repo'])).out).toBe(
      'Skipped\n  repo/a/values.yaml, repo/b/values.yaml, repo/c/values.yaml and 1 more: the values of a Helm chart\n\n1 document: no errors, 4 skipped\n',
    );
  });
});

describe('nothing to check is good', () => {
  test.each([
    ['an empty folder', {}],
    ['a folder of other files', { 'readme.txt': 'x' }],
    ['a folder of comments', { 'a.yaml': '# nothing\n---\n' }],
  ])('%s', async (_, files) => {
    mkdirSync(join(place.folder, 'empty'));
    for (const [name, text] of Object.entries(files)) {
      place.write(`empty/${name}`, text);
    }
    expect(await place.run(['check', 'empty'])).toEqual({
      status: 0,
      out: 'no Kubernetes objects: nothing to check\n',
      err: '',
    });
  });
});

describe('--exclude', () => {
  test.each([
    ['a folder', ['--exclude', 'test'], ['a.yaml', 'sub/b.yaml']],
    ['a folder anywhere', ['--exclude', '**/deep/**'], ['a.yaml', 'sub/b.yaml', 'test/c.yaml']],
    ['names', ['--exclude', '{b,c}.yaml'], ['a.yaml', 'test/deep/d.yaml']],
    ['a path', ['--exclude', './sub/*.yaml', '--exclude', 'test/deep/'], ['a.yaml', 'test/c.yaml']],
  ])('leaves out %s', async (_, words, expected) => {
    for (const file of ['a.yaml', 'sub/b.yaml', 'test/c.yaml', 'test/deep/d.yaml']) {
      place.write(file, BAD.replace('bad', file.replace(/\W/g, '-')));
    }
    const { findings, skipped } = await reportOf(['.', ...words]);
    expect(findings.map(({ file }) => file)).toEqual(expected);
    expect(skipped.every(({ why }) => why === 'excluded')).toBe(true);
  });
});

describe('files that are no regular files', () => {
  test('a fifo in a folder is passed over', async () => {
    execFileSync('mkfifo', [join(place.folder, 'pipe.yaml')]);
    place.write('good.yaml', GOOD);
    const { skipped, documents } = await reportOf(['.']);
    expect([documents, skipped]).toEqual([1, [{ file: 'pipe.yaml', why: 'not a regular file' }]]);
  });

  test('a report goes to a device as it is', async () => {
    place.write('good.yaml', GOOD);
    const before = lstatSync('/dev/null');
    expect((await place.run(['check', 'good.yaml', '--output', '/dev/null'])).status).toBe(0);
    expect([lstatSync('/dev/null').isCharacterDevice(), lstatSync('/dev/null').ino]).toEqual([true, before.ino]);
  });

  test('a full device is one line and exit status 2', async () => {
    place.write('good.yaml', GOOD);
    expect(await place.run(['check', 'good.yaml', '--output', '/dev/full'])).toEqual({
      status: 2,
      out: '',
      err: 'gantry: /dev/full: no space left on the device\n',
    });
  });

  test('a report goes through a link, to a file that is there and to one that is not', async () => {
    place.write('good.yaml', GOOD);
    place.write('real/report.txt', 'old');
    symlinkSync('real/report.txt', join(place.folder, 'old.txt'));
    symlinkSync('real/new-report.txt', join(place.folder, 'new.txt'));
    for (const link of ['old.txt', 'new.txt']) {
      expect((await place.run(['check', 'good.yaml', '--output', link])).status).toBe(0);
      expect(lstatSync(join(place.folder, link)).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(place.folder, link), 'utf8')).toBe('1 document: no errors\n');
    }
    expect(existsSync(join(place.folder, 'real/new-report.txt'))).toBe(true);
  });
});
