/**
 * Claims in a plan: the devices of each pod, why claims are not allocated, and situations that other schedulers do not solve.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { clusterOfObjects } from '../../../src/planning/cluster/from-objects';
import { readClusterFile } from '../../../src/planning/cluster/files/cluster-file';
import { type ViewGang } from '../../../src/planning/cluster/view/view';
import { changed, readWhatIf } from '../../../src/planning/cluster/what-if';
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

  it.each([
    ['matches("^(a+)+!+$")', /^Request "gpu" of .*: no device of gpu.nvidia.com matches the selector /],
    ['find("(a+)+b") == ""', /, which cannot be evaluated: the pattern of a find\(\) or findAll\(\) is too complex\.$/],
    [`matches("(b|${'a'.repeat(33_000)})*")`, /, which cannot be evaluated: a pattern of matches\(\) is too long\.$/],
  ])('a selector of a tenant takes little time, and accepts only what it is true of: %s', (call, message) => {
    const cluster = clusterOfObjects([node('n-1'), slice('n-1', [gpu('gpu-0', '80Gi')])], 'live');
    const hostile = claims(
      'hostile',
      `[{name: gpu, exactly: {deviceClassName: ${DRIVER}, selectors: [{cel: {expression: '"${'a'.repeat(60)}".${call}'}}]}}]`,
    );
    const made = plan([hostile, job('a', 1, 'resourceClaimTemplateName: hostile')], cluster);
    expect(gangNamed(made, 'ml/a').pending?.message).toMatch(message);
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

describe('devices of ResourceSlices in the tables', () => {
  const held = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'held', namespace: 'other' },
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }] } },
    status: {
      allocation: { devices: { results: [{ driver: DRIVER, pool: 'n-1', device: 'gpu-0', request: 'gpu' }] } },
    },
  };

  it('devices that claims hold are used, by the claims of the plan and by those of the cluster', () => {
    const gpus = ['gpu-0', 'gpu-1', 'gpu-2'].map((name) => gpu(name, '80Gi'));
    const cluster = clusterOfObjects([node('n-1'), slice('n-1', gpus), held], 'live');
    const { view } = plan([any, job('a', 1, 'resourceClaimTemplateName: any')], cluster);
    expect(view.pools[0]).toMatchObject({ devices: 3, devicesUsed: 2 });
    expect(view.nodes[0].pods).toMatchObject([{ gang: 0, role: 'w', devices: [1], state: 'planned' }]);
    expect(view.fragmentation).toMatchObject({ devices: 3, used: 2, freeWhole: 1 });
    expect(view.gangs[0]).toMatchObject({ devices: 1, roles: [{ devices: '1 x nvidia.com/gpu' }] });
  });

  it('a MIG instance uses the part of its GPU that its profile names', () => {
    const divided = gpu('gpu-0', '80Gi', { attributes: { type: { string: 'gpu' }, uuid: { string: 'GPU-1' } } });
    const part = gpu('gpu-0-mig-0', '40Gi', {
      attributes: { type: { string: 'mig' }, parentUUID: { string: 'GPU-1' }, profile: { string: '3g.40gb' } },
    });
    const cluster = clusterOfObjects([node('n-1'), slice('n-1', [divided, part])], 'live');
    const mig = claims('mig', '[{name: gpu, exactly: {deviceClassName: mig.nvidia.com}}]');
    const { view } = plan([mig, job('a', 1, 'resourceClaimTemplateName: mig')], cluster);
    expect(view.pools[0]).toMatchObject({ devices: 1, devicesUsed: 0.428 });
    expect(view.nodes[0].pods).toMatchObject([{ devices: [0], share: 428 }]);
  });

  it('whole GPUs of AMD count, and only those of the newest generation of a pool', () => {
    const amd = (name: string, type = 'amdgpu'): JsonObject =>
      gpu(name, '192Gi', {
        attributes: { type: { string: type }, productName: { string: 'AMD_Instinct_MI300X_OAM' } },
      });
    const pool = (generation: number): JsonObject => ({
      driver: 'gpu.amd.com',
      pool: { name: 'n-1', generation, resourceSliceCount: 1 },
    });
    const old = { ...slice('n-1', [amd('a'), amd('b'), amd('c')], pool(1)), metadata: { name: 'old' } };
    const cluster = clusterOfObjects(
      [node('n-1'), old, slice('n-1', [amd('a'), amd('b'), amd('b-0', 'amdgpu-partition')], pool(2))],
      'live',
    );
    expect(cluster.nodes[0]).toMatchObject({
      deviceResource: 'amd.com/gpu',
      devices: Array(2).fill({ model: 'MI300X', memoryMiB: 192 * 1024 }),
    });
  });
});

describe('extended resources that a DeviceClass serves', () => {
  const serving = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: DRIVER },
    spec: {
      extendedResourceName: 'nvidia.com/gpu',
      selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }],
    },
  };
  const published = slice('n-1', [gpu('gpu-0', '80Gi'), gpu('gpu-1', '80Gi')]);
  const plain = (pods: number, gpus: number): string =>
    `apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a, namespace: ml}\nspec: {minAvailable: ${pods}, tasks: [{name: w, replicas: ${pods}, template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: ${gpus}}}}]}}}]}`;

  it('pods get devices of the ResourceSlices', () => {
    const cluster = clusterOfObjects([node('n-1'), published, serving], 'live');
    const made = plan([plain(1, 2)], cluster);
    expect(devices(gangNamed(made, 'ml/a'))).toEqual([
      'n-1: nvidia.com/gpu=gpu.nvidia.com/n-1/gpu-0',
      'n-1: nvidia.com/gpu=gpu.nvidia.com/n-1/gpu-1',
    ]);
    expect(gangNamed(plan([plain(1, 3)], cluster), 'ml/a').pending?.message).toBe(
      'Request "nvidia.com/gpu" of the pod\'s extended resources: 3 devices requested, and no node has more than 2 that match.',
    );
  });

  it('without such a class pods get none of them, because no device plugin serves them', () => {
    const cluster = clusterOfObjects([node('n-1'), published], 'live');
    expect(gangNamed(plan([plain(1, 1)], cluster), 'ml/a').pending?.message).toBe(
      'No node offers nvidia.com/gpu (0 of 1).',
    );
  });

  it('on clusters with both, pods get devices of the plugin, and claims those of the slices', () => {
    const cluster = clusterOfObjects([node('n-1'), node('n-2', 8), published, serving], 'live');
    expect(gangNamed(plan([plain(2, 4)], cluster), 'ml/a').where).toEqual([[1, 2]]);
    expect(gangNamed(plan([plain(3, 4)], cluster), 'ml/a').state).toBe('pending');
  });

  it('devices of a pod that runs are used once', () => {
    const running = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'other', uid: 'u' },
      spec: { nodeName: 'n-1', containers: [{ name: 'c', resources: { limits: { 'nvidia.com/gpu': '1' } } }] },
      status: { phase: 'Running', extendedResourceClaimStatus: { resourceClaimName: 'p-extended' } },
    };
    const claim = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'p-extended', namespace: 'other' },
      spec: { devices: { requests: [{ name: 'c-0', exactly: { deviceClassName: DRIVER } }] } },
      status: {
        allocation: { devices: { results: [{ driver: DRIVER, pool: 'n-1', device: 'gpu-0', request: 'c-0' }] } },
      },
    };
    const cluster = clusterOfObjects([node('n-1'), published, serving, running, claim], 'live');
    const made = plan([plain(1, 1)], cluster);
    expect(devices(gangNamed(made, 'ml/a'))).toEqual(['n-1: nvidia.com/gpu=gpu.nvidia.com/n-1/gpu-1']);
    expect(made.view.pools[0]).toMatchObject({ devices: 2, devicesUsed: 2 });
  });
});

describe('pools of a cluster file with a DRA driver', () => {
  const hall = (...pools: readonly string[]): ReturnType<typeof readClusterFile> =>
    readClusterFile(`pools:\n${pools.map((pool) => `  - {${pool}, draDriver: true}`).join('\n')}`, 'hall.yaml');
  const four = claims(
    'four',
    `[{name: gpu, exactly: {deviceClassName: ${DRIVER}, count: 4, selectors: [{cel: {expression: 'device.attributes["${DRIVER}"].productName == "NVIDIA H100 80GB HBM3" && device.attributes["${DRIVER}"].architecture == "Hopper" && device.capacity["${DRIVER}"].memory.compareTo(quantity("70Gi")) >= 0'}}]}}], constraints: [{matchAttribute: resource.kubernetes.io/numaNode}]`,
  );
  const train = [four, job('train', 3, 'resourceClaimTemplateName: four')];

  it('claims get their devices, by the attributes that the driver publishes, and no other pods do', () => {
    const cluster = hall('name: h100, count: 2, accelerator: H100-SXM-80GB', 'name: mi, accelerator: MI300X');
    const made = plan(train, cluster);
    expect(devices(gangNamed(made, 'ml/train')).slice(8)).toEqual(
      [0, 1, 2, 3].map((index) => `h100-2: gpu=gpu.nvidia.com/h100-2/gpu-${index}`),
    );
    expect(made.view.pools).toMatchObject([
      { name: 'h100', devices: 16, devicesUsed: 12 },
      { name: 'mi', devices: 8, devicesUsed: 0 },
    ]);
    const plain = job('plain', 1, 'resourceClaimTemplateName: four', '{limits: {nvidia.com/gpu: 1}}');
    expect(gangNamed(plan([four, plain], cluster), 'ml/plain').pending?.message).toBe(
      'No node offers nvidia.com/gpu (0 of 3).',
    );
  });

  it.each([
    ['A100-SXM-80GB', 'NVIDIA A100-SXM4-80GB'],
    ['L40S', 'NVIDIA L40S'],
  ])('a device of %s has the product name %s', (accelerator, product) => {
    const [slice] = hall(`name: p, accelerator: ${accelerator}, perNode: 1`).objects;
    expect(slice).toMatchObject({ spec: { devices: [{ attributes: { productName: { string: product } } }] } });
  });

  it.each([
    ['H100-SXM-80GB', '81559Mi'],
    ['A100-SXM-80GB', '81920Mi'],
    ['H100-SXM-80GB, memoryMiB: 81000', '81000Mi'],
    ['H100-NVL', `${94 * 1024}Mi`],
  ])('a device of %s has the memory %s', (accelerator, value) => {
    const [slice] = hall(`name: p, accelerator: ${accelerator}, perNode: 1`).objects;
    expect(slice).toMatchObject({ spec: { devices: [{ capacity: { memory: { value } } }] } });
  });

  it('80Gi is more than an H100 of 80 GB has', () => {
    const large = claims(
      'large',
      `[{name: gpu, exactly: {deviceClassName: ${DRIVER}, selectors: [{cel: {expression: 'device.capacity["${DRIVER}"].memory.compareTo(quantity("80Gi")) >= 0'}}]}}]`,
    );
    const made = plan(
      [large, job('train', 1, 'resourceClaimTemplateName: large')],
      hall('name: h100, accelerator: H100-SXM-80GB'),
    );
    expect(gangNamed(made, 'ml/train').pending?.message).toContain(
      'no device of gpu.nvidia.com has memory >= 80Gi; the largest has 81559Mi',
    );
  });

  it('a larger pool publishes the devices of its new nodes', () => {
    const change = (text: string): ReturnType<typeof plan> =>
      plan(train, changed(hall('name: h100, count: 1, accelerator: H100-SXM-80GB'), [readWhatIf(text)], []).cluster);
    expect(devices(gangNamed(change('add-pool=h100:1'), 'ml/train')).at(-1)).toBe(
      'h100-new-1: gpu=gpu.nvidia.com/h100-new-1/gpu-3',
    );
    const other = 'add-pool={name: more, accelerator: H100-SXM-80GB, draDriver: true}';
    expect(devices(gangNamed(change(other), 'ml/train')).at(-1)).toBe('more-1: gpu=gpu.nvidia.com/more-1/gpu-3');
  });

  it.each([
    ['name: p, accelerator: A100-SXM-80GB, mig: {1g.10gb: 7}', 'draDriver must not be set together with mig'],
    ['name: p, accelerator: Gaudi3', 'draDriver must be false, or an accelerator of NVIDIA or AMD from the catalog'],
    ['name: p, count: 2', 'draDriver must be false, or an accelerator of NVIDIA or AMD from the catalog'],
  ])('%s is refused', (pool, message) => {
    expect(() => hall(pool)).toThrow(message);
  });
});
