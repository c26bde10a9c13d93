/**
 * Every place where a manifest says what pods shall look like: a Pod itself, or a template of a workload.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest } from '../manifest';

/** One pod template of a workload, with its role and its number of pods. */
export interface PodTemplate {
  /** The workload that contains the template. */
  readonly manifest: Manifest;
  /** JSON pointer of the template (the object that holds `metadata` and `spec`); empty for a Pod. */
  readonly path: string;
  /** What the workload calls it: `Worker`, `head`, a task's name; the kind in lower case where there is only one. */
  readonly role: string;
  /** How many pods the manifest asks for at first; `undefined` where another object or the cluster decides (DaemonSet, TrainingRuntime). */
  readonly count: number | undefined;
  /** A Pod is judged by the API server at once; a template when its controller makes pods of it. */
  readonly isPod: boolean;
  /** `metadata` of the template; an empty object where it has none. */
  readonly metadata: JsonObject;
  /** `spec` of the template; an empty object where it has none. */
  readonly spec: JsonObject;
}
