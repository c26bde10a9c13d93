/**
 * Why nodes do not take a pod, as clauses of a sentence.
 */
import { type BlockedNodes, type Constraint } from '../model/decision';

/** `5,000`: `Intl.NumberFormat` takes longer than the rest of a sentence. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

const REQUIRED = 'that the pod requires';

/** What nodes lack: as the object of "no node has …" and of "… nodes do not have …". */
const LACKING: Partial<Record<Constraint, (detail: string | undefined) => string>> = {
  resources: (detail = 'resources') => `enough free ${detail === 'cpu' ? 'CPU' : detail}`,
  devices: (detail = 'devices') => `enough free ${detail}`,
  'device-model': (detail = REQUIRED) => `the device model ${detail}`,
  'device-memory': (detail = 'a device') => `${detail} with enough memory`,
  'mig-profile': (detail = REQUIRED) => `a device with the MIG profile ${detail}`,
  'reported-memory': () => 'enough free device memory, as reported',
  'capacity-filter': () => 'enough free devices within the thresholds of the capacity filters',
  'node-name': (detail = REQUIRED) => `the name ${detail}`,
  'node-selector': (detail = REQUIRED) => `the label ${detail}`,
  'host-ports': () => 'the host ports of the pod free',
};

interface Failing {
  /** For no node at all; left out where nodes that fail are counted in any case. */
  readonly none?: string;
  readonly some: string;
}

const FAILING: Partial<Record<Constraint, (detail: string) => Failing>> = {
  'not-offered': (detail) => ({ none: `no node offers${detail}`, some: `do not offer${detail}` }),
  taints: (detail) => ({ some: `have the taint${detail}, which the pod does not tolerate` }),
  'not-ready': () => ({ none: 'no node is ready', some: 'are not ready' }),
  unschedulable: () => ({ some: 'are cordoned' }),
  'volume-affinity': () => ({ none: "no node can use the pod's volumes", some: "cannot use the pod's volumes" }),
  'node-affinity': (detail) => ({
    none: `no node matches the node affinity${detail}`,
    some: `do not match the node affinity${detail}`,
  }),
  'pod-affinity': () => ({
    none: "no node matches the pod's affinity to other pods",
    some: "do not match the pod's affinity to other pods",
  }),
  'pod-anti-affinity': () => ({ some: 'have pods that anti-affinity excludes' }),
  'topology-spread': () => ({
    none: 'no node satisfies the topology spread constraints',
    some: 'do not satisfy the topology spread constraints',
  }),
};

function clauses(constraint: Constraint, detail: string | undefined): Failing {
  const object = LACKING[constraint]?.(detail);
  return object === undefined
    ? (FAILING[constraint]?.(detail === undefined ? '' : ` ${detail}`) ?? { some: `do not satisfy ${constraint}` })
    : { none: `no node has ${object}`, some: `do not have ${object}` };
}

/** `no node has the label pool=training (0 of 5,000)`, `3 of 4 nodes do not have enough free nvidia.com/gpu`. */
export function obstacleText({ constraint, detail, nodes }: BlockedNodes, total: number): string {
  const { none, some } = clauses(constraint, detail);
  return nodes >= total && none !== undefined
    ? `${none} (0 of ${grouped(total)})`
    : `${grouped(nodes)} of ${grouped(total)} nodes ${some}`;
}
