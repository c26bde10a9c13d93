/**
 * A diff in words and lines, which text and Markdown arrange.
 */
import { counted, printable } from '../../../facts/words';
import { type JsonValue } from '../../../facts/api/schema';
import { describeId, type Manifest } from '../../../manifests/manifest';
import { type Consequence, type ObjectDifference, type FieldChange } from '../../difference';
import { type Sum, type SumChange } from '../../difference/sums';
import { type Diff, type NotRead } from './diff-report';

/** A value or a list of fields longer than this is cut; the JSON format shows everything. */
const LONGEST_VALUE = 100;
const MOST_FIELDS = 40;

export const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

/** `2 added, 1 removed, 3 changed, 12 unchanged` */
export function countsText({ differences, unchanged }: Diff): string {
  const count = (change: keyof typeof SIGNS): number =>
    differences.filter(({ object }) => object.change === change).length;
  return `${count('added')} added, ${count('removed')} removed, ${count('changed')} changed, ${unchanged} unchanged`;
}

/** `apps/v1 Deployment research/server` */
export function objectText({ object }: ObjectDifference): string {
  return printable(
    object.change === 'changed' && object.renamed === true
      ? `${describeId(object.before.id)} → ${object.after.id.name}`
      : describeId(manifestOf(object).id),
  );
}

function manifestOf(object: ObjectDifference['object']): Manifest {
  return object.change === 'removed' ? object.before : object.after;
}

/** One line for each changed field, with its sign. */
export function fieldLines({ object }: ObjectDifference): readonly string[] {
  const fields = object.change === 'changed' ? object.fields : [];
  return [
    ...fields.slice(0, MOST_FIELDS).map(fieldText),
    ...(fields.length > MOST_FIELDS ? [`… and ${fields.length - MOST_FIELDS} more fields`] : []),
  ];
}

function fieldText({ field, before, after, change }: FieldChange): string {
  const [old, now] = [valueText(before), valueText(after)];
  const values = change === 'changed' ? `${old} → ${now}` : change === 'added' ? now : old;
  return printable(`${SIGNS[change]} ${field}: ${values}`);
}

function valueText(value: JsonValue | undefined): string {
  if (value === undefined) {
    return '(secret)';
  }
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

const LABELS: Readonly<Record<Consequence['effect'], string>> = {
  rejected: 'error',
  conflict: 'conflict',
  replaced: 'pods',
  ended: 'pods',
  kept: 'pods',
  scaled: 'pods',
  lost: 'warning',
};

/** `pods: a rolling update replaces its 2 pods` */
export function consequenceLines({ consequences }: ObjectDifference): readonly string[] {
  return consequences.flatMap(({ effect, text, fix }) => [
    printable(`${LABELS[effect]}: ${text}`),
    ...(fix === undefined ? [] : [`fix: ${fix}`]),
  ]);
}

/** `queue research: 48 of 48 nvidia.com/gpu requested, was 32 of 64` */
export function sumText({ of, name, resource, before, after }: SumChange): string {
  const what = of === 'queue' ? `queue ${name}` : name;
  const now = after === undefined ? `no ${resource} any more` : `${ratio(after)} ${resource} requested`;
  return printable(`${what}: ${now}, ${before === undefined ? 'new' : `was ${ratio(before)}`}`);
}

function ratio({ requested, limit }: Sum): string {
  return limit === undefined ? requested : `${requested} of ${limit}`;
}

/** The differences that the API server or a webhook rejects. */
export function rejectedAmong({ differences }: Diff): readonly ObjectDifference[] {
  return differences.filter(({ consequences }) => consequences.some(({ effect }) => effect === 'rejected'));
}

/** What is not compared, and what only the cluster knows; empty where the diff is complete. */
export function limitLines({ notCompared, notRead = [], webhooks = [], appliedBy = [] }: Diff): readonly string[] {
  const reasons = [...new Set(notRead.map(({ why }) => why))];
  return [
    ...(notCompared.length === 0
      ? []
      : [`not compared, because a snapshot does not contain their specs: ${notCompared.join(', ')}`]),
    ...reasons.map((why) => {
      const objects = notRead.filter((one) => one.why === why);
      return `not compared, because the server did not show them (${why}): ${objects.map(notReadText).join(', ')}`;
    }),
    ...[true, false].flatMap((mutates) => {
      const asked = webhooks.filter((webhook) => webhook.mutates === mutates);
      const names = asked.map(({ name, kinds }) => `${name} (${kinds.join(', ')})`).join(', ');
      return asked.length === 0 ? [] : [`webhooks that may ${mutates ? 'change' : 'reject'} the objects: ${names}`];
    }),
    ...appliedBy.map(
      ({ manager, objects }) =>
        `${counted(objects, 'object')} applied by ${manager}: fields that the manifests no longer set stay, unless --field-manager is ${manager}`,
    ),
  ].map(printable);
}

function notReadText({ kind, namespace, name }: NotRead): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
