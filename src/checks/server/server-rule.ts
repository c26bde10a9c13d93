/**
 * How rules of this folder are made: what the API server's own validation refuses, one rule per statement.
 *
 * A pod-template rule that fires inside a custom resource has the tier `webhook`: the server takes the custom resource and refuses
 * the pods that a controller makes of it.
 */
import { cite } from '../../facts/upstream';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { type PodTemplate } from '../../manifests/pods/pod-template';
import { fieldOf, pointer, tokensOf, valueAt } from '../../manifests/pointer';
import { definedMembers } from '../../manifests/values/members';
import { fixNaming, withFieldFix, wrongKey } from '../rules/field-fix';
import { type Severity } from '../report/finding';
import { Described } from '../report/most-findings';
import {
  type AbsentObject,
  type ObjectRule,
  type PodTemplateRule,
  type RuleContext,
  type Violation,
  type Yields,
} from '../rules/rule';
import { droppedFields, isDropped } from './gated-fields';
import { rangeFault } from './addresses';
import { type PodView, viewOf } from './pod-view';

export interface RuleTexts {
  /** Row of the rule table, for example `K4`. */
  readonly row?: string;
  readonly summary: string;
  readonly fix: string;
  /** @default - the API server refuses the object */
  readonly why?: string;
  /** As in `RuleFacts`. @default - the rule is always run */
  readonly concerns?: readonly string[];
  /** As in `RuleFacts`. @default - each finding of the rule is reported */
  readonly yieldsTo?: Yields;
  /** File below `pkg/` of kubernetes, or module and file. @default - `apis/core/validation/validation.go` */
  readonly source?: string;
}

export interface Details {
  /** The value to report as found. Null: none. @default - the value at the path, unless it is an object */
  readonly found?: JsonValue;
  readonly expected?: string;
  readonly fix?: string;
  readonly severity?: Severity;
  readonly absent?: AbsentObject;
}

/** Reports one violation; the path counts from the object (for pod-template rules, from the template). */
export type Say = (path: string, message: string, details?: Details) => void;

const REFUSED = 'The API server rejects the object.';
const PODS_REFUSED =
  'The API server rejects the pod, or the workload with the template; pods of a custom resource are rejected when its controller creates them.';

/** The Kubernetes minor that is checked for: 36 for 1.36. */
export function minorOf(context: RuleContext): number {
  return Number(context.kubernetes.slice(2));
}

/** Whether the Kubernetes minor that is checked for is this one or a later one. */
export function since(context: RuleContext, minor: number): boolean {
  return minorOf(context) >= minor;
}

export function podRule(
  name: string,
  texts: RuleTexts,
  check: (pod: PodView, say: Say, context: RuleContext) => void,
): PodTemplateRule {
  return {
    id: `core/${name}`,
    ...facts(texts, PODS_REFUSED),
    otherTiers: ['webhook'],
    on: 'pod-template',
    sees: 'template',
    check: (template, context) => {
      const tier = viewOf(template).builtIn ? 'server' : 'webhook';
      return saidOfPod(template, check, context, texts).map((violation) => ({ ...violation, tier }));
    },
  };
}

/** What a check says about a template. The metadata is read only if it says something: the engine records which rules read it. */
export function saidOfPod(
  template: PodTemplate,
  check: (pod: PodView, say: Say, context: RuleContext) => void,
  context: RuleContext,
  texts?: RuleTexts,
): readonly Violation[] {
  const rootOf = (): JsonObject => ({ metadata: template.metadata, spec: template.spec });
  return collected(rootOf, (say) => check(viewOf(template), said('pod', say, context), context), texts);
}

/** What of it is so on the server of this minor: of a field that it drops, nothing but that it does. */
function said(of: string, say: Say, context: RuleContext): Say {
  const minor = minorOf(context);
  return droppedFields(of, minor).length === 0
    ? say
    : (path, message, details) => {
        if (details?.severity === 'warning' || !isDropped(of, minor, path)) {
          say(path, message, details);
        }
      };
}

/** What a check says, with what was found and what to write in as many violations as are listed. */
function collected(rootOf: () => JsonObject, check: (say: Say) => void, texts?: RuleTexts): readonly Violation[] {
  const violations: Violation[] = [];
  const described = new Described();
  check((path, message, details = {}) => {
    if (!described.next(details.severity)) {
      const { severity, absent } = details;
      violations.push(definedMembers({ path, message, severity, absent }));
      return;
    }
    const root = rootOf();
    const violation = violationAt(root, path, message, details);
    const withFix = texts === undefined ? violation : named(violation, texts);
    violations.push({ ...withFix, message: inFieldTerms(root, withFix) });
  });
  return violations;
}

export function objectRule(
  name: string,
  kinds: readonly string[],
  texts: RuleTexts,
  check: (object: JsonObject, say: Say, context: RuleContext, manifest: Manifest) => void,
): ObjectRule {
  return {
    id: `core/${name}`,
    ...facts(texts, REFUSED),
    on: 'object',
    kinds,
    check: (manifest, context) =>
      collected(
        () => manifest.object,
        (say) => check(manifest.object, said(kindKey(manifest.id), say, context), context, manifest),
        texts,
      ),
  };
}

function facts(texts: RuleTexts, why: string): Omit<ObjectRule, 'id' | 'on' | 'kinds' | 'check'> {
  const source = texts.source ?? 'apis/core/validation/validation.go';
  return {
    ...(texts.row === undefined ? {} : { row: texts.row }),
    ...(texts.concerns === undefined ? {} : { concerns: texts.concerns }),
    ...(texts.yieldsTo === undefined ? {} : { yieldsTo: texts.yieldsTo }),
    tier: 'server',
    severity: 'error',
    summary: texts.summary,
    why: texts.why ?? why,
    source: source.startsWith('k8s.io/') ? source : `${cite('kubernetes')}, pkg/${source}`,
    fix: texts.fix,
  };
}

/** Reports a range that is none; whether it did. */
export function sayRange(range: string, strict: boolean, path: string, say: Say): boolean {
  const fault = rangeFault(range, strict);
  if (fault !== undefined) {
    const { message, expected } = fault;
    say(path, message, expected === undefined ? {} : { expected, fix: `Set ${fieldOf(path)} to ${expected}.` });
  }
  return fault !== undefined;
}

/** A violation whose fix is of its field: its own, or that of the rule if that names the field. */
function named(violation: Violation, { fix: ruleFix }: RuleTexts): Violation {
  const fix = violation.fix ?? fixNaming(violation, ruleFix);
  return fix === undefined ? violation : { ...violation, fix };
}

/** A violation with what was found: as said, or the plain value at the path (a whole object says less than the message does). */
function violationAt(root: JsonObject, path: string, message: string, details: Details): Violation {
  const { found: said, ...others } = details;
  const there = said === undefined ? (wrongKey(path, message) ?? valueAt(root, path)) : said;
  // An empty key is not an unset field.
  const isUnset = said === undefined && !path.endsWith('/') && (there === undefined || there === null || there === '');
  const isOtherType = said === undefined && (typeof there === 'number' || typeof there === 'boolean');
  return withFieldFix({
    path,
    ...((isUnset && (EMPTY.test(message) || OF_SYNTAX.test(message))) || (isOtherType && OF_STRING.test(message))
      ? notAString(path, isUnset ? 'set' : 'a string', others)
      : { message, ...others }),
    ...(isPlain(there) || (said !== undefined && said !== null) ? { found: there } : {}),
  });
}

/** The message with the field in place of words that read as plain English: `names.plural must be set` for `plural must be set`. */
function inFieldTerms(root: JsonObject, { path = '', message }: Violation): string {
  if (root.kind === undefined && /^spec\.\w+ must be (?:set|a string)$/.test(message)) {
    return message.slice('spec.'.length);
  }
  const [, word = ''] = /^([a-z]+) must /.exec(message) ?? [];
  const tokens = tokensOf(path);
  const isOwn = tokens.at(-1) === word;
  const below = pointer(path, word);
  const field = fieldOf(isOwn ? path : below);
  // The spec of a template is not that of its object.
  const isOfTemplate = root.kind === undefined && (field.startsWith('spec.') || field === 'the object');
  if (word !== '' && !isOfTemplate && (isOwn || valueAt(root, below) !== undefined)) {
    return `${field}${message.slice(word.length)}`;
  }
  const value = valueAt(root, path) ?? '';
  const isUnset = value === '' && path !== '' && !(root.kind === undefined && fieldOf(path).startsWith('spec.'));
  return isUnset && /^the [\w ]+ must be set$/.test(message) ? `${fieldOf(path)} must be set` : message;
}

/** An empty string in a message, other than one that is demanded. */
const EMPTY = /(?<!must be )""/;

/** A requirement on the characters of a string, which an empty one cannot meet. */
const OF_SYNTAX = / must (?:consist of |have a (?:prefix|name|letter or digit) )/;

/** A message about a string: one with a value that reads as empty, or one on a field that is a string by its name. */
const OF_STRING = new RegExp(`${EMPTY.source}|(?:name|key|path|operator) must be set$`, 'i');

/** What `unsupported kind ""` and `the name "" must be …` mean: the field is unset, or has a value of another type, which reads as empty. */
function notAString(
  path: string,
  required: 'set' | 'a string',
  { expected, ...others }: Omit<Details, 'found'>,
): Omit<Violation, 'path' | 'found'> {
  const field = fieldOf(path);
  return {
    message: `${field} must be ${required}`,
    ...(expected === undefined && required !== 'set' ? { fix: `Set ${field} to a string.` } : {}),
    ...(expected === undefined ? {} : { expected }),
    ...others,
  };
}

function isPlain(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}
