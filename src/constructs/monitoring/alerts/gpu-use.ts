/**
 * How GPUs are used: idle in somebody's hands, or full.
 */
import { type AlertRecipe } from './recipe';

export const GPU_USE_ALERTS = {
  GpuAllocatedButIdle: {
    group: 'gpu-use',
    severity: 'info',
    for: 60,
    threshold: { value: 0.05, unit: 'of the time busy, over half an hour' },
    // Profiling metrics are not there on every GPU; where they are not, the utilization has to do.
    expr: (names, threshold) => {
      const [busy, used] = [names.dcgm('PROF_GR_ENGINE_ACTIVE'), names.dcgm('GPU_UTIL')];
      const held = `{${names.pod}!=""}`;
      const fallback = names.ratio('GPU_UTIL', `avg_over_time(${used}${held}[30m])`);
      return `(avg_over_time(${busy}${held}[30m]) < ${threshold}) or (${fallback} < ${threshold} unless on (UUID, GPU_I_ID) ${busy})`;
    },
    summary: 'A pod has held GPU {{ $labels.gpu }} of {{ $labels.node }} for hours and does not use it',
    description: 'Only GPUs that a pod holds count. A notebook, a hung job, or a loader that cannot keep up.',
  },
  GpuMemoryNearlyFull: {
    group: 'gpu-use',
    severity: 'warning',
    for: 10,
    optIn: true,
    threshold: { value: 0.95, unit: 'of the memory of the GPU' },
    expr: (names, threshold) => {
      const [used, free, reserved] = [names.dcgm('FB_USED'), names.dcgm('FB_FREE'), names.dcgm('FB_RESERVED')];
      return `${used} / ((${used} + ${free} + ${reserved}) > 0) > ${threshold}`;
    },
    summary: 'GPU {{ $labels.gpu }} of {{ $labels.node }} has {{ $value | humanizePercentage }} of its memory in use',
    description:
      'By design with inference servers, which take most of the memory at the start; a hint where several programs share a GPU.',
  },
} as const satisfies Readonly<Record<string, AlertRecipe>>;
