import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLock, PROJECT_ROOT } from '../../projen/api/lock';
import { readVendored, type VendoredProject, vendoredText } from '../../projen/api/vendored';
import { kindsIn, readmeWith, tableWith } from '../../projen/upgrade/edit';
import { main, requestIn } from '../../projen/upgrade/main';
import { currentVersion, upgradePlan } from '../../projen/upgrade/plan';
import { planText } from '../../projen/upgrade/report';
import { UPSTREAM, versionOf } from '../../src/facts/upstream';

const NEXT = 'v99.0.0';
const TABLE = readFileSync(join(PROJECT_ROOT, 'src/facts/upstream/releases.ts'), 'utf8');
const vendored = (project: string): VendoredProject =>
  JSON.parse(readFileSync(join(PROJECT_ROOT, 'vendor', `${project}.json`), 'utf8')) as VendoredProject;

/** What the command prints and returns; nothing may be written. */
function answer(...args: readonly string[]): { readonly status: number; readonly out: string; readonly err: string } {
  const out = jest.spyOn(console, 'log').mockImplementation();
  const err = jest.spyOn(console, 'error').mockImplementation();
  try {
    const status = main(args);
    return { status, out: out.mock.calls.join('\n'), err: err.mock.calls.join('\n') };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

describe('npm run upgrade refuses', () => {
  test('a project that is not in the table, and says which is meant', () => {
    const { status, err } = answer('volcanoo', NEXT);
    expect(status).toBe(2);
    expect(err).toContain('unknown project "volcanoo" (did you mean "volcano"?)');
    expect(err).toContain('projects: ');
  });

  test('names that every object has', () => {
    expect(answer('constructor', NEXT).err).toContain('unknown project "constructor"');
  });

  test('what is not a version, and missing or further arguments', () => {
    expect(answer('volcano', 'latest')).toMatchObject({ status: 2 });
    expect(answer('volcano', 'latest').err).toContain('"latest" is not a version');
    expect(answer('volcano', '1.16.0').err).toContain(`it must be like ${versionOf('volcano')}`);
    expect(answer('volcano').err).toContain('usage: ');
    expect(answer('volcano', NEXT, 'v2.0.0').err).toContain('usage: ');
    expect(answer('volcano', NEXT, '--force')).toMatchObject({ status: 2 });
  });

  test('a project in vendor/ without a folder of definitions, and says what to do', () => {
    const { status, err } = answer('kuberay', NEXT);
    expect(status).toBe(1);
    expect(err).toContain('the definitions of kuberay cannot be fetched');
    expect(err).toContain(`Download release ${NEXT} and run again with --from`);
  });

  test('a folder that is none, or has no definitions, and a folder for a module', () => {
    expect(answer('kuberay', NEXT, '--from', '/no/such').err).toBe('/no/such is not a folder');
    expect(answer('kuberay', NEXT, '--from', join(PROJECT_ROOT, 'bin')).err).toContain(
      'has no file with a CustomResource',
    );
    expect(answer('volcano', NEXT, '--from', PROJECT_ROOT).err).toContain('--from must not be set for volcano');
  });

  test('a Kubernetes minor that is not covered', () => {
    expect(answer('kubernetes', 'v1.99.0')).toMatchObject({ status: 1 });
    expect(answer('kubernetes', 'v1.99.0').err).toContain('not a patch release of a covered minor');
  });
});

test('a version without "v" is taken where the project writes its versions so', () => {
  expect(answer('neuron-helm-chart', '99.0.0', '--dry-run')).toMatchObject({ status: 0 });
  expect(answer('neuron-helm-chart', 'v99.0.0').err).toContain('"v99.0.0" is not a version of neuron-helm-chart');
});

test('the version that the table has already changes nothing', () => {
  expect(answer('volcano', versionOf('volcano'))).toMatchObject({
    status: 0,
    out: `volcano is ${versionOf('volcano')} already`,
  });
});

describe('the plan', () => {
  const definition = (fields: Record<string, unknown>, kind = 'LeaderWorkerSet'): string =>
    JSON.stringify({
      kind: 'CustomResourceDefinition',
      spec: {
        group: 'leaderworkerset.x-k8s.io',
        scope: 'Namespaced',
        names: { kind, plural: `${kind.toLowerCase()}s` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas' } },
            schema: {
              openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } },
            },
          },
        ],
      },
    });

  test('lists added, removed, and changed fields, and kinds that come and go', () => {
    const plan = upgradePlan(
      'lws',
      NEXT,
      new Map([
        ['a.json', definition({ replicas: { type: 'string' }, novelty: { type: 'integer' } })],
        ['b.json', definition({}, 'LeaderWorkerPool')],
      ]),
    );
    expect(plan).toMatchObject({ from: versionOf('lws'), to: NEXT });
    expect(plan.addedKinds).toEqual(['leaderworkerset.x-k8s.io/v1 LeaderWorkerPool']);
    expect(plan.removedKinds).toContain('disaggregatedset.x-k8s.io/v1 DisaggregatedSet');
    expect(plan.changes).toContainEqual({
      kind: 'leaderworkerset.x-k8s.io/v1 LeaderWorkerSet',
      path: '/spec/novelty',
      what: 'only upstream',
    });
    const text = planText(plan);
    expect(text).toContain(`lws: ${versionOf('lws')} -> ${NEXT}`);
    expect(text).toContain('/spec/novelty: added');
    expect(text).toMatch(/\/spec\/\w+: removed/);
  });

  test('lists the rules, charts, pages, and pins that follow the project', () => {
    const plan = upgradePlan('volcano', NEXT, undefined);
    expect(plan.charts).toEqual(['volcano']);
    expect(plan.rules.map(({ id }) => id)).toContain('volcano/scheduler-allocates');
    expect(plan.pages).toContain('docs/volcano.md');
    expect(upgradePlan('kubernetes', 'v1.36.99', undefined).pins[0]).toMatch(
      /^test\/e2e\/control-plane\/go\.mod requires k8s\.io\/kubernetes v1\.36\./,
    );
  });

  test('of the definitions that the library has is that nothing in them changes', () => {
    const { changes, addedKinds, removedKinds } = upgradePlan(
      'kuberay',
      NEXT,
      new Map([['kuberay.json', readFileSync(join(PROJECT_ROOT, 'vendor/kuberay.json'), 'utf8')]]),
    );
    expect({ changes, addedKinds, removedKinds }).toEqual({ changes: [], addedKinds: [], removedKinds: [] });
  });
});

describe('the edits', () => {
  test.each(Object.keys(UPSTREAM))('change the line of %s alone', (project) => {
    const next = /^\d+\.\d/.test(versionOf(project as 'volcano')) ? NEXT.slice(1) : NEXT;
    const target = requestIn([project, next]).target;
    const changed = tableWith(TABLE, target, currentVersion(target, next), next);
    const [before, after] = [TABLE.split('\n'), changed.split('\n')];
    const different = after.filter((line, i) => line !== before[i]);
    expect(different).toHaveLength(1);
    expect(different[0]).toContain(`'${next}'`);
    expect(changed.replace(next, versionOf(target as 'volcano'))).toBe(TABLE);
  });

  test('change a minor of Kubernetes', () => {
    const changed = tableWith(TABLE, 'kubernetes', currentVersion('kubernetes', 'v1.34.99'), 'v1.34.99');
    expect(changed).toContain("'1.34': 'v1.34.99'");
  });

  test('do not touch the line of another project', () => {
    expect(() => tableWith(TABLE, 'volcano', 'v0.0.1', NEXT)).toThrow('no line "volcano" with the version v0.0.1');
  });

  test('change the row of a vendored project', () => {
    const readme = readFileSync(join(PROJECT_ROOT, 'vendor/README.md'), 'utf8');
    const changed = readmeWith(readme, 'kuberay', versionOf('kuberay'), NEXT);
    expect(changed.split('\n').filter((line) => line.includes(NEXT))).toEqual([
      expect.stringContaining('kuberay.json'),
    ]);
  });

  test('turn definitions into the form of vendor/, and equal definitions into equal text', () => {
    const kinds = readVendored(vendored('lws'), 'lws.json');
    const files = new Map(
      kinds.map(({ kind, plural, group, scope, versions }) => [
        `${kind}.json`,
        JSON.stringify({
          kind: 'CustomResourceDefinition',
          spec: {
            group,
            scope,
            names: { kind, plural },
            versions: versions.map(({ subresources, schema, ...version }) => ({
              ...version,
              subresources: Object.fromEntries(subresources.map((name) => [name, {}])),
              schema: { openAPIV3Schema: { description: 'prose', ...schema } },
            })),
          },
        }),
      ]),
    );
    expect(vendoredText('lws', versionOf('lws'), kindsIn(files))).toBe(
      readFileSync(join(PROJECT_ROOT, 'vendor/lws.json'), 'utf8'),
    );
  });
});

test('each file of vendor/ and its row state the version of the table', () => {
  const readme = readFileSync(join(PROJECT_ROOT, 'vendor/README.md'), 'utf8');
  const entries = readLock().entries.filter(({ from }) => from === 'vendor');
  expect(entries.length).toBeGreaterThan(0);
  for (const { project } of entries) {
    const version = versionOf(project as 'kuberay');
    expect(vendored(project)).toMatchObject({ project, version });
    expect(readme.split('\n').find((line) => line.startsWith(`| \`${project}.json\``))).toContain(version);
  }
});
