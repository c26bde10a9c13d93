import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { snapshotKeys, snapshotKeysFile } from '../../../projen/docs/snapshot-keys';

test('the annotations and variables that a snapshot keeps are those that the code reads', () => {
  const file = readFileSync(resolve(__dirname, '../../../src/manifests/snapshot/kept-keys.ts'), 'utf8');
  expect(file).toBe(snapshotKeysFile());
});

test('annotations that the plan reads are among them, those that tools write and credentials are not', () => {
  const { annotations, variables } = snapshotKeys();
  expect(annotations).toEqual(
    expect.arrayContaining(['gantry.dev/devices', 'kueue.x-k8s.io/podset-required-topology', 'gpu-memory']),
  );
  expect(annotations).not.toContain('kubectl.kubernetes.io/last-applied-configuration');
  expect(variables.filter((name) => /PASSWORD|SECRET|TOKEN/.test(name))).toEqual([]);
  expect(variables).toContain('NVIDIA_VISIBLE_DEVICES');
});
