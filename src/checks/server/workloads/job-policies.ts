/**
 * When a Job has succeeded or failed: successPolicy and podFailurePolicy (row K11).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type Details, type Say } from '../server-rule';
import { qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, whole } from '../values';
import { oneOf, oneOfStrings } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';
import { jobRule } from './job-rule';

const ACTIONS = ['FailJob', 'FailIndex', 'Ignore', 'Count'];

export const jobPolicyRules: readonly Rule[] = [
  jobRule(
    'job-success-policy',
    {
      summary:
        'A success policy must have 1 to 20 rules, each with indexes within completions, a count not greater than them, or both.',
      fix: 'Set succeededIndexes, succeededCount, or both, in each entry of successPolicy.rules.',
    },
    ({ spec, path }, say) => {
      if (!isObject(spec.successPolicy) || spec.completionMode !== 'Indexed') {
        return;
      }
      const completions = whole(spec.completions) ?? (given(spec.parallelism) ? undefined : 1);
      const base = `${path}/successPolicy/rules`;
      const count = size(spec.successPolicy.rules);
      if (count === 0) {
        say(base, 'the success policy must have rules', { expected: 'at least one rule' });
      }
      if (count > 20) {
        say(base, `the success policy must have no more than 20 rules, but has ${count}`, { expected: 'at most 20' });
      }
      for (const { value, path: at } of itemsOf(spec.successPolicy.rules, base)) {
        const indexes = value.succeededIndexes;
        const wanted = whole(value.succeededCount);
        if (!given(indexes) && wanted === undefined) {
          say(at, 'succeededIndexes or succeededCount must be set');
        }
        let named: number | undefined;
        if (typeof indexes === 'string' && completions !== undefined) {
          const read = readIndexes(indexes, completions);
          if (typeof read === 'string') {
            const path = `${at}/succeededIndexes`;
            say(path, `the indexes ${read}`, indexesWithin(completions, fieldOf(path)));
          } else {
            named = read;
          }
        }
        if (wanted === undefined) {
          continue;
        }
        if (wanted < 0) {
          say(`${at}/succeededCount`, 'succeededCount must be greater than or equal to 0');
        }
        if (completions !== undefined && wanted > completions) {
          say(
            `${at}/succeededCount`,
            `succeededCount must be less than or equal to completions (${wanted} > ${completions})`,
          );
        } else if (named !== undefined && wanted > named) {
          say(
            `${at}/succeededCount`,
            `succeededCount must be less than or equal to the number of succeededIndexes (${wanted} > ${named})`,
            named > 0 ? {} : { fix: `Set ${fieldOf(`${at}/succeededIndexes`)} to the indexes that must succeed.` },
          );
        }
      }
    },
  ),

  jobRule(
    'job-pod-failure-policy',
    {
      summary:
        'A pod failure policy must have at most 20 rules, each with a supported action and either exit codes or pod conditions.',
      fix: 'Set action, and either onExitCodes or onPodConditions, in podFailurePolicy.rules.',
    },
    ({ spec, path }, say) => {
      if (!isObject(spec.podFailurePolicy)) {
        return;
      }
      const base = `${path}/podFailurePolicy/rules`;
      if (size(spec.podFailurePolicy.rules) > 20) {
        say(base, 'the pod failure policy must not have more than 20 rules', {
          found: size(spec.podFailurePolicy.rules),
          expected: 'at most 20',
        });
      }
      for (const { value, path: at } of itemsOf(spec.podFailurePolicy.rules, base)) {
        const action = text(value.action);
        if (!ACTIONS.includes(action)) {
          say(`${at}/action`, action === '' ? 'the rule must have an action' : `unsupported action "${action}"`, {
            expected: oneOf(ACTIONS),
          });
        } else if (action === 'FailIndex' && !given(spec.backoffLimitPerIndex)) {
          say(`${at}/action`, 'the action FailIndex requires backoffLimitPerIndex', {
            fix: `Set backoffLimitPerIndex, or set ${fieldOf(`${at}/action`)} to ${oneOf(ACTIONS.filter((one) => one !== action))}.`,
          });
        }
        const codes = isObject(value.onExitCodes) ? value.onExitCodes : undefined;
        const conditions = size(value.onPodConditions);
        if ((codes === undefined) === (conditions === 0)) {
          say(at, 'exactly one of onExitCodes and onPodConditions must be set');
        }
        if (codes !== undefined) {
          checkExitCodes(codes, `${at}/onExitCodes`, spec, say);
        }
        if (conditions > 20) {
          say(`${at}/onPodConditions`, 'onPodConditions must not have more than 20 conditions');
        }
        for (const condition of itemsOf(value.onPodConditions, `${at}/onPodConditions`)) {
          const complaint = qualifiedName(text(condition.value.type));
          if (complaint !== undefined) {
            say(
              `${condition.path}/type`,
              `the condition type ${JSON.stringify(text(condition.value.type))} must ${complaint}`,
            );
          }
          const status = text(condition.value.status) || 'True';
          if (!['True', 'False', 'Unknown'].includes(status)) {
            say(`${condition.path}/status`, `unsupported status "${status}"`, {
              expected: 'True, False, or Unknown',
            });
          }
        }
      }
    },
  ),
];

function checkExitCodes(codes: JsonObject, path: string, spec: JsonObject, say: Say): void {
  const operator = text(codes.operator);
  if (!['In', 'NotIn'].includes(operator)) {
    say(`${path}/operator`, operator === '' ? 'the operator must be set' : `unsupported operator "${operator}"`, {
      expected: 'In or NotIn',
    });
  }
  const pod = asObject(asObject(spec.template).spec);
  const names = ['containers', 'initContainers'].flatMap((field) =>
    itemsOf(pod[field], '').map(({ value }) => text(value.name)),
  );
  if (typeof codes.containerName === 'string' && !names.includes(codes.containerName)) {
    say(
      `${path}/containerName`,
      `unknown container "${codes.containerName}"`,
      names.some((name) => name !== '') ? { expected: oneOfStrings(names) } : {},
    );
  }
  const values = Array.isArray(codes.values) ? codes.values : [];
  if (values.length === 0) {
    say(`${path}/values`, 'values must not be empty');
  }
  if (values.length > 255) {
    say(`${path}/values`, 'the rule must not have more than 255 exit codes');
  }
  const seen = new Set<number>();
  let last = -Infinity;
  values.forEach((value, index) => {
    if (typeof value !== 'number') {
      return;
    }
    if (operator === 'In' && value === 0) {
      say(`${path}/values/${index}`, 'exit code 0 must not be listed, because it is not a failure');
    }
    if (seen.has(value)) {
      say(`${path}/values/${index}`, `duplicate exit code ${value}`);
    }
    seen.add(value);
    if (last > value) {
      say(`${path}/values`, 'exit codes must be in ascending order', { found: values });
    }
    last = value;
  });
}

/** `ascending indexes from 0 to 7, such as 0-2,7`: what fits the number of completions, and what to write. */
function indexesWithin(completions: number, field: string): Details {
  const last = completions - 1;
  if (last < 0) {
    return {
      expected: 'no indexes, because completions is less than 1',
      fix: `Remove ${field}, or set completions to at least 1.`,
    };
  }
  const example = last < 4 ? `0-${last}` : `0-2,${last}`;
  const expected = last === 0 ? '0' : `ascending indexes from 0 to ${last}, such as ${example}`;
  return { expected, fix: `Set ${field} to ${expected}.` };
}

/** How many indexes `0-3,7` names; what is wrong with it where it cannot be read. */
function readIndexes(indexes: string, completions: number): number | string {
  if (indexes === '') {
    return 0;
  }
  let last: number | undefined;
  let total = 0;
  for (const part of indexes.split(',')) {
    const match = /^([+-]?\d+)(?:-([+-]?\d+))?$/.exec(part);
    if (match === null) {
      return `must not contain "${part}", which is neither a number nor a range`;
    }
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    if (from >= completions || to >= completions) {
      return `must be less than completions (${completions})`;
    }
    if (last !== undefined && last >= from) {
      return 'must be in ascending order';
    }
    if (match[2] !== undefined && to <= from) {
      return `must not contain the range "${part}", which does not ascend`;
    }
    total += to - from + 1;
    last = to;
  }
  return total;
}
