/**
 * Which worker clusters MultiKueue asks for the workloads of a ClusterQueue, and in which order.
 *
 * Source: kueue v0.19, pkg/controller/workloaddispatcher and pkg/controller/admissionchecks/multikueue.
 */
import { type JsonObject } from '../../facts/api/schema';
import { ALL_AT_ONCE, INCREMENTAL, INCREMENTAL_STEP, MULTIKUEUE_CONTROLLER } from '../../facts/catalog/kueue-names';
import { asArray, asInteger, asObject, asString, stringsIn } from '../../manifests/read';
import { engineConfigurationsIn } from '../cluster/engines/engine-configurations';
import { kindOf, nameOf } from '../cluster/lookups';

const CONFIG = 'kueue.x-k8s.io/MultiKueueConfig';
const CHECK = 'kueue.x-k8s.io/AdmissionCheck';
const QUEUE = 'kueue.x-k8s.io/ClusterQueue';

/** Where the workloads of a ClusterQueue go. */
export interface Dispatch {
  /** Worker clusters that are asked at the same time, round by round. */
  readonly rounds: readonly (readonly string[])[];
  /** The dispatcher, if it is none of Kueue's own: its order is not known. */
  readonly dispatcher?: string;
}

/** The MultiKueue objects of the manager cluster. */
export class MultiKueue {
  /** All worker clusters that are named, in the order of the configurations. */
  readonly workers: ReadonlySet<string>;
  private readonly objects: ReadonlyMap<string, JsonObject>;
  private readonly dispatcher: string;
  private readonly step: number;

  /** @param lists objects, those that win first: manifests replace what the cluster has */
  constructor(lists: readonly (readonly JsonObject[])[]) {
    const objects = new Map<string, JsonObject>();
    for (const object of lists.flat()) {
      const key = `${kindOf(object)} ${nameOf(object)}`;
      if (!objects.has(key) && [CONFIG, CHECK, QUEUE].includes(kindOf(object))) {
        objects.set(key, object);
      }
    }
    this.objects = objects;
    this.workers = new Set([...objects.values()].filter(hasWorkers).flatMap(workersOf));
    const { dispatcherName, incrementalDispatcherConfig } = asObject(
      engineConfigurationsIn(lists).found.get('kueue')?.value.multiKueue,
    );
    this.dispatcher = asString(dispatcherName) ?? ALL_AT_ONCE;
    this.step = Math.max(1, asInteger(asObject(incrementalDispatcherConfig).stepSize) ?? INCREMENTAL_STEP);
  }

  /** `undefined` for a queue whose workloads stay in the manager cluster. */
  of(clusterQueue: string): Dispatch | undefined {
    const check = checksOf(asObject(this.objects.get(`${QUEUE} ${clusterQueue}`)?.spec))
      .map((name) => asObject(this.objects.get(`${CHECK} ${name}`)?.spec))
      .find(({ controllerName }) => controllerName === MULTIKUEUE_CONTROLLER);
    if (check === undefined) {
      return undefined;
    }
    const config = this.objects.get(`${CONFIG} ${asString(asObject(check.parameters).name) ?? ''}`);
    const clusters = config === undefined ? [] : [...new Set(workersOf(config))];
    if (this.dispatcher !== INCREMENTAL) {
      return { rounds: [clusters], ...(this.dispatcher !== ALL_AT_ONCE && { dispatcher: this.dispatcher }) };
    }
    const count = Math.ceil(clusters.length / this.step);
    return {
      rounds: Array.from({ length: count }, (_, round) => clusters.slice(round * this.step, (round + 1) * this.step)),
    };
  }
}

/** Whether the object is a MultiKueueConfig, which only the manager cluster has. */
export function hasWorkers(object: JsonObject): boolean {
  return kindOf(object) === CONFIG;
}

function workersOf({ spec }: JsonObject): readonly string[] {
  return stringsIn(asObject(spec).clusters);
}

/** v1beta1 also had a plain list of names. */
function checksOf(spec: JsonObject): readonly string[] {
  const listed = asArray(asObject(spec.admissionChecksStrategy).admissionChecks).map((check) =>
    asString(asObject(check).name),
  );
  return [...listed, ...stringsIn(spec.admissionChecks)].flatMap((name) => name ?? []);
}
