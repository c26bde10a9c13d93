/**
 * What to write, for violations whose message has one of the forms of Kubernetes validation: `must be set`, `unsupported value`,
 * `must be between 1 and 10`. A rule that reports several of them has one `fix` for all; this one is of the field in hand.
 */
import { fieldOf, tokensOf } from '../manifests/pointer';
import { type Rule, type Violation } from './rule';

type Said = Pick<Violation, 'path' | 'message' | 'expected'>;

interface Place {
  /** `volumeMounts[0].name`. */
  readonly field: string;
  /** What the violation expects, as the end of a sentence. */
  readonly expected?: string;
}

/** A choice between fields, which a fix of one of them does not make. */
const EITHER = /\bexactly one\b/;

/** The first form that matches decides; without a result, the next one is tried. */
const FORMS: readonly (readonly [RegExp, (match: RegExpExecArray, place: Place) => string | undefined])[] = [
  [
    / (\S+) and (\S+) must not be set together$/,
    ([, one, other], { field }) => `Remove ${one} or ${other} from ${field}.`,
  ],
  [EITHER, () => ''],
  [/ must be set only for /, (_match, { field }) => `Remove ${field}.`],
  [/^([\w.]+) or ([\w.]+) must be set$/, ([, one, other], { field }) => `Set ${one} or ${other} in ${field}.`],
  [/ must have a handler$/, (_match, { field, expected }) => expected && `Set ${alternatives(expected)} in ${field}.`],
  [/ must not be empty\b/, (_match, { field, expected }) => setTo(field, expected ?? contentOf(field))],
  [/ must be set\b/, (_match, { field, expected }) => setTo(field, expected ?? '')],
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
  [/ must not be set when ([\w.]+) is set$/, ([, other], { field }) => `Remove ${field} or ${other}.`],
  [/ must not be set when ([\w.]+) is ([\w.]+)$/, ([, other], { field }) => `Remove ${field}, or change ${other}.`],
  [/ must not be set\b/, (_match, { field }) => `Remove ${field.replace(/(\])\.(?:name|key)$/, '$1')}.`],
  [
    / must be between (-?\d+) and (-?\d+)/,
    ([, from, to], { field }) => `Set ${field} to a number from ${from} to ${to}.`,
  ],
  [
    / must be (greater than or equal to|less than or equal to|greater than|less than|at least|at most) (-?\d+)(?![^\s:])(?!.*\()/,
    ([, order, bound], { field }) => `Set ${field} to a number ${order} ${bound}.`,
  ],
  [/^un(?:supported|known)\b/, (_match, { field, expected }) => expected && setTo(field, expected)],
  [/\bduplicate\b/, (_match, { field }) => `Change ${field}, or remove the duplicate.`],
  [
    / must (?:have|be) no more than (\d+ characters.*)$/,
    ([, length], { field }) => `Shorten ${field} to at most ${length}.`,
  ],
  [/ must not be combined with other values$/, (_match, { field }) => `Remove the other values from ${field}.`],
  [/ must have only one (\w+)\b/, ([, noun], { field }) => `Keep one ${noun} of ${field}, and remove the others.`],
  [
    /(?:^| )must (?:not have more than|have no more than) (\d+) [\w ]+$/,
    ([, most], { field }) => `Reduce ${field} to at most ${most}.`,
  ],
  [/ must begin with (\S+)$/, ([, prefix], { field }) => `Set ${field} to a value that begins with ${prefix}.`],
  [/ must not set (\w+)\b/, ([, name = ''], { field }) => (field.endsWith(name) ? `Remove ${field}.` : undefined)],
  [/ must (consist of .+)$/, ([, what], { field }) => `Set ${field} to a value that ${inThirdPerson(what)}.`],
  [/ must not contain (.+)$/, ([, what], { field }) => `Remove ${what} from ${field}.`],
  [/ must be |\bis not an? /, (_match, { field, expected }) => expected && setTo(field, expected)],
];

/** What a field that must not be empty holds, by its name: `at least one verb` for a list, nothing in particular otherwise. */
function contentOf(field: string): string {
  const words = (/(\w+)$/.exec(field)?.[1] ?? '').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return /[^s]s$/.test(words) ? `at least one ${words.replace(/ies$/, 'y').replace(/s$/, '')}` : '';
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
};

/** Expected values that end a sentence: `a, b, or c`, `at least 2`, `a path that begins with "/"`. */
function alternatives(expected: string): string {
  const bounds = /^(-?\d+)(?: to |-)(-?\d+)$/.exec(expected);
  if (bounds !== null) {
    return `a number from ${bounds[1]} to ${bounds[2]}`;
  }
  if (/^such as /.test(expected)) {
    return `a value ${expected}`;
  }
  const names = expected.split(/, (?:or )?| or /);
  if (names.length === 1 || names.some((name) => /\s/.test(name))) {
    return Object.hasOwn(TYPES, expected) ? TYPES[expected] : expected;
  }
  return names.length === 2 ? names.join(' or ') : `${names.slice(0, -1).join(', ')}, or ${names.at(-1) ?? ''}`;
}

function setTo(field: string, expected: string): string {
  if (/^[\w.[\]"/-]+: /.test(expected)) {
    return `Set ${expected}.`;
  }
  const [, value = expected, otherwise] = /^(.+?),? or unset\b(.*)$/.exec(expected) ?? [];
  if (/^at most \d+ (?:characters|bytes)\b/.test(expected)) {
    return `Shorten ${field} to ${expected}.`;
  }
  if (otherwise !== undefined) {
    return `Set ${field} to ${alternatives(value)}, or remove it${otherwise}.`;
  }
  const last = field.split('.').at(-1) ?? '';
  if (expected === '' || field.endsWith(expected) || expected === `a ${last}`) {
    return `Set ${field}.`;
  }
  const isName = /name$/i.test(last) && /^an? (?:entry|volume|claim|container|job) (?:in|of) /.test(expected);
  return `Set ${field} to ${isName ? 'the name of ' : ''}${alternatives(expected)}.`;
}

/** What to write, or `undefined` where the message has none of the forms. */
export function fieldFix({ path = '', message, expected }: Said): string | undefined {
  if (/^(?:no|exactly one) /.test(expected ?? '') || namesKey(path, message)) {
    return undefined;
  }
  const place: Place = { field: fieldInHand(path, message), ...(expected === undefined ? {} : { expected }) };
  for (const [form, fix] of FORMS) {
    const match = form.exec(message);
    const text = match === null ? undefined : fix(match, place);
    if (text !== undefined) {
      return text === '' ? undefined : text;
    }
  }
  return undefined;
}

/** Whether the message is about the key of an entry, not about its value. */
function namesKey(path: string, message: string): boolean {
  const last = tokensOf(path).at(-1) ?? '';
  return message.includes(`"${last}"`) || message.startsWith(`the key ${last}`);
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
  const { message } = said;
  const isRequirement = / must (?!set )|^un(?:supported|known)\b/.test(message) && !EITHER.test(message);
  // A fix of several fields is not of this one, although it may name it.
  const isOfField = / and /.test(ruleFix) ? isNameless(said) : isNamed(said, ruleFix);
  return !isRequirement || isOfField ? undefined : (fieldFix(said) ?? changeTo(said));
}

/**
 * What must hold for the field in hand, where the fix of the rule does not name it.
 *
 * @param ruleFix the fix of the rule
 */
export function fixNaming(said: Said, ruleFix: string): string | undefined {
  const { path = '', expected } = said;
  if (isNamed(said, ruleFix)) {
    return undefined;
  }
  return expected !== undefined && !/^(?:no|exactly) /.test(expected) ? setTo(fieldOf(path), expected) : changeTo(said);
}

/** Whether the fix of the rule names the field, or there is no field to name. */
function isNamed(said: Said, ruleFix: string): boolean {
  return isNameless(said) || ruleFix.toLowerCase().includes(lastName(said).toLowerCase());
}

/** Whether the message is about the whole object or about a key, neither of which is a field. */
function isNameless(said: Said): boolean {
  return lastName(said) === '' || namesKey(said.path ?? '', said.message);
}

function lastName({ path = '' }: Said): string {
  return tokensOf(path).findLast((token) => !/^\d+$/.test(token)) ?? '';
}

/** The requirement of the message as a fix. Where it is one on a field below the path, that field is named. */
function changeTo({ path = '', message }: Said): string | undefined {
  const [, subject = '', what] = /^(.*?) must (.+?)(?:, but .*)?$/.exec(message) ?? [];
  const isBelow = /^[a-z]+[A-Z]\w*$/.test(subject) && subject !== tokensOf(path).at(-1);
  return what === undefined || EITHER.test(message)
    ? undefined
    : requirementFix(`${fieldOf(path)}${isBelow ? `.${subject}` : ''}`, what);
}

/** `Set hard.pods to an integer.` for `be an integer`, `Set key to a value that is empty, or consists of letters.` for other requirements. */
function requirementFix(field: string, what: string): string {
  const [, value] = /^be ((?:an? |true|false)[^,]*)$/.exec(what) ?? [];
  return value === undefined
    ? `Set ${field} to a value that ${inThirdPerson(what)}.`
    : setTo(field, value.replace(/^true or false$/, 'boolean'));
}

/** The verb with which a requirement begins, and those with which it goes on. */
const VERBS =
  /^(not )?(?!only|either|both|also|all|at\b)([a-z]+)(?= )|(?<=, (?:and |or )?|\band |\bor )(not )?(be|have|consist|start|end|begin|contain|match|name|fit|refer)(?= )/g;

/** `consists of letters, and starts with a letter` for `consist of letters, and start with a letter`. */
export function inThirdPerson(requirement: string): string {
  return requirement.replace(VERBS, (...groups: readonly (string | undefined)[]) => {
    const [, firstNot, firstVerb, laterNot, laterVerb = ''] = groups;
    const not = firstNot ?? laterNot;
    const verb = firstVerb ?? laterVerb;
    if (verb === 'be') {
      return `is ${not ?? ''}`.trimEnd();
    }
    const singular = verb === 'have' ? 'has' : /ch$/.test(verb) ? `${verb}es` : `${verb}s`;
    return not === undefined ? singular : `does not ${verb}`;
  });
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
