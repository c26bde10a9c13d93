/**
 * Requests and limits of a container as the props `resources`, and amounts of queues and quotas as `Amounts`.
 */
import { isAcceleratorResource } from '../../../facts/catalog';
import { parseQuantity } from '../../../manifests/values/quantity';
import { countOf, factoryOf } from './accelerators';
import { Call, type Expression, type Fields, fieldsOf, isFields, present, setOwn } from './expression';

/** Props, and the requirements that no prop says. */
export interface ContainerAmounts {
  readonly props?: Fields;
  readonly rest?: Fields;
}

/** @param taken resources that an accelerator writes */
export function containerAmounts(resources: Expression, taken: readonly string[]): ContainerAmounts {
  const { limits: stated, requests: asked, ...others } = fieldsOf(resources);
  const limits = { ...fieldsOf(stated) };
  const requests = { ...fieldsOf(asked) };
  const props: Record<string, Expression> = {};
  for (const name of taken) {
    delete limits[name];
    delete requests[name];
  }
  const use = (prop: string, value: Expression, ...from: (readonly [Record<string, Expression>, string])[]): void => {
    props[prop] = value;
    from.forEach(([amounts, name]) => delete amounts[name]);
  };
  if (isCores(requests.cpu)) {
    use('cpu', requests.cpu, [requests, 'cpu']);
  }
  if (isCores(limits.cpu)) {
    use('cpuLimit', limits.cpu, [limits, 'cpu']);
  }
  const { memory: limit } = limits;
  const request = requests.memory ?? limit;
  if (isBytes(limit) && isBytes(request)) {
    use('memory', request, [limits, 'memory'], [requests, 'memory']);
    if (!sameAmount(request, limit)) {
      props.memoryLimit = limit;
    }
  }
  const { 'ephemeral-storage': storage } = limits;
  if (isBytes(storage) && sameAmount(requests['ephemeral-storage'] ?? storage, storage)) {
    use('ephemeralStorage', storage, [limits, 'ephemeral-storage'], [requests, 'ephemeral-storage']);
  }
  const hugepages: Record<string, Expression> = {};
  const other: Record<string, Expression> = {};
  for (const [name, amount] of Object.entries(limits)) {
    if (!sameAmount(requests[name] ?? amount, amount)) {
      continue;
    }
    if (/^hugepages-\d+[KMG]i$/.test(name) && isBytes(amount)) {
      hugepages[name.slice('hugepages-'.length)] = amount;
    } else if (name.includes('/') && !isAcceleratorResource(name) && isCores(amount)) {
      other[name] = amount;
    } else {
      continue;
    }
    delete limits[name];
    delete requests[name];
  }
  return {
    props: present({ ...props, hugepages: present(hugepages), other: present(other) }),
    rest: present({ ...others, limits: present(limits), requests: present(requests) }),
  };
}

/** Amounts by name as `Amounts`, in their order, which a quota of Kueue keeps; `undefined` where one has no place there. */
// One case for each form, which reads best in one place.
// oxlint-disable-next-line complexity
export function amounts(byName: Expression, omitted: readonly string[] = []): Fields | undefined {
  if (!isFields(byName)) {
    return undefined;
  }
  const result: Record<string, Expression> = {};
  const hugepages: Record<string, Expression> = {};
  const other: Record<string, Expression> = {};
  const accelerators: Call[] = [];
  for (const [name, amount] of Object.entries(byName)) {
    const member = MEMBERS[name];
    const count = countOf(amount) ?? (isZero(amount) ? 0 : undefined);
    if (omitted.includes(name)) {
      return undefined;
    } else if (Object.hasOwn(MEMBERS, name) && member !== undefined) {
      if (!(member === 'cpu' ? isCores(amount) : member === 'pods' ? count !== undefined : isBytes(amount))) {
        return undefined;
      }
      result[member] = member === 'pods' ? count : amount;
    } else if (/^hugepages-\d+[KMG]i$/.test(name) && isBytes(amount)) {
      hugepages[name.slice('hugepages-'.length)] = amount;
      result.hugepages = hugepages;
    } else if (isAcceleratorResource(name) && count !== undefined) {
      const { target, options } = factoryOf(name, count);
      accelerators.push(new Call(target, [options]));
      result.accelerators = accelerators.length === 1 ? accelerators[0] : accelerators;
    } else if (name.includes('/') && !isAcceleratorResource(name) && isCores(amount)) {
      setOwn(other, name, amount);
      result.other = other;
    } else {
      return undefined;
    }
  }
  return result;
}

const MEMBERS: Readonly<Record<string, string>> = {
  cpu: 'cpu',
  memory: 'memory',
  'ephemeral-storage': 'ephemeralStorage',
  pods: 'pods',
};

/** As `coresText` and `countText` take it. */
export function isCores(value: Expression): value is string | number {
  const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  return quantity !== undefined && !quantity.isNegative();
}

/** As `bytesText` takes it: a string with a unit. */
export function isBytes(value: Expression): value is string {
  if (typeof value !== 'string' || /[num]$/.test(value)) {
    return false;
  }
  const quantity = parseQuantity(value);
  return (
    quantity !== undefined &&
    !quantity.isNegative() &&
    quantity.isInteger() &&
    (quantity.isZero() || !/^[+-]?[\d.]+$/.test(value))
  );
}

function isZero(value: Expression): boolean {
  return isCores(value) && parseQuantity(value)?.isZero() === true;
}

function sameAmount(a: Expression, b: Expression): boolean {
  if (!isCores(a) || !isCores(b)) {
    return a === b;
  }
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left !== undefined && right !== undefined && left.equals(right);
}
