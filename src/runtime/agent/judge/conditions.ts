/**
 * What observations say about the node, as conditions in the manner of node-problem-detector: `True` is a problem.
 */
import { NODE_AGENT_CONDITIONS, type NodeAgentCondition } from '../../../facts/catalog/node-conditions';
import { type Observation } from '../observation';
import { devicesMissing } from './devices-missing';
import { type Finding } from './finding';
import { PluginWatch } from './plugin-watch';
import { RdmaWatch } from './rdma-watch';
import { Steady, type SteadyOptions } from './steady';
import { type ThrottledPod, ThrottlingWatch } from './throttling-watch';

export interface Condition {
  readonly type: NodeAgentCondition;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export interface Thresholds {
  /** Part of the CPU periods of a container, or of a pod, from which it counts as throttled. */
  readonly throttledRatio: number;
  /** Part of the last minute in which all tasks of the node waited for memory. */
  readonly memoryStall: number;
  /** Errors of one RDMA port from one observation to the next that are still normal. */
  readonly rdmaErrors: number;
}

export const DEFAULT_THRESHOLDS: Thresholds = { throttledRatio: 0.25, memoryStall: 0.1, rdmaErrors: 0 };

export interface Expected {
  /** Devices by resource: `nvidia.com/gpu` → 8. */
  readonly devices: ReadonlyMap<string, number>;
  /** RDMA ports with an active link. */
  readonly rdmaPorts?: number;
}

/** What the reason of each condition is while there is no problem. */
const FINE: Readonly<Record<NodeAgentCondition, readonly [reason: string, message: string]>> = {
  AcceleratorsMissing: ['AllDevicesPresent', 'All expected devices are allocatable'],
  AcceleratorUnhealthy: ['NoFaults', 'No device reports a fault'],
  RdmaDegraded: ['PortsHealthy', 'All RDMA ports that were active are still active, without errors'],
  CpuThrottled: ['LittleThrottling', 'No container is throttled often'],
  MemoryPressureStalled: ['NoStalls', 'Tasks rarely wait for memory'],
};

/** A flap of one sample is no news; a fault that a device reports does not go by itself. */
const STEADINESS: Readonly<Record<NodeAgentCondition, SteadyOptions>> = {
  AcceleratorsMissing: { confirm: 2, clear: 2 },
  AcceleratorUnhealthy: { confirm: 1, clear: 3 },
  RdmaDegraded: { confirm: 2, clear: 6 },
  CpuThrottled: { confirm: 3, clear: 6 },
  MemoryPressureStalled: { confirm: 2, clear: 6 },
};

export class Judge {
  private readonly steady = new Map(NODE_AGENT_CONDITIONS.map((type) => [type, new Steady(STEADINESS[type])]));
  private readonly lastProblem = new Map<NodeAgentCondition, Finding>();
  private readonly throttling: ThrottlingWatch;
  private readonly rdma: RdmaWatch;
  private readonly plugins = new PluginWatch();

  constructor(
    private readonly expected: Expected,
    private readonly thresholds: Thresholds = DEFAULT_THRESHOLDS,
  ) {
    this.throttling = new ThrottlingWatch(thresholds.throttledRatio);
    this.rdma = new RdmaWatch(thresholds.rdmaErrors, expected.rdmaPorts);
  }

  /** Of the last observation, pods with a CPU limit only. */
  get throttledPods(): readonly ThrottledPod[] {
    return this.throttling.pods;
  }

  /** @returns all conditions about which this node can say something, in the order of `NODE_AGENT_CONDITIONS` */
  judge(observation: Observation): readonly Condition[] {
    this.plugins.add(observation.plugins);
    const why = this.plugins.explanation(observation.plugins, this.expected.devices.keys());
    const findings: Readonly<Record<NodeAgentCondition, Finding | 'fine' | 'unknown' | 'none'>> = {
      AcceleratorsMissing: devicesMissing(observation, this.expected.devices, why),
      AcceleratorUnhealthy: unhealthy(observation),
      RdmaDegraded: this.rdma.add(observation.rdma),
      CpuThrottled: this.throttling.add(observation),
      MemoryPressureStalled: stalled(observation, this.thresholds.memoryStall),
    };
    return NODE_AGENT_CONDITIONS.flatMap((type) => {
      const finding = findings[type];
      return finding === 'none' ? [] : [this.conditionOf(type, finding)];
    });
  }

  private conditionOf(type: NodeAgentCondition, finding: Finding | 'fine' | 'unknown'): Condition {
    if (finding === 'unknown') {
      return { type, status: 'Unknown', reason: 'SourceFailed', message: 'The agent cannot read its source' };
    }
    if (finding !== 'fine') {
      this.lastProblem.set(type, finding);
    }
    const isBad = this.steady.get(type)!.add(finding !== 'fine');
    const problem = this.lastProblem.get(type);
    if (isBad && problem !== undefined) {
      return { type, status: 'True', ...problem };
    }
    const [reason, message] = FINE[type];
    return { type, status: 'False', reason, message };
  }
}

function unhealthy({ accelerators, failures }: Observation): Finding | 'fine' | 'unknown' | 'none' {
  if (accelerators === undefined) {
    return failures.some(({ source }) => source === 'accelerators') ? 'unknown' : 'none';
  }
  const faults = accelerators.flatMap(({ index, fault }) => (fault === undefined ? [] : [`device ${index}: ${fault}`]));
  return faults.length === 0 ? 'fine' : { reason: 'DeviceFault', message: faults.join('; ') };
}

function stalled({ pressure }: Observation, limit: number): Finding | 'fine' | 'none' {
  const full = pressure?.memory?.full;
  if (full === undefined) {
    return 'none';
  }
  const percent = Math.round(full.avg60 * 100);
  return full.avg60 < limit
    ? 'fine'
    : { reason: 'MemoryStall', message: `All tasks waited for memory in ${percent}% of the last minute` };
}
