/**
 * Objects that one tenant could write to cost the scheduler time: each is different, so that what is found out about one says nothing of the next.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { pod, type PodShape } from '../../test/e2e/scheduler/manifests';

export interface HostileObject {
  readonly plural: 'pods' | 'podgroups' | 'queues';
  readonly object: JsonObject;
}

const GROUP = 'scheduling.k8s.io/group-name';

function group(name: string, spec: JsonObject): HostileObject {
  const metadata = { name, namespace: 'default' };
  return {
    plural: 'podgroups',
    object: { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'PodGroup', metadata, spec },
  };
}

function one(index: number, shape: PodShape): HostileObject {
  return { plural: 'pods', object: pod(`evil-${index}`, shape) };
}

function affinity(kind: 'podAffinity' | 'podAntiAffinity', labels: JsonObject): JsonObject {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } };
  return { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function nodeAffinity(matchExpressions: readonly JsonObject[]): JsonObject {
  const required = { nodeSelectorTerms: [{ matchExpressions: [...matchExpressions] }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
}

type Attack = (i: number) => readonly HostileObject[];

/** By what each tries. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  'devices that it was not given': (i) => [
    one(i, {
      gpus: 0,
      annotations: { 'gpu-fraction': '0.01', 'gpu-fraction-num-devices': '80', 'gantry.dev/devices': `0,1,${i}` },
      spec: { schedulerName: `nobody-${i}`, nodeName: `node-${String(i % 50).padStart(5, '0')}` },
    }),
  ],
  'a node that it was not given': (i) => [
    one(i, {
      gpus: 100 + i,
      handOver: true,
      annotations: { 'gantry.dev/node': 'node-00000', 'gantry.dev/devices': '0' },
    }),
  ],
  'names that look alike': (i) => [
    one(i, {
      gpus: 100 + i,
      annotations: { [GROUP]: `podgroup/x-${i}` },
      labels: { 'volcano.sh/task-spec': `evil-${i}` },
    }),
  ],
  'a minimum that no gang has': (i) => [
    group(`evil-${i}`, { minMember: 1_000_000 + i, minResources: { cpu: '1e999', 'nvidia.com/gpu': String(i) } }),
    one(i, { annotations: { [GROUP]: `evil-${i}` }, cpu: `${i}m` }),
  ],
  'a queue that is its own parent': (i) => [
    {
      plural: 'queues',
      object: {
        apiVersion: 'scheduling.volcano.sh/v1beta1',
        kind: 'Queue',
        metadata: { name: `evil-${i}` },
        spec: { parent: `evil-${i}`, weight: 1 },
      },
    },
    one(i, { queue: `evil-${i}`, cpu: `${i}m` }),
  ],
  'a queue that does not exist': (i) => [one(i, { queue: `none-${i}`, cpu: `${i}m` })],
  'more than any node has': (i) => [one(i, { gpus: 100 + i, cpu: `${i}m` })],
  'labels that no node has': (i) => [
    one(i, { cpu: `${i}m`, spec: nodeAffinity([{ key: 'constructor', operator: 'In', values: [`v${i}`] }]) }),
  ],
  'hundreds of requirements': (i) => [
    one(i, {
      cpu: `${i}m`,
      spec: nodeAffinity(Array.from({ length: 900 }, (_, k) => ({ key: `k${i}-${k}`, operator: 'Exists' }))),
    }),
  ],
  'a pod that does not exist beside it': (i) => [
    one(i, { gpus: 1, cpu: `${i}m`, spec: affinity('podAffinity', { evil: `none-${i}` }) }),
  ],
  'no pod of others beside it, and more than any node has': (i) => [
    one(i, { gpus: 100 + i, labels: { evil: `e${i}` }, spec: affinity('podAntiAffinity', { evil: `e${i + 1}` }) }),
  ],
  'amounts that are no numbers': (i) => [
    one(i, {
      gpus: 100 + i,
      annotations: {
        'gpu-memory': '1e308',
        'gantry.dev/gang-min-member': '999999999999999',
        'gantry.dev/expected-seconds': `${i}e300`,
      },
    }),
  ],
};

/** So many pods, with what belongs to them. */
export function hostileCrowd(pods: number): readonly HostileObject[] {
  const attacks = Object.values(ATTACKS);
  return Array.from({ length: pods }, (_, i) => attacks[i % attacks.length](i)).flat();
}
