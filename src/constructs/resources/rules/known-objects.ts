/**
 * Names of objects that are not in the set, while others of the kind are.
 */
import { nearestOf } from '../../../facts/spelling';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { valueAt } from '../../../manifests/pointer';
import { namesOfKind } from '../../../manifests/references/placed-names';
import { type Reference } from '../../../manifests/references/references';
import { type SetRule } from '../../../checks/rules/rule';
import { nearObject } from '../../../checks/server/near-object';

const SOURCE = 'kubernetes 1.36, API conventions (references between objects)';

const VOLCANO_QUEUE = 'scheduling.volcano.sh/Queue';

/** Kinds whose references have rules of their own, which know what follows from a missing object. */
const KNOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'Node',
  'flow.volcano.sh/JobTemplate',
  'k8s.cni.cncf.io/NetworkAttachmentDefinition',
  'keda.sh/ClusterTriggerAuthentication',
  'keda.sh/TriggerAuthentication',
  'kueue.x-k8s.io/AdmissionCheck',
  'kueue.x-k8s.io/ClusterQueue',
  'kueue.x-k8s.io/LocalQueue',
  'kueue.x-k8s.io/ResourceFlavor',
  'kueue.x-k8s.io/Topology',
  'kueue.x-k8s.io/WorkloadPriorityClass',
  'resource.k8s.io/DeviceClass',
  'scheduling.k8s.io/PodGroup',
  'scheduling.k8s.io/PriorityClass',
  'scheduling.k8s.io/Workload',
  'scheduling.volcano.sh/PodGroup',
  'scheduling.x-k8s.io/PodGroup',
  'trainer.kubeflow.org/ClusterTrainingRuntime',
  'trainer.kubeflow.org/TrainingRuntime',
]);

/** Objects that every cluster has, or that a controller of Kubernetes makes. */
const IN_EVERY_CLUSTER: Readonly<Record<string, RegExp>> = {
  ConfigMap: /^(kube-root-ca\.crt|extension-apiserver-authentication)$/,
  Namespace: /^(default|kube-system|kube-public|kube-node-lease)$/,
  ServiceAccount: /^default$/,
  'rbac.authorization.k8s.io/ClusterRole': /^(system:.*|cluster-admin|admin|edit|view)$/,
  'rbac.authorization.k8s.io/Role': /^(system:.*|extension-apiserver-authentication-reader)$/,
  Service: /^kubernetes$/,
  'scheduling.volcano.sh/Queue': /^(default|root)$/,
};

/** Kinds of objects that most sets expect the cluster to have, even beside others of the kind. */
const ONLY_WHEN_NEAR: ReadonlySet<string> = new Set(['Namespace', 'Secret', 'storage.k8s.io/StorageClass']);

function isExpectedElsewhere({ kind, name }: Reference): boolean {
  return (
    KNOWN_ELSEWHERE.has(kind) || (Object.hasOwn(IN_EVERY_CLUSTER, kind) && IN_EVERY_CLUSTER[kind]?.test(name)) === true
  );
}

export const knownObjects: SetRule = {
  id: 'references/object-in-set',
  tier: 'advice',
  severity: 'info',
  on: 'set',
  summary: 'An object that another one names should be in the manifests, if they have others of its kind.',
  why: 'The object may exist in the cluster. A name that nearly matches another one in the manifests is most likely misspelled: the pod does not start, or the reference has no effect.',
  source: SOURCE,
  fix: 'Add the object with this metadata.name to the manifests, or make sure that it exists in the cluster.',
  *check({ set }) {
    // Many objects name the same object: each name is looked for once in each namespace.
    const nearest = new Map<string, string | undefined>();
    for (const manifest of set.manifests) {
      for (const reference of set.referencesFrom(manifest)) {
        if (reference.optional || reference.name === '' || isExpectedElsewhere(reference) || isVolcanoOwn(reference)) {
          continue;
        }
        if (set.resolve(reference) !== undefined) {
          continue;
        }
        const names = namesOfKind(set, reference.kind).inReachOf(reference.namespace);
        if (names.every(({ size }) => size === 0) || names.some((group) => group.has(reference.name))) {
          continue;
        }
        const key = `${reference.kind}\n${reference.namespace}\n${reference.name}`;
        if (!nearest.has(key)) {
          nearest.set(key, nearestOf(names, reference.name));
        }
        const other = nearest.get(key);
        // An object is not its own parent.
        const near =
          other === undefined || (other === manifest.id.name && kindKey(manifest.id) === reference.kind)
            ? undefined
            : nearObject(set, { ...reference, value: valueAt(manifest.object, reference.path) }, other);
        if (near === undefined && (ONLY_WHEN_NEAR.has(reference.kind) || isOwn(manifest, reference))) {
          continue;
        }
        const kind = reference.kind.split('/').at(-1) ?? '';
        yield {
          manifest,
          path: reference.path,
          message: `${kind} "${reference.name}" not found in these manifests`,
          found: reference.name,
          absent: reference,
          ...(near ?? {
            fix: `Add the ${kind} "${reference.name}" to the manifests, or make sure that it exists in the cluster.`,
          }),
        };
      }
    }
  },
};

/** The API groups of Volcano's own kinds. */
export const VOLCANO_GROUPS: readonly string[] = ['batch.volcano.sh', 'flow.volcano.sh', 'scheduling.volcano.sh'];

/** The queue in a spec of Volcano's own kinds has rules in the domain of Volcano. */
function isVolcanoOwn({ kind, from, path }: Reference): boolean {
  return kind === VOLCANO_QUEUE && VOLCANO_GROUPS.includes(from.id.group) && path.startsWith('/spec');
}

/** A StatefulSet may do without its Service. */
function isOwn(manifest: Manifest, { kind }: Reference): boolean {
  return kind === 'Service' && kindKey(manifest.id) === 'apps/StatefulSet';
}
