/**
 * What happens when the changes are applied: what is rejected, which pods are replaced or end, what is lost.
 */
import { kindKey } from '../../../manifests/identity';
import { describeId, type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type ShapeChecker } from '../../../checks/schema/check-shape';
import { type BrokenTransition } from '../../../checks/cel/transition-rules';
import { tokensOf } from '../../../manifests/pointer';
import { type ObjectChange } from '../changes';
import { type FieldChange, fieldName } from '../fields';
import { immutableChanges, type Update } from './immutable-fields';
import { leftOverDefault } from './left-over-defaults';
import { podEffects, podsOfRemoved, readersOf } from './pods';

/** One thing that happens when a change is applied. */
export interface Consequence {
  /**
   * `rejected`: the apply fails. `replaced`, `ended`: pods stop. `kept`: pods keep what they have. `scaled`: pods are added or removed.
   * `lost`: data or objects are deleted with it. `conflict`: another manager owns fields that the apply changes.
   */
  readonly effect: 'rejected' | 'conflict' | 'replaced' | 'ended' | 'kept' | 'scaled' | 'lost';
  /** A sentence without its full stop. */
  readonly text: string;
  /** What to do instead. Absent where nothing is wrong. */
  readonly fix?: string;
}

/** Both sets, and what checks their objects. */
export interface Sets {
  readonly old: ManifestSet;
  readonly now: ManifestSet;
  readonly checker: ShapeChecker;
}

/** What applying one change does. */
export function consequencesOf(change: ObjectChange, sets: Sets): readonly Consequence[] {
  switch (change.change) {
    case 'added':
      return [];
    case 'removed':
      return [...lostWith(change.before), ...podsOfRemoved(change.before, sets.old)];
    case 'changed': {
      const rejected = change.renamed === true ? [] : rejections(change, sets);
      return rejected.length > 0
        ? rejected
        : [...podEffects(change, change.fields, sets), ...(change.renamed === true ? [] : staleReaders(change, sets))];
    }
  }
}

type Changed = Extract<ObjectChange, { readonly change: 'changed' }>;

function rejections({ before, after, fields }: Changed, { checker }: Sets): readonly Consequence[] {
  const left = leftOverDefault({ before, after });
  return [
    ...immutable({ before, after }, fields),
    ...brokenRules(after, checker.brokenTransitions(before, after)),
    ...(left === undefined
      ? []
      : [
          {
            effect: 'rejected' as const,
            text: `the API server rejects the update: ${left.field} keeps its default and is not allowed with ${left.with}`,
            fix: `Set ${left.field}: null, which kubectl apply takes as a removal.`,
          },
        ]),
  ];
}

function immutable(update: Update, fields: readonly FieldChange[]): readonly Consequence[] {
  const rejected = immutableChanges(update, fields);
  return [...new Set(rejected.map(({ by, must }) => `${by}\n${must}`))].map((key) => {
    const [by = '', must = ''] = key.split('\n');
    const names = rejected.filter((one) => one.by === by && one.must === must).map(({ change }) => change.field);
    return {
      effect: 'rejected',
      text: `${by} rejects the update: ${[...new Set(names)].join(', ')} ${must}`,
      fix: remedyFor(update.after),
    };
  });
}

/** How a CRD says that a field is immutable. */
const EQUAL = /^\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*$/;

function brokenRules(manifest: Manifest, broken: readonly BrokenTransition[]): readonly Consequence[] {
  const fieldOf = ({ path }: BrokenTransition): string => fieldName(manifest.object, tokensOf(path)) || 'the object';
  const equal = broken.filter(({ rule }) => EQUAL.test(rule)).map(fieldOf);
  const texts = [
    ...(equal.length === 0 ? [] : [`${equal.join(', ')} must not change`]),
    ...broken
      .filter(({ rule }) => !EQUAL.test(rule))
      .map((one) => `${fieldOf(one)} violates the rule ${one.rule.replace(/\s+/g, ' ').trim()}`),
  ];
  return texts.map((text) => ({
    effect: 'rejected',
    text: `the CRD rejects the update: ${text}`,
    fix: remedyFor(manifest),
  }));
}

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['ConfigMap', 'Give the ConfigMap another name, and refer to that.'],
  ['PersistentVolumeClaim', 'Create a claim with another name, and copy the data.'],
  ['Pod', 'Delete the Pod, then apply.'],
  [
    'apps/StatefulSet',
    'Delete the StatefulSet with kubectl delete --cascade=orphan, which keeps its pods and claims, then apply.',
  ],
  ['batch/Job', 'Give the Job another name, or delete it, then apply.'],
]);

function remedyFor({ id }: Manifest): string {
  return REMEDIES.get(kindKey(id)) ?? `Delete the ${id.kind}, then apply; or give it another name.`;
}

const LOST: ReadonlyMap<string, string> = new Map([
  ['Namespace', 'everything in the namespace is deleted with it'],
  ['PersistentVolumeClaim', 'the data of the volume is deleted with it, unless its reclaim policy is Retain'],
  ['apiextensions.k8s.io/CustomResourceDefinition', 'all objects of the kind are deleted with it'],
]);

function lostWith({ id }: Manifest): readonly Consequence[] {
  const text = LOST.get(kindKey(id));
  return text === undefined ? [] : [{ effect: 'lost', text }];
}

/** Environment variables are read once, when a container starts. */
function staleReaders({ after }: Changed, { old, now }: Sets): readonly Consequence[] {
  if (!['ConfigMap', 'Secret'].includes(kindKey(after.id))) {
    return [];
  }
  return readersOf(after, now)
    .filter((reader) => old.get(kindKey(reader.id), reader.id.name, reader.id.namespace) !== undefined)
    .map((reader) => ({
      effect: 'kept',
      text: `the pods of ${describeId(reader.id)} keep the old values in their environment until they restart`,
    }));
}
