/**
 * What Kubernetes knows of GPUs: devices that are missing, exporters that are silent, pods that wait.
 */
import { type AlertRecipe, NVIDIA_RESOURCES, OF_GPU_PODS } from './recipe';

const CAPACITY = `kube_node_status_capacity{resource=~"${NVIDIA_RESOURCES}"}`;
const ALLOCATABLE = `kube_node_status_allocatable{resource=~"${NVIDIA_RESOURCES}"}`;

export const GPU_DEVICE_ALERTS = {
  GpuDevicesMissing: {
    group: 'gpu-devices',
    severity: 'critical',
    for: 15,
    expr: () =>
      `(kube_node_labels{label_nvidia_com_gpu_present="true"} == 1) unless on (node) (sum by (node) (${ALLOCATABLE}) > 0)`,
    summary: '{{ $labels.node }} has GPUs, and offers none',
    description: 'The device plugin is not registered with the kubelet, or finds no healthy device.',
  },
  GpuDevicesUnhealthy: {
    group: 'gpu-devices',
    severity: 'warning',
    for: 10,
    expr: () => `sum by (node, resource) (${CAPACITY}) - sum by (node, resource) (${ALLOCATABLE}) > 0`,
    summary: '{{ $labels.node }} has taken {{ $value }} of {{ $labels.resource }} out of use',
    description:
      'The device plugin found devices unhealthy: capacity stays, allocatable falls. It takes them back only when it is started again.',
  },
  GpuExporterAbsent: {
    group: 'gpu-devices',
    severity: 'warning',
    for: 15,
    // Quiet where kube-state-metrics is at work and knows of no GPU: a cluster may scale to none.
    expr: (names) =>
      `absent(up{job="${names.options.exporterJob}"} == 1) unless on () ` +
      `(count(kube_node_status_capacity{resource="cpu"}) unless on () count(${CAPACITY}))`,
    summary: 'No metrics of any GPU arrive',
    description: 'The DCGM exporter does not run, ends over its list of counters, or nothing selects its Service.',
  },
  GpuNodeWithoutMetrics: {
    group: 'gpu-devices',
    severity: 'warning',
    for: 15,
    expr: (names) => `(sum by (node) (${CAPACITY}) > 0) unless on (node) count by (node) (${names.dcgm('GPU_TEMP')})`,
    summary: 'No metrics of the GPUs of {{ $labels.node }} arrive',
    description: "Every alert on GPUs is blind for this node. Look at the exporter's pod there.",
  },
  GpuPodsPending: {
    group: 'gpu-devices',
    severity: 'info',
    for: 30,
    threshold: { value: 0, unit: 'pods' },
    expr: (_, threshold) =>
      `count by (namespace) ((kube_pod_status_phase{phase="Pending"} == 1) and on (namespace, pod) (${OF_GPU_PODS})) > ${threshold}`,
    summary: '{{ $value }} pods of {{ $labels.namespace }} wait for GPUs',
    description: 'Gangs wait as a whole. Look at the queue first, then at the events of the pods.',
  },
} as const satisfies Readonly<Record<string, AlertRecipe>>;

/** Gangs that wait, by the engine that would admit them. */
export const GANG_ALERTS = {
  volcano: {
    group: 'gpu-devices',
    severity: 'info',
    for: 60,
    threshold: { value: 0, unit: 'jobs' },
    expr: (_, threshold) => `volcano_unschedule_job_count > ${threshold}`,
    summary: '{{ $value }} jobs of Volcano cannot be scheduled',
    description: 'See the events of their PodGroups: the quota of a queue, or too few nodes for the gang.',
  },
  kueue: {
    group: 'gpu-devices',
    severity: 'info',
    for: 60,
    threshold: { value: 0, unit: 'workloads' },
    expr: (_, threshold) => `sum by (cluster_queue) (kueue_pending_workloads{status="inadmissible"}) > ${threshold}`,
    summary: '{{ $value }} workloads of {{ $labels.cluster_queue }} cannot be admitted',
    description: 'They are not tried again before something changes: quota, flavors or topology do not fit them.',
  },
} as const satisfies Readonly<Record<string, AlertRecipe>>;
