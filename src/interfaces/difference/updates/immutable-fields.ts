/**
 * Fields that an update must not change, by kind: an apply that changes one fails.
 *
 * Sources: Kubernetes 1.36, the validation and the strategy of each kind; JobSet v0.12, pkg/webhooks/jobset_webhook.go; LeaderWorkerSet
 * v0.7, pkg/webhooks/leaderworkerset_webhook.go; Volcano, pkg/webhooks/admission/jobs/validate. The tests hold the kinds of Kubernetes
 * against a live server.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { type FieldChange } from '../fields';

/** Both states of an object. */
export interface Update {
  readonly before: Manifest;
  readonly after: Manifest;
}

interface ImmutableFields {
  /** The fields, by their JSON pointers. */
  readonly fields: RegExp;
  /** Fields among them that an update may change all the same. */
  readonly except?: RegExp;
  /**
   * Who rejects the update.
   * @default - the API server
   */
  readonly by?: string;
  /**
   * What the fields must not do.
   * @default 'must not change'
   */
  readonly must?: string;
  /** @default - in every state of the object */
  readonly when?: (before: JsonObject, after: JsonObject, change: FieldChange) => boolean;
}

const specOf = (object: JsonObject): JsonObject => asObject(object.spec);

/** Gates of a pod are removed one by one, and never added. */
function addsGate(before: JsonObject, after: JsonObject): boolean {
  const namesOf = (object: JsonObject): readonly (string | undefined)[] =>
    asArray(specOf(object).schedulingGates).map((gate) => asString(asObject(gate).name));
  const known = new Set(namesOf(before));
  return namesOf(after).some((name) => !known.has(name));
}

const POD_MUTABLE =
  /^\/spec\/((init)?containers\/\d+\/image|activeDeadlineSeconds|tolerations|terminationGracePeriodSeconds|schedulingGates)(\/|$)/i;

/** What a suspended Job that has not started may change in its template. */
const SUSPENDED_MUTABLE =
  /^\/spec\/template\/(metadata(\/(labels|annotations))?|spec\/(nodeSelector|affinity|tolerations|schedulingGates|((init)?containers)\/\d+\/resources))(\/|$)/i;

const SUSPENDED_JOB_SET_MUTABLE =
  /^\/spec\/replicatedJobs\/\d+\/template\/spec\/template\/(metadata(\/(labels|annotations))?|spec\/(nodeSelector|tolerations|schedulingGates))(\/|$)/;

const isFrozen = ({ immutable }: JsonObject): boolean => immutable === true;

/** An indexed Job may change both numbers together. */
function isElastic(before: JsonObject, after: JsonObject): boolean {
  const { completionMode } = specOf(before);
  const { completions, parallelism } = specOf(after);
  return completionMode === 'Indexed' && completions !== undefined && completions === parallelism;
}

/** A claim may ask for more, and never for less. */
function shrinks(before: JsonObject, after: JsonObject): boolean {
  const sizeOf = (object: JsonObject): ReturnType<typeof parseQuantity> => {
    const { storage } = asObject(asObject(specOf(object).resources).requests);
    return typeof storage === 'string' || typeof storage === 'number' ? parseQuantity(storage) : undefined;
  };
  const [old, now] = [sizeOf(before), sizeOf(after)];
  return old !== undefined && now?.isLessThan(old) === true;
}

/** A cluster IP is set or unset only together with the type ExternalName. */
function keepsAddress(before: JsonObject, after: JsonObject): boolean {
  const [old, now] = [specOf(before), specOf(after)];
  return [old.type, now.type].every((type) => type !== 'ExternalName') && asString(old.clusterIP) !== undefined;
}

const IMMUTABLE: Readonly<Record<string, readonly ImmutableFields[]>> = {
  ConfigMap: [{ fields: /^\/(data|binaryData|immutable)(\/|$)/, when: isFrozen }],
  PersistentVolumeClaim: [
    { fields: /^\/spec(\/|$)/, except: /^\/spec\/(resources|volumeAttributesClassName)(\/|$)/ },
    { fields: /^\/spec\/resources\/requests\/storage$/, must: 'must not decrease', when: shrinks },
  ],
  PersistentVolume: [
    { fields: /^\/spec\/(csi|fc|hostPath|iscsi|local|nfs|volumeMode)(\/|$)/ },
    { fields: /^\/spec\/nodeAffinity(\/|$)/, when: (before) => specOf(before).nodeAffinity !== undefined },
  ],
  Pod: [
    { fields: /^\/spec(\/|$)/, except: POD_MUTABLE },
    { fields: /^\/spec\/schedulingGates(\/|$)/, must: 'must only be removed', when: addsGate },
  ],
  ResourceQuota: [{ fields: /^\/spec\/scopes(\/|$)/ }],
  Secret: [{ fields: /^\/type$/ }, { fields: /^\/(data|stringData|immutable)(\/|$)/, when: isFrozen }],
  Service: [{ fields: /^\/spec\/clusterIP$/, when: keepsAddress }],
  'apiextensions.k8s.io/CustomResourceDefinition': [{ fields: /^\/spec\/(group|scope|names\/(kind|plural))$/ }],
  'apps/ControllerRevision': [{ fields: /^\/data(\/|$)/ }],
  'apps/DaemonSet': [{ fields: /^\/spec\/selector(\/|$)/ }],
  'apps/Deployment': [{ fields: /^\/spec\/selector(\/|$)/ }],
  'apps/ReplicaSet': [{ fields: /^\/spec\/selector(\/|$)/ }],
  'apps/StatefulSet': [
    {
      fields: /^\/spec(\/|$)/,
      except:
        /^\/spec\/(replicas|ordinals|template|updateStrategy|revisionHistoryLimit|persistentVolumeClaimRetentionPolicy|minReadySeconds)(\/|$)/,
    },
  ],
  'batch/Job': [
    {
      fields: /^\/spec\/(selector|completionMode|podFailurePolicy|successPolicy|backoffLimitPerIndex|managedBy)(\/|$)/,
    },
    { fields: /^\/spec\/completions$/, when: (before, after) => !isElastic(before, after) },
    {
      fields: /^\/spec\/template(\/|$)/,
      when: (before, _, { path }) => specOf(before).suspend !== true || !SUSPENDED_MUTABLE.test(path),
    },
  ],
  'batch.volcano.sh/Job': [
    {
      fields: /^\/spec(\/|$)/,
      except:
        /^\/spec\/(minAvailable|priorityClassName|tasks\/\d+\/(replicas|minAvailable)|volumes\/\d+\/volumeClaimName)$/,
      by: "Volcano's webhook",
    },
  ],
  'jobset.x-k8s.io/JobSet': [
    { fields: /^\/spec\/managedBy$/, by: "JobSet's webhook" },
    {
      fields: /^\/spec\/replicatedJobs(\/|$)/,
      by: "JobSet's webhook",
      when: (before, after, { path }) =>
        (specOf(before).suspend !== true && specOf(after).suspend !== true) || !SUSPENDED_JOB_SET_MUTABLE.test(path),
    },
  ],
  'leaderworkerset.x-k8s.io/LeaderWorkerSet': [
    { fields: /^\/spec\/leaderWorkerTemplate\/subGroupPolicy(\/|$)/, by: "LeaderWorkerSet's webhook" },
  ],
  'networking.k8s.io/IngressClass': [{ fields: /^\/spec\/controller$/ }],
  'node.k8s.io/RuntimeClass': [{ fields: /^\/handler$/ }],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [{ fields: /^\/roleRef(\/|$)/ }],
  'rbac.authorization.k8s.io/RoleBinding': [{ fields: /^\/roleRef(\/|$)/ }],
  'resource.k8s.io/ResourceClaim': [{ fields: /^\/spec(\/|$)/ }],
  'resource.k8s.io/ResourceClaimTemplate': [{ fields: /^\/spec(\/|$)/ }],
  'resource.k8s.io/ResourceSlice': [{ fields: /^\/spec\/(driver|nodeName|pool\/name)$/ }],
  'scheduling.k8s.io/PriorityClass': [{ fields: /^\/(value|preemptionPolicy)$/ }],
  'storage.k8s.io/CSIDriver': [{ fields: /^\/spec\/(attachRequired|volumeLifecycleModes)(\/|$)/ }],
  'storage.k8s.io/CSIStorageCapacity': [{ fields: /^\/(nodeTopology|storageClassName)(\/|$)/ }],
  'storage.k8s.io/StorageClass': [{ fields: /^\/(provisioner|parameters|reclaimPolicy|volumeBindingMode)(\/|$)/ }],
  'storage.k8s.io/VolumeAttachment': [{ fields: /^\/spec(\/|$)/ }],
  'storage.k8s.io/VolumeAttributesClass': [{ fields: /^\/(driverName|parameters)(\/|$)/ }],
};

/** A change that is rejected, and who rejects it. */
export interface ImmutableChange {
  readonly change: FieldChange;
  /** `the API server`, or whose webhook. */
  readonly by: string;
  /** What the field must not do: `must not change`. */
  readonly must: string;
}

/** The changes of an update that are rejected. */
export function immutableChanges(
  { before, after }: Update,
  fields: readonly FieldChange[],
): readonly ImmutableChange[] {
  const kind = kindKey(after.id);
  const rules = Object.hasOwn(IMMUTABLE, kind) ? IMMUTABLE[kind] : [];
  return fields.flatMap((change) => {
    const paths = pathsWithin(change);
    const broken = rules.find(
      ({ fields: immutable, except, when }) =>
        paths.some((path) => immutable.test(path) && except?.test(path) !== true) &&
        (when?.(before.object, after.object, change) ?? true),
    );
    return broken === undefined
      ? []
      : [{ change, by: broken.by ?? 'the API server', must: broken.must ?? 'must not change' }];
  });
}

/** The path of a change, and those of the fields of an object that is added or removed with it. */
function pathsWithin({ path, before, after }: FieldChange): readonly string[] {
  const value = before ?? after;
  const isWhole = (before === undefined || after === undefined) && isObject(value);
  return isWhole ? [path, ...Object.keys(value).map((name) => pointer(path, name))] : [path];
}
