/**
 * Work of a cluster that waits without pods: Workloads of Kueue that have no quota yet.
 *
 * Kueue keeps the job of such a Workload suspended, so nothing but the templates of the Workload says what the job needs.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { idOf } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type Gang } from '../../../placement';
import { compareNames } from '../../../placement/model/names';
import { type ClusterGang } from '../cluster-state';
import { creationOf, kindOf, type Lookups, nameOf, namespaceOf } from '../lookups';
import { plannedGangs, type PodBudget } from '../gangs/planned-gangs';
import { keysOf } from './statements';
import { workloadsOf } from '../workloads';

export interface SuspendedWork extends Pick<ClusterGang, 'facts' | 'keys'> {
  readonly gang: Gang;
  readonly key: string;
  /** `namespace/name` of the job that it is the Workload of; its own without one. */
  readonly name: string;
}

/**
 * @param known keys of the gangs that have pods
 * @returns the oldest first
 */
export function suspendedWork(
  objects: readonly JsonObject[],
  known: ReadonlySet<string>,
  lookups: Lookups,
  budget: PodBudget,
): readonly SuspendedWork[] {
  const waiting = objects
    .filter((object) => kindOf(object) === 'kueue.x-k8s.io/Workload' && waitsForQuota(object))
    .filter((object) => !keysOf(object, kindOf(object)).some((key) => known.has(key)))
    .sort((a, b) => (creationOf(a) ?? 0) - (creationOf(b) ?? 0) || compareNames(nameOf(a), nameOf(b)))
    .map((object): Manifest => ({ id: idOf(object), object, origin: {} }));
  const { workloads } = workloadsOf(new ManifestSet(waiting), undefined);
  return plannedGangs(workloads, lookups, [], { since: 0, budget }).map(
    ({ gang, manifests: [{ object }] }): SuspendedWork => {
      const keys = keysOf(object, kindOf(object));
      const namespace = namespaceOf(object);
      const owner = asArray(asObject(object.metadata).ownerReferences).map(asObject).at(0);
      return {
        gang: { ...gang, arrival: creationOf(object) ?? 0 },
        key: keys[0],
        name: `${namespace}/${asString(owner?.name) ?? nameOf(object)}`,
        facts: { kind: asString(owner?.kind) ?? 'Workload', namespace },
        keys,
      };
    },
  );
}

function waitsForQuota(workload: JsonObject): boolean {
  const has = (type: string): boolean =>
    asArray(asObject(workload.status).conditions)
      .map(asObject)
      .some((condition) => condition.type === type && condition.status === 'True');
  return asObject(workload.spec).active !== false && !has('QuotaReserved') && !has('Finished');
}
