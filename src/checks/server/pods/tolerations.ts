/**
 * Tolerations (row K5).
 */
import { type Rule } from '../../rule';
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
        'A toleration without a key has operator Exists; Exists has no value; tolerationSeconds needs effect NoExecute; effects are known.',
      fix: 'Correct the toleration.',
    },
    (pod, say) => {
      for (const { value, path } of itemsOf(pod.spec.tolerations, '/spec/tolerations')) {
        checkToleration(value, path, say);
      }
    },
  ),
];
