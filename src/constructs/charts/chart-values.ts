/**
 * Values of the charts, as far as a platform sets them. Every part is open: keys that are not listed are written unchanged.
 *
 * Sources: the values.yaml of volcano, kueue, kubeflow-trainer, and node-feature-discovery in the version of the catalog; the documents of
 * gpu-operator, keda, kube-prometheus-stack, and network-operator.
 */
import { type JsonValue } from '../../facts/api/schema';
import { type ResourceRequirements, type Toleration } from '../../facts/api/types/core/v1';

/** Values of a chart beside those that are typed. */
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

/** Values of the chart of NVIDIA's GPU operator. */
export interface GpuOperatorValues extends Open {
  /** Whether the chart installs node-feature-discovery; `false` where it runs already. @default - the chart's value */
  readonly nfd?: Switch;
  /** How devices are injected into containers. @default - the chart's value */
  readonly cdi?: Switch & {
    /** Whether CDI is the default of the runtime `nvidia`. @default - the chart's value */
    readonly default?: boolean;
    /** Whether devices are injected by the Node Resource Interface. @default - the chart's value */
    readonly nriPluginEnabled?: boolean;
  };
  /** Settings of all DaemonSets of the operator. @default - the chart's value */
  readonly daemonsets?: Open & {
    /** Tolerations of the pods. @default - the chart's value */
    readonly tolerations?: readonly Toleration[];
    /** Name of the PriorityClass of the pods. @default - the chart's value */
    readonly priorityClassName?: string;
  };
  /** The NVIDIA driver on the nodes. @default - the chart's value */
  readonly driver?: GpuOperand & {
    /** Which kernel modules are built. @default - the chart's value */
    readonly kernelModuleType?: 'auto' | 'open' | 'proprietary';
    /** Whether precompiled kernel modules are used. @default - the chart's value */
    readonly usePrecompiled?: boolean;
    /** GPUDirect RDMA. @default - the chart's value */
    readonly rdma?: Switch & {
      /** Whether the network driver of the node is used. @default - the chart's value */
      readonly useHostMofed?: boolean;
    };
    /** Whether drivers come from NVIDIADriver resources. @default - the chart's value */
    readonly nvidiaDriverCRD?: Switch & {
      /** Whether the chart creates a default NVIDIADriver. @default - the chart's value */
      readonly deployDefaultCR?: boolean;
    };
    /** How drivers are upgraded. @default - the chart's value */
    readonly upgradePolicy?: Open & {
      /** Whether the operator upgrades drivers by itself. @default - the chart's value */
      readonly autoUpgrade?: boolean;
      /**
       * How pods with GPUs are deleted before an upgrade. The ClusterPolicy calls it `podDeletion`.
       * @default - the chart's value
       */
      readonly gpuPodDeletion?: Open;
      /** Not a value of the chart: use `gpuPodDeletion`. @default - not allowed */
      readonly podDeletion?: never;
    };
  };
  /** The container toolkit. @default - the chart's value */
  readonly toolkit?: GpuOperand;
  /** The plugin that counts GPUs as resources. @default - the chart's value */
  readonly devicePlugin?: GpuOperand & {
    /** The ConfigMap with the configurations of the device plugin. @default - the chart's value */
    readonly config?: Open & {
      /** Name of the ConfigMap. @default - the chart's value */
      readonly name?: string;
      /** Configuration of nodes without a label. @default - the chart's value */
      readonly default?: string;
      /** Whether the chart creates the ConfigMap from `data`. @default - the chart's value */
      readonly create?: boolean;
      /** Content of the ConfigMap that the chart creates. @default - the chart's value */
      readonly data?: Readonly<Record<string, string>>;
    };
  };
  /** MIG on all nodes. @default - the chart's value */
  readonly mig?: {
    /**
     * MIG strategy. The chart's default, `single`, takes precedence over each configuration of the device plugin; the
     * empty string leaves it to them.
     * @default - the chart's value
     */
    readonly strategy?: 'none' | 'single' | 'mixed' | '';
  };
  /** The component that divides GPUs into MIG instances. @default - the chart's value */
  readonly migManager?: GpuOperand;
  /** GPU feature discovery. @default - the chart's value */
  readonly gfd?: GpuOperand;
  /** DCGM as a pod of its own. @default - the chart's value */
  readonly dcgm?: GpuOperand;
  /** The exporter of GPU metrics. @default - the chart's value */
  readonly dcgmExporter?: GpuOperand;
  /** GPUDirect Storage. @default - the chart's value */
  readonly gds?: GpuOperand;
  /** The driver of GDRCopy, for low-latency copies to and from GPU memory. @default - the chart's value */
  readonly gdrcopy?: GpuOperand;
}

/** Values of Volcano's chart. */
export interface VolcanoValues extends Open {
  /** Images and ports. @default - the chart's value */
  readonly basic?: Open & {
    /** Tag of the images. @default - the chart's value */
    readonly image_tag_version?: string;
    /** Registry of the images. @default - the chart's value */
    readonly image_registry?: string;
  };
  /** Settings of the components. @default - the chart's value */
  readonly custom?: Open & {
    /** Number of schedulers. @default - the chart's value */
    readonly scheduler_replicas?: number;
    /** Whether several schedulers elect a leader. @default - the chart's value */
    readonly leader_elect_enable?: boolean;
    /** The scheduler's configuration as text: `SchedulerConfiguration.text`. @default - the chart's value */
    readonly scheduler_config_override?: string;
    /** The configuration of the webhooks as text. @default - the chart's value */
    readonly admission_config_override?: string;
    /** The configuration of the controllers as text. @default - the chart's value */
    readonly controller_config_override?: string;
    /** Webhooks that are on, separated by commas. @default - the chart's value */
    readonly enabled_admissions?: string;
    /** Time between two cycles of the scheduler, for example `1s`. @default - the chart's value */
    readonly scheduler_schedule_period?: string;
    /** Whether the chart installs metrics. @default - the chart's value */
    readonly metrics_enable?: boolean;
  };
}

/** Values of Kueue's chart. */
export interface KueueValues extends Open {
  /** Whether the chart creates a ServiceMonitor. @default - the chart's value */
  readonly enablePrometheus?: boolean;
  /** Whether cert-manager issues the certificates of the webhooks. @default - the chart's value */
  readonly enableCertManager?: boolean;
  /** Settings of the controller. @default - the chart's value */
  readonly controllerManager?: Open & {
    /** Feature gates to turn on or off. @default - the chart's value */
    readonly featureGates?: readonly { readonly name: string; readonly enabled: boolean }[];
    /** Number of controllers. @default - the chart's value */
    readonly replicas?: number;
  };
  /** The configuration of the controller. @default - the chart's value */
  readonly managerConfig?: Open & {
    /** Kueue's Configuration as text. @default - the chart's value */
    readonly controllerManagerConfigYaml?: string;
  };
}

/** Values of KEDA's chart. */
export interface KedaValues extends Open {
  /** The only namespace that KEDA watches. @default - the chart's value */
  readonly watchNamespace?: string;
  /** Settings of the operator. @default - the chart's value */
  readonly operator?: Open & {
    /** Number of operators. @default - the chart's value */
    readonly replicaCount?: number;
  };
  /** Metrics of the components. @default - the chart's value */
  readonly prometheus?: Open;
  /** Resources of the components. @default - the chart's value */
  readonly resources?: Open;
}

/** Values of Kubeflow Trainer's chart. */
export interface TrainerValues extends Open {
  /** Whether and how the chart installs its CRDs. @default - the chart's value */
  readonly crds?: Open;
  /** The JobSet chart that it depends on. @default - the chart's value */
  readonly jobset?: Open & {
    /** Whether JobSet is installed; `false` where it runs already. @default - the chart's value */
    readonly install?: boolean;
  };
  /** Settings of the controller. @default - the chart's value */
  readonly manager?: Open & {
    /** Number of controllers. @default - the chart's value */
    readonly replicas?: number;
    /** Resources of the controller. @default - the chart's value */
    readonly resources?: ResourceRequirements;
  };
  /** ClusterTrainingRuntimes that the chart installs. @default - the chart's value */
  readonly runtimes?: Open;
}

/** Values of the chart of NVIDIA's network operator. */
export interface NetworkOperatorValues extends Open {
  /** Whether the chart installs node-feature-discovery; `false` where it runs already. @default - the chart's value */
  readonly nfd?: Switch & {
    /** Whether the chart creates the NodeFeatureRules of the operator. @default - the chart's value */
    readonly deployNodeFeatureRules?: boolean;
  };
  /** Whether the chart installs the SR-IOV network operator. @default - the chart's value */
  readonly sriovNetworkOperator?: Switch;
  /** Settings of the operator. @default - the chart's value */
  readonly operator?: Open;
}

/** Values of the chart of node-feature-discovery. */
export interface NfdValues extends Open {
  /** Feature gates to turn on or off, by name. @default - the chart's value */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Name of the PriorityClass of the pods. @default - the chart's value */
  readonly priorityClassName?: string;
  /** Settings of the master. @default - the chart's value */
  readonly master?: Open;
  /** Settings of the workers, one on each node. @default - the chart's value */
  readonly worker?: Open & {
    /** Tolerations of the workers. @default - the chart's value */
    readonly tolerations?: readonly Toleration[];
    /** Configuration of the workers. @default - the chart's value */
    readonly config?: Readonly<Record<string, JsonValue>>;
  };
}

/** Values of the chart kube-prometheus-stack. */
export interface PrometheusValues extends Open {
  /** Settings of Prometheus. @default - the chart's value */
  readonly prometheus?: Open & {
    /** Spec of the Prometheus resource. @default - the chart's value */
    readonly prometheusSpec?: Open & {
      /** `false` selects ServiceMonitors whatever their release label is. @default - the chart's value */
      readonly serviceMonitorSelectorNilUsesHelmValues?: boolean;
      /** `false` selects PodMonitors whatever their release label is. @default - the chart's value */
      readonly podMonitorSelectorNilUsesHelmValues?: boolean;
      /** `false` selects PrometheusRules whatever their release label is. @default - the chart's value */
      readonly ruleSelectorNilUsesHelmValues?: boolean;
      /** How long series are kept, for example `10d`. @default - the chart's value */
      readonly retention?: string;
    };
  };
  /** Whether the chart installs Grafana. @default - the chart's value */
  readonly grafana?: Switch;
  /** Whether the chart installs Alertmanager. @default - the chart's value */
  readonly alertmanager?: Switch;
}

/** Values of the chart of the ROCm GPU operator. */
export interface RocmGpuOperatorValues extends Open {
  /** Whether the chart installs node-feature-discovery; `false` where it runs already. @default - the chart's value */
  readonly 'node-feature-discovery'?: Switch;
  /**
   * Whether the chart installs Kernel Module Management, which builds drivers; `false` where it runs already.
   * @default - the chart's value
   */
  readonly kmm?: Switch;
  /** What the chart creates of its CRDs. @default - the chart's value */
  readonly crds?: Open & {
    /** The DeviceConfig that the chart creates by itself. @default - the chart's value */
    readonly defaultCR?: Open & {
      /** Whether it is created; `false` where you write your own. @default - the chart's value */
      readonly install?: boolean;
      /** Whether an upgrade of the chart changes it. @default - the chart's value */
      readonly upgrade?: boolean;
    };
  };
  /** Whether broken nodes are remediated. @default - the chart's value */
  readonly remediation?: Switch;
}

/** Values of the chart of AWS Neuron. */
export interface NeuronValues extends Open {
  /** Whether the chart installs the device plugin. @default - the chart's value */
  readonly devicePlugin?: Switch;
  /**
   * The scheduler extension: with a scheduler of its own (`my-scheduler`), or in the default one.
   * @default - the chart's value
   */
  readonly scheduler?: Switch & {
    /** Whether the chart installs a scheduler of its own. @default - the chart's value */
    readonly customScheduler?: Switch;
    /** Whether the default scheduler is extended. @default - the chart's value */
    readonly defaultScheduler?: Switch;
  };
  /**
   * The node problem detector, which replaces broken nodes and needs permissions of AWS.
   * @default - the chart's value
   */
  readonly npd?: Switch;
}

/** Values of NVIDIA's DRA driver that matter to a platform. */
export interface DraDriverValues extends Open {
  /** Which devices the driver offers. @default - the chart's value */
  readonly resources?: {
    /** GPUs and MIG instances by claim. @default - the chart's value */
    readonly gpus?: Switch;
    /** Claims of a domain of nodes that share memory over NVLink. @default - the chart's value */
    readonly computeDomains?: Switch;
  };
  /** Confirms that GPUs are allocated by claim, which is not officially supported yet. @default false */
  readonly gpuResourcesEnabledOverride?: boolean;
}

/** The values of each known chart. */
export interface ChartValues {
  /** Values of the ROCm GPU operator. */
  readonly 'gpu-operator-charts': RocmGpuOperatorValues;
  /** Values of the Gaudi base operator. */
  readonly 'habana-ai-operator': Open;
  /** Values of the Neuron chart. */
  readonly 'neuron-helm-chart': NeuronValues;
  /** Values of NVIDIA's GPU operator. */
  readonly 'gpu-operator': GpuOperatorValues;
  /** Values of NVIDIA's DRA driver. */
  readonly 'dra-driver-nvidia-gpu': DraDriverValues;
  /** Values of NVIDIA's network operator. */
  readonly 'network-operator': NetworkOperatorValues;
  /** Values of node-feature-discovery. */
  readonly 'node-feature-discovery': NfdValues;
  /** Values of the Volcano chart. */
  readonly volcano: VolcanoValues;
  /** Values of the Kueue chart. */
  readonly kueue: KueueValues;
  /** Values of the KEDA chart. */
  readonly keda: KedaValues;
  /** Values of Kubeflow Trainer. */
  readonly 'kubeflow-trainer': TrainerValues;
  /** Values of the KubeRay operator. */
  readonly 'kuberay-operator': Open;
  /** Values of JobSet. */
  readonly jobset: Open;
  /** Values of LeaderWorkerSet. */
  readonly lws: Open;
  /** Values of Prometheus, Grafana, and Alertmanager. */
  readonly 'kube-prometheus-stack': PrometheusValues;
}
