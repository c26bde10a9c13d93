/**
 * Probes that end what they look after (row D20).
 */
import { type Rule } from '../../../checks/rules/rule';
import { asArray, asObject, asString } from '../../../manifests/read';
import { podAdvice, titleOf } from './advice';

export const probeRules: readonly Rule[] = [
  podAdvice(
    'liveness-asks-no-driver',
    {
      concerns: ['livenessProbe'],
      row: 'D20',
      severity: 'warning',
      summary: 'A liveness probe must not run nvidia-smi.',
      why: 'The driver answers slowly under load, and more so without persistence mode: a few slow answers terminate a healthy container. Also, the output of nvidia-smi shows nothing about the program.',
      fix: 'Set livenessProbe to a probe of the program itself, such as httpGet, and run nvidia-smi only in a startupProbe.',
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
          `the liveness probe runs nvidia-smi: the kubelet restarts ${titleOf(container)} when the driver is slow`,
          { expected: 'a probe of the program, or none' },
        );
      }
    },
  ),
];
