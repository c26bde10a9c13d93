/**
 * A Node of Kubernetes as a node of the placement core. One object at a time, so that a scheduler can follow a watch.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { GANTRY_ACCELERATOR_CAPACITY, GANTRY_DEVICE_TOPOLOGY } from '../../../facts/catalog';
import { asArray, asObject, asString, stringEntries } from '../../../manifests/read';
import { type Amounts, type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Taint } from '../../../placement';
import { amountsOf } from '../../../manifests/pods/resource-amounts';
import { withTopology } from './device-topology';
import { type MigTerms, migTermsOf } from './mig-manager';
import { devicesOf, type NodeDevices } from './node-devices';
import { taintEffect } from './selectors';
import { labeledPool } from '../nodes/pools';

export interface NodeOptions {
  /**
   * Its domains on levels that are not labels, such as the tiers of HyperNodes.
   * @default - none
   */
  readonly domains?: Readonly<Record<string, string>>;
  /**
   * What is taken by something that is not among the pods.
   * @default - nothing
   */
  readonly used?: Amounts;
}

/** Pods that a kubelet takes unless it says otherwise. */
const DEFAULT_PODS = 110;

/** The node; a node without conditions counts as ready. */
export function nodeOf(node: JsonObject, { domains, used }: NodeOptions = {}): ClusterNode {
  const metadata = asObject(node.metadata);
  const spec = asObject(node.spec);
  const status = asObject(node.status);
  const allocatable = amountsOf(status.allocatable ?? status.capacity);
  allocatable.pods ??= DEFAULT_PODS;
  const mig = migTermsOf(node, Object.fromEntries(stringEntries(metadata.labels)), allocatable);
  const { labels } = mig;
  const taints = taintsOf(spec);
  const pool = labeledPool(labels);
  const annotations = asObject(metadata.annotations);
  const report = asString(annotations[GANTRY_ACCELERATOR_CAPACITY]);
  return {
    name: asString(metadata.name) ?? '',
    allocatable,
    ...(used !== undefined && { used }),
    labels,
    ...(pool !== undefined && { pool }),
    ...(domains !== undefined && { domains }),
    ...(taints.length > 0 && { taints }),
    ...(!isReady(status) && { ready: false }),
    ...(spec.unschedulable === true && { unschedulable: true }),
    ...devicesWith(mig, allocatable, asString(annotations[GANTRY_DEVICE_TOPOLOGY])),
    ...(report !== undefined && { capacityReport: report }),
  };
}

function devicesWith(
  { labels, devices, migConfigs, migChange }: MigTerms,
  allocatable: Amounts,
  topology: string | undefined,
): NodeDevices & Pick<ClusterNode, 'migConfigs' | 'migChange'> {
  return {
    ...(devices === undefined
      ? withTopology(devicesOf(allocatable, labels), topology, allocatable)
      : { devices, deviceResource: DEFAULT_DEVICE_RESOURCE }),
    ...(migConfigs !== undefined && { migConfigs }),
    ...(migChange !== undefined && { migChange }),
  };
}

function isReady(status: JsonObject): boolean {
  const ready = asArray(status.conditions)
    .map(asObject)
    .find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True';
}

export function taintsOf(spec: JsonObject): readonly Taint[] {
  return asArray(spec.taints)
    .map(asObject)
    .flatMap((taint): Taint[] => {
      const key = asString(taint.key);
      const value = asString(taint.value);
      const effect = taintEffect(taint.effect);
      return key === undefined || effect === undefined ? [] : [{ key, ...(value !== undefined && { value }), effect }];
    });
}
