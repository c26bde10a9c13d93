/**
 * What a pod asks of accelerators: whole devices, MIG instances, time-sliced replicas, parts and memory, in each vendor's words.
 *
 * Sources of the resource names: `src/facts/catalog/resource-names.ts`; of KAI's annotations: KAI-Scheduler, docs/gpu-sharing.
 */
import { isAcceleratorResource } from '../../../facts/catalog';
import { type AcceleratorRequest, DEFAULT_DEVICE_RESOURCE, type PodTemplate } from '../../../placement';
import { type AmountsDraft } from '../../../manifests/pods/resource-amounts';

/** More than any node has. */
const MOST_DEVICES = 64;

/** How one sharing component spells a part of a device. */
interface SharingWords {
  /** How many devices; the device resource of its nodes. */
  readonly count: string;
  /** Memory of each, and how many MiB its unit has. */
  readonly memory?: string;
  readonly unitMiB?: number;
  /** Percent of the memory, or of the device. */
  readonly percent?: string;
  /** Compute; does not decide on placement here. */
  readonly cores?: string;
}

const WORDS: readonly SharingWords[] = [
  {
    count: 'nvidia.com/gpu',
    memory: 'nvidia.com/gpumem',
    unitMiB: 1,
    percent: 'nvidia.com/gpumem-percentage',
    cores: 'nvidia.com/gpucores',
  },
  {
    count: 'volcano.sh/vgpu-number',
    memory: 'volcano.sh/vgpu-memory',
    unitMiB: 1,
    percent: 'volcano.sh/vgpu-memory-percentage',
    cores: 'volcano.sh/vgpu-cores',
  },
  { count: 'hygon.com/dcunum', memory: 'hygon.com/dcumem', unitMiB: 1, cores: 'hygon.com/dcucores' },
  { count: 'cambricon.com/vmlu', percent: 'cambricon.com/mlu.smlu.vmemory', cores: 'cambricon.com/mlu.smlu.vcore' },
  { count: 'metax-tech.com/sgpu', memory: 'metax-tech.com/vmemory', unitMiB: 1024, cores: 'metax-tech.com/vcore' },
  { count: 'mthreads.com/vgpu', memory: 'mthreads.com/sgpu-memory', unitMiB: 512, cores: 'mthreads.com/sgpu-core' },
];

/** Components that count in percent of a device, where 100 is a whole one; the device resource of their nodes is the resource itself. */
const PERCENT_OF_DEVICES: readonly { readonly percent: string; readonly memory: string }[] = [
  { percent: 'tke.cloud.tencent.com/qgpu-core', memory: 'tke.cloud.tencent.com/qgpu-memory' },
  { percent: 'tencent.com/vcuda-core', memory: 'tencent.com/vcuda-memory' },
];

/** Resources that a node counts as 100 for each device. */
export const PERCENT_RESOURCES: readonly string[] = PERCENT_OF_DEVICES.map(({ percent }) => percent);

/** Resources that count the devices, or the parts of devices, that a sharing component hands out. */
export const SHARED_COUNTS: readonly string[] = WORDS.map(({ count }) => count);

export const RENAMED_REPLICA = 'nvidia.com/gpu.shared';
const MIG = /^nvidia\.com\/mig-(.+)$/;

/** The MIG profile of a resource name, as nodes spell it: `nvidia.com/mig-1g.10gb.me` is `1g.10gb+me`. */
export function migProfileOf(resource: string): string | undefined {
  const name = MIG.exec(resource)?.[1];
  return name?.replace(/gb\.(.+)$/, 'gb+$1');
}

type Annotations = Readonly<Record<string, string>>;

/**
 * The accelerators that a pod asks for beyond whole devices, which the placement core reads from the request by itself. What is put
 * into words here is taken out of `request`.
 */
export function takeAcceleratorRequest(
  request: AmountsDraft,
  annotations: Annotations,
  sharing: boolean,
): AcceleratorRequest | undefined {
  const models = modelsNamed(annotations);
  const found =
    (sharing ? kaiShare(annotations) : undefined) ??
    sharedPart(request) ??
    percentOfDevices(request) ??
    instances(request);
  return found === undefined || models === undefined ? found : { ...found, models };
}

function kaiShare(annotations: Annotations): AcceleratorRequest | undefined {
  // KAI's admission webhook takes whole numbers here, and no node has more devices than these.
  const count = whole(annotations['gpu-fraction-num-devices'], MOST_DEVICES) ?? 1;
  const fraction = positive(annotations['gpu-fraction']);
  const mebibytes = whole(annotations['gpu-memory'], Number.MAX_SAFE_INTEGER);
  const resource = DEFAULT_DEVICE_RESOURCE;
  if (fraction !== undefined && fraction < 1) {
    return { kind: 'fraction', milli: Math.ceil(fraction * 1000), count, resource };
  }
  return mebibytes === undefined ? undefined : { kind: 'memory', mebibytes, count, resource };
}

/** Larger numbers count as the largest. */
function whole(text: string | undefined, most: number): number | undefined {
  return text !== undefined && /^\d+$/.test(text) && Number(text) > 0 ? Math.min(Number(text), most) : undefined;
}

function positive(text: string | undefined): number | undefined {
  const number = text === undefined ? NaN : Number(text);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

function sharedPart(request: AmountsDraft): AcceleratorRequest | undefined {
  for (const { count: resource, memory = '', unitMiB = 1, percent = '', cores = '' } of WORDS) {
    const count = request[resource] ?? (request[memory] !== undefined || request[percent] !== undefined ? 1 : 0);
    if (count === 0) {
      continue;
    }
    const [units, part] = [request[memory] ?? 0, request[percent] ?? 0];
    for (const name of [memory, percent, cores]) {
      delete request[name];
    }
    if (units === 0 && (part === 0 || part >= 100)) {
      continue;
    }
    delete request[resource];
    return units > 0
      ? { kind: 'memory', mebibytes: units * unitMiB, count, resource }
      : { kind: 'fraction', milli: part * 10, count, resource };
  }
  return undefined;
}

function percentOfDevices(request: AmountsDraft): AcceleratorRequest | undefined {
  for (const { percent, memory } of PERCENT_OF_DEVICES) {
    const part = request[percent] ?? 0;
    if (part === 0) {
      continue;
    }
    delete request[percent];
    delete request[memory];
    if (part < 100) {
      return { kind: 'fraction', milli: part * 10, resource: percent };
    }
    return { kind: 'whole', count: Math.ceil(part / 100), resource: percent };
  }
  return undefined;
}

/** MIG instances and renamed replicas stay in the request as well, since nodes and queues count them by name. */
function instances(request: AmountsDraft): AcceleratorRequest | undefined {
  for (const resource in request) {
    const count = request[resource];
    const profile = migProfileOf(resource);
    if (count > 0 && profile !== undefined) {
      return { kind: 'mig', profile, count, resource: DEFAULT_DEVICE_RESOURCE };
    }
    if (count > 0 && resource === RENAMED_REPLICA) {
      return { kind: 'shared', count, resource: RENAMED_REPLICA };
    }
  }
  return undefined;
}

/** HAMi: `nvidia.com/use-gputype`, a comma-separated list of models. */
function modelsNamed(annotations: Annotations): readonly string[] | undefined {
  const models = annotations['nvidia.com/use-gputype']
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return models === undefined || models.length === 0 ? undefined : models;
}

/** `8 x nvidia.com/gpu`, `1 x 1g.10gb`, `1 x 50% of a device`: one pod's accelerators for people. */
export function describeAccelerators({
  request,
  accelerator,
  charged = {},
}: Pick<PodTemplate, 'request' | 'accelerator' | 'charged'>): string | undefined {
  if (accelerator === undefined) {
    const whole = [...Object.entries(request), ...Object.entries(charged)].find(
      ([name, amount]) => amount > 0 && isAcceleratorResource(name),
    );
    return whole === undefined ? undefined : `${whole[1]} x ${whole[0]}`;
  }
  const count = accelerator.count ?? 1;
  switch (accelerator.kind) {
    case 'whole':
    case 'shared':
      return `${count} x ${accelerator.resource ?? DEFAULT_DEVICE_RESOURCE}`;
    case 'fraction':
      return `${count} x ${accelerator.milli / 10}% of a device`;
    case 'memory':
      return `${count} x ${accelerator.mebibytes} MiB`;
    case 'mig':
      return `${count} x ${accelerator.profile}`;
  }
}
