/**
 * The kubelet's flags (KUBELET_EXTRA_ARGS, /etc/default/kubelet, kubeadm-flags.env): what became of them.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { pointer } from '../../../manifests/pointer';
import { text } from '../../../checks/server/values';
import { isKubeletLabel } from '../node-labels';
import { fileRule } from './files';
import { FIELD_OF_FLAG } from './kubelet-arguments-as-configuration';

/** Flags that a supported kubelet no longer has, and what does their work. */
const GONE: ReadonlyMap<string, string> = new Map([
  ['container-runtime', 'no flag, because every runtime is reached by its socket'],
  ['network-plugin', 'the configuration of the container runtime'],
  ['cni-bin-dir', 'the configuration of the container runtime'],
  ['cni-conf-dir', 'the configuration of the container runtime'],
  ['docker-endpoint', 'no flag, because the kubelet has not supported Docker since 1.24'],
  ['image-pull-progress-deadline', 'the configuration of the container runtime'],
  ['dynamic-config-dir', '--config with a file, and --config-dir for drop-ins'],
  ['register-schedulable', '--register-with-taints'],
  ['allow-privileged', 'the Pod Security level of the namespace'],
]);

export const kubeletArgumentRules: readonly Rule[] = [
  fileRule(
    'KubeletArguments',
    'kubelet-setting-in-file',
    {
      row: 'N1',
      tier: 'advice',
      severity: 'warning',
      summary: "Settings that the kubelet's configuration file supports must not be set with flags.",
      why: 'These flags are deprecated and silently override every file: a drop-in with another value has no effect.',
      source: `${cite('kubernetes')}, cmd/kubelet/app/options (AddKubeletConfigFlags); KEP-3983`,
      fix: 'Remove the flag, and set the field of KubeletConfiguration in a drop-in such as /etc/kubernetes/kubelet.conf.d/50-gpu.conf.',
    },
    function* ({ value }) {
      for (const [flag, said] of Object.entries(value)) {
        const field = FIELD_OF_FLAG.get(flag);
        if (field !== undefined) {
          yield {
            path: pointer('', flag),
            message: `--${flag} is deprecated`,
            fix: `Remove --${flag}, and set ${field} in a drop-in such as /etc/kubernetes/kubelet.conf.d/50-gpu.conf.`,
            found: said,
            expected: `${field} in KubeletConfiguration`,
          };
        }
      }
    },
  ),

  fileRule(
    'KubeletArguments',
    'kubelet-flag-exists',
    {
      row: 'N1',
      summary: 'A kubelet flag must still exist.',
      why: 'The kubelet does not start with an unknown flag.',
      source: 'kubernetes 1.24 and 1.27, release notes (removal of dockershim and its flags)',
      fix: "Remove the flag from the kubelet's arguments (KUBELET_EXTRA_ARGS).",
    },
    function* ({ value }) {
      for (const [flag, said] of Object.entries(value)) {
        const instead = GONE.get(flag);
        if (instead !== undefined) {
          yield {
            path: pointer('', flag),
            message: `the flag "--${flag}" was removed from the kubelet`,
            found: said,
            expected: instead,
          };
        }
      }
    },
  ),

  fileRule(
    'KubeletArguments',
    'kubelet-may-set-label',
    {
      row: 'K7',
      summary:
        'Labels in --node-labels must be outside kubernetes.io and k8s.io, except for those that the kubelet may set (kubelet.kubernetes.io, node.kubernetes.io, and well-known labels).',
      why: 'The kubelet does not start: these domains are reserved, so that a node cannot assign a role to itself.',
      source: `${cite('kubernetes')}, cmd/kubelet/app/options (ValidateKubeletFlags); kubelet/pkg/apis/well_known_labels.go`,
      fix: 'Rename the label in --node-labels to one with a domain prefix such as example.com/, or remove it.',
    },
    function* ({ value }) {
      for (const entry of text(value['node-labels'])
        .split(',')
        .filter((part) => part !== '')) {
        const key = entry.split('=', 1)[0].trim();
        if (!isKubeletLabel(key)) {
          yield {
            path: '/node-labels',
            message: `the kubelet must not set the label "${key}"`,
            found: entry,
            expected: 'a label such as example.com/pool',
          };
        }
      }
    },
  ),
];
