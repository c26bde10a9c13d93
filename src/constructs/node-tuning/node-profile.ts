/**
 * NodeProfile: one statement of a kind of node, from which its labels and taints follow, and the selector and tolerations of its pods.
 *
 * A taint does not attract pods, and a label does not repel them. A profile keeps label, taint, selector, and toleration together.
 */
import { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Taint, type Toleration } from '../../facts/api/types/core/v1';
import {
  acceleratorToleration,
  type ResourceName,
  type SpotProvider,
  spotFacts,
  type TaintEffect,
} from '../../facts/catalog';
import { GANTRY_PREFIX } from '../../facts/catalog/gantry-names';
import { NodeSelection, tolerationOf } from '../pods/node-selection';
import { type PodTemplate } from '../pods/pod-template';
import { isKubeletLabel, isReservedKey } from './node-labels';
import { publicClass } from '../resources/public-class';

/** The label that names the profile of a node. */
export const NODE_PROFILE_LABEL = `${GANTRY_PREFIX}node-profile`;
/** The label that says what the node is for. */
export const NODE_TIER_LABEL = `${GANTRY_PREFIX}tier`;

/** What nodes are for. */
export type NodeTier = 'training' | 'inference' | 'interactive' | 'system';

/** A taint as one states it; `value` where it has one. */
export interface NodeTaint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint. @default - no value */
  readonly value?: string;
  /** Effect of the taint. */
  readonly effect: TaintEffect;
}

/** Props of a NodeProfile. */
export interface NodeProfileProps {
  /** What the nodes are for, as a label: a pod that selects the profile goes nowhere else. @default - not stated */
  readonly tier?: NodeTier;
  /** The provider of these nodes, if they are spot nodes. @default - on-demand nodes */
  readonly spot?: SpotProvider;
  /** The accelerator resource of the nodes: they are kept for pods that ask for it. `false` for nodes without. @default nvidia.com/gpu */
  readonly accelerator?: ResourceName | false;
  /** Further labels. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Further taints. The GPU operator's DaemonSets must tolerate them: see `operatorTolerations`. @default - none */
  readonly taints?: readonly NodeTaint[];
  /** Taints that a controller removes when the node is ready: no pod tolerates them. @default - none */
  readonly startupTaints?: readonly NodeTaint[];
  /** Accelerators of a node, and its NUMA nodes. @default - pods are not checked against them */
  readonly devices?: {
    /** Number of devices of each node. */
    readonly perNode: number;
    /** NUMA nodes that the devices are spread over evenly. @default - not known */
    readonly numaNodes?: number;
  };
  /** The topology policy of the kubelet (`KubeletDropIn`). @default - pods are not checked against it */
  readonly topologyManager?: 'none' | 'best-effort' | 'restricted' | 'single-numa-node';
}

/** Seconds that the node itself needs of its notice. */
const SECONDS_FOR_NODE = 5;

/**
 * Source: kubernetes 1.36 (taints, --node-labels); catalog of clouds.
 *
 * @example
 * const h100 = new nodeTuning.NodeProfile('h100-training', { tier: 'training', devices: { perNode: 8, numaNodes: 2 } });
 * new batch.JobSet(chart, 'train', { jobs: [{ jobName: 'node', image, nodeSelection: h100.selection }] });
 */
@publicClass('nodeTuning.NodeProfile')
export class NodeProfile {
  /**
   * The template with no longer to end than a spot node's notice leaves, which is stated where it is less than Kubernetes' 30 seconds.
   *
   * @throws if the template states more
   */
  static withinNotice(spot: SpotProvider, template: PodTemplate): PodTemplate {
    const notice = spotFacts(spot)?.noticeSeconds;
    const stated = optionalSecondsOf('terminationGracePeriod', template.props.terminationGracePeriod);
    if (notice === undefined) {
      return template;
    }
    const most = notice - SECONDS_FOR_NODE;
    if (stated !== undefined && stated > most) {
      throw new Error(
        `terminationGracePeriod ${stated}s: must not exceed the ${most}s of notice that a spot node of ${spot} gives. Lower it, and write checkpoints during the work.`,
      );
    }
    return stated !== undefined || most >= 30
      ? template
      : template.with({ terminationGracePeriod: Duration.seconds(most) });
  }

  /** Labels that you put on the nodes. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels that the cloud puts there. */
  readonly givenLabels: Readonly<Record<string, string>>;
  /** Taints that you put on the nodes, startup taints apart. */
  readonly taints: readonly Taint[];
  /** Taints that the cloud puts there. */
  readonly givenTaints: readonly Taint[];
  /** Taints that are removed once the node is ready. */
  readonly startupTaints: readonly Taint[];

  /** @throws if a name or key cannot be one, a key is reserved, or no label of the cloud's spot nodes is known */
  constructor(
    /** Name of the profile. */
    readonly name: string,
    /** The props that the profile was made with. */
    readonly props: NodeProfileProps = {},
  ) {
    const { tier, accelerator = 'nvidia.com/gpu', labels = {}, taints = [], startupTaints = [] } = props;
    const spot = props.spot === undefined ? undefined : spotFacts(props.spot);
    if (props.spot !== undefined && spot === undefined) {
      throw new Error(`spot: no label of ${props.spot}'s spot nodes is known. Use labels and taints.`);
    }
    this.labels = { [NODE_PROFILE_LABEL]: name, ...(tier === undefined ? {} : { [NODE_TIER_LABEL]: tier }), ...labels };
    this.givenLabels = spot === undefined ? {} : { [spot.label]: spot.value };
    const spotTaint: readonly Taint[] = spot?.taint === undefined ? [] : [spot.taint];
    const given = spot?.taintBy === 'cloud';
    const keep: readonly Taint[] =
      accelerator === false
        ? []
        : [{ key: acceleratorToleration(accelerator).key, value: 'present', effect: 'NoSchedule' }];
    this.givenTaints = given ? spotTaint : [];
    this.taints = [...(given ? [] : spotTaint), ...keep, ...taints];
    this.startupTaints = startupTaints;
    this.checkKeys();
  }

  /** What a pod writes to come onto these nodes, and onto no others: labels and tolerations together. */
  get selection(): NodeSelection {
    return NodeSelection.tainted({ ...this.givenLabels, ...this.labels }, [...this.givenTaints, ...this.taints]);
  }

  /** The labels that a pod selects. */
  get nodeSelector(): Readonly<Record<string, string>> {
    return { ...this.givenLabels, ...this.labels };
  }

  /** Tolerations of all taints of the nodes. */
  get tolerations(): readonly Toleration[] {
    return [...this.givenTaints, ...this.taints].map(tolerationOf);
  }

  /**
   * What the DaemonSets of the GPU operator (and a tuner, and monitoring) need beside `nvidia.com/gpu`, which alone they tolerate by
   * themselves: without it there is no driver and no device on these nodes. Startup taints included, since it is they who end it.
   */
  get operatorTolerations(): readonly Toleration[] {
    return [...this.givenTaints, ...this.taints, ...this.startupTaints].map(tolerationOf);
  }

  /** Flags of the kubelet: the configuration file has no field for labels; taints are flags as well, so that the node registers with both. */
  get kubeletArguments(): readonly string[] {
    const labels = Object.entries(this.labels).map(([key, value]) => `${key}=${value}`);
    const taints = [...this.taints, ...this.startupTaints].map(taintText);
    return [
      `--node-labels=${labels.join(',')}`,
      ...(taints.length === 0 ? [] : [`--register-with-taints=${taints.join(',')}`]),
    ];
  }

  /** For nodes that are there already. A startup taint on a node that runs pods comes too late, so it is not among them. */
  kubectlCommands(...nodes: readonly string[]): readonly string[] {
    const labels = Object.entries(this.labels).map(([key, value]) => `${key}=${value}`);
    return nodes.flatMap((node) => [
      `kubectl label node ${node} --overwrite ${labels.join(' ')}`,
      ...(this.taints.length === 0
        ? []
        : [`kubectl taint node ${node} --overwrite ${this.taints.map(taintText).join(' ')}`]),
    ]);
  }

  /**
   * The template on these nodes. On spot nodes it gets no longer to end than the notice leaves.
   *
   * @throws if a pod asks for more devices than a node, or than a NUMA node under `single-numa-node`, has; or for more time to end
   */
  place(template: PodTemplate): PodTemplate {
    this.checkDevices(template.acceleratorCount);
    const { nodeSelection = [] } = template.props;
    const before: readonly NodeSelection[] = 'toPod' in nodeSelection ? [nodeSelection] : nodeSelection;
    const placed = template.with({ nodeSelection: [...before, this.selection] });
    return this.props.spot === undefined ? placed : NodeProfile.withinNotice(this.props.spot, placed);
  }

  private checkDevices(asked: number): void {
    const { devices, topologyManager } = this.props;
    if (devices === undefined || asked === 0) {
      return;
    }
    if (asked > devices.perNode) {
      throw new Error(
        `A pod requests ${asked} devices, but a node of ${this.name} has ${devices.perNode}. Request fewer devices in more pods.`,
      );
    }
    const perNuma = devices.perNode / (devices.numaNodes ?? 1);
    if (topologyManager === 'single-numa-node' && asked > perNuma) {
      throw new Error(
        `A pod requests ${asked} devices, but a NUMA node of ${this.name} has ${perNuma}: under single-numa-node it can never start. Use the policy restricted for such pods.`,
      );
    }
  }

  private checkKeys(): void {
    for (const [key, value] of Object.entries(this.labels)) {
      checkKey('label', key);
      if (!isKubeletLabel(key)) {
        throw new Error(
          `label "${key}": the kubelet must not set it, because kubernetes.io and k8s.io are reserved for Kubernetes. Use your own domain.`,
        );
      }
      checkValue('label', key, value);
    }
    for (const { key, value } of [...this.taints, ...this.startupTaints]) {
      checkKey('taint', key);
      if (isReservedKey(key) && !key.startsWith('readiness.k8s.io/') && !key.startsWith('node.kubernetes.io/')) {
        throw new Error(`taint "${key}": kubernetes.io and k8s.io are reserved for Kubernetes. Use your own domain.`);
      }
      if (value !== undefined) {
        checkValue('taint', key, value);
      }
    }
  }
}

/** `nvidia.com/gpu=present:NoSchedule` */
export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === undefined ? '' : `=${value}`}:${effect}`;
}

function checkKey(what: string, key: string): void {
  if (!/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key)) {
    throw new Error(`${what} "${key}" is not a valid key. Write domain/name, such as example.com/pool.`);
  }
}

function checkValue(what: string, key: string, value: string): void {
  if (!/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(value)) {
    throw new Error(
      `${what} ${key}: "${value}" is not a valid value. Use at most 63 letters, digits, "-", "_", and ".", beginning and ending with a letter or digit.`,
    );
  }
}
