/**
 * Whether the API server would admit a pod into a namespace: the plugins that are on by default, one after the other, on what a cluster
 * has. The rules report the same violations one plugin at a time; the tests hold this against a live server.
 */
import { allOf } from '../../../facts/words';
import { type JsonObject, type KubernetesMinor } from '../../../facts/api/schema';
import { type Violation } from '../../rules/rule';
import { kindAndName } from '../../../manifests/manifest';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { type Quantity } from '../../../manifests/values/quantity';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { containerAmounts, containersOf, hasPodLevelResources, podAmounts } from '../../../manifests/pods/pod-amounts';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { priorityClassName, priorityViolations, runtimeClassViolations, withOverhead } from './classes';
import { type ClusterContents, contentsFor } from './cluster-contents';
import { defaultLimitViolations, limitViolations } from './limit-ranges';
import { policyIn, type Quota } from './namespace-policy';
import { enforcedLevel, podSecurityViolations } from './pod-security';
import { type CountedPod, countsPod, podUse, unstatedAmounts } from './quotas';

export type AdmissionPlugin =
  | 'Priority'
  | 'LimitRanger'
  | 'Validation'
  | 'PodSecurity'
  | 'RuntimeClass'
  | 'ResourceQuota';

export interface AdmissionViolation extends Violation {
  /** What would reject the pod; `Validation` is the server's own code, which sees the pod after defaults. */
  readonly plugin: AdmissionPlugin;
}

interface PodLike {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** The pod as the quotas of its namespace count it. */
export function countedPod(spec: JsonObject, namespace: string, contents: ClusterContents): CountedPod {
  const { defaults } = policyIn(contents, namespace);
  const full = withOverhead(spec, contents);
  return {
    spec: full,
    defaults,
    amounts: podAmounts(full, defaults),
    priorityClass: priorityClassName(spec, contents),
  };
}

const countedTemplates = new WeakMap<PodTemplate, CountedPod>();

/** A pod of the template as the quotas of its namespace count it. Worked out once, since several rules ask. */
export function countedOf(template: PodTemplate, set: ManifestSet): CountedPod {
  let pod = countedTemplates.get(template);
  if (pod === undefined) {
    const { spec, manifest } = template;
    pod = countedPod(spec, manifest.id.namespace, contentsFor(set, manifest));
    countedTemplates.set(template, pod);
  }
  return pod;
}

/** Containers that do not state what a quota of the namespace demands. */
export function* unstatedViolations(pod: CountedPod, quotas: readonly Quota[]): Iterable<Violation> {
  if (hasPodLevelResources(pod.spec)) {
    return;
  }
  const counting = quotas.filter((quota) => countsPod(quota, pod));
  for (const { container, path } of containersOf(pod.spec)) {
    const amounts = containerAmounts(container, pod.defaults);
    for (const quota of counting) {
      const missing = unstatedAmounts(quota, amounts);
      if (missing.length > 0) {
        yield {
          path: `/spec${path}/resources`,
          message: `${allOf(missing)} must be set, because the ${kindAndName(quota.manifest.id)} limits ${missing.length === 1 ? 'it' : 'them'}`,
          expected: allOf(missing),
          fix: `Set ${allOf(missing)} in ${fieldOf(`/spec${path}/resources`)}, or add a LimitRange with defaults to the namespace.`,
        };
      }
    }
  }
}

/** Quotas that one pod alone exceeds. */
export function* quotaViolations(pod: CountedPod, quotas: readonly Quota[]): Iterable<Violation> {
  for (const quota of quotas.filter((one) => countsPod(one, pod))) {
    for (const [key, hard] of quota.hard) {
      const amount = podUse(key, pod.amounts);
      if (amount?.isGreaterThan(hard) === true) {
        yield {
          path: '/spec/containers',
          message: `a single pod exceeds the ${kindAndName(quota.manifest.id)} (${amount.toString()} > ${hard.toString()} ${key})`,
          found: amount.toString(),
          expected: `at most ${hard.toString()}`,
          fix: `${largerQuota(quota, key, amount)}, or decrease the requests of the pod.`,
        };
      }
    }
  }
}

/** `Set hard["requests.nvidia.com/gpu"] of the ResourceQuota "team" to at least 16`: the beginning of a fix. */
export function largerQuota({ manifest }: Quota, key: string, amount: Quantity): string {
  return `Set ${fieldOf(pointer('/hard', key))} of the ${kindAndName(manifest.id)} to at least ${amount.toString()}`;
}

/** Everything for which the server would reject the pod; nothing where it would admit it. */
export function* admissionViolations(
  { metadata, spec }: PodLike,
  namespace: string,
  contents: ClusterContents,
  kubernetes: KubernetesMinor,
): Iterable<AdmissionViolation> {
  const policy = policyIn(contents, namespace);
  const enforced = enforcedLevel(contents.namespaces.get(namespace), kubernetes);
  const pod = countedPod(spec, namespace, contents);
  const plugins: readonly (readonly [AdmissionPlugin, Iterable<Violation>])[] = [
    ['LimitRanger', limitViolations(spec, policy)],
    ['Validation', defaultLimitViolations(spec, policy)],
    ['PodSecurity', enforced === undefined ? [] : podSecurityViolations({ metadata, spec }, enforced)],
    ['Priority', priorityViolations(spec, contents)],
    ['RuntimeClass', runtimeClassViolations(spec, contents)],
    ['ResourceQuota', unstatedViolations(pod, policy.allQuotas)],
    ['ResourceQuota', quotaViolations(pod, policy.allQuotas)],
  ];
  for (const [plugin, violations] of plugins) {
    for (const { path, message, found, expected } of violations) {
      yield { plugin, path, message, found, expected };
    }
  }
}
