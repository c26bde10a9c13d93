/**
 * The names of other systems that Gantry reads on pods are a closed list: `docs/migrate.md` has what the code reads, and nothing else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const READERS = ['src/planning/cluster/objects', 'src/runtime/kubernetes/world', 'src/manifests/pods'];
const FOREIGN =
  /'((?:[a-z0-9.-]*volcano\.sh|kai\.scheduler|runai|kueue\.x-k8s\.io|scheduling\.x-k8s\.io|scheduling\.k8s\.io)\/[a-z-]+|gpu-fraction[a-z-]*|gpu-memory|pod-group-name|pod-group\.scheduling\.sigs\.k8s\.io)'/g;

function named(): readonly string[] {
  const rows = readFileSync(join(ROOT, 'docs/migrate.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| (Volcano|KAI|Kueue|scheduler-plugins) \| `/.test(line));
  expect(rows).toHaveLength(4);
  return rows.flatMap((row) => [...row.split('|')[2].matchAll(/`([^`]+)`/g)].map(([, name]) => name));
}

function read(): readonly string[] {
  const files = READERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
  );
  const names = files.flatMap((text) => [...text.matchAll(FOREIGN)].map(([, name]) => name));
  // Resources of Volcano's device plugin, which are requests and no labels or annotations.
  return [...new Set(names)].filter((name) => !name.startsWith('volcano.sh/vgpu-'));
}

test('the documented names of other systems are those that are read', () => {
  // A label of KAI that is also a field of the pod.
  expect([...read(), 'priorityClassName'].sort()).toEqual([...named()].sort());
});
