/**
 * Labels and annotations of pod templates. (A Pod's own metadata is checked with that of every other object.)
 */
import { pointer } from '../../../manifests/pointer';
import { byteLength, qualifiedName } from '../../../manifests/values/name-syntax';
import { type Rule } from '../../rules/rule';
import { asObject } from '../../../manifests/read';
import { type PodView } from '../pod-view';
import { podRule, type Say } from '../server-rule';
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
      summary: "A pod template's labels must have valid keys and values.",
      fix: 'Set template.metadata.labels to valid label keys and values, or move long strings to annotations.',
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
      summary: "A pod template's annotations must have valid keys, and no more than 256 KiB in total.",
      fix: 'Rename the key in template.metadata.annotations, or move large data to a ConfigMap.',
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
        say(
          '/metadata/annotations',
          `the annotations must have no more than ${ANNOTATIONS_LIMIT} bytes, but have ${total}`,
          {
            expected: `at most ${ANNOTATIONS_LIMIT} bytes`,
          },
        );
      }
    },
  ),

  podRule(
    'security-annotation-valid',
    {
      concerns: ['annotations'],
      summary:
        'The deprecated seccomp and AppArmor annotations must name a profile, and a container of the pod, and must not contradict the fields.',
      fix: 'Set securityContext.seccompProfile and securityContext.appArmorProfile instead.',
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
            say(at, `"${value}" is not a valid seccomp profile`);
          }
        }
        if (!key.startsWith(APPARMOR)) {
          continue;
        }
        if (!pod.all.some(({ name }) => name === key.slice(APPARMOR.length))) {
          say(at, `unknown container "${key.slice(APPARMOR.length)}"`);
        }
        if (!['', 'runtime/default', 'unconfined'].includes(value) && !value.startsWith('localhost/')) {
          say(at, `"${value}" is not a valid AppArmor profile`);
        }
      }
      if (pod.isPod && asObject(pod.spec.os).name !== 'windows') {
        profilesAgree(pod, say);
      }
    },
  ),
];

/** What the annotation of each AppArmor profile says. */
const APPARMOR_VALUES: Readonly<Record<string, string>> = {
  Unconfined: 'unconfined',
  RuntimeDefault: 'runtime/default',
  Localhost: 'localhost/',
};

/** The annotation of a container and its field, or that of the pod, say the same. */
function profilesAgree(pod: PodView, say: Say): void {
  for (const { name, path, value } of pod.all) {
    const key = `${APPARMOR}${name}`;
    const annotation = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined;
    const own = asObject(value.securityContext).appArmorProfile;
    const profile = asObject(own ?? asObject(pod.spec.securityContext).appArmorProfile);
    const wanted =
      typeof profile.type === 'string' && Object.hasOwn(APPARMOR_VALUES, profile.type)
        ? APPARMOR_VALUES[profile.type]
        : undefined;
    if (typeof annotation !== 'string' || wanted === undefined) {
      continue;
    }
    const full = wanted === 'localhost/' ? `${wanted}${text(profile.localhostProfile)}` : wanted;
    if (annotation !== full) {
      const field = annotation.startsWith(wanted) ? 'localhostProfile' : 'type';
      say(
        `${path}/securityContext/appArmorProfile/${field}`,
        `${field} must match the annotation ${key}: ${JSON.stringify(annotation)}`,
        {
          expected: full,
        },
      );
    }
  }
}
