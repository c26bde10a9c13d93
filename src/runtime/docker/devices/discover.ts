/**
 * The devices of the host: what vendor programs say of them, joined with the CDI names by which containers get them.
 *
 * `nvidia-smi` counts for NVIDIA devices where it runs, since CDI describes nothing. AMD devices are those with a CDI name, described by `amd-smi` or `rocm-smi`.
 * All others are what CDI names.
 */
import { type AmdGpu, parseAmdMetrics, parseAmdSmi, parseRocmSmi } from './amd';
import { cdiDevices } from './cdi';
import { type HostTools } from './host-tools';
import { type HostDevice, type MigInstance } from './inventory';
import { type ListedGpu, type NvidiaGpu, parseNvidiaList, parseNvidiaReport } from '../../nvidia/nvidia-smi';
import { parseTopology, type Topology } from '../../nvidia/topology';
import { type DeviceUse } from '../../nvidia/device-use';

const NVIDIA = 'nvidia.com/gpu=';
const AMD = 'amd.com/gpu=';

export interface Discovery {
  readonly devices: readonly HostDevice[];
  /** A vendor program described devices, and can say how they are. */
  readonly isDescribed: boolean;
  /** Version of the NVIDIA driver. */
  readonly driver?: string;
  /** How the devices are used now, by id. */
  readonly use: ReadonlyMap<string, DeviceUse>;
}

/** @param cdi full CDI names that the engine knows */
export async function discover(cdi: ReadonlySet<string>, tools: HostTools): Promise<Discovery> {
  const named = cdiDevices(cdi);
  const nvidia = await nvidiaDevices(cdi, tools);
  const amd = named.some(({ id }) => id.startsWith(AMD)) ? await amdGpus(tools) : undefined;
  const others = named.filter(({ id }) => nvidia === undefined || !id.startsWith(NVIDIA));
  return {
    devices: [...(nvidia?.devices ?? []), ...others.map((device) => described(device, amd ?? [], tools))],
    isDescribed: nvidia !== undefined || amd !== undefined,
    ...(nvidia?.driver === undefined ? {} : { driver: nvidia.driver }),
    use: new Map([...(nvidia?.use ?? []), ...(amd ?? []).map(({ index, use }) => [`${AMD}${index}`, use] as const)]),
  };
}

async function nvidiaDevices(
  cdi: ReadonlySet<string>,
  tools: HostTools,
): Promise<Pick<Discovery, 'devices' | 'driver' | 'use'> | undefined> {
  const report = parseNvidiaReport((await tools.run('nvidia-smi', '-q', '-x')) ?? '');
  if (report === undefined) {
    return undefined;
  }
  const [list, matrix] = [await tools.run('nvidia-smi', '-L'), await tools.run('nvidia-smi', 'topo', '-m')];
  const listed = new Map(parseNvidiaList(list ?? '').map((gpu) => [gpu.uuid, gpu]));
  const topology = parseTopology(matrix ?? '');
  const devices = report.gpus.map((gpu, place) =>
    nvidiaDevice(gpu, listed.get(gpu.uuid) ?? { index: place, uuid: gpu.uuid, mig: [] }, { cdi, tools, topology }),
  );
  const use = new Map(report.gpus.map((gpu) => [gpu.uuid, gpu.use]));
  return { devices, use, ...(report.driver === undefined ? {} : { driver: report.driver }) };
}

interface Surroundings {
  readonly cdi: ReadonlySet<string>;
  readonly tools: HostTools;
  readonly topology: Topology;
}

function nvidiaDevice(gpu: NvidiaGpu, { index, mig }: ListedGpu, { cdi, tools, topology }: Surroundings): HostDevice {
  const name = firstOf(cdi, `${NVIDIA}${gpu.uuid}`, `${NVIDIA}${index}`);
  const island = topology.islands.get(index);
  const numa = topology.numa.get(index) ?? (gpu.busId === undefined ? undefined : tools.numaOf(gpu.busId));
  const instances = mig.map(({ number, id, profile }): MigInstance => {
    const own = firstOf(cdi, `${NVIDIA}${id}`, `${NVIDIA}${index}:${number}`);
    return { id, profile, ...(own === undefined ? {} : { cdi: own }) };
  });
  return {
    id: gpu.uuid,
    ...(name === undefined ? {} : { cdi: name }),
    ...(gpu.model === undefined ? {} : { model: gpu.model }),
    ...(gpu.memoryMiB === undefined ? {} : { memoryMiB: gpu.memoryMiB }),
    ...(gpu.busId === undefined ? {} : { busId: gpu.busId }),
    ...(numa === undefined ? {} : { numa }),
    ...(island === undefined ? {} : { island }),
    ...(gpu.isDivided ? { mig: instances } : {}),
    ...(gpu.fault === undefined ? {} : { fault: gpu.fault }),
  };
}

function firstOf(cdi: ReadonlySet<string>, ...names: readonly string[]): string | undefined {
  return names.find((name) => cdi.has(name));
}

async function amdGpus({ run }: HostTools): Promise<readonly AmdGpu[] | undefined> {
  const newer = await run('amd-smi', 'static', '--asic', '--bus', '--vram', '--numa', '--json');
  const found = newer === undefined ? undefined : parseAmdSmi(newer);
  if (found !== undefined) {
    const uses = parseAmdMetrics((await run('amd-smi', 'metric', '--usage', '--mem-usage', '--json')) ?? '');
    return found.map((gpu) => ({ ...gpu, use: uses.get(gpu.index) ?? {} }));
  }
  const older = await run('rocm-smi', '--showproductname', '--showbus', '--showmeminfo', 'vram', '--showuse', '--json');
  return older === undefined ? undefined : parseRocmSmi(older);
}

function described(device: HostDevice, amd: readonly AmdGpu[], tools: HostTools): HostDevice {
  const gpu = amd.find(({ index }) => device.id === `${AMD}${index}`);
  if (gpu === undefined) {
    return device;
  }
  const { index, use, ...facts } = gpu;
  void [index, use];
  const numa = facts.numa ?? (facts.busId === undefined ? undefined : tools.numaOf(facts.busId));
  return { ...device, ...facts, ...(numa === undefined ? {} : { numa }) };
}
