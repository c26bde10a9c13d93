/**
 * Volumes that are taken and do not work as written: shared memory (row K13), media, mount paths.
 */
import { parseQuantity, type Quantity } from '../../../manifests/values/quantity';
import { type Rule } from '../../../checks/rules/rule';
import { asObject, isObject } from '../../../manifests/read';
import { type PodView } from '../../../checks/server/pod-view';
import { itemsOf, quantitiesOf, text } from '../../../checks/server/values';
import { counted } from '../../../facts/words';
import { acceleratorsOf, devicesOf, hasSharedMemory, nounOf, podAdvice, titleOf } from './advice';

const MEDIA = ['', 'Memory', 'HugePages'];

export const sharedMemoryRules: readonly Rule[] = [
  podAdvice(
    'memory-volume-has-size-limit',
    {
      concerns: ['emptyDir'],
      row: 'K13',
      severity: 'warning',
      summary: 'An in-memory volume must have a sizeLimit below the memory limit of the container that fills it.',
      why: "Data in the volume counts as memory of the container, which is OOM-killed when the volume fills up. Without a limit the volume may use half of the node's memory.",
      fix: 'Set emptyDir.sizeLimit to less than limits.memory in each container that mounts the volume.',
      source: "kubernetes 1.36, emptyDir with medium Memory (tmpfs is charged to the container's cgroup)",
    },
    (pod, say) => {
      for (const volume of itemsOf(pod.spec.volumes, '/spec/volumes')) {
        const source = volume.value.emptyDir;
        if (!isObject(source) || source.medium !== 'Memory') {
          continue;
        }
        const limit = amountOf(source.sizeLimit);
        const users = pod.containers.filter((container) =>
          itemsOf(container.value.volumeMounts, '').some(({ value }) => value.name === volume.value.name),
        );
        // The memory limits of the containers bound the volume as well.
        const bounded = users.length > 0 && users.every((container) => memoryLimitOf(container) !== undefined);
        if (limit === undefined) {
          say(`${volume.path}/emptyDir`, `the in-memory volume "${text(volume.value.name)}" has no sizeLimit`, {
            expected: 'a sizeLimit',
            fix: 'Set emptyDir.sizeLimit to less than limits.memory in each container that mounts the volume.',
            ...(bounded ? { severity: 'info' } : {}),
          });
          continue;
        }
        for (const container of users) {
          const memory = memoryLimitOf(container);
          if (memory !== undefined && !limit.isLessThan(memory)) {
            say(
              `${volume.path}/emptyDir/sizeLimit`,
              `sizeLimit must be less than the memory limit of ${titleOf(container)} (${limit.toString()} >= ${memory.toString()})`,
              {
                expected: `less than ${memory.toString()}`,
                fix: `Set emptyDir.sizeLimit to less than ${memory.toString()}, or set limits.memory in the container to more than ${limit.toString()}.`,
              },
            );
          }
        }
      }
    },
  ),

  podAdvice(
    'shared-memory-for-several-gpus',
    {
      concerns: ['limits', 'requests'],
      row: 'K13',
      severity: 'warning',
      summary:
        'A container with several accelerators, or with RDMA and an accelerator, should have an in-memory volume at /dev/shm.',
      why: 'The runtime provides 64 MiB of shared memory; NCCL and multi-process data loaders need more and fail with a bus error.',
      fix: 'Add an emptyDir with medium: Memory and a sizeLimit to spec.volumes, and mount it at /dev/shm in volumeMounts.',
      source: "NVIDIA NCCL user guide, troubleshooting (shared memory); container runtimes' default of 64 MiB",
    },
    (pod, say) => {
      for (const container of pod.containers) {
        // The processes of TPUs do not exchange data over /dev/shm.
        const devices = acceleratorsOf(container).filter(({ name }) => name !== 'google.com/tpu');
        const count = devicesOf(devices);
        if (count < 2 || hasSharedMemory(pod, container)) {
          continue;
        }
        say(
          `${container.path}/volumeMounts`,
          `${titleOf(container)} has ${counted(count, nounOf(devices))}, but only the default 64 MiB of shared memory at /dev/shm`,
          { found: null, expected: 'an emptyDir with medium: Memory at /dev/shm' },
        );
      }
    },
  ),

  podAdvice(
    'volume-medium-known',
    {
      concerns: ['medium'],
      severity: 'error',
      summary: 'emptyDir.medium must be empty, Memory, HugePages, or HugePages-<size>.',
      why: 'The API server accepts any string; the kubelet cannot mount an unknown medium, and the pod never starts.',
      fix: 'Set emptyDir.medium to Memory for an in-memory volume.',
      source: 'observed on kube-apiserver 1.36.2; kubernetes pkg/volume/emptydir',
    },
    (pod, say) => {
      for (const { value, path } of itemsOf(pod.spec.volumes, '/spec/volumes')) {
        const medium = text(asObject(value.emptyDir).medium);
        if (MEDIA.includes(medium) || medium.startsWith('HugePages-')) {
          continue;
        }
        say(`${path}/emptyDir/medium`, `unsupported medium "${medium}"`, {
          expected: /ram|mem|tmpfs/i.test(medium)
            ? 'Memory'
            : 'Memory, HugePages, HugePages-<size>, or unset to use node storage',
        });
      }
    },
  ),

  podAdvice(
    'mount-path-without-colon',
    {
      concerns: ['volumeMounts'],
      row: 'K4',
      severity: 'error',
      summary: 'A mountPath must not contain ":".',
      why: 'The API server accepts it; container runtimes split mounts at the colon and fail to start the container.',
      fix: 'Set mountPath to a path without ":".',
      source: 'observed on kube-apiserver 1.36.2; kubernetes VolumeMount.mountPath',
    },
    (pod, say) => {
      for (const container of pod.all) {
        for (const { value, path } of itemsOf(container.value.volumeMounts, `${container.path}/volumeMounts`)) {
          // Windows drives have one.
          if (text(value.mountPath).includes(':') && !/^[A-Za-z]:[\\/]?[^:]*$/.test(text(value.mountPath))) {
            say(`${path}/mountPath`, `the mount path ${JSON.stringify(text(value.mountPath))} must not contain ":"`);
          }
        }
      }
    },
  ),
];

function memoryLimitOf(container: PodView['containers'][number]): Quantity | undefined {
  return quantitiesOf(asObject(container.value.resources).limits).get('memory');
}

function amountOf(value: unknown): Quantity | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}
