/**
 * Suggestions for props and amounts that do not exist: the nearest name, or how the same is stated here.
 */
import { isAcceleratorResource } from '../../facts/catalog';
import { nearestName } from '../../facts/spelling';

/**
 * What to write instead of a name that is not a member, as the end of a sentence.
 *
 * @param amount of a resource that was stated under the name, for the example
 */
export function insteadOf(name: string, members: readonly string[], amount: number | string = 8): string {
  const countsDevices = members.includes('accelerators') || (members.includes('cpu') && !members.includes('devices'));
  if (countsDevices && /^(gpus?|npus?|tpus?|devices?|accelerator|nvidia)$/i.test(name)) {
    return '. Write accelerators: [Accelerator.nvidia({ count: 8 })], with the factory of the vendor.';
  }
  if (name.includes('/')) {
    return isAcceleratorResource(name)
      ? `. Write accelerators: [Accelerator.of({ resource: "${name}", count: ${amount} })], or the factory of the vendor.`
      : `. Write other: { "${name}": ${amount} }.`;
  }
  if (name.startsWith('hugepages-')) {
    return `. Write hugepages: { "${name.slice('hugepages-'.length)}": "1Gi" }.`;
  }
  const near = KNOWN_MISNOMERS.find(([pattern, member]) => pattern.test(name) && members.includes(member))?.[1];
  const meant = near ?? nearestName(name, members);
  if (meant !== undefined) {
    return ` (did you mean "${meant}"?).`;
  }
  return members.length > MOST_LISTED ? '.' : `. The fields are ${members.join(', ')}.`;
}

/** More names than this are not listed. */
const MOST_LISTED = 16;

/** Words of Kubernetes and of other tools, and what is written here. */
const KNOWN_MISNOMERS: readonly (readonly [RegExp, string])[] = [
  [/^(others|extended|resources)$/, 'other'],
  [/^(ephemeral-storage|storage)$/, 'ephemeralStorage'],
  [/^(replicas|workers|numNodes|num_nodes)$/, 'nodes'],
  [/^(limit|max|ceiling|cap|maximum|quota)$/, 'capability'],
  [/^(guaranteed|min|minimum|reserved)$/, 'guarantee'],
  [/^(nominal|share|nominalShare)$/, 'deserved'],
  [/^(gpus?|npus?|tpus?|gpusPerNode|devicesPerNode)$/, 'devices'],
  [/^(volumes|volumeMounts)$/, 'mounts'],
  [/^(shm|shmSize|dshm)$/, 'sharedMemory'],
  [/^(queueName|scheduler|schedulerName)$/, 'scheduling'],
  [/^(priority|priorityClassName)$/, 'priorityClass'],
  [/^(serviceAccountName)$/, 'serviceAccount'],
  [/^(nodeSelector)$/, 'nodeSelection'],
];
