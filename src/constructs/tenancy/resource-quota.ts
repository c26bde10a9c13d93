/**
 * ResourceQuota, written so that every key counts.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { ResourceQuota as ResourceQuotaKind, type ScopeSelector } from '../../facts/api/types/core/v1';
import { type Amounts, type AmountsByName, amountsByName, productsAnnotation } from '../pods/amounts';
import { bytesText, type ByteSize, countText } from '../resources/quantities';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { type LimitedResource, requestsKey } from '../../checks/server/admission/quota-keys';
import { publicClass } from '../resources/public-class';

/** A scope that narrows the pods that a quota counts. */
export type QuotaScope =
  | 'Terminating'
  | 'NotTerminating'
  | 'BestEffort'
  | 'NotBestEffort'
  | 'CrossNamespacePodAffinity';

/** Props of a ResourceQuota. */
export interface ResourceQuotaProps extends NamespacedObjectProps, Overridable<ResourceQuotaKind> {
  /**
   * What all pods together may request; written as `requests.<name>`, the only form in which Kubernetes counts extended resources.
   * @default - not limited
   */
  readonly requests?: Omit<Amounts, 'pods'>;
  /**
   * What the limits of all pods together may be. Kubernetes counts limits of these three alone; for devices a limit equals the
   * request.
   * @default - not limited
   */
  readonly limits?: Pick<Amounts, 'cpu' | 'memory' | 'ephemeralStorage'>;
  /**
   * Pods that have not ended.
   * @default - not limited
   */
  readonly pods?: number;
  /**
   * Storage that all claims together may request, with its unit.
   * @default - not limited
   */
  readonly storage?: ByteSize;
  /** Greatest number of PersistentVolumeClaims. @default - not limited */
  readonly persistentVolumeClaims?: number;
  /**
   * Any further keys, as Kubernetes writes them: `count/jobs.batch`, `gold.storageclass.storage.k8s.io/requests.storage`. Memory and
   * storage need a unit here too.
   * @default - none
   */
  readonly hard?: Readonly<Record<string, number | string>>;
  /** Scopes that narrow the pods that are counted. @default - every pod of the namespace */
  readonly scopes?: readonly QuotaScope[];
  /** Scopes with values, such as priority classes. @default - every pod of the namespace */
  readonly scopeSelector?: ScopeSelector;
}

/**
 * A ResourceQuota: the most that all objects of a namespace may have together.
 *
 * @example
 * new ResourceQuota(chart, 'quota', {
 *   requests: { cpu: 512, memory: '4Ti', accelerators: Accelerator.nvidia({ count: 64 }) },
 *   pods: 200,
 * });
 */
@publicClass('ResourceQuota')
export class ResourceQuota extends Construct {
  /** The ResourceQuota object. */
  readonly resource: Resource<ResourceQuotaKind>;
  private readonly hard: Map<string, string>;

  constructor(scope: Construct, id: string, props: ResourceQuotaProps) {
    super(scope, id);
    this.hard = new Map(hardOf(this.node.path, props));
    this.resource = new Resource(
      this,
      'Resource',
      ResourceQuotaKind,
      {
        metadata: namespacedMetadata(id, {
          ...props,
          annotations: { ...productsAnnotation(props.requests), ...props.annotations },
        }),
        spec: Lazy.any({
          produce: () => ({
            hard: Object.fromEntries(this.hard),
            scopes: props.scopes,
            scopeSelector: props.scopeSelector,
          }),
        }) as object,
      },
      props.overrides,
    );
    dependOn(this, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }

  /**
   * Sets a key as Kubernetes writes it, `requests.cpu`; an existing key gets the new amount.
   *
   * @throws if the amount is not valid
   */
  set(key: string, amount: number | ByteSize): this {
    this.hard.set(key, keyText(`${this.node.path}: ${key}`, key, amount));
    return this;
  }

  /** The current keys and amounts. */
  get amounts(): AmountsByName {
    return Object.fromEntries(this.hard);
  }
}

function hardOf(path: string, props: ResourceQuotaProps): readonly [string, string][] {
  const { requests = {}, limits = {}, pods, storage, persistentVolumeClaims, hard = {} } = props;
  const requested = Object.entries(amountsByName(`${path}: requests`, requests));
  const limited = Object.entries(amountsByName(`${path}: limits`, limits));
  const uncounted = limited.find(([resource]) => !LIMITED.has(resource));
  if (uncounted !== undefined) {
    throw new Error(
      `${path}: limits: Kubernetes counts only limits of CPU, memory, and ephemeral storage, not of "${uncounted[0]}". Set it under requests.`,
    );
  }
  return [
    ...requested.map(([resource, amount]): [string, string] => [requestsKey(resource), amount]),
    ...limited.map(([resource, amount]): [string, string] => [`limits.${resource}`, amount]),
    ...stated('pods', pods, countText),
    ...stated('requests.storage', storage, bytesText),
    ...stated('persistentvolumeclaims', persistentVolumeClaims, countText),
    ...Object.entries(hard).map(([key, amount]): [string, string] => [
      key,
      keyText(`${path}: hard["${key}"]`, key, amount),
    ]),
  ];

  function stated<V>(key: string, value: V | undefined, text: (prop: string, value: V) => string): [string, string][] {
    return value === undefined ? [] : [[key, text(`${path}: ${key}`, value)]];
  }
}

const LIMITED: ReadonlySet<string> = new Set<LimitedResource>(['cpu', 'memory', 'ephemeral-storage']);

/** Keys that count bytes need a unit; all others are counts. */
function keyText(prop: string, key: string, amount: number | ByteSize): string {
  return /(?:^|[./])(?:memory|storage|ephemeral-storage)$|hugepages-/.test(key)
    ? bytesText(prop, amount as ByteSize)
    : countText(prop, amount as number | string);
}
