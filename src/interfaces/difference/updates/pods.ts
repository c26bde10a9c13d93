/**
 * What an update does to the pods of a workload.
 */
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asObject } from '../../../manifests/read';
import { type FieldChange } from '../fields';

/** What becomes of pods that run. */
export interface PodEffect {
  /** `replaced` and `ended` stop pods, `kept` leaves them as they are, `scaled` adds or removes some. */
  readonly effect: 'replaced' | 'ended' | 'kept' | 'scaled';
  /** A sentence without its full stop. */
  readonly text: string;
}

/** The pods of a workload, in words. */
interface Pods {
  /** `its 2 pods` */
  readonly text: string;
  readonly isOne: boolean;
}

type Strategy = (workload: Manifest, pods: Pods) => PodEffect;

const rolling: Strategy = (_, { text }) => ({ effect: 'replaced', text: `a rolling update replaces ${text}` });

const recreated: Strategy = (_, { text, isOne }) => ({
  effect: 'replaced',
  text: `${text} ${isOne ? 'ends' : 'all end'} before a new one starts (Recreate)`,
});

const onDeletion: Strategy = (_, { text, isOne }) => ({
  effect: 'kept',
  text: `${text} ${isOne ? 'keeps' : 'keep'} the old template until deleted (OnDelete)`,
});

const oldPodsStay: Strategy = () => ({
  effect: 'kept',
  text: 'pods that run keep the old template; pods that are created later get the new one',
});

/** The strategy that a field of the spec names by its type, or another. */
const typed =
  (field: string, type: string, named: Strategy, other: Strategy): Strategy =>
  (workload, pods) =>
    (asObject(asObject(workload.object.spec)[field]).type === type ? named : other)(workload, pods);

/**
 * Sources: Kubernetes 1.36, workload controllers; KubeRay v1.6, upgradeStrategy; LeaderWorkerSet, rolloutStrategy; Knative Serving, revisions;
 * training-operator, which compares no templates.
 */
const STRATEGIES: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['apps/DaemonSet', typed('updateStrategy', 'OnDelete', onDeletion, rolling)],
  ['apps/Deployment', typed('strategy', 'Recreate', recreated, rolling)],
  ['apps/StatefulSet', typed('updateStrategy', 'OnDelete', onDeletion, rolling)],
  [
    'batch/CronJob',
    () => ({ effect: 'kept', text: 'Jobs that run keep the old template; the next run gets the new one' }),
  ],
  [
    'leaderworkerset.x-k8s.io/LeaderWorkerSet',
    (_, { text }) => ({ effect: 'replaced', text: `a rolling update replaces ${text}, one group after the other` }),
  ],
  ['ray.io/RayCluster', typed('upgradeStrategy', 'Recreate', recreated, oldPodsStay)],
  [
    'ray.io/RayService',
    (_, { text }) => ({
      effect: 'replaced',
      text: `a second cluster starts beside ${text} and takes over when it is ready`,
    }),
  ],
  [
    'serving.knative.dev/Service',
    (_, { text }) => ({
      effect: 'replaced',
      text: `a new revision starts and takes over from ${text} when it is ready`,
    }),
  ],
]);

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
    const strategy = STRATEGIES.get(kindKey(after.id)) ?? oldPodsStay;
    effects.push(strategy(after, podsOf(templates)));
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

function podsOf(templates: readonly PodTemplate[]): Pods {
  const count = podCount(templates);
  const text = count === undefined ? 'its pods' : count === 1 ? 'its pod' : `its ${plural(count)}`;
  return { text, isOne: count === 1 };
}

function plural(count: number): string {
  return `${count} ${count === 1 ? 'pod' : 'pods'}`;
}

/** Workloads that read a changed ConfigMap or Secret when a container starts, and whose templates do not change. */
export function readersOf(config: Manifest, now: ManifestSet): readonly Manifest[] {
  const references = now.referencesTo(config).filter(({ path }) => /\/(env|envFrom)\/\d+\//.test(path));
  return [...new Set(references.map(({ from }) => from))];
}
