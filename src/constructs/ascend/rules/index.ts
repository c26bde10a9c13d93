/**
 * What Ascend's device plugin and Volcano's NPU plugin require of pods.
 */
import { oneOf } from '../../../facts/words';
import { type Rule } from '../../../checks/rules/rule';
import { cite } from '../../../facts/upstream';
import { askedByPod, domainAdvice, nodeLabelWanted } from '../../pods/rules/domain-advice';

const SOURCE = cite('ascend-mind-cluster');

interface Server {
  readonly npus: number;
  /** Counts that the plugin places. @default - any up to `npus` */
  readonly counts?: readonly number[];
}

/** NPUs of a node, by `accelerator-type`. */
const SERVERS: Readonly<Record<string, Server | undefined>> = {
  card: { npus: 2 },
  module: { npus: 8, counts: [1, 2, 4, 8] },
  half: { npus: 4, counts: [1, 2, 4] },
  'card-910b-2': { npus: 2 },
  'module-910b-8': { npus: 8 },
  'module-910b-16': { npus: 16 },
  'module-a3-8': { npus: 8 },
  'module-a3-16': { npus: 16 },
  'module-a3-16-super-pod': { npus: 16 },
};

/** Whether a server has a group of that many NPUs; `undefined` for an unknown server. */
function fits(server: Server | undefined, amount: number): boolean | undefined {
  return server && amount <= server.npus && (server.counts?.includes(amount) ?? true);
}

/** `huawei.com/Ascend910-2c`: a vNPU of a template; HAMi's `-memory` and `-core` are amounts. */
const VIRTUAL = /^huawei\.com\/Ascend(?:910|310P)-(?!memory$|core$)[a-z0-9.]+$/;

export const ascendRules: readonly Rule[] = [
  domainAdvice(
    'ascend',
    'count-of-server',
    {
      concerns: ['huawei.com/Ascend910'],
      severity: 'error',
      summary:
        'A pod must not request more NPUs than the server that it selects has, and on a server of two HCCS rings only 1, 2, 4, or 8.',
      why: 'The NPU plugin of Volcano finds no group of linked NPUs on any node: the pod stays pending.',
      source: `${SOURCE}, component/ascend-for-volcano/internal/npu`,
      fix: 'Set the limit huawei.com/Ascend910 to a number of NPUs that the server can allocate together, or split the work over several pods.',
    },
    (pod, say) => {
      const selected = nodeLabelWanted(pod, 'accelerator-type') ?? [];
      const servers = (selected.length === 0 ? Object.keys(SERVERS) : selected).map((type) =>
        Object.hasOwn(SERVERS, type) ? SERVERS[type] : undefined,
      );
      for (const { name, amount, path } of askedByPod(pod)) {
        // What an unknown server has is not known.
        if (
          name !== 'huawei.com/Ascend910' ||
          amount <= 0 ||
          servers.some((server) => fits(server, amount) !== false)
        ) {
          continue;
        }
        if (selected.length === 0) {
          const expected = `at most ${Math.max(...servers.map((server) => server?.npus ?? 0))}`;
          say(path, `no known Ascend server can allocate ${amount} NPUs to one pod`, { severity: 'warning', expected });
          continue;
        }
        const counts = servers.map((server) => server?.counts?.join(', ') ?? `1 to ${server?.npus ?? 0}`);
        const type = oneOf(selected.map((each) => `"${each}"`));
        say(path, `a server with accelerator-type ${type} cannot allocate ${amount} NPUs to one pod`, {
          expected: counts.join(' or '),
        });
      }
    },
  ),

  domainAdvice(
    'ascend',
    'one-virtual-npu',
    {
      severity: 'error',
      summary: 'A container must request exactly one vNPU of a template.',
      why: 'The device plugin allocates one vNPU to a container; the kubelet rejects the pod with UnexpectedAdmissionError.',
      source: `${SOURCE}, docs (virtual instances)`,
      fix: 'Set the resource in resources.limits to 1, or request a larger template or a whole NPU.',
    },
    (pod, say) => {
      for (const { name, amount, path } of askedByPod(pod)) {
        if (VIRTUAL.test(name) && amount > 1) {
          say(path, `the container requests ${amount} of ${name}, but a container can be allocated only one vNPU`, {
            found: amount,
            expected: '1',
          });
        }
      }
    },
  ),

  domainAdvice(
    'ascend',
    'one-kind-of-npu',
    {
      severity: 'error',
      summary: 'A pod must request only one kind of NPU.',
      why: 'A node has NPUs of one kind, so no node offers both resources: the pod stays pending.',
      source: `${SOURCE}, component/ascend-device-plugin`,
      fix: 'Remove one of the two resources from resources.limits, or request them in different pods.',
    },
    (pod, say) => {
      const kinds = new Map<string, string>();
      for (const { name, path } of askedByPod(pod)) {
        const [, kind] = /^huawei\.com\/(Ascend(?:910|310P|310))(?![A-Z0-9])/.exec(name) ?? [];
        if (kind !== undefined && !kinds.has(kind)) {
          kinds.set(kind, path);
        }
      }
      const [first, second] = [...kinds];
      if (first !== undefined && second !== undefined) {
        say(second[1], `the pod requests both ${first[0]} and ${second[0]} NPUs, which no node has together`, {
          expected: 'one kind of NPU',
        });
      }
    },
  ),
];
