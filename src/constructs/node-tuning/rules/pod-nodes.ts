/**
 * The nodes that a pod selects, and the taints that it tolerates.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { items, text, textsOf } from '../../../checks/server/values';
import { pointer } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';

/** Where a pod says that it wants nodes with this label, and with this value. */
export function wishFor(spec: JsonObject, label: string, value: string): string | undefined {
  if (asObject(spec.nodeSelector)[label] === value) {
    return pointer('/spec/nodeSelector', label);
  }
  const required = '/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms';
  for (const { path } of items(spec, required)) {
    for (const expression of items(spec, `${path}/matchExpressions`)) {
      const values = textsOf(expression.value.values, '');
      if (
        expression.value.key === label &&
        expression.value.operator === 'In' &&
        values.length === 1 &&
        values[0].value === value
      ) {
        return `/spec${expression.path}`;
      }
    }
  }
  return undefined;
}

/** Whether the tolerations of a pod (or of anything that has some) answer the taint. */
export function tolerates(
  spec: JsonObject,
  taint: { readonly key: string; readonly value?: string; readonly effect: string },
): boolean {
  return items(spec, '/tolerations').some(({ value: toleration }) => {
    const key = text(toleration.key);
    const effect = text(toleration.effect);
    if (
      (key !== taint.key && !(key === '' && toleration.operator === 'Exists')) ||
      (effect !== '' && effect !== taint.effect)
    ) {
      return false;
    }
    return toleration.operator === 'Exists' || text(toleration.value) === (taint.value ?? '');
  });
}
