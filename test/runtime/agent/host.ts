/**
 * A host as files in a folder, in the form that Linux writes them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HostFiles } from '../../../src/runtime/agent/host/host-files';
import { type HostRoot } from '../../../src/runtime/agent/host/host-root';

export class HostFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'gantry-host-'));
  readonly files = new HostFiles(this.path);
  readonly root: HostRoot = this.files.root;

  write(files: Readonly<Record<string, string>>): this {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), text);
    }
    return this;
  }

  remove(): void {
    this.files.kept.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

export const POD_UID = '7c9e2f60-1d2b-4c3a-9f00-0123456789ab';
export const CONTAINER_ID = 'c0ffee'.repeat(10) + 'cafe';

const SYSTEMD_POD = `sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${POD_UID.replaceAll('-', '_')}.slice`;

export const cpuStat = (periods: number, throttled: number): string =>
  `usage_usec 10\nuser_usec 5\nsystem_usec 5\nnr_periods ${periods}\nnr_throttled ${throttled}\nthrottled_usec ${throttled * 50_000}\n`;

export const pressure = (some: number, full: number): string =>
  `some avg10=${some.toFixed(2)} avg60=${some.toFixed(2)} avg300=0.00 total=1500000\n` +
  `full avg10=${full.toFixed(2)} avg60=${full.toFixed(2)} avg300=0.00 total=500000\n`;

/** cgroup v2 with the systemd driver: one pod, one container with a CPU limit. */
export function unifiedPod(periods: number, throttled: number): Readonly<Record<string, string>> {
  return {
    'sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids\n',
    [`${SYSTEMD_POD}/cpu.stat`]: cpuStat(0, 0),
    [`${SYSTEMD_POD}/memory.events`]: 'low 0\nhigh 0\nmax 4\noom 2\noom_kill 1\noom_group_kill 0\n',
    [`${SYSTEMD_POD}/memory.current`]: '1048576\n',
    [`${SYSTEMD_POD}/memory.pressure`]: pressure(12.5, 2.5),
    [`${SYSTEMD_POD}/cri-containerd-${CONTAINER_ID}.scope/cpu.stat`]: cpuStat(periods, throttled),
    [`var/log/pods/research_trainer-0_${POD_UID}/main/0.log`]: '',
  };
}

export interface PortFiles {
  readonly state?: string;
  readonly counters?: Readonly<Record<string, number>>;
}

export function rdmaPort(
  device: string,
  { state = '4: ACTIVE', counters = {} }: PortFiles = {},
): Record<string, string> {
  const folder = `sys/class/infiniband/${device}/ports/1`;
  return {
    [`${folder}/state`]: `${state}\n`,
    [`${folder}/phys_state`]: '5: LinkUp\n',
    [`${folder}/link_layer`]: 'InfiniBand\n',
    [`${folder}/rate`]: '400 Gb/sec (4X NDR)\n',
    ...Object.fromEntries(
      Object.entries({ link_downed: 0, ...counters }).map(([name, value]) => [
        `${folder}/counters/${name}`,
        `${value}\n`,
      ]),
    ),
  };
}

export function pciDevice(address: string, vendor: string, pciClass: string, numa = 0): Record<string, string> {
  const folder = `sys/bus/pci/devices/${address}`;
  return {
    [`${folder}/vendor`]: `${vendor}\n`,
    [`${folder}/class`]: `${pciClass}\n`,
    [`${folder}/numa_node`]: `${numa}\n`,
  };
}

interface KfdFiles {
  /** Whether it is a GPU, and not a CPU. */
  readonly gpu?: boolean;
  readonly bus?: number;
  /** Type of each link, and the node at its other end. */
  readonly links?: readonly (readonly [type: number, to: number])[];
}

/** A node of the topology of the amdkfd driver. */
export function kfdNode(id: number, { gpu = true, bus = 0, links = [] }: KfdFiles): Record<string, string> {
  const folder = `sys/class/kfd/kfd/topology/nodes/${id}`;
  return {
    [`${folder}/gpu_id`]: `${gpu ? 41_000 + id : 0}\n`,
    [`${folder}/properties`]: `cpu_cores_count ${gpu ? 0 : 96}\nsimd_count ${gpu ? 1216 : 0}\nlocation_id ${bus << 8}\ndomain 0\n`,
    ...Object.fromEntries(
      links.map(([type, to], index) => [
        `${folder}/io_links/${index}/properties`,
        `type ${type}\nversion_major 0\nnode_from ${id}\nnode_to ${to}\nweight 15\n`,
      ]),
    ),
  };
}

/** What DCGM's exporter 4.8 says about GPUs with 81,559 MiB. */
export function dcgmText(used: readonly number[], more = ''): string {
  const labels = (gpu: number): string =>
    `gpu="${gpu}",UUID="GPU-${gpu}",pci_bus_id="00000000:${gpu}0:00.0",device="nvidia${gpu}",modelName="NVIDIA H100 80GB HBM3",Hostname="n-1"`;
  const lines = used.flatMap((mib, gpu) => [
    `DCGM_FI_DEV_FB_USED{${labels(gpu)}} ${mib}`,
    `DCGM_FI_DEV_FB_FREE{${labels(gpu)}} ${81_559 - mib}`,
    `DCGM_FI_DEV_GPU_UTIL{${labels(gpu)}} ${mib > 0 ? 90 : 0}`,
  ]);
  return `# HELP DCGM_FI_DEV_FB_USED Framebuffer memory used (in MiB).\n# TYPE DCGM_FI_DEV_FB_USED gauge\n${lines.join('\n')}\n${more}`;
}
