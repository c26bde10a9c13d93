/**
 * What to write for the fields that each source of a volume requires.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';
import { minimalPod, yaml } from './valid';

function fixesOf(source: string): readonly (string | undefined)[] {
  const containers = [{ name: 'main', image: 'x:1' }];
  const pod = { ...minimalPod(), spec: { containers, volumes: [{ name: 'v', [source]: {} }] } };
  return findingsOf(yaml(pod), coreRules)
    .filter(({ rule }) => rule === 'core/volume-source-valid')
    .map(({ fix }) => fix);
}

test.each([
  ['awsElasticBlockStore', 1],
  ['azureDisk', 3],
  ['azureFile', 2],
  ['cephfs', 1],
  ['cinder', 1],
  ['csi', 1],
  ['ephemeral', 1],
  ['flexVolume', 1],
  ['gcePersistentDisk', 1],
  ['gitRepo', 1],
  ['glusterfs', 2],
  ['hostPath', 1],
  ['iscsi', 2],
  ['nfs', 2],
  ['persistentVolumeClaim', 1],
  ['photonPersistentDisk', 1],
  ['portworxVolume', 1],
  ['quobyte', 2],
  ['rbd', 2],
  ['scaleIO', 3],
  ['storageos', 1],
  ['vsphereVolume', 1],
])('each required field of %s is set to something', (source, count) => {
  const fixes = fixesOf(source);
  expect(fixes).toHaveLength(count);
  expect(fixes.filter((fix) => !/ to .{8}/.test(fix ?? ''))).toEqual([]);
});

test('the content is that of the source, not of a field of the same name elsewhere', () => {
  expect([...fixesOf('csi'), ...fixesOf('rbd'), ...fixesOf('gitRepo'), ...fixesOf('hostPath')]).toEqual([
    'Set csi.driver to the name of the CSI driver, such as csi.example.com.',
    'Set rbd.image to the name of the RBD image.',
    'Add at least one monitor to rbd.monitors.',
    'Set gitRepo.repository to the URL of a Git repository, such as https://example.com/models.git.',
    'Set hostPath.path to a path on the node, such as /data.',
  ]);
});
