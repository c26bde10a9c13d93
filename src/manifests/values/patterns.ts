/**
 * Patterns as the API server reads them: RE2, matched anywhere in the text.
 *
 * Most patterns mean the same to JavaScript once a few classes are written out, and its engine is fast; they are translated. What cannot
 * be translated, and what could make backtracking slow, goes to a real RE2 (`@bufbuild/re2`), which is linear.
 */
import { backtracksLittle } from '../../facts/promql/backtracking';
import { isTooLongForRe2, re2Of } from '../../facts/promql/re2';
import { translate } from './pattern-syntax';

export interface Pattern {
  /** Whether it is too long to be compiled: then every text passes. */
  readonly isUnjudged: boolean;
  /** True where the pattern occurs in the text. */
  test(text: string): boolean;
  /** The first `limit` occurrences (all of them for -1); `undefined` for patterns that can only be tested. */
  findAll(text: string, limit: number): readonly string[] | undefined;
}

/** Beyond this many characters a backtracking engine is not trusted, whatever the pattern is. */
const LONGEST_FOR_BACKTRACKING = 1024;
/** Patterns that are remembered: those of expressions may be computed from the text of objects. */
const MOST_KNOWN = 4000;

/** Of definitions that ship with Gantry, by source; and of everything that users give. */
const known = new Map<string, Pattern | null>();
const knownGiven = new Map<string, Pattern | null>();

/** Sources of patterns of definitions that do not ship with Gantry. */
const given = new Set<string>();

/** Has a pattern of a definition that does not ship with Gantry matched in linear time. */
export function matchInLinearTime(source: string): void {
  given.add(source);
}

/** The pattern of a definition, compiled once per source; `undefined` where RE2 has no such pattern. */
export function patternOf(source: string): Pattern | undefined {
  return given.has(source) ? givenPatternOf(source) : compiled(source, known, true);
}

/** A pattern that a user gives, such as that of an expression: whatever it is, a text is matched in linear time. */
export function givenPatternOf(source: string): Pattern | undefined {
  return compiled(source, knownGiven, false);
}

function compiled(source: string, patterns: Map<string, Pattern | null>, isTrusted: boolean): Pattern | undefined {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = compile(source, isTrusted) ?? null;
    if (patterns.size >= MOST_KNOWN) {
      patterns.clear();
    }
    patterns.set(source, pattern);
  }
  return pattern ?? undefined;
}

function compile(source: string, isTrusted: boolean): Pattern | undefined {
  const insensitive = source.startsWith('(?i)');
  const plain = insensitive ? source.slice(4) : source;
  const translated = isTrusted || backtracksLittle(plain) ? translate(plain) : undefined;
  if (translated === undefined) {
    return exactPattern(source);
  }
  const flags = insensitive ? 'iu' : 'u';
  const fast = new RegExp(translated, flags);
  let exact: Pattern | undefined;
  return {
    isUnjudged: false,
    test(text) {
      if (text.length <= LONGEST_FOR_BACKTRACKING) {
        return fast.test(text);
      }
      exact ??= exactPattern(source);
      return exact === undefined || exact.isUnjudged ? fast.test(text) : exact.test(text);
    },
    findAll: (text, limit) => occurrences(text, new RegExp(translated, `g${flags}`), limit),
  };
}

/** As Go finds them: an empty occurrence that begins where another ends is none. */
function occurrences(text: string, pattern: RegExp, limit: number): readonly string[] {
  const found: string[] = [];
  let end = -1;
  for (const { 0: occurrence, index } of text.matchAll(pattern)) {
    if (limit >= 0 && found.length >= limit) {
      break;
    }
    if (occurrence !== '' || index !== end) {
      found.push(occurrence);
    }
    end = index + occurrence.length;
  }
  return found;
}

/** No text is held to a pattern that is too long to be compiled. */
const UNJUDGED: Pattern = { isUnjudged: true, test: () => true, findAll: () => undefined };

function exactPattern(source: string): Pattern | undefined {
  if (isTooLongForRe2(source)) {
    return UNJUDGED;
  }
  const re2 = re2Of(source);
  return typeof re2 === 'string'
    ? undefined
    : { isUnjudged: false, test: (text) => re2.test(text), findAll: () => undefined };
}
