/**
 * NCCL's environment for a kind of network. Nothing is set that NCCL finds out by itself: a wrong value is worse than none.
 *
 * Source: NVIDIA's list of NCCL environment variables.
 */
import { type EnvVar } from '../../facts/api/types/core/v1';
import { type NcclPathLevel } from '../../facts/catalog';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';
import { publicClass } from '../resources/public-class';

/** Options of every NCCL profile. */
export interface NcclOptions {
  /**
   * IP interface for bootstrap (and for data, where there is no RDMA). It does not choose the RDMA device.
   * @default - eth0 in the pod's own network; unset on the host network, where NCCL looks itself
   */
  readonly socketInterface?: string;
  /** `true` logs how NCCL chose its network (INFO, subsystems INIT and NET); logs grow fast. @default false: warnings only */
  readonly debug?: boolean;
  /** Further variables, which win over those of the profile. @default - none */
  readonly env?: Readonly<Record<string, string>>;
}

/** Options of NCCL profiles for networks with RDMA. */
export interface RdmaNcclOptions extends NcclOptions {
  /**
   * Devices for data, by their exact names (`mlx5_0`, or `mlx5_0:1` with a port).
   * @default - all that the pod sees, which is right where it only sees those for data
   */
  readonly hcas?: readonly string[];
  /** Greatest distance between GPU and network card at which data goes directly between them. @default - NCCL's choice */
  readonly gpuDirectLevel?: NcclPathLevel;
}

/** Options of NCCL profiles for RoCE. */
export interface RoceNcclOptions extends RdmaNcclOptions {
  /** Traffic class of the fabric's lossless queue (DSCP times 4, for example 106). Only what the network team says. @default - unset */
  readonly trafficClass?: number;
  /** Index of the GID of the RoCE device. @default - unset: NCCL finds the RoCE v2 index itself since 2.21 */
  readonly gidIndex?: number;
}

/**
 * The environment by which NCCL finds its network.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'train', {
 *   nodes: 2,
 *   image: 'registry.example.com/train:1',
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 *   nccl: NcclProfile.infiniband({ hcas: ['mlx5_0', 'mlx5_1'] }),
 * });
 */
@publicClass('NcclProfile')
export class NcclProfile implements PodPart {
  /** Uses InfiniBand for data. */
  static infiniband(options: RdmaNcclOptions = {}): NcclProfile {
    return new NcclProfile(options, rdmaVariables(options));
  }

  /** Uses RDMA over Converged Ethernet (RoCE) for data. */
  static roce(options: RoceNcclOptions = {}): NcclProfile {
    return new NcclProfile(options, {
      ...rdmaVariables(options),
      ...(options.trafficClass === undefined ? {} : { NCCL_IB_TC: String(options.trafficClass) }),
      ...(options.gidIndex === undefined ? {} : { NCCL_IB_GID_INDEX: String(options.gidIndex) }),
    });
  }

  /** TCP only: no RDMA device is used even where there is one. */
  static ethernet(options: NcclOptions = {}): NcclProfile {
    return new NcclProfile(options, { NCCL_IB_DISABLE: '1' });
  }

  /** Only the variables that are given. */
  static of(env: Readonly<Record<string, string>>): NcclProfile {
    return new NcclProfile({ env }, {}, true);
  }

  private constructor(
    private readonly options: NcclOptions,
    private readonly variables: Readonly<Record<string, string>>,
    private readonly bare = false,
  ) {}

  toPod(context: PodContext): PodContribution {
    return { env: this.environment(context) };
  }

  private environment({ hostNetwork }: PodContext): readonly EnvVar[] {
    const { socketInterface = hostNetwork ? undefined : 'eth0', debug, env } = this.options;
    const common: Record<string, string> = this.bare
      ? {}
      : {
          ...(socketInterface === undefined ? {} : { NCCL_SOCKET_IFNAME: socketInterface }),
          ...(debug ? { NCCL_DEBUG: 'INFO', NCCL_DEBUG_SUBSYS: 'INIT,NET' } : { NCCL_DEBUG: 'WARN' }),
        };
    return Object.entries({ ...common, ...this.variables, ...env }).map(([name, value]) => ({ name, value }));
  }
}

/** `=` makes the names exact: without it `mlx5_1` is also `mlx5_10`. */
function rdmaVariables({ hcas, gpuDirectLevel }: RdmaNcclOptions): Record<string, string> {
  if (hcas?.length === 0) {
    throw new Error('hcas must not be empty. Omit it for all devices, or list at least one, for example mlx5_0.');
  }
  return {
    ...(hcas === undefined ? {} : { NCCL_IB_HCA: `=${hcas.join(',')}` }),
    ...(gpuDirectLevel === undefined ? {} : { NCCL_NET_GDR_LEVEL: gpuDirectLevel }),
  };
}
