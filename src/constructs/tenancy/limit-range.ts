/**
 * LimitRange: what containers get that do not say, and what none may exceed.
 */
import { type ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { LimitRange as LimitRangeKind, type LimitRangeItem } from '../../facts/api/types/core/v1';
import { isExtendedResource } from '../../facts/catalog';
import { Resource } from '../resources/resource';
import { dependOnNamespace, type INamespace } from './namespace';
import { type AmountsByName } from './resource-quota';

export interface ContainerLimits {
  /**
   * Limits of containers that state none.
   *
   * Leave CPU out where training pods leave it out: a default limit below what they request makes the server refuse them.
   * @default - none
   */
  readonly default?: AmountsByName;
  /**
   * Requests of containers that state neither request nor limit.
   * @default - the default limits
   */
  readonly defaultRequest?: AmountsByName;
  /**
   * Most that one container may have. A maximum of devices gets a default of 0, since Kubernetes would give that many to every
   * container that asks for none.
   * @default - no bound
   */
  readonly max?: AmountsByName;
  /** @default - no bound */
  readonly min?: AmountsByName;
  /**
   * How many times its request a limit may be.
   * @default - no bound
   */
  readonly maxLimitRequestRatio?: AmountsByName;
}

export interface LimitRangeProps {
  /** @default - the construct's id */
  readonly name?: string;
  /** @default - the chart's namespace */
  readonly namespace?: INamespace;
  /** @default - nothing said of containers */
  readonly container?: ContainerLimits;
  /**
   * Bounds of pods as a whole. A pod that does not state a bounded amount is refused: bound no devices here where pods without any
   * shall run.
   * @default - nothing said of pods as a whole
   */
  readonly pod?: Pick<ContainerLimits, 'max' | 'min' | 'maxLimitRequestRatio'>;
  /**
   * Least and most storage of one claim.
   * @default - no bounds
   */
  readonly persistentVolumeClaim?: { readonly min?: Quantity; readonly max?: Quantity };
}

/** @example new LimitRange(chart, 'defaults', { container: { defaultRequest: { cpu: 1, memory: '2Gi' } } }); */
export class LimitRange extends Construct {
  readonly resource: ApiObject;
  private readonly items: LimitRangeItem[] = [];

  constructor(scope: Construct, id: string, props: LimitRangeProps = {}) {
    super(scope, id);
    if (props.container) {
      this.add({ type: 'Container', ...withoutGivenDevices(props.container) });
    }
    if (props.pod) {
      this.add({ type: 'Pod', ...props.pod });
    }
    if (props.persistentVolumeClaim) {
      const { min, max } = props.persistentVolumeClaim;
      this.add({
        type: 'PersistentVolumeClaim',
        ...(min === undefined ? {} : { min: { storage: min } }),
        ...(max === undefined ? {} : { max: { storage: max } }),
      });
    }
    this.resource = new Resource(this, 'Resource', LimitRangeKind, {
      metadata: { name: props.name ?? id, namespace: props.namespace?.name },
      spec: Lazy.any({ produce: () => ({ limits: this.items }) }) as { limits: LimitRangeItem[] },
    });
    dependOnNamespace(this, props.namespace);
  }

  /** Adds an item as Kubernetes writes it. One item of each type is allowed. */
  add(item: LimitRangeItem): this {
    this.items.push({ ...item, ...mapValues(item) });
    return this;
  }
}

/** Source: Kubernetes 1.36, pkg/apis/core/v1/defaults.go: what has a maximum and no default has the maximum as its default. */
function withoutGivenDevices(limits: ContainerLimits): ContainerLimits {
  const stated = limits.default ?? {};
  const bounded = Object.keys(limits.max ?? {}).filter(
    (resource) => isExtendedResource(resource) && !(resource in stated),
  );
  if (bounded.length === 0) {
    return limits;
  }
  const none = Object.fromEntries(bounded.map((resource) => [resource, 0]));
  return { ...limits, default: { ...none, ...stated }, defaultRequest: { ...none, ...limits.defaultRequest } };
}

/** Amounts as text, as `kubectl get` shows them. */
function mapValues(item: LimitRangeItem): Partial<LimitRangeItem> {
  return Object.fromEntries(
    (['default', 'defaultRequest', 'max', 'min', 'maxLimitRequestRatio'] as const).flatMap((field) => {
      const amounts = item[field];
      return amounts === undefined
        ? []
        : [
            [
              field,
              Object.fromEntries(Object.entries(amounts).map(([resource, amount]) => [resource, String(amount)])),
            ] as const,
          ];
    }),
  );
}
