/**
 * NvidiaDriver: a driver for some of the nodes. The operator reads NvidiaDrivers only if `driver.fromNvidiaDrivers` is set.
 */
import { Construct } from 'constructs';
import { type NodeAffinity, type Toleration } from '../../facts/api/types/core/v1';
import { NVIDIADriver, type NVIDIADriverSpec } from '../../facts/api/types/nvidia.com/v1alpha1';
import { type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { clusterMetadata, type ClusterObjectProps } from '../resources/object-props';
import { type NamedReference, nameOf, type PriorityClassReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { type DriverOptions, named, renderRdma, renderUpgrade } from './driver-options';
import { type Operand, renderOperand } from './operand';
import { publicClass } from '../resources/public-class';

/** Props of an NvidiaDriver. */
export interface NvidiaDriverProps extends Omit<DriverOptions, 'enabled'>, ClusterObjectProps {
  /** Nodes with all of these labels; no two drivers may select one node. @default - the driver of all nodes that no other selects */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Nodes of the driver, in the terms of node affinity. @default - every node that `nodeSelector` selects */
  readonly nodeAffinity?: NodeAffinity;
  /** Cannot be changed later. @default gpu */
  readonly driverType?: 'gpu' | 'vgpu' | 'vgpu-host-manager';
  /** GPUDirect Storage; from 2.17.5 on it needs open kernel modules. @default - off */
  readonly gds?: Operand;
  /** The driver of GDRCopy, for low-latency copies to and from GPU memory. @default - off */
  readonly gdrcopy?: Operand;
  /** License of NVIDIA vGPU. @default - none */
  readonly licensing?: {
    /** Secret with the client configuration. @default - none */
    readonly secret?: NamedReference<'Secret'>;
    /** Whether the license comes from NVIDIA License System. @default - the operator's own default */
    readonly nls?: boolean;
  };
  /** ConfigMap of the vGPU topology daemon. @default - none */
  readonly virtualTopology?: NamedReference<'ConfigMap'>;
  /** Tolerations of the pods of the driver. @default - the operator's own */
  readonly tolerations?: readonly Toleration[];
  /** Priority class of the pods. @default - the operator's default class, system-node-critical */
  readonly priorityClass?: PriorityClassReference;
  /** Whatever has no property of its own: merged into the spec at the end, never dropped. @default - none */
  readonly overrides?: OpenPartial<NVIDIADriverSpec>;
}

/**
 * Rules: `gpu-operator/driver-*`. Source: gpu-operator, internal/validator, api/nvidia/v1alpha1.
 *
 * @example
 * new gpuOperator.NvidiaDriver(chart, 'default', { version: '595.91.07' });
 * new gpuOperator.NvidiaDriver(chart, 'v100', { version: '535.247.01', nodeSelector: { 'example.com/pool': 'v100' } });
 */
@publicClass('gpuOperator.NvidiaDriver')
export class NvidiaDriver extends Construct {
  /** Name of the NVIDIADriver. */
  readonly name: string;
  /** The NVIDIADriver object. */
  readonly resource: Resource<NVIDIADriver>;

  constructor(scope: Construct, id: string, props: NvidiaDriverProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      NVIDIADriver,
      {
        metadata: clusterMetadata(id, props),
        spec: specOf(props),
      },
      props.overrides,
    );
    dependOn(this.resource, props.priorityClass);
  }
}

function specOf(props: NvidiaDriverProps): NVIDIADriverSpec {
  const {
    nodeSelector,
    rdma,
    upgrade,
    repoConfig,
    certConfig,
    kernelModuleConfig,
    secretEnv,
    licensing,
    virtualTopology,
  } = props;
  const selects = Object.keys(nodeSelector ?? {}).length > 0 || props.nodeAffinity !== undefined;
  return {
    ...renderOperand(props),
    driverType: props.driverType,
    kernelModuleType: props.kernelModuleType,
    usePrecompiled: props.usePrecompiled,
    nodeAffinity: props.nodeAffinity,
    tolerations: props.tolerations,
    priorityClassName: props.priorityClass?.name,
    default: selects ? undefined : true,
    nodeSelector,
    rdma: renderRdma(rdma),
    upgradePolicy: upgrade && renderUpgrade(upgrade),
    repoConfig: named(repoConfig),
    certConfig: named(certConfig),
    kernelModuleConfig: named(kernelModuleConfig),
    virtualTopologyConfig: named(virtualTopology),
    secretEnv: secretEnv === undefined ? undefined : nameOf(secretEnv),
    licensingConfig: licensing && {
      secretName: licensing.secret === undefined ? undefined : nameOf(licensing.secret),
      nlsEnabled: licensing.nls,
    },
    gds: props.gds && renderOperand(props.gds),
    gdrcopy: props.gdrcopy && renderOperand(props.gdrcopy),
  };
}
