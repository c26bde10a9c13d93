/**
 * Strings that Pulumi puts in the place of an Output which a program turned into text.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type SharedSpec } from '../../../manifests/equal-specs';
import { pointer } from '../../../manifests/pointer';
import { unguarded } from '../../../manifests/values/unknown';
import { type ObjectRule, type Violation } from '../../../checks/rules/rule';

const MARK = 'Output<T>';
const MESSAGE = /Calling \[(?:toString|toJSON)\] on an \[Output<T>\]/;

export const noOutputText: ObjectRule = {
  on: 'object',
  id: 'pulumi/output-has-value',
  kinds: ['*'],
  tier: 'advice',
  severity: 'error',
  summary: 'No string contains the message of Pulumi about an Output that was turned into text.',
  why: 'The object is applied with the message in the place of the value.',
  source: 'pulumi 3.248.0, sdk/nodejs/output.ts',
  fix: 'Pass pulumi.interpolate`…${output}…`, or the result of output.apply(…), as the value.',
  check: (manifest, { set }) => {
    const whole = unguarded(manifest.object);
    return mentionedIn(whole, set.specOf(manifest)) ? [...messagesIn(whole, '')] : [];
  },
};

const mentionedInSpecs = new WeakMap<SharedSpec, boolean>();

/** Equal specs are looked through once. */
function mentionedIn(object: JsonObject, shared: SharedSpec | undefined): boolean {
  if (shared === undefined) {
    return mentionsOutput(object);
  }
  const { spec, ...rest } = object;
  let inSpec = mentionedInSpecs.get(shared);
  if (inSpec === undefined) {
    mentionedInSpecs.set(shared, (inSpec = mentionsOutput(spec)));
  }
  return inSpec || mentionsOutput(rest);
}

/** Nearly no object does, so this looks at all strings without making anything. */
function mentionsOutput(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') {
    return value.includes(MARK);
  }
  if (Array.isArray(value)) {
    return value.some(mentionsOutput);
  }
  if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      if (mentionsOutput(value[key])) {
        return true;
      }
    }
  }
  return false;
}

function* messagesIn(value: JsonValue, path: string): Iterable<Violation> {
  if (typeof value === 'string') {
    if (value.includes(MARK) && MESSAGE.test(value)) {
      yield {
        path,
        message:
          'the string contains the error message of Pulumi for an Output that is converted to a string, not the value of the Output',
      };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      yield* messagesIn((value as Record<string, JsonValue>)[key] ?? null, pointer(path, key));
    }
  }
}
