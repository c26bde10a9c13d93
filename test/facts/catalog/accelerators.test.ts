import {
  acceleratorNamed,
  acceleratorProblem,
  ACCELERATORS,
  acceleratorsLike,
  acceleratorsNamed,
  findAccelerator,
  findNodeLabel,
  findResource,
  migProfiles,
  VENDORS,
} from '../../../src/facts/catalog';
import { oneOf } from '../../../src/facts/words';

const names = (list: readonly { readonly name: string }[]): readonly string[] => list.map(({ name }) => name);

const ASCEND_910B = ['Ascend-910B1', 'Ascend-910B2', 'Ascend-910B2C', 'Ascend-910B3', 'Ascend-910B4', 'Ascend-910B4-1'];

describe('finding an accelerator', () => {
  test.each([
    ['H100-SXM-80GB', 'H100-SXM-80GB'],
    ['h100-80gb-sxm', 'H100-SXM-80GB'],
    ['H100 SXM5', 'H100-SXM-80GB'],
    ['H100 SXM5 80 GB', 'H100-SXM-80GB'],
    ['NVIDIA-H100-80GB-HBM3', 'H100-SXM-80GB'],
    ['NVIDIA H100 80GB HBM3', 'H100-SXM-80GB'],
    ['NVIDIA-H100-80GB-HBM3-SHARED', 'H100-SXM-80GB'],
    ['NVIDIA-H100-80GB-HBM3-MIG-1g.10gb', 'H100-SXM-80GB'],
    ['NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED', 'H100-SXM-80GB'],
    ['H100 PCIe', 'H100-PCIe-80GB'],
    ['0x233010DE', 'H100-SXM-80GB'],
    ['10de:2331', 'H100-PCIe-80GB'],
    ['H800 NVL', 'H100-NVL'],
    ['H100 96GB', 'H100-SXM-96GB'],
    ['H20', 'H20'],
    ['NVIDIA-H200', 'H200-SXM-141GB'],
    ['H200 NVL', 'H200-NVL'],
    ['a100-sxm4-80gb', 'A100-SXM-80GB'],
    ['A100 PCIe 40GB', 'A100-PCIe-40GB'],
    ['nvidia-tesla-t4', 'T4'],
    ['Tesla T4', 'T4'],
    ['nvidia-l4', 'L4'],
    ['nvidia-tesla-a100', 'A100-SXM-40GB'],
    ['nvidia-a100-80gb', 'A100-SXM-80GB'],
    ['nvidia-h100-80gb', 'H100-SXM-80GB'],
    ['nvidia-h200-141gb', 'H200-SXM-141GB'],
    ['Tesla-V100-SXM2-16GB', 'V100-SXM-16GB'],
    ['GB200 NVL72', 'GB200'],
    ['L40s', 'L40S'],
    ['rtx pro 6000', 'RTX-PRO-6000-Blackwell'],
    ['mi300x', 'MI300X'],
    ['AMD_Instinct_MI300X_OAM', 'MI300X'],
    ['AMD Instinct MI355X', 'MI355X'],
    ['1002:74a5', 'MI325X'],
    ['AMD Instinct MI250X', 'MI250'],
    ['MI250 128GB', 'MI250'],
    ['0x74081002', 'MI250'],
    ['1002:740c', 'MI250'],
    ['AMD_Instinct_MI308X_OAM', 'MI308X'],
    ['mi308', 'MI308X'],
    ['1002:74bc', 'MI308X'],
    ['gaudi 2', 'Gaudi2'],
    ['HL-325L', 'Gaudi3'],
    ['1da3:1060', 'Gaudi3'],
    ['910B3', 'Ascend-910B3'],
    ['Ascend 910C', 'Ascend-910C'],
    ['Ascend310P', 'Ascend-310P'],
    ['trn1', 'Trainium1'],
    ['trn2.48xlarge', 'Trainium2'],
    ['trn3', 'Trainium3'],
    ['AWS Trainium 3', 'Trainium3'],
    ['trn3e.24xlarge', 'Trainium3'],
    ['inf2', 'Inferentia2'],
    ['Ascend910B4', 'Ascend-910B4'],
    ['Ascend 910B1', 'Ascend-910B1'],
    ['Ascend910B2C', 'Ascend-910B2C'],
    ['910B2', 'Ascend-910B2'],
    ['Ascend 910B 32GB', 'Ascend-910B4'],
    ['910B4-1', 'Ascend-910B4-1'],
    ['TPU v5e', 'TPU-v5e'],
    ['tpu-v5-lite-podslice', 'TPU-v5e'],
    ['trillium', 'TPU-v6e'],
    ['tpu7x', 'TPU-v7'],
  ])('%s is %s', (spelling, name) => {
    expect(findAccelerator(spelling)?.name).toBe(name);
    expect(acceleratorNamed(spelling).name).toBe(name);
  });

  test.each([
    ['H100', ['H100-SXM-80GB', 'H100-PCIe-80GB', 'H100-NVL']],
    ['H100-80GB', ['H100-SXM-80GB', 'H100-PCIe-80GB']],
    ['nvidia h200', ['H200-SXM-141GB', 'H200-NVL']],
    ['A100', ['A100-SXM-40GB', 'A100-PCIe-40GB', 'A100-SXM-80GB', 'A100-PCIe-80GB']],
    ['A100-80GB', ['A100-SXM-80GB', 'A100-PCIe-80GB']],
    ['MI300', ['MI300A', 'MI300X']],
    ['Gaudi', ['Gaudi2', 'Gaudi3']],
    ['Ascend 910B', ASCEND_910B],
    ['Ascend 910', ['Ascend-910A', ...ASCEND_910B, 'Ascend-910C']],
    ['Trainium', ['Trainium1', 'Trainium2', 'Trainium3']],
    ['TPU v5', ['TPU-v5e', 'TPU-v5p']],
  ])('%s is ambiguous and is refused with the choices', (spelling, choices) => {
    expect(findAccelerator(spelling)).toBeUndefined();
    expect(names(acceleratorsNamed(spelling))).toEqual(choices);
    const listed = oneOf(choices);
    expect(() => acceleratorNamed(spelling)).toThrow(`accelerator "${spelling}" is ambiguous: use ${listed}`);
  });

  test.each(['M40', 'gpu', 'NVIDIA', 'SXM 80GB', 'H100 PCIe 40GB'])('%p is unknown', (spelling) => {
    expect(findAccelerator(spelling)).toBeUndefined();
    expect(acceleratorsNamed(spelling)).toEqual([]);
    expect(() => acceleratorNamed(spelling)).toThrow(`unknown accelerator "${spelling}"`);
  });

  test('an empty name is unknown', () => {
    expect(findAccelerator('')).toBeUndefined();
    expect(acceleratorsNamed('')).toEqual([]);
    expect(acceleratorProblem('')).toMatch(/^unknown accelerator ""/);
  });

  test('an incomplete name gets suggestions', () => {
    expect(acceleratorProblem('MI35')).toBe('unknown accelerator "MI35" (did you mean MI350X or MI355X?)');
    expect(acceleratorProblem('M40')).toBe(
      'unknown accelerator "M40"; list the known names with `gantry catalog accelerators`',
    );
    expect(acceleratorProblem('MI300X')).toBeUndefined();
    expect(acceleratorsLike('')).toEqual([]);
    expect(acceleratorsLike('nvidia')).toEqual([]);
  });

  test('every name, label, cloud name, and PCI id finds its own entry', () => {
    const pci = { nvidia: '10DE', amd: '1002', intel: '1DA3' } as Readonly<Record<string, string>>;
    for (const accelerator of ACCELERATORS) {
      const spellings = [accelerator.name, ...accelerator.productLabels, ...accelerator.cloudNames];
      const ids = accelerator.pciDeviceIds.map((id) => `0x${id}${pci[accelerator.vendor]}`);
      for (const name of [...spellings, ...ids]) {
        expect([name, findAccelerator(name)?.name]).toEqual([name, accelerator.name]);
      }
    }
  });
});

describe('every vendor alike', () => {
  test.each(Object.values(VENDORS))('$title has accelerators with memory, fabric, and a known resource', (vendor) => {
    const own = ACCELERATORS.filter((accelerator) => accelerator.vendor === vendor.vendor);
    expect(own.length).toBeGreaterThan(0);
    for (const { name, memoryGB, fabric, host, resource, productLabelKey } of own) {
      expect([name, memoryGB > 0, fabric.island > 0]).toEqual([name, true, true]);
      expect([name, vendor.resources.includes(resource)]).toEqual([name, true]);
      expect([name, findResource(resource)?.unit]).toEqual([name, 'device']);
      expect([name, fabric.island <= (host?.devices ?? fabric.island)]).toEqual([name, true]);
      expect([name, (host?.devices ?? 0) % (host?.numaNodes ?? 1)]).toEqual([name, 0]);
      if (productLabelKey !== undefined) {
        expect([name, findNodeLabel(productLabelKey)?.key]).toEqual([name, productLabelKey]);
      }
    }
    expect(vendor.environment.length).toBeGreaterThan(0);
  });

  test('boards of one chip differ in their fabric', () => {
    expect(findAccelerator('H100 SXM')?.fabric).toEqual({ link: 'NVLink', island: 8 });
    expect(findAccelerator('H100 PCIe')?.fabric).toEqual({ link: 'PCIe', island: 1 });
    expect(findAccelerator('GB200')?.fabric).toEqual({ link: 'NVLink', island: 4, domain: 72 });
    expect(findAccelerator('MI300X')?.fabric).toEqual({ link: 'xGMI', island: 8 });
    expect(findAccelerator('910A')?.fabric).toEqual({ link: 'HCCS', island: 4 });
    expect(findAccelerator('inf2')?.fabric).toEqual({ link: 'NeuronLink', island: 12 });
    expect(findAccelerator('910B2C')).toMatchObject({ fabric: { link: 'HCCS', island: 8 }, host: { devices: 16 } });
    expect(findAccelerator('trn3')?.fabric).toEqual({ link: 'NeuronLink', island: 16, domain: 144 });
    expect(findAccelerator('v5p')?.fabric).toEqual({ link: 'ICI', island: 4, domain: 8960 });
  });
});

describe('partitions of AMD GPUs', () => {
  test('an MI300X becomes eight devices in CPX mode, under a resource of that name', () => {
    expect(acceleratorNamed('MI300X').partitions.at(-1)).toEqual({
      compute: 'CPX',
      memory: 'NPS4',
      devices: 8,
      resource: 'amd.com/cpx_nps4',
    });
  });

  test('an MI300A has six compute dies', () => {
    expect(acceleratorNamed('MI300A').partitions.map(({ compute, devices }) => [compute, devices])).toEqual([
      ['SPX', 1],
      ['TPX', 3],
      ['CPX', 6],
    ]);
  });

  test('an MI308X has four compute dies, and an MI250 cannot be partitioned', () => {
    expect(acceleratorNamed('MI308X').partitions.map(({ resource, devices }) => [resource, devices])).toEqual([
      ['amd.com/spx_nps1', 1],
      ['amd.com/dpx_nps1', 2],
      ['amd.com/cpx_nps1', 4],
      ['amd.com/cpx_nps4', 4],
    ]);
    expect(acceleratorNamed('MI250X')).toMatchObject({ memoryGB: 64, partitions: [], host: { devices: 8 } });
  });

  test('the resource of every partition is one that the catalog knows', () => {
    for (const { partitions } of ACCELERATORS) {
      for (const { resource } of partitions) {
        expect([resource, findResource(resource)?.vendor]).toEqual([resource, 'AMD']);
      }
    }
  });
});

describe('MIG profiles', () => {
  test('an H100 with 80 GB is cut into at most seven of the smallest profile, whichever its board', () => {
    const wanted = [
      ['1g.10gb', 7],
      ['1g.10gb+me', 1],
      ['1g.20gb', 4],
      ['2g.20gb', 3],
      ['3g.40gb', 2],
      ['4g.40gb', 1],
      ['7g.80gb', 1],
    ];
    for (const name of ['H100-SXM-80GB', 'H100-80GB']) {
      expect(migProfiles(name).map((profile) => [profile.name, profile.maxPerGpu])).toEqual(wanted);
    }
  });

  test('a name whose boards have different profiles has none', () => {
    expect(migProfiles('A100')).toEqual([]);
    expect(migProfiles('H100')).toEqual([]);
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
  expect(Object.isFrozen(VENDORS.amd.environment)).toBe(true);
});
