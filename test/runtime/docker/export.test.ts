/**
 * Tasks as workloads for a cluster: valid by the checks of the library, and what does not carry over is named.
 */
import { stringify } from 'yaml';
import { check } from '../../../src/checks/engine';
import { allRules } from '../../../src/interfaces/checks/all-rules';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { EXPORT_KINDS, exported } from '../../../src/runtime/docker/export/manifest';
import { type HostDevice } from '../../../src/runtime/docker/devices/inventory';
import { resourcesOf } from '../../../src/runtime/docker/export/resources';
import { type TaskSpec } from '../../../src/runtime/docker/task/task';
import { PLACE, queued, spec } from './tasks';

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

const task = (asked: TaskSpec, resources: readonly string[] = ['nvidia.com/gpu']) => ({
  id: '17',
  spec: asked,
  resources,
});

test.each(EXPORT_KINDS)('a gang as %s', (kind) => {
  const { manifests, notes } = exported(task(TRAIN), kind);
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
  expect(exported(task(TRAIN), 'job').manifests[0]).toMatchObject({
    kind: 'Job',
    spec: { parallelism: 4, completions: 4, completionMode: 'Indexed', backoffLimit: 3, activeDeadlineSeconds: 3601 },
  });
  expect(exported(task(spec(), []), 'job').manifests[0]).toMatchObject({
    metadata: { name: 'task-17' },
    spec: { backoffLimit: 0, template: { spec: { containers: [{ image: 'image' }] } } },
  });
});

test('what a cluster has to decide is a note', () => {
  const { notes, manifests } = exported(
    task(
      spec({
        devices: { kind: 'memory', mebibytes: 20_480, models: ['A100'] },
        volumes: ['/data:/data:ro'],
        user: '1000',
        network: 'host',
        after: ['3'],
        priority: 'high',
      }),
    ),
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
  const mig = exported(task(spec({ devices: { kind: 'mig', profile: '1g.10gb', count: 2 } })), 'jobset');
  expect(JSON.stringify(mig.manifests)).toMatch(/"nvidia.com\/mig-1g.10gb":"?2/);
});

const MIXED: readonly HostDevice[] = [
  { id: 'GPU-1', model: 'H100' },
  { id: 'gpu-0', cdi: 'amd.com/gpu=0', model: 'MI300X' },
  { id: 'x-0', cdi: 'vendor.example/npu=0', model: 'X' },
];

test.each([
  [{}, ['amd.com/gpu', 'nvidia.com/gpu', 'vendor.example/npu']],
  [{ models: ['MI300X'] }, ['amd.com/gpu']],
  [{ models: ['H100'] }, ['nvidia.com/gpu']],
])('devices %j of a mixed host are counted by %j', (choice, expected) => {
  const inventory = { name: 'box', devices: MIXED, cpus: [], memoryBytes: 0 };
  const asked = queued(1, { devices: { kind: 'whole', count: 1, ...choice } });
  expect(resourcesOf(asked, inventory)).toEqual(expected);
  const placed = { ...asked, members: [{ ...PLACE, index: 0, state: 'running' as const }] };
  expect(resourcesOf(placed, inventory)).toEqual(['amd.com/gpu']);
  expect(resourcesOf(queued(1), inventory)).toEqual([]);
});

test('devices of other vendors are asked for as what they are', () => {
  const one = spec({ devices: { kind: 'whole', count: 2 } });
  const amd = exported(task(one, ['amd.com/gpu', 'nvidia.com/gpu']), 'job');
  expect(JSON.stringify(amd.manifests)).toMatch(/"amd.com\/gpu":"?2/);
  expect(JSON.stringify(amd.manifests)).not.toContain('nvidia.com/gpu');
  expect(amd.notes).toEqual(['The task may get devices of amd.com/gpu and nvidia.com/gpu; the pod gets amd.com/gpu.']);
  const other = exported(task(one, ['vendor.example/npu']), 'pytorchjob');
  expect(JSON.stringify(other.manifests)).toMatch(/"vendor.example\/npu":"?2/);
  expect(other.notes).toEqual([
    'The resource vendor.example/npu is the kind of the CDI devices; set the one that the device plugin of the cluster has.',
  ]);
});
