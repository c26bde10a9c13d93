import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import { compareCrds } from '../../../projen/api/compare';
import { PROJECT_ROOT } from '../../../projen/api/lock';

describe('the schemas that the library loads', () => {
  test('are those of vendor/ at every node of every kind', () => {
    const folder = join(PROJECT_ROOT, 'vendor');
    const projects = readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => ({
        project: file.replace('.json', ''),
        files: new Map([[file, readFileSync(join(folder, file), 'utf8')]]),
      }));
    const { kinds, nodes, differences } = compareCrds(projects);
    expect(differences).toEqual([]);
    expect(kinds).toBeGreaterThan(30);
    expect(nodes).toBeGreaterThan(20_000);
  });
});
