/**
 * Rule groups: what Prometheus, and with it the operator, refuses of them, and what it takes and does not do.
 */
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { pointer } from '../../../manifests/pointer';
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
      summary: 'The expression of a rule must be valid PromQL.',
      why: DROPPED,
      source: `${PROMETHEUS}, promql/parser; ${OPERATOR}, pkg/operator/rules.go ValidateRule`,
      fix: 'Set expr to a valid PromQL expression.',
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
        const message = `the expression of ${rule.title} is invalid: ${describeProblem(text, problem)}`;
        if (problem.kind !== 'experimental') {
          yield { path, message, found: text, fix: `Set ${rule.place}.expr to a valid PromQL expression.` };
        } else {
          const fix = `Replace the function in ${rule.place}.expr, or start Prometheus with --enable-feature=promql-experimental-functions.`;
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
      summary:
        'A rule must be either an alert or a recording rule and have an expression; a recording rule must not set for or annotations.',
      why: DROPPED,
      source: `${RULEFMT} Rule.Validate`,
      fix: 'Set expr and either alert or record in the rule.',
    },
    function* (manifest) {
      for (const { rule, file } of rulesOf(manifest)) {
        yield* shapeProblems(rule, (...tokens) => within(rule, file, ...tokens));
        const { expr } = rule.raw;
        // In an object of Kubernetes expr is an int-or-string, which is decoded into 32 bits.
        if (file.key === undefined && typeof expr === 'number' && (expr | 0) !== expr) {
          yield {
            path: within(rule, file, 'expr'),
            message: `expr of ${rule.title} must be a string or a 32-bit integer, but is ${expr}`,
            found: expr,
            fix: `Set ${rule.place}.expr to a PromQL expression.`,
          };
        }
      }
    },
  ),

  monitoringRule(
    'rule-label-named',
    KINDS,
    {
      row: 'PR2',
      summary:
        'Labels of rules and groups must have valid names other than __name__, and annotations must have valid names.',
      why: DROPPED,
      source: `${RULEFMT} Rule.Validate`,
      fix: 'Rename the key in labels or annotations, or remove it.',
    },
    function* (manifest) {
      const groups = new Map([...rulesOf(manifest)].map(({ rule, file }) => [rule.group, file]));
      for (const [group, { key: file }] of groups) {
        for (const key of Object.keys(asObject(group.raw.labels)).filter(
          (name) => name === '' || name === '__name__',
        )) {
          yield {
            path: file === undefined ? pointer(group.path, 'labels', key) : group.path,
            message: `"${key}" in the labels of the group "${group.name}" is not a valid label name`,
            found: key,
          };
        }
      }
      for (const { rule, file } of rulesOf(manifest)) {
        for (const place of ['labels', 'annotations'] as const) {
          for (const key of Object.keys(asObject(rule.raw[place]))) {
            if (key !== '' && (place === 'annotations' || key !== '__name__')) {
              continue;
            }
            yield {
              path: within(rule, file, place, key),
              message: `"${key}" in the ${place} of ${rule.title} is not a valid ${place === 'labels' ? 'label' : 'annotation'} name`,
              fix: `Rename the key "${key}" in ${rule.place}.${place}, or remove it.`,
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
      summary: 'Durations in rule files must be written as 30s, 5m, or 1h30m.',
      why: 'Prometheus rejects the file on a reload and keeps its current rules; at startup it exits.',
      source: 'prometheus/common, model/time.go ParseDuration',
      fix: 'Set interval, query_offset, for, or keep_firing_for to a duration with units, largest first, such as 1h30m.',
    },
    function* (manifest) {
      for (const { groups, path } of ruleFilesOf(manifest)) {
        for (const group of groups) {
          for (const key of ['interval', 'query_offset'] as const) {
            yield* durationProblem(group.raw[key], `"${key}" in the group "${group.name}"`, path);
          }
          for (const rule of group.rules) {
            for (const key of ['for', 'keep_firing_for'] as const) {
              yield* durationProblem(rule.raw[key], `"${key}" in ${rule.title}`, path);
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
      summary: 'The groups of a rule file must have unique names.',
      why: 'Prometheus rejects the file on a reload and keeps its current rules; at startup it exits.',
      source: `${RULEFMT} RuleGroups.Validate`,
      fix: 'Set groups[].name to a different name for each group.',
    },
    function* (manifest) {
      for (const { groups, path } of ruleFilesOf(manifest)) {
        const seen = new Set<string>();
        for (const { name } of groups) {
          if (name === '') {
            yield { path, message: 'groups[].name must be set', fix: 'Set groups[].name to a unique name.' };
          } else if (seen.has(name)) {
            yield { path, message: `duplicate group name "${name}"`, found: name };
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
      summary:
        'The rules of an object must not record the same series or raise alerts with the same name and labels twice.',
      why: 'Recording rules overwrite each other, and Prometheus drops one of the samples; Alertmanager treats alerts with the same labels as one alert, with the text of either.',
      source: `${PROMETHEUS}, cmd/promtool/main.go checkDuplicates`,
      fix: 'Remove one of the rules, or add a label that distinguishes them to labels of one of them.',
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
                ? `the group "${rule.group.name}"`
                : `the groups "${before.group.name}" and "${rule.group.name}"`;
            yield {
              path: within(rule, file),
              message: `duplicate rule: ${rule.title} appears twice in ${where} with the same labels`,
              found: name,
              fix: `Remove ${rule.place}, or add a label to its labels that distinguishes the two rules.`,
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
      summary: 'A rule file in a ConfigMap must be valid YAML.',
      why: 'Prometheus rejects the file on a reload and keeps its current rules; at startup it exits.',
      source: RULEFMT,
      fix: 'Write valid YAML in data, and put an expr with colons or braces in quotes or after a |.',
    },
    function* (manifest) {
      for (const { key, path, why } of brokenRuleFilesOf(manifest)) {
        yield { path, message: `${key} is not valid YAML: ${why}` };
      }
    },
  ),

  monitoringRule(
    'rule-object-size',
    [PROMETHEUS_RULE],
    {
      row: 'PR4',
      summary: 'The rules of a PrometheusRule must have no more than 524,288 bytes.',
      why: 'The operator puts rules into ConfigMaps and rejects an object that would fill more than half of one.',
      source: `${OPERATOR}, pkg/operator/rules.go MaxConfigMapDataSize`,
      fix: 'Split spec.groups into several PrometheusRules.',
    },
    function* (manifest) {
      // What the operator measures is YAML, which has about as many bytes as JSON has.
      const size = Buffer.byteLength(JSON.stringify(manifest.object.spec ?? {}));
      if (size > LARGEST_RULE_OBJECT) {
        yield {
          path: '/spec',
          message: `the rules must have no more than ${LARGEST_RULE_OBJECT} bytes, but have about ${size}`,
          expected: `at most ${LARGEST_RULE_OBJECT}`,
        };
      }
    },
  ),
];

type Place = (...tokens: readonly string[]) => string;

function* shapeProblems({ raw, place, title, alert, record, expr, group }: PlacedRule, at: Place): Iterable<Violation> {
  const [named, recorded] = [alert !== undefined && alert !== '', record !== undefined && record !== ''];
  if (named && recorded) {
    yield {
      path: at(),
      message: `${place} in the group "${group.name}" must not set both alert ("${alert}") and record ("${record}")`,
      fix: `Remove alert or record from ${place}.`,
    };
  } else if (!named && !recorded) {
    yield {
      path: at(),
      message: `${title} must set alert or record`,
      fix: `Set alert or record in ${place}.`,
    };
  }
  if (expr === undefined || expr === '') {
    if (raw.expr === undefined || raw.expr === '') {
      yield { path: at(), message: `${title} must set expr`, fix: `Set ${place}.expr to a PromQL expression.` };
    }
  }
  if (record === undefined || record === '' || named) {
    return;
  }
  if (/[{}]/.test(record)) {
    yield {
      path: at('record'),
      message: `"record" must not contain braces in ${title}`,
      found: record,
      fix: `Remove the braces from ${place}.record, and move the labels to ${place}.labels.`,
    };
  }
  for (const key of ['for', 'keep_firing_for'] as const) {
    const value = asString(raw[key]);
    if (value !== undefined && value !== '' && parseDuration(value) !== 0) {
      yield {
        path: at(key),
        message: `"${key}" must not be set in ${title}, because only alerting rules have it`,
        found: value,
        fix: `Remove ${place}.${key}, or replace record with alert.`,
      };
    }
  }
  if (Object.keys(asObject(raw.annotations)).length > 0) {
    yield {
      path: at('annotations'),
      message: `annotations must not be set in ${title}, because only alerting rules have them`,
      fix: `Remove ${place}.annotations, or replace record with alert.`,
    };
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
    message: `${what} must be a duration, but is ${JSON.stringify(value)}`,
    expected: 'a duration such as 30s, 5m, or 1h30m',
    fix: `Set ${what} to a duration such as 30s, 5m, or 1h30m.`,
  };
}
