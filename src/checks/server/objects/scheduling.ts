/**
 * RuntimeClass and Lease.
 */
import { pointer } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { amountOf, containerResourceName, isHugePages, isWholePages } from '../resource-names';
import { checkLabels } from '../selectors';
import { objectRule } from '../server-rule';
import { dnsLabel } from '../syntax';
import { checkToleration } from '../taints';
import { itemsOf, quantitiesOf, text, whole } from '../values';

export const schedulingRules: readonly Rule[] = [
  objectRule(
    'runtime-class-valid',
    ['node.k8s.io/RuntimeClass'],
    {
      source: 'apis/node/validation/validation.go',
      summary: 'A RuntimeClass has a handler that is a DNS label, and valid overhead, selector and unique tolerations.',
      fix: 'Correct the class.',
    },
    (object, say) => {
      const complaint = text(object.handler) === '' ? 'be given' : dnsLabel(text(object.handler));
      if (complaint !== undefined) {
        say('/handler', `the handler must ${complaint}`);
      }
      const fixed = quantitiesOf(asObject(object.overhead).podFixed);
      for (const [name, amount] of fixed) {
        const bad =
          containerResourceName(name) ??
          amountOf(name, amount) ??
          (isHugePages(name) && !isWholePages(name, amount) ? 'be whole pages' : undefined);
        if (bad !== undefined) {
          say(pointer('/overhead/podFixed', name), `${name} must ${bad}`);
        }
      }
      if ([...fixed.keys()].some(isHugePages) && !fixed.has('cpu') && !fixed.has('memory')) {
        say('/overhead/podFixed', 'huge pages need cpu or memory beside them');
      }
      const scheduling = asObject(object.scheduling);
      checkLabels(scheduling.nodeSelector, '/scheduling/nodeSelector', say);
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(scheduling.tolerations, '/scheduling/tolerations')) {
        checkToleration(value, path, say);
        const key = ['key', 'operator', 'value', 'effect'].map((field) => text(value[field])).join('\n');
        if (seen.has(key)) {
          say(path, 'the toleration stands here already', { found: text(value.key) });
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
      summary: "A Lease's duration is above zero and its transitions are not negative.",
      fix: 'Correct the number.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const duration = whole(spec.leaseDurationSeconds);
      const transitions = whole(spec.leaseTransitions);
      if (duration !== undefined && duration <= 0) {
        say('/spec/leaseDurationSeconds', 'the duration must be above zero');
      }
      if (transitions !== undefined && transitions < 0) {
        say('/spec/leaseTransitions', 'the transitions cannot be negative');
      }
    },
  ),
];
