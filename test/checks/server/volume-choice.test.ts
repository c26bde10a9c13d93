/**
 * What to write for a volume that the pod does not have: a volume that can be used in that way, where there is one.
 */
import { check } from '../../../src/interfaces/checks';
import { parseYaml } from '../../../src/manifests/yaml';
import { ManifestSet } from '../../../src/manifests/manifest-set';

function fixesOf(container: object, volumes: readonly object[]): readonly (string | undefined)[] {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'b' },
    spec: { containers: [{ name: 'c', image: 'x:1', ...container }], volumes },
  };
  const { findings } = check(new ManifestSet(parseYaml(JSON.stringify(pod), 'a.yaml').manifests), {
    tiers: ['server'],
  });
  return findings.filter(({ message }) => message.includes('unknown volume')).map(({ fix }) => fix);
}

const CLAIM = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
const SCRATCH = { name: 'scratch', emptyDir: {} };
const device = (name: string): object => ({ volumeDevices: [{ name, devicePath: '/dev/xvda' }] });
const file = (volumeName: string): object => ({
  env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName, path: 'env', key: 'A' } } }],
});

test.each([
  [
    'a near claim',
    device('dat'),
    'Set volumeDevices[0].name to data, or add the volume "dat" with a persistentVolumeClaim to spec.volumes.',
  ],
  [
    'any claim',
    device('raw'),
    'Add the volume "raw" with a persistentVolumeClaim to spec.volumes, or set volumeDevices[0].name to data.',
  ],
  [
    'any emptyDir',
    file('env-files'),
    'Add the emptyDir "env-files" to spec.volumes, or set fileKeyRef.volumeName to scratch.',
  ],
  [
    'any volume',
    { volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] },
    'Add the volume "tmp" to spec.volumes, or set volumeMounts[0].name to data or scratch.',
  ],
])('%s', (_what, container, fix) => {
  expect(fixesOf(container, [CLAIM, SCRATCH])).toEqual([fix]);
});

test('without a usable volume, the reference can be removed', () => {
  expect(fixesOf(file('env-files'), [CLAIM])).toEqual([
    'Add the emptyDir "env-files" to spec.volumes, or remove valueFrom.fileKeyRef.',
  ]);
});
