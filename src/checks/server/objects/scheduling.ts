/**
 * RuntimeClass and Lease.
 */
import { pointer } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { amountOf, containerResourceName, isHugePages, isWholePages } from '../resource-names';
import { checkLabels } from '../selectors';
import { objectRule } from '../server-rule';
import { dnsLabel } from '../../../manifests/values/name-syntax';
import { checkToleration } from '../taints';
import { itemsOf, quantitiesOf, text, whole } from '../values';

export const schedulingRules: readonly Rule[] = [
  objectRule(
    'runtime-class-valid',
    ['node.k8s.io/RuntimeClass'],
    {
      source: 'apis/node/validation/validation.go',
      summary:
        'A RuntimeClass must have a handler that is a DNS label, and valid overhead, selector, and unique tolerations.',
      fix: 'Set handler to a DNS label, and correct overhead and scheduling.',
    },
    (object, say) => {
      const complaint = text(object.handler) === '' ? 'be set' : dnsLabel(text(object.handler));
      if (complaint !== undefined) {
        say('/handler', `the handler must ${complaint}`);
      }
      const fixed = quantitiesOf(asObject(object.overhead).podFixed);
      for (const [name, amount] of fixed) {
        const at = pointer('/overhead/podFixed', name);
        const badName = containerResourceName(name);
        const badAmount =
          amountOf(name, amount) ??
          (isHugePages(name) && !isWholePages(name, amount) ? 'be a multiple of the page size' : undefined);
        if (badName !== undefined) {
          say(at, `the resource name "${name}" must ${badName}`, {
            fix: `Rename the key "${name}" of overhead.podFixed to a resource such as cpu, memory, or vendor.com/name.`,
          });
        } else if (badAmount !== undefined) {
          say(at, `the amount of ${name} must ${badAmount}`);
        }
      }
      if ([...fixed.keys()].some(isHugePages) && !fixed.has('cpu') && !fixed.has('memory')) {
        say('/overhead/podFixed', 'cpu or memory must be set for overhead with huge pages');
      }
      const scheduling = asObject(object.scheduling);
      checkLabels(scheduling.nodeSelector, '/scheduling/nodeSelector', say);
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(scheduling.tolerations, '/scheduling/tolerations')) {
        checkToleration(value, path, say);
        const key = ['key', 'operator', 'value', 'effect'].map((field) => text(value[field])).join('\n');
        if (seen.has(key)) {
          say(path, 'duplicate toleration', { found: text(value.key) });
        }
        seen.add(key);
      }
    },
  ),

  objectRule(
    'lease-valid',
    ['coordination.k8s.io/Lease'],
    {
      source: 'apis/coordination/validation/validation.go',
      summary: "A Lease's duration must be greater than zero, and its transitions must not be negative.",
      fix: 'Set spec.leaseDurationSeconds to at least 1 and spec.leaseTransitions to at least 0.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const duration = whole(spec.leaseDurationSeconds);
      const transitions = whole(spec.leaseTransitions);
      if (duration !== undefined && duration <= 0) {
        say('/spec/leaseDurationSeconds', 'leaseDurationSeconds must be greater than 0');
      }
      if (transitions !== undefined && transitions < 0) {
        say('/spec/leaseTransitions', 'leaseTransitions must be greater than or equal to 0');
      }
    },
  ),
];
