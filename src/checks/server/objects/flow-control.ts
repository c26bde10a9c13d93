/**
 * FlowSchema and PriorityLevelConfiguration: how the API server shares itself out between its clients.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { type Say, objectRule } from '../server-rule';
import { dnsLabel, dnsSubdomain } from '../syntax';
import { given, itemsOf, oneOf, size, text, textsOf, whole } from '../values';

const SOURCE = 'apis/flowcontrol/validation/validation.go';
const GROUP = 'flowcontrol.apiserver.k8s.io';
const VERBS = ['get', 'list', 'create', 'update', 'delete', 'deletecollection', 'patch', 'watch', 'proxy'];
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['User', 'user'],
  ['Group', 'group'],
  ['ServiceAccount', 'serviceAccount'],
]);
const MOST_QUEUES = 10_000_000;
/** Bits of the hash from which a flow's hand of queues is dealt. */
const HASH_BITS = 60;

export const flowControlRules: readonly Rule[] = [
  objectRule(
    'flow-schema-valid',
    [`${GROUP}/FlowSchema`],
    {
      source: SOURCE,
      summary:
        'A FlowSchema names a priority level, has a precedence from 1 (kept for "exempt") to 10000, and rules with subjects and requests.',
      fix: 'Complete the flow schema.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const precedence = whole(spec.matchingPrecedence) ?? 0;
      if (precedence < 0 || precedence > 10_000) {
        say('/spec/matchingPrecedence', 'the precedence is out of range', { expected: '1 to 10000' });
      }
      if (precedence === 1 && manifest.id.name !== 'exempt') {
        say('/spec/matchingPrecedence', 'precedence 1 belongs to the flow schema "exempt"', { expected: '2 to 10000' });
      }
      if (isObject(spec.distinguisherMethod)) {
        const method = text(spec.distinguisherMethod.type);
        if (method !== 'ByUser' && method !== 'ByNamespace') {
          say('/spec/distinguisherMethod/type', `the method "${method}" does not exist`, {
            expected: 'ByUser or ByNamespace',
          });
        }
      }
      const level = text(asObject(spec.priorityLevelConfiguration).name);
      const complaint = level === '' ? 'be given' : dnsSubdomain(level);
      if (complaint !== undefined) {
        say('/spec/priorityLevelConfiguration/name', `the name of the priority level must ${complaint}`);
      }
      for (const { value, path } of itemsOf(spec.rules, '/spec/rules')) {
        checkRule(value, path, say);
      }
    },
  ),

  objectRule(
    'priority-level-valid',
    [`${GROUP}/PriorityLevelConfiguration`],
    {
      source: SOURCE,
      summary:
        'A priority level is Limited, with what happens to requests over the limit; only the one named "exempt" is Exempt.',
      fix: 'Correct the priority level.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const type = text(spec.type);
      if (type !== 'Limited' && type !== 'Exempt') {
        say('/spec/type', `the type "${type}" does not exist`, { expected: 'Limited' });
        return;
      }
      if ((manifest.id.name === 'exempt') !== (type === 'Exempt')) {
        say('/spec/type', 'the priority level "exempt", and no other, is Exempt');
      }
      const [field, other] = type === 'Limited' ? ['limited', 'exempt'] : ['exempt', 'limited'];
      if (given(spec[other])) {
        say(`/spec/${other}`, `a priority level of type ${type} has no ${other}`);
      }
      const settings = spec[field];
      if (!given(settings)) {
        if (type === 'Limited') {
          say('/spec/limited', 'the limits are missing');
        }
        return;
      }
      if (isObject(settings)) {
        checkLimits(settings, `/spec/${field}`, type === 'Limited', say);
      }
    },
  ),
];

function checkRule(rule: JsonObject, path: string, say: Say): void {
  const subjects = itemsOf(rule.subjects, `${path}/subjects`);
  if (subjects.length === 0) {
    say(`${path}/subjects`, 'the rule has no subjects');
  }
  for (const subject of subjects) {
    checkSubject(subject.value, subject.path, say);
  }
  if (size(rule.resourceRules) + size(rule.nonResourceRules) === 0) {
    say(path, 'the rule is about no requests', { expected: 'resourceRules or nonResourceRules' });
  }
  for (const requests of itemsOf(rule.resourceRules, `${path}/resourceRules`)) {
    checkVerbs(requests.value, requests.path, say);
    for (const field of ['apiGroups', 'resources']) {
      checkNames(requests.value, field, requests.path, say);
    }
    const namespaces = textsOf(requests.value.namespaces, `${requests.path}/namespaces`);
    const all = namespaces.some(({ value }) => value === '*');
    if (namespaces.length === 0 && requests.value.clusterScope !== true) {
      say(`${requests.path}/namespaces`, 'the rule is about no namespaces', {
        expected: 'namespaces, or clusterScope: true',
      });
    }
    if (all && namespaces.length > 1) {
      say(`${requests.path}/namespaces`, '"*" stands alone');
    }
    for (const { value, path: at } of all ? [] : namespaces) {
      const complaint = dnsLabel(value);
      if (complaint !== undefined) {
        say(at, `the namespace's name must ${complaint}`);
      }
    }
  }
  for (const requests of itemsOf(rule.nonResourceRules, `${path}/nonResourceRules`)) {
    checkVerbs(requests.value, requests.path, say);
    const all = checkNames(requests.value, 'nonResourceURLs', requests.path, say);
    for (const { value, path: at } of all
      ? []
      : textsOf(requests.value.nonResourceURLs, `${requests.path}/nonResourceURLs`)) {
      const plain =
        value === '/' ||
        (value.startsWith('/') && !value.includes(' ') && !value.includes('//') && /^[^*]*(\/\*)?$/.test(value));
      if (!plain) {
        say(at, `"${value}" is no path`, { expected: 'a path that may end with /*' });
      }
    }
  }
}

function checkSubject(subject: JsonObject, path: string, say: Say): void {
  const kind = text(subject.kind);
  const field = SUBJECTS.get(kind);
  if (field === undefined) {
    say(`${path}/kind`, `the kind of subject "${kind}" does not exist`, { expected: oneOf([...SUBJECTS.keys()]) });
    return;
  }
  for (const other of SUBJECTS.values()) {
    if (other !== field && given(subject[other])) {
      say(`${path}/${other}`, `a subject of kind ${kind} has no ${other}`);
    }
  }
  const named = asObject(subject[field]);
  const name = text(named.name);
  const badName = name === '' ? 'be given' : kind === 'ServiceAccount' && name !== '*' ? dnsSubdomain(name) : undefined;
  if (badName !== undefined) {
    say(`${path}/${field}/name`, `the name must ${badName}`);
  }
  const badNamespace = kind === 'ServiceAccount' ? dnsLabel(text(named.namespace)) : undefined;
  if (badNamespace !== undefined) {
    say(`${path}/${field}/namespace`, `the namespace must ${badNamespace}`);
  }
}

/** Something is named, and `*` stands alone; answers whether it does. */
function checkNames(rule: JsonObject, field: string, path: string, say: Say): boolean {
  const names = textsOf(rule[field], `${path}/${field}`);
  const all = names.some(({ value }) => value === '*');
  if (names.length === 0) {
    say(`${path}/${field}`, `the rule has no ${field}`);
  }
  if (all && names.length > 1) {
    say(`${path}/${field}`, '"*" stands alone');
  }
  return all;
}

function checkVerbs(rule: JsonObject, path: string, say: Say): void {
  if (checkNames(rule, 'verbs', path, say)) {
    return;
  }
  for (const { value, path: at } of textsOf(rule.verbs, `${path}/verbs`)) {
    if (!VERBS.includes(value)) {
      say(at, `the verb "${value}" does not exist`, { expected: oneOf(VERBS) });
    }
  }
}

function checkLimits(settings: JsonObject, path: string, limited: boolean, say: Say): void {
  const lendable = whole(settings.lendablePercent) ?? 0;
  if ((whole(settings.nominalConcurrencyShares) ?? 0) < 0) {
    say(`${path}/nominalConcurrencyShares`, 'the shares cannot be negative');
  }
  if (lendable < 0 || lendable > 100) {
    say(`${path}/lendablePercent`, 'the percentage is out of range', { expected: '0 to 100' });
  }
  if (!limited) {
    return;
  }
  if ((whole(settings.borrowingLimitPercent) ?? 0) < 0) {
    say(`${path}/borrowingLimitPercent`, 'the percentage cannot be negative');
  }
  const response = asObject(settings.limitResponse);
  const at = `${path}/limitResponse`;
  const type = text(response.type);
  if (type === 'Reject') {
    if (given(response.queuing)) {
      say(`${at}/queuing`, 'requests are rejected, not queued');
    }
  } else if (type !== 'Queue') {
    say(`${at}/type`, `the response "${type}" does not exist`, { expected: 'Queue or Reject' });
  } else if (isObject(response.queuing)) {
    checkQueuing(response.queuing, `${at}/queuing`, say);
  } else {
    say(`${at}/queuing`, 'requests are queued, and the queues are not described');
  }
}

function checkQueuing(queuing: JsonObject, path: string, say: Say): void {
  // Zero stands for the default.
  const queues = whole(queuing.queues) || 64;
  const hand = whole(queuing.handSize) || 8;
  if (queues < 0 || queues > MOST_QUEUES) {
    say(`${path}/queues`, 'the number of queues is out of range', { expected: `1 to ${MOST_QUEUES}` });
  }
  if ((whole(queuing.queueLengthLimit) ?? 0) < 0) {
    say(`${path}/queueLengthLimit`, 'the length cannot be negative');
  }
  if (hand < 0) {
    say(`${path}/handSize`, 'the size cannot be negative');
  } else if (hand > queues) {
    say(`${path}/handSize`, `a hand of ${hand} is more than ${queues} queues`, { found: hand });
  } else if (Math.ceil(Math.log2(queues) * hand) > HASH_BITS) {
    say(`${path}/handSize`, `${hand} of ${queues} queues cannot be dealt from a hash of ${HASH_BITS} bits`, {
      found: hand,
    });
  }
}
