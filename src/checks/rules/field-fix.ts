/**
 * What to write, for violations whose message has one of the forms of Kubernetes validation: `must be set`, `unsupported value`,
 * `must be between 1 and 10`. A rule that reports several of them has one `fix` for all; this one is of the field in hand.
 */
import { fieldOf, tokensOf } from '../../manifests/pointer';
import { type Rule, type Violation } from './rule';
import { counted, oneOf } from '../../facts/words';
import { contentOf } from './field-content';
import { keyFix, requirementFix, withoutFix } from './name-fix';
import { alternatives, setTo } from './set-to';

type Said = Pick<Violation, 'path' | 'message' | 'expected' | 'found'>;

interface Place {
  /** `volumeMounts[0].name`. */
  readonly field: string;
  /** What the violation expects, as the end of a sentence. */
  readonly expected?: string;
  /** The string that was found. */
  readonly found?: string;
}

/** Examples of what a value is not, where the name of the field does not say more. */
const VALID: Readonly<Record<string, string>> = {
  'IP address': 'an IP address such as 10.0.0.1',
  'IPv4 address': 'an IPv4 address such as 10.0.0.1',
  'IPv6 address': 'an IPv6 address such as fd00::1',
  CIDR: 'a CIDR such as 10.0.0.0/8',
  'sysctl name': 'the name of a sysctl, such as net.core.somaxconn',
};

/** `a CIDR such as 10.0.0.0/8` for `CIDR`. */
const validOf = (field: string, what: string): string =>
  Object.hasOwn(VALID, what) ? (contentOf(field) ?? VALID[what] ?? '') : `a valid ${what}`;

/** Examples of paths that begin with a part of an object. */
const PATHS: Readonly<Record<string, string>> = {
  '.spec': 'a JSON path such as .spec.replicas',
  '.status': 'a JSON path such as .status.replicas',
};

/** A choice between fields, which a fix of one of them does not make. */
const EITHER = /\bexactly one\b/;

/** `Keep nfs or csi in spec, and remove the other.` */
export function keepOne(names: readonly string[], field: string): string {
  return `Keep ${oneOf(names)} in ${field}, and remove the other${names.length > 2 ? 's' : ''}.`;
}

/** Fields with quantities, by their names. */
const AMOUNT = /(?:^|\.)(?:storage|memory|cpu|ephemeral-storage|capacity|averageValue)$/;

/** The first form that matches decides; without a result, the next one is tried. */
const FORMS: readonly (readonly [RegExp, (match: RegExpExecArray, place: Place) => string | undefined])[] = [
  [
    /(?:^| )(\S+) and (\S+) must not be set together$/,
    ([, one, other], { field }) => `Remove ${one} or ${other} from ${field}.`,
  ],
  [
    /\bexactly one of (\w+) and (\w+) must be set$/,
    ([, one, other], { field }) => `Set either ${one} or ${other} in ${field}.`,
  ],
  [
    /\bexactly one of .+ must be set, but (\w+) and (\w+) are set$/,
    ([, one, other], { field }) => `Remove ${one} or ${other} from ${field}.`,
  ],
  [EITHER, () => ''],
  [
    /^(\w+) and (\w+) must be set together$/,
    ([, one, other], { field }) => `Set both ${one} and ${other} in ${field}, or remove both.`,
  ],
  [
    / must not set both (\S+)(?: \([^)]*\))? and (\S+)(?: \([^)]*\))?$/,
    ([, one, other], { field }) => `Remove ${one} or ${other} from ${field}.`,
  ],
  [/ must be set only for /, (_match, { field }) => `Remove ${field}.`],
  [/^([\w.]+) or ([\w.]+) must be set$/, ([, one, other], { field }) => `Set ${one} or ${other} in ${field}.`],
  [
    / must have a (?:handler|source|port|scheduling policy)$/,
    (_match, { field, expected = '' }) =>
      /, | or /.test(expected) ? `Set ${alternatives(expected)} in ${field}.` : undefined,
  ],
  [
    / must be set unless (\w+) is (\w+)$/,
    ([, other, value], { field }) => `${setTo(field, '').slice(0, -1)}, or set ${other}: ${value}.`,
  ],
  [/ must not be empty\b/, (_match, { field, expected }) => setTo(field, expected ?? oneOfList(field))],
  [/ must be set\b/, (_match, { field, expected }) => setTo(field, expected ?? '')],
  [/ must have an? ([a-z]+[A-Z]\w*)$/, ([, member], { field }) => setTo(`${field}.${member}`, '')],
  [
    / must have (?:an? )?(?:\w+ )*(\w+)$/,
    ([, noun = ''], { field, expected }) =>
      expected !== undefined || field.toLowerCase().endsWith(noun.toLowerCase())
        ? setTo(field, expected ?? '')
        : undefined,
  ],
  [
    / must not be set unless ([\w.]+) is ([\w.]+)$/,
    ([, other, value], { field }) => `Set ${other}: ${value}, or remove ${field}.`,
  ],
  [/ must not be set without ([\w.]+)$/, ([, other], { field }) => `Set ${other}, or remove ${field}.`],
  [/ must not be set when ([\w.]+) is set$/, ([, other = ''], { field }) => removeOne(field, other)],
  [/ must not be set when ([\w.]+) is unset$/, ([, other], { field }) => `Set ${other}, or remove ${field}.`],
  [
    / must not be set when ([\w.]+) is ([\w.]+)$/,
    ([, other = '', value = ''], { field }) => `Remove ${elementOf(field)}, or set ${otherValue(other, value)}.`,
  ],
  [/ must not be set\b/, (_match, { field }) => `Remove ${elementOf(field)}.`],
  [
    / must be between (-?\d+) and (-?\d+)/,
    ([, from, to], { field }) => `Set ${field} to a number from ${from} to ${to}.`,
  ],
  [
    / must be ((?:greater|less) than(?: or equal to)?) (-?\d+)(?![^\s:,])(?!.*\()/,
    ([, order, bound], { field }) =>
      `Set ${field} to a ${AMOUNT.test(field) ? 'quantity' : 'number'} ${order} ${bound}.`,
  ],
  [
    / must be (at least|at most) (-?\d+)(?![^\s:,])/,
    ([, order, bound], { field }) => `Set ${field} to ${order} ${bound}.`,
  ],
  [
    / must be ((?:greater|less) than(?: or equal to)?) ((?:the number of )?[a-z]\w*) \(\S+ (?:[<>]=?) (\S+)\)$/,
    ([, order, other, bound], { field, expected }) =>
      expected === undefined ? `Set ${field} to a number ${order} ${other} (${bound}).` : undefined,
  ],
  [
    / is (?:out of range(?:: \S+)?|reserved for .+)$/,
    (_match, { field, expected }) => expected && setTo(field, expected),
  ],
  [
    / is not a valid ([^:]+)$/,
    ([, what = ''], { field, expected }) => (expected === undefined ? setTo(field, validOf(field, what)) : undefined),
  ],
  [/^un(?:supported|known)\b/, (_match, { field, expected }) => expected && setTo(field, expected)],
  [
    /\bduplicate\b/,
    (_match, { field }) =>
      field.endsWith(']') ? `Remove ${field}.` : `Set ${field} to a unique value, or remove the duplicate.`,
  ],
  [
    / must (?:have|be) no more than (\d+ characters(?: after the prefix)?)(?:, but has \d+)?$/,
    ([, length], { field }) => `Shorten ${field} to at most ${length}.`,
  ],
  [/ must not be combined with other values$/, (_match, { field }) => `Remove the other values from ${field}.`],
  [/ must have only one \w+, but has \d+: (.+)$/, ([, names = ''], { field }) => keepOne(names.split(', '), field)],
  [/ must have only one (\w+)\b/, ([, noun], { field }) => `Keep one ${noun} of ${field}, and remove the others.`],
  [
    /^(?!an? ).*\bmust (?:not have more than|have no more than|have at most) (\w+) (?!characters)([a-z][\w ]*)(?:, but has .+)?$/,
    ([, most, what], { field }) => `Keep at most ${most} ${what} in ${field}.`,
  ],
  [
    / must have (\d+ to \d+) (entries|items)\b/,
    ([, size, what], { field }) => `Set ${field} to a list of ${size} ${what}.`,
  ],
  [
    /^the port name "(\d+)" must contain at least one letter$/,
    ([, port], { field }) =>
      field.endsWith('.name')
        ? `Set ${field} to a name that contains at least one letter, such as http.`
        : Number(port) >= 1 && Number(port) <= 65535
          ? `Set ${field} to ${port} without quotes, or to the name of a port.`
          : `Set ${field} to a number from 1 to 65535, or to the name of a port, such as http.`,
  ],
  [/ must be in ascending order$/, (_match, { field }) => `List ${field} in ascending order.`],
  [
    /^(\S+) requires (\w[\w.-]*(?:: [\w.-]+)?)$/,
    ([, subject, other], { field }) =>
      field.split('.').at(-1) === subject ? `Set ${other}, or remove ${field}.` : undefined,
  ],
  [
    / must begin with (\S+?)\.?$/,
    ([, prefix = ''], { field }) => `Set ${field} to ${PATHS[prefix] ?? `a value that begins with ${prefix}`}.`,
  ],
  [/ must not be listed\b/, (_match, { field }) => `Remove ${field}.`],
  [
    /^the port name "/,
    (_match, { field }) =>
      /\.(?:port|targetPort)$/.test(field)
        ? `Set ${field} to a number from 1 to 65535, or to the name of a port, such as http.`
        : undefined,
  ],
  [/ must not set (\w+)\b/, ([, name = ''], { field }) => (field.endsWith(name) ? `Remove ${field}.` : undefined)],
  [/^(?:(?! must ).)* must (consist of .+)$/, ([, what = ''], { field, found }) => requirementFix(field, what, found)],
  [/ must (not contain .+)$/, ([, what = ''], { field, found }) => withoutFix(field, what, found)],
  [/ must be (?!in the )|\bis not an? /, (_match, { field, expected }) => expected && setTo(field, expected)],
];

/** `Remove configMapRef or secretRef from envFrom[0].` for siblings; other fields by their paths. */
function removeOne(field: string, other: string): string {
  const [, parent = '', own = ''] = /^(.+)\.(\w+)$/.exec(field) ?? [];
  if (own === '' || other.includes('.')) {
    return `Remove ${field} or ${other}.`;
  }
  return parent === 'spec' ? `Remove spec.${own} or spec.${other}.` : `Remove ${own} or ${other} from ${parent}.`;
}

/** The list item of which the field is the name: what is removed together with the name. */
const elementOf = (field: string): string => field.replace(/(\])\.(?:name|key)$/, '$1');

/** `hostNetwork: false` for true, `type to a value other than Never` for any other value. */
const otherValue = (field: string, value: string): string =>
  value === 'true' || value === 'false' ? `${field}: ${value === 'false'}` : `${field} to a value other than ${value}`;

/** `at least one verb` for a list without a content of its own, nothing in particular otherwise. */
function oneOfList(field: string): string {
  if (contentOf(field) !== undefined) {
    return '';
  }
  const words = (/(?<!\w)\w+$/.exec(field)?.[0] ?? '').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return /[^s]s$/.test(words) ? `at least one ${words.replace(/ies$/, 'y').replace(/s$/, '')}` : '';
}

/** What to write, or `undefined` where the message has none of the forms. */
export function fieldFix({ path = '', message, expected, found }: Said): string | undefined {
  if (namesKey(path, message)) {
    const complaint = KEY_SYNTAX.exec(message)?.[1];
    const key = tokensOf(path).at(-1) ?? '';
    return complaint === undefined ? undefined : keyFix(fieldOf(path.slice(0, path.lastIndexOf('/'))), complaint, key);
  }
  if (/^(?:no|exactly one) /.test(expected ?? '')) {
    return undefined;
  }
  const place: Place = {
    field: fieldInHand(path, message),
    ...(expected === undefined ? {} : { expected }),
    ...(typeof found === 'string' ? { found } : {}),
  };
  for (const [form, fix] of FORMS) {
    const match = form.exec(message);
    const text = match === null ? undefined : fix(match, place);
    if (text !== undefined) {
      return text === '' ? undefined : text;
    }
  }
  return undefined;
}

/** What a message requires of the syntax of a key. */
const KEY_SYNTAX =
  /^the (?:\w+ )?key "(?:[^"\\]|\\.)*" must ((?:consist|have |be no more than|contain at most|not be empty|not contain).*)$/;

/** The key at the end of the path, where the message is about it and not about the value. */
export function wrongKey(path: string, message: string): string | undefined {
  const key = tokensOf(path).at(-1) ?? '';
  return /^the (?:\w+ )?(?:key|resource name) "/.test(message) && message.includes(`"${key}"`) ? key : undefined;
}

/** Whether the message is about the key of an entry, not about its value. */
export function namesKey(path: string, message: string): boolean {
  const last = tokensOf(path).at(-1) ?? '';
  // The index of an item may be its value too: `unknown request "0"`.
  const isIndex = /^\d+$/.test(last) && !/\bkey\b/.test(message);
  return (!isIndex && message.includes(`"${last}"`)) || message.startsWith(`the key ${last}`);
}

/** The field at the path, or the one below it with which the message begins: `exitCodes must be set`. */
function fieldInHand(path: string, message: string): string {
  const field = fieldOf(path);
  const named = /^([a-z]\w*(?:\.\w+)*) must (?:not )?be set/.exec(message)?.[1];
  if (named === undefined || field.includes(named) || message.startsWith(`${field} `)) {
    return field;
  }
  const [first = ''] = named.split('.');
  if (field.split('.').at(-1) === first) {
    return `${field}${named.slice(first.length)}`;
  }
  const isBelow = path !== '' && /^\w+(?:\[\d+\])*$/.test(field.split('.').at(-1) ?? '') && !named.endsWith(field);
  return isBelow ? `${field}.${named}` : named;
}

/**
 * The fix of a message that states a requirement on a field which the fix of the rule does not name: `url must not be set` under a rule
 * whose fix is about `percent`. Other messages keep the fix of the rule, which says more than their form does.
 *
 * @param ruleFix the fix of the rule
 */
export function fixOfRequirement(said: Said, ruleFix: string): string | undefined {
  const { message, path = '' } = said;
  if (IN_TEXT.test(path)) {
    return undefined;
  }
  const isRequirement = / must (?!set )|^un(?:supported|known)\b/.test(message) && !EITHER.test(message);
  // A fix of several fields is not of this one, although it may name it; nor is one that a bound of the field does not concern.
  const isOfField = / and /.test(ruleFix) || BOUND.test(message) ? isNameless(said) : isNamed(said, ruleFix);
  return !isRequirement || isOfField ? undefined : (fieldFix(said) ?? setOrChange(said));
}

/** A file in a ConfigMap: the message is about something in its text, to which the path does not lead. */
const IN_TEXT = /^\/data\/[^/]+$/;

/**
 * What must hold for the field in hand, where the fix of the rule does not name it, or names it among others.
 *
 * @param ruleFix the fix of the rule
 */
export function fixNaming(said: Said, ruleFix: string): string | undefined {
  const isOfField = OF_SEVERAL.test(ruleFix) ? isNameless(said) : isNamed(said, ruleFix);
  return isOfField ? undefined : setOrChange(said);
}

/** A fix of several fields. */
const OF_SEVERAL = /^Set (?!either\b).*\band\b/;

/** A bound that is a number. */
const BOUND = / must be (?:(?:greater|less) than(?: or equal to)?|between|at least|at most) -?\d/;

/** What is expected as a fix, or else the requirement of the message. */
function setOrChange(said: Said): string | undefined {
  const { path = '', expected } = said;
  return expected !== undefined && !/^(?:no|exactly|one) /.test(expected)
    ? setTo(fieldOf(path), expected)
    : changeTo(said);
}

/** Whether the fix of the rule names the field, or there is no field to name. */
function isNamed(said: Said, ruleFix: string): boolean {
  const name = lastName(said).toLowerCase();
  // A short name may be part of a word.
  const text = ruleFix.toLowerCase();
  const isThere = name.length > 3 ? text.includes(name) : text.split(/[^\w-]+/).includes(name);
  return isNameless(said) || (name !== '' && isThere);
}

/** Whether the message is about the whole object or about a key, neither of which is a field. */
function isNameless(said: Said): boolean {
  const { path = '', message } = said;
  return path === '' || namesKey(path, message);
}

function lastName({ path = '' }: Said): string {
  return tokensOf(path).findLast((token) => !/^\d+$/.test(token)) ?? '';
}

/** What a value must be, in contrast to what an object must have or do: `the value must begin with "/"`, not `the pod must set b`. */
const OF_VALUE =
  /^(?:not )?(?:be (?!used\b|given\b|compared\b|in the\b)|consist\b|contain\b|begin\b|start\b|end\b|match\b|equal\b|exceed\b|evaluate\b)|^have (?:an? (?:prefix|domain|path|name|duration|step|number|ascending)\b|numbers\b|at most one "|only one )/;

/** The requirement of the message as a fix. Where it is one on a field below the path, that field is named. */
function changeTo({ path = '', message, found }: Said): string | undefined {
  const [, subject = '', what] = REQUIREMENT.exec(message) ?? [];
  const isBelow = /^[a-z]+[A-Z]\w*$/.test(subject) && subject !== tokensOf(path).at(-1);
  return what === undefined || EITHER.test(message) || !OF_VALUE.test(what)
    ? undefined
    : requirementFix(`${fieldOf(path)}${isBelow ? `.${subject}` : ''}`, what, isBelow ? undefined : found);
}

/** `the port must be even, but is 3`, `the port must be even: 3`: the subject, and what it must be. */
const REQUIREMENT = /^(.*?) must (.+?)(?:, but .*|: (?:-?[\d.e+]+|"[^"]*"))?$/;

/** What to do about a name that is too long, where it is derived from the name in a field. */
export function shortenBy(field: string, derived: string, limit: number): string {
  return `Shorten ${field} by ${counted(derived.length - limit, 'character')}.`;
}

/** The rule with a fix of the field in hand for each violation that has a message of a known form, and no fix of its own. */
export function fixesByField<Made extends Rule>(rule: Made): Made {
  const check = rule.check as (...args: readonly unknown[]) => Iterable<Violation>;
  return { ...rule, check: (...args: readonly unknown[]) => [...check(...args)].map(withFieldFix) };
}

/** The violation with a fix of its field, if it has none of its own. */
export function withFieldFix<Reported extends Violation>(violation: Reported): Reported {
  const fix = violation.fix ?? fieldFix(violation);
  return fix === undefined ? violation : { ...violation, fix };
}
