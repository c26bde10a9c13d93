/**
 * Taints and tolerations as the API server reads them (row K5).
 */
import { oneOf } from '../../facts/words';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { fieldOf } from '../../manifests/pointer';
import { type Say } from './server-rule';
import { labelValue, qualifiedName } from '../../manifests/values/name-syntax';
import { given, itemsOf, text } from './values';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function checkToleration(toleration: JsonObject, path: string, say: Say): void {
  const key = text(toleration.key);
  const operator = text(toleration.operator);
  const value = text(toleration.value);
  const effect = text(toleration.effect);
  const badKey = key === '' ? undefined : qualifiedName(key);
  if (badKey !== undefined) {
    say(`${path}/key`, `the key ${JSON.stringify(key)} must ${badKey}`);
  }
  if (key === '' && operator !== 'Exists') {
    say(`${path}/operator`, 'operator must be Exists when key is empty', {
      expected: 'Exists',
    });
  }
  if (given(toleration.tolerationSeconds) && effect !== 'NoExecute') {
    say(`${path}/effect`, 'tolerationSeconds must not be set unless effect is NoExecute', {
      expected: 'NoExecute',
      fix: `Set ${fieldOf(`${path}/effect`)} to NoExecute, or remove ${fieldOf(`${path}/tolerationSeconds`)}.`,
    });
  }
  switch (operator) {
    case '':
    case 'Equal': {
      const complaint = labelValue(value);
      if (complaint !== undefined) {
        say(`${path}/value`, `the value ${JSON.stringify(value)} must ${complaint}`);
      }
      break;
    }
    case 'Exists':
      if (value !== '') {
        say(`${path}/value`, 'value must not be set for the operator Exists', {
          fix: `Remove ${fieldOf(`${path}/value`)}, or set ${fieldOf(`${path}/operator`)} to Equal.`,
        });
      }
      break;
    case 'Gt':
    case 'Lt':
      say(`${path}/operator`, `the operator ${operator} requires the feature gate TaintTolerationComparisonOperators`, {
        expected: 'Equal or Exists',
      });
      break;
    default:
      say(`${path}/operator`, `unsupported operator "${operator}"`, { expected: 'Equal or Exists' });
  }
  if (effect !== '' && !EFFECTS.includes(effect)) {
    say(`${path}/effect`, `unsupported effect "${effect}"`, { expected: oneOf(EFFECTS) });
  }
}

/** Taints of a node: valid, and unique by key and effect. */
export function checkTaints(taints: JsonValue | undefined, base: string, say: Say): void {
  const seen = new Set<string>();
  for (const { value, path } of itemsOf(taints, base)) {
    const key = text(value.key);
    const effect = text(value.effect);
    const badKey = qualifiedName(key);
    if (badKey !== undefined) {
      say(`${path}/key`, `the taint key ${JSON.stringify(key)} must ${badKey}`);
    }
    const badValue = labelValue(text(value.value));
    if (badValue !== undefined) {
      say(`${path}/value`, `the taint value ${JSON.stringify(text(value.value))} must ${badValue}`);
    }
    if (!EFFECTS.includes(effect)) {
      say(`${path}/effect`, effect === '' ? 'the taint must have an effect' : `unsupported effect "${effect}"`, {
        expected: oneOf(EFFECTS),
      });
    }
    if (seen.has(`${key} ${effect}`)) {
      say(path, `duplicate taint "${key}" with ${effect}`, { found: key });
    }
    seen.add(`${key} ${effect}`);
  }
}
