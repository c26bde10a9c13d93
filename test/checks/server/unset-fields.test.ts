/**
 * What is said where a field is unset or empty: the field, rather than an empty string in quotes.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';
import { type Json, minimalPod, yaml } from './valid';

function said(manifest: Json): readonly (readonly [string, string | undefined])[] {
  return findingsOf(yaml(manifest), coreRules).map(({ message, fix }) => [message, fix]);
}

const binding = (roleRef: Json): Json => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'a', namespace: 'research' },
  roleRef,
});

test('an unset enum field is named, with its values', () => {
  expect(said(binding({ apiGroup: 'rbac.authorization.k8s.io', name: 'r' }))).toEqual([
    ['roleRef.kind must be set', 'Set roleRef.kind to Role or ClusterRole.'],
  ]);
});

test('a wrong value is still quoted', () => {
  expect(said(binding({ apiGroup: 'rbac', kind: 'Role', name: 'r' }))).toEqual([
    ['unsupported API group "rbac" in roleRef', 'Set roleRef.apiGroup to rbac.authorization.k8s.io.'],
  ]);
});

test('an unset name in a list is named with its index', () => {
  const pod = minimalPod();
  (pod.spec as Json).volumes = [{ emptyDir: {} }];
  expect(said(pod)).toEqual([['volumes[0].name must be set', 'Set volumes[0].name to a unique name.']]);
});

test('a misspelled resource and a negative amount get a fix of their own', () => {
  const pod = minimalPod();
  const [main] = (pod.spec as Json).containers as Json[];
  Object.assign(main, { resources: { limits: { cpus: 2, memory: '-1Gi', 'ephemeral-storage': '-1', 'a.io/b': -1 } } });
  expect(said(pod).map(([, fix]) => fix)).toEqual([
    'Set limits["a.io/b"] to 0 or more, for example 1.',
    'Rename the key "cpus" to "cpu".',
    'Set limits.ephemeral-storage to 0 or more, for example 64Gi.',
    'Set limits.memory to 0 or more, for example 64Gi.',
  ]);
});
