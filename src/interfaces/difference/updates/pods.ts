/**
 * What an update does to the pods of a workload.
 */
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pod-template';
import { asObject, asString } from '../../../manifests/read';
import { type FieldChange } from '../fields';

/** What becomes of pods that run. */
export interface PodEffect {
  /** `replaced` and `ended` stop pods, `kept` leaves them as they are, `scaled` adds or removes some. */
  readonly effect: 'replaced' | 'ended' | 'kept' | 'scaled';
  /** A sentence without its full stop. */
  readonly text: string;
}

type Strategy = (workload: Manifest, pods: string) => PodEffect;

const rolling: Strategy = (_, pods) => ({ effect: 'replaced', text: `a rolling update replaces ${pods}` });

const kept =
  (text: string): Strategy =>
  () => ({ effect: 'kept', text });

/** By its update strategy, a workload waits for pods to be deleted, or replaces them. */
const onDelete =
  (field: 'updateStrategy'): Strategy =>
  (workload, pods) =>
    asObject(asObject(workload.object.spec)[field]).type === 'OnDelete'
      ? { effect: 'kept', text: `${pods} ${isOne(pods) ? 'keeps' : 'keep'} the old template until deleted (OnDelete)` }
      : rolling(workload, pods);

const OLD_PODS_STAY = kept('pods that run keep the old template; pods that are created later get the new one');

/**
 * Sources: Kubernetes 1.36, workload controllers; KubeRay v1.6, upgradeStrategy; LeaderWorkerSet, rolloutStrategy; Knative Serving, revisions;
 * training-operator, which compares no templates.
 */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  'apps/DaemonSet': onDelete('updateStrategy'),
  'apps/Deployment': (workload, pods) =>
    asObject(asObject(workload.object.spec).strategy).type === 'Recreate'
      ? { effect: 'replaced', text: `${pods} ${isOne(pods) ? 'ends' : 'all end'} before a new one starts (Recreate)` }
      : rolling(workload, pods),
  'apps/StatefulSet': onDelete('updateStrategy'),
  'batch/CronJob': kept('Jobs that run keep the old template; the next run gets the new one'),
  'leaderworkerset.x-k8s.io/LeaderWorkerSet': (_, pods) => ({
    effect: 'replaced',
    text: `a rolling update replaces ${pods}, one group after the other`,
  }),
  'ray.io/RayCluster': (workload, pods) =>
    asObject(asObject(workload.object.spec).upgradeStrategy).type === 'Recreate'
      ? { effect: 'replaced', text: `${pods} ${isOne(pods) ? 'ends' : 'all end'} before new ones start (Recreate)` }
      : OLD_PODS_STAY(workload, pods),
  'ray.io/RayService': (_, pods) => ({
    effect: 'replaced',
    text: `a second cluster starts beside ${pods} and takes over when it is ready`,
  }),
  'serving.knative.dev/Service': (_, pods) => ({
    effect: 'replaced',
    text: `a new revision starts and takes over from ${pods} when it is ready`,
  }),
};

/** What the changed fields of a workload do to its pods. */
export function podEffects(
  { before, after }: { readonly before: Manifest; readonly after: Manifest },
  fields: readonly FieldChange[],
  { old, now }: { readonly old: ManifestSet; readonly now: ManifestSet },
): readonly PodEffect[] {
  const [templates, next] = [old.podTemplatesOf(before), now.podTemplatesOf(after)];
  const effects: PodEffect[] = [];
  if (templates.some(({ isPod }) => isPod) || next.length === 0) {
    return effects;
  }
  if (fields.some(({ path }) => [...templates, ...next].some((template) => isWithin(path, template.path)))) {
    const strategy = STRATEGIES[kindKey(after.id)] ?? OLD_PODS_STAY;
    effects.push(strategy(after, podsText(templates)));
  }
  const [count, more] = [podCount(templates), podCount(next)];
  if (count !== undefined && more !== undefined && count !== more) {
    effects.push({ effect: 'scaled', text: `${count} → ${plural(more)}` });
  }
  return effects;
}

/** What becomes of the pods of a workload that is removed. */
export function podsOfRemoved(workload: Manifest, old: ManifestSet): readonly PodEffect[] {
  const templates = old.podTemplatesOf(workload);
  const count = podCount(templates);
  return templates.length === 0 || count === 0
    ? []
    : [
        {
          effect: 'ended',
          text: count === undefined ? 'its pods end' : `its ${plural(count)} ${count === 1 ? 'ends' : 'end'}`,
        },
      ];
}

function isWithin(path: string, templatePath: string): boolean {
  return path === templatePath || path.startsWith(`${templatePath}/`);
}

function podCount(templates: readonly PodTemplate[]): number | undefined {
  return templates.reduce<number | undefined>(
    (sum, { count }) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}

function podsText(templates: readonly PodTemplate[]): string {
  const count = podCount(templates);
  return count === undefined ? 'its pods' : count === 1 ? 'its pod' : `its ${plural(count)}`;
}

function isOne(pods: string): boolean {
  return pods === 'its pod';
}

function plural(count: number): string {
  return `${count} ${count === 1 ? 'pod' : 'pods'}`;
}

/** Workloads that read a changed ConfigMap or Secret when a container starts, and whose templates do not change. */
export function readersOf(config: Manifest, now: ManifestSet): readonly Manifest[] {
  const readers = new Set<Manifest>();
  for (const { from, path } of now.referencesTo(config)) {
    if (/\/(env|envFrom)\/\d+\//.test(path) && asString(from.id.kind) !== undefined) {
      readers.add(from);
    }
  }
  return [...readers];
}
