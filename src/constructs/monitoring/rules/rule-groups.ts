/**
 * Rule groups: what Prometheus, and with it the operator, refuses of them, and what it takes and does not do.
 */
import { type Rule, type Violation } from '../../../checks/rule';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { describeProblem, parseDuration, parsePromql } from '../../../facts/promql';
import { DROPPED, monitoringRule, OPERATOR, PROMETHEUS } from './monitoring-rule';
import { brokenRuleFilesOf, type PlacedRule, PROMETHEUS_RULE, ruleFilesOf, rulesOf, within } from './query-places';

const KINDS = [PROMETHEUS_RULE, 'ConfigMap'];
const RULEFMT = `${PROMETHEUS}, model/rulefmt/rulefmt.go`;

/** Half of what a Secret or ConfigMap holds: the operator's own limit. */
const LARGEST_RULE_OBJECT = 524_288;

export const ruleGroupRules: readonly Rule[] = [
  monitoringRule(
    'expression-valid',
    KINDS,
    {
      row: 'PR1',
      summary: 'The expression of a rule is PromQL: its syntax, its functions and their arguments.',
      why: DROPPED,
      source: `${PROMETHEUS}, promql/parser; ${OPERATOR}, pkg/operator/rules.go ValidateRule`,
      fix: 'Correct the expression.',
    },
    function* (manifest) {
      for (const { rule, file } of rulesOf(manifest)) {
        if (rule.expr === undefined || rule.expr === '') {
          continue;
        }
        const text = rule.expr;
        const [problem] = parsePromql(text).problems;
        if (problem === undefined) {
          continue;
        }
        const path = within(rule, file, 'expr');
        const message = `${rule.title}: ${describeProblem(text, problem)}`;
        if (problem.kind !== 'experimental') {
          yield { path, message, found: text };
        } else {
          const fix =
            'Do without it, or start Prometheus with the feature (--enable-feature=promql-experimental-functions).';
          yield { path, message, found: text, severity: 'warning', fix };
        }
      }
    },
  ),

  monitoringRule(
    'rule-is-alert-or-recording',
    KINDS,
    {
      row: 'PR2',
      summary: 'A rule is an alert or a recording, and has an expression. A recording has neither for nor annotations.',
      why: DROPPED,
      source: `${RULEFMT} Rule.Validate`,
      fix: 'Write alert and expr, or record and expr.',
    },
    function* (manifest) {
      for (const { rule, file } of rulesOf(manifest)) {
        yield* shapeProblems(rule, (...tokens) => within(rule, file, ...tokens));
      }
    },
  ),

  monitoringRule(
    'rule-label-named',
    KINDS,
    {
      row: 'PR2',
      summary: 'Labels of rules have names, and none is called __name__; annotations have names.',
      why: DROPPED,
      source: `${RULEFMT} Rule.Validate`,
      fix: 'Rename the label, or take it out.',
    },
    function* (manifest) {
      for (const { rule, file } of rulesOf(manifest)) {
        for (const place of ['labels', 'annotations'] as const) {
          for (const key of Object.keys(asObject(rule.raw[place]))) {
            if (key !== '' && (place === 'annotations' || key !== '__name__')) {
              continue;
            }
            yield {
              path: within(rule, file, place, key),
              message: `${rule.title}: "${key}" is no name of ${place === 'labels' ? 'a label' : 'an annotation'}`,
              found: key,
            };
          }
        }
      }
    },
  ),

  monitoringRule(
    'rule-durations-valid',
    ['ConfigMap'],
    {
      row: 'PR2',
      summary: 'Durations in rule files are written as 30s, 5m or 1h30m.',
      why: 'Prometheus refuses the file, and keeps the rules that it has; at the start it ends.',
      source: 'prometheus/common, model/time.go ParseDuration',
      fix: 'Write the duration with units, the larger ones first.',
    },
    function* (manifest) {
      for (const { groups, path } of ruleFilesOf(manifest)) {
        for (const group of groups) {
          for (const key of ['interval', 'query_offset'] as const) {
            yield* durationProblem(group.raw[key], `group ${group.name}: ${key}`, path);
          }
          for (const rule of group.rules) {
            for (const key of ['for', 'keep_firing_for'] as const) {
              yield* durationProblem(rule.raw[key], `${rule.title}: ${key}`, path);
            }
          }
        }
      }
    },
  ),

  monitoringRule(
    'group-named-once',
    ['ConfigMap'],
    {
      row: 'PR3',
      summary: 'Groups of a rule file have names, each its own.',
      why: 'Prometheus refuses the file, and keeps the rules that it has; at the start it ends.',
      source: `${RULEFMT} RuleGroups.Validate`,
      fix: 'Give each group a name of its own.',
    },
    function* (manifest) {
      for (const { groups, path } of ruleFilesOf(manifest)) {
        const seen = new Set<string>();
        for (const { name } of groups) {
          if (name === '') {
            yield { path, message: 'a group has no name' };
          } else if (seen.has(name)) {
            yield { path, message: `two groups are called ${name}`, found: name };
          }
          seen.add(name);
        }
      }
    },
  ),

  monitoringRule(
    'rule-stated-once',
    KINDS,
    {
      row: 'PR3',
      tier: 'advice',
      severity: 'warning',
      summary: 'No two rules of an object record the same series, or raise an alert of the same name and labels.',
      why: 'Recordings write over each other, and Prometheus drops one of the samples; alerts with the same labels are one alert for Alertmanager, with the text of either.',
      source: `${PROMETHEUS}, cmd/promtool/main.go checkDuplicates`,
      fix: 'Take one out, or tell them apart by a label.',
    },
    function* (manifest) {
      for (const file of ruleFilesOf(manifest)) {
        const seen = new Map<string, PlacedRule>();
        for (const rule of file.groups.flatMap(({ rules }) => rules)) {
          const name = rule.alert ?? rule.record;
          if (name === undefined) {
            continue;
          }
          const labels = stringEntries({ ...asObject(rule.group.raw.labels), ...asObject(rule.raw.labels) })
            .map(([key, value]) => `${key}=${value}`)
            .sort();
          const key = JSON.stringify([rule.alert === undefined, name, labels]);
          const before = seen.get(key);
          if (before !== undefined) {
            const where =
              before.group === rule.group
                ? `group ${rule.group.name}`
                : `groups ${before.group.name} and ${rule.group.name}`;
            yield {
              path: within(rule, file),
              message: `${rule.title} is stated twice with the same labels, in ${where}`,
              found: name,
            };
          }
          seen.set(key, before ?? rule);
        }
      }
    },
  ),

  monitoringRule(
    'rule-file-readable',
    ['ConfigMap'],
    {
      row: 'PR1',
      summary: 'A rule file in a ConfigMap is YAML.',
      why: 'Prometheus refuses the file, and keeps the rules that it has; at the start it ends.',
      source: RULEFMT,
      fix: 'Correct the text; put expressions with colons or braces in quotes, or behind |.',
    },
    function* (manifest) {
      for (const { key, path, why } of brokenRuleFilesOf(manifest)) {
        yield { path, message: `${key} cannot be read: ${why}` };
      }
    },
  ),

  monitoringRule(
    'rule-object-size',
    [PROMETHEUS_RULE],
    {
      row: 'PR4',
      summary: 'The rules of one PrometheusRule have at most 524,288 bytes.',
      why: 'The operator puts rules into ConfigMaps, and takes no object that would fill more than half of one.',
      source: `${OPERATOR}, pkg/operator/rules.go MaxConfigMapDataSize`,
      fix: 'Share the groups out among several objects.',
    },
    function* (manifest) {
      // What the operator measures is YAML, which has about as many bytes as JSON has.
      const size = Buffer.byteLength(JSON.stringify(manifest.object.spec ?? {}));
      if (size > LARGEST_RULE_OBJECT) {
        yield {
          path: '/spec',
          message: `the rules have about ${size} bytes`,
          expected: `at most ${LARGEST_RULE_OBJECT}`,
        };
      }
    },
  ),
];

type Place = (...tokens: readonly string[]) => string;

function* shapeProblems({ raw, title, alert, record, expr, group }: PlacedRule, at: Place): Iterable<Violation> {
  const [named, recorded] = [alert !== undefined && alert !== '', record !== undefined && record !== ''];
  if (named && recorded) {
    yield { path: at(), message: `a rule of group ${group.name} is an alert (${alert}) and a recording (${record})` };
  } else if (!named && !recorded) {
    yield { path: at(), message: `${title} is neither an alert nor a recording` };
  }
  if (expr === undefined || expr === '') {
    if (raw.expr === undefined || raw.expr === '') {
      yield { path: at(), message: `${title} has no expression` };
    }
  }
  if (record === undefined || record === '' || named) {
    return;
  }
  if (/[{}]/.test(record)) {
    yield {
      path: at('record'),
      message: `${title}: the name of a recording has no braces; labels stand under labels`,
      found: record,
    };
  }
  for (const key of ['for', 'keep_firing_for'] as const) {
    const value = asString(raw[key]);
    if (value !== undefined && value !== '' && parseDuration(value) !== 0) {
      yield { path: at(key), message: `${title} has ${key}, which only alerts have`, found: value };
    }
  }
  if (Object.keys(asObject(raw.annotations)).length > 0) {
    yield { path: at('annotations'), message: `${title} has annotations, which only alerts have` };
  }
}

function* durationProblem(value: unknown, what: string, path: string): Iterable<Violation> {
  if (value === undefined || value === null || value === '' || value === 0) {
    return;
  }
  if (typeof value === 'string' && parseDuration(value) !== undefined) {
    return;
  }
  yield {
    path,
    message: `${what} is ${JSON.stringify(value)}, which is no duration`,
    expected: 'a duration such as 30s, 5m or 1h30m',
  };
}
