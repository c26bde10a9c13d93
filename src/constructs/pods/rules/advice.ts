/**
 * How advice about pods is made: what every server takes, and what yet does not do what was written.
 */
import { type Severity } from '../../../checks/report/finding';
import { type PodTemplateRule, type RuleContext } from '../../../checks/rules/rule';
import { hasOperatorSharedMemory, type PodView } from '../../../checks/server/pod-view';
import { type Say, saidOfPod } from '../../../checks/server/server-rule';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { deviceNoun, isAcceleratorResource } from '../../../facts/catalog';

export interface AdviceTexts {
  readonly row?: string;
  /** As in `RuleFacts`. @default - the rule is always run */
  readonly concerns?: readonly string[];
  /** `error` where it certainly does not do what was written, `warning` where it likely does not, `info` for a hint. */
  readonly severity: Severity;
  readonly summary: string;
  readonly why: string;
  readonly fix: string;
  readonly source: string;
  /** What the rule looks at, as in `PodTemplateRule`. @default template */
  readonly sees?: 'namespace' | 'everything';
}

export function podAdvice(
  name: string,
  texts: AdviceTexts,
  check: (pod: PodView, say: Say, context: RuleContext) => void,
): PodTemplateRule {
  const { sees, ...facts } = texts;
  return {
    id: `pods/${name}`,
    tier: 'advice',
    ...facts,
    on: 'pod-template',
    ...(sees === 'everything' ? {} : { sees: sees ?? 'template' }),
    check: (template, context) => saidOfPod(template, check, context),
  };
}

/** A container as messages show it: `the container "server"`, or `containers[0]` without a name. */
export function titleOf({ name, path }: Pick<Container, 'name' | 'path'>): string {
  return name === '' ? fieldOf(path) : `the container "${name}"`;
}

/** A resource that a container asks for, with where it says so. */
export interface Asked {
  readonly name: string;
  /** As a number: for counts of devices. */
  readonly amount: number;
  readonly path: string;
}

type Container = PodView['all'][number];

const askedByContainer = new WeakMap<Container, readonly Asked[]>();
const acceleratorsByContainer = new WeakMap<Container, readonly Asked[]>();

/** What a container asks for: its limits, and requests that have no limit. */
export function askedBy(container: Container): readonly Asked[] {
  let asked = askedByContainer.get(container);
  if (asked === undefined) {
    askedByContainer.set(container, (asked = readAsked(container)));
  }
  return asked;
}

function readAsked(container: Container): readonly Asked[] {
  const resources = asObject(container.value.resources);
  const asked = new Map<string, Asked>();
  for (const list of ['requests', 'limits']) {
    for (const [name, value] of Object.entries(asObject(resources[list]))) {
      asked.set(name, { name, amount: Number(value), path: pointer(`${container.path}/resources`, list, name) });
    }
  }
  return [...asked.values()];
}

/** The accelerators that a container asks for. */
export function acceleratorsOf(container: Container): readonly Asked[] {
  let accelerators = acceleratorsByContainer.get(container);
  if (accelerators === undefined) {
    accelerators = askedBy(container).filter(
      ({ name }) => isAcceleratorResource(name) || /^nvidia\.com\/(gpu(?!mem|cores)|mig-)/.test(name),
    );
    acceleratorsByContainer.set(container, accelerators);
  }
  return accelerators;
}

/** How many devices these are, all resources together. */
export function devicesOf(accelerators: readonly Asked[]): number {
  return accelerators.reduce((sum, { amount }) => sum + (Number.isFinite(amount) ? amount : 0), 0);
}

/** The noun for one of these devices: `GPU`, `Neuron device`; `accelerator` where they are of several kinds. */
export function nounOf(accelerators: readonly Asked[]): string {
  const [noun = 'accelerator', ...others] = new Set(accelerators.map(({ name }) => deviceNoun(name)));
  return others.length === 0 ? noun : 'accelerator';
}

/** The volume that is mounted at this path in a container, if any. */
function mountedAt(
  pod: PodView,
  container: PodView['all'][number],
  path: string,
): PodView['volumes'] extends ReadonlyMap<string, infer V> ? V | undefined : never {
  const mounts = container.value.volumeMounts;
  if (!Array.isArray(mounts)) {
    return undefined;
  }
  const mount = mounts.find(
    (entry) => isObject(entry) && typeof entry.mountPath === 'string' && entry.mountPath.replace(/\/+$/, '') === path,
  );
  return isObject(mount) && typeof mount.name === 'string' ? pod.volumes.get(mount.name) : undefined;
}

/** Whether a container has more than the runtime's 64 MiB at /dev/shm: by a volume of its own, of its operator, or of the host. */
export function hasSharedMemory(pod: PodView, container: PodView['containers'][number]): boolean {
  return (
    pod.spec.hostIPC === true ||
    mountedAt(pod, container, '/dev/shm') !== undefined ||
    hasOperatorSharedMemory(pod, container)
  );
}
