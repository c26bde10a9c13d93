import { ACCELERATORS, acceleratorsLike, findAccelerator, migProfiles } from '../../../src/facts/catalog';

describe('finding an accelerator', () => {
  test.each([
    ['H100-80GB', 'H100-80GB'],
    ['h100', 'H100-80GB'],
    ['nvidia h100 80gb', 'H100-80GB'],
    ['NVIDIA-H100-80GB-HBM3', 'H100-80GB'],
    ['NVIDIA-H100-80GB-HBM3-SHARED', 'H100-80GB'],
    ['NVIDIA-H100-80GB-HBM3-MIG-1g.10gb', 'H100-80GB'],
    ['NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED', 'H100-80GB'],
    ['0x233010DE', 'H100-80GB'],
    ['10de:2330', 'H100-80GB'],
    ['H800 NVL', 'H100-NVL'],
    ['H20', 'H100-96GB'],
    ['GH200', 'H100-96GB'],
    ['nvidia-tesla-t4', 'T4'],
    ['Tesla T4', 'T4'],
    ['nvidia-l4', 'L4'],
    ['nvidia-tesla-a100', 'A100-40GB'],
    ['nvidia-a100-80gb', 'A100-80GB'],
    ['nvidia-h200-141gb', 'H200'],
    ['L40s', 'L40S'],
    ['rtx pro 6000', 'RTX-PRO-6000-Blackwell'],
  ])('%s is %s', (spelling, name) => {
    expect(findAccelerator(spelling)?.name).toBe(name);
  });

  test.each(['A100', 'M40', '', 'gpu', 'NVIDIA'])('%p is none', (spelling) => {
    expect(findAccelerator(spelling)).toBeUndefined();
  });

  test('a short name that stands for several lists them all', () => {
    expect(acceleratorsLike('A100').map((accelerator) => accelerator.name)).toEqual(['A100-40GB', 'A100-80GB']);
    expect(acceleratorsLike('H100').map((accelerator) => accelerator.name)).toEqual([
      'H100-80GB',
      'H100-NVL',
      'H100-96GB',
    ]);
    expect(acceleratorsLike('')).toEqual([]);
    expect(acceleratorsLike('nvidia')).toEqual([]);
  });

  test('every name, alias, label and PCI id finds its own entry, so that none is claimed twice', () => {
    for (const accelerator of ACCELERATORS) {
      const names = [accelerator.name, ...accelerator.aliases, ...accelerator.productLabels];
      for (const name of [...names, ...accelerator.pciDeviceIds.map((id) => `0x${id}10DE`)]) {
        expect([name, findAccelerator(name)?.name]).toEqual([name, accelerator.name]);
      }
    }
  });
});

describe('MIG profiles', () => {
  test('an H100 with 80 GB is cut into at most seven of the smallest profile', () => {
    expect(migProfiles('H100').map((profile) => [profile.name, profile.maxPerGpu])).toEqual([
      ['1g.10gb', 7],
      ['1g.10gb+me', 1],
      ['1g.20gb', 4],
      ['2g.20gb', 3],
      ['3g.40gb', 2],
      ['4g.40gb', 1],
      ['7g.80gb', 1],
    ]);
  });

  test('a profile knows its resource and its mig-parted config, with dots for plus signs', () => {
    expect(migProfiles('A30').find((profile) => profile.name === '2g.12gb+me')).toEqual({
      name: '2g.12gb+me',
      maxPerGpu: 1,
      slices: 2,
      memoryGB: 12,
      attributes: '+me',
      resource: 'nvidia.com/mig-2g.12gb.me',
      config: 'all-2g.12gb.me',
    });
  });

  test('a GPU without MIG, and an unknown one, has none', () => {
    expect(migProfiles('L40S')).toEqual([]);
    expect(migProfiles('nobody')).toEqual([]);
  });

  test('no profile asks for more slices or, but for rounding, more memory than a GPU has', () => {
    for (const accelerator of ACCELERATORS) {
      for (const profile of accelerator.mig) {
        expect(profile.slices * profile.maxPerGpu).toBeLessThanOrEqual(7);
        expect((profile.memoryGB - 1) * profile.maxPerGpu).toBeLessThanOrEqual(accelerator.memoryGB);
      }
    }
  });
});

test('the catalog is frozen all the way down', () => {
  const [first] = ACCELERATORS;
  expect(Object.isFrozen(ACCELERATORS)).toBe(true);
  expect(Object.isFrozen(first)).toBe(true);
  expect(Object.isFrozen(first?.mig[0])).toBe(true);
});
