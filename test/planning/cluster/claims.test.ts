/**
 * Claims in a plan: the devices of each pod, why claims are not allocated, and situations that other schedulers do not solve.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { clusterOfObjects } from '../../../src/planning/cluster/from-objects';
import { type ViewGang } from '../../../src/planning/cluster/view/view';
import { gangNamed, plan } from './builders';

const DRIVER = 'gpu.nvidia.com';

function node(name: string, gpus = 0, labels: Record<string, string> = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      allocatable: { cpu: '8', memory: '64Gi', pods: '20', ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }) },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

function gpu(name: string, memory: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    attributes: { type: { string: 'gpu' }, productName: { string: 'NVIDIA A100' } },
    capacity: { memory: { value: memory } },
    ...more,
  };
}

function slice(on: string, devices: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `${on}-slice` },
    spec: {
      driver: DRIVER,
      nodeName: on,
      pool: { name: on, generation: 1, resourceSliceCount: 1 },
      devices: [...devices],
      ...more,
    },
  };
}

function claims(name: string, requests: string, kind = 'ResourceClaimTemplate'): string {
  const spec = `{devices: {requests: ${requests}}}`;
  return `apiVersion: resource.k8s.io/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ml}\nspec: ${kind === 'ResourceClaim' ? spec : `{spec: ${spec}}`}`;
}

function job(name: string, pods: number, claim: string, resources = '{}'): string {
  return `apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: ${name}, namespace: ml}\nspec: {minAvailable: ${pods}, tasks: [{name: w, replicas: ${pods}, template: {spec: {resourceClaims: [{name: g, ${claim}}], containers: [{name: c, resources: ${resources}}]}}}]}`;
}

function devices({ claims: all = [] }: ViewGang): readonly string[] {
  return all.map(({ node: on, request, driver, pool, device }) => `${on}: ${request}=${driver}/${pool}/${device}`);
}

const large = claims(
  'large',
  `[{name: gpu, exactly: {deviceClassName: ${DRIVER}, selectors: [{cel: {expression: 'device.capacity["${DRIVER}"].memory.compareTo(quantity("100Gi")) >= 0'}}]}}]`,
);
const any = claims('any', `[{name: gpu, exactly: {deviceClassName: ${DRIVER}}}]`);

describe('claims in a plan', () => {
  it('each pod has the devices of its claims, by driver, pool, and name', () => {
    const cluster = clusterOfObjects(
      [node('n-1'), node('n-2'), slice('n-1', [gpu('gpu-0', '80Gi')]), slice('n-2', [gpu('gpu-0', '141Gi')])],
      'live',
    );
    const made = plan(
      [large, any, job('a', 1, 'resourceClaimTemplateName: large'), job('b', 1, 'resourceClaimTemplateName: any')],
      cluster,
    );
    expect(devices(gangNamed(made, 'ml/a'))).toEqual(['n-2: gpu=gpu.nvidia.com/n-2/gpu-0']);
    expect(devices(gangNamed(made, 'ml/b'))).toEqual(['n-1: gpu=gpu.nvidia.com/n-1/gpu-0']);
  });

  it('a reason names the request, and the selector that excludes all devices', () => {
    const cluster = clusterOfObjects([node('n-1'), slice('n-1', [gpu('gpu-0', '80Gi'), gpu('gpu-1', '40Gi')])], 'live');
    const { pending } = gangNamed(plan([large, job('a', 1, 'resourceClaimTemplateName: large')], cluster), 'ml/a');
    expect(pending?.message).toBe(
      'Request "gpu" of ResourceClaimTemplate "ml/large": no device of gpu.nvidia.com has memory >= 100Gi; the largest has 80Gi.',
    );
  });

  it('a gang that fits but for devices in use says how many pods fit', () => {
    const cluster = clusterOfObjects([node('n-1'), slice('n-1', [gpu('gpu-0', '80Gi'), gpu('gpu-1', '80Gi')])], 'live');
    const { pending } = gangNamed(plan([any, job('a', 3, 'resourceClaimTemplateName: any')], cluster), 'ml/a');
    expect(pending?.message).toBe(
      '2 of 3 pods fit; no node that fits the next pod has free devices for ResourceClaimTemplate "ml/any".',
    );
  });

  it.each([true, false])('a claim or template that does not exist is the reason (ResourceSlices: %s)', (hasSlices) => {
    const cluster = clusterOfObjects(
      [node('n-1'), ...(hasSlices ? [slice('n-1', [gpu('gpu-0', '80Gi')])] : [])],
      'live',
    );
    const message = (claim: string): string | undefined =>
      gangNamed(plan([job('a', 1, claim)], cluster), 'ml/a').pending?.message;
    expect(message('resourceClaimTemplateName: none')).toBe('ResourceClaimTemplate "ml/none" does not exist.');
    expect(message('resourceClaimName: none')).toBe('ResourceClaim "ml/none" does not exist.');
  });

  it('devices that a claim of the cluster holds are not free', () => {
    const held = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'held', namespace: 'other' },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }] } },
      status: {
        allocation: { devices: { results: [{ driver: DRIVER, pool: 'n-1', device: 'gpu-0', request: 'gpu' }] } },
      },
    };
    const cluster = clusterOfObjects(
      [node('n-1'), slice('n-1', [gpu('gpu-0', '80Gi'), gpu('gpu-1', '80Gi')]), held],
      'live',
    );
    const made = plan([any, job('a', 1, 'resourceClaimTemplateName: any')], cluster);
    expect(devices(gangNamed(made, 'ml/a'))).toEqual(['n-1: gpu=gpu.nvidia.com/n-1/gpu-1']);
  });

  // kubernetes#138765
  it('earlier pods take another alternative, so that the gang fits', () => {
    const part = (name: string, slots: string): JsonObject =>
      gpu(name, `${Number(slots) * 40}Gi`, {
        attributes: { type: { string: slots === '2' ? 'gpu' : 'mig' } },
        consumesCounters: [{ counterSet: 'gpu-0', counters: { slots: { value: slots } } }],
      });
    const pool = { name: 'n-1', generation: 1, resourceSliceCount: 2 };
    const counters = slice('n-1', [], {
      pool,
      sharedCounters: [{ name: 'gpu-0', counters: { slots: { value: '2' } } }],
    });
    const cluster = clusterOfObjects(
      [
        node('n-1'),
        slice('n-1', [part('whole', '2'), part('half-a', '1'), part('half-b', '1')], { pool }),
        { ...counters, metadata: { name: 'n-1-counters' } },
      ],
      'live',
    );
    const either = claims(
      'either',
      '[{name: gpu, firstAvailable: [{name: whole, deviceClassName: gpu.nvidia.com}, {name: half, deviceClassName: mig.nvidia.com}]}]',
    );
    const made = plan([either, job('a', 2, 'resourceClaimTemplateName: either')], cluster);
    expect(devices(gangNamed(made, 'ml/a'))).toEqual([
      'n-1: gpu/half=gpu.nvidia.com/n-1/half-a',
      'n-1: gpu/half=gpu.nvidia.com/n-1/half-b',
    ]);
  });

  // kubernetes#137617
  it('pods that share a claim start together', () => {
    const cluster = clusterOfObjects([node('n-1'), node('n-2'), slice('n-2', [gpu('gpu-0', '80Gi')])], 'live');
    const shared = claims('single-gpu', `[{name: gpu, exactly: {deviceClassName: ${DRIVER}}}]`, 'ResourceClaim');
    const made = plan([shared, job('a', 2, 'resourceClaimName: single-gpu')], cluster);
    expect(devices(gangNamed(made, 'ml/a'))).toEqual(Array(2).fill('n-2: gpu=gpu.nvidia.com/n-2/gpu-0'));
  });

  // KAI-Scheduler#1217
  it('a gang with GPUs and a channel of a compute domain uses the idle rack', () => {
    const channel = 'compute-domain.nvidia.com';
    const names = ['r04', 'r11'].flatMap((rack) => Array.from({ length: 18 }, (_, index) => `${rack}-${index}`));
    const objects = names.flatMap((name) => {
      const clique = name.slice(0, 3);
      const own = slice(name, [{ name: 'channel-0', attributes: { type: { string: 'channel' }, id: { int: 0 } } }], {
        driver: channel,
      });
      return [node(name, 4, { 'nvidia.com/gpu.clique': clique }), own];
    });
    const deviceClass = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'compute-domain-default-channel.nvidia.com' },
      spec: {
        selectors: [
          {
            cel: {
              expression: `device.driver == '${channel}' && device.attributes['${channel}'].type == 'channel' && device.attributes['${channel}'].id == 0`,
            },
          },
        ],
      },
    };
    const cluster = clusterOfObjects([...objects, deviceClass], 'live');
    const template = claims(
      'channel',
      '[{name: channel, exactly: {deviceClassName: compute-domain-default-channel.nvidia.com}}]',
    );
    const rack = (name: string): string =>
      job(name, 16, 'resourceClaimTemplateName: channel', '{limits: {nvidia.com/gpu: 4}}');
    const made = plan([template, rack('rack-0'), rack('rack-1')], cluster);
    expect([gangNamed(made, 'ml/rack-0').state, gangNamed(made, 'ml/rack-1').state]).toEqual(['placed', 'placed']);
    expect(devices(gangNamed(made, 'ml/rack-1'))).toHaveLength(16);
  });
});
