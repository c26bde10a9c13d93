/**
 * The node agent of a platform: one DaemonSet for each pool, with what the pool states, and the exporters of the vendors in the pools.
 */
import { type Construct } from 'constructs';
import { type AcceleratorVendor } from '../../facts/catalog';
import { NodeAgent, type NodeAgentProps, type NodeAgentVendor } from '../agent';
import { type GpuMonitoringProps } from '../monitoring';
import { NODE_PROFILE_LABEL } from '../node-tuning';
import { type PlatformPool } from './node-pool';

/** The exporters that the agent reads, by vendor; Neuron's has no state of single devices. */
const EXPORTERS: Readonly<Partial<Record<AcceleratorVendor, NodeAgentVendor>>> = {
  nvidia: 'nvidia',
  amd: 'amd',
  intel: 'gaudi',
  huawei: 'ascend',
  google: 'tpu',
};

export function platformAgent(
  scope: Construct,
  props: Omit<NodeAgentProps, 'pools'>,
  pools: readonly PlatformPool[],
  { monitoring }: { readonly monitoring?: GpuMonitoringProps | false },
): NodeAgent {
  const vendors = pools.flatMap(({ facts }) => EXPORTERS[facts.vendor] ?? []);
  return new NodeAgent(scope, 'node-agent', {
    exporters: Object.fromEntries(vendors.map((vendor) => [vendor, {}])),
    monitoring: monitoring === false ? false : { labels: monitoring?.labels },
    ...props,
    pools: pools.map(({ name, profile, devices }) => ({
      name,
      nodeSelector: { [NODE_PROFILE_LABEL]: profile.labels[NODE_PROFILE_LABEL] },
      devices: devices.perNode,
    })),
  });
}
