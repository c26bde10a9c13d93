/**
 * Affinity and topology spread (row K6).
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type Say, podRule, since } from '../server-rule';
import { checkLabelSelector, checkNodeSelector, checkNodeSelectorTerm } from '../selectors';
import { dnsLabel, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, text, textsOf, whole } from '../values';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export const affinityRules: readonly Rule[] = [
  podRule(
    'node-affinity-valid',
    {
      concerns: ['nodeAffinity'],
      row: 'K6',
      summary:
        'Node affinity must have terms whose operators fit their values, valid labels, and weights from 1 to 100.',
      fix: 'Set key, operator, and values of the term in affinity.nodeAffinity, and weight from 1 to 100.',
    },
    (pod, say) => {
      const affinity = isObject(pod.spec.affinity) ? pod.spec.affinity.nodeAffinity : undefined;
      if (!isObject(affinity)) {
        return;
      }
      const path = '/spec/affinity/nodeAffinity';
      const required = affinity[REQUIRED];
      if (isObject(required)) {
        checkNodeSelector(required, `${path}/${REQUIRED}`, say);
      }
      for (const { value, path: at } of itemsOf(affinity[PREFERRED], `${path}/${PREFERRED}`)) {
        checkWeight(value, at, say);
        if (isObject(value.preference)) {
          checkNodeSelectorTerm(value.preference, `${at}/preference`, say, false);
        }
      }
    },
  ),

  podRule(
    'pod-affinity-valid',
    {
      concerns: ['podAffinity', 'podAntiAffinity'],
      row: 'K6',
      summary:
        'Pod affinity terms must have a topology key, valid selectors and namespaces, and weights from 1 to 100.',
      fix: 'Set topologyKey and labelSelector of the term in affinity.podAffinity or affinity.podAntiAffinity.',
    },
    (pod, say, context) => {
      if (!isObject(pod.spec.affinity)) {
        return;
      }
      for (const kind of ['podAffinity', 'podAntiAffinity']) {
        const affinity = pod.spec.affinity[kind];
        if (!isObject(affinity)) {
          continue;
        }
        const path = `/spec/affinity/${kind}`;
        const keys = since(context, 31);
        for (const term of itemsOf(affinity[REQUIRED], `${path}/${REQUIRED}`)) {
          checkTerm(term.value, term.path, say, keys);
        }
        for (const { value, path: at } of itemsOf(affinity[PREFERRED], `${path}/${PREFERRED}`)) {
          checkWeight(value, at, say);
          checkTerm(isObject(value.podAffinityTerm) ? value.podAffinityTerm : {}, `${at}/podAffinityTerm`, say, keys);
        }
      }
    },
  ),

  podRule(
    'topology-spread-valid',
    {
      concerns: ['topologySpreadConstraints'],
      row: 'K6',
      summary:
        'A topology spread constraint must have maxSkew ≥ 1, a topology key, and a supported whenUnsatisfiable, and must be unique by key and action.',
      fix: 'Set maxSkew, topologyKey, and whenUnsatisfiable in topologySpreadConstraints.',
    },
    (pod, say) => {
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(pod.spec.topologySpreadConstraints, '/spec/topologySpreadConstraints')) {
        const skew = whole(value.maxSkew) ?? 0;
        if (skew <= 0) {
          say(`${path}/maxSkew`, 'maxSkew must be greater than 0', { expected: 'at least 1' });
        }
        const key = text(value.topologyKey);
        if (key === '') {
          say(`${path}/topologyKey`, 'the constraint must have a topology key', {
            expected: 'a node label such as topology.kubernetes.io/zone',
          });
        }
        const action = text(value.whenUnsatisfiable);
        if (!['DoNotSchedule', 'ScheduleAnyway'].includes(action)) {
          say(`${path}/whenUnsatisfiable`, `unsupported value "${action}" for whenUnsatisfiable`, {
            expected: 'DoNotSchedule or ScheduleAnyway',
          });
        }
        if (seen.has(`${key} ${action}`)) {
          say(path, `duplicate constraint for "${key}" with ${action}`, { found: key });
        }
        seen.add(`${key} ${action}`);
        const domains = whole(value.minDomains);
        if (domains !== undefined && domains <= 0) {
          say(`${path}/minDomains`, 'minDomains must be greater than 0', { expected: 'at least 1' });
        }
        if (domains !== undefined && action !== 'DoNotSchedule') {
          say(`${path}/minDomains`, 'minDomains must not be set unless whenUnsatisfiable is DoNotSchedule');
        }
        for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
          const chosen = value[policy];
          if (typeof chosen === 'string' && !['Honor', 'Ignore'].includes(chosen)) {
            say(`${path}/${policy}`, `unsupported value "${chosen}" for ${policy}`, { expected: 'Honor or Ignore' });
          }
        }
        checkMatchLabelKeys(value, path, say, ['matchLabelKeys']);
        checkLabelSelector(value.labelSelector, `${path}/labelSelector`, say);
      }
    },
  ),
];

function checkWeight(term: JsonObject, path: string, say: Say): void {
  const weight = whole(term.weight) ?? 0;
  if (weight < 1 || weight > 100) {
    say(`${path}/weight`, `weight must be between 1 and 100, but is ${weight}`, { expected: '1-100' });
  }
}

function checkTerm(term: JsonObject, path: string, say: Say, keys: boolean): void {
  checkLabelSelector(term.labelSelector, `${path}/labelSelector`, say);
  checkLabelSelector(term.namespaceSelector, `${path}/namespaceSelector`, say);
  for (const { value, path: at } of textsOf(term.namespaces, `${path}/namespaces`)) {
    const complaint = dnsLabel(value);
    if (complaint !== undefined) {
      say(at, `the namespace ${JSON.stringify(value)} must ${complaint}`);
    }
  }
  if (keys) {
    checkMatchLabelKeys(term, path, say, ['matchLabelKeys', 'mismatchLabelKeys']);
  }
  const key = text(term.topologyKey);
  const complaint = key === '' ? 'be set' : qualifiedName(key);
  if (complaint !== undefined) {
    say(`${path}/topologyKey`, `the topology key ${JSON.stringify(key)} must ${complaint}`);
  }
}

function checkMatchLabelKeys(term: JsonObject, path: string, say: Say, fields: readonly string[]): void {
  const selector: JsonValue | undefined = term.labelSelector;
  for (const field of fields) {
    const keys = textsOf(term[field], `${path}/${field}`);
    if (keys.length === 0) {
      continue;
    }
    if (!given(selector)) {
      say(`${path}/${field}`, `${field} must not be set without labelSelector`);
      continue;
    }
    for (const { value, path: at } of keys) {
      const complaint = qualifiedName(value);
      if (complaint !== undefined) {
        say(at, `the label key ${JSON.stringify(value)} must ${complaint}`);
      }
    }
  }
  const matching = new Set(textsOf(term.matchLabelKeys, '').map(({ value }) => value));
  for (const { value, path: at } of textsOf(term.mismatchLabelKeys, `${path}/mismatchLabelKeys`)) {
    if (fields.includes('mismatchLabelKeys') && matching.has(value)) {
      say(at, `the key "${value}" must not be in both matchLabelKeys and mismatchLabelKeys`);
    }
  }
  if (!isObject(selector)) {
    return;
  }
  const selected = new Set(Object.keys(isObject(selector.matchLabels) ? selector.matchLabels : {}));
  for (const { value, path: at } of itemsOf(selector.matchExpressions, `${path}/labelSelector/matchExpressions`)) {
    const key = text(value.key);
    if (matching.has(key) && selected.has(key)) {
      say(at, `the key "${key}" must not be in both matchLabelKeys and labelSelector`, { found: key });
    }
    selected.add(key);
  }
}
