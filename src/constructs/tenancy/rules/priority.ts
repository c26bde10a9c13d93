/**
 * PriorityClasses: what a default for everybody does, names that lead nowhere, rungs that are one.
 */
import { type Rule } from '../../../checks/rules/rule';
import { quotedNames } from '../../../facts/spelling';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type Manifest } from '../../../manifests/manifest';
import { fieldOf } from '../../../manifests/pointer';
import { asInteger, asString } from '../../../manifests/read';

const PRIORITY_CLASS = 'scheduling.k8s.io/PriorityClass';
const PRIORITY_SOURCE = 'Kubernetes 1.36, plugin/pkg/admission/priority/admission.go';

interface Class {
  readonly manifest: Manifest;
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

function classesOf(set: ManifestSet): readonly Class[] {
  return set.ofKind(PRIORITY_CLASS).map((manifest) => ({
    manifest,
    name: manifest.id.name,
    value: asInteger(manifest.object.value) ?? 0,
    preemptionPolicy: asString(manifest.object.preemptionPolicy) ?? 'PreemptLowerPriority',
  }));
}

const globalDefaultDeliberate: Rule = {
  id: 'tenancy/global-default-deliberate',
  row: 'K8',
  on: 'object',
  kinds: [PRIORITY_CLASS],
  tier: 'advice',
  severity: 'warning',
  summary: 'A priority class that is the global default should have the value 0.',
  why: 'Every new pod in the cluster without a class, including controllers and add-ons, gets a higher priority than existing pods, which keep 0 and can be preempted by them.',
  source: PRIORITY_SOURCE,
  fix: 'Remove globalDefault, and set priorityClassName in the pods that need this priority, or suppress the rule.',
  *check(manifest, { set }) {
    if (manifest.object.globalDefault !== true) {
      return;
    }
    const value = asInteger(manifest.object.value) ?? 0;
    if (value === 0) {
      return;
    }
    const values = classesOf(set).map((other) => other.value);
    const place =
      values.length < 2
        ? ''
        : value === Math.min(...values)
          ? ', the lowest in these manifests,'
          : value === Math.max(...values)
            ? ', the highest in these manifests,'
            : '';
    yield {
      path: '/globalDefault',
      message: `globalDefault: true gives every new pod without a priority class the priority ${value}${place} instead of 0`,
      found: true,
      expected: 'globalDefault unset, or value 0',
    };
  },
};

const classDefined: Rule = {
  id: 'tenancy/priority-class-defined',
  on: 'object',
  kinds: ['*'],
  concerns: ['priorityClassName', 'priorityClass'],
  tier: 'advice',
  severity: 'warning',
  summary: 'A priority class that a pod uses must exist.',
  why: 'Pods that use a class that does not exist in the cluster are rejected.',
  source: PRIORITY_SOURCE,
  fix: 'Add the PriorityClass to the manifests, make sure that it exists in the cluster, or set priorityClassName to an existing one.',
  *check(manifest, { set }) {
    const said = new Set<string>();
    for (const reference of set.referencesFrom(manifest)) {
      if (reference.kind !== PRIORITY_CLASS || reference.name.startsWith('system-') || said.has(reference.name)) {
        continue;
      }
      if (set.resolve(reference) !== undefined) {
        continue;
      }
      said.add(reference.name);
      const names = classesOf(set).map(({ name }) => name);
      const defined = quotedNames(names);
      yield {
        path: reference.path,
        message: `PriorityClass "${reference.name}" not found in these manifests`,
        found: reference.name,
        expected: defined !== '' ? `${defined}, or a PriorityClass in the cluster` : 'a PriorityClass in the cluster',
        fix: `Add the PriorityClass "${reference.name}" to the manifests, make sure that it exists in the cluster, or set ${fieldOf(reference.path)} to an existing one.`,
        // Who defines no class at all relies on the cluster for all of them.
        severity: defined !== '' ? 'warning' : 'info',
      };
    }
  },
};

const classesDiffer: Rule = {
  id: 'tenancy/priority-values-differ',
  on: 'set',
  tier: 'advice',
  severity: 'info',
  summary: 'Priority classes should differ in value or preemption policy.',
  why: 'Classes with the same value are one class with two names: neither goes first.',
  source: 'Kubernetes 1.36, scheduling by spec.priority alone',
  fix: 'Set value to a different number in one of the two PriorityClasses, or remove one of them.',
  *check({ set }) {
    const first = new Map<string, Class>();
    for (const found of classesOf(set)) {
      const key = `${found.value} ${found.preemptionPolicy}`;
      const other = first.get(key);
      if (other === undefined) {
        first.set(key, found);
      } else if (other.name !== found.name) {
        yield {
          manifest: found.manifest,
          path: '/value',
          message: `the PriorityClasses "${found.name}" and "${other.name}" have the same value, ${found.value}`,
          found: found.value,
          expected: 'a different value',
        };
      }
    }
  },
};

export const priorityRules: readonly Rule[] = [globalDefaultDeliberate, classDefined, classesDiffer];
