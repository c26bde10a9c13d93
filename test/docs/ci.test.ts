import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSnapshot } from '../../src/manifests/snapshot/cluster-snapshot';
import { Workplace } from '../interfaces/cli/fake-terminal';
import { smallSnapshot } from '../support/small-snapshot';
import { gantrySteps } from './ci-workflow';

const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: research}\ndata: {a: "1"}\n';

describe('the workflows of docs/ci.md', () => {
  const place = new Workplace();
  afterAll(() => place.remove());

  it('take a snapshot, check, compare, and plan', () => {
    expect(gantrySteps().map(([command]) => command)).toEqual(['snapshot', 'check', 'diff', 'plan']);
  });

  it('run on a pull request as they are written', async () => {
    place.write('old/manifests/a.yaml', CONFIG);
    place.write('new/manifests/a.yaml', CONFIG.replace('"1"', '"2"'));
    const snapshot = smallSnapshot({
      takenAt: new Date().toISOString(),
      lists: [
        { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', items: [{ metadata: { name: 'research' } }] },
      ],
    });
    // The name is that of the page; the content need not be compressed.
    place.write('prod.gantry.json.gz', writeSnapshot(snapshot, { compressed: false }).toString());
    for (const words of gantrySteps().slice(1)) {
      const output = words.includes('--output') ? words[words.indexOf('--output') + 1] : undefined;
      expect([words.join(' '), await place.run(words)]).toEqual([
        words.join(' '),
        expect.objectContaining({ status: 0, err: output === undefined ? '' : `gantry: wrote ${output}\n` }),
      ]);
    }
    expect(readFileSync(join(place.folder, 'comment.md'), 'utf8')).toContain('0 added, 0 removed, 1 changed');
    expect(readFileSync(join(place.folder, 'plan.html'), 'utf8')).toContain('<!doctype html>');
  });
});
