/**
 * Where containers mount the pod's volumes, as folders or as raw devices (row K4).
 */
import { isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { isClaim } from '../pod-view';
import { podRule } from '../server-rule';
import { given, itemsOf, text } from '../values';
import { climbs, relativePath } from './paths';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

export const mountRules: readonly Rule[] = [
  podRule(
    'volume-mount-has-volume',
    {
      concerns: ['volumeMounts'],
      row: 'K4',
      summary: 'Every volumeMount names a volume of the same pod.',
      fix: "Add the volume to this pod's volumes, or remove the mount.",
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          const name = text(value.name);
          if (name === '') {
            say(`${path}/name`, 'the mount names no volume', { expected: 'the name of a volume of this pod' });
          } else if (!pod.volumes.has(name)) {
            say(
              `${path}/name`,
              `the container "${container.name}" mounts the volume "${name}", which this pod does not have`,
              {
                expected:
                  pod.volumes.size === 0 ? 'a volume in spec.volumes' : `one of ${[...pod.volumes.keys()].join(', ')}`,
              },
            );
          }
        }
      }
    },
  ),

  podRule(
    'volume-mount-path-valid',
    {
      concerns: ['volumeMounts'],
      row: 'K4',
      summary: 'A mount has a path, and no two mounts or devices of a container share one.',
      fix: 'Give each mount a path of its own.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const devices = itemsOf(container.value.volumeDevices, '');
        const devicePaths = new Set(devices.map(({ value }) => text(value.devicePath)));
        const deviceNames = new Set(devices.map(({ value }) => text(value.name)));
        const taken = new Set<string>();
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          const mountPath = text(value.mountPath);
          if (mountPath === '') {
            say(`${path}/mountPath`, 'the mount has no path', { expected: 'a path in the container' });
          } else if (taken.has(mountPath)) {
            say(`${path}/mountPath`, `${mountPath} is a mount of this container already`, {
              expected: 'a path of its own',
            });
          }
          taken.add(mountPath);
          if (devicePaths.has(mountPath)) {
            say(`${path}/mountPath`, `${mountPath} is a device of this container already`);
          }
          if (deviceNames.has(text(value.name))) {
            say(`${path}/name`, `the volume "${text(value.name)}" is both a mount and a device of this container`);
          }
        }
      }
    },
  ),

  podRule(
    'volume-mount-sub-path-valid',
    {
      concerns: ['subPath', 'subPathExpr'],
      row: 'K4',
      summary: 'subPath and subPathExpr are relative, do not go up, and exclude each other.',
      fix: 'Use a path inside the volume.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          for (const field of ['subPath', 'subPathExpr']) {
            const complaint = relativePath(text(value[field]));
            if (complaint !== undefined) {
              say(`${path}/${field}`, `${field} must ${complaint}`);
            }
            if (container.kind === 'ephemeral' && text(value[field]) !== '') {
              say(`${path}/${field}`, `an ephemeral container takes no ${field}`);
            }
          }
          if (text(value.subPath) !== '' && text(value.subPathExpr) !== '') {
            say(`${path}/subPathExpr`, 'subPath and subPathExpr exclude each other');
          }
        }
      }
    },
  ),

  podRule(
    'volume-mount-propagation-valid',
    {
      concerns: ['mountPropagation'],
      row: 'K4',
      summary: 'mountPropagation is None, HostToContainer or, for privileged containers, Bidirectional.',
      fix: 'Use HostToContainer, or make the container privileged.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const privileged =
          isObject(container.value.securityContext) && container.value.securityContext.privileged === true;
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          if (typeof value.mountPropagation !== 'string') {
            continue;
          }
          const propagation = value.mountPropagation;
          if (!PROPAGATIONS.includes(propagation)) {
            say(`${path}/mountPropagation`, `mountPropagation "${propagation}" does not exist`, {
              expected: PROPAGATIONS.join(', '),
            });
          } else if (propagation === 'Bidirectional' && !privileged) {
            say(`${path}/mountPropagation`, 'only a privileged container may propagate mounts to the host');
          }
        }
      }
    },
  ),

  podRule(
    'volume-mount-recursive-read-only-valid',
    {
      concerns: ['recursiveReadOnly'],
      row: 'K4',
      summary:
        'recursiveReadOnly is Disabled, IfPossible or Enabled; the last two need readOnly and no mount propagation.',
      fix: 'Set readOnly: true and leave mountPropagation out.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          if (typeof value.recursiveReadOnly !== 'string' || value.recursiveReadOnly === 'Disabled') {
            continue;
          }
          const at = `${path}/recursiveReadOnly`;
          if (!['IfPossible', 'Enabled'].includes(value.recursiveReadOnly)) {
            say(at, `recursiveReadOnly "${value.recursiveReadOnly}" does not exist`, {
              expected: 'Disabled, IfPossible or Enabled',
            });
            continue;
          }
          if (value.readOnly !== true) {
            say(at, 'recursiveReadOnly needs readOnly: true');
          }
          if (given(value.mountPropagation) && value.mountPropagation !== 'None') {
            say(at, 'recursiveReadOnly excludes mount propagation');
          }
        }
      }
    },
  ),

  podRule(
    'volume-device-valid',
    {
      concerns: ['volumeDevices'],
      row: 'K4',
      summary: 'A volumeDevice names a claim-backed volume of the pod once, at a path of its own that does not go up.',
      fix: 'Use a persistentVolumeClaim with volumeMode Block.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const names = new Set<string>();
        const paths = new Set<string>();
        for (const { value, path } of itemsOf(container.value.volumeDevices, `${container.path}/volumeDevices`)) {
          const name = text(value.name);
          const devicePath = text(value.devicePath);
          const volume = pod.volumes.get(name);
          if (name === '') {
            say(`${path}/name`, 'the device names no volume');
          } else if (volume === undefined) {
            say(`${path}/name`, `the pod has no volume "${name}"`);
          } else if (!isClaim(volume)) {
            say(`${path}/name`, `the volume "${name}" is no claim and cannot be a raw device`);
          }
          if (name !== '' && names.has(name)) {
            say(`${path}/name`, `the volume "${name}" is a device of this container already`);
          }
          names.add(name);
          if (devicePath === '') {
            say(`${path}/devicePath`, 'the device has no path');
          } else if (paths.has(devicePath)) {
            say(`${path}/devicePath`, `${devicePath} is a device of this container already`);
          } else if (climbs(devicePath)) {
            say(`${path}/devicePath`, 'the path must not hold ".."');
          }
          paths.add(devicePath);
          if (pod.spec.hostUsers === false) {
            say(path, 'a pod in a user namespace of its own (hostUsers: false) takes no raw devices');
          }
        }
      }
    },
  ),
];
