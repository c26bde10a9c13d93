/**
 * Bounds of rules at their edges: the last value that is valid, and the first that is not.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { podTemplateRules } from '../../../src/checks/server/pods/rules';
import { findingsOf } from '../../support/findings';
import { type Json, minimalPod, yaml } from './valid';

const list = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const request = (index: number): Json => ({ name: `gpu-${index}`, exactly: { deviceClassName: 'gpu.nvidia.com' } });

function claim(devices: Json): readonly string[] {
  const object = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c' },
    spec: { devices },
  };
  return findingsOf(yaml(object), coreRules).map(({ rule, path }) => `${rule} ${path}`);
}

const OPAQUE = { opaque: { driver: 'gpu.nvidia.com', parameters: { kind: 'GpuConfig' } } };
const selector = { cel: { expression: 'device.driver == "gpu.nvidia.com"' } };

describe.each([
  ['requests', (count: number): Json => ({ requests: list(count, request) }), '/spec/devices/requests'],
  [
    'constraints',
    (count: number): Json => ({
      requests: [request(0)],
      constraints: list(count, () => ({ requests: ['gpu-0'], matchAttribute: 'gpu.nvidia.com/numa' })),
    }),
    '/spec/devices/constraints',
  ],
  [
    'configurations',
    (count: number): Json => ({ requests: [request(0)], config: list(count, () => OPAQUE) }),
    '/spec/devices/config',
  ],
  [
    'selectors of a request',
    (count: number): Json => ({
      requests: [
        { name: 'gpu', exactly: { deviceClassName: 'gpu.nvidia.com', selectors: list(count, () => selector) } },
      ],
    }),
    '/spec/devices/requests/0/exactly/selectors',
  ],
])('a claim has at most 32 %s', (_, devices, path) => {
  it('so that 32 pass, and 33 do not', () => {
    expect(claim(devices(32))).toEqual([]);
    expect(claim(devices(33)).map((found) => found.split(' ')[1])).toEqual([path]);
  });
});

describe('mounts of a container', () => {
  const container = { volumeMounts: [], volumeDevices: [] } as Json;
  const claim: Json = { name: 'a', persistentVolumeClaim: { claimName: 'a' } };
  const faults = (mounts: readonly Json[], more: Json = {}, volumes: readonly Json[] = [claim]): readonly string[] => {
    const pod = minimalPod();
    const spec = pod.spec as Json;
    spec.volumes = [...volumes];
    const [main] = spec.containers as Json[];
    Object.assign(main, container, { volumeMounts: mounts, ...more });
    return findingsOf(yaml(pod), podTemplateRules).map(({ rule, path, message }) => `${rule} ${path}: ${message}`);
  };

  it('have a name of a volume and a path', () => {
    expect(faults([{ name: 'a', mountPath: '/a' }])).toEqual([]);
    expect(faults([{ name: '', mountPath: '/a' }])).toEqual([
      expect.stringMatching(
        /^core\/volume-mount-has-volume .*volumeMounts\/0\/name: volumeMounts\[0\]\.name must be set/,
      ),
    ]);
    expect(faults([{ name: 'a', mountPath: '' }])).toEqual([
      expect.stringMatching(/^core\/volume-mount-path-valid .*volumeMounts\/0\/mountPath: mountPath must be set/),
    ]);
  });

  it('have a path each, and neither path nor volume of a device', () => {
    const mount = { name: 'a', mountPath: '/a' };
    expect(faults([mount, mount])).toEqual([expect.stringContaining('volumeMounts/1/mountPath')]);
    expect(faults([mount], { volumeDevices: [{ name: 'a', devicePath: '/dev/a' }] })).toEqual([
      expect.stringMatching(/volumeMounts\/0\/name: .*must not be in both volumeMounts and volumeDevices/),
    ]);
    expect(faults([mount], { volumeDevices: [{ name: 'b', devicePath: '/a' }] })).toEqual(
      expect.arrayContaining([expect.stringMatching(/volumeMounts\/0\/mountPath: .*is also the path of a device/)]),
    );
  });

  it('name one of subPath and subPathExpr, and reach the host only from a privileged container', () => {
    expect(faults([{ name: 'a', mountPath: '/a', subPath: 'x', subPathExpr: 'y' }])).toEqual([
      expect.stringContaining('subPath must not be set when subPathExpr is set'),
    ]);
    const out = { name: 'a', mountPath: '/a', mountPropagation: 'Bidirectional' };
    expect(faults([out])).toEqual([expect.stringContaining('available only to privileged containers')]);
    expect(faults([out], { securityContext: { privileged: true } })).toEqual([]);
    expect(faults([{ ...out, mountPropagation: 'Both' }])).toEqual([expect.stringContaining('"Both"')]);
  });

  it('name a volume that exists', () => {
    expect(faults([{ name: 'b', mountPath: '/b' }])).toEqual([
      expect.stringMatching(
        /^core\/volume-mount-has-volume .*volumeMounts\/0\/name: the container "main" mounts the unknown volume "b"$/,
      ),
    ]);
  });

  it.each<[Json, readonly string[]]>([
    [{ recursiveReadOnly: 'Disabled' }, []],
    [{ recursiveReadOnly: 'Enabled', readOnly: true }, []],
    [{ recursiveReadOnly: 'IfPossible', readOnly: true, mountPropagation: 'None' }, []],
    [{ recursiveReadOnly: 'IfPossible' }, ['recursiveReadOnly requires readOnly: true']],
    [
      { recursiveReadOnly: 'Enabled', readOnly: true, mountPropagation: 'HostToContainer' },
      ['recursiveReadOnly must not be set together with mount propagation'],
    ],
    [{ recursiveReadOnly: 'Always', readOnly: true }, ['unsupported value "Always" for recursiveReadOnly']],
  ])('are read-only in all that is mounted below, or not: %j', (more, messages) => {
    expect(faults([{ name: 'a', mountPath: '/a', ...more }])).toEqual(
      messages.map((message) => expect.stringMatching(`volumeMounts/0/recursiveReadOnly: ${message}$`) as string),
    );
  });

  it.each<[readonly Json[], readonly string[]]>([
    [[{ name: 'a', devicePath: '/dev/a' }], []],
    [[{ name: '', devicePath: '/dev/a' }], ['0/name: volumeDevices[0].name must be set']],
    [[{ name: 'b', devicePath: '/dev/b' }], ['0/name: unknown volume "b"']],
    [
      [{ name: 'empty', devicePath: '/dev/e' }],
      ['0/name: the volume "empty" must have a persistentVolumeClaim to be used as a block device'],
    ],
    [
      ['/dev/a', '/dev/b'].map((devicePath) => ({ name: 'a', devicePath })),
      ['1/name: duplicate volume "a" in volumeDevices'],
    ],
    [['a', 'c'].map((name) => ({ name, devicePath: '/dev/a' })), ['1/devicePath: duplicate device path "/dev/a"']],
    [[{ name: 'a', devicePath: '' }], ['0/devicePath: volumeDevices[0].devicePath must be set']],
    [[{ name: 'a', devicePath: '/dev/../a' }], ['0/devicePath: devicePath must not contain ".."']],
  ])('as devices have a claim, a name, and a path each: %j', (volumeDevices, messages) => {
    const volumes = ['a', 'c'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    expect(faults([], { volumeDevices: [...volumeDevices] }, [...volumes, { name: 'empty', emptyDir: {} }])).toEqual(
      messages.map(
        (message) => expect.stringMatching(`core/volume-device-valid .*volumeDevices/${escaped(message)}$`) as string,
      ),
    );
  });
});

function escaped(text: string): string {
  return text.replace(/[[\].]/g, '\\$&');
}
