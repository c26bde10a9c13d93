/**
 * Values in place of what could not be built. The program goes on with them, so that later mistakes are found as well; whatever it reads
 * from one, calls, or passes on is inert again.
 */
import { type IConstruct } from 'constructs';

/** What an inert value is in place of. */
export interface InertOrigin {
  /** The construct that failed, whose node the value has. @default - the value was not a construct */
  readonly construct?: IConstruct;
  /** Runs when a construct is given the value, with that construct. @default - nothing */
  readonly usedBy?: (construct: IConstruct) => void;
}

const origins = new WeakMap<object, InertOrigin>();
let reads = 0;

/** How often inert values were read so far: what fails after a read fails because of an earlier mistake. */
export function inertReads(): number {
  return reads;
}

/** An inert value of any type: a function, an object, and a list of nothing. */
export function inertValue(origin: InertOrigin): object {
  // An arrow function has no property that must not be hidden.
  return register(new Proxy(() => undefined, handlerOf(origin)), origin);
}

/** An inert value in place of a construct: `instanceof` holds, its node is that of the construct, and all else is inert. */
export function inertConstruct(construct: IConstruct): object {
  const origin = { construct };
  const rest = inertValue(origin);
  return register(
    new Proxy(construct, {
      get(target, key): unknown {
        reads++;
        if (key === 'then') {
          return undefined;
        }
        return key === 'node' || typeof key === 'symbol' ? Reflect.get(target, key, target) : rest;
      },
      set: () => true,
    }),
    origin,
  );
}

function handlerOf(origin: InertOrigin): ProxyHandler<() => undefined> {
  const self = (): object => {
    reads++;
    return inertValue(origin);
  };
  return {
    get(_target, key) {
      reads++;
      switch (key) {
        case 'node':
          return origin.construct?.node ?? inertValue(origin);
        case 'then':
          return undefined;
        case Symbol.iterator:
          return [][Symbol.iterator];
        case Symbol.toPrimitive:
        case 'toString':
          return () => '';
        default:
          return typeof key === 'symbol' ? undefined : inertValue(origin);
      }
    },
    has: () => {
      reads++;
      return true;
    },
    set: () => true,
    apply: self,
    construct: self,
  };
}

function register<T extends object>(value: T, origin: InertOrigin): T {
  origins.set(value, origin);
  return value;
}

/** The origins of the inert values in what a call was given: in lists and plain objects too. */
export function inertIn(values: readonly unknown[], depth = 4): readonly InertOrigin[] {
  return values.flatMap((value): readonly InertOrigin[] => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      return [];
    }
    const origin = origins.get(value);
    if (origin !== undefined || depth === 0) {
      return origin === undefined ? [] : [origin];
    }
    const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    return isPlain ? inertIn(Object.values(value), depth - 1) : [];
  });
}
