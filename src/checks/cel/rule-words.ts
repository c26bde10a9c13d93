/**
 * What a CEL rule without a message requires, in words.
 *
 * Many rules ask only whether fields of `self` are set, and whether a field has a value. Such a rule is a function of a few booleans. Of the
 * answers for an object that violates it, the words name the fewest with which no other answer could satisfy the rule.
 */
import { type CelInput } from '@bufbuild/cel';
import { type JsonValue } from '../../facts/api/schema';
import { allOf, oneOf } from '../../facts/words';
import { fieldOf } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { keepOne } from '../rules/field-fix';
import { expressionOf } from '../../cel/rule-program';

export interface RuleWords {
  readonly message: string;
  readonly fix: string;
}

/** One question of a rule about its object: whether a field is set, or whether it has this value. */
interface Question {
  /** Path of the field; empty for the value itself. */
  readonly field: string;
  readonly value?: string | undefined;
}

const QUESTION =
  /\bhas\(self\.([A-Za-z][\w.]*)\)|\bself(?:\.([A-Za-z][\w.]*))?\s*(==|!=)\s*(?:'([^'\\]*)'|"([^"\\]*)")/g;

/** `self.effect in ['NoSchedule', 'NoExecute']`. */
const CHOICE =
  /\b(self(?:\.[A-Za-z][\w.]*)?)\s+in\s+\[\s*((?:'[^'\\]*'|"[^"\\]*")(?:\s*,\s*(?:'[^'\\]*'|"[^"\\]*"))*)\s*\]/g;

/** `self.all(x, …)`, which asks the same of each item of a list or of each key of a map. */
const EACH = /^\s*self\.all\(\s*(\w+)\s*,(.*)\)\s*$/s;

/** Questions of one rule; the answers to more are too many to try. */
const MOST_QUESTIONS = 6;

/**
 * The requirement that the value violates; `undefined` for a rule that asks anything else.
 *
 * @param place what a fix calls the value
 */
export function ruleWords(rule: string, self: JsonValue, place: string): RuleWords | undefined {
  const [, variable, body = ''] = EACH.exec(rule) ?? [];
  if (variable === undefined) {
    const asked = questionsOf(rule);
    return asked && wordsOfOne(asked, self, place);
  }
  const ofItem = body.replace(new RegExp(`(?<!["'\\w.])${variable}\\b`, 'g'), 'self');
  const asked = /\bself\b/.test(body) ? undefined : questionsOf(ofItem);
  return asked && wordsOfEach(asked, self, place);
}

/** The words for the first item, or the first key, that violates what the rule asks of each. */
function wordsOfEach(asked: Asked, self: JsonValue, place: string): RuleWords | undefined {
  if (typeof self !== 'object' || self === null) {
    return undefined;
  }
  if (Array.isArray(self)) {
    for (const [index, item] of self.entries()) {
      const words = wordsOfOne(asked, item, `${place}[${index}]`);
      if (words !== undefined) {
        return { ...words, message: `${place}[${index}]: ${words.message}` };
      }
    }
    return undefined;
  }
  for (const key of Object.keys(self)) {
    const words = wordsOfOne(asked, key, place);
    if (words !== undefined) {
      const wanted = / (to .+)\.$/.exec(words.fix)?.[1];
      return {
        message: `a key ${words.message}`,
        fix: `Rename the key ${JSON.stringify(key)} in ${place}${wanted === undefined ? '' : ` ${wanted.replace(/^to a value\b/, 'to a key')}`}.`,
      };
    }
  }
  return undefined;
}

function wordsOfOne({ questions, holds }: Asked, self: JsonValue, place: string): RuleWords | undefined {
  const answers = questions.map((question) => answerOf(question, self));
  if (holds(answers)) {
    return undefined;
  }
  if (questions.length > 1 && questions.every(({ value }) => value === undefined) && isExactlyOne(questions, holds)) {
    return exactlyOne(questions, answers, place);
  }
  return eitherOf(questions, holds, place) ?? wordsOf(neededOf(questions, holds, answers), answers, questions, place);
}

type Holds = (answers: readonly boolean[]) => boolean;

/** The questions of a rule, and whether it holds for answers to them. */
interface Asked {
  readonly questions: readonly Question[];
  readonly holds: Holds;
}

function questionsOf(rule: string): Asked | undefined {
  const questions: Question[] = [];
  const text = withoutChoices(rule).replace(QUESTION, (...groups: readonly (string | undefined)[]) => {
    const [, set, compared = '', operator, single, double] = groups;
    const question: Question = set === undefined ? { field: compared, value: single ?? double } : { field: set };
    let index = questions.findIndex(({ field, value }) => field === question.field && value === question.value);
    if (index < 0) {
      index = questions.push(question) - 1;
    }
    return `${operator === '!=' ? '!' : ''}${nameOf(index)}`;
  });
  if (questions.length === 0 || questions.length > MOST_QUESTIONS || /\b(?:self|oldSelf)\b/.test(text)) {
    return undefined;
  }
  const evaluate = expressionOf(text);
  if (typeof evaluate === 'string') {
    return undefined;
  }
  const holds: Holds = (answers) => {
    const variables: Record<string, CelInput> = {};
    answers.forEach((answer, index) => {
      variables[nameOf(index)] = answer;
    });
    const outcome = evaluate(variables);
    return 'value' in outcome && outcome.value === true;
  };
  return { questions, holds };
}

/** The rule with `self.effect in ['a', 'b']` as `(self.effect == 'a' || self.effect == 'b')`. */
function withoutChoices(rule: string): string {
  return rule.replace(CHOICE, (_match, field: string, values: string) => {
    const parts = [...values.matchAll(/'[^']*'|"[^"]*"/g)].map(([value]) => `${field} == ${value}`);
    return `(${parts.join(' || ')})`;
  });
}

function nameOf(index: number): string {
  return `question${index}`;
}

function answerOf({ field, value }: Question, self: JsonValue): boolean {
  let found: JsonValue | undefined = self;
  for (const name of field === '' ? [] : field.split('.')) {
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return value === undefined ? found !== undefined && found !== null : found === value;
}

/** All answers that an object can give: a field that is unset has no value, and one that is set has at most one. */
function allAnswers(questions: readonly Question[]): readonly (readonly boolean[])[] {
  const all = Array.from({ length: 2 ** questions.length }, (_, number) =>
    questions.map((_question, index) => Math.floor(number / 2 ** index) % 2 === 1),
  );
  return all.filter((answers) =>
    questions.every(
      (one, i) =>
        one.value === undefined ||
        !answers[i] ||
        questions.every(
          (other, j) => i === j || one.field !== other.field || answers[j] === (other.value === undefined),
        ),
    ),
  );
}

function isExactlyOne(questions: readonly Question[], holds: Holds): boolean {
  return allAnswers(questions).every((answers) => holds(answers) === (answers.filter(Boolean).length === 1));
}

function exactlyOne(questions: readonly Question[], answers: readonly boolean[], place: string): RuleWords {
  const fields = questions.map(({ field }) => field);
  const present = fields.filter((_, index) => answers[index]);
  return {
    message: `exactly one of ${allOf(fields)} must be set`,
    fix: present.length === 0 ? `Set ${oneOf(fields)} in ${place}.` : keepOne(present, place),
  };
}

/** The words for a rule that two groups of fields satisfy, each without the other, and of which one has several fields. */
function eitherOf(questions: readonly Question[], holds: Holds, place: string): RuleWords | undefined {
  if (questions.length < 3 || questions.some(({ value }) => value !== undefined)) {
    return undefined;
  }
  const includes = (answers: readonly boolean[], others: readonly boolean[]): boolean =>
    others.every((other, index) => !other || answers[index] === true);
  const all = allAnswers(questions);
  const satisfying = all.filter((answers) => holds(answers));
  const least = satisfying.filter((one) => !satisfying.some((other) => other !== one && includes(one, other)));
  const [first = [], second = []] = least;
  if (
    least.length !== 2 ||
    first.some((answer, index) => answer && second[index]) ||
    !all.every((answers) => holds(answers) === least.some((one) => includes(answers, one)))
  ) {
    return undefined;
  }
  const groups = least
    .map((one) => questions.flatMap(({ field }, index) => (one[index] === true ? [field] : [])))
    .map((fields) => ({ size: fields.length, text: `${fields.length === 2 ? 'both ' : ''}${allOf(fields)}` }))
    .toSorted((a, b) => a.size - b.size);
  const [short, long] = groups;
  return short === undefined || long === undefined || long.size < 2
    ? undefined
    : {
        message: `either ${long.text}, or ${short.text}, must be set`,
        fix: `Set ${short.text} in ${place}, or set ${long.text}.`,
      };
}

/** The questions whose answers violate the rule whatever the answers to the others are. */
function neededOf(questions: readonly Question[], holds: Holds, answers: readonly boolean[]): readonly number[] {
  const satisfying = allAnswers(questions).filter((others) => holds(others));
  const suffices = (needed: readonly number[]): boolean =>
    !satisfying.some((others) => needed.every((index) => others[index] === answers[index]));
  // A value says that its field is set: that question is left out first.
  const order = questions.map((_, index) => index).sort((a, b) => rank(questions, a) - rank(questions, b));
  return order
    .reduce((needed, index) => {
      const fewer = needed.filter((one) => one !== index);
      return suffices(fewer) ? fewer : needed;
    }, order)
    .toSorted((a, b) => a - b);
}

function rank(questions: readonly Question[], index: number): number {
  const { field, value } = questions[index] ?? { field: '' };
  const isImplied =
    value === undefined && questions.some((other) => other.field === field && other.value !== undefined);
  return isImplied ? 0 : 1;
}

function wordsOf(
  needed: readonly number[],
  answers: readonly boolean[],
  questions: readonly Question[],
  place: string,
): RuleWords | undefined {
  const pick = (isValue: boolean, answer: boolean): readonly Question[] =>
    needed
      .filter((index) => (questions[index]?.value !== undefined) === isValue && answers[index] === answer)
      .flatMap((index) => questions[index] ?? []);
  const missing = pick(false, false).map(({ field }) => field);
  const is = pick(true, true);
  const isNot = pick(true, false);
  const wanted = isNot[0];
  // A field that must have a value is not asked to be unset.
  const present = pick(false, true).flatMap(({ field }) => (field === wanted?.field ? [] : [field]));
  if (isNot.some(({ field }) => field !== wanted?.field)) {
    return undefined;
  }
  const values = is.map(said);
  const unless =
    wanted === undefined ? '' : ` unless ${wanted.field} is ${oneOf(isNot.map(({ value = '' }) => value))}`;
  if (missing.length > 0) {
    const set = present.length === 0 ? [] : [`${allOf(present)} ${present.length === 1 ? 'is' : 'are'} set`];
    const otherwise = present.length === 0 ? '' : `, or remove ${oneOf(present)}`;
    return {
      message: `${oneOf(missing)} must be set${when([...set, ...values])}${unless}`,
      fix: `Set ${oneOf(missing)} in ${place}${otherwise}.`,
    };
  }
  if (present.length > 0) {
    const together = present.length === 1 ? '' : ' together';
    const otherwise = wanted === undefined ? '' : `, or set ${wanted.field}: ${wanted.value ?? ''}`;
    return {
      message: `${allOf(present)} must not be set${together}${when(values)}${unless}`,
      fix: `Remove ${oneOf(present)} from ${place}${otherwise}.`,
    };
  }
  if (wanted !== undefined) {
    const wantedValues = oneOf(isNot.map(({ value = '' }) => value));
    return {
      message: `${subjectOf(wanted)}must be ${wantedValues}${when(values)}`,
      fix: `Set ${fieldIn(place, wanted)} to ${wantedValues}.`,
    };
  }
  const [unwanted, ...conditions] = is;
  return unwanted === undefined
    ? undefined
    : {
        message: `${subjectOf(unwanted)}must not be ${unwanted.value === '' ? 'empty' : JSON.stringify(unwanted.value)}${when(conditions.map(said))}`,
        fix: `Set ${fieldIn(place, unwanted)} to a value ${unwanted.value === '' ? 'that is not empty' : `other than ${JSON.stringify(unwanted.value)}`}.`,
      };
}

/** The field as the subject of a sentence; the value itself needs none. */
function subjectOf({ field }: Question): string {
  return field === '' ? '' : `${field} `;
}

function fieldIn(place: string, { field }: Question): string {
  if (field === '') {
    return place;
  }
  return place === fieldOf('') ? field : `${place}.${field}`;
}

function said({ field, value = '' }: Question): string {
  return `${field} is ${value}`;
}

function when(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` when ${allOf(conditions)}`;
}
