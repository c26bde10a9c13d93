/**
 * What can be wrong with the text of a manifest, before it is a manifest.
 */
import { type SourceProblem } from '../../manifests/manifest';
import { fieldOf } from '../../manifests/pointer';
import { type RuleFacts } from './rule';

/** In the fix of a rule; a finding names the file and the line instead. */
const THE_POSITION = 'the position of the finding';

/** Before the reason in the message on a file that could not be read at all. */
export const UNREADABLE = 'cannot be read: ';

/** What to do about a problem in its file. */
export function fixInFile(
  { fix }: Pick<RuleFacts, 'fix'>,
  { file, path = '', position, message }: SourceProblem,
): string {
  const [, key] = /^duplicate key ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  if (key !== undefined) {
    return `Remove all but one of the entries with the key ${key}.`;
  }
  const what = / ?\bitem \d+ of the list\b/.test(message) ? 'the item' : 'the document';
  if (/ is (?:an? \w+|empty); a Kubernetes object /.test(message)) {
    const isManifest = /\.(?:ya?ml|json)$/i.test(file ?? '');
    const otherwise = isManifest ? '' : ', or leave the file out of the check';
    return `Replace ${what} with an object that sets apiVersion and kind${isManifest ? ', or' : ','} remove ${what}${otherwise}.`;
  }
  const [, missing] =
    /^(?!.* and no ).* has no (apiVersion|kind)$|^(apiVersion|kind) must be a string/.exec(message)?.filter(Boolean) ??
    [];
  if (missing !== undefined) {
    const example = missing === 'kind' ? 'a kind such as ConfigMap' : 'an API version such as v1';
    return `Set ${missing} to ${example}, or remove ${what}.`;
  }
  return message.startsWith(UNREADABLE)
    ? `Make ${file} a readable file, or leave it out with --exclude.`
    : fix
        .replace(/\bthe field\b/, path === '' ? '$&' : fieldOf(path))
        .replace(THE_POSITION, `${file ?? 'line '}${file === undefined ? '' : ':'}${position.line}`);
}

export const sourceRules: Readonly<Record<SourceProblem['kind'], RuleFacts>> = {
  'duplicate-key': {
    id: 'yaml/unique-keys',
    tier: 'schema',
    severity: 'error',
    summary: 'The keys of a mapping must be unique.',
    why: 'With strict validation the API server rejects the document; otherwise the last value wins and the others are silently dropped.',
    source: 'Kubernetes API server, fieldValidation=Strict',
    fix: 'Remove all but one of the `key: value` entries with this key.',
  },
  syntax: {
    id: 'yaml/syntax',
    tier: 'schema',
    severity: 'error',
    summary: 'The document must be valid YAML or JSON.',
    why: 'A document that cannot be parsed cannot be applied.',
    source: 'YAML 1.2, JSON (RFC 8259)',
    fix: `Correct the YAML or JSON syntax at ${THE_POSITION}.`,
  },
  'not-an-object': {
    id: 'yaml/kubernetes-object',
    tier: 'schema',
    severity: 'error',
    summary: 'A document must be an object with apiVersion and kind.',
    why: 'Without both, no client can tell what the object is, and kubectl rejects it.',
    source: 'Kubernetes API conventions',
    fix: 'Set apiVersion and kind to strings, such as v1 and ConfigMap, or remove the document.',
  },
  'huge-number': {
    id: 'yaml/number-in-range',
    tier: 'schema',
    severity: 'error',
    summary: 'A number in JSON must not exceed the range of a double (about 1.8e308).',
    why: 'The API server cannot read the object, except for a quantity of a built-in kind, which it reads as a string.',
    source: 'Kubernetes API server, decoding of JSON',
    fix: 'Set the value of the field to a number less than 1.8e308.',
  },
  'inexact-number': {
    id: 'yaml/exact-integer',
    tier: 'advice',
    severity: 'warning',
    summary: 'An integer must not have more digits than JSON readers keep.',
    why: 'Beyond 2^53 programs that read JSON numbers as doubles, such as this check, read a neighboring number instead.',
    source: 'RFC 8259, section 6',
    fix: 'Set the field to an integer from -9007199254740991 to 9007199254740991 (2^53 - 1), or put the value in quotes if the field takes a string.',
  },
};
