/**
 * Selectors of device classes and claims: CEL expressions on one device, and what they require in words.
 *
 * An expression that cannot be evaluated on a device does not accept it.
 */
import { createRequire } from 'node:module';
import { type CelInput } from '@bufbuild/cel';
import type * as CelTypes from '@bufbuild/cel';
import type * as OpaqueTypes from '../../../../cel/opaque';
import { whyUnjudged } from '../../../../cel/unjudged';
import type * as RuleProgramTypes from '../../../../cel/rule-program';
import type * as FaultTypes from '../../../../checks/server/device-selectors';
import { Quantity } from '../../../../manifests/values/quantity';
import { type Device, type DeviceAttribute, type KnownDevice } from '../../../../placement/model/claims';

export interface DeviceSelector {
  readonly text: string;
  readonly accepts: (driver: string, device: Device) => boolean;
  /** Why it accepts no device at all, if that is because of the expression: `selects the undefined field "drive"`. */
  readonly fault: () => string | undefined;
}

// CEL is loaded only where a claim has selectors.
const load = createRequire(__filename);

/** A string says what is wrong with the selector: `a selector that does not compile: …`. */
export function selectorOf(text: string): DeviceSelector | string {
  if (text.trim() === '') {
    return 'a selector without a CEL expression';
  }
  const { expressionOf } = load('../../../../cel/rule-program') as typeof RuleProgramTypes;
  const program = expressionOf(text);
  if (typeof program === 'string') {
    return `a selector that ${selectorFault(text) ?? `cannot be evaluated: ${program}`}`;
  }
  const domains = [...text.matchAll(/\[\s*(?:"([^"]+)"|'([^']+)')\s*\]/g)].map(([, a, b]) => a ?? b ?? '');
  const known = new WeakMap<Device, boolean>();
  let unjudged: string | undefined;
  return {
    text,
    accepts: (driver, device) => {
      let accepted = known.get(device);
      if (accepted === undefined) {
        const outcome = program({ device: celDevice(driver, device, domains) });
        accepted = 'value' in outcome && outcome.value === true;
        unjudged ??= 'error' in outcome ? whyUnjudged(outcome.error) : undefined;
        known.set(device, accepted);
      }
      return accepted;
    },
    fault: () => selectorFault(text) ?? (unjudged === undefined ? undefined : `cannot be evaluated: ${unjudged}`),
  };
}

function selectorFault(text: string): string | undefined {
  const { storedSelectorFault } = load('../../../../checks/server/device-selectors') as typeof FaultTypes;
  return storedSelectorFault(text);
}

/** Domains that the expression names and the device does not have are empty. */
function celDevice(driver: string, { attributes, capacity, shareable }: Device, domains: readonly string[]): CelInput {
  const { celMap } = load('@bufbuild/cel') as typeof CelTypes;
  const byDomain = (entries: Iterable<readonly [string, CelInput]>): CelInput => {
    const groups = new Map<string, Map<string, CelInput>>(
      [driver, ...domains].map((name) => [name, new Map<string, CelInput>()]),
    );
    for (const [name, value] of entries) {
      const slash = name.indexOf('/');
      const domain = slash < 0 ? driver : name.slice(0, slash);
      const group = groups.get(domain) ?? new Map<string, CelInput>();
      group.set(name.slice(slash + 1), value);
      groups.set(domain, group);
    }
    return celMap(new Map([...groups].map(([name, group]): [string, CelInput] => [name, celMap(group)])));
  };
  return celMap(
    new Map<string, CelInput>([
      ['driver', driver],
      ['allowMultipleAllocations', shareable],
      ['attributes', byDomain([...attributes].map(([name, attribute]) => [name, celValue(attribute)] as const))],
      ['capacity', byDomain([...capacity].map(([name, { value }]) => [name, celQuantity(value)] as const))],
    ]),
  );
}

function celValue({ type, values, isList = false }: DeviceAttribute): CelInput {
  const { celList } = load('@bufbuild/cel') as typeof CelTypes;
  const all = values.map((value) => celScalar(type, value));
  return isList ? celList(all) : (all[0] ?? '');
}

function celScalar(type: DeviceAttribute['type'], value: DeviceAttribute['values'][number]): CelInput {
  if (type !== 'version') {
    return value;
  }
  const { expressionOf } = load('../../../../cel/rule-program') as typeof RuleProgramTypes;
  const version = expressionOf('semver(text)');
  const outcome = typeof version === 'string' ? undefined : version({ text: String(value) });
  return outcome !== undefined && 'value' in outcome ? outcome.value : String(value);
}

function celQuantity(nanos: bigint): CelInput {
  const { opaque } = load('../../../../cel/opaque') as typeof OpaqueTypes;
  return opaque('quantity', Quantity.ofNanos(nanos), String(nanos));
}

const CAPACITY =
  /^device\.capacity\[["'][^"']+["']\]\.(\w+)\.(?:compareTo\(quantity\(["']([^"']+)["']\)\)\s*(>=|>)\s*0|isGreaterThan\(quantity\(["']([^"']+)["']\)\))$/;
const ATTRIBUTE = /^device\.attributes\[["'][^"']+["']\]\.(\w+)\s*(==|>=|>|<=|<|!=)\s*(.+)$/;

/** `no device of gpu.nvidia.com has memory >= 100Gi; the largest has 80Gi`: the first selector that excludes all devices that are left. */
export function whyNone(
  className: string,
  selectors: readonly DeviceSelector[],
  classSelectors: number,
  devices: readonly KnownDevice[],
): string {
  let left = devices;
  for (const [at, { text, accepts, fault }] of selectors.entries()) {
    const next = left.filter(({ driver, device }) => accepts(driver, device));
    if (next.length === 0) {
      const wrong = left.length === 0 ? undefined : fault();
      if (wrong !== undefined) {
        return `no device of ${className} matches the selector ${text.trim()}, which ${wrong}`;
      }
      return at < classSelectors || left.length === 0
        ? `no ResourceSlice has a device of ${className}`
        : `no device of ${className} ${requirement(text, left)}`;
    }
    left = next;
  }
  return `no node can use a device of ${className} that the request tolerates`;
}

function requirement(text: string, devices: readonly KnownDevice[]): string {
  const capacity = CAPACITY.exec(text.trim());
  if (capacity !== null) {
    const [, name = '', atLeast, operator = '>', above] = capacity;
    const amounts = devices.flatMap(({ device }) => {
      const found = [...device.capacity].find(([key]) => key.slice(key.indexOf('/') + 1) === name);
      return found === undefined ? [] : [found[1].value];
    });
    const most = amounts.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
    return `has ${name} ${operator} ${atLeast ?? above}${most === undefined ? '' : `; the largest has ${amountText(most)}`}`;
  }
  const attribute = ATTRIBUTE.exec(text.trim());
  if (attribute !== null) {
    const [, name = '', operator = '==', value = ''] = attribute;
    return `has ${name} ${operator} ${value.trim()}`;
  }
  return `matches the selector ${text.trim()}`;
}

/** In the largest binary unit that divides it. */
function amountText(nanos: bigint): string {
  const amount = nanos / 1_000_000_000n;
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  let unit = 0;
  let rest = amount;
  while (unit < units.length - 1 && rest >= 1024n && rest % 1024n === 0n) {
    rest /= 1024n;
    unit++;
  }
  return `${rest}${units[unit]}`;
}
