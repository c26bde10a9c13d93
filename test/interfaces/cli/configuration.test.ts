import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { countsOf, type Report } from '../../../src/checks/report/report';
import { placeOfSyntaxError } from '../../../src/interfaces/cli/settings/configuration';
import { CONFIGURATION_SCHEMA } from '../../../src/interfaces/cli/settings/configuration-schema';
import { BAD, GOOD, UNKNOWN, Workplace } from './fake-terminal';

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

async function reportOf(words: readonly string[] = []): Promise<Report & { readonly status: number }> {
  const { status, out, err } = await place.run(['check', ...words, '--format', 'json']);
  const isUpdate = words.includes('--update-baseline');
  expect(err).toMatch(isUpdate ? /^gantry: wrote \d+ findings? to the baseline base\.json\n$/ : /^$/);
  return { ...(JSON.parse(out) as Report), status };
}

const files = ({ findings }: Report): readonly (string | undefined)[] => findings.map(({ file }) => file);

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`;

describe('.gantry.yaml', () => {
  test('says what is read and left out if no path is given; a path wins', async () => {
    place.write('.gantry.yaml', "include: [app, 'more/*.yaml']\nexclude: ['**/testdata/**']\n");
    for (const file of ['app/a.yaml', 'app/testdata/b.yaml', 'more/c.yaml', 'more/deep/d.yaml', 'other/e.yaml']) {
      place.write(file, BAD.replace('bad', file.replace(/\W/g, '-')));
    }
    expect(files(await reportOf())).toEqual(['app/a.yaml', 'more/c.yaml']);
    expect(files(await reportOf(['other']))).toEqual(['other/e.yaml']);
  });

  test('is found in a folder above, from whose place its paths start', async () => {
    place.write('.gantry.yaml', 'include: [app]\nexclude: [app/b.yaml]\n');
    place.write('app/a.yaml', BAD);
    place.write('app/b.yaml', BAD);
    mkdirSync(join(place.folder, 'sub/deep'), { recursive: true });
    const { status, out } = await place.run(['check', '--format', 'json'], { cwd: 'sub/deep' });
    expect([status, files(JSON.parse(out) as Report)]).toEqual([1, ['../../app/a.yaml']]);
  });

  test('is another file with --config', async () => {
    place.write('.gantry.yaml', 'include: [app]\n');
    place.write('other.yaml', 'include: [more]\n');
    place.write('app/a.yaml', BAD);
    place.write('more/b.yaml', GOOD);
    expect((await reportOf(['--config', 'other.yaml'])).status).toBe(0);
  });

  test('turns the rules on hygiene on, as --hygiene does', async () => {
    place.write(
      'a.yaml',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: nginx}]}\n',
    );
    const groups = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await reportOf(['a.yaml', ...words])).findings
        .filter(({ group }) => group !== undefined)
        .map(({ rule }) => rule)
        .sort();
    const all = ['hygiene/image-tagged', 'hygiene/requests-set', 'hygiene/runs-as-non-root'];
    expect(await groups()).toEqual([]);
    expect(await groups('--hygiene')).toEqual(all);
    place.write('.gantry.yaml', 'hygiene: true\n');
    expect(await groups()).toEqual(all);
    place.write('.gantry.yaml', "hygiene: 'yes'\n");
    const { status, err } = await place.run(['check', 'a.yaml']);
    expect([status, err]).toEqual([2, 'gantry: .gantry.yaml: hygiene must be true or false\n']);
  });

  test('names the target minor and definitions; flags win', async () => {
    place.write('.gantry.yaml', "k8s: '1.30'\ncrds: [crds]\n");
    place.write('crds/widget.yaml', CRD);
    place.write('crds/other.yaml', GOOD);
    const claim = 'apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {}\n';
    place.write('a.yaml', `${UNKNOWN}---\n${claim}`);
    const old = await reportOf(['a.yaml']);
    expect(old.notChecked.map(({ object }) => object)).toEqual(['resource.k8s.io/v1 ResourceClaim c']);
    expect(old.findings.map(({ rule }) => rule)).toContain('schema/api-version-served');
    const newer = await reportOf(['a.yaml', '--k8s', '1.35']);
    expect(newer.findings.map(({ rule }) => rule)).not.toContain('schema/api-version-served');
  });

  test('gives rules another severity, or suppresses them, with a reason', async () => {
    place.write('a.yaml', BAD);
    place.write('.gantry.yaml', 'rules:\n  schema/unknown-field: {severity: warning, reason: a newer CRD}\n');
    expect((await reportOf(['a.yaml'])).findings.map(({ severity }) => severity)).toEqual(['warning']);
    place.write('.gantry.yaml', "rules:\n  schema/unknown-field: {severity: 'off', reason: a newer CRD}\n");
    const report = await reportOf(['a.yaml']);
    expect([report.status, report.suppressed.map(({ reason }) => reason)]).toEqual([0, ['a newer CRD']]);
  });

  test("names modules with rules of one's own, CommonJS and ES", async () => {
    const rule = (id: string): string =>
      `{ id: '${id}', on: 'object', kinds: ['ConfigMap'], tier: 'advice', severity: 'error', summary: 's.', why: 'w.', source: 'us', fix: 'Fix.', check: () => [{ message: 'must have an owner' }] }`;
    place.write('rules.js', `exports.rules = [${rule('acme/owner')}];\n`);
    place.write('rules.cjs', `module.exports = [${rule('acme/other')}];\n`);
    place.write(
      '.gantry.yaml',
      'rule-modules: [rules.js, ./rules.cjs]\nrules: {acme/other: {severity: info, reason: new}}\n',
    );
    place.write('a.yaml', GOOD);
    const { findings } = await reportOf(['a.yaml']);
    expect(findings.map(({ rule: id, severity }) => `${id} ${severity}`)).toEqual([
      'acme/other info',
      'acme/owner error',
    ]);
  });

  test('rules of its own are listed and explained', async () => {
    place.write(
      'rules.js',
      "exports.rules = [{ id: 'acme/owner', on: 'object', kinds: ['ConfigMap'], tier: 'advice', severity: 'error', summary: 'Owned.', why: 'w.', source: 'us', fix: 'Fix.', check: () => [] }];\n",
    );
    place.write('.gantry.yaml', 'rule-modules: [rules.js]\n');
    expect((await place.run(['rules', 'acme'])).out).toMatch(/^acme\/owner +advice +error +Owned\.$/m);
    for (const command of ['rules', 'explain']) {
      const { status, out } = await place.run([command, 'acme/owner']);
      expect([status, out]).toEqual([0, expect.stringMatching(/^acme\/owner\n[^]*why +w\.\n/)]);
    }
    place.write('.gantry.yaml', '');
    expect((await place.run(['rules', 'acme/owner'])).status).toBe(2);
  });

  test('a syntax error of a module has its line', () => {
    const errorIn = (filename: string): unknown => {
      try {
        return new Script('exports.a = 1;\n\nexports.b = {;\n', { filename });
      } catch (error) {
        return error;
      }
    };
    const gone = '/here/gone.js';
    expect(placeOfSyntaxError(errorIn('/here/rules/rules.js'), gone, '/here')).toBe('rules/rules.js:3');
    expect(placeOfSyntaxError(errorIn('file:///here/r%20s.mjs'), gone, '/here')).toBe('r s.mjs:3');
    expect(placeOfSyntaxError(new SyntaxError('Unexpected token'), gone, '/here')).toBeUndefined();
    expect(placeOfSyntaxError(new Error('Cannot find module'), gone, '/here')).toBeUndefined();
    expect(placeOfSyntaxError(undefined, gone, '/here')).toBeUndefined();
    place.write('own.mjs', 'export const rules = [\n;\n');
    expect(placeOfSyntaxError(new SyntaxError('Unexpected token'), join(place.folder, 'own.mjs'), place.folder)).toBe(
      'own.mjs:2',
    );
  });

  test('says what fails', async () => {
    place.write('w.yaml', UNKNOWN);
    place.write('.gantry.yaml', 'fail-on: [warning, not-checked]\n');
    expect((await reportOf(['w.yaml'])).status).toBe(1);
    expect((await reportOf(['w.yaml', '--fail-on', 'warning'])).status).toBe(0);
    expect((await reportOf(['w.yaml', '--fail-on', 'not-checked'])).status).toBe(1);
  });

  test.each([
    [
      'an unknown field',
      'exlude: []\n',
      '.gantry.yaml: exlude is an unknown field; known fields are include, exclude,',
    ],
    ['a wrong type', 'include: app\n', '.gantry.yaml: include must be a list'],
    ['a number for a version', 'k8s: 1.35\n', '.gantry.yaml: k8s must be a string; put it in quotation marks'],
    [
      'off without quotes',
      'rules: {schema/unknown-field: {severity: off, reason: x}}\n',
      '.gantry.yaml: rules["schema/unknown-field"].severity must be a string; write \'off\' in quotation marks, because YAML reads off as false',
    ],
    ['a truth value for a version', 'k8s: true\n', '.gantry.yaml: k8s must be a string; put it in quotation marks'],
    [
      'an unknown version',
      "k8s: '1.3'\n",
      '.gantry.yaml: k8s has the unsupported value "1.3"; supported values are 1.30,',
    ],
    [
      'no reason',
      'rules: {schema/unknown-field: {severity: warning}}\n',
      '.gantry.yaml: rules["schema/unknown-field"].reason is required',
    ],
    [
      'an empty reason',
      'rules: {schema/unknown-field: {severity: warning, reason: " "}}\n',
      '.gantry.yaml: rules["schema/unknown-field"].reason must not be empty',
    ],
    [
      'an unknown rule',
      'rules: {no/such: {severity: info, reason: x}}\n',
      '.gantry.yaml: rules: unknown rule no/such;',
    ],
    [
      'a reason alone',
      'rules: {schema/unknown-field: a reason}\n',
      '.gantry.yaml: rules["schema/unknown-field"] must be a map with severity and reason',
    ],
    ['no map', '- a\n', '.gantry.yaml: the file must be a map'],
    ['broken YAML', 'a: [\n', '.gantry.yaml:1:4: missing closing "]"'],
    [
      'a module that is not there',
      'rule-modules: [gone.js]\n',
      '.gantry.yaml: cannot load gone.js: Cannot find module',
    ],
    [
      'a module without rules',
      'rule-modules: [none.js]\n',
      '.gantry.yaml: none.js must export an array of rules as `rules`; create each rule with `defineRule`',
    ],
    [
      'a module that throws what is no error',
      'rule-modules: [five.js]\n',
      '.gantry.yaml: cannot load five.js: it throws 5\n',
    ],
    ['a module whose exports throw', 'rule-modules: [lazy.js]\n', '.gantry.yaml: cannot load lazy.js: not now\n'],
    [
      'a rule that never runs',
      'rule-modules: [never.js]\n',
      '.gantry.yaml: never.js: rule acme/owner: kind "Deployment" is not in the core group: write "apps/Deployment"',
    ],
    ['keys of every object', 'constructor: 1\n__proto__: {a: 1}\n', '.gantry.yaml: constructor is an unknown field'],
  ])('with %s is one clear error', async (_, text, expected) => {
    place.write('.gantry.yaml', text);
    place.write('none.js', 'exports.x = 1;\n');
    place.write('five.js', 'throw 5;\n');
    place.write(
      'lazy.js',
      "exports.x = 1;\nObject.defineProperty(exports, 'rules', { get() { throw new Error('not now\\nor later'); } });\n",
    );
    place.write(
      'never.js',
      "exports.rules = [{ id: 'acme/owner', on: 'object', kinds: ['Deployment'], summary: 's.', fix: 'f.', check: () => [] }];\n",
    );
    place.write('a.yaml', GOOD);
    const { status, err } = await place.run(['check', 'a.yaml']);
    expect([status, err.startsWith(`gantry: ${expected}`) ? expected : err]).toEqual([2, expected]);
  });

  test('has a JSON Schema for editors, derived from what the command line reads', () => {
    const file = join(__dirname, '../../../schemas/gantry.schema.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(CONFIGURATION_SCHEMA);
  });
});

describe('--baseline', () => {
  test('accepts what is there and fails on what is new, wherever an object moves to', async () => {
    place.write('a.yaml', BAD);
    expect((await reportOf(['.', '--baseline', 'base.json', '--update-baseline'])).status).toBe(0);
    place.write('a.yaml', `# moved\n${GOOD}`);
    place.write('sub/b.yaml', BAD);
    const same = await reportOf(['.', '--baseline', 'base.json']);
    expect([same.status, same.suppressed.map(({ reason }) => reason)]).toEqual([
      0,
      ['accepted in the baseline base.json'],
    ]);
    place.write('sub/c.yaml', BAD.replace('name: bad', 'name: worse'));
    const worse = await reportOf(['.', '--baseline', 'base.json']);
    expect([worse.status, files(worse)]).toEqual([1, ['sub/c.yaml']]);
  });

  test('counts equal findings', async () => {
    place.write('a.yaml', BAD);
    await reportOf(['.', '--baseline', 'base.json', '--update-baseline']);
    place.write('b.yaml', BAD);
    const report = await reportOf(['.', '--baseline', 'base.json', '--only', 'schema']);
    expect([report.status, report.findings.length, report.suppressed.length]).toEqual([1, 1, 1]);
  });

  describe('with more findings than are listed', () => {
    const bad = (keys: readonly string[]): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'many' },
        data: Object.fromEntries(keys.map((key) => [key, 'x'])),
      });
    const keys = Array.from({ length: 250 }, (_, index) => `bad key! ${index}`);
    const against = async (changed: readonly string[]): Promise<readonly unknown[]> => {
      place.write('a.yaml', bad(keys));
      const { status } = await reportOf(['.', '--baseline', 'base.json', '--update-baseline']);
      expect(status).toBe(0);
      place.write('a.yaml', bad(changed));
      const report = await reportOf(['.', '--baseline', 'base.json']);
      return [countsOf(report).error, report.findings.map(({ path }) => path)];
    };

    test.each([
      ['the same', keys],
      ['some corrected of those that were listed', keys.slice(50)],
      ['some corrected of those that were not', keys.slice(0, 120)],
    ])('accepts %s', async (_, changed) => {
      expect(await against(changed)).toEqual([0, []]);
    });

    test('names a new one among those that are listed', async () => {
      expect(await against(['a new key!', ...keys])).toEqual([1, ['/data/a new key!']]);
    });

    test('counts new ones among those that are not', async () => {
      expect(await against([...keys, 'a new key!', 'another new key!'])).toEqual([2, ['']]);
    });
  });

  test('counts what it suppresses apart from what .gantry.yaml and --ignore do', async () => {
    const wrongType = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: type}\ndata: [a]\n';
    const badName = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Big}\n';
    place.write('a.yaml', BAD);
    await reportOf(['a.yaml', '--baseline', 'base.json', '--update-baseline']);
    const end = async (...words: readonly string[]): Promise<string | undefined> =>
      (await place.run(['check', 'a.yaml', '--baseline', 'base.json', ...words])).out.trimEnd().split('\n').at(-1);
    expect(await end()).toBe('1 document: no errors, 1 suppressed');
    place.write('a.yaml', `${BAD}---\n${wrongType}---\n${badName}`);
    place.write('.gantry.yaml', "rules: {schema/type: {severity: 'off', reason: r}}\n");
    expect(await end('--ignore', 'metadata/name=known')).toBe(
      '3 documents: no errors, 3 suppressed (1 by .gantry.yaml, 1 by --ignore, 1 by the baseline)',
    );
  });

  test('never accepts a file that cannot be read', async () => {
    place.write('a.yaml', 'a: [');
    expect((await reportOf(['.', '--baseline', 'base.json', '--update-baseline'])).status).toBe(2);
    expect((await reportOf(['.', '--baseline', 'base.json'])).status).toBe(2);
  });

  test.each([
    [
      'that is not there',
      ['--baseline', 'gone.json'],
      'gantry: gone.json: no such baseline; create it with `gantry check --baseline gone.json --update-baseline` and the same paths\n',
    ],
    [
      'that is none',
      ['--baseline', 'a.yaml'],
      'gantry: a.yaml: not a baseline of gantry check; create one with --update-baseline\n',
    ],
    ['without a name', ['--update-baseline'], 'gantry: --update-baseline requires --baseline FILE\n'],
  ])('%s is one clear error', async (_, words, err) => {
    place.write('a.yaml', GOOD);
    expect(await place.run(['check', 'a.yaml', ...words])).toEqual({ status: 2, out: '', err });
  });
});
