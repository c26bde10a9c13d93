/**
 * NodeReadinessRule: what its CRD requires beyond the schema, and what evicts by accident.
 */
import { fieldOf } from '../../../manifests/pointer';
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { items, text } from '../../../checks/server/values';
import { asObject, asString } from '../../../manifests/read';

const READINESS = 'readiness.node.x-k8s.io/NodeReadinessRule';
const READINESS_SOURCE = `${cite('node-readiness-controller')}, CEL rules of the CRD`;

function readinessRule(
  name: string,
  facts: Pick<Rule, 'tier' | 'severity' | 'summary' | 'why' | 'fix'>,
  check: (spec: JsonObject) => Iterable<Violation>,
): Rule {
  return {
    id: `node-tuning/${name}`,
    row: 'K5',
    source: READINESS_SOURCE,
    ...facts,
    on: 'object',
    kinds: [READINESS],
    check: ({ object }) => check(asObject(object.spec)),
  };
}

export const readinessRules: readonly Rule[] = [
  fixesByField(
    readinessRule(
      'readiness-rule-valid',
      {
        tier: 'cel',
        severity: 'error',
        summary:
          'A NodeReadinessRule must have a taint of readiness.k8s.io with a valid value and effect, and a node selector that is not empty; conditionPolicy: anyOf, defaultStatus, and bootstrap-only exclude each other.',
        why: 'The API server rejects the object, because of the CRD that the controller installs.',
        fix: 'Set spec.taint and spec.nodeSelector, and at most one of conditionPolicy: anyOf, defaultStatus, and enforcementMode: bootstrap-only.',
      },
      function* (spec) {
        const taint = asObject(spec.taint);
        const key = text(taint.key);
        if (!/^readiness\.k8s\.io\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key)) {
          yield {
            path: '/spec/taint/key',
            message: `the taint key "${key}" must begin with readiness.k8s.io/`,
            found: key,
            expected: 'readiness.k8s.io/<name>',
          };
        }
        if (!['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(text(taint.effect))) {
          yield {
            path: '/spec/taint/effect',
            message:
              text(taint.effect) === ''
                ? 'the taint effect must be set'
                : `unsupported taint effect "${text(taint.effect)}"`,
            expected: 'NoSchedule',
          };
        }
        const value = text(taint.value);
        if (value.length > 63) {
          yield {
            path: '/spec/taint/value',
            message: `the taint value must be no more than 63 characters, but has ${value.length}`,
            found: value,
            expected: 'at most 63 characters',
          };
        }
        const excludesDefault =
          spec.enforcementMode === 'bootstrap-only'
            ? 'enforcementMode is bootstrap-only'
            : spec.conditionPolicy === 'anyOf'
              ? 'conditionPolicy is anyOf'
              : undefined;
        for (const { value: condition, path } of items(spec, '/conditions')) {
          if (excludesDefault !== undefined && condition.defaultStatus !== undefined) {
            yield {
              path: `/spec${path}/defaultStatus`,
              message: `defaultStatus must not be set when ${excludesDefault}`,
              fix: `Remove ${fieldOf(`${path}/defaultStatus`)}.`,
              expected: 'no defaultStatus',
            };
          }
        }
        if (spec.conditionPolicy === 'anyOf' && spec.enforcementMode === 'bootstrap-only') {
          yield {
            path: '/spec/conditionPolicy',
            message: 'conditionPolicy must not be anyOf when enforcementMode is bootstrap-only',
            found: 'anyOf',
            expected: 'allOf',
          };
        }
        const selector = asObject(spec.nodeSelector);
        if (
          Object.keys(asObject(selector.matchLabels)).length === 0 &&
          items(selector, '/matchExpressions').length === 0
        ) {
          yield {
            path: '/spec/nodeSelector',
            message: 'nodeSelector must not be empty',
            fix: 'Set spec.nodeSelector.matchLabels to node labels.',
            expected: 'matchLabels',
          };
        }
      },
    ),
  ),
  readinessRule(
    'readiness-rule-evicts-deliberately',
    {
      tier: 'advice',
      severity: 'warning',
      summary: 'A continuous readiness rule should keep new pods away (NoSchedule) instead of evicting running ones.',
      why: 'With NoExecute, one failed check of the devices or a restart of the reporter evicts every pod of the node.',
      fix: 'Set spec.taint.effect to NoSchedule.',
    },
    function* (spec) {
      if (spec.enforcementMode === 'continuous' && asString(asObject(spec.taint).effect) === 'NoExecute') {
        yield {
          path: '/spec/taint/effect',
          message: 'the effect NoExecute evicts running pods whenever the condition is not met',
          found: 'NoExecute',
          expected: 'NoSchedule',
        };
      }
    },
  ),
];
