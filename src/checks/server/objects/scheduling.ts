/**
 * RuntimeClass, Lease, and the native gang kinds PodGroup and Workload.
 */
import { type JsonObject } from '../../../api/schema';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { amountOf, containerResourceName, isHugePages, isWholePages } from '../resource-names';
import { checkLabels } from '../selectors';
import { type Say, objectRule, since } from '../server-rule';
import { dnsLabel, dnsSubdomain } from '../syntax';
import { checkToleration } from '../taints';
import { given, itemsOf, quantitiesOf, size, text, whole } from '../values';

const NATIVE = 'apis/scheduling/v1alpha2/zz_generated.validations.go';

export const schedulingRules: readonly Rule[] = [
  objectRule('runtime-class-valid', ['node.k8s.io/RuntimeClass'], {
    source: 'apis/node/validation/validation.go',
    summary: 'A RuntimeClass has a handler that is a DNS label, and valid overhead, selector and unique tolerations.',
    fix: 'Correct the class.',
  }, (object, say) => {
    const complaint = text(object.handler) === '' ? 'be given' : dnsLabel(text(object.handler));
    if (complaint !== undefined) say('/handler', `the handler must ${complaint}`);
    const fixed = quantitiesOf(asObject(object.overhead).podFixed);
    for (const [name, amount] of fixed) {
      const bad = containerResourceName(name) ?? amountOf(name, amount) ?? (isHugePages(name) && !isWholePages(name, amount) ? 'be whole pages' : undefined);
      if (bad !== undefined) say(pointer('/overhead/podFixed', name), `${name} must ${bad}`);
    }
    if ([...fixed.keys()].some(isHugePages) && !fixed.has('cpu') && !fixed.has('memory')) say('/overhead/podFixed', 'huge pages need cpu or memory beside them');
    const scheduling = asObject(object.scheduling);
    checkLabels(scheduling.nodeSelector, '/scheduling/nodeSelector', say);
    const seen = new Set<string>();
    for (const { value, path } of itemsOf(scheduling.tolerations, '/scheduling/tolerations')) {
      checkToleration(value, path, say);
      const key = ['key', 'operator', 'value', 'effect'].map((field) => text(value[field])).join('\n');
      if (seen.has(key)) say(path, 'the toleration stands here already', { found: text(value.key) });
      seen.add(key);
    }
  }),

  objectRule('lease-valid', ['coordination.k8s.io/Lease'], {
    source: 'apis/coordination/validation/validation.go',
    summary: 'A Lease\'s duration is above zero and its transitions are not negative.',
    fix: 'Correct the number.',
  }, (object, say) => {
    const spec = asObject(object.spec);
    const duration = whole(spec.leaseDurationSeconds);
    const transitions = whole(spec.leaseTransitions);
    if (duration !== undefined && duration <= 0) say('/spec/leaseDurationSeconds', 'the duration must be above zero');
    if (transitions !== undefined && transitions < 0) say('/spec/leaseTransitions', 'the transitions cannot be negative');
  }),

  objectRule('pod-group-valid', ['scheduling.k8s.io/PodGroup'], {
    source: NATIVE,
    summary: 'A native PodGroup has exactly one scheduling policy, basic or gang; a gang\'s minCount is at least 1; claims are complete.',
    fix: 'Choose basic or gang.',
  }, (object, say, context) => {
    const spec = asObject(object.spec);
    checkGroup(spec, '/spec', say, text(object.apiVersion), since(context, 36));
    if (isObject(spec.podGroupTemplateRef)) {
      const workload = spec.podGroupTemplateRef.workload;
      if (!isObject(workload)) say('/spec/podGroupTemplateRef', 'the reference names no workload');
      else {
        for (const [field, valid] of [['workloadName', dnsSubdomain], ['podGroupTemplateName', dnsLabel]] as const) {
          const bad = text(workload[field]) === '' ? 'be given' : valid(text(workload[field]));
          if (bad !== undefined) say(`/spec/podGroupTemplateRef/workload/${field}`, `${field} must ${bad}`);
        }
      }
    }
  }),

  objectRule('workload-valid', ['scheduling.k8s.io/Workload'], {
    source: NATIVE,
    summary: 'A native Workload has 1 to 8 pod groups (or group templates) with unique names and one policy each.',
    fix: 'Correct the group.',
  }, (object, say, context) => {
    const spec = asObject(object.spec);
    const field = text(object.apiVersion).endsWith('/v1alpha1') ? 'podGroups' : 'podGroupTemplates';
    const base = `/spec/${field}`;
    const groups = itemsOf(spec[field], base);
    if (groups.length === 0) say(base, `the workload has no ${field}`, { expected: 'at least one' });
    if (groups.length > 8) say(base, `${groups.length} groups are too many`, { expected: 'at most 8' });
    const seen = new Set<string>();
    for (const { value, path } of groups) {
      const name = text(value.name);
      const bad = name === '' ? 'be given' : dnsLabel(name);
      if (bad !== undefined) say(`${path}/name`, `the group's name must ${bad}`);
      if (seen.has(name)) say(`${path}/name`, 'a group of this name stands here already');
      seen.add(name);
      checkGroup(value, path, say, text(object.apiVersion), since(context, 36));
    }
    if (!isObject(spec.controllerRef)) return;
    const { controllerRef } = spec;
    const group = text(controllerRef.apiGroup) === '' ? undefined : dnsSubdomain(text(controllerRef.apiGroup));
    if (group !== undefined) say('/spec/controllerRef/apiGroup', `the API group must ${group}`);
    for (const part of ['kind', 'name']) {
      const value = text(controllerRef[part]);
      if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) say(`/spec/controllerRef/${part}`, `the controller's ${part} is missing or holds "/" or "%"`);
    }
  }),
];

function checkGroup(group: JsonObject, path: string, say: Say, apiVersion: string, claims: boolean): void {
  const field = apiVersion.endsWith('/v1alpha1') ? 'policy' : 'schedulingPolicy';
  const policy = asObject(group[field]);
  const kinds = ['basic', 'gang'].filter((kind) => given(policy[kind]));
  if (kinds.length !== 1) say(`${path}/${field}`, kinds.length === 0 ? 'the group has no scheduling policy' : 'the group has two scheduling policies', { expected: 'basic or gang' });
  if (isObject(policy.gang) && (whole(policy.gang.minCount) ?? 0) < 1) say(`${path}/${field}/gang/minCount`, 'minCount must be above zero', { expected: '1 or more' });
  if (!claims) return;
  if (size(group.resourceClaims) > 4) say(`${path}/resourceClaims`, 'more than 4 claims', { found: size(group.resourceClaims) });
}
