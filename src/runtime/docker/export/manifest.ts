/**
 * A task as a workload for a cluster, through the constructs of the library, and what of the task does not carry over.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Job, JobSet } from '../../../constructs/batch';
import { PyTorchJob } from '../../../constructs/kubeflow';
import { Accelerator, type PodProps } from '../../../constructs/pods';
import { type TaskSpec } from '../task/task';

const NVIDIA = 'nvidia.com/gpu';
const AMD = 'amd.com/gpu';

export const EXPORT_KINDS = ['job', 'pytorchjob', 'jobset'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export interface Exported {
  readonly manifests: readonly unknown[];
  /** What has to be decided for the cluster, one sentence each. */
  readonly notes: readonly string[];
}

export interface ExportedTask {
  /** For the name of a task that has none. */
  readonly id: string;
  readonly spec: TaskSpec;
  /** Resources of a cluster that count the devices; see `resources.ts`. */
  readonly resources: readonly string[];
}

export function exported({ id, spec, resources: devices }: ExportedTask, kind: ExportKind): Exported {
  const chart = new Chart(new App(), 'export', { disableResourceNameHashes: true });
  const name = nameOf(spec.name ?? `task-${id}`);
  const pod = podOf(spec, devices[0] ?? NVIDIA);
  const activeDeadline =
    spec.timeLimitSeconds === undefined ? {} : { activeDeadline: Duration.seconds(Math.ceil(spec.timeLimitSeconds)) };
  switch (kind) {
    case 'job':
      new Job(chart, name, { ...pod, ...activeDeadline, parallelism: spec.replicas, backoffLimit: spec.retries, name });
      break;
    case 'pytorchjob':
      new PyTorchJob(chart, name, {
        ...pod,
        ...activeDeadline,
        nodes: spec.replicas,
        backoffLimit: spec.retries,
        name,
      });
      break;
    case 'jobset':
      new JobSet(chart, name, {
        jobs: [{ ...pod, jobName: 'main', nodes: spec.replicas }],
        maxRestarts: spec.retries,
        name,
      });
  }
  return { manifests: chart.toJson() as unknown[], notes: [...resourceNotes(devices), ...notesOf(spec, kind)] };
}

function podOf(spec: TaskSpec, resource: string): PodProps {
  const { image, command, entrypoint, env, workdir, cpus, memoryBytes, shmBytes, readOnly, graceSeconds } = spec;
  const resources = {
    ...(cpus === undefined ? {} : { cpu: cpus }),
    ...(memoryBytes === undefined ? {} : { memory: sizeText(memoryBytes), memoryLimit: sizeText(memoryBytes) }),
  };
  const accelerators = acceleratorsOf(spec, resource);
  return {
    image,
    // What Docker calls the command are the arguments of the entry point.
    ...(entrypoint === undefined ? {} : { command: [entrypoint] }),
    ...(command.length === 0 ? {} : { args: command }),
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env.map(variable)) }),
    ...(workdir === undefined ? {} : { workingDir: workdir }),
    ...(Object.keys(resources).length === 0 ? {} : { resources }),
    ...(accelerators === undefined ? {} : { accelerators }),
    ...(shmBytes === undefined ? {} : { sharedMemory: sizeText(shmBytes) }),
    securityContext: { allowPrivilegeEscalation: false, ...(readOnly ? { readOnlyRootFilesystem: true } : {}) },
    terminationGracePeriod: Duration.seconds(graceSeconds),
  };
}

function acceleratorsOf({ devices }: TaskSpec, resource: string): Accelerator | undefined {
  switch (devices.kind) {
    case 'none':
      return undefined;
    case 'mig':
      return Accelerator.mig({ count: devices.count, profile: devices.profile });
    case 'memory':
      return wholeDevices(resource, 1);
    case 'whole':
      return wholeDevices(resource, devices.count);
  }
}

function wholeDevices(resource: string, count: number): Accelerator {
  switch (resource) {
    case NVIDIA:
      return Accelerator.nvidia({ count });
    case AMD:
      return Accelerator.amd({ count });
    default:
      return Accelerator.of({ resource, count });
  }
}

function resourceNotes(resources: readonly string[]): readonly string[] {
  const [first, ...others] = resources;
  return [
    ...(others.length === 0 ? [] : [`The task may get devices of ${resources.join(' and ')}; the pod gets ${first}.`]),
    ...(first === undefined || first === NVIDIA || first === AMD
      ? []
      : [
          `The resource ${first} is the kind of the CDI devices; set the one that the device plugin of the cluster has.`,
        ]),
  ];
}

function notesOf(
  { devices, volumes, user, network, after, preemptible, priority, timeLimitSeconds }: TaskSpec,
  kind: ExportKind,
): readonly string[] {
  const models = devices.kind === 'none' ? undefined : devices.models;
  return [
    ...(devices.kind === 'memory'
      ? [
          `The task shares a device (${devices.mebibytes} MiB); the pod gets a whole one. Sharing needs HAMi, MPS, or time-slicing.`,
        ]
      : []),
    ...(models === undefined ? [] : [`Select nodes with the models ${models.join(', ')}.`]),
    ...(volumes.length === 0 ? [] : [`Replace the volumes: ${volumes.join(', ')}.`]),
    ...(user === undefined ? [] : [`Set runAsUser for the user ${user}.`]),
    ...(network === undefined ? [] : [`The network ${network} does not carry over.`]),
    ...(after.length === 0 ? [] : [`The task waits for ${after.join(', ')}; a workflow engine can state that.`]),
    ...(preemptible || priority !== 'normal' ? [`Set a PriorityClass for the priority ${priority}.`] : []),
    ...(kind === 'jobset' && timeLimitSeconds !== undefined ? ['A JobSet has no time limit.'] : []),
  ];
}

function variable(entry: string): readonly [string, string] {
  const end = entry.indexOf('=');
  return [entry.slice(0, end), entry.slice(end + 1)];
}

/** Names of tasks may contain dots and underscores, and be longer. */
function nameOf(text: string): string {
  return (
    text
      .replace(/[^a-z0-9-]/g, '-')
      .slice(0, 50)
      .replace(/^[^a-z]+|-+$/g, '') || 'task'
  );
}

const UNITS: readonly (readonly [string, number])[] = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
];

function sizeText(bytes: number): string {
  const [unit, size] = UNITS.find(([, one]) => bytes % one === 0) ?? UNITS[2];
  return `${Math.ceil(bytes / size)}${unit}`;
}
