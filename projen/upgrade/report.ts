/**
 * The plan of an upgrade as text.
 */
import { type UpgradePlan } from './plan';

/** Differences that are listed for each kind; the rest is counted. */
const LISTED = 12;

export function planText(plan: UpgradePlan): string {
  const { target, from, to } = plan;
  return [
    `${target}: ${from} -> ${to}`,
    ...section('new kinds', plan.addedKinds),
    ...section('kinds that are gone', plan.removedKinds),
    ...changesByKind(plan),
    ...section('charts', plan.charts),
    ...section(
      'rules to read against the new release',
      plan.rules.map(({ id, source }) => `${id}: ${source}`),
    ),
    ...section('pages that name the release', plan.pages),
    ...section('pins to raise by hand', plan.pins),
    ...(hasNothing(plan) ? ['  nothing but the version changes'] : []),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title} (${lines.length}):`, ...lines.map((line) => `    ${line}`)];
}

function changesByKind({ changes }: UpgradePlan): readonly string[] {
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const lines = changes
      .filter((change) => change.kind === kind)
      .sort((a, b) => rank(a.what) - rank(b.what))
      .map(({ path, what }) => `${path === '' ? '/' : path}: ${words(what)}`);
    const more = lines.length - LISTED;
    return section(`changes of ${kind}`, lines)
      .slice(0, LISTED + 1)
      .concat(more > 0 ? [`    and ${more} more`] : []);
  });
}

/** Added fields first, then removed ones, then changes within a field. */
function rank(what: string): number {
  return what === 'only upstream' ? 0 : what === 'not upstream' ? 1 : 2;
}

function words(what: string): string {
  return what === 'only upstream' ? 'added' : what === 'not upstream' ? 'removed' : what;
}

function hasNothing(plan: UpgradePlan): boolean {
  return [plan.addedKinds, plan.removedKinds, plan.changes, plan.charts, plan.rules, plan.pages, plan.pins].every(
    (list) => list.length === 0,
  );
}
