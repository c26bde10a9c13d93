/**
 * What the volumes of a pod mean for its place: where bound volumes are, and what only the cluster's own scheduler can provide.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { nodeTermsOf } from '../../../planning/cluster/objects/selectors';
import { type NodeTerm } from '../../../placement';

type Store = ReadonlyMap<string, JsonObject>;

export interface ClaimSources {
  readonly claims: Store;
  readonly volumes: Store;
  readonly storageClasses: Store;
}

/** Names of the claims behind the pod's volumes; an ephemeral volume has a claim that is named after the pod. */
export function claimNames(pod: JsonObject): readonly string[] {
  const { metadata, spec } = pod;
  return asArray(asObject(spec).volumes)
    .map(asObject)
    .flatMap((volume) => {
      const named = asString(asObject(volume.persistentVolumeClaim).claimName);
      if (named !== undefined) {
        return [named];
      }
      return volume.ephemeral === undefined ? [] : [`${asString(asObject(metadata).name)}-${asString(volume.name)}`];
    });
}

/** Node terms of the volume that a claim is bound to. */
export function claimTerms({
  claims,
  volumes,
}: ClaimSources): (claim: string, namespace: string) => readonly NodeTerm[] | undefined {
  return (claim, namespace) => {
    const volume = boundVolume(claims.get(`${namespace}/${claim}`));
    const required = asObject(asObject(volumes.get(volume ?? '')?.spec).nodeAffinity).required;
    return required === undefined || required === null ? undefined : nodeTermsOf(required);
  };
}

function boundVolume(claim: JsonObject | undefined): string | undefined {
  const name = asString(asObject(claim?.spec).volumeName);
  return name === '' ? undefined : name;
}

/** Why the pod cannot be placed yet, or not in this way; `undefined` where nothing of this kind is in the way. */
export interface Obstacle {
  readonly kind: 'needs-hand-over' | 'volume-not-bound';
  readonly message: string;
}

export function obstacle(
  pod: JsonObject,
  namespace: string,
  direct: boolean,
  sources: ClaimSources,
): Obstacle | undefined {
  for (const name of claimNames(pod)) {
    const claim = sources.claims.get(`${namespace}/${name}`);
    if (boundVolume(claim) !== undefined) {
      continue;
    }
    if (claim === undefined) {
      return { kind: 'volume-not-bound', message: `PersistentVolumeClaim "${name}" does not exist.` };
    }
    const className = asString(asObject(claim.spec).storageClassName) ?? '';
    const waits = asObject(sources.storageClasses.get(className)).volumeBindingMode === 'WaitForFirstConsumer';
    if (!waits) {
      return { kind: 'volume-not-bound', message: `PersistentVolumeClaim "${name}" is not bound to a volume yet.` };
    }
    if (direct) {
      const what = `PersistentVolumeClaim "${name}" is bound where its first pod runs, and only kube-scheduler can do that.`;
      return { kind: 'needs-hand-over', message: `${what} ${HAND_OVER}` };
    }
  }
  return undefined;
}

export const HAND_OVER =
  'Leave `schedulerName` at its default and give the pod the scheduling gate `gantry.dev/placement`: it is then placed by Gantry and ' +
  'handed over.';
