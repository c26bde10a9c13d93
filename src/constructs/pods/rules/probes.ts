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
      summary: 'A liveness probe must not run nvidia-smi.',
      why: 'The driver answers slowly under load, and more so without persistence mode: a few slow answers terminate a healthy container. Also, the output of nvidia-smi shows nothing about the program.',
      fix: 'Probe the program itself in livenessProbe, check the GPU once in a startupProbe with enough time, and monitor its health with alerts on the node.',
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
          `the container "${container.name}" is restarted if nvidia-smi does not answer in time`,
          { expected: 'a probe of the program, or none' },
        );
      }
    },
  ),
];
