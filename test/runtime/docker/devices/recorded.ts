/**
 * What vendor programs print, reduced to the facts that discovery reads.
 *
 * Sources of the layouts and values: NVIDIA MIG User Guide ("Device Enumeration": A100-SXM4-40GB in 3g.20gb, 2g.10gb, and 1g.5gb); ceems-dev/ceems,
 * pkg/collector/gpu_test.go (`nvidia-smi -q -x` of driver 535 with MIG); stas00/ml-engineering and sgl-project/sglang issues (`topo -m` of 8 x H100 with
 * NVSwitch, the latter with NICs); XueSongTap.github.io, 2024-01-04 (two cards without a link); wandb/wandb, nexus/pkg/monitor/gpu_amd.go (`rocm-smi` of
 * MI250, driver 6.2.4); AMD SMI 26 `static --json` of MI300X. Not found: `topo -m` of L40S, and any recording of a host with mixed models; the mixed host below
 * joins recordings of two hosts. How devices are used: henrygd/beszel issue 737 (`amd-smi metric -u --json`), marimo-team/marimo issue 9237 (`rocm-smi --showuse
 * --showmeminfo vram --json`).
 */
export interface GpuFacts {
  readonly uuid: string;
  readonly bus: string;
  readonly model: string;
  readonly memory: string;
  readonly mig?: 'Enabled' | 'Disabled' | 'N/A';
  /** Further elements. */
  readonly more?: string;
}

export function reportOf(...gpus: readonly GpuFacts[]): string {
  const elements = gpus.map(
    ({ uuid, bus, model, memory, mig = 'N/A', more = '' }) => `
	<gpu id="${bus}">
		<product_name>${model}</product_name>
		<mig_mode>
			<current_mig>${mig}</current_mig>
			<pending_mig>${mig}</pending_mig>
		</mig_mode>
		<mig_devices>
			None
		</mig_devices>
		<uuid>${uuid}</uuid>
		<pci><pci_bus_id>${bus}</pci_bus_id></pci>
		<fb_memory_usage><total>${memory}</total></fb_memory_usage>
		${more}
	</gpu>`,
  );
  return `<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Fri Oct 11 18:24:09 2024</timestamp>
	<driver_version>535.129.03</driver_version>
	<cuda_version>12.2</cuda_version>
	<attached_gpus>${gpus.length}</attached_gpus>${elements.join('')}
</nvidia_smi_log>
`;
}

export const A100: GpuFacts = {
  uuid: 'GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77',
  bus: '00000000:10:00.0',
  model: 'NVIDIA A100-SXM4-40GB',
  memory: '40960 MiB',
  mig: 'Enabled',
};

export const A100_LIST = `GPU 0: A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
  MIG 3g.20gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)
  MIG 2g.10gb     Device  1: (UUID: MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb)
  MIG 1g.5gb      Device  2: (UUID: MIG-1e99852c-2a06-5a4e-9d5e-8d6d2b7b9b4c)
`;

export const L40S: GpuFacts = {
  uuid: 'GPU-397589de-2032-ca80-1e35-d28f1c427f88',
  bus: '00000000:CA:00.0',
  model: 'NVIDIA L40S',
  memory: '46068 MiB',
};

/** `nvidia-smi` underlines the heading. */
export const H100_TOPOLOGY = `\u001B[4m        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    NIC0    NIC1    CPU Affinity    NUMA Affinity   GPU NUMA ID\u001B[0m
GPU0     X      NV18    NV18    NV18    NV18    NV18    NV18    NV18    PIX     PIX     0-47,96-143     0               N/A
GPU1    NV18     X      NV18    NV18    NV18    NV18    NV18    NV18    NODE    NODE    0-47,96-143     0               N/A
GPU2    NV18    NV18     X      NV18    NV18    NV18    NV18    NV18    NODE    NODE    0-47,96-143     0               N/A
GPU3    NV18    NV18    NV18     X      NV18    NV18    NV18    NV18    NODE    NODE    0-47,96-143     0               N/A
GPU4    NV18    NV18    NV18    NV18     X      NV18    NV18    NV18    SYS     SYS     48-95,144-191   1               N/A
GPU5    NV18    NV18    NV18    NV18    NV18     X      NV18    NV18    SYS     SYS     48-95,144-191   1               N/A
GPU6    NV18    NV18    NV18    NV18    NV18    NV18     X      NV18    SYS     SYS     48-95,144-191   1               N/A
GPU7    NV18    NV18    NV18    NV18    NV18    NV18    NV18     X      SYS     SYS     48-95,144-191   1               N/A
NIC0    PIX     NODE    NODE    NODE    SYS     SYS     SYS     SYS      X      PIX
NIC1    PIX     NODE    NODE    NODE    SYS     SYS     SYS     SYS     PIX      X

Legend:

  X    = Self
  NV#  = Connection traversing a bonded set of # NVLinks
`;

export const UNLINKED_TOPOLOGY = `        GPU0    GPU1    CPU Affinity    NUMA Affinity
GPU0     X      PHB     0-11            N/A
GPU1    PHB      X      0-11            N/A
`;

export const AMD_SMI = JSON.stringify({
  gpu_data: [
    {
      gpu: 0,
      asic: { market_name: 'AMD Instinct MI300X', target_graphics_version: 'gfx942' },
      bus: { bdf: '0000:83:00.0' },
      vram: { type: 'HBM3', size: { value: 196592, unit: 'MB' } },
      numa: { node: 1, affinity: 1 },
    },
  ],
});

export const ROCM_SMI = `WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"GPU use (%)": "10", "VRAM Total Used Memory (B)": "27856896", "VRAM Total Memory (B)": "68702699520", "PCI Bus": "0000:2F:00.0", "Card series": "AMD INSTINCT MI250 (MCM) OAM AC MBA"},
 "card1": {"VRAM Total Memory (B)": "68702699520", "PCI Bus": "0000:32:00.0", "Card Series": "AMD INSTINCT MI250 (MCM) OAM AC MBA"},
 "system": {"Driver version": "6.2.4"}}
`;

export const AMD_METRICS = `[{"gpu": 0,
  "usage": {"gfx_activity": {"value": 42, "unit": "%"}, "umc_activity": {"value": 1, "unit": "%"}, "vcn_activity": ["N/A"]},
  "mem_usage": {"total_vram": {"value": 196592, "unit": "MB"}, "used_vram": {"value": 4096, "unit": "MB"}}},
 {"gpu": 1, "usage": "N/A", "mem_usage": {"used_vram": "N/A"}}]
`;
