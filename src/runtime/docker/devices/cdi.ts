/**
 * Devices that the engine has discovered by CDI (`/info`, engine 28.3 and newer).
 */
import { type EngineInfo } from '../engine/engine';
import { type HostDevice } from './inventory';

const NAME = /^([a-z0-9.-]+\/[A-Za-z0-9_.-]+)=([A-Za-z0-9][A-Za-z0-9_.:-]*)$/;
/** Kinds of accelerators. Network and storage devices are discovered in the same way. */
const KINDS = /\/(gpu|accel|npu|tpu|neuron|gaudi|dcu)$/;

export function discovered(info: EngineInfo): ReadonlySet<string> {
  return new Set((info.DiscoveredDevices ?? []).filter(({ Source }) => Source === 'cdi').map(({ ID }) => ID));
}

/**
 * One device for each that is discovered. A specification names a device by its index and its UUID, and all devices as `all`: where one kind has
 * numbers, only these count. Instances such as `0:1` have no profile here and are left out.
 */
export function cdiDevices(info: EngineInfo): readonly HostDevice[] {
  const kinds = new Map<string, string[]>();
  for (const id of discovered(info)) {
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
