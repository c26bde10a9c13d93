/**
 * GpuCluster: GPUs run by the DRA driver instead of the device plugin. Takes the place of a ClusterPolicy; drivers come from
 * NVIDIADriver resources.
 */
import { passed, passedList } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { GPUCluster, type GPUClusterSpec } from '../../facts/api/types/nvidia.com/v1alpha1';
import { type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { clusterMetadata, type ClusterObjectProps } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { clusterPolicySpec, type DaemonSetOptions, type DcgmExporterOptions } from './cluster-policy-spec';
import { type Operand, type OperandImage, renderOperand } from './operand';
import { publicClass } from '../resources/public-class';

/** Gates of the DRA driver; others are taken as well. */
export type DraFeatureGate =
  | 'TimeSlicingSettings'
  | 'MPSSupport'
  | 'DynamicMIG'
  | 'PassthroughSupport'
  | 'NVMLDeviceHealthCheck'
  | 'IMEXDaemonsWithDNSNames'
  | 'ComputeDomainCliques'
  | 'CrashOnNVLinkFabricErrors'
  | 'DeviceMetadata'
  | (string & {});

/**
 * Props of a GpuCluster.
 *
 * @beta
 */
export interface GpuClusterProps extends Omit<ClusterObjectProps, 'name'>, OperandImage {
  /** Sharing by claims needs TimeSlicingSettings or MPSSupport, both off by default. @default - the driver's defaults */
  readonly featureGates?: Readonly<Partial<Record<DraFeatureGate, boolean>>>;
  /** Multi-node NVLink. @default true */
  readonly computeDomains?: boolean;
  /** DCGM as a pod of its own. @default - the operator's defaults */
  readonly dcgm?: Operand;
  /** The DCGM exporter, which serves metrics. @default - the operator's defaults */
  readonly dcgmExporter?: DcgmExporterOptions;
  /** Settings of everything that the operator runs on GPU nodes. @default - the operator's defaults */
  readonly daemonSets?: DaemonSetOptions;
  /** Whatever has no property of its own: merged into the spec at the end, never dropped. @default - none */
  readonly overrides?: OpenPartial<GPUClusterSpec>;
}

/**
 * A GPUCluster (`nvidia.com/v1alpha1`): the DRA driver instead of the device plugin. A cluster has one, named
 * `gpu-cluster`.
 *
 * Rules: `gpu-operator/cluster-policy-or-gpu-cluster`. Source: gpu-operator, api/nvidia/v1alpha1.
 *
 * @beta
 *
 * @example
 * new gpuOperator.GpuCluster(chart, 'gpus', { computeDomains: true });
 */
@publicClass('gpuOperator.GpuCluster')
export class GpuCluster extends Construct {
  /** The GPUCluster object. */
  readonly resource: Resource<GPUCluster>;

  constructor(scope: Construct, id: string, props: GpuClusterProps = {}) {
    super(scope, id);
    const { featureGates, computeDomains, dcgm, dcgmExporter, daemonSets } = props;
    const common = clusterPolicySpec({ dcgmExporter, daemonSets }, {});
    const spec: GPUClusterSpec = {
      draDriver: {
        repository: passed(props.repository),
        image: passed(props.image),
        version: passed(props.version),
        imagePullPolicy: props.imagePullPolicy,
        imagePullSecrets: passedList(props.imagePullSecrets),
        featureGates: featureGates as Readonly<Record<string, boolean>> | undefined,
        computeDomains: computeDomains === undefined ? undefined : { enabled: computeDomains },
      },
      daemonsets: common.daemonsets,
      dcgm: dcgm && renderOperand(dcgm),
      dcgmExporter: dcgmExporter && common.dcgmExporter,
    };
    this.resource = new Resource(
      this,
      'Resource',
      GPUCluster,
      {
        metadata: clusterMetadata('gpu-cluster', props),
        spec,
      },
      props.overrides,
    );
    dependOn(this.resource, daemonSets?.priorityClass);
    const counters = dcgmExporter?.counters;
    if (Construct.isConstruct(counters)) {
      dependOn(this.resource, counters);
    }
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}
