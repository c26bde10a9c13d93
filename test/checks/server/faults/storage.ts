/**
 * Configuration, secrets, and storage: a fault for each rule, made in an object that is otherwise valid.
 */
import { recordObjects, storageObjects, tenantObjects } from '../valid-objects';
import { by, type ObjectFault } from './fault';

export const STORAGE_FAULTS: readonly ObjectFault[] = [
  ['config-key-valid', 'a slash', by(tenantObjects, 'ConfigMap'), (_spec, object) => (object.data = { 'a/b': 'c' })],
  [
    'config-size-within-limit',
    'more than a mebibyte',
    by(tenantObjects, 'ConfigMap'),
    (_spec, object) => (object.data = { a: 'x'.repeat(1024 * 1024 + 1) }),
  ],
  [
    'secret-type-complete',
    'no key',
    by(tenantObjects, 'Secret'),
    (_spec, object) => (object.data = { 'tls.crt': 'aGk=' }),
  ],
  ['claim-valid', 'no access mode', by(storageObjects, 'PersistentVolumeClaim'), (spec) => delete spec.accessModes],
  ['claim-valid', 'no size', by(storageObjects, 'PersistentVolumeClaim'), (spec) => (spec.resources = {})],
  ['volume-valid', 'two sources', by(storageObjects, 'PersistentVolume'), (spec) => (spec.hostPath = { path: '/x' })],
  [
    'storage-class-valid',
    'a wrong binding mode',
    by(storageObjects, 'StorageClass'),
    (_spec, object) => (object.volumeBindingMode = 'Late'),
  ],
  [
    'volume-attributes-class-valid',
    'no parameters',
    by(storageObjects, 'VolumeAttributesClass'),
    (_spec, object) => (object.parameters = {}),
  ],
  [
    'csi-driver-valid',
    'a wrong mode',
    by(storageObjects, 'CSIDriver'),
    (spec) => (spec.volumeLifecycleModes = ['Forever']),
  ],
  ['csi-node-valid', 'no node id', by(storageObjects, 'CSINode'), (spec) => (spec.drivers = [{ name: 'd.io' }])],
  [
    'storage-capacity-valid',
    'less than nothing',
    by(recordObjects, 'CSIStorageCapacity'),
    (_spec, object) => (object.capacity = '-1'),
  ],
  ['volume-attachment-valid', 'no volume', by(recordObjects, 'VolumeAttachment'), (spec) => (spec.source = {})],
];
