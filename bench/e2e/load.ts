/**
 * The load: nodes with eight devices, and gangs of mixed sizes whose pods ask for none, one, two or eight of them.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { node, podTemplate } from '../../test/e2e/scheduler/manifests';
import { randomNumbers } from '../machine';
import { type ContenderName } from './contender';

/** Nodes that are ready as they are: nothing runs that would find out. */
export function readyNode(index: number): JsonObject {
  const made = node(`node-${String(index).padStart(5, '0')}`, {
    labels: { 'topology.kubernetes.io/rack': `rack-${Math.floor(index / 20)}` },
  });
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Bench', message: 'no kubelet' }];
  return { ...made, status: { ...(made.status as JsonObject), conditions } };
}

const SIZES = [1, 2, 4, 4, 8, 8, 16, 32, 64];
/** Devices of each pod of a gang. */
const DEVICES = [0, 1, 1, 1, 1, 1, 1, 2, 2];
/** Devices for each pod on the mean: seven eighths of what there is for ten pods on each node of eight devices. */
const MEAN_DEVICES = 0.7;

export interface LoadGang {
  readonly name: string;
  readonly pods: readonly JsonObject[];
}

/** Gangs with together `pods` pods; equal seeds give equal gangs. */
export function gangsFor(contender: ContenderName, pods: number, seed: number, prefix = 'g'): LoadGang[] {
  const random = randomNumbers(seed);
  const pick = (list: readonly number[]): number => list[Math.floor(random() * list.length)];
  const gangs: LoadGang[] = [];
  let devices = 0;
  for (let made = 0; made < pods;) {
    const size = Math.min(pick(SIZES), pods - made);
    const name = `${prefix}-${gangs.length}`;
    const wanted = pick(DEVICES);
    const gpus = (devices + wanted * size) / pods <= MEAN_DEVICES ? wanted : 0;
    devices += gpus * size;
    const template = podTemplate({
      gang: name,
      minimum: size,
      gpus,
      cpu: '2',
      labels: { group: name },
      spec: schedulerOf(contender),
    });
    gangs.push({
      name,
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

function schedulerOf(contender: ContenderName): JsonObject {
  return contender === 'gantry' ? {} : { schedulerName: 'default-scheduler' };
}
