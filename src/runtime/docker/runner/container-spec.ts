/**
 * The container of one member of a task, as the Engine API takes it.
 *
 * Devices go by CDI where the engine has discovered them, else by UUID to the NVIDIA driver. Never by count: the engine always takes the first ones. A
 * container without devices gets the variable that hides them all: CUDA images otherwise get every device where the NVIDIA runtime is the default.
 */
import { cpuListText } from '../devices/cpus';
import { type Inventory, type MigInstance } from '../devices/inventory';
import { type Member, type Task } from '../task/task';

export const LABELS = {
  runner: 'dev.gantry.runner',
  task: 'dev.gantry.task',
  attempt: 'dev.gantry.attempt',
  member: 'dev.gantry.member',
  /** The task as it was when it was placed, from which the ledger can be built again. */
  document: 'dev.gantry.document',
} as const;

const LOGS = { Type: 'json-file', Config: { 'max-size': '20m', 'max-file': '3' } };
const MOST_PROCESSES = 65_536;

export interface ContainerSpec {
  readonly Image: string;
  readonly Cmd?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly WorkingDir?: string;
  readonly User?: string;
  readonly Tty: false;
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

export interface Host {
  readonly inventory: Inventory;
  /** CDI names that the engine has discovered. */
  readonly cdi: ReadonlySet<string>;
  /** Identity of the runner. */
  readonly runner: string;
  readonly lockMemory: boolean;
}

export function containerSpec(task: Task, member: Member, { inventory, cdi, runner, lockMemory }: Host): ContainerSpec {
  const { spec } = task;
  const requests = deviceRequests(member, inventory, cdi);
  return {
    Image: spec.image,
    ...(spec.command.length === 0 ? {} : { Cmd: spec.command }),
    ...(spec.entrypoint === undefined ? {} : { Entrypoint: [spec.entrypoint] }),
    Env: [
      ...spec.env.filter((entry) => !entry.startsWith('NVIDIA_VISIBLE_DEVICES=')),
      ...(requests.length === 0 ? ['NVIDIA_VISIBLE_DEVICES=void'] : []),
      `GANTRY_TASK=${task.id}`,
      `GANTRY_ATTEMPT=${task.attempt}`,
      `GANTRY_REPLICA=${member.index}`,
      `GANTRY_REPLICAS=${spec.replicas}`,
      ...(task.array === undefined ? [] : [`GANTRY_ARRAY_INDEX=${task.array.index}`]),
      ...(spec.devices.kind === 'memory' ? [`GANTRY_GPU_MEMORY_MIB=${spec.devices.mebibytes}`] : []),
    ],
    Labels: {
      [LABELS.runner]: runner,
      [LABELS.task]: task.id,
      [LABELS.attempt]: String(task.attempt),
      [LABELS.member]: String(member.index),
      [LABELS.document]: JSON.stringify(task),
    },
    ...(spec.workdir === undefined ? {} : { WorkingDir: spec.workdir }),
    ...(spec.user === undefined ? {} : { User: spec.user }),
    Tty: false,
    HostConfig: {
      ...(requests.length === 0 ? {} : { DeviceRequests: requests }),
      ...processors(task, member),
      // Equal to the memory, or the engine allows as much swap again.
      ...(spec.memoryBytes === undefined ? {} : { Memory: spec.memoryBytes, MemorySwap: spec.memoryBytes }),
      ...(spec.shmBytes === undefined ? {} : { ShmSize: spec.shmBytes }),
      ...(spec.volumes.length === 0 ? {} : { Binds: spec.volumes }),
      ...(spec.network === undefined ? {} : { NetworkMode: spec.network }),
      ReadonlyRootfs: spec.readOnly,
      PidsLimit: MOST_PROCESSES,
      SecurityOpt: ['no-new-privileges'],
      Ulimits: member.devices.length === 0 || !lockMemory ? [] : [{ Name: 'memlock', Soft: -1, Hard: -1 }],
      LogConfig: LOGS,
      // The runner decides what happens after the end.
      RestartPolicy: { Name: 'no' },
    },
  };
}

function processors({ spec }: Task, { cpus, memoryNodes }: Member): Readonly<Record<string, unknown>> {
  if (cpus.length > 0) {
    return {
      CpusetCpus: cpuListText(cpus),
      ...(memoryNodes.length === 0 ? {} : { CpusetMems: cpuListText(memoryNodes) }),
    };
  }
  return spec.cpus === undefined ? {} : { NanoCpus: Math.round(spec.cpus * 1e9) };
}

function deviceRequests(member: Member, inventory: Inventory, cdi: ReadonlySet<string>): readonly unknown[] {
  if (member.devices.length === 0) {
    return [];
  }
  const ids = member.mig.length > 0 ? member.mig : member.deviceIds;
  const names = ids.map((id) => cdiName(id, inventory, cdi));
  return names.every((name) => name !== undefined)
    ? [{ Driver: 'cdi', DeviceIDs: names }]
    : [{ Driver: 'nvidia', DeviceIDs: ids, Capabilities: [['gpu', 'compute', 'utility']] }];
}

function instance(devices: Inventory['devices'], id: string): MigInstance | undefined {
  return devices.flatMap(({ mig = [] }) => mig).find((one) => one.id === id);
}

/** A device of the configuration keeps its configured CDI name, whether the engine lists it or not. */
function cdiName(id: string, { devices }: Inventory, cdi: ReadonlySet<string>): string | undefined {
  const known = (devices.find((device) => device.id === id) ?? instance(devices, id))?.cdi;
  if (known !== undefined) {
    return known;
  }
  const name = `nvidia.com/gpu=${id}`;
  return cdi.has(name) ? name : undefined;
}
