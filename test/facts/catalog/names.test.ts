import {
  ACCELERATORS,
  CLOUDS,
  RESOURCES,
  acceleratorToleration,
  findNodeLabel,
  findResource,
  isAcceleratorResource,
  isExtendedResource,
  isRdmaResource,
  isWholeDevice,
  migResource,
  parseMigProfile,
  productLabel,
  unknownNcclTokens,
} from '../../../src/facts/catalog';

describe('resource names', () => {
  test.each([
    ['nvidia.com/gpu', 'device'],
    ['nvidia.com/mig-1g.10gb', 'slice'],
    ['nvidia.com/mig-1g.10gb.me', 'slice'],
    ['nvidia.com/gpumem', 'MiB'],
    ['aliyun.com/gpu-mem', 'MiB or GiB'],
    ['tke.cloud.tencent.com/qgpu-memory', 'GiB'],
    ['tencent.com/vcuda-memory', '256 MiB'],
    ['amd.com/cpx_nps4', 'slice'],
    ['huawei.com/Ascend910B3', 'device'],
    ['rdma/rdma_shared_device_a', 'interface'],
  ])('%s is counted in %s', (name, unit) => {
    expect(findResource(name)?.unit).toBe(unit);
  });

  test.each(['nvidia.com/mig', 'nvidia.com/mig-', 'cpu', 'example.com/fpga', 'rdma/'])(
    '%s is not in the catalog',
    (name) => {
      expect(findResource(name)).toBeUndefined();
    },
  );

  test('a name that is no longer served says what to write instead', () => {
    expect(findResource('aliyun.com/gpu-core')?.successor).toBe('aliyun.com/gpu-core.percentage');
    expect(findResource('tencent.com/vcuda-core')?.successor).toBe('tke.cloud.tencent.com/qgpu-core');
    for (const { successor } of RESOURCES) {
      if (successor !== undefined) {
        expect(findResource(successor)).toMatchObject({ name: successor });
      }
    }
  });

  test('an accelerator is recognized from its memory, its compute and its network', () => {
    expect(
      ['nvidia.com/gpu', 'nvidia.com/mig-3g.40gb', 'amd.com/gpu', 'google.com/tpu'].every(isAcceleratorResource),
    ).toBe(true);
    expect(
      ['nvidia.com/gpumem', 'huawei.com/Ascend310P-memory', 'rdma/hca', 'cpu', 'qat.intel.com/cy'].some(
        isAcceleratorResource,
      ),
    ).toBe(false);
    expect(isWholeDevice('nvidia.com/gpu')).toBe(true);
    expect(isWholeDevice('nvidia.com/mig-3g.40gb')).toBe(false);
    expect(isWholeDevice('nvidia.com/gpu.shared')).toBe(false);
  });

  test('an extended resource has a domain of its own', () => {
    expect(['nvidia.com/gpu', 'rdma/hca'].every(isExtendedResource)).toBe(true);
    expect(
      ['cpu', 'hugepages-2Mi', 'requests.nvidia.com/gpu', 'kubernetes.io/x', 'a.kubernetes.io/x'].some(
        isExtendedResource,
      ),
    ).toBe(false);
  });

  test('RDMA resources are recognized by prefix or by their words', () => {
    expect(
      [
        'rdma/anything',
        'vpc.amazonaws.com/efa',
        'nvidia.com/mlx5_rdma',
        'openshift.io/mlxnics',
        'nvidia.com/sriov_ib_0',
      ].map(isRdmaResource),
    ).toEqual([true, true, true, true, true]);
    expect(['nvidia.com/gpu', 'cpu', 'habana.ai/gaudi', 'intel.com/sriov_dpdk'].some(isRdmaResource)).toBe(false);
  });
});

describe('MIG names', () => {
  test('a plus sign is written as a dot in a resource name', () => {
    expect(migResource('1g.24gb+me.all')).toBe('nvidia.com/mig-1g.24gb.me.all');
  });

  test('a profile name is read, anything else is not', () => {
    expect(parseMigProfile('3g.40gb')).toEqual({ slices: 3, memoryGB: 40, attributes: '' });
    expect(parseMigProfile('1g.24gb-me')).toEqual({ slices: 1, memoryGB: 24, attributes: '-me' });
    expect(parseMigProfile('1c.3g.40gb')).toEqual({ slices: 3, memoryGB: 40, attributes: '' });
    expect(parseMigProfile('1g.24gb+gfx,me.all')).toEqual({ slices: 1, memoryGB: 24, attributes: '+gfx,me.all' });
    expect(parseMigProfile('40gb')).toBeUndefined();
    expect(parseMigProfile('1g.5gb+me-me')).toBeUndefined();
    expect(parseMigProfile('1g.5gb+me,me')).toBeUndefined();
    expect(parseMigProfile('99999999999999999999c.1g.5gb')).toBeUndefined();
    expect(parseMigProfile('3g.40gb.me')).toBeUndefined();
  });
});

test('the resource of every MIG profile is known, and is a slice', () => {
  for (const profile of ACCELERATORS.flatMap((accelerator) => accelerator.mig)) {
    expect([profile.resource, findResource(profile.resource)?.unit]).toEqual([profile.resource, 'slice']);
    expect(parseMigProfile(profile.name)?.memoryGB).toBe(profile.memoryGB);
  }
});

describe('node labels', () => {
  test('memory is in MiB', () => {
    expect(findNodeLabel('nvidia.com/gpu.memory')?.unit).toBe('MiB');
  });

  test('a key with a part that varies is found', () => {
    expect(findNodeLabel('nvidia.com/mig-1g.10gb.count')?.meaning).toMatch(/mixed strategy/);
    expect(findNodeLabel('nvidia.com/gpu.deploy.driver')?.source).toBe('gpu-operator');
    expect(findNodeLabel('nvidia.com/gpu.deploy.')).toBeUndefined();
  });

  test('labels that nothing sets name the right one', () => {
    expect(findNodeLabel('nvidia.com/mig.enabled')?.successor).toBe('nvidia.com/mig.capable');
    expect(findNodeLabel('nvidia.com/gpu.driver.version')?.successor).toBe('nvidia.com/cuda.driver-version.full');
  });

  test('the product label is the NVML name with dashes for blanks', () => {
    expect(productLabel('NVIDIA H100 80GB HBM3')).toBe('NVIDIA-H100-80GB-HBM3');
    expect(productLabel('NVIDIA RTX PRO 6000 Blackwell (Server)')).toBe('NVIDIA-RTX-PRO-6000-Blackwell-Server');
  });
});

test('every NVIDIA resource is tolerated by the one key that the GPU operator tolerates', () => {
  expect(acceleratorToleration('nvidia.com/mig-1g.10gb')).toEqual({
    key: 'nvidia.com/gpu',
    operator: 'Exists',
    effect: 'NoSchedule',
  });
  expect(acceleratorToleration('amd.com/gpu').key).toBe('amd.com/gpu');
});

test('each cloud is filed under its own name', () => {
  for (const [name, facts] of Object.entries(CLOUDS)) {
    expect(facts.cloud).toBe(name);
  }
});

describe('NCCL lists', () => {
  test.each([
    ['NCCL_ALGO', 'Ring,Tree', []],
    ['NCCL_ALGO', 'ring', []],
    ['NCCL_ALGO', '^NVLS,NVLSTree', []],
    ['NCCL_ALGO', 'allreduce:tree,ring;broadcast:ring', []],
    ['NCCL_ALGO', 'Ring/Tree', ['Ring/Tree']],
    ['NCCL_ALGO', 'LL128', ['LL128']],
    ['NCCL_PROTO', 'LL,LL128,Simple', []],
    ['NCCL_PROTO', 'Fast', ['Fast']],
    ['NCCL_PROTO', '', []],
  ] as const)('%s=%s leaves %p unknown', (variable, value, unknown) => {
    expect(unknownNcclTokens(variable, value)).toEqual(unknown);
  });
});
