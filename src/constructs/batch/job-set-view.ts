/**
 * A JobSet as its webhook reads it, after its defaults. Made from JSON of any shape; knows no rules.
 */
import { cite } from '../../facts/upstream';
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { asArray, asInteger, asObject, asString, objectsAt } from '../../manifests/read';

export const JOB_SET_KIND = 'jobset.x-k8s.io/JobSet';
export const JOB_SET_PROJECT = cite('jobset');

export interface ReplicatedJobView {
  readonly name: string;
  readonly value: JsonObject;
  readonly path: string;
  /** 1 where none is written. */
  readonly replicas: number;
  /** The Job's spec. */
  readonly job: JsonObject;
  readonly jobPath: string;
  /** The webhook's default is Indexed. */
  readonly indexed: boolean;
  readonly completions: number | undefined;
  readonly parallelism: number;
  readonly podSpec: JsonObject;
  readonly podSpecPath: string;
}

export interface JobSetView {
  /** At its longest where the server completes `generateName`; empty where neither is written. */
  readonly name: string;
  /** JSON pointer of the name. */
  readonly namePath: string;
  readonly spec: JsonObject;
  readonly jobs: readonly ReplicatedJobView[];
}

/** What the server appends to `generateName`, which it first cuts so that the whole has 63 characters. */
const GENERATED = 5;

export function nameAtItsLongest(manifest: Manifest): { readonly name: string; readonly path: string } {
  const prefix = asString(asObject(manifest.object.metadata).generateName) ?? '';
  if (manifest.id.name !== '' || prefix === '') {
    return { name: manifest.id.name, path: '/metadata/name' };
  }
  return { name: `${prefix.slice(0, 63 - GENERATED)}${'x'.repeat(GENERATED)}`, path: '/metadata/generateName' };
}

export function jobSetOf(manifest: Manifest): JobSetView {
  const { name, path: namePath } = nameAtItsLongest(manifest);
  return {
    name,
    namePath,
    spec: asObject(manifest.object.spec),
    jobs: replicatedJobsAt(manifest.object, '/spec/replicatedJobs'),
  };
}

/** The replicated jobs of a list in a JobSet or in a training runtime. */
function replicatedJobsAt(root: JsonObject, at: string): readonly ReplicatedJobView[] {
  return objectsAt(root, at).map(({ value, path }) => {
    const job = asObject(asObject(value.template).spec);
    const jobPath = `${path}/template/spec`;
    return {
      name: asString(value.name) ?? '',
      value,
      path,
      replicas: asInteger(value.replicas) ?? 1,
      job,
      jobPath,
      indexed: (asString(job.completionMode) ?? 'Indexed') === 'Indexed',
      completions: asInteger(job.completions),
      parallelism: asInteger(job.parallelism) ?? 1,
      podSpec: asObject(asObject(job.template).spec),
      podSpecPath: `${jobPath}/template/spec`,
    };
  });
}

/** Host name of one pod, which is its name without the random end. */
export function podHost(jobSet: string, job: string, jobIndex: number, podIndex: number): string {
  return `${jobSet}-${job}-${jobIndex}-${podIndex}`;
}

/** The subdomain under which pods find each other: the name of the JobSet unless the network names one. */
export function subdomainOf(view: JobSetView): string {
  const stated = asString(asObject(view.spec.network).subdomain);
  return stated === undefined || stated === '' ? view.name : stated;
}

/** Names of the volumes that containers of the pods mount. */
export function mountedVolumes(job: ReplicatedJobView): ReadonlySet<string> {
  const containers = [...asArray(job.podSpec.initContainers), ...asArray(job.podSpec.containers)].map(asObject);
  return new Set(
    containers.flatMap(({ volumeMounts }) =>
      asArray(volumeMounts).map((mount) => asString(asObject(mount).name) ?? ''),
    ),
  );
}
