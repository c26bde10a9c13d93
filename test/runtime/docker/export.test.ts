/**
 * Tasks as workloads for a cluster: valid by the checks of the library, and what does not carry over is named.
 */
import { stringify } from 'yaml';
import { check } from '../../../src/checks/engine';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { EXPORT_KINDS, exported } from '../../../src/runtime/docker/export/manifest';
import { spec } from './tasks';

const TRAIN = spec({
  name: 'my_run.1',
  image: 'registry.example.com/train:3',
  entrypoint: 'python',
  command: ['train.py', '--lr=1e-4'],
  env: ['MODE=a=b', 'EMPTY='],
  workdir: '/work',
  devices: { kind: 'whole', count: 8 },
  cpus: 16,
  memoryBytes: 64 * 2 ** 30,
  shmBytes: 1000,
  replicas: 4,
  retries: 3,
  timeLimitSeconds: 3600.5,
  readOnly: true,
});

test.each(EXPORT_KINDS)('a gang as %s', (kind) => {
  const { manifests, notes } = exported(TRAIN, '17', kind);
  const text = JSON.stringify(manifests);
  for (const part of [
    '"name":"my-run-1"',
    '"args":["train.py","--lr=1e-4"],"command":["python"]',
    '{"name":"MODE","value":"a=b"}',
    '"nvidia.com/gpu":8',
    '"memory":"64Gi"',
    '"readOnlyRootFilesystem":true',
  ]) {
    expect(text).toContain(part);
  }
  const yaml = manifests.map((manifest) => stringify(manifest)).join('---\n');
  const { findings } = check(new ManifestSet(parseYaml(yaml, 'export.yaml').manifests), { rules: allRules() });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(notes).toEqual(kind === 'jobset' ? ['A JobSet has no time limit.'] : []);
});

test('a Job runs as many pods at a time as the task has containers, with its retries and its time limit', () => {
  expect(exported(TRAIN, '17', 'job').manifests[0]).toMatchObject({
    kind: 'Job',
    spec: { parallelism: 4, completions: 4, completionMode: 'Indexed', backoffLimit: 3, activeDeadlineSeconds: 3601 },
  });
  expect(exported(spec(), '17', 'job').manifests[0]).toMatchObject({
    metadata: { name: 'task-17' },
    spec: { backoffLimit: 0, template: { spec: { containers: [{ image: 'image' }] } } },
  });
});

test('what a cluster has to decide is a note', () => {
  const { notes, manifests } = exported(
    spec({
      devices: { kind: 'memory', mebibytes: 20_480, models: ['A100'] },
      volumes: ['/data:/data:ro'],
      user: '1000',
      network: 'host',
      after: ['3'],
      priority: 'high',
    }),
    '17',
    'job',
  );
  expect(notes).toEqual([
    'The task shares a device (20480 MiB); the pod gets a whole one. Sharing needs HAMi, MPS, or time-slicing.',
    'Select nodes with the models A100.',
    'Replace the volumes: /data:/data:ro.',
    'Set runAsUser for the user 1000.',
    'The network host does not carry over.',
    'The task waits for 3; a workflow engine can state that.',
    'Set a PriorityClass for the priority high.',
  ]);
  expect(JSON.stringify(manifests)).toMatch(/"nvidia.com\/gpu":"?1/);
  const mig = exported(spec({ devices: { kind: 'mig', profile: '1g.10gb', count: 2 } }), '17', 'jobset');
  expect(JSON.stringify(mig.manifests)).toMatch(/"nvidia.com\/mig-1g.10gb":"?2/);
});
