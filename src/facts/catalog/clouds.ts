/**
 * What the clouds write on GPU nodes: accelerator labels, spot labels and taints, and resources of their own.
 *
 * Sources: kubernetes/autoscaler, cluster-autoscaler/cloudprovider (GPULabel of each provider); karpenter-provider-aws,
 * pkg/apis/v1/labels.go. What says `documents` comes from the vendor's documents and was not seen in code.
 */
import { frozen } from './frozen';
import { type TaintFact } from './taints';

/** Clouds, and other providers of nodes, in the catalog. */
export type CloudName =
  | 'gke'
  | 'eks'
  | 'aks'
  | 'ack'
  | 'tke'
  | 'baidu'
  | 'digitalocean'
  | 'ovh'
  | 'scaleway'
  | 'cluster-api';

/** What one cloud writes on GPU nodes. */
export interface CloudFacts {
  /** Short name of the cloud. */
  readonly cloud: CloudName;
  /** Name of the managed Kubernetes service, or of the provider. */
  readonly title: string;
  /** The node label that names the accelerator. */
  readonly gpuLabel: string;
  /** Values of that label, as far as known; others occur. */
  readonly gpuLabelValues: readonly string[];
  /** How spot nodes are labeled and tainted. Absent where no label is known. */
  readonly spot?: {
    /** Key of the label of spot nodes. */
    readonly label: string;
    /** Value of the label of spot nodes. */
    readonly value: string;
    /** Absent where spot nodes carry no taint. */
    readonly taint?: Pick<TaintFact, 'key' | 'value' | 'effect'>;
    /** Whether the cloud sets the taint, or you do. Absent where spot nodes carry no taint. */
    readonly taintBy?: 'cloud' | 'you';
    /** Seconds between the notice and the end of the node. Absent where no notice is documented. */
    readonly noticeSeconds?: number;
  };
  /** Other labels of accelerator nodes, each with its meaning. */
  readonly labels: Readonly<Record<string, string>>;
  /** The taint that the cloud itself sets on GPU nodes. Absent where it sets none. */
  readonly gpuTaint?: Pick<TaintFact, 'key' | 'value' | 'effect'>;
  /** Adds the GPU toleration to pods by itself (admission plugin ExtendedResourceToleration). */
  readonly addsToleration: boolean;
  /** Whether the facts were read in code, or in the vendor's documents alone. */
  readonly source: 'code' | 'documents' | 'code and documents';
}

/** What each cloud writes on GPU nodes, by cloud. */
export const CLOUDS: Readonly<Record<CloudName, CloudFacts>> = frozen({
  gke: {
    cloud: 'gke',
    title: 'Google Kubernetes Engine',
    gpuLabel: 'cloud.google.com/gke-accelerator',
    gpuLabelValues: [
      'nvidia-tesla-t4',
      'nvidia-l4',
      'nvidia-tesla-a100',
      'nvidia-a100-80gb',
      'nvidia-h100-80gb',
      'nvidia-h200-141gb',
      'nvidia-b200',
    ],
    spot: {
      label: 'cloud.google.com/gke-spot',
      value: 'true',
      taint: { key: 'cloud.google.com/gke-spot', value: 'true', effect: 'NoSchedule' },
      taintBy: 'you',
      noticeSeconds: 30,
    },
    labels: {
      'cloud.google.com/gke-gpu-partition-size': 'MIG profile of the node',
      'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing or mps',
      'cloud.google.com/gke-max-shared-clients-per-gpu': 'shares of each GPU',
      'cloud.google.com/gke-tpu-accelerator': 'TPU type',
      'cloud.google.com/gke-tpu-topology': 'TPU topology, for example 2x2x1',
    },
    gpuTaint: { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' },
    addsToleration: true,
    source: 'code and documents',
  },
  eks: {
    cloud: 'eks',
    title: 'Amazon EKS',
    gpuLabel: 'k8s.amazonaws.com/accelerator',
    gpuLabelValues: [],
    spot: { label: 'eks.amazonaws.com/capacityType', value: 'SPOT', noticeSeconds: 120 },
    labels: {
      'karpenter.k8s.aws/instance-gpu-name': 'GPU name, on nodes of Karpenter',
      'karpenter.k8s.aws/instance-gpu-count': 'GPUs of the node',
      'karpenter.k8s.aws/instance-gpu-memory': 'MiB of one GPU',
      'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia, amd, …',
      'karpenter.k8s.aws/instance-accelerator-name': 'inferentia, trainium, …',
      'karpenter.k8s.aws/instance-family': 'for example p5',
      'karpenter.sh/capacity-type': 'spot, on-demand or reserved',
    },
    addsToleration: false,
    source: 'code and documents',
  },
  aks: {
    cloud: 'aks',
    title: 'Azure Kubernetes Service',
    gpuLabel: 'kubernetes.azure.com/accelerator',
    gpuLabelValues: ['nvidia'],
    spot: {
      label: 'kubernetes.azure.com/scalesetpriority',
      value: 'spot',
      taint: { key: 'kubernetes.azure.com/scalesetpriority', value: 'spot', effect: 'NoSchedule' },
      taintBy: 'cloud',
      noticeSeconds: 30,
    },
    labels: { accelerator: 'older form of kubernetes.azure.com/accelerator' },
    addsToleration: false,
    source: 'code and documents',
  },
  ack: {
    cloud: 'ack',
    title: 'Alibaba Cloud Container Service',
    gpuLabel: 'aliyun.accelerator/nvidia_name',
    gpuLabelValues: [],
    labels: {
      'aliyun.accelerator/nvidia_mem': 'memory of one GPU',
      'aliyun.accelerator/nvidia_count': 'GPUs of the node',
      'ack.node.gpu.schedule': 'how GPUs are shared: default, cgpu, core_mem, share, mps',
      'ack.node.gpu.placement': 'binpack or spread',
    },
    addsToleration: false,
    source: 'code and documents',
  },
  tke: {
    cloud: 'tke',
    title: 'Tencent Kubernetes Engine',
    gpuLabel: 'cloud.tencent.com/tke-accelerator',
    gpuLabelValues: [],
    labels: {},
    addsToleration: false,
    source: 'code',
  },
  baidu: {
    cloud: 'baidu',
    title: 'Baidu CCE',
    gpuLabel: 'baidu/nvidia_name',
    gpuLabelValues: [],
    labels: {},
    addsToleration: false,
    source: 'code',
  },
  digitalocean: {
    cloud: 'digitalocean',
    title: 'DigitalOcean Kubernetes',
    gpuLabel: 'cloud.digitalocean.com/gpu-node',
    gpuLabelValues: [],
    labels: {},
    addsToleration: false,
    source: 'code',
  },
  ovh: {
    cloud: 'ovh',
    title: 'OVHcloud Managed Kubernetes',
    gpuLabel: 'node.kubernetes.ovhcloud.com/gpu',
    gpuLabelValues: [],
    labels: {},
    addsToleration: false,
    source: 'code',
  },
  scaleway: {
    cloud: 'scaleway',
    title: 'Scaleway Kapsule',
    gpuLabel: 'k8s.scw.cloud/gpu',
    gpuLabelValues: [],
    labels: {},
    addsToleration: false,
    source: 'code',
  },
  'cluster-api': {
    cloud: 'cluster-api',
    title: 'Cluster API',
    gpuLabel: 'cluster-api/accelerator',
    gpuLabelValues: [],
    labels: {},
    addsToleration: false,
    source: 'code',
  },
});

/** How nodes of Karpenter are bought, on every cloud that it serves. It sets the label and no taint. */
export const KARPENTER_CAPACITY = frozen({
  label: 'karpenter.sh/capacity-type',
  values: ['spot', 'on-demand', 'reserved'] as const,
});

/** A provider of spot nodes, which labels them: a cloud, or Karpenter on any cloud. */
export type SpotProvider = CloudName | 'karpenter';

/**
 * Returns how spot nodes are labeled, or `undefined` where no label is known. The notice of Karpenter's nodes is the
 * two minutes of AWS.
 */
export function spotFacts(provider: SpotProvider): CloudFacts['spot'] {
  return provider === 'karpenter'
    ? { label: KARPENTER_CAPACITY.label, value: 'spot', noticeSeconds: 120 }
    : CLOUDS[provider].spot;
}
