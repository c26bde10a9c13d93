/**
 * Which objects match a pattern, and which one comes closest where none does.
 */
import { type JsonValue } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { manifestText } from './kinds';
import { type Difference, type Matcher, weightOf } from './matcher';

/** A message has to fit on a screen. */
const MOST_DIFFERENCES = 12;
const MOST_CHARACTERS = 200;

/** The objects that match, in their order. */
export function matching(candidates: readonly Manifest[], matcher: Matcher): readonly Manifest[] {
  return candidates.filter(({ object }) => matcher.differences(object, '').length === 0);
}

/** Why the closest of several objects does not match, if none matches. */
export function closestText(kind: string, candidates: readonly Manifest[], matcher: Matcher): string {
  const compared = candidates.map((manifest) => ({ manifest, differences: matcher.differences(manifest.object, '') }));
  const [closest] = [...compared].sort((a, b) => distanceOf(a.differences) - distanceOf(b.differences));
  const others = candidates.length - 1;
  const which =
    others === 0
      ? `${manifestText(closest.manifest)} does not match`
      : `none of ${candidates.length} ${kind} objects matches; the closest is ${manifestText(closest.manifest)}`;
  const shown = closest.differences.slice(0, MOST_DIFFERENCES).map((difference) => `  ${differenceText(difference)}`);
  const more = closest.differences.length - shown.length;
  return [`${which}:`, ...shown, ...(more > 0 ? [`  and ${more} more differences`] : [])].join('\n');
}

/** An object of another name is hardly the one that is meant, so that its name counts as much as several fields. */
const NAME_WEIGHT = 4;

function distanceOf(differences: readonly Difference[]): number {
  return weightOf(differences) + (differences.some(({ path }) => path === '/metadata/name') ? NAME_WEIGHT - 1 : 0);
}

/** `/spec/replicas: expected 3, found 2`. */
function differenceText({ path, expected, found }: Difference): string {
  return `${path === '' ? 'the object' : path}: expected ${expected}, found ${valueText(found)}`;
}

function valueText(value: JsonValue | undefined): string {
  if (value === undefined) {
    return 'no value';
  }
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)` : text;
}
