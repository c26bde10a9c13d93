/**
 * A gang of the placement core as a scenario describes one, so that a recorded gang can be simulated.
 */
import { isWholeDevice } from '../../facts/catalog';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { definedJson } from '../../manifests/values/members';
import { type AcceleratorRequest, type Gang, type PodTemplate, type Role } from '../../placement';

/** Of what a pod lists: more of them say nothing about its size. */
const MOST_ENTRIES = 16;
/** The API server adds tolerations of these taints to every pod. */
const NODE_CONDITIONS = 'node.kubernetes.io/';

/** @returns `undefined` where a scenario has no words for the devices that the gang requests */
export function describeGang(gang: Gang): JsonObject | undefined {
  const { roles, minimum, priority, topology, preemptible, preempts } = gang;
  const counted = roles.filter(({ count }) => count > 0);
  const described = counted.map((role) => describeRole(role, counted.length === 1 ? 'devices' : 'gpus'));
  if (described.length === 0 || described.length > MOST_ENTRIES || described.includes(undefined)) {
    return undefined;
  }
  const pods = counted.reduce((sum, { count }) => sum + count, 0);
  return definedJson({
    name: gang.name,
    queue: gang.queue,
    ...(described.length === 1 ? described[0] : { roles: described }),
    minimum: minimum === pods || minimum === 0 ? undefined : minimum,
    priority: priority === 0 ? undefined : priority,
    topology: topology === undefined ? undefined : { ...topology },
    preemptible: preemptible === false ? false : undefined,
    preempts: preempts === false ? false : undefined,
    minimumRuntime: gang.minimumRuntimeSeconds,
    // A scenario that sets none assumes that the scheduler knows the duration.
    expected: gang.expectedSeconds ?? 'unknown',
    checkpoint: gang.checkpointSeconds,
  });
}

/** @param devices name of the member that counts devices */
function describeRole(role: Role, devices: 'devices' | 'gpus'): JsonObject | undefined {
  const { name, count, minimum, template, topology } = role;
  const accelerator = describeAccelerator(template.accelerator);
  if (accelerator === undefined) {
    return undefined;
  }
  const amounts = template.request;
  const { cpu, memory } = amounts;
  const [device] = Object.keys(amounts).filter(isWholeDevice);
  const request = Object.entries(amounts).filter(([resource]) => !['cpu', 'memory', 'pods', device].includes(resource));
  const { gpus = device === undefined ? undefined : amounts[device], ...models } = accelerator;
  const ofGang = devices === 'gpus';
  return definedJson({
    name: ofGang ? name : undefined,
    pods: count,
    minimum: ofGang ? minimum : undefined,
    cpu: cpu === undefined ? undefined : cpu % 1000 === 0 ? cpu / 1000 : `${cpu}m`,
    memory: memory === undefined ? undefined : bytesText(memory),
    [devices]: gpus,
    ...models,
    request: request.length === 0 ? undefined : Object.fromEntries(request.slice(0, MOST_ENTRIES)),
    ...placesOf(template),
    topology: topology === undefined ? undefined : { ...topology },
  });
}

function describeAccelerator(accelerator: AcceleratorRequest | undefined): JsonObject | undefined {
  if (accelerator === undefined) {
    return {};
  }
  const models = definedJson({ model: accelerator.models?.join('|') });
  switch (accelerator.kind) {
    case 'whole':
      return { gpus: accelerator.count, ...models };
    case 'mig':
      return { gpus: accelerator.count, mig: accelerator.profile, ...models };
    case 'fraction':
      return (accelerator.count ?? 1) === 1 ? { gpus: accelerator.milli / 1000, ...models } : undefined;
    case 'memory':
    case 'shared':
      return undefined;
  }
}

function placesOf({ nodeSelector, tolerations = [] }: PodTemplate): JsonObject {
  const stated = tolerations.filter(({ key }) => !(key?.startsWith(NODE_CONDITIONS) ?? false)).slice(0, MOST_ENTRIES);
  return {
    ...(nodeSelector !== undefined && { nodeSelector: { ...nodeSelector } }),
    ...(stated.length > 0 && { tolerations: stated.map((toleration) => definedJson({ ...toleration })) }),
  };
}

const UNITS = [
  ['Ti', 2 ** 40],
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
] as const;

function bytesText(bytes: number): JsonValue {
  const [unit, size] = UNITS.find(([, one]) => bytes >= one && bytes % one === 0) ?? ['', 1];
  return unit === '' ? bytes : `${bytes / size}${unit}`;
}
