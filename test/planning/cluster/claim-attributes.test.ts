/** Attributes of devices with one value and with lists of them, as selectors see them, and shares of devices as claims state them. */
import { type JsonObject } from '../../../src/facts/api/schema';
import { ClaimReader, allocationOf, classSelectorsOf } from '../../../src/planning/cluster/objects/claims/read-claims';
import { sliceOf } from '../../../src/planning/cluster/objects/claims/read-slices';

const DRIVER = 'gpu.example.com';

/** Whether a claim with the selector accepts a device with the attributes. */
function accepts(attributes: JsonObject, expression: string): boolean {
  const slice = sliceOf({ spec: { driver: DRIVER, devices: [{ name: 'd', attributes }] } }, new Map());
  const { claim, problem } = new ClaimReader(new Map([['c', []]]), true).read(
    { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', selectors: [{ cel: { expression } }] } }] } },
    'claim',
    'claim',
  );
  expect(problem).toBeUndefined();
  const [device] = slice.devices;
  const [alternative] = claim?.requests[0]?.alternatives ?? [];
  return device !== undefined && alternative !== undefined && alternative.accepts(DRIVER, device);
}

const of = (rest: string): string => `device.attributes["${DRIVER}"].${rest}`;

it.each<[attributes: JsonObject, expression: string, accepted: boolean]>([
  [{ numa: { ints: [0, 1] } }, of('numa.includes(1)'), true],
  [{ numa: { ints: [0, 1] } }, of('numa.includes(2)'), false],
  [{ numa: { int: 1 } }, of('numa.includes(1)'), true],
  [{ numa: { int: 1 } }, of('numa.includes(0)'), false],
  [{ numa: { ints: [0, 1] } }, of('numa.exists(one, one == 1)'), true],
  [{ numa: { ints: [1] } }, `1 in ${of('numa')}`, true],
  // A list of one value is a list.
  [{ numa: { ints: [1] } }, of('numa == 1'), false],
  [{ numa: { int: 1 } }, of('numa == 1'), true],
  [{ root: { strings: ['a', 'b'] } }, of('root.includes("b")'), true],
  [{ root: { strings: ['a', 'b'] } }, of('root.includes("c")'), false],
  [{ healthy: { bools: [true, false] } }, of('healthy.includes(false)'), true],
  [{ driver: { versions: ['1.0.0', '2.1.0'] } }, of('driver.includes(semver("2.1.0"))'), true],
  [{ driver: { versions: ['1.0.0', '2.1.0'] } }, of('driver.exists(one, one.isGreaterThan(semver("2.0.0")))'), true],
  [{ driver: { versions: ['1.0.0'] } }, of('driver.exists(one, one.isGreaterThan(semver("2.0.0")))'), false],
  // A list that is partly unreadable is not read at all.
  [{ numa: { ints: [0, 'x'] } }, of('numa.includes(0)'), false],
  [{ numa: {} }, `"numa" in device.attributes["${DRIVER}"]`, false],
  [{ numa: { int: 0 } }, `"numa" in device.attributes["${DRIVER}"]`, true],
  // No device has more values than this.
  [{ numa: { ints: range(48) } }, of('numa.includes(47)'), true],
  [{ numa: { ints: range(49) } }, of('numa.includes(47)'), true],
  [{ numa: { ints: range(49) } }, of('numa.includes(48)'), false],
  [{ numa: { ints: range(48) } }, `!${of('numa.includes(99)')}`, true],
  [{ numa: { ints: range(49) } }, `!${of('numa.includes(99)')}`, false],
])('%j: %s is %s', (attributes, expression, accepted) => {
  expect(accepts(attributes, expression)).toBe(accepted);
});

it('a class with a selector of another kind accepts no device', () => {
  const reader = new ClaimReader(
    classSelectorsOf([{ metadata: { name: 'new' }, spec: { selectors: [{ later: {} }] } }]),
    true,
  );
  const request = { name: 'r', exactly: { deviceClassName: 'new' } };
  expect(reader.read({ devices: { requests: [request] } }, 'claim', 'the claim').problem).toBe(
    'request "r" of the claim has a selector without a CEL expression',
  );
});

/** The claim with the selector. */
function read(expression: string): ReturnType<ClaimReader['read']> {
  const request = { name: 'r', exactly: { deviceClassName: 'c', selectors: [{ cel: { expression } }] } };
  return new ClaimReader(new Map([['c', []]]), true).read({ devices: { requests: [request] } }, 'claim', 'the claim');
}

/** Why a device without attributes is none for it. */
function reasonOf(expression: string): string | undefined {
  const { devices } = sliceOf({ spec: { driver: DRIVER, devices: [{ name: 'd' }] } }, new Map());
  const [alternative] = read(expression).claim?.requests[0]?.alternatives ?? [];
  return alternative?.whyNone?.(devices.map((device) => ({ driver: DRIVER, device })));
}

it.each([
  ['device.driver ==', 'unexpected end of the expression at line 1, column 17'],
  ['device..driver == "x"', 'unexpected "." at line 1, column 8'],
])('the problem of a claim with the selector %s is that it does not compile: %s', (expression, place) => {
  expect(read(expression).problem).toBe(`request "r" of the claim has a selector that does not compile: ${place}`);
});

it.each([
  ['dev.driver == "x"', 'references the undeclared variable "dev"'],
  ['device.drive == "x"', 'selects the undefined field "drive"'],
  ['device.driver', 'must evaluate to bool or any, but evaluates to string'],
  ['device.driver.startsWith(1)', 'calls the function "startsWith" with the unsupported types string.(int)'],
])('the reason of a claim that waits with the selector %s is that it %s', (expression, fault) => {
  expect(read(expression).problem).toBeUndefined();
  expect(reasonOf(expression)).toBe(`no device of c matches the selector ${expression}, which ${fault}`);
});

it.each([
  'device.driver == "x"',
  'device.allowMultipleAllocations && semver("1.2.3").major() == 1',
  of('numa.includes(1)'),
  of('includes(1)'),
])('the selector %s, which a server may have stored, has no fault', (expression) => {
  expect(reasonOf(expression)).toMatch(/^no device of c (?!.*which)/);
});

it('a result with a share ID is a share, also of a device without capacities', () => {
  const allocated = (more: JsonObject): unknown =>
    allocationOf(
      { devices: { results: [{ request: 'r', driver: DRIVER, pool: 'p', device: 'd', ...more }] } },
      new Map(),
      true,
    ).devices[0]?.share;
  expect(allocated({})).toBeUndefined();
  expect(allocated({ shareID: 'a' })).toEqual(new Map());
  expect(allocated({ shareID: 'a', consumedCapacity: { memory: '2' } })).toEqual(new Map([['memory', 2_000_000_000n]]));
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
