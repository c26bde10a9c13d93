/**
 * PartitionProfiles: how AMD GPUs are partitioned, as named profiles that nodes choose by a label.
 */
import { Construct } from 'constructs';
import { ConfigMap } from '../../facts/api/types/core/v1';
import {
  type AcceleratorName,
  acceleratorNamed,
  type AmdComputeMode,
  type AmdMemoryMode,
  type AmdPartition,
} from '../../facts/catalog';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';
import { shown } from '../resources/quantities';
import { publicFunction } from '../../facts/calls/public-function';
import { oneOf } from '../../facts/words';

/** Node label by which a node chooses a profile. */
export const PARTITION_PROFILE_LABEL = 'dcm.amd.com/gpu-config-profile';

/** Key of the ConfigMap that the device config manager reads. */
const PARTITION_CONFIG_KEY = 'config.json';

/** Compute and memory mode of a partitioned GPU: `CPX/NPS4`. */
export type PartitionModes = `${AmdComputeMode}/${AmdMemoryMode}`;

/** How the GPUs of a node are partitioned. */
export interface PartitionProfile {
  /** Compute and memory mode of the GPUs. */
  readonly partition: PartitionModes;
  /** GPUs of a node that are partitioned. @default - all of them */
  readonly gpus?: number;
  /** GPUs of a node, by index, that are left alone. @default - none */
  readonly skipped?: readonly number[];
}

/** Props of PartitionProfiles. */
export interface PartitionProfilesProps extends NamespacedObjectProps, Overridable<ConfigMap> {
  /** The GPUs of the nodes, a name of the catalog in any spelling: decides which modes exist. */
  readonly gpu: AcceleratorName;
  /** The profiles by name; the name is the value of the node label `dcm.amd.com/gpu-config-profile`. */
  readonly profiles: Readonly<Record<string, PartitionProfile>>;
  /**
   * Services of systemd on the nodes that use the GPUs. They are stopped while the GPUs are partitioned.
   * @default - amd-metrics-exporter and gpuagent
   */
  readonly systemdServices?: readonly string[];
}

const SYSTEMD_SERVICES = ['amd-metrics-exporter', 'gpuagent'];

/**
 * The ConfigMap of the device config manager, which partitions the GPUs of every node that has the label.
 *
 * A node is partitioned while nothing uses its GPUs: taint it `amd-dcm=up:NoExecute`, label it, and remove the taint again.
 *
 * Rules: `amd-gpu/partition-*`. Source: ROCm gpu-operator, docs/dcm.
 *
 * @example
 * const profiles = new amdGpu.PartitionProfiles(chart, 'partitions', {
 *   namespace: 'kube-amd-gpu',
 *   gpu: 'MI300X',
 *   profiles: { whole: { partition: 'SPX/NPS1' }, slices: { partition: 'CPX/NPS4' } },
 * });
 * new amdGpu.DeviceConfig(chart, 'gpus', { partitions: profiles });
 * console.log(profiles.nodeLabels('slices')); // { 'dcm.amd.com/gpu-config-profile': 'slices' }
 */
@publicClass('amdGpu.PartitionProfiles')
export class PartitionProfiles extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly partitions: ReadonlyMap<string, AmdPartition>;

  /** @throws if the GPU is ambiguous or unknown, is not one of AMD, or does not have a mode */
  constructor(scope: Construct, id: string, props: PartitionProfilesProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.partitions = new Map(
      Object.entries(props.profiles).map(([name, { partition }]) => [name, partitionOf(props.gpu, partition)]),
    );
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(id, props),
        data: { [PARTITION_CONFIG_KEY]: `${JSON.stringify(configOf(props), null, 2)}\n` },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** The label of the nodes that have the profile. @throws if there is no profile of that name */
  nodeLabels(profile: string): Readonly<Record<string, string>> {
    this.partition(profile);
    return { [PARTITION_PROFILE_LABEL]: profile };
  }

  /** What a GPU with the profile becomes: devices of each GPU, and their resource name. @throws if there is no such profile */
  partition(profile: string): AmdPartition {
    const partition = this.partitions.get(profile);
    if (partition === undefined) {
      throw new Error(
        `${this.node.path}: unknown profile "${profile}"; must be ${oneOf([...this.partitions.keys()])}.`,
      );
    }
    return partition;
  }
}
/** The partition of a GPU in these modes. @throws if the GPU is ambiguous or unknown, or does not have them */
export const partitionOf = publicFunction(
  'amdGpu.partitionOf',
  (gpu: AcceleratorName, modes: PartitionModes): AmdPartition => {
    const facts = acceleratorNamed(gpu);
    const found = facts.partitions.find(({ compute, memory }) => `${compute}/${memory}` === modes);
    if (found === undefined) {
      const choices = facts.partitions.map(({ compute, memory }) => `${compute}/${memory}`).join(', ');
      throw new Error(
        `partition ${shown(modes)}: ${facts.name} ${choices === '' ? 'cannot be partitioned' : `has the modes ${choices}`}.`,
      );
    }
    return found;
  },
);

function configOf({ gpu, profiles, systemdServices = SYSTEMD_SERVICES }: PartitionProfilesProps): object {
  return {
    'gpu-config-profiles': Object.fromEntries(
      Object.entries(profiles).map(([name, { partition, gpus, skipped = [] }]) => {
        const { compute, memory } = partitionOf(gpu, partition);
        return [
          name,
          {
            ...(skipped.length === 0 ? {} : { skippedGPUs: { ids: skipped } }),
            profiles: [
              {
                computePartition: compute,
                memoryPartition: memory,
                ...(gpus === undefined ? {} : { numGPUsAssigned: gpus }),
              },
            ],
          },
        ];
      }),
    ),
    gpuClientSystemdServices: { names: systemdServices },
  };
}
