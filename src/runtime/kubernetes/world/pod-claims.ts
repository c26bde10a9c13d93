/**
 * The resource claims of a pod: which objects they are, and why the pod cannot get devices yet.
 *
 * A claim that was made from a template belongs to one pod. Pods whose claims request the same are alike, so the key of such a claim in the
 * pod's template is made of what it requests; the key of the claim itself is known beside it.
 */
import { createHash } from 'node:crypto';
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type AmountsDraft } from '../../../manifests/pods/resource-amounts';
import { claimKey } from '../../../planning/cluster/objects/claim-key';
import { chargedDevices, type ClassSpecOf } from '../../../planning/cluster/objects/claims/charges';

/** A claim of a pod. */
export interface PodDeviceClaim {
  /** Key in the template of the pod. */
  readonly key: string;
  /** Key of the ResourceClaim itself. @default - it does not exist yet */
  readonly own?: string;
  /** Key of the ResourceClaim that the status of the pod names, and that does not exist yet. @default - it names none, or that one exists */
  readonly awaited?: string;
  /** What queues are charged for it. */
  readonly charged: AmountsDraft;
  /** Why no devices can be allocated now, as a sentence. @default - nothing is in the way */
  readonly problem?: string;
  /** The ResourceClaim, where it was made from a template. */
  readonly madeFrom?: { readonly title: string; readonly claim: JsonObject };
}

export interface ClaimStores {
  readonly claims: ReadonlyMap<string, JsonObject>;
  readonly classOf: ClassSpecOf;
}

/** Claims in the order in which the pod lists them. */
export function podDeviceClaims(pod: JsonObject, stores: ClaimStores): readonly PodDeviceClaim[] {
  const metadata = asObject(pod.metadata);
  const namespace = asString(metadata.namespace) ?? 'default';
  const made = new Map(
    asArray(asObject(pod.status).resourceClaimStatuses)
      .map(asObject)
      .map((one) => [asString(one.name) ?? '', asString(one.resourceClaimName)] as const),
  );
  return asArray(asObject(pod.spec).resourceClaims)
    .map(asObject)
    .flatMap((entry): readonly PodDeviceClaim[] => {
      const named = asString(entry.resourceClaimName);
      if (named !== undefined) {
        return [namedClaim(namespace, named, stores)];
      }
      const name = asString(entry.name) ?? '';
      const template = asString(entry.resourceClaimTemplateName) ?? '';
      // The controller states a claim without a name where the pod turned out to need none.
      return made.has(name) && made.get(name) === undefined
        ? []
        : [
            generatedClaim(
              { namespace, name, template, made: made.get(name), uid: asString(metadata.uid) ?? '' },
              stores,
            ),
          ];
    });
}

function namedClaim(namespace: string, name: string, { claims, classOf }: ClaimStores): PodDeviceClaim {
  const key = claimKey('claim', namespace, name);
  const claim = claims.get(`${namespace}/${name}`);
  if (claim === undefined) {
    return { key, own: key, charged: {}, problem: `ResourceClaim "${name}" does not exist.` };
  }
  return { key, own: key, charged: chargedDevices(asObject(claim.spec), classOf), ...deletion(claim, name) };
}

interface Generated {
  readonly namespace: string;
  /** Of the claim in the pod's spec. */
  readonly name: string;
  readonly template: string;
  /** The ResourceClaim, as the status of the pod says. */
  readonly made: string | undefined;
  readonly uid: string;
}

function generatedClaim(
  { namespace, name, template, made, uid }: Generated,
  { claims, classOf }: ClaimStores,
): PodDeviceClaim {
  const title = `ResourceClaimTemplate "${namespace}/${template}"`;
  const claim = made === undefined ? undefined : claims.get(`${namespace}/${made}`);
  if (made === undefined || claim === undefined) {
    const problem = `The ResourceClaim for "${name}" has not been created yet from ResourceClaimTemplate "${template}".`;
    const awaited = made === undefined ? undefined : claimKey('claim', namespace, made);
    const key = claimKey('template', namespace, template);
    return { key, charged: {}, problem, ...(awaited !== undefined && { awaited }) };
  }
  const own = claimKey('claim', namespace, made);
  const spec = asObject(claim.spec);
  return {
    key: `${claimKey('template', namespace, template)}#${digestOf(spec)}`,
    own,
    charged: chargedDevices(spec, classOf),
    madeFrom: { title, claim },
    ...(isOwnedBy(claim, uid)
      ? deletion(claim, made)
      : { problem: `ResourceClaim "${made}" was not created for this pod.` }),
  };
}

function deletion({ metadata }: JsonObject, name: string): Pick<PodDeviceClaim, 'problem'> {
  const { deletionTimestamp } = asObject(metadata);
  return deletionTimestamp === undefined || deletionTimestamp === null
    ? {}
    : { problem: `ResourceClaim "${name}" is being deleted.` };
}

/** A name in the status of a pod gives it no right to the claim of another pod. */
function isOwnedBy({ metadata }: JsonObject, uid: string): boolean {
  return asArray(asObject(metadata).ownerReferences)
    .map(asObject)
    .some((owner) => owner.controller === true && owner.uid === uid);
}

const digests = new WeakMap<JsonObject, string>();

function digestOf(spec: JsonObject): string {
  let digest = digests.get(spec);
  if (digest === undefined) {
    digest = createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 32);
    digests.set(spec, digest);
  }
  return digest;
}
