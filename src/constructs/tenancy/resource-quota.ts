/**
 * ResourceQuota, written so that every key counts.
 */
import { type ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { ResourceQuota as ResourceQuotaKind, type ScopeSelector } from '../../facts/api/types/core/v1';
import { Resource } from '../resources/resource';
import { dependOnNamespace, type INamespace } from './namespace';
import { type LimitedResource, requestsKey } from './quota-keys';

/** Amounts by resource name: `cpu`, `memory`, `nvidia.com/gpu`, … */
export type AmountsByName = Readonly<Record<string, Quantity>>;

export type QuotaScope =
  'Terminating' | 'NotTerminating' | 'BestEffort' | 'NotBestEffort' | 'CrossNamespacePodAffinity';

export interface ResourceQuotaProps {
  /** @default - the construct's id */
  readonly name?: string;
  /** @default - the chart's namespace */
  readonly namespace?: INamespace;
  /**
   * What all pods together may request, by plain resource name; written as `requests.<name>`, the only form in which Kubernetes
   * counts extended resources.
   * @default - not limited
   */
  readonly requests?: AmountsByName;
  /**
   * What the limits of all pods together may be. Kubernetes counts limits of these three alone; for devices a limit equals the
   * request.
   * @default - not limited
   */
  readonly limits?: Readonly<Partial<Record<LimitedResource, Quantity>>>;
  /**
   * Pods that have not ended.
   * @default - not limited
   */
  readonly pods?: number;
  /**
   * Storage that all claims together may request.
   * @default - not limited
   */
  readonly storage?: Quantity;
  /** @default - not limited */
  readonly persistentVolumeClaims?: number;
  /**
   * Any further keys, as Kubernetes writes them: `count/jobs.batch`, `gold.storageclass.storage.k8s.io/requests.storage`.
   * @default - none
   */
  readonly hard?: Readonly<Record<string, Quantity>>;
  /** @default - every pod of the namespace */
  readonly scopes?: readonly QuotaScope[];
  /** @default - every pod of the namespace */
  readonly scopeSelector?: ScopeSelector;
}

/** @example new ResourceQuota(chart, 'quota', { requests: { cpu: 512, memory: '4Ti', 'nvidia.com/gpu': 64 } }); */
export class ResourceQuota extends Construct {
  readonly resource: ApiObject;
  private readonly hard: Map<string, string>;

  constructor(scope: Construct, id: string, props: ResourceQuotaProps) {
    super(scope, id);
    this.hard = new Map(Object.entries(hardOf(props)).map(([key, amount]) => [key, String(amount)]));
    this.resource = new Resource(this, 'Resource', ResourceQuotaKind, {
      metadata: { name: props.name ?? id, namespace: props.namespace?.name },
      spec: Lazy.any({
        produce: () => ({
          hard: Object.fromEntries(this.hard),
          scopes: props.scopes,
          scopeSelector: props.scopeSelector,
        }),
      }) as object,
    });
    dependOnNamespace(this, props.namespace);
  }

  /** Sets a key as Kubernetes writes it, `requests.cpu`; a key that is there already gets the new amount. */
  set(key: string, amount: Quantity): this {
    this.hard.set(key, String(amount));
    return this;
  }

  /** The keys and amounts as they stand now. */
  get amounts(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.hard);
  }
}

function hardOf(props: ResourceQuotaProps): Record<string, Quantity> {
  return {
    ...Object.fromEntries(
      Object.entries(props.requests ?? {}).map(([resource, amount]) => [requestsKey(resource), amount]),
    ),
    ...Object.fromEntries(
      Object.entries(props.limits ?? {}).map(([resource, amount]) => [`limits.${resource}`, amount]),
    ),
    ...(props.pods === undefined ? {} : { pods: props.pods }),
    ...(props.storage === undefined ? {} : { 'requests.storage': props.storage }),
    ...(props.persistentVolumeClaims === undefined ? {} : { persistentvolumeclaims: props.persistentVolumeClaims }),
    ...props.hard,
  };
}
