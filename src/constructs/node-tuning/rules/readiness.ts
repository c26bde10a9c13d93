/**
 * NodeReadinessRule, whose schema is not among those that Gantry knows: what its definition demands is said here.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rule';
import { items, text } from '../../../checks/server/values';
import { asObject, asString } from '../../../manifests/read';

const READINESS = 'readiness.node.x-k8s.io/NodeReadinessRule';
const READINESS_SOURCE = 'node-readiness-controller, api/v1alpha1 (rules of the definition)';

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
  readinessRule(
    'readiness-rule-valid',
    {
      tier: 'cel',
      severity: 'error',
      summary:
        'A NodeReadinessRule has conditions with a required status, a taint of readiness.k8s.io, a node selector that selects, and a mode.',
      why: 'The API server refuses the object, by the definition that the controller installs.',
      fix: 'Correct the field.',
    },
    function* (spec) {
      const taint = asObject(spec.taint);
      const key = text(taint.key);
      if (!/^readiness\.k8s\.io\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key)) {
        yield {
          path: '/spec/taint/key',
          message: `the taint's key "${key}" is not one that the controller manages`,
          found: key,
          expected: 'readiness.k8s.io/<name>',
        };
      }
      if (!['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(text(taint.effect))) {
        yield { path: '/spec/taint/effect', message: 'the taint has no known effect', expected: 'NoSchedule' };
      }
      if (!['bootstrap-only', 'continuous'].includes(text(spec.enforcementMode))) {
        yield { path: '/spec/enforcementMode', message: 'no mode is stated', expected: 'continuous or bootstrap-only' };
      }
      const conditions = items(spec, '/conditions');
      if (conditions.length === 0) {
        yield { path: '/spec/conditions', message: 'no condition is stated', expected: 'one at least' };
      }
      for (const { value, path } of conditions) {
        if (!['True', 'False', 'Unknown'].includes(text(value.requiredStatus))) {
          yield {
            path: `/spec${path}/requiredStatus`,
            message: 'no required status is stated',
            expected: '"True", "False" or "Unknown", as text',
          };
        }
        if (spec.enforcementMode === 'bootstrap-only' && value.defaultStatus !== undefined) {
          yield {
            path: `/spec${path}/defaultStatus`,
            message: 'defaultStatus does not go with bootstrap-only',
            expected: 'continuous, or no defaultStatus',
          };
        }
      }
      if (spec.conditionPolicy === 'anyOf' && spec.enforcementMode === 'bootstrap-only') {
        yield {
          path: '/spec/conditionPolicy',
          message: 'anyOf does not go with bootstrap-only',
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
          message: 'the selector would take every node, and is refused',
          expected: 'matchLabels',
        };
      }
    },
  ),
  readinessRule(
    'readiness-rule-evicts-deliberately',
    {
      tier: 'advice',
      severity: 'warning',
      summary: 'A continuous readiness rule keeps new pods away (NoSchedule) rather than ending those that run.',
      why: 'With NoExecute one failed look at the devices, or a reporter that is restarted, evicts every pod of the node.',
      fix: 'Write NoSchedule, and let alerts and people end what must be ended.',
    },
    function* (spec) {
      if (spec.enforcementMode === 'continuous' && asString(asObject(spec.taint).effect) === 'NoExecute') {
        yield {
          path: '/spec/taint/effect',
          message: 'pods that run are evicted whenever the condition does not hold',
          found: 'NoExecute',
          expected: 'NoSchedule',
        };
      }
    },
  ),
];
