/**
 * Label selectors as one text: `app in (a, b), tier!=x, !canary`.
 *
 * Source: apimachinery, pkg/labels/selector.go.
 */
import { labelValue, qualifiedName } from '../../manifests/values/name-syntax';

const TOKENS = /==|!=|[=!<>(),]|[^\s=!<>(),]+/g;
const SPECIAL: ReadonlySet<string> = new Set(['==', '!=', '=', '!', '<', '>', '(', ')', ',']);
const INTEGER = /^-?\d+$/;

/** What the text must be, ready to follow "must"; `undefined` for a selector that Kubernetes parses. */
export function selectorTextComplaint(text: string): string | undefined {
  const tokens = text.match(TOKENS) ?? [];
  for (let at = 0; at < tokens.length;) {
    const read = requirementAt(tokens, at);
    if ('complaint' in read) {
      return read.complaint;
    }
    at = read.next;
    if (at < tokens.length && tokens[at] !== ',') {
      return 'separate requirements with ","';
    }
    if (at + 1 === tokens.length) {
      return 'have a requirement after each ","';
    }
    at++;
  }
  return undefined;
}

type Read = { readonly next: number } | { readonly complaint: string };

function requirementAt(tokens: readonly string[], start: number): Read {
  const isAbsence = tokens[start] === '!';
  const at = isAbsence ? start + 1 : start;
  const key = tokens[at] ?? '';
  if (key === '' || SPECIAL.has(key)) {
    return { complaint: 'start each requirement with a label key' };
  }
  const badKey = qualifiedName(key);
  if (badKey !== undefined) {
    return { complaint: `have label keys that are valid: ${JSON.stringify(key)} must ${badKey}` };
  }
  const operator = tokens[at + 1];
  if (isAbsence || operator === undefined || operator === ',') {
    return { next: at + 1 };
  }
  if (operator === 'in' || operator === 'notin') {
    return valuesAt(tokens, at + 2, operator);
  }
  if (!['=', '==', '!=', '<', '>'].includes(operator)) {
    return { complaint: `have an operator after ${key}: =, ==, !=, in, notin, <, or >` };
  }
  return valueAt(tokens, at + 2, operator);
}

/** One value; it may be empty. */
function valueAt(tokens: readonly string[], at: number, operator: string): Read {
  const token = tokens[at];
  const isEmpty = token === undefined || token === ',';
  const value = isEmpty ? '' : token;
  if (!isEmpty && SPECIAL.has(token)) {
    return { complaint: `have one value after ${operator}` };
  }
  if ((operator === '<' || operator === '>') && !isInt64(value)) {
    return { complaint: `have a whole number of at most 64 bits after ${operator}` };
  }
  return badValue(value) ?? { next: isEmpty ? at : at + 1 };
}

/** At most 63 characters are read, as many as a label value has. */
function isInt64(text: string): boolean {
  if (text.length > 63 || !INTEGER.test(text)) {
    return false;
  }
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value;
}

/** `(a, b)`; a value may be empty, and no value is as good as an empty one. */
function valuesAt(tokens: readonly string[], open: number, operator: string): Read {
  const close = tokens.indexOf(')', open);
  const inside = tokens.slice(open + 1, close);
  if (tokens[open] !== '(' || close < 0) {
    return { complaint: `have values in parentheses after ${operator}, such as (a, b)` };
  }
  for (const [index, token] of inside.entries()) {
    const isSeparator = token === ',';
    if (!isSeparator && (SPECIAL.has(token) || (index > 0 && inside[index - 1] !== ','))) {
      return { complaint: `separate the values after ${operator} with ","` };
    }
    const bad = isSeparator ? undefined : badValue(token);
    if (bad !== undefined) {
      return bad;
    }
  }
  return { next: close + 1 };
}

function badValue(value: string): { readonly complaint: string } | undefined {
  const bad = labelValue(value);
  return bad === undefined
    ? undefined
    : { complaint: `have label values that are valid: ${JSON.stringify(value)} must ${bad}` };
}
