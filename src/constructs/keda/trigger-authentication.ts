/**
 * TriggerAuthentication and ClusterTriggerAuthentication: the source of the confidential parameters of triggers.
 */
import { type Carried, type CarriedList, type CarriedMap, type CarriedWithin } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import {
  ClusterTriggerAuthentication as ClusterTriggerAuthenticationKind,
  TriggerAuthentication as TriggerAuthenticationKind,
  type TriggerAuthenticationSpec,
} from '../../facts/api/types/keda.sh/v1alpha1';
import { dependOn } from '../resources/depend-on';
import {
  clusterMetadata,
  type ClusterObjectProps,
  namespacedMetadata,
  type NamespacedObjectProps,
  type Overridable,
} from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** The authentication of a trigger: a construct, or `fromName` for one that exists in the cluster. */
export interface TriggerAuthenticationReference {
  /** Name of the object. */
  readonly name: string;
  /** Kind of the object. */
  readonly kind: 'TriggerAuthentication' | 'ClusterTriggerAuthentication';
}

/** One key of a Secret or a ConfigMap. */
export interface KeyOf {
  /** The Secret or ConfigMap, by name or as a construct. */
  readonly name: NamedReference<'Secret' | 'ConfigMap'>;
  /** The key in it. */
  readonly key: string;
}

/** Who KEDA says it is. */
export type PodIdentity =
  | {
      readonly provider: 'aws';
      /** @default - that of the identity */ readonly roleArn?: Carried<string>;
      /** Needs `roleArn`. @default - none */ readonly externalId?: Carried<string>;
    }
  /** The role of the workload's own service account. */
  | { readonly provider: 'aws'; readonly identityOwner: 'workload' }
  | {
      readonly provider: 'azure-workload';
      /** Client id of the identity. @default - that of KEDA's service account */
      readonly identityId?: Carried<string>;
      /** @default - that of KEDA's service account */
      readonly tenantId?: Carried<string>;
      /** Needs `tenantId`. @default - that of KEDA's service account */
      readonly authorityHost?: Carried<string>;
    }
  | { readonly provider: 'gcp' };

/** OAuth 2.0 client credentials. */
export interface OAuth2 {
  /** Id of the client at the token endpoint. */
  readonly clientId: Carried<string>;
  /** Key of the Secret with the client secret. @default - none */
  readonly clientSecret?: KeyOf;
  /** Address of the token endpoint, with `http` or `https`. */
  readonly tokenUrl: Carried<string>;
  /** Scopes to ask for. @default - none */
  readonly scopes?: CarriedList<string>;
  /** Sent along when the token is asked for. @default - none */
  readonly tokenUrlParameters?: CarriedMap<string>;
}

/** Everything else that both kinds have: secret stores of clouds and Vault, tokens of service accounts. */
export type SecretStores = CarriedWithin<
  Pick<
    TriggerAuthenticationSpec,
    'awsSecretManager' | 'azureKeyVault' | 'boundServiceAccountToken' | 'gcpSecretManager' | 'hashiCorpVault'
  >
>;

/** By parameter: where its value comes from. */
export interface AuthenticationSources extends SecretStores {
  /** Parameters whose values are keys of Secrets, by parameter. @default - none */
  readonly secrets?: Readonly<Record<string, KeyOf>>;
  /** Parameters whose values are keys of ConfigMaps, by parameter. @default - none */
  readonly configMaps?: Readonly<Record<string, KeyOf>>;
  /** Variables of a container of the target; the first one where none is named. @default - none */
  readonly environment?: Readonly<Record<string, string | { readonly variable: string; readonly container: string }>>;
  /** An identity of the cloud that KEDA's pods, or the workload, have. @default - none */
  readonly podIdentity?: PodIdentity;
  /** OAuth 2.0 client credentials. @default - none */
  readonly oauth2?: OAuth2;
}

/** Props of a TriggerAuthentication. */
export interface TriggerAuthenticationProps
  extends NamespacedObjectProps, AuthenticationSources, Overridable<TriggerAuthenticationKind> {}

/**
 * A TriggerAuthentication (`keda.sh/v1alpha1`): for triggers of its namespace.
 *
 * @example
 * new keda.TriggerAuthentication(chart, 'broker', { secrets: { host: { name: 'rabbitmq', key: 'uri' } } });
 */
@publicClass('keda.TriggerAuthentication')
export class TriggerAuthentication extends Construct implements TriggerAuthenticationReference {
  /** Name of the TriggerAuthentication. */
  readonly name: string;
  /** Always `TriggerAuthentication`. */
  readonly kind = 'TriggerAuthentication';
  /** The TriggerAuthentication object. */
  readonly resource: Resource<TriggerAuthenticationKind>;

  /** @throws if it says nothing, or contradicts itself */
  constructor(scope: Construct, id: string, props: TriggerAuthenticationProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      TriggerAuthenticationKind,
      {
        metadata: namespacedMetadata(id, props),
        spec: specOf(props, this.node.path),
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace, ...referencesOf(props));
  }

  /** One that exists in the namespace. */
  static fromName(name: string): TriggerAuthenticationReference {
    return { name: name, kind: 'TriggerAuthentication' };
  }
}

/** Props of a ClusterTriggerAuthentication. */
export interface ClusterTriggerAuthenticationProps
  extends ClusterObjectProps, AuthenticationSources, Overridable<ClusterTriggerAuthenticationKind> {
  /** File with all parameters, relative to the folder that KEDA was started with. @default - none */
  readonly filePath?: string;
}

/**
 * A ClusterTriggerAuthentication: for triggers of any namespace. Its Secrets and ConfigMaps live in the namespace of KEDA.
 *
 * @example
 * const aws = new keda.ClusterTriggerAuthentication(chart, 'aws', { podIdentity: { provider: 'aws' } });
 * keda.Triggers.awsSqsQueue({
 *   queueURL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/jobs',
 *   awsRegion: 'eu-west-1',
 *   authentication: aws,
 * });
 */
@publicClass('keda.ClusterTriggerAuthentication')
export class ClusterTriggerAuthentication extends Construct implements TriggerAuthenticationReference {
  /** Name of the ClusterTriggerAuthentication. */
  readonly name: string;
  /** Always `ClusterTriggerAuthentication`. */
  readonly kind = 'ClusterTriggerAuthentication';
  /** The ClusterTriggerAuthentication object. */
  readonly resource: Resource<ClusterTriggerAuthenticationKind>;

  /** @throws if it says nothing, or contradicts itself */
  constructor(scope: Construct, id: string, props: ClusterTriggerAuthenticationProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      ClusterTriggerAuthenticationKind,
      {
        metadata: clusterMetadata(id, props),
        spec: specOf(props, this.node.path),
      },
      props.overrides,
    );
    dependOn(this.resource, ...referencesOf(props));
  }

  /** One that exists in the cluster. */
  static fromName(name: string): TriggerAuthenticationReference {
    return { name: name, kind: 'ClusterTriggerAuthentication' };
  }
}

function referencesOf({
  secrets = {},
  configMaps = {},
}: AuthenticationSources): readonly NamedReference<'Secret' | 'ConfigMap'>[] {
  return [...Object.values(secrets), ...Object.values(configMaps)].map(({ name }) => name);
}

function specOf(
  props: AuthenticationSources & { readonly filePath?: string },
  path: string,
): CarriedWithin<TriggerAuthenticationSpec> {
  const { secrets, configMaps, environment, podIdentity, oauth2 } = props;
  const { awsSecretManager, azureKeyVault, boundServiceAccountToken, filePath, gcpSecretManager, hashiCorpVault } =
    props;
  const stores = {
    awsSecretManager,
    azureKeyVault,
    boundServiceAccountToken,
    filePath,
    gcpSecretManager,
    hashiCorpVault,
  };
  if (
    [secrets, configMaps, environment, podIdentity, oauth2, ...Object.values(stores)].every(
      (source) => source === undefined,
    )
  ) {
    throw new Error(
      `${path}: must set at least one source: secrets, configMaps, environment, podIdentity, oauth2, or a store.`,
    );
  }
  return {
    podIdentity: podIdentity && podIdentitySpec(podIdentity, path),
    secretTargetRef: secrets && keysOf(secrets),
    configMapTargetRef: configMaps && keysOf(configMaps),
    env:
      environment &&
      Object.entries(environment).map(([parameter, source]) =>
        typeof source === 'string'
          ? { parameter, name: source }
          : { parameter, name: source.variable, containerName: source.container },
      ),
    oauth2: oauth2 && {
      type: 'clientCredentials',
      clientId: oauth2.clientId,
      clientSecret: oauth2.clientSecret && {
        valueFrom: { secretKeyRef: { name: nameOf(oauth2.clientSecret.name), key: oauth2.clientSecret.key } },
      },
      tokenUrl: oauth2.tokenUrl,
      scopes: oauth2.scopes,
      tokenUrlParams: oauth2.tokenUrlParameters,
    },
    ...stores,
  };
}

function keysOf(
  sources: Readonly<Record<string, KeyOf>>,
): { readonly parameter: string; readonly name: string; readonly key: string }[] {
  return Object.entries(sources).map(([parameter, { name, key }]) => ({ parameter, name: nameOf(name), key }));
}

function podIdentitySpec(identity: PodIdentity, path: string): CarriedWithin<TriggerAuthenticationSpec>['podIdentity'] {
  switch (identity.provider) {
    case 'gcp':
      return { provider: 'gcp' };
    case 'aws':
      if ('identityOwner' in identity) {
        return { provider: 'aws', identityOwner: 'workload' };
      }
      if (identity.externalId !== undefined && identity.roleArn === undefined) {
        throw new Error(`${path}: podIdentity.externalId requires roleArn. Set roleArn.`);
      }
      return { provider: 'aws', roleArn: identity.roleArn, externalID: identity.externalId };
    case 'azure-workload':
      if (identity.authorityHost !== undefined && identity.tenantId === undefined) {
        throw new Error(`${path}: podIdentity.authorityHost requires tenantId. Set tenantId.`);
      }
      return {
        provider: 'azure-workload',
        identityId: identity.identityId,
        identityTenantId: identity.tenantId,
        identityAuthorityHost: identity.authorityHost,
      };
  }
}
