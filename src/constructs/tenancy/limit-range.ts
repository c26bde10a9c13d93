/**
 * LimitRange: what containers get that do not say, and what none may exceed.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { LimitRange as LimitRangeKind, type LimitRangeItem } from '../../facts/api/types/core/v1';
import { isExtendedResource } from '../../facts/catalog';
import { type Amounts, type AmountsByName, amountsByName } from '../pods/amounts';
import { bytesText, type ByteSize, countText } from '../resources/quantities';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** What a container may state: everything but a number of pods. */
export type ContainerAmounts = Omit<Amounts, 'pods'>;

/** How many times its request a limit may be, by resource: plain numbers such as `2`. */
export interface LimitRatios {
  /** Greatest ratio of CPU limit to request. @default - none */
  readonly cpu?: number;
  /** Greatest ratio of memory limit to request. @default - none */
  readonly memory?: number;
  /** Greatest ratio of local storage limit to request. @default - none */
  readonly ephemeralStorage?: number;
}

/** Defaults and bounds of the resources of each container. */
export interface ContainerLimits {
  /**
   * Limits of containers that state none.
   *
   * Leave CPU out where training pods leave it out: a default limit below what they request makes the server refuse them.
   * @default - none
   */
  readonly default?: ContainerAmounts;
  /**
   * Requests of containers that state neither request nor limit.
   * @default - the default limits
   */
  readonly defaultRequest?: ContainerAmounts;
  /**
   * Most that one container may have. A maximum of devices gets a default of 0, since Kubernetes would give that many to every
   * container that asks for none.
   * @default - no bound
   */
  readonly max?: ContainerAmounts;
  /** The least that a container must request. @default - no bound */
  readonly min?: ContainerAmounts;
  /**
   * How many times its request a limit may be.
   * @default - no bound
   */
  readonly maxLimitRequestRatio?: LimitRatios;
}

/** Props of a LimitRange. */
export interface LimitRangeProps extends NamespacedObjectProps, Overridable<LimitRangeKind> {
  /** Defaults and bounds of each container. @default - nothing said of containers */
  readonly container?: ContainerLimits;
  /**
   * Bounds of pods as a whole. A pod that does not state a bounded amount is refused: bound no devices here where pods without any
   * run.
   * @default - nothing said of pods as a whole
   */
  readonly pod?: Pick<ContainerLimits, 'max' | 'min' | 'maxLimitRequestRatio'>;
  /**
   * Least and most storage of one claim.
   * @default - no bounds
   */
  readonly persistentVolumeClaim?: {
    /** Smallest size of a claim. @default - none */
    readonly min?: ByteSize;
    /** Greatest size of a claim. @default - none */
    readonly max?: ByteSize;
  };
}

/**
 * A LimitRange: defaults and bounds of the containers, pods, and claims of a namespace.
 *
 * @example
 * new LimitRange(chart, 'defaults', { container: { defaultRequest: { cpu: 1, memory: '2Gi' } } });
 */
@publicClass('LimitRange')
export class LimitRange extends Construct {
  /** The LimitRange object. */
  readonly resource: Resource<LimitRangeKind>;
  private readonly items: (() => LimitRangeItem)[] = [];

  /** @throws if an amount is not valid */
  constructor(scope: Construct, id: string, props: LimitRangeProps = {}) {
    super(scope, id);
    const { container, pod, persistentVolumeClaim: claim } = props;
    if (container) {
      this.add({ type: 'Container', ...withoutGivenDevices(this.bounds('container', container)) });
    }
    if (pod) {
      this.add({ type: 'Pod', ...this.bounds('pod', pod) });
    }
    if (claim) {
      const bound = (which: 'min' | 'max'): Partial<LimitRangeItem> => {
        const storage = claim[which];
        const at = `${this.node.path}: persistentVolumeClaim.${which}`;
        return storage === undefined ? {} : { [which]: { storage: bytesText(at, storage) } };
      };
      this.add({ type: 'PersistentVolumeClaim', ...bound('min'), ...bound('max') });
    }
    this.resource = new Resource(
      this,
      'Resource',
      LimitRangeKind,
      {
        metadata: namespacedMetadata(id, props),
        spec: Lazy.any({ produce: () => ({ limits: this.items.map((item) => texts(item())) }) }) as {
          limits: LimitRangeItem[];
        },
      },
      props.overrides,
    );
    dependOn(this, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }

  /** Adds an item as Kubernetes writes it, or a function that returns it when the object is rendered. Each type is allowed once. */
  add(item: LimitRangeItem | (() => LimitRangeItem)): this {
    this.items.push(typeof item === 'function' ? item : () => item);
    return this;
  }

  private bounds(prop: string, limits: ContainerLimits): Omit<LimitRangeItem, 'type'> {
    const { maxLimitRequestRatio: ratio } = limits;
    const at = `${this.node.path}: ${prop}`;
    const rendered = (['default', 'defaultRequest', 'max', 'min'] as const).flatMap((member) => {
      const amounts = limits[member];
      return amounts === undefined ? [] : [[member, amountsByName(`${at}.${member}`, amounts)] as const];
    });
    return {
      ...Object.fromEntries(rendered),
      ...(ratio === undefined ? {} : { maxLimitRequestRatio: ratios(`${at}.maxLimitRequestRatio`, ratio) }),
    };
  }
}

function ratios(at: string, stated: LimitRatios): AmountsByName {
  return Object.fromEntries(
    Object.entries(stated).flatMap(([member, value]) => {
      if (!['cpu', 'memory', 'ephemeralStorage'].includes(member)) {
        throw new Error(`${at}: unknown field "${member}". The fields are cpu, memory, and ephemeralStorage.`);
      }
      const name = member === 'ephemeralStorage' ? 'ephemeral-storage' : member;
      return value === undefined ? [] : [[name, countText(`${at}.${member}`, value as number)]];
    }),
  );
}

/** Source: Kubernetes 1.36, pkg/apis/core/v1/defaults.go: a resource with a maximum and no default has the maximum as its default. */
function withoutGivenDevices<L extends Omit<LimitRangeItem, 'type'>>(limits: L): L {
  const stated = limits.default ?? {};
  const bounded = Object.keys(limits.max ?? {}).filter(
    (resource) => isExtendedResource(resource) && !Object.hasOwn(stated, resource),
  );
  if (bounded.length === 0) {
    return limits;
  }
  const none = Object.fromEntries(bounded.map((resource) => [resource, '0']));
  return { ...limits, default: { ...none, ...stated }, defaultRequest: { ...none, ...limits.defaultRequest } };
}

/** Amounts as strings, as `kubectl get` shows them. */
function texts(item: LimitRangeItem): LimitRangeItem {
  const rendered = (['default', 'defaultRequest', 'max', 'min', 'maxLimitRequestRatio'] as const).flatMap((field) => {
    const amounts = item[field];
    return amounts === undefined
      ? []
      : [[field, Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))] as const];
  });
  return { ...item, ...Object.fromEntries(rendered) };
}
