/**
 * Devices with CDI names: what the engine has discovered (`/info`, engine 28.3 and newer), or the CDI files of the host for an older engine.
 */
import { isObject } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { type EngineInfo } from '../engine/answers';
import { type HostTools } from './host-tools';
import { type HostDevice } from './inventory';

const NAME = /^([a-z0-9.-]+\/[A-Za-z0-9_.-]+)=([A-Za-z0-9][A-Za-z0-9_.:-]*)$/;
/** Kinds of accelerators. Network and storage devices are discovered in the same way. */
const KINDS = /\/(gpu|accel|npu|tpu|neuron|gaudi|dcu)$/;

/** Full CDI names that a container may ask for. */
export function cdiNames(info: EngineInfo, tools: Pick<HostTools, 'files'>): ReadonlySet<string> {
  if (info.DiscoveredDevices !== undefined) {
    return new Set(info.DiscoveredDevices.filter(({ Source }) => Source === 'cdi').map(({ ID }) => ID));
  }
  const files = (info.CDISpecDirs ?? []).flatMap((folder) => [...tools.files(folder)]);
  return new Set(files.flatMap(([path, text]) => namesOf(text, path)));
}

/** Names of a CDI specification. A file that is none has no names. */
function namesOf(text: string, path: string): readonly string[] {
  const parsed = parseValue(text, path);
  const value = 'problem' in parsed ? undefined : parsed.value;
  if (!isObject(value) || typeof value.kind !== 'string' || !Array.isArray(value.devices)) {
    return [];
  }
  const { kind } = value;
  return value.devices.flatMap((device) =>
    isObject(device) && typeof device.name === 'string' ? [`${kind}=${device.name}`] : [],
  );
}

/**
 * One device for each that has names. A specification names a device by its index and its UUID, and all devices as `all`: where one kind has
 * numbers, only these count. Instances such as `0:1` have no profile here and are left out.
 */
export function cdiDevices(discovered: ReadonlySet<string>): readonly HostDevice[] {
  const kinds = new Map<string, string[]>();
  for (const id of discovered) {
    const [, kind, name] = NAME.exec(id) ?? [];
    if (kind !== undefined && KINDS.test(kind) && name !== 'all' && !name.includes(':')) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
    }
  }
  return [...kinds]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([kind, names]) => {
      const numbers = names.filter((name) => /^\d+$/.test(name));
      const chosen = numbers.length > 0 ? numbers.sort((a, b) => Number(a) - Number(b)) : names.sort();
      return chosen.map((name) => ({ id: `${kind}=${name}`, cdi: `${kind}=${name}` }));
    });
}
