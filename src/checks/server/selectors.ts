/**
 * Label selectors and node selectors: their grammar, and whether a label selector matches a set of labels (row K6).
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { oneOf } from '../../facts/words';
import { fieldOf, pointer } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { type Say } from './server-rule';
import { dnsSubdomain, labelValue, qualifiedName } from '../../manifests/values/name-syntax';
import { itemsOf, size, text, textsOf } from './values';

type Maybe = JsonValue | undefined;

/** Labels or a selector's plain form: valid keys and values. */
export function checkLabels(labels: Maybe, path: string, say: Say): void {
  if (!isObject(labels)) {
    return;
  }
  for (const [key, value] of Object.entries(labels)) {
    const badKey = qualifiedName(key);
    if (badKey !== undefined) {
      say(pointer(path, key), `the label key ${JSON.stringify(key)} must ${badKey}`);
    }
    const badValue = typeof value === 'string' ? labelValue(value) : undefined;
    if (badValue !== undefined) {
      say(pointer(path, key), `the label value ${JSON.stringify(value)} must ${badValue}`);
    }
  }
}

/** The operators that the number of values admits, or the one that is meant. */
export function operatorsFor(operator: string, count: number, ofNodes = false): string {
  const all = ['In', 'NotIn', 'Exists', 'DoesNotExist', ...(ofNodes ? ['Gt', 'Lt'] : [])];
  const meant = all.find((known) => known.toLowerCase() === operator.trim().toLowerCase());
  const fitting = all.filter(
    (known) => OF_PRESENCE.test(known) === (count === 0) && (count === 1 || !/^[GL]t$/.test(known)),
  );
  return meant ?? oneOf(fitting);
}

/** Operators without values. */
const OF_PRESENCE = /Exists?$/;

/** A label selector with matchLabels and matchExpressions. */
export function checkLabelSelector(selector: Maybe, path: string, say: Say): void {
  if (!isObject(selector)) {
    return;
  }
  checkLabels(selector.matchLabels, `${path}/matchLabels`, say);
  for (const { value, path: at } of itemsOf(selector.matchExpressions, `${path}/matchExpressions`)) {
    const operator = text(value.operator);
    const count = size(value.values);
    if (operator === 'In' || operator === 'NotIn') {
      if (count === 0) {
        say(`${at}/values`, `values must be set for the operator ${operator}`, { expected: 'at least one value' });
      }
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (count > 0) {
        say(`${at}/values`, `values must not be set for the operator ${operator}`);
      }
    } else {
      say(`${at}/operator`, `unsupported operator "${operator}"`, {
        expected: operatorsFor(operator, count),
      });
    }
    checkKey(value, at, say);
    checkValues(value.values, `${at}/values`, say);
  }
}

/** A node selector: at least one term, each with valid requirements. */
export function checkNodeSelector(selector: JsonObject, path: string, say: Say): void {
  if (size(selector.nodeSelectorTerms) === 0) {
    say(`${path}/nodeSelectorTerms`, 'the node selector must have terms', { expected: 'at least one term' });
  }
  for (const term of itemsOf(selector.nodeSelectorTerms, `${path}/nodeSelectorTerms`)) {
    checkNodeSelectorTerm(term.value, term.path, say, true);
  }
}

/** Values of a preference are not checked by the server. */
export function checkNodeSelectorTerm(term: JsonObject, path: string, say: Say, required: boolean): void {
  for (const { value, path: at } of itemsOf(term.matchExpressions, `${path}/matchExpressions`)) {
    const operator = text(value.operator);
    const count = size(value.values);
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (count === 0) {
          say(`${at}/values`, `values must be set for the operator ${operator}`, { expected: 'at least one value' });
        }
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (count > 0) {
          say(`${at}/values`, `values must not be set for the operator ${operator}`);
        }
        break;
      case 'Gt':
      case 'Lt':
        if (count !== 1) {
          say(`${at}/values`, `exactly one value must be set for the operator ${operator}`, { expected: 'one number' });
        }
        break;
      default:
        say(`${at}/operator`, `unsupported operator "${operator}"`, {
          expected: operatorsFor(operator, count, true),
        });
    }
    checkKey(value, at, say);
    if (required) {
      checkValues(value.values, `${at}/values`, say);
    }
  }
  for (const { value, path: at } of itemsOf(term.matchFields, `${path}/matchFields`)) {
    const operator = text(value.operator);
    if (operator !== 'In' && operator !== 'NotIn') {
      say(`${at}/operator`, `unsupported operator "${operator}" in a field selector`, { expected: 'In or NotIn' });
    } else if (size(value.values) !== 1) {
      say(`${at}/values`, `${fieldOf(`${at}/values`)} must have exactly one value`, {
        fix: `Set ${fieldOf(`${at}/values`)} to a list of one value.`,
      });
    }
    if (value.key !== 'metadata.name') {
      say(`${at}/key`, `unsupported field "${text(value.key)}"`, { expected: 'metadata.name' });
      continue;
    }
    for (const name of textsOf(value.values, `${at}/values`)) {
      const complaint = dnsSubdomain(name.value);
      if (complaint !== undefined) {
        say(name.path, `the node name ${JSON.stringify(name.value)} must ${complaint}`);
      }
    }
  }
}

/** Whether the selector matches these labels; `undefined` where it cannot be read. A selector with nothing in it matches everything. */
export function selects(selector: JsonObject, labels: JsonObject): boolean | undefined {
  if (isObject(selector.matchLabels)) {
    for (const [key, value] of Object.entries(selector.matchLabels)) {
      if (text(labels[key]) !== text(value) || !(key in labels)) {
        return false;
      }
    }
  }
  for (const { value } of itemsOf(selector.matchExpressions, '')) {
    const key = text(value.key);
    const has = key in labels;
    const values = textsOf(value.values, '').map((item) => item.value);
    switch (text(value.operator)) {
      case 'In':
        if (!has || !values.includes(text(labels[key]))) {
          return false;
        }
        break;
      case 'NotIn':
        if (has && values.includes(text(labels[key]))) {
          return false;
        }
        break;
      case 'Exists':
        if (!has) {
          return false;
        }
        break;
      case 'DoesNotExist':
        if (has) {
          return false;
        }
        break;
      default:
        return undefined;
    }
  }
  return true;
}

function checkKey(requirement: JsonObject, path: string, say: Say): void {
  const complaint = qualifiedName(text(requirement.key));
  if (complaint !== undefined) {
    say(`${path}/key`, `the key ${JSON.stringify(text(requirement.key))} must ${complaint}`);
  }
}

function checkValues(values: Maybe, path: string, say: Say): void {
  for (const { value, path: at } of textsOf(values, path)) {
    const complaint = labelValue(value);
    if (complaint !== undefined) {
      say(at, `the value ${JSON.stringify(value)} must ${complaint}`);
    }
  }
}
