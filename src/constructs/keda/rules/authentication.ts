/**
 * KE9, KE18 and KE19: TriggerAuthentication, ClusterTriggerAuthentication, and who refers to them.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { kedaScaler } from '../../../facts/api/keda-scalers';
import { nearestName } from '../../../facts/spelling';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type SetRule, type Violation } from '../../../checks/rules/rule';
import { fieldOf } from '../../../manifests/pointer';
import { allOf } from '../../../facts/words';
import { mayShareNamespace } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString, isObject } from '../../../manifests/read';
import {
  CLUSTER_TRIGGER_AUTHENTICATION_KIND,
  KEDA_PROJECT,
  SCALED_JOB_KIND,
  SCALED_OBJECT_KIND,
  TRIGGER_AUTHENTICATION_KIND,
} from '../keda-facts';
import { authenticationOf, namedParameters } from './authentication-view';
import { type Facts, scaledView, triggerRule } from './view';

const WEBHOOK = `${KEDA_PROJECT}, apis/keda/v1alpha1/triggerauthentication_webhook.go`;
const RESOLVER = `${KEDA_PROJECT}, pkg/scaling/resolver/scale_resolvers.go`;

function authenticationRule(
  facts: Facts,
  check: (spec: JsonObject, manifest: Manifest) => Iterable<Violation>,
): ObjectRule {
  return {
    source: WEBHOOK,
    ...facts,
    on: 'object',
    kinds: [TRIGGER_AUTHENTICATION_KIND, CLUSTER_TRIGGER_AUTHENTICATION_KIND],
    check: (manifest) => check(asObject(manifest.object.spec), manifest),
  };
}

/** Absent counts as not set, whatever way of absent it is. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

const podIdentity = fixesByField(
  authenticationRule(
    {
      id: 'keda/pod-identity-consistent',
      row: 'KE9',
      tier: 'webhook',
      severity: 'error',
      summary:
        'The members of a pod identity must be complete: no empty IDs, a tenant with an authority host, a role with an external ID, and no role if identityOwner is workload.',
      why: "The webhook rejects the pod identity; with identityOwner workload the role is that of the workload's service account.",
      fix: 'Set the missing member of podIdentity, for example identityTenantId, or remove the empty one.',
      concerns: ['podIdentity'],
    },
    function* ({ podIdentity: identity }) {
      if (!isObject(identity)) {
        return;
      }
      const path = '/spec/podIdentity';
      if (identity.provider === 'azure-workload') {
        if (identity.identityId === '') {
          yield {
            path: `${path}/identityId`,
            message: 'identityId must not be empty',
            found: '',
            expected: 'a client ID, or unset',
          };
        }
        if (!isEmpty(identity.identityAuthorityHost)) {
          if (isEmpty(identity.identityTenantId)) {
            yield {
              path,
              message: 'identityAuthorityHost must not be set without identityTenantId',
              expected: 'identityTenantId',
              fix: 'Set podIdentity.identityTenantId to a tenant ID, or remove podIdentity.identityAuthorityHost.',
            };
          }
        } else if (identity.identityTenantId === '') {
          yield {
            path: `${path}/identityTenantId`,
            message: 'identityTenantId must not be empty',
            found: '',
            expected: 'a tenant ID, or unset',
          };
        }
      }
      if (identity.provider === 'aws') {
        if (!isEmpty(identity.roleArn) && identity.identityOwner === 'workload') {
          yield {
            path: `${path}/roleArn`,
            message: 'roleArn must not be set when identityOwner is workload',
            found: identity.roleArn,
            fix: 'Remove roleArn, or set identityOwner: keda.',
          };
        }
        if (!isEmpty(identity.externalID) && isEmpty(identity.roleArn)) {
          yield {
            path: `${path}/externalID`,
            message: 'externalID must not be set without roleArn',
            found: identity.externalID,
            fix: 'Set roleArn to the role that KEDA assumes, such as arn:aws:iam::123456789012:role/keda, or remove externalID.',
          };
        }
      }
    },
  ),
);

const oauth2 = fixesByField(
  authenticationRule(
    {
      id: 'keda/oauth2-complete',
      row: 'KE9',
      tier: 'webhook',
      severity: 'error',
      summary: 'OAuth2 must have a clientId, and a tokenUrl with http or https and a host.',
      why: 'The webhook rejects anything else, except together with a pod identity of a cloud other than Azure and AWS.',
      fix: 'Set clientId, and set tokenUrl to an https URL.',
      concerns: ['oauth2'],
    },
    function* ({ oauth2: client, podIdentity: identity }) {
      const provider = asString(asObject(identity).provider);
      if (!isObject(client) || (isObject(identity) && provider !== 'azure-workload' && provider !== 'aws')) {
        return;
      }
      if (client.clientId === '') {
        yield {
          path: '/spec/oauth2/clientId',
          message: 'clientId must not be empty',
          found: '',
          expected: 'a client ID',
        };
      }
      const url = asString(client.tokenUrl);
      if (url !== undefined && !/^https?:\/\/[^/?#]/i.test(url)) {
        yield {
          path: '/spec/oauth2/tokenUrl',
          message: `tokenUrl must be an http or https URL, but is ${JSON.stringify(url)}`,
          found: url,
          expected: 'a URL such as https://login.example.com/oauth2/token',
        };
      }
    },
  ),
);

const filePath = authenticationRule(
  {
    id: 'keda/file-path-of-cluster',
    row: 'KE9',
    tier: 'webhook',
    severity: 'error',
    summary: 'filePath must be set only in a ClusterTriggerAuthentication, and must be a relative path without "..".',
    why: 'The file is in the KEDA pod and is the same for all namespaces. Elsewhere the controller rejects it, and triggers get no parameters.',
    source: RESOLVER,
    fix: 'Use a ClusterTriggerAuthentication, and set filePath to a path relative to the directory that KEDA was started with.',
    concerns: ['filePath'],
  },
  function* ({ filePath: file }, { id }) {
    if (typeof file !== 'string' || file === '') {
      return;
    }
    if (id.kind === 'TriggerAuthentication') {
      yield {
        path: '/spec/filePath',
        message: 'filePath must not be set in a TriggerAuthentication',
        found: file,
        fix: 'Set kind: ClusterTriggerAuthentication, or remove spec.filePath.',
      };
    } else if (file.startsWith('/') || file.includes('..')) {
      yield {
        path: '/spec/filePath',
        message: `filePath must be a relative path without "..", but is "${file}"`,
        found: file,
        expected: 'a relative path without ".."',
        fix: 'Set filePath to a path relative to the directory that KEDA was started with, without "..".',
      };
    }
  },
);

const referenceResolves = triggerRule(
  {
    id: 'keda/authentication-of-kind',
    row: 'KE18',
    tier: 'webhook',
    severity: 'error',
    summary:
      'authenticationRef must refer to an authentication of the right kind and, unless it is a ClusterTriggerAuthentication, in the same namespace.',
    why: 'Without a kind, KEDA looks for a TriggerAuthentication in the same namespace. If the controller finds none, the trigger gets no parameters.',
    source: RESOLVER,
    fix: 'Set authenticationRef.kind, or create the authentication in the namespace where it is used.',
    concerns: ['authenticationRef'],
  },
  function* ({ trigger, path }, { manifest }, { set }) {
    const authentication = authenticationOf(trigger, manifest, set);
    if (authentication === undefined || authentication.manifest !== undefined || authentication.name === '') {
      return;
    }
    const { name, kind } = authentication;
    const isCluster = kind === 'ClusterTriggerAuthentication';
    const other = isCluster
      ? set.get(TRIGGER_AUTHENTICATION_KIND, name, manifest.id.namespace)
      : set.get(CLUSTER_TRIGGER_AUTHENTICATION_KIND, name);
    if (other !== undefined) {
      yield {
        path: `${path}/authenticationRef`,
        message: `"${name}" is a ${other.id.kind}, but authenticationRef refers to a ${kind}`,
        found: name,
        fix: `Set authenticationRef.kind: ${other.id.kind}.`,
      };
      return;
    }
    const named = isCluster ? [] : set.ofKind(TRIGGER_AUTHENTICATION_KIND).filter(({ id }) => id.name === name);
    const [elsewhere] = named;
    if (elsewhere === undefined || named.some(({ id }) => mayShareNamespace(id.namespace, manifest.id.namespace))) {
      return;
    }
    yield {
      path: `${path}/authenticationRef/name`,
      message: `the TriggerAuthentication "${name}" is in the namespace "${elsewhere.id.namespace}", but KEDA looks for it only in the namespace of this object`,
      found: name,
      severity: 'warning',
      fix: `Set metadata.namespace of the TriggerAuthentication to "${manifest.id.namespace}", or use a ClusterTriggerAuthentication.`,
    };
  },
);

const parameterRead: SetRule = {
  id: 'keda/authentication-parameter-read',
  row: 'KE19',
  tier: 'advice',
  severity: 'warning',
  summary: 'Each parameter of an authentication should be read by a trigger that refers to it.',
  why: 'KEDA silently ignores a parameter with a name that the scaler does not read.',
  source: `${KEDA_PROJECT}, pkg/scalers/scalersconfig/typed_config.go`,
  fix: 'Set parameter of the source, such as secretTargetRef[].parameter, to a parameter that the scaler reads.',
  on: 'set',
  check: function* ({ set }) {
    const readers = readersOf(set);
    for (const [manifest, types] of readers) {
      const scalers = [...types].map((type) => kedaScaler(type));
      if (scalers.some((scaler) => scaler === undefined || scaler.type.startsWith('external'))) {
        continue;
      }
      const known = new Set(
        scalers
          .flatMap((scaler) => scaler?.parameters ?? [])
          .filter(({ fromAuthentication }) => fromAuthentication)
          .flatMap(({ name, alternatives = [] }) => [name, ...alternatives]),
      );
      for (const { name, path } of namedParameters(asObject(manifest.object.spec))) {
        if (!known.has(name)) {
          yield {
            manifest,
            path,
            message: `no trigger that uses this authentication reads the parameter "${name}" (trigger types: ${[...types].join(', ')})`,
            found: name,
            fix:
              known.size === 0
                ? `Remove the entry with ${fieldOf(path)}.`
                : `Set ${fieldOf(path)} to a parameter that the ${allOf([...types])} ${types.size === 1 ? 'scaler reads' : 'scalers read'}, such as ${exampleOf(name, types, known)}, or remove the entry.`,
          };
        }
      }
    }
  },
};

/** Parameters with which scalers log in, the usual ones first. */
const CREDENTIALS = [
  'connection',
  'connectionString',
  'bearerToken',
  'password',
  'apiKey',
  'apiToken',
  'authToken',
  'accessToken',
  'personalAccessToken',
  'token',
  'awsAccessKeyID',
  'GoogleApplicationCredentials',
];

/** Scalers that read all of KEDA's general settings of authentication, and use those of an API key not. */
const WITHOUT_API_KEY: ReadonlySet<string> = new Set(['arangodb', 'loki', 'prometheus', 'pulsar']);
const OF_API_KEY: ReadonlySet<string> = new Set(['apiKey', 'keyParamName', 'method']);

/** A parameter that the scalers use, near the name or else usual. */
function exampleOf(name: string, types: ReadonlySet<string>, known: ReadonlySet<string>): string {
  const isWithoutKey = [...types].every((type) => WITHOUT_API_KEY.has(type));
  const used = [...known].filter((one) => !isWithoutKey || !OF_API_KEY.has(one));
  return (
    nearestName(name, used) ??
    CREDENTIALS.find((one) => used.includes(one)) ??
    used.find((one) => /^[a-z]/.test(one)) ??
    used[0] ??
    ''
  );
}

/** Types of the triggers that name an authentication of the set. */
function readersOf(set: ManifestSet): ReadonlyMap<Manifest, ReadonlySet<string>> {
  const readers = new Map<Manifest, Set<string>>();
  for (const manifest of [...set.ofKind(SCALED_OBJECT_KIND), ...set.ofKind(SCALED_JOB_KIND)]) {
    for (const { trigger, type } of scaledView(manifest).triggers) {
      const authentication = authenticationOf(trigger, manifest, set)?.manifest;
      if (authentication === undefined) {
        continue;
      }
      const types = readers.get(authentication);
      if (types === undefined) {
        readers.set(authentication, new Set([type]));
      } else {
        types.add(type);
      }
    }
  }
  return readers;
}

export const authenticationRules: readonly Rule[] = [podIdentity, oauth2, filePath, referenceResolves, parameterRead];
