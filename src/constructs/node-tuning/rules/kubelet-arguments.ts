/**
 * The kubelet's flags (KUBELET_EXTRA_ARGS, /etc/default/kubelet, kubeadm-flags.env): what became of them.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rule';
import { pointer } from '../../../manifests/pointer';
import { text } from '../../../checks/server/values';
import { isKubeletLabel } from '../node-labels';
import { fileRule } from './files';
import { FIELD_OF_FLAG } from './kubelet-arguments-as-configuration';

/** Flags that a supported kubelet no longer has, and what does their work. */
const GONE: ReadonlyMap<string, string> = new Map([
  ['container-runtime', 'nothing: every runtime is reached by its socket'],
  ['network-plugin', 'the configuration of the container runtime'],
  ['cni-bin-dir', 'the configuration of the container runtime'],
  ['cni-conf-dir', 'the configuration of the container runtime'],
  ['docker-endpoint', 'nothing: the kubelet does not talk to Docker since 1.24'],
  ['image-pull-progress-deadline', 'the configuration of the container runtime'],
  ['dynamic-config-dir', 'a file, and --config-dir for what is laid over it'],
  ['register-schedulable', '--register-with-taints'],
  ['allow-privileged', 'pod security of the namespace'],
]);

export const kubeletArgumentRules: readonly Rule[] = [
  fileRule(
    'KubeletArguments',
    'kubelet-setting-in-file',
    {
      row: 'N1',
      tier: 'advice',
      severity: 'warning',
      summary: "What the kubelet's file can say stands there, not in flags.",
      why: 'These flags are deprecated, and win over every file without a word: a drop-in that says otherwise has no effect.',
      source: `${cite('kubernetes')}, cmd/kubelet/app/options (AddKubeletConfigFlags); KEP-3983`,
      fix: 'Write a drop-in, /etc/kubernetes/kubelet.conf.d/50-gpu.conf, and see /api/v1/nodes/NODE/proxy/configz for what the kubelet made of it.',
    },
    function* ({ value }) {
      for (const [flag, said] of Object.entries(value)) {
        const field = FIELD_OF_FLAG.get(flag);
        if (field !== undefined) {
          yield {
            path: pointer('', flag),
            message: `--${flag} is deprecated`,
            found: said,
            expected: `the field ${field} of KubeletConfiguration`,
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
      summary: 'The kubelet still has the flag.',
      why: 'The kubelet does not start with a flag that it does not know.',
      source: 'kubernetes 1.24 and 1.27, release notes (removal of dockershim and its flags)',
      fix: 'Take the flag out.',
    },
    function* ({ value }) {
      for (const [flag, said] of Object.entries(value)) {
        const instead = GONE.get(flag);
        if (instead !== undefined) {
          yield {
            path: pointer('', flag),
            message: `the kubelet has no flag --${flag} any more`,
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
        'Labels of --node-labels lie outside kubernetes.io and k8s.io, but for those that the kubelet may set (kubelet.kubernetes.io, node.kubernetes.io and the well-known ones).',
      why: 'The kubelet does not start: these domains are reserved, and a node must not name itself into a role.',
      source: `${cite('kubernetes')}, cmd/kubelet/app/options (ValidateKubeletFlags); kubelet/pkg/apis/well_known_labels.go`,
      fix: 'Use a domain of your own, or have a controller set the label.',
    },
    function* ({ value }) {
      for (const entry of text(value['node-labels'])
        .split(',')
        .filter((part) => part !== '')) {
        const key = entry.split('=', 1)[0].trim();
        if (!isKubeletLabel(key)) {
          yield {
            path: '/node-labels',
            message: `the kubelet may not set the label ${key}`,
            found: entry,
            expected: 'a domain of your own, such as gantry.dev/pool',
          };
        }
      }
    },
  ),
];
