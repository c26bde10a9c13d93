/**
 * Contention for processors and memory of the host, in containers of pods that hold GPUs.
 */
import { type AlertRecipe, OF_GPU_PODS } from './recipe';

const CONTAINER = 'by (namespace, pod, container)';
const IN_GPU_PODS = `and on (namespace, pod) (${OF_GPU_PODS})`;
const NAMED = '{{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }}';

export const CONTENTION_ALERTS = {
  ContainerCpuThrottled: {
    group: 'contention',
    severity: 'warning',
    for: 15,
    threshold: { value: 0.25, unit: 'of the periods in which it wanted to run' },
    expr: (_, threshold) => {
      const sum = (metric: string): string => `sum ${CONTAINER} (rate(${metric}{container!=""}[5m]))`;
      return `(${sum('container_cpu_cfs_throttled_periods_total')} / (${sum('container_cpu_cfs_periods_total')} > 0) > ${threshold}) ${IN_GPU_PODS}`;
    },
    summary: `${NAMED} is throttled in {{ $value | humanizePercentage }} of its periods, and its GPU waits`,
    description:
      'The CPU limit is used up early in each period of 100 ms. Whole CPUs and a Guaranteed pod under the static CPU manager, or no limit.',
  },
  ContainerCpuWaiting: {
    group: 'contention',
    severity: 'info',
    for: 15,
    threshold: { value: 0.25, unit: 'of the time with a task that waits for a CPU (PSI)' },
    expr: (_, threshold) =>
      `(sum ${CONTAINER} (rate(container_pressure_cpu_waiting_seconds_total{container!=""}[5m])) > ${threshold}) ${IN_GPU_PODS}`,
    summary: `${NAMED} waits for a CPU {{ $value | humanizePercentage }} of the time`,
    description: 'With throttling: the limit. Without: the node is overcommitted.',
  },
  ContainerMemoryStalled: {
    group: 'contention',
    severity: 'warning',
    for: 10,
    threshold: { value: 0.1, unit: 'of the time with every task stalled on memory (PSI)' },
    expr: (_, threshold) =>
      `(sum ${CONTAINER} (rate(container_pressure_memory_stalled_seconds_total{container!=""}[5m])) > ${threshold}) ${IN_GPU_PODS}`,
    summary: `${NAMED} stalls on memory {{ $value | humanizePercentage }} of the time`,
    description: 'It reclaims its own pages: too small a limit, or a page cache and /dev/shm that count toward it.',
  },
  ContainerNearMemoryLimit: {
    group: 'contention',
    severity: 'info',
    for: 15,
    threshold: { value: 0.95, unit: 'of the limit' },
    expr: (_, threshold) => {
      const [used, limit] = ['container_memory_working_set_bytes', 'container_spec_memory_limit_bytes'].map(
        (metric) => `max ${CONTAINER} (${metric}{container!=""})`,
      );
      return `(${used} / (${limit} > 0) > ${threshold}) ${IN_GPU_PODS}`;
    },
    summary: `${NAMED} uses {{ $value | humanizePercentage }} of its memory limit`,
    description:
      'The next allocation may kill the whole container. Shared memory counts: loaders with many workers are the usual cause.',
  },
  // Not container_oom_events_total, which dies with the container that it counts for.
  ContainerOutOfMemory: {
    group: 'contention',
    severity: 'warning',
    keepFiringFor: 15,
    expr: () => {
      const killed = (metric: string): string => `max ${CONTAINER} (${metric}{reason="OOMKilled"}) > 0`;
      const restarted = `sum ${CONTAINER} (increase(kube_pod_container_status_restarts_total[10m])) > 0`;
      return (
        `((${killed('kube_pod_container_status_terminated_reason')}) or ((${killed('kube_pod_container_status_last_terminated_reason')}) ` +
        `and on (namespace, pod, container) (${restarted}))) ${IN_GPU_PODS}`
      );
    },
    summary: `${NAMED} was killed because of memory pressure`,
    description: 'The limit of the container, not of the node: every process of it is killed together.',
  },
  NodeMemoryStalled: {
    group: 'contention',
    severity: 'warning',
    for: 10,
    threshold: { value: 0.1, unit: 'of the time with every task stalled on memory (PSI)' },
    expr: (_, threshold) => `rate(node_pressure_memory_stalled_seconds_total[5m]) > ${threshold}`,
    summary: '{{ $labels.instance }} stalls on memory {{ $value | humanizePercentage }} of the time',
    description: 'Requests below what pods really use, or too little reserved for the system. The kubelet will evict.',
  },
} as const satisfies Readonly<Record<string, AlertRecipe>>;
