/**
 * Values of the charts, as far as a platform sets them. Every part is open: keys that are not listed are written unchanged.
 *
 * Sources: the values.yaml of volcano, kueue, kubeflow-trainer, and node-feature-discovery in the version of the catalog; the documents of
 * gpu-operator, keda, kube-prometheus-stack, and network-operator.
 */
import { type JsonValue } from '../../facts/api/schema';
import { type ResourceRequirements, type Toleration } from '../../facts/api/types/core/v1';

interface Open {
  readonly [value: string]: unknown;
}

interface Switch extends Open {
  readonly enabled?: boolean;
}

/** A part of the GPU operator. */
interface GpuOperand extends Switch {
  readonly repository?: string;
  readonly image?: string;
  readonly version?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

export interface GpuOperatorValues extends Open {
  /** `false` where node-feature-discovery runs already. */
  readonly nfd?: Switch;
  readonly cdi?: Switch & { readonly default?: boolean; readonly nriPluginEnabled?: boolean };
  readonly daemonsets?: Open & { readonly tolerations?: readonly Toleration[]; readonly priorityClassName?: string };
  readonly driver?: GpuOperand & {
    readonly kernelModuleType?: 'auto' | 'open' | 'proprietary';
    readonly usePrecompiled?: boolean;
    readonly rdma?: Switch & { readonly useHostMofed?: boolean };
    /** NVIDIADriver resources; the default one with `deployDefaultCR`. */
    readonly nvidiaDriverCRD?: Switch & { readonly deployDefaultCR?: boolean };
    /** The chart says `gpuPodDeletion` where the ClusterPolicy says `podDeletion`. */
    readonly upgradePolicy?: Open & {
      readonly autoUpgrade?: boolean;
      readonly gpuPodDeletion?: Open;
      readonly podDeletion?: never;
    };
  };
  readonly toolkit?: GpuOperand;
  readonly devicePlugin?: GpuOperand & {
    readonly config?: Open & {
      readonly name?: string;
      readonly default?: string;
      /** The chart makes the ConfigMap from `data`. */
      readonly create?: boolean;
      readonly data?: Readonly<Record<string, string>>;
    };
  };
  /** Empty: as each configuration of the device plugin says. The chart's default, `single`, wins over them. */
  readonly mig?: { readonly strategy?: 'none' | 'single' | 'mixed' | '' };
  readonly migManager?: GpuOperand;
  readonly gfd?: GpuOperand;
  readonly dcgm?: GpuOperand;
  readonly dcgmExporter?: GpuOperand;
  readonly gds?: GpuOperand;
  readonly gdrcopy?: GpuOperand;
}

export interface VolcanoValues extends Open {
  readonly basic?: Open & { readonly image_tag_version?: string; readonly image_registry?: string };
  readonly custom?: Open & {
    readonly scheduler_replicas?: number;
    readonly leader_elect_enable?: boolean;
    /** The text of the scheduler's configuration: `SchedulerConfiguration.text`. */
    readonly scheduler_config_override?: string;
    readonly admission_config_override?: string;
    readonly controller_config_override?: string;
    readonly enabled_admissions?: string;
    readonly scheduler_schedule_period?: string;
    readonly metrics_enable?: boolean;
  };
}

export interface KueueValues extends Open {
  readonly enablePrometheus?: boolean;
  readonly enableCertManager?: boolean;
  readonly controllerManager?: Open & {
    readonly featureGates?: readonly { readonly name: string; readonly enabled: boolean }[];
    readonly replicas?: number;
  };
  /** The text of Kueue's Configuration. */
  readonly managerConfig?: Open & { readonly controllerManagerConfigYaml?: string };
}

export interface KedaValues extends Open {
  readonly watchNamespace?: string;
  readonly operator?: Open & { readonly replicaCount?: number };
  readonly prometheus?: Open;
  readonly resources?: Open;
}

export interface TrainerValues extends Open {
  readonly crds?: Open;
  /** `install: false` where JobSet runs already. */
  readonly jobset?: Open & { readonly install?: boolean };
  readonly manager?: Open & { readonly replicas?: number; readonly resources?: ResourceRequirements };
  readonly runtimes?: Open;
}

export interface NetworkOperatorValues extends Open {
  /** `false` where node-feature-discovery runs already. */
  readonly nfd?: Switch & { readonly deployNodeFeatureRules?: boolean };
  readonly sriovNetworkOperator?: Switch;
  readonly operator?: Open;
}

export interface NfdValues extends Open {
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly priorityClassName?: string;
  readonly master?: Open;
  readonly worker?: Open & {
    readonly tolerations?: readonly Toleration[];
    readonly config?: Readonly<Record<string, JsonValue>>;
  };
}

export interface PrometheusValues extends Open {
  readonly prometheus?: Open & {
    readonly prometheusSpec?: Open & {
      /** `false`: ServiceMonitors are taken whatever release label they carry. */
      readonly serviceMonitorSelectorNilUsesHelmValues?: boolean;
      readonly podMonitorSelectorNilUsesHelmValues?: boolean;
      readonly ruleSelectorNilUsesHelmValues?: boolean;
      readonly retention?: string;
    };
  };
  readonly grafana?: Switch;
  readonly alertmanager?: Switch;
}

/** Values of the chart of the ROCm GPU operator. */
export interface RocmGpuOperatorValues extends Open {
  /** `false` where node-feature-discovery runs already. */
  readonly 'node-feature-discovery'?: Switch;
  /** Kernel Module Management, which builds drivers; `false` where it runs already. */
  readonly kmm?: Switch;
  readonly crds?: Open & {
    /** The DeviceConfig that the chart makes by itself; `install: false` where you write your own. */
    readonly defaultCR?: Open & { readonly install?: boolean; readonly upgrade?: boolean };
  };
  readonly remediation?: Switch;
}

/** Values of the chart of AWS Neuron. */
export interface NeuronValues extends Open {
  readonly devicePlugin?: Switch;
  /** The scheduler extension: beside a scheduler of its own (`my-scheduler`), or in the default one. */
  readonly scheduler?: Switch & { readonly customScheduler?: Switch; readonly defaultScheduler?: Switch };
  /** Node problem detector, which replaces broken nodes and needs permissions of AWS. */
  readonly npd?: Switch;
}

export interface ChartValues {
  readonly 'gpu-operator-charts': RocmGpuOperatorValues;
  readonly 'habana-ai-operator': Open;
  readonly 'neuron-helm-chart': NeuronValues;
  readonly 'gpu-operator': GpuOperatorValues;
  readonly 'network-operator': NetworkOperatorValues;
  readonly 'node-feature-discovery': NfdValues;
  readonly volcano: VolcanoValues;
  readonly kueue: KueueValues;
  readonly keda: KedaValues;
  readonly 'kubeflow-trainer': TrainerValues;
  readonly 'kube-prometheus-stack': PrometheusValues;
}
