/**
 * What a trigger's authentication is known to give.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { CLUSTER_TRIGGER_AUTHENTICATION_KIND, TRIGGER_AUTHENTICATION_KIND } from '../keda-facts';

/** The authentication that a trigger names; without `spec` it is not in the set, and may give anything. */
export interface AuthenticationView {
  readonly name: string;
  readonly kind: string;
  readonly spec?: JsonObject;
  readonly manifest?: Manifest;
}

export function authenticationOf(
  trigger: JsonObject,
  from: Manifest,
  set: ManifestSet,
): AuthenticationView | undefined {
  if (!isObject(trigger.authenticationRef)) {
    return undefined;
  }
  const name = asString(trigger.authenticationRef.name) ?? '';
  const kind = asString(trigger.authenticationRef.kind) ?? 'TriggerAuthentication';
  const manifest =
    kind === 'ClusterTriggerAuthentication'
      ? set.get(CLUSTER_TRIGGER_AUTHENTICATION_KIND, name)
      : set.get(TRIGGER_AUTHENTICATION_KIND, name, from.id.namespace);
  return { name, kind, manifest, ...(manifest === undefined ? {} : { spec: asObject(manifest.object.spec) }) };
}

/** Lists of the spec whose items name the parameter that they give. */
const LISTS = ['secretTargetRef', 'configMapTargetRef', 'env', 'boundServiceAccountToken'];
const STORES = ['hashiCorpVault', 'azureKeyVault', 'awsSecretManager', 'gcpSecretManager'];

/** Parameters that an authentication names, with the JSON pointer of each name. */
export function namedParameters(spec: JsonObject): readonly { readonly name: string; readonly path: string }[] {
  const lists = [
    ...LISTS.map((field) => ({ items: spec[field], path: `/spec/${field}` })),
    ...STORES.map((field) => ({ items: asObject(spec[field]).secrets, path: `/spec/${field}/secrets` })),
  ];
  return lists.flatMap(({ items, path }) =>
    asArray(items).flatMap((item, index) => {
      const name = asString(asObject(item).parameter);
      return name === undefined ? [] : [{ name, path: `${path}/${index}/parameter` }];
    }),
  );
}

const BY_OAUTH2: ReadonlySet<string> = new Set([
  'oauthTokenURI',
  'clientID',
  'clientSecret',
  'scopes',
  'endpointParams',
]);

/** Whether an authentication gives a parameter. A file may hold anything, and so may one that is not in the set. */
export function givenBy({ spec }: AuthenticationView, parameter: string): 'yes' | 'no' | 'unknown' {
  if (spec === undefined || spec.filePath !== undefined) {
    return 'unknown';
  }
  if (spec.oauth2 !== undefined && BY_OAUTH2.has(parameter)) {
    return 'yes';
  }
  if (spec.podIdentity !== undefined && parameter === 'awsRoleArn') {
    return 'yes';
  }
  return namedParameters(spec).some(({ name }) => name === parameter) ? 'yes' : 'no';
}
