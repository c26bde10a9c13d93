/**
 * Suggestions for props and amounts that do not exist: the nearest name, or how the same is stated here.
 */
import { isAcceleratorResource } from '../../facts/catalog';
import { editDistance, nearestName } from '../../facts/spelling';

/** What is known of an object with a name that does not exist. */
export interface UnknownMember {
  /** Amount of the resource that was stated under the name, for the example. @default 8 */
  readonly amount?: number | string;
  /** Required members that the object lacks: one of them is probably meant. @default - not known */
  readonly missing?: readonly string[];
}

/** What to write instead of a name that is not a member, as the end of a sentence. */
export function insteadOf(
  name: string,
  members: readonly string[],
  { amount = 8, missing = [] }: UnknownMember = {},
): string {
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
  const meant = near ?? ofSameWords(name, missing) ?? ofSameWords(name, members) ?? misspelled(name, members);
  if (meant !== undefined) {
    return ` (did you mean "${meant}"?).`;
  }
  if (members.length <= MOST_LISTED) {
    return `. The fields are ${members.join(', ')}.`;
  }
  const overrides = ['overrides', 'podOverrides'].filter((member) => members.includes(member));
  return overrides.length === 0 ? '.' : `. A field of the kind that is not a prop goes into ${overrides.join(' or ')}.`;
}

/** The member that differs in at most a quarter of the letters: another word of a similar length is another field. */
function misspelled(name: string, members: readonly string[]): string | undefined {
  const near = nearestName(name, members);
  const limit = Math.max(2, Math.floor(name.length / 4)) + 1;
  return near !== undefined && editDistance(name.toLowerCase(), near.toLowerCase(), limit) < limit ? near : undefined;
}

/**
 * The member that consists of some of the words of the name, or has all of them and more: `max` for `maxReplicas`, `groupName` for `name`.
 * One that begins with the same word goes before others, and one of two others is no answer.
 */
function ofSameWords(name: string, members: readonly string[]): string | undefined {
  const words = wordsOf(name);
  const related = members.filter((member) => {
    const others = wordsOf(member);
    return words.every((word) => others.includes(word)) || others.every((word) => words.includes(word));
  });
  const sameStart = related.filter((member) => wordsOf(member)[0] === words[0]);
  const [only, ...rest] = sameStart.length > 0 ? sameStart : related;
  return rest.length === 0 ? only : undefined;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/);
}

/** More names than this are not listed. */
const MOST_LISTED = 16;

/** Words of Kubernetes and of other tools, and what is written here. */
const KNOWN_MISNOMERS: readonly (readonly [RegExp, string])[] = [
  [/^(others|extended|resources)$/, 'other'],
  [/^(ephemeral-storage|storage)$/, 'ephemeralStorage'],
  [/^(replicas|workers|numNodes|num_nodes)$/, 'nodes'],
  [/^(nodes|replicas|pods|workers)$/, 'parallelism'],
  [/^(timeout|timeLimit|deadline|maxRuntime|walltime)$/, 'activeDeadline'],
  [/^(scaling|autoscaling|scale)$/, 'autoscaler'],
  [/^((min|max)(Scale|Replicas)|autoscaling|autoscaler)$/, 'scaling'],
  [/^(scaling|autoscaling|autoscaler|scale|engine|runtime)$/, 'as'],
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
  [/^(nodeSelector)$/, 'nodeLabels'],
  [/^completionMode$/, 'indexed'],
  [/^(hugePages|hugepages|sysctl|sysctls)$/, 'tunings'],
  [/^cron$/, 'schedule'],
  [/^readinessProbe$/, 'ready'],
  [/^livenessProbe$/, 'alive'],
];
