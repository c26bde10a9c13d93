/**
 * Small random worlds of devices by claim, each twice: as the placement core sees it, and as the API objects that state the same.
 */
import {
  type Device,
  type DeviceAttribute,
  type DeviceCapacity,
  type DeviceClaim,
  type DeviceConstraint,
  type DeviceId,
  deviceKey,
  type DeviceRequest,
  type DeviceSlice,
  type DeviceTaint,
  type HeldDevices,
  type RequestAlternative,
} from '../../../src/placement/model/claims';
import { type Random } from '../../support/random';

export const NODE = 'here';

export interface World {
  readonly slices: readonly DeviceSlice[];
  readonly held: HeldDevices;
  readonly claims: readonly DeviceClaim[];
  /** The same for a program that reads the API's objects. */
  readonly api: object;
}

const GPU = 'gpu.example.com';
const DRIVERS = [GPU, 'nic.example.com'];
const UNIT = 1_000_000_000n;

/** A condition on devices, in CEL and as a function. */
interface Selector {
  readonly text: string;
  readonly accepts: (driver: string, device: Device) => boolean;
}

interface Part<T> {
  readonly value: T;
  readonly api: object;
}

export function makeWorld(random: Random): World {
  const pools = range(1 + below(random, 3)).map((index) => makePool(random, `pool-${index}`));
  const slices = pools.flatMap((pool) => pool.map(({ value }) => value));
  const devices = slices.flatMap(({ driver, pool, devices: all }) =>
    all.map((device) => ({ id: { driver, pool, device: device.name }, device })),
  );
  const whole: DeviceId[] = [];
  const shares: { id: DeviceId; capacity: ReadonlyMap<string, bigint> }[] = [];
  for (const { id, device } of devices) {
    if (!random.chance(0.12)) {
      continue;
    }
    if (device.shareable) {
      const capacity = new Map(
        [...device.capacity].map(([name, { value }]) => [name, value / 4n - ((value / 4n) % UNIT)]),
      );
      shares.push({ id, capacity });
    } else {
      whole.push(id);
    }
  }
  const classes = range(2).map((index) => ({
    name: `class-${index}`,
    selector: random.chance(0.3) ? makeSelector(random) : undefined,
  }));
  const claims = range(1 + below(random, 2)).map((index) => makeClaim(random, `claim-${index}`, classes));
  return {
    slices,
    held: {
      whole: new Set(whole.map(deviceKey)),
      shares: new Map(shares.map(({ id, capacity }) => [deviceKey(id), capacity])),
    },
    claims: claims.map(({ value }) => value),
    api: {
      node: { metadata: { name: NODE } },
      slices: shuffled(
        random,
        pools.flat().map(({ api }) => api),
      ),
      classes: classes.map(({ name, selector }) => ({
        metadata: { name },
        spec: selector === undefined ? {} : { selectors: [{ cel: { expression: selector.text } }] },
      })),
      claims: claims.map(({ api }) => api),
      whole: whole.map((id) => ({ ...id })),
      shares: shares.map(({ id, capacity }) => ({ ...id, capacity: quantities(capacity) })),
    },
  };
}

function makePool(random: Random, pool: string): readonly Part<DeviceSlice>[] {
  const driver = random.pick([...DRIVERS, GPU, GPU]);
  const counted = random.chance(0.35);
  const shape = makeShape(random, counted);
  const deviceSlices = 1 + below(random, 2);
  const count = deviceSlices + (counted ? 1 : 0);
  const claimed = count + (random.chance(0.05) ? 1 : 0);
  const header = (name: string): object => ({ metadata: { name } });
  const poolApi = { name: pool, generation: 1, resourceSliceCount: claimed };
  const parts: Part<DeviceSlice>[] = range(deviceSlices).map((index) => {
    const name = `${pool}-${below(random, 1000)}-${index}`;
    const devices = range(1 + below(random, 4)).map((at) => makeDevice(random, `dev-${index}-${at}`, shape));
    const perDevice = counted && random.chance(0.3);
    const scope = random.chance(0.15) ? 'there' : NODE;
    const scoped = devices.map((device) => {
      const node = random.chance(0.3) ? 'there' : NODE;
      return perDevice
        ? {
            value: { ...device.value, nodes: (asked: string) => asked === node },
            api: { ...device.api, nodeName: node },
          }
        : device;
    });
    return {
      value: {
        name,
        driver,
        pool,
        generation: 1,
        sliceCount: claimed,
        nodes: perDevice ? 'per-device' : (asked: string) => asked === scope,
        devices: scoped.map(({ value }) => value),
        counters: new Map(),
      },
      api: {
        ...header(name),
        spec: {
          driver,
          pool: poolApi,
          ...(perDevice ? { perDeviceNodeSelection: true } : { nodeName: scope }),
          devices: scoped.map(({ api }) => api),
        },
      },
    };
  });
  if (counted) {
    const amounts = new Map(shape.counters.map((name) => [name, BigInt(2 + below(random, 6)) * UNIT]));
    const name = `${pool}-counters`;
    parts.push({
      value: {
        name,
        driver,
        pool,
        generation: 1,
        sliceCount: claimed,
        nodes: () => true,
        devices: [],
        counters: new Map([['set', amounts]]),
      },
      api: {
        ...header(name),
        spec: {
          driver,
          pool: poolApi,
          allNodes: true,
          sharedCounters: [
            {
              name: 'set',
              counters: Object.fromEntries([...amounts].map(([key, value]) => [key, { value: quantity(value) }])),
            },
          ],
        },
      },
    });
  }
  return parts;
}

interface Shape {
  readonly counters: readonly string[];
  readonly shareable: number;
}

function makeShape(random: Random, counted: boolean): Shape {
  return { counters: counted ? ['memory', 'slices'] : [], shareable: random.chance(0.3) ? 0.6 : 0 };
}

function makeDevice(random: Random, name: string, { counters, shareable }: Shape): Part<Device> {
  const attributes = new Map<string, DeviceAttribute>();
  if (random.chance(0.9)) {
    attributes.set('model', { type: 'string', values: [random.pick(['a', 'b'])] });
  }
  if (random.chance(0.8)) {
    attributes.set('numa', { type: 'int', values: [BigInt(below(random, 2))] });
  }
  if (random.chance(0.5)) {
    attributes.set('common.example.com/root', { type: 'string', values: [random.pick(['r0', 'r1', 'r2'])] });
  }
  const capacity = new Map<string, DeviceCapacity>();
  const isShareable = random.chance(shareable);
  if (isShareable || random.chance(0.5)) {
    capacity.set('memory', makeCapacity(random));
  }
  const consumes =
    counters.length > 0 && random.chance(0.85)
      ? [
          {
            set: 'set',
            counters: new Map(
              counters.filter(() => random.chance(0.8)).map((key) => [key, BigInt(1 + below(random, 3)) * UNIT]),
            ),
          },
        ]
      : [];
  const taints: readonly DeviceTaint[] = random.chance(0.12)
    ? [
        {
          key: random.pick(['health', 'owner']),
          value: random.pick(['bad', '']),
          effect: random.pick(['NoSchedule', 'NoExecute', 'None']),
        },
      ]
    : [];
  return {
    value: { name, attributes, capacity, consumes, taints, shareable: isShareable, bindsLater: false },
    api: {
      name,
      attributes: Object.fromEntries(
        [...attributes].map(([key, { type, values }]) => [
          key,
          { [type]: type === 'int' ? Number(values[0]) : String(values[0]) },
        ]),
      ),
      capacity: Object.fromEntries(
        [...capacity].map(([key, { value, policy }]) => [
          key,
          { value: quantity(value), ...(policy && { requestPolicy: policyApi(policy) }) },
        ]),
      ),
      ...(consumes.length > 0 && {
        consumesCounters: consumes.map((use) => ({
          counterSet: use.set,
          counters: Object.fromEntries([...use.counters].map(([key, value]) => [key, { value: quantity(value) }])),
        })),
      }),
      ...(taints.length > 0 && { taints: taints.map((taint) => ({ ...taint })) }),
      ...(isShareable && { allowMultipleAllocations: true }),
    },
  };
}

function makeCapacity(random: Random): DeviceCapacity {
  const value = BigInt(random.pick([8, 10, 16])) * UNIT;
  if (random.chance(0.5)) {
    return { value };
  }
  if (random.chance(0.5)) {
    return { value, policy: { default: 2n * UNIT, values: [2n * UNIT, 4n * UNIT, 8n * UNIT] } };
  }
  return {
    value,
    policy: {
      default: 2n * UNIT,
      range: {
        min: 2n * UNIT,
        ...(random.chance(0.5) && { max: 8n * UNIT }),
        ...(random.chance(0.5) && { step: 2n * UNIT }),
      },
    },
  };
}

function policyApi({ default: preset, values, range: allowed }: NonNullable<DeviceCapacity['policy']>): object {
  return {
    ...(preset !== undefined && { default: quantity(preset) }),
    ...(values && { validValues: values.map(quantity) }),
    ...(allowed && { validRange: quantities(new Map(Object.entries(allowed))) }),
  };
}

function makeClaim(
  random: Random,
  name: string,
  classes: readonly { name: string; selector: Selector | undefined }[],
): Part<DeviceClaim> {
  const requests = range(random.pick([1, 1, 2, 2, 3])).map((index) => makeRequest(random, `r${index}`, classes));
  const names = requests.flatMap(({ value }) => [
    value.name,
    ...value.alternatives.flatMap((one) => (one.name === undefined ? [] : [`${value.name}/${one.name}`])),
  ]);
  const constraints: readonly DeviceConstraint[] = range(random.pick([0, 0, 0, 1, 1, 2])).map(() => ({
    kind: random.chance(0.7) ? 'match' : 'distinct',
    attribute: random.pick([`${GPU}/model`, `${GPU}/numa`, 'nic.example.com/numa', 'common.example.com/root']),
    requests: random.chance(0.5) ? [] : names.filter(() => random.chance(0.6)),
  }));
  return {
    value: { name, requests: requests.map(({ value }) => value), constraints },
    api: {
      metadata: { name, namespace: 'default' },
      spec: {
        devices: {
          requests: requests.map(({ api }) => api),
          constraints: constraints.map(({ kind, attribute, requests: of }) => ({
            [kind === 'match' ? 'matchAttribute' : 'distinctAttribute']: attribute,
            ...(of.length > 0 && { requests: [...of] }),
          })),
        },
      },
    },
  };
}

function makeRequest(
  random: Random,
  name: string,
  classes: readonly { name: string; selector: Selector | undefined }[],
): Part<DeviceRequest> {
  if (random.chance(0.7)) {
    const { value, api } = makeAlternative(random, undefined, classes);
    return { value: { name, alternatives: [value] }, api: { name, exactly: api } };
  }
  const ways = range(1 + below(random, 3)).map((index) => makeAlternative(random, `s${index}`, classes));
  return {
    value: { name, alternatives: ways.map(({ value }) => value) },
    api: { name, firstAvailable: ways.map(({ api }, index) => ({ name: `s${index}`, ...api })) },
  };
}

function makeAlternative(
  random: Random,
  name: string | undefined,
  classes: readonly { name: string; selector: Selector | undefined }[],
): Part<RequestAlternative> {
  const deviceClass = random.pick(classes);
  const selectors = [
    ...(deviceClass.selector ? [deviceClass.selector] : []),
    ...(random.chance(0.35) ? [makeSelector(random)] : []),
  ];
  const own = selectors.slice(deviceClass.selector ? 1 : 0);
  const all = random.chance(0.12);
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  const adminAccess = name === undefined && random.chance(0.08);
  const tolerations = random.chance(0.15)
    ? [
        random.pick([
          { operator: 'Exists' },
          { key: 'health', operator: 'Exists' },
          { key: 'health', operator: 'Equal', value: 'bad', effect: 'NoSchedule' },
        ]),
      ]
    : [];
  const capacity = new Map(random.chance(0.2) ? [['memory', BigInt(1 + below(random, 9)) * UNIT]] : []);
  return {
    value: {
      ...(name !== undefined && { name }),
      accepts: (driver, device) => selectors.every(({ accepts }) => accepts(driver, device)),
      count: all ? 'all' : count,
      adminAccess,
      tolerations,
      capacity,
    },
    api: {
      deviceClassName: deviceClass.name,
      ...(all ? { allocationMode: 'All' } : { allocationMode: 'ExactCount', count }),
      ...(own.length > 0 && { selectors: own.map(({ text }) => ({ cel: { expression: text } })) }),
      ...(adminAccess && { adminAccess }),
      ...(tolerations.length > 0 && { tolerations }),
      ...(capacity.size > 0 && { capacity: { requests: quantities(capacity) } }),
    },
  };
}

function makeSelector(random: Random): Selector {
  const driver = random.pick([...DRIVERS, GPU, GPU]);
  return random.pick<Selector>([
    { text: `device.driver == "${driver}"`, accepts: (asked) => asked === driver },
    {
      text: `device.driver == "${driver}" && "model" in device.attributes["${driver}"] && device.attributes["${driver}"].model == "a"`,
      accepts: (asked, device) => asked === driver && device.attributes.get('model')?.values[0] === 'a',
    },
    {
      text: `device.driver == "${driver}" && "memory" in device.capacity["${driver}"] && device.capacity["${driver}"].memory.compareTo(quantity("10")) >= 0`,
      accepts: (asked, device) => asked === driver && (device.capacity.get('memory')?.value ?? 0n) >= 10n * UNIT,
    },
  ]);
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Amounts in the worlds are whole. */
function quantity(amount: bigint): string {
  return String(amount / UNIT);
}

function quantities(amounts: ReadonlyMap<string, bigint>): object {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, quantity(amount)]));
}

function below(random: Random, count: number): number {
  return Math.floor(random.next() * count);
}

function shuffled<T>(random: Random, values: readonly T[]): readonly T[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
