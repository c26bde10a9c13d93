/**
 * Volcano's job specification as rules read it from a Job, a JobTemplate, or a CronJob.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type SharedSpec } from '../../manifests/equal-specs';
import { type Manifest } from '../../manifests/manifest';
import { pointer, valueAt } from '../../manifests/pointer';
import { asInteger, asObject, asString, isObject, objectsAt, stringsIn } from '../../manifests/read';
import { type ParsedFlags, parseGoFlags } from './go-flags';
import { DEFAULT_ROLE_TASKS, isJobPlugin, JOB_PLUGIN_FLAGS, type JobPluginName, pluginsBroughtBy } from './job-plugins';

export const JOB_KIND = 'batch.volcano.sh/Job';
export const CRON_JOB_KIND = 'batch.volcano.sh/CronJob';
export const JOB_TEMPLATE_KIND = 'flow.volcano.sh/JobTemplate';
export const JOB_FLOW_KIND = 'flow.volcano.sh/JobFlow';
/** The kinds that hold a job specification. */
export const JOB_SPEC_KINDS = [JOB_KIND, CRON_JOB_KIND, JOB_TEMPLATE_KIND] as const;

/** The controller names a CronJob's job `<cron job>-<minutes since 1970>`, which are eight digits until the year 2160. */
const CRON_SUFFIX = '-00000000';

export interface TaskView {
  readonly value: JsonObject;
  /** JSON pointer of the task. */
  readonly path: string;
  readonly index: number;
  /** The name; `default<i>` where the task has none, as the webhook fills it in. */
  readonly name: string;
  /** Zero where the task names none. */
  readonly replicas: number;
  /** What the gang needs of this task: `minAvailable`, or what the webhook fills in. */
  readonly minAvailable: number;
  readonly podSpec: JsonObject;
  readonly podSpecPath: string;
}

export interface PluginView {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** Unset for an unknown plugin. */
  readonly flags?: ParsedFlags;
}

export interface JobView {
  readonly spec: JsonObject;
  /** JSON pointer of the specification. */
  readonly path: string;
  readonly tasks: readonly TaskView[];
  /** The plugins that are written, in their order. */
  readonly plugins: readonly PluginView[];
  /** The names of all plugins that will run, those that the webhook adds included. */
  readonly running: ReadonlySet<string>;
  readonly totalReplicas: number;
}

/** A job with its name, which few rules look at; the others run once for all jobs of equal specification. */
export interface NamedJobView extends JobView {
  readonly manifest: Manifest;
  /** The name of the job that will be made, at its longest; empty where it cannot be known. */
  readonly jobName: string;
}

const known = new WeakMap<Manifest, NamedJobView | null>();

const ofSpecs = new WeakMap<SharedSpec, JobView>();

/**
 * The job specification of a manifest; `undefined` where it has none.
 *
 * @param shared represents the spec of the manifest: equal specs are read once
 */
export function jobOf(manifest: Manifest, shared?: SharedSpec): NamedJobView | undefined {
  let view = known.get(manifest);
  if (view === undefined) {
    const job = (shared && ofSpecs.get(shared)) ?? readJob(manifest);
    if (shared !== undefined && job !== undefined) {
      ofSpecs.set(shared, job);
    }
    view = job === undefined ? null : { ...job, manifest, jobName: jobNameOf(manifest) };
    known.set(manifest, view);
  }
  return view ?? undefined;
}

function jobNameOf({ id: { kind, name } }: Manifest): string {
  return name !== '' && kind === 'CronJob' ? `${name}${CRON_SUFFIX}` : name;
}

function readJob(manifest: Manifest): JobView | undefined {
  const isCron = manifest.id.kind === 'CronJob';
  const path = isCron ? '/spec/jobTemplate/spec' : '/spec';
  const spec = valueAt(manifest.object, path);
  if (!isObject(spec)) {
    return undefined;
  }
  const tasks = objectsAt(manifest.object, `${path}/tasks`).map(({ value, path: taskPath, index }) =>
    taskOf(value, taskPath, index),
  );
  const plugins = Object.entries(asObject(spec.plugins)).map(([name, args]) =>
    pluginOf(name, pointer(`${path}/plugins`, name), stringsIn(args)),
  );
  const names = plugins.map(({ name }) => name);
  return {
    spec,
    path,
    tasks,
    plugins,
    running: new Set([...names, ...pluginsBroughtBy(names)]),
    totalReplicas: tasks.reduce((sum, { replicas }) => sum + replicas, 0),
  };
}

function taskOf(value: JsonObject, path: string, index: number): TaskView {
  const replicas = Math.max(0, asInteger(value.replicas) ?? 0);
  const name = asString(value.name);
  return {
    value,
    path,
    index,
    name: name === undefined || name === '' ? `default${index}` : name,
    replicas,
    minAvailable: asInteger(value.minAvailable) ?? minAvailableOfPartitions(value) ?? replicas,
    podSpec: asObject(asObject(value.template).spec),
    podSpecPath: `${path}/template/spec`,
  };
}

function minAvailableOfPartitions(task: JsonObject): number | undefined {
  const policy = asObject(task.partitionPolicy);
  const partitions = asInteger(policy.minPartitions) ?? 0;
  return partitions > 0 ? partitions * (asInteger(policy.partitionSize) ?? 0) : undefined;
}

function pluginOf(name: string, path: string, args: readonly string[]): PluginView {
  return {
    name,
    path,
    args,
    flags: isJobPlugin(name) && name !== 'env' ? parseGoFlags(args, JOB_PLUGIN_FLAGS[name]) : undefined,
  };
}

/** A plugin that is written in the job. */
export function pluginNamed(job: JobView, name: JobPluginName): PluginView | undefined {
  return job.plugins.find((plugin) => plugin.name === name);
}

/** The task name that a plugin takes for a role. */
export function roleTask(plugin: PluginView, role: string): string {
  const given = plugin.flags?.values.get(role);
  if (typeof given === 'string') {
    return given;
  }
  return (isJobPlugin(plugin.name) ? DEFAULT_ROLE_TASKS[plugin.name]?.[role] : undefined) ?? role;
}

export function taskNamed(job: JobView, name: string): TaskView | undefined {
  return job.tasks.find((task) => task.name === name);
}

/** The name of a pod of the job. */
export function podName(job: string, task: string, index: number): string {
  return `${job}-${task}-${index}`;
}
