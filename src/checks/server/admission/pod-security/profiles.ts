/**
 * Checks of the Pod Security Standards on profiles: SELinux, AppArmor, seccomp.
 *
 * Source: k8s.io/pod-security-admission 0.36, policy/check_*.go.
 */
import { oneOf } from '../../../../facts/words';
import { type Violation } from '../../../rules/rule';
import { pointer } from '../../../../manifests/pointer';
import { asObject, asString, isObject, stringEntries } from '../../../../manifests/read';
import { type SecuredPod, type Find, settersOf } from './secured-pod';

export const seLinux = (...types: readonly string[]): Find =>
  function* (pod) {
    for (const { security, path, name } of settersOf(pod)) {
      const options = asObject(security.seLinuxOptions);
      const allowedIn: readonly (readonly [string, readonly string[]])[] = [
        ['type', types],
        ['user', []],
        ['role', []],
      ];
      for (const [field, allowed] of allowedIn) {
        const value = asString(options[field]) ?? '';
        if (value !== '' && !allowed.includes(value)) {
          yield {
            path: `${path}/seLinuxOptions/${field}`,
            message: `${name} sets the SELinux ${field} ${value}`,
            found: value,
            expected: allowed.length === 0 ? 'unset' : oneOf(allowed),
          };
        }
      }
    }
  };

/** Types of profiles: of seccomp and of AppArmor. */
const PROFILES = ['RuntimeDefault', 'Localhost'];

function* profileTypes(pod: SecuredPod, field: string, words: string): Iterable<Violation> {
  for (const { security, path, name } of settersOf(pod)) {
    const profile = security[field];
    if (isObject(profile) && !PROFILES.includes(asString(profile.type) ?? '')) {
      yield {
        path: `${path}/${field}/type`,
        message: `${name} sets the ${words} ${asString(profile.type) ?? ''}`,
        found: profile.type ?? null,
        expected: oneOf(PROFILES),
      };
    }
  }
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export function* appArmor(pod: SecuredPod): Iterable<Violation> {
  yield* profileTypes(pod, 'appArmorProfile', 'AppArmor profile');
  for (const [key, value] of stringEntries(pod.metadata.annotations)) {
    if (key.startsWith(APP_ARMOR) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/')) {
      yield {
        path: pointer('/metadata/annotations', key),
        message: `the pod sets the AppArmor profile ${value}`,
        found: value,
        expected: 'runtime/default or localhost/<profile>',
      };
    }
  }
}

export const seccompBaseline: Find = (pod) => profileTypes(pod, 'seccompProfile', 'seccomp profile');

export function* seccompAnnotations({ metadata, containers }: SecuredPod): Iterable<Violation> {
  const annotations = asObject(metadata.annotations);
  const keys = [
    'seccomp.security.alpha.kubernetes.io/pod',
    ...containers.map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  for (const key of keys) {
    const value = Object.hasOwn(annotations, key) ? asString(annotations[key]) : undefined;
    if (value !== undefined && !/^(runtime\/default|docker\/default|localhost\/.*)$/s.test(value)) {
      const path = pointer('/metadata/annotations', key);
      yield { path, message: `the pod sets the seccomp profile ${value}`, found: value, expected: 'runtime/default' };
    }
  }
}

export function* seccompRestricted(pod: SecuredPod): Iterable<Violation> {
  yield* seccompBaseline(pod);
  const ofPod = asString(asObject(pod.security.seccompProfile).type) ?? '';
  for (const { security, path, name } of pod.containers) {
    if (!isObject(security.seccompProfile) && !PROFILES.includes(ofPod)) {
      yield {
        path: `${path}/securityContext`,
        message: `the container "${name}" has no seccomp profile`,
        expected: 'seccompProfile: { type: RuntimeDefault }',
      };
    }
  }
}
