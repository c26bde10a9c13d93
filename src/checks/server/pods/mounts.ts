/**
 * Where containers mount the pod's volumes, as folders or as raw devices (row K4).
 */
import { oneOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';
import { isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { fieldFromObject, isClaim, isOperatorVolume } from '../pod-view';
import { podRule } from '../server-rule';
import { given, itemsOf, text } from '../values';
import { climbs, relativePath } from './paths';
import { VolumeChoice, type VolumeUse } from './volume-choice';

/** Volumes that can be block devices. */
const CLAIMS: VolumeUse = { noun: 'volume', having: ' with a persistentVolumeClaim', allows: isClaim };

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

export const mountRules: readonly Rule[] = [
  podRule(
    'volume-mount-has-volume',
    {
      concerns: ['volumeMounts'],
      row: 'K4',
      summary: 'Every volumeMount must name a volume of the same pod.',
      fix: 'Add the volume to spec.volumes, or remove the entry from volumeMounts.',
    },
    (pod, say) => {
      const volumes = new VolumeChoice(pod, { noun: 'volume' });
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          const name = text(value.name);
          if (name === '') {
            say(`${path}/name`, `${fieldOf(`${path}/name`)} must be set`, {
              expected: 'the name of a volume of this pod',
              fix: `Set ${fieldOf(`${path}/name`)} to the name of a volume in ${fieldFromObject(pod, '/spec/volumes')}.`,
            });
          } else if (!pod.volumes.has(name) && !isOperatorVolume(pod, name)) {
            const message = `${container.name === '' ? fieldOf(container.path) : `the container "${container.name}"`} mounts the unknown volume "${name}"`;
            say(`${path}/name`, message, volumes.insteadOf(name, `${path}/name`));
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
      summary: 'A mount must have a path, and paths of mounts and devices of a container must be unique.',
      fix: 'Set volumeMounts[].mountPath to a different path for each mount.',
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
            say(`${path}/mountPath`, 'mountPath must be set', { expected: 'an absolute path such as /data' });
          } else if (taken.has(mountPath)) {
            say(`${path}/mountPath`, `duplicate mount path "${mountPath}"`, {
              expected: 'a unique path',
            });
          }
          taken.add(mountPath);
          if (devicePaths.has(mountPath)) {
            say(`${path}/mountPath`, `the mount path ${mountPath} is also the path of a device of this container`);
          }
          if (deviceNames.has(text(value.name))) {
            say(
              `${path}/name`,
              `the volume "${text(value.name)}" must not be in both volumeMounts and volumeDevices of the container`,
            );
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
      summary: 'subPath and subPathExpr must be relative, must not contain "..", and must not be set together.',
      fix: 'Set subPath to a path inside the volume.',
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
              say(`${path}/${field}`, `${field} must not be set for an ephemeral container`);
            }
          }
          if (text(value.subPath) !== '' && text(value.subPathExpr) !== '') {
            say(`${path}/subPathExpr`, 'subPath must not be set when subPathExpr is set', {
              fix: `Remove subPath or subPathExpr from ${fieldOf(path)}.`,
            });
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
      summary: 'mountPropagation must be None, HostToContainer, or, for privileged containers, Bidirectional.',
      fix: 'Set mountPropagation: HostToContainer, or make the container privileged.',
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
            say(`${path}/mountPropagation`, `unsupported value "${propagation}" for mountPropagation`, {
              expected: oneOf(PROPAGATIONS),
            });
          } else if (propagation === 'Bidirectional' && !privileged) {
            say(`${path}/mountPropagation`, 'Bidirectional is available only to privileged containers');
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
        'recursiveReadOnly must be Disabled, IfPossible, or Enabled; the last two require readOnly and no mount propagation.',
      fix: 'Set readOnly: true and leave mountPropagation unset.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          if (typeof value.recursiveReadOnly !== 'string' || value.recursiveReadOnly === 'Disabled') {
            continue;
          }
          const at = `${path}/recursiveReadOnly`;
          if (!['IfPossible', 'Enabled'].includes(value.recursiveReadOnly)) {
            say(at, `unsupported value "${value.recursiveReadOnly}" for recursiveReadOnly`, {
              expected: 'Disabled, IfPossible, or Enabled',
            });
            continue;
          }
          if (value.readOnly !== true) {
            say(at, 'recursiveReadOnly requires readOnly: true');
          }
          if (given(value.mountPropagation) && value.mountPropagation !== 'None') {
            say(at, 'recursiveReadOnly must not be set together with mount propagation');
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
      summary:
        'A volumeDevice must name a volume with a claim. Its name and path must be unique in the container, and the path must not contain "..".',
      fix: 'Set volumeDevices[].name to a volume with a persistentVolumeClaim whose volumeMode is Block.',
    },
    (pod, say) => {
      const claims = new VolumeChoice(pod, CLAIMS);
      for (const container of pod.all) {
        const names = new Set<string>();
        const paths = new Set<string>();
        for (const { value, path } of itemsOf(container.value.volumeDevices, `${container.path}/volumeDevices`)) {
          const name = text(value.name);
          const devicePath = text(value.devicePath);
          const volume = pod.volumes.get(name);
          if (name === '') {
            say(`${path}/name`, `${fieldOf(`${path}/name`)} must be set`, {
              fix: `Set ${fieldOf(`${path}/name`)} to the name of a volume in ${fieldFromObject(pod, '/spec/volumes')}.`,
            });
          } else if (volume === undefined) {
            say(`${path}/name`, `unknown volume "${name}"`, claims.insteadOf(name, `${path}/name`));
          } else if (!isClaim(volume)) {
            say(`${path}/name`, `the volume "${name}" must have a persistentVolumeClaim to be used as a block device`);
          }
          if (name !== '' && names.has(name)) {
            say(`${path}/name`, `duplicate volume "${name}" in volumeDevices`);
          }
          names.add(name);
          if (devicePath === '') {
            say(`${path}/devicePath`, `${fieldOf(`${path}/devicePath`)} must be set`, {
              fix: `Set ${fieldOf(`${path}/devicePath`)} to a path such as /dev/xvda.`,
            });
          } else if (paths.has(devicePath)) {
            say(`${path}/devicePath`, `duplicate device path "${devicePath}"`);
          } else if (climbs(devicePath)) {
            say(`${path}/devicePath`, 'devicePath must not contain ".."');
          }
          paths.add(devicePath);
          if (pod.spec.hostUsers === false) {
            say(path, 'volumeDevices must not be set when hostUsers is false');
          }
        }
      }
    },
  ),
];
