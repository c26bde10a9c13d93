/**
 * Volumes and their mounts: a fault for each rule, made in a pod that is otherwise valid.
 */
import { main, volume, added, type PodFault } from './pod-fault';

export const POD_VOLUMES_FAULTS: readonly PodFault[] = [
  [
    'volume-mount-has-volume',
    'no such volume',
    (spec) => added(main(spec), 'volumeMounts', { name: 'nowhere', mountPath: '/n' }),
  ],
  [
    'volume-mount-path-valid',
    'one path twice',
    (spec) => added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/data' }),
  ],
  ['volume-mount-path-valid', 'no path', (spec) => added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '' })],
  [
    'volume-mount-path-valid',
    'the path of a device',
    (spec) => {
      added(spec, 'volumes', { name: 'raw', persistentVolumeClaim: { claimName: 'raw' } });
      added(main(spec), 'volumeDevices', { name: 'raw', devicePath: '/data' });
    },
  ],
  [
    'volume-mount-path-valid',
    'a device that is mounted too',
    (spec) => added(main(spec), 'volumeDevices', { name: 'data', devicePath: '/dev/data' }),
  ],
  [
    'volume-mount-sub-path-valid',
    'an absolute path',
    (spec) => added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/n', subPath: '/abs' }),
  ],
  [
    'volume-mount-propagation-valid',
    'Bidirectional without privilege',
    (spec) => added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/n', mountPropagation: 'Bidirectional' }),
  ],
  [
    'volume-mount-recursive-read-only-valid',
    'without readOnly',
    (spec) => added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/n', recursiveReadOnly: 'Enabled' }),
  ],
  [
    'volume-device-valid',
    'a config map as device',
    (spec) => added(main(spec), 'volumeDevices', { name: 'sec', devicePath: '/dev/x' }),
  ],
  ['volume-name-valid', 'an uppercase name', (spec) => added(spec, 'volumes', { name: 'Data' })],
  ['volume-exactly-one-source', 'two sources', (spec) => (volume(spec, 'shm').hostPath = { path: '/x' })],
  ['volume-source-valid', 'a claim without a name', (spec) => (volume(spec, 'data').persistentVolumeClaim = {})],
  [
    'volume-source-valid',
    'a host path of no type',
    (spec) => (volume(spec, 'host').hostPath = { path: '/x', type: 'Folder' }),
  ],
  [
    'volume-files-valid',
    'two files of one name',
    (spec) =>
      (volume(spec, 'proj').projected = {
        sources: [
          { secret: { name: 's', items: [{ key: 'a', path: 'p' }] } },
          { configMap: { name: 'c', items: [{ key: 'a', path: 'p' }] } },
        ],
      }),
  ],
  [
    'volume-claim-not-ephemeral',
    'the claim of an ephemeral volume',
    (spec) => (volume(spec, 'data').persistentVolumeClaim = { claimName: 'rich-eph' }),
  ],
];
