/**
 * Tolerations (row K5).
 */
import { type Rule } from '../../rules/rule';
import { podRule } from '../server-rule';
import { checkToleration } from '../taints';
import { itemsOf } from '../values';

export const tolerationRules: readonly Rule[] = [
  podRule(
    'toleration-valid',
    {
      concerns: ['tolerations'],
      row: 'K5',
      summary:
        'A toleration without a key must have the operator Exists; Exists excludes a value; tolerationSeconds requires the effect NoExecute; effects must be supported.',
      fix: 'Set key, operator, value, and effect in tolerations to valid values.',
    },
    (pod, say) => {
      for (const { value, path } of itemsOf(pod.spec.tolerations, '/spec/tolerations')) {
        checkToleration(value, path, say);
      }
    },
  ),
];
