/**
 * Claims and slices as the placement core sees them.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { ClaimedDevices } from '../../../src/runtime/kubernetes/world/claimed-devices';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { DeviceView } from '../../../src/runtime/kubernetes/world/device-view';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { pod, Source } from './watched-source';

const CLAIM: JsonObject = {
  metadata: { name: 'c', namespace: 'default', uid: 'u-1' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpus' } }] } },
};
const SLICE: JsonObject = {
  metadata: { name: 's' },
  spec: {
    driver: 'gpu.example.com',
    nodeName: 'n-0',
    pool: { name: 'n-0', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'gpu-0' }],
  },
};

test('what exists before anything changes is seen, also by claims that no pod names', () => {
  const view = new DeviceView(
    { slices: new Map([['s', SLICE]]), classes: new Map(), claims: new Map([['default/c', CLAIM]]) },
    new ClaimedDevices(),
    { inUse: () => false, named: () => undefined, names: () => [] },
    new Map(),
  );
  const { slices = [], claims = new Map<string, unknown>() } = view.value() ?? {};
  expect(slices.map(({ name }) => name)).toEqual(['s']);
  expect([...claims.keys()]).toEqual(['claim:default/c']);
});

test('nothing is kept of pods with claims that are deleted', () => {
  const source = new Source();
  const { devices } = new World(source, DEFAULT_CONFIGURATION);
  const kept = (): number =>
    Object.values(devices).reduce(
      (sum: number, member) => sum + (member instanceof Map || member instanceof Set ? member.size : 0),
      0,
    );
  source.put('resourceClaims', CLAIM);
  const resourceClaims: JsonObject[] = [
    { name: 'shared', resourceClaimName: 'c' },
    { name: 'own', resourceClaimTemplateName: 'one' },
  ];
  const status = { resourceClaimStatuses: [{ name: 'own', resourceClaimName: 'not-created-yet' }] };
  const names = ['a', 'b'];
  names.forEach((name) =>
    source.put('pods', { ...pod(name, { spec: { schedulerName: 'gantry', resourceClaims } }), status }),
  );
  devices.value(() => false);
  expect([...devices.usersOfClaim('claim:default/c')].map(({ key }) => key)).toEqual(['default/a', 'default/b']);
  expect([...devices.usersOfClaim('claim:default/not-created-yet')]).toHaveLength(2);
  names.forEach((name) => source.remove('pods', `default/${name}`));
  devices.value(() => false);
  expect(kept()).toBe(0);
});
