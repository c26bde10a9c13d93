/**
 * Pods that hold accelerators and cannot feed them, or keep others from working.
 */
import { type Rule } from '../../../checks/rules/rule';
import { type PodView } from '../../../checks/server/pod-view';
import { asObject } from '../../../manifests/read';
import { quantitiesOf, textsOf } from '../../../checks/server/values';
import { acceleratorsOf, devicesOf, hasSharedMemory, nounOf, podAdvice, titleOf } from './advice';
import { counted } from '../../../facts/words';

type Container = PodView['containers'][number];

/** All words of the command, where a shell's script is split at spaces. */
function wordsOf(container: Container): readonly string[] {
  return ['command', 'args'].flatMap((field) =>
    textsOf(container.value[field], '').flatMap(({ value }) => value.split(/[\s\\]+/)),
  );
}

/** The number that follows a flag, as `--flag 8` or `--flag=8`. */
function flagNumber(words: readonly string[], flags: readonly string[]): number | undefined {
  for (const [index, word] of words.entries()) {
    const [flag = '', own] = word.split('=', 2);
    const value = flags.includes(flag) ? (own ?? words[index + 1]) : undefined;
    if (value !== undefined && /^\d+$/.test(value)) {
      return Number(value);
    }
  }
  return undefined;
}

const TENSOR_FLAGS = ['--tensor-parallel-size', '-tp', '--tp-size', '--tp', '--num-shard'];
const PIPELINE_FLAGS = ['--pipeline-parallel-size', '-pp', '--pp-size', '--pp'];
const DATA_FLAGS = ['--data-parallel-size', '-dp', '--dp-size', '--dp'];
const SERVERS = /vllm|sglang|text-generation-launcher|text-generation-inference|lmdeploy|trtllm-serve/;
/** Kinds whose pods work together on one model, so that one pod has only a part of it. */
const SEVERAL_PODS =
  /^(LeaderWorkerSet|DisaggregatedSet|RayCluster|RayJob|RayService|RayCronJob|JobSet|PyTorchJob|MPIJob|TrainJob|InferService)$/;
const LOADER_FLAGS = [
  '--num-workers',
  '--num_workers',
  '--workers',
  '--dataloader-num-workers',
  '--dataloader_num_workers',
];

export const contentionRules: readonly Rule[] = [
  podAdvice(
    'cpu-limit-feeds-gpus',
    {
      concerns: ['limits'],
      severity: 'warning',
      summary: 'The CPU limit of a container should be at least one CPU for each of its accelerators.',
      why: 'Each device has a process that launches its kernels. Below one CPU each, the processes are throttled, and the devices wait.',
      fix: 'Increase resources.limits.cpu to at least the number of accelerators, or remove the limit.',
      source: 'Linux CFS bandwidth control; NVIDIA CUDA programming guide (kernel launches)',
    },
    (pod, say) => {
      for (const container of pod.containers) {
        const devices = acceleratorsOf(container);
        const count = devicesOf(devices);
        const cpu = quantitiesOf(asObject(container.value.resources).limits).get('cpu');
        const cpus = cpu === undefined ? undefined : cpu.toNumber();
        if (count >= 2 && cpus !== undefined && cpus < count) {
          say(
            `${container.path}/resources/limits/cpu`,
            `limits.cpu must be at least one CPU for each of the ${counted(count, nounOf(devices))} (${cpus} < ${count})`,
            {
              expected: `at least ${count}`,
              fix: `Set limits.cpu to at least ${count}, or remove the limit.`,
            },
          );
        }
      }
    },
  ),

  podAdvice(
    'memory-request-near-limit',
    {
      concerns: ['limits'],
      severity: 'warning',
      summary: 'A container with accelerators should request at least half of its memory limit.',
      why: 'The scheduler counts the request. On a full node the kernel kills the pods that use more than they requested, and a training loses its progress.',
      fix: 'Set resources.requests.memory close to resources.limits.memory.',
      source: 'kubernetes 1.36, node-pressure eviction and OOM scores of the QoS class Burstable',
    },
    (pod, say) => {
      for (const container of pod.containers) {
        const resources = asObject(container.value.resources);
        const request = quantitiesOf(resources.requests).get('memory');
        const limit = quantitiesOf(resources.limits).get('memory');
        if (acceleratorsOf(container).length > 0 && request !== undefined && limit !== undefined) {
          if (request.multiply(2).isLessThan(limit)) {
            say(
              `${container.path}/resources/requests/memory`,
              `the memory request is less than half of the limit (${request.toString()} of ${limit.toString()})`,
              {
                found: request.toString(),
                expected: `at least half of ${limit.toString()}`,
                fix: `Set requests.memory to ${limit.toString()}, or close to it.`,
              },
            );
          }
        }
      }
    },
  ),

  podAdvice(
    'shared-memory-for-data-loader',
    {
      concerns: ['command', 'args'],
      severity: 'warning',
      summary: 'A training with several data loader processes should have an in-memory volume at /dev/shm.',
      why: 'The processes pass batches through shared memory. The runtime provides 64 MiB, and with more they fail with a bus error.',
      fix: 'Add an emptyDir with medium: Memory and a sizeLimit to spec.volumes, and mount it at /dev/shm in volumeMounts.',
      source: 'PyTorch, torch.utils.data (multi-process data loading)',
    },
    (pod, say) => {
      for (const container of pod.containers) {
        const words = wordsOf(container);
        const workers = flagNumber(words, LOADER_FLAGS);
        const trains = words.some((word) => /(^|\/)(python3?|torchrun|accelerate|deepspeed)$/.test(word));
        if (
          workers !== undefined &&
          workers > 0 &&
          trains &&
          devicesOf(acceleratorsOf(container)) === 1 &&
          !hasSharedMemory(pod, container)
        ) {
          say(
            `${container.path}/volumeMounts`,
            `${titleOf(container)} has ${workers} data loader processes, but only the default 64 MiB of shared memory at /dev/shm`,
            { found: null, expected: 'an emptyDir with medium: Memory at /dev/shm' },
          );
        }
      }
    },
  ),

  podAdvice(
    'tensor-parallel-size-is-gpus',
    {
      concerns: ['command', 'args'],
      severity: 'warning',
      summary: 'The parallel sizes of a model server should multiply to the accelerators of its container.',
      why: 'With more ranks than devices the server does not start, unless it uses those of other pods; with fewer, the other devices are idle.',
      fix: 'Set --tensor-parallel-size to the number of accelerators, or change the number of accelerators in resources.limits.',
      source: 'vLLM and SGLang, distributed serving; Text Generation Inference, --num-shard',
    },
    (pod, say) => {
      if (SEVERAL_PODS.test(pod.kind)) {
        return;
      }
      for (const container of pod.containers) {
        const devices = acceleratorsOf(container);
        const count = devicesOf(devices);
        const words = wordsOf(container);
        const tensor = flagNumber(words, TENSOR_FLAGS);
        const serves = [container.value.image, ...words].some((word) => typeof word === 'string' && SERVERS.test(word));
        if (
          count === 0 ||
          tensor === undefined ||
          !serves ||
          words.some((word) => word.startsWith('--distributed-executor'))
        ) {
          continue;
        }
        const ranks = tensor * (flagNumber(words, PIPELINE_FLAGS) ?? 1) * (flagNumber(words, DATA_FLAGS) ?? 1);
        if (ranks !== count) {
          say(
            container.value.args === undefined ? `${container.path}/command` : `${container.path}/args`,
            ranks > count
              ? `the server needs ${counted(ranks, nounOf(devices))}, but the container has ${count}`
              : `the server uses only ${ranks} of the ${counted(count, nounOf(devices))} in the container`,
            {
              expected: `${ranks === tensor ? '' : 'parallel sizes whose product is '}${count}`,
              fix: fixOfSizes(
                ranks === tensor ? '--tensor-parallel-size' : 'the product of the parallel sizes',
                ranks,
                count,
              ),
            },
          );
        }
      }
    },
  ),
];

/** A size that is not a power of two divides the attention heads of few models, so that the server does not start. */
function fixOfSizes(what: string, ranks: number, count: number): string {
  const isUsual = Number.isInteger(Math.log2(count));
  return isUsual
    ? `Set ${what} to ${count}, or the number of devices in resources.limits to ${ranks}.`
    : `Set the number of devices in resources.limits to ${ranks}, or ${what} to ${count} if the number of attention heads is a multiple of ${count}.`;
}
