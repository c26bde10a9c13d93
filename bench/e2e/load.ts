/**
 * The load: nodes with eight devices, and gangs of mixed sizes whose pods ask for none, one, two or eight of them.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { node, pod, type PodShape, podTemplate } from '../../test/e2e/scheduler/manifests';
import { randomNumbers } from '../machine';
import { type ContenderName } from './contender';

/** Nodes that are ready as they are: nothing runs that would find out. */
export function readyNode(index: number): JsonObject {
  const made = node(nameOfNode(index), {
    labels: { 'topology.kubernetes.io/rack': `rack-${Math.floor(index / 20)}` },
  });
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Bench', message: 'no kubelet' }];
  return { ...made, status: { ...(made.status as JsonObject), conditions } };
}

export function nameOfNode(index: number): string {
  return `node-${String(index).padStart(5, '0')}`;
}

const SIZES = [1, 2, 4, 4, 8, 8, 16, 32, 64];
/** Devices of each pod of a gang. */
const DEVICES = [0, 1, 1, 1, 1, 1, 1, 2, 2];
/** Devices for each pod on the mean: seven eighths of what there is for ten pods on each node of eight devices. */
const MEAN_DEVICES = 0.7;

export interface LoadGang {
  readonly name: string;
  /** What some contenders need beside the pods, and path of its collection. */
  readonly group?: { readonly path: string; readonly object: JsonObject };
  readonly pods: readonly JsonObject[];
}

/** Gangs with together `pods` pods; equal seeds give equal gangs. */
export function gangsFor(
  contender: ContenderName,
  pods: number,
  seed: number,
  prefix = 'g',
  mean = MEAN_DEVICES,
): LoadGang[] {
  const random = randomNumbers(seed);
  const pick = (list: readonly number[]): number => list[Math.floor(random() * list.length)];
  const gangs: LoadGang[] = [];
  let devices = 0;
  for (let made = 0; made < pods;) {
    const size = Math.min(pick(SIZES), pods - made);
    const name = `${prefix}-${gangs.length}`;
    const wanted = pick(DEVICES);
    const gpus = (devices + wanted * size) / pods <= mean ? wanted : 0;
    devices += gpus * size;
    const template = podTemplate({
      gang: name,
      minimum: size,
      gpus,
      cpu: '2',
      labels: { group: name },
      ...membership(contender, name),
    });
    const group = groupOf(contender, name, size);
    gangs.push({
      name,
      ...(group !== undefined && { group }),
      pods: Array.from({ length: size }, (_, index): JsonObject => ({
        apiVersion: 'v1',
        kind: 'Pod',
        ...template,
        metadata: { ...(template.metadata as JsonObject), name: `${name}-${index}`, namespace: 'default' },
      })),
    });
    made += size;
  }
  return gangs;
}

/** How a pod says who places it, and with which others. */
function membership(contender: ContenderName, group: string): PodShape {
  switch (contender) {
    case 'Gantry':
      return {};
    case 'kube-scheduler':
      return { spec: { schedulerName: 'default-scheduler' } };
    case 'native gangs':
      return { spec: { schedulerName: 'default-scheduler', schedulingGroup: { podGroupName: group } } };
    case 'Volcano':
      return { spec: { schedulerName: 'volcano' }, annotations: { 'scheduling.k8s.io/group-name': group } };
  }
}

function groupOf(contender: ContenderName, name: string, size: number): LoadGang['group'] {
  const made = (groupVersion: string, spec: JsonObject): LoadGang['group'] => ({
    path: `/apis/${groupVersion}/namespaces/default/podgroups`,
    object: { apiVersion: groupVersion, kind: 'PodGroup', metadata: { name, namespace: 'default' }, spec },
  });
  switch (contender) {
    case 'Gantry':
    case 'kube-scheduler':
      return undefined;
    case 'native gangs':
      return made('scheduling.k8s.io/v1alpha2', { schedulingPolicy: { gang: { minCount: size } } });
    case 'Volcano':
      return made('scheduling.volcano.sh/v1beta1', { minMember: size, queue: 'default' });
  }
}

/** Pods that run before anything is measured: each has one device of its node, and comes with it. */
export function filler(nodes: number, each: number): readonly JsonObject[] {
  return Array.from({ length: nodes * each }, (_, index): JsonObject => {
    const made = pod(`filler-${index}`, { gpus: 1, cpu: '1' });
    const node = nameOfNode(Math.floor(index / each));
    const spec = { ...(made.spec as JsonObject), nodeName: node, schedulerName: 'nobody' };
    return { ...made, spec };
  });
}
