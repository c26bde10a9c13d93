import { type JsonObject } from '../../../src/facts/api/schema';
import { type PodClaim, templateOf } from '../../../src/planning/cluster/objects/pod';
import { chargedDevices } from '../../../src/planning/cluster/objects/claims/charges';

const cel = (expression: string): JsonObject => ({ cel: { expression } });
const CLASSES: Readonly<Record<string, JsonObject>> = {
  mine: { selectors: [cel('device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"')] },
  named: { extendedResourceName: 'example.com/gpu' },
  'mig.nvidia.com': { selectors: [cel("device.driver == 'gpu.nvidia.com'")] },
  other: { selectors: [cel('device.driver == "nic.example.com"')] },
};
const charge = (...requests: JsonObject[]): object =>
  chargedDevices({ devices: { requests } }, (name) => CLASSES[name]);
const exactly = (deviceClassName: string, more: JsonObject = {}): JsonObject => ({
  name: 'r',
  exactly: { deviceClassName, ...more },
});
const profile = (text: string): JsonObject => ({ selectors: [cel(text)] });
const IS_2G = 'device.attributes["gpu.nvidia.com"].profile == "2g.20gb"';

describe('what queues are charged for claims', () => {
  it.each([
    ['a class of a known driver', [exactly('gpu.amd.com', { count: 2 })], { 'amd.com/gpu': 2 }],
    ['a class of its own for that driver', [exactly('mine')], { 'nvidia.com/gpu': 1 }],
    ['a class with a resource', [exactly('named', { count: 3 })], { 'example.com/gpu': 3 }],
    ['a class of which nothing says what it is', [exactly('other'), exactly('none')], {}],
    ['several requests', [exactly('mine'), exactly('mine', { count: 2 })], { 'nvidia.com/gpu': 3 }],
    ['the flat form of v1beta1', [{ name: 'r', deviceClassName: 'mine', count: 2 }], { 'nvidia.com/gpu': 2 }],
    ['all devices', [exactly('mine', { allocationMode: 'All' })], { 'nvidia.com/gpu': 32 }],
    ['admin access', [exactly('mine', { adminAccess: true })], {}],
    ['an instance of a profile', [exactly('mig.nvidia.com', profile(IS_2G))], { 'nvidia.com/gpu': 2 / 7 }],
    ['an instance of any profile', [exactly('mig.nvidia.com')], { 'nvidia.com/gpu': 1 }],
    [
      'a profile that can be avoided',
      [exactly('mig.nvidia.com', profile(`${IS_2G} || true`))],
      { 'nvidia.com/gpu': 1 },
    ],
  ])('%s', (_, requests, charged) => {
    expect(charge(...requests)).toEqual(charged);
  });

  it('is the most that any alternative takes of each class', () => {
    const firstAvailable = [
      { name: 'a', deviceClassName: 'gpu.amd.com', count: 1 },
      { name: 'b', deviceClassName: 'mine', count: 4 },
      { name: 'c', deviceClassName: 'mine', count: 2 },
    ];
    expect(charge({ name: 'r', firstAvailable })).toEqual({ 'amd.com/gpu': 1, 'nvidia.com/gpu': 4 });
  });
});

test('a claim of its own is charged with the pod, one that it may share once, whatever number of entries name it', () => {
  const podClaims: readonly PodClaim[] = [
    { key: 'template:default/t', devices: { 'nvidia.com/gpu': 2 } },
    { key: 'claim:default/c', devices: { 'nvidia.com/gpu': 4 } },
    { key: 'claim:default/c', devices: { 'nvidia.com/gpu': 4 } },
    { key: 'claim:default/network', devices: {} },
  ];
  const { charged, sharedCharges } = templateOf({ metadata: {}, spec: {}, namespace: '' }, { podClaims });
  expect(charged).toEqual({ 'nvidia.com/gpu': 6 });
  expect(sharedCharges).toEqual({ 'claim:default/c': { 'nvidia.com/gpu': 4 } });
});
