/**
 * Probes that end what they look after (row D20).
 */
import { type Rule } from '../../../checks/rule';
import { asArray, asObject, asString } from '../../../manifests/read';
import { podAdvice } from './advice';

export const probeRules: readonly Rule[] = [
  podAdvice(
    'liveness-asks-no-driver',
    {
      concerns: ['livenessProbe'],
      row: 'D20',
      severity: 'warning',
      summary: 'No liveness probe runs nvidia-smi.',
      why: 'The driver answers slowly when it is busy, and more so without persistence mode: a few slow answers end a container whose work was fine. And what nvidia-smi prints says nothing about the program.',
      fix: 'Ask the program itself; look at the GPU once, in a startupProbe with time, and leave its health to alerts on the node.',
      source: 'kubernetes 1.36, probes (a failed liveness probe restarts the container); NVIDIA driver persistence',
    },
    (pod, say) => {
      for (const container of pod.containers) {
        const exec = asObject(asObject(container.value.livenessProbe).exec);
        if (
          !asArray(exec.command).some((part) => /(^|[\s/;|&("'`])nvidia-smi($|[\s;|&)"'`])/.test(asString(part) ?? ''))
        ) {
          continue;
        }
        say(
          `${container.path}/livenessProbe/exec/command`,
          `the container "${container.name}" lives as long as nvidia-smi answers in time`,
          { expected: 'a probe of the program, or none' },
        );
      }
    },
  ),
];
