/**
 * Why nodes do not take a pod, as clauses of a sentence.
 */
import { type BlockedNodes, type Constraint } from './decision';

const COUNT = new Intl.NumberFormat('en-US');

/** What nodes lack: as the object of "no node has …" and of "… nodes do not have …". */
function lacking(constraint: Constraint, detail: string | undefined): string | undefined {
  switch (constraint) {
    case 'resources':
      return `enough free ${detail === 'cpu' ? 'CPU' : (detail ?? 'resources')}`;
    case 'devices':
      return `enough free ${detail ?? 'devices'}`;
    case 'device-model':
      return `the device model ${detail ?? 'that the pod requires'}`;
    case 'device-memory':
      return `${detail ?? 'a device'} with enough memory`;
    case 'mig-profile':
      return `a device with the MIG profile ${detail ?? 'that the pod requires'}`;
    case 'reported-memory':
      return `enough free device memory in its reports`;
    case 'node-name':
      return `the name ${detail ?? 'that the pod requires'}`;
    case 'node-selector':
      return `the label ${detail ?? 'that the pod requires'}`;
    case 'host-ports':
      return 'the host ports of the pod free';
    default:
      return undefined;
  }
}

/** The same for what is not a matter of having: for no node (empty: counted in any case), and for some nodes. */
function failing(constraint: Constraint, detail: string | undefined): readonly [none: string, some: string] {
  const of = detail === undefined ? '' : ` ${detail}`;
  switch (constraint) {
    case 'taints':
      return ['', `have the taint${of}, which the pod does not tolerate`];
    case 'not-ready':
      return ['no node is ready', 'are not ready'];
    case 'unschedulable':
      return ['', 'are cordoned'];
    case 'volume-affinity':
      return ["no node can use the pod's volumes", "cannot use the pod's volumes"];
    case 'node-affinity':
      return [`no node matches the node affinity${of}`, `do not match the node affinity${of}`];
    case 'pod-affinity':
      return ["no node matches the pod's affinity to other pods", "do not match the pod's affinity to other pods"];
    case 'pod-anti-affinity':
      return ['', 'have pods that anti-affinity excludes'];
    case 'topology-spread':
      return ['no node satisfies the topology spread constraints', 'do not satisfy the topology spread constraints'];
    default:
      return [`no node satisfies ${constraint}${of}`, `do not satisfy ${constraint}${of}`];
  }
}

/** `no node has the label pool=training (0 of 5,000)`, `3 of 4 nodes do not have enough free nvidia.com/gpu`. */
export function obstacleText({ constraint, detail, nodes }: BlockedNodes, total: number): string {
  const object = lacking(constraint, detail);
  const [none, some] =
    object === undefined ? failing(constraint, detail) : [`no node has ${object}`, `do not have ${object}`];
  if (nodes >= total && none !== '') {
    return `${none} (0 of ${COUNT.format(total)})`;
  }
  return `${COUNT.format(nodes)} of ${COUNT.format(total)} nodes ${some}`;
}
