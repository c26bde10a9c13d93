/**
 * Labels and annotations of pod templates. (A Pod's own metadata is checked with that of every other object.)
 */
import { pointer } from '../../../manifests/pointer';
import { byteLength, qualifiedName } from '../syntax';
import { type Rule } from '../../rule';
import { podRule } from '../server-rule';
import { checkLabels } from '../selectors';
import { text } from '../values';

const ANNOTATIONS_LIMIT = 256 * 1024;
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

export const templateMetadataRules: readonly Rule[] = [
  podRule(
    'template-labels-valid',
    {
      concerns: ['labels'],
      summary: "A pod template's labels have valid keys and values.",
      fix: 'Correct the label; long or free text belongs into an annotation.',
    },
    (pod, say) => {
      if (!pod.isPod) {
        checkLabels(pod.metadata.labels, '/metadata/labels', say);
      }
    },
  ),

  podRule(
    'template-annotations-valid',
    {
      concerns: ['annotations'],
      summary: "A pod template's annotations have valid keys, and 256 KiB at most together.",
      fix: 'Correct the key; large data belongs into a ConfigMap.',
    },
    (pod, say) => {
      if (pod.isPod) {
        return;
      }
      let total = 0;
      for (const [key, value] of Object.entries(pod.annotations)) {
        total += byteLength(key) + byteLength(text(value));
        const complaint = qualifiedName(key.toLowerCase());
        if (complaint !== undefined) {
          say(pointer('/metadata/annotations', key), `the annotation key ${JSON.stringify(key)} must ${complaint}`);
        }
      }
      if (total > ANNOTATIONS_LIMIT) {
        say('/metadata/annotations', `the annotations are ${total} bytes long`, {
          expected: `at most ${ANNOTATIONS_LIMIT}`,
        });
      }
    },
  ),

  podRule(
    'security-annotation-valid',
    {
      concerns: ['annotations'],
      summary: 'The old seccomp and AppArmor annotations name a profile, and a container of the pod.',
      fix: 'Use securityContext.seccompProfile and appArmorProfile.',
    },
    (pod, say) => {
      for (const [key, value] of Object.entries(pod.annotations)) {
        if (typeof value !== 'string') {
          continue;
        }
        const at = pointer('/metadata/annotations', key);
        if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) {
          const local =
            value.startsWith('localhost/') &&
            !value.slice(10).startsWith('/') &&
            !value.slice(10).split('/').includes('..');
          if (!['runtime/default', 'docker/default', 'unconfined'].includes(value) && !local) {
            say(at, `"${value}" is no seccomp profile`);
          }
        }
        if (!key.startsWith(APPARMOR)) {
          continue;
        }
        if (!pod.all.some(({ name }) => name === key.slice(APPARMOR.length))) {
          say(at, `the pod has no container "${key.slice(APPARMOR.length)}"`);
        }
        if (!['', 'runtime/default', 'unconfined'].includes(value) && !value.startsWith('localhost/')) {
          say(at, `"${value}" is no AppArmor profile`);
        }
      }
    },
  ),
];
