/**
 * Texts of alerts: templates that can be read, and labels that the expression leaves in its result.
 */
import { oneOf } from '../../../facts/words';
import { type Rule } from '../../../checks/rules/rule';
import { stringEntries } from '../../../manifests/read';
import { labelsOf, mayHave, parsePromql } from '../../../facts/promql';
import { readTemplate } from './go-template';
import { DROPPED, monitoringRule, PROMETHEUS } from './monitoring-rule';
import { PROMETHEUS_RULE, rulesOf, within } from './query-places';

const KINDS = [PROMETHEUS_RULE, 'ConfigMap'];

export const templateRules: readonly Rule[] = [
  monitoringRule(
    'template-valid',
    KINDS,
    {
      row: 'PR5',
      summary:
        'Templates in labels and annotations of alerts must be closed, and must use functions and variables that exist.',
      why: DROPPED,
      source: `${PROMETHEUS}, model/rulefmt/rulefmt.go testTemplateParsing; template/template.go`,
      fix: 'Write a valid Go template in labels or annotations, for example {{ $labels.instance }}.',
    },
    function* (manifest) {
      for (const { rule, file } of rulesOf(manifest)) {
        if (rule.alert === undefined) {
          continue;
        }
        for (const place of ['labels', 'annotations'] as const) {
          for (const [key, text] of stringEntries(rule.raw[place])) {
            const { problem } = readTemplate(text);
            if (problem !== undefined) {
              yield {
                path: within(rule, file, place, key),
                message: `the template "${key}" in ${rule.title} is invalid: ${problem}`,
                found: text,
                fix: `Set ${place}.${key} to a valid Go template, for example {{ $labels.instance }}.`,
              };
            }
          }
        }
      }
    },
  ),

  monitoringRule(
    'template-label-survives',
    KINDS,
    {
      row: 'PR5',
      tier: 'advice',
      severity: 'warning',
      summary: "A label that the text of an alert uses must be a label of the expression's result.",
      why: 'Otherwise the text has an empty string instead: the person on call reads "GPU  of ".',
      source: `${PROMETHEUS}, promql/engine.go; rules/alerting.go`,
      fix: 'Keep the label in the aggregation of expr (by, group_left), or remove it from the template.',
    },
    function* (manifest) {
      for (const { rule, file } of rulesOf(manifest)) {
        if (rule.alert === undefined || rule.expr === undefined) {
          continue;
        }
        const { expression, problems } = parsePromql(rule.expr);
        if (expression === undefined || problems.length > 0) {
          continue;
        }
        const labels = labelsOf(expression);
        for (const place of ['labels', 'annotations'] as const) {
          for (const [key, text] of stringEntries(rule.raw[place])) {
            for (const label of readTemplate(text).labels) {
              if (mayHave(labels, label)) {
                continue;
              }
              const left = 'only' in labels ? [...labels.only].filter((name) => name !== '__name__').sort() : undefined;
              const message = `"${key}" in ${rule.title} uses the label "${label}", but the result of expr does not have this label`;
              const expected =
                left === undefined
                  ? undefined
                  : left.length === 0
                    ? 'no label, because the result has none'
                    : oneOf(left);
              yield { path: within(rule, file, place, key), message, found: label, expected };
            }
          }
        }
      }
    },
  ),
];
