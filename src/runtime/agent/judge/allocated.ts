/**
 * Which devices the kubelet gave to which pod, in the form of the annotation `gantry.dev/allocated-devices`.
 */
import { type AcceleratorState } from '../devices/accelerators';
import { type PodName } from '../host/pod-names';
import { type Observation } from '../observation';

/**
 * @returns the text of the annotation; undefined where the kubelet does not answer, or no device has a known index. A pod with one unknown
 *   device is left out, since half of its devices would be a wrong statement.
 */
export function allocatedDevices({ kubelet, podNames, cgroups, accelerators }: Observation): string | undefined {
  if (kubelet === undefined || podNames === undefined || accelerators === undefined) {
    return undefined;
  }
  const uids = uidsByName(podNames, new Set(cgroups?.pods.map(({ uid }) => uid)));
  const indexes = indexesById(accelerators);
  const byResource = new Map<string, Map<string, readonly number[]>>();
  for (const { namespace, name, devices } of kubelet.pods) {
    const uid = uids.get(`${namespace}/${name}`);
    for (const resource of uid === undefined ? [] : new Set(devices.map((device) => device.resource))) {
      const given = devices.filter((device) => device.resource === resource).map(({ id }) => indexes.get(id));
      if (given.every((index) => index !== undefined)) {
        const pods = byResource.get(resource) ?? new Map<string, readonly number[]>();
        byResource.set(resource, pods.set(uid!, given));
      }
    }
  }
  if (indexes.size === 0) {
    return undefined;
  }
  const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(sorted(byResource).map(([resource, pods]) => [resource, Object.fromEntries(sorted(pods))])),
  );
}

/**
 * The kubelet names a pod only by its name, and keeps the logs of a pod for a while after its end: of pods that had one name, the one that runs has a
 * cgroup. Where that is not known, a name that two pods had is left out.
 *
 * @param running pods with a cgroup; empty where none was found, as with a cgroup tree of an unknown form
 */
function uidsByName(
  podNames: ReadonlyMap<string, PodName>,
  running: ReadonlySet<string>,
): ReadonlyMap<string, string | undefined> {
  const uids = new Map<string, string | undefined>();
  for (const [uid, { namespace, name }] of podNames) {
    if (running.size === 0 || running.has(uid)) {
      const key = `${namespace}/${name}`;
      uids.set(key, uids.has(key) ? undefined : uid);
    }
  }
  return uids;
}

/** The devices, each with whether a pod has it, where the kubelet says so. Replicas of a shared device are called `ID::0`, `ID::1`, … */
export function withHolders({
  accelerators,
  kubelet,
}: Pick<Observation, 'accelerators' | 'kubelet'>): readonly AcceleratorState[] | undefined {
  if (accelerators === undefined || kubelet === undefined) {
    return accelerators;
  }
  const plain = (id: string): string => id.replace(/::\d+$/, '');
  const known = new Set(kubelet.allocatable.map(({ id }) => plain(id)));
  const given = new Set(kubelet.pods.flatMap(({ devices }) => devices.map(({ id }) => plain(id))));
  return accelerators.map((device) => {
    const name = [device.id, device.busId].find((one) => one !== undefined && (known.has(one) || given.has(one)));
    return name === undefined ? device : { ...device, held: given.has(name) };
  });
}

function indexesById(accelerators: readonly AcceleratorState[]): ReadonlyMap<string, number> {
  return new Map(accelerators.flatMap(({ id, index }) => (id === undefined ? [] : [[id, index] as const])));
}
