import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TEMPLATES } from '../../../src/interfaces/cli/init/templates';
import { type Run, Workplace } from './fake-terminal';

describe('gantry init', () => {
  let place: Workplace;
  beforeEach(() => (place = new Workplace()));
  afterEach(() => place.remove());

  const init = (...words: string[]): Promise<Run> => place.run(['init', ...words]);
  const files = (): string[] =>
    readdirSync(place.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(place.folder, join(entry.parentPath, entry.name)))
      .sort();
  const read = (file: string): string => readFileSync(join(place.folder, file), 'utf8');

  it.each(TEMPLATES)('writes the project %s under its own name, with versions', async (template) => {
    const { status, out } = await init('--template', template, 'lab');
    expect(status).toBe(0);
    expect(out).toContain(`lab: created project "lab" from template ${template}`);
    expect(out).toContain('cd lab && npm install');
    expect(files().filter((file) => read(file).includes('my-platform'))).toEqual([]);
    expect(files()).toContain('lab/.gitignore');
    const text = read('lab/package.json');
    expect(JSON.parse(text)).toMatchObject({ name: 'lab', private: true });
    expect(text).not.toContain('"*"');
  });

  it('uses the name of the folder, in the form of a package name', async () => {
    mkdirSync(join(place.folder, '_Training Hall 2'));
    const { status, out } = await init('_Training Hall 2');
    expect(status).toBe(0);
    expect(out).toContain('created project "training-hall-2"');
    expect(out).toContain('cd "_Training Hall 2" &&');
  });

  it('writes into a folder with a README, which it does not change', async () => {
    place.write('README.md', 'ours\n');
    const { status, out } = await init('--template', 'yaml', '--name', 'lab');
    expect(status).toBe(0);
    expect(out).toContain('README.md (exists; not changed)');
    expect(out).toContain('Next:\n  npm install');
    expect(read('README.md')).toBe('ours\n');
  });

  it('writes nothing if a file of the project exists', async () => {
    place.write('cdk8s.yaml', 'app: node main.js\n');
    expect(await init()).toEqual({
      status: 2,
      out: '',
      err: 'gantry: .: already contains cdk8s.yaml; choose an empty folder\n',
    });
    expect(files()).toEqual(['cdk8s.yaml']);
  });

  it('removes what it wrote if it cannot write all', async () => {
    // A file where the project has a folder.
    place.write('test', '');
    const { status, err } = await init();
    expect(status).toBe(2);
    expect(err).toMatch(/^gantry: .*test.*\n$/);
    expect(files()).toEqual(['test']);
  });

  it.each([
    [['--template', 'helm'], 'gantry: --template helm: unknown template; supported values are cdk8s, pulumi, yaml'],
    [['--name', 'My Lab'], 'gantry: --name My Lab: must consist of lowercase letters'],
    [['a', 'b'], 'gantry: too many arguments'],
  ])('rejects %j in one line', async (words, line) => {
    const { status, err } = await init(...words);
    expect(status).toBe(2);
    expect(err).toContain(line);
    expect(files()).toEqual([]);
  });

  it('writes manifests without errors, and jobs that the cluster file has room for', async () => {
    await init('--template', 'yaml');
    expect((await place.run(['check'])).out).toMatch(/documents: .*\b(no findings|0 errors|no errors)/);
    const { status, out } = await place.run(['plan', 'manifests', '--cluster', 'cluster.yaml']);
    expect(out).toContain('The gang is placed.');
    expect(status).toBe(0);
  });
});
