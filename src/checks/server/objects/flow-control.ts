/**
 * FlowSchema and PriorityLevelConfiguration: how the API server shares itself out between its clients.
 */
import { fieldOf } from '../../../manifests/pointer';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type Say, objectRule } from '../server-rule';
import { dnsLabel, dnsSubdomain } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, textsOf, whole } from '../values';
import { oneOf } from '../../../facts/words';

const SOURCE = 'apis/flowcontrol/validation/validation.go';
const GROUP = 'flowcontrol.apiserver.k8s.io';
const VERBS = ['get', 'list', 'create', 'update', 'delete', 'deletecollection', 'patch', 'watch', 'proxy'];
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['User', 'user'],
  ['Group', 'group'],
  ['ServiceAccount', 'serviceAccount'],
]);
const MOST_QUEUES = 10_000_000;
const MOST_PRECEDENCE = 10_000;
/** Bits of the hash from which a flow's hand of queues is dealt. */
const HASH_BITS = 60;

export const flowControlRules: readonly Rule[] = [
  objectRule(
    'flow-schema-valid',
    [`${GROUP}/FlowSchema`],
    {
      source: SOURCE,
      summary:
        'A FlowSchema must name a priority level, have a precedence from 1 (reserved for "exempt") to 10000, and have rules with subjects and requests.',
      fix: 'Set spec.priorityLevelConfiguration.name, spec.matchingPrecedence, and spec.rules.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const precedence = whole(spec.matchingPrecedence) ?? 0;
      if (precedence < 0 || precedence > MOST_PRECEDENCE) {
        say(
          '/spec/matchingPrecedence',
          `matchingPrecedence must be between 1 and ${MOST_PRECEDENCE}, but is ${precedence}`,
          {
            expected: '1 to 10000',
          },
        );
      }
      if (precedence === 1 && manifest.id.name !== 'exempt') {
        say('/spec/matchingPrecedence', 'matchingPrecedence 1 is reserved for the flow schema "exempt"', {
          expected: '2 to 10000',
        });
      }
      if (isObject(spec.distinguisherMethod)) {
        const method = text(spec.distinguisherMethod.type);
        if (method !== 'ByUser' && method !== 'ByNamespace') {
          say('/spec/distinguisherMethod/type', `unsupported method "${method}"`, {
            expected: 'ByUser or ByNamespace',
          });
        }
      }
      const level = text(asObject(spec.priorityLevelConfiguration).name);
      const complaint = level === '' ? 'be set' : dnsSubdomain(level);
      if (complaint !== undefined) {
        say('/spec/priorityLevelConfiguration/name', `priorityLevelConfiguration.name must ${complaint}`);
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
        'A priority level must be Limited and define what happens to requests over the limit; only the one named "exempt" may be Exempt.',
      fix: 'Set spec.type: Limited and spec.limited with limitResponse.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const type = text(spec.type);
      if (type !== 'Limited' && type !== 'Exempt') {
        say('/spec/type', `unsupported type "${type}"`, { expected: 'Limited' });
        return;
      }
      if ((manifest.id.name === 'exempt') !== (type === 'Exempt')) {
        say(
          '/spec/type',
          type === 'Exempt'
            ? 'only the priority level "exempt" may have the type Exempt'
            : 'the priority level "exempt" must have the type Exempt',
          {
            expected: type === 'Exempt' ? 'Limited' : 'Exempt',
            fix:
              type === 'Exempt'
                ? 'Set spec.type: Limited and spec.limited with limitResponse.'
                : 'Set spec.type to Exempt.',
          },
        );
      }
      const [field, other] = type === 'Limited' ? ['limited', 'exempt'] : ['exempt', 'limited'];
      if (given(spec[other])) {
        say(`/spec/${other}`, `${other} must not be set for a priority level of type ${type}`);
      }
      const settings = spec[field];
      if (!given(settings)) {
        if (type === 'Limited') {
          say('/spec/limited', 'limited must be set', { expected: 'an object with limitResponse' });
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
    say(`${path}/subjects`, 'the rule must have subjects');
  }
  for (const subject of subjects) {
    checkSubject(subject.value, subject.path, say);
  }
  if (size(rule.resourceRules) + size(rule.nonResourceRules) === 0) {
    say(path, 'resourceRules or nonResourceRules must be set', { expected: 'resourceRules or nonResourceRules' });
  }
  for (const requests of itemsOf(rule.resourceRules, `${path}/resourceRules`)) {
    checkResourceRequests(requests.value, requests.path, say);
  }
  for (const requests of itemsOf(rule.nonResourceRules, `${path}/nonResourceRules`)) {
    checkOtherRequests(requests.value, requests.path, say);
  }
}

function checkResourceRequests(requests: JsonObject, path: string, say: Say): void {
  checkVerbs(requests, path, say);
  for (const field of ['apiGroups', 'resources']) {
    checkNames(requests, field, path, say);
  }
  const namespaces = textsOf(requests.namespaces, `${path}/namespaces`);
  const all = namespaces.some(({ value }) => value === '*');
  if (namespaces.length === 0 && requests.clusterScope !== true) {
    say(`${path}/namespaces`, 'namespaces must be set unless clusterScope is true', {
      expected: 'at least one namespace, or clusterScope: true',
    });
  }
  if (all && namespaces.length > 1) {
    say(`${path}/namespaces`, '"*" must not be combined with other values');
  }
  for (const { value, path: at } of all ? [] : namespaces) {
    const complaint = dnsLabel(value);
    if (complaint !== undefined) {
      say(at, `the namespace name must ${complaint}`);
    }
  }
}

function checkOtherRequests(requests: JsonObject, path: string, say: Say): void {
  checkVerbs(requests, path, say);
  const all = checkNames(requests, 'nonResourceURLs', path, say);
  for (const { value, path: at } of all ? [] : textsOf(requests.nonResourceURLs, `${path}/nonResourceURLs`)) {
    const plain =
      value === '/' ||
      (value.startsWith('/') && !value.includes(' ') && !value.includes('//') && /^[^*]*(\/\*)?$/.test(value));
    if (!plain) {
      say(at, `"${value}" is not a valid path`, { expected: 'a path such as /healthz or /apis/*' });
    }
  }
}

/** The kinds of the fields that the subject sets. */
function kindsFor(subject: JsonObject): readonly string[] {
  const fitting = [...SUBJECTS].filter(([, field]) => isObject(subject[field])).map(([kind]) => kind);
  return fitting.length === 1 ? fitting : [...SUBJECTS.keys()];
}

function checkSubject(subject: JsonObject, path: string, say: Say): void {
  const kind = text(subject.kind);
  const field = SUBJECTS.get(kind);
  if (field === undefined) {
    say(`${path}/kind`, `unsupported subject kind "${kind}"`, { expected: oneOf(kindsFor(subject)) });
    return;
  }
  for (const other of SUBJECTS.values()) {
    if (other !== field && given(subject[other])) {
      say(`${path}/${other}`, `${other} must not be set for a subject of kind ${kind}`);
    }
  }
  const named = asObject(subject[field]);
  const name = text(named.name);
  const badName = name === '' ? 'be set' : kind === 'ServiceAccount' && name !== '*' ? dnsSubdomain(name) : undefined;
  if (badName !== undefined) {
    say(`${path}/${field}/name`, `the name must ${badName}`);
  }
  const badNamespace = kind === 'ServiceAccount' ? dnsLabel(text(named.namespace)) : undefined;
  if (badNamespace !== undefined) {
    say(`${path}/${field}/namespace`, `the namespace must ${badNamespace}`);
  }
}

/** Checks that the list is not empty, and that `*` is its only item if present; returns whether both hold. */
function checkNames(rule: JsonObject, field: string, path: string, say: Say): boolean {
  const names = textsOf(rule[field], `${path}/${field}`);
  const all = names.some(({ value }) => value === '*');
  if (names.length === 0) {
    say(`${path}/${field}`, `the rule must have ${field}`);
  }
  if (all && names.length > 1) {
    say(`${path}/${field}`, '"*" must not be combined with other values');
  }
  return all;
}

function checkVerbs(rule: JsonObject, path: string, say: Say): void {
  if (checkNames(rule, 'verbs', path, say)) {
    return;
  }
  for (const { value, path: at } of textsOf(rule.verbs, `${path}/verbs`)) {
    if (!VERBS.includes(value)) {
      say(at, `unsupported verb "${value}"`, { expected: oneOf(VERBS) });
    }
  }
}

function checkLimits(settings: JsonObject, path: string, limited: boolean, say: Say): void {
  const lendable = whole(settings.lendablePercent) ?? 0;
  if ((whole(settings.nominalConcurrencyShares) ?? 0) < 0) {
    say(`${path}/nominalConcurrencyShares`, 'nominalConcurrencyShares must be greater than or equal to 0');
  }
  if (lendable < 0 || lendable > 100) {
    say(`${path}/lendablePercent`, 'lendablePercent must be between 0 and 100', { expected: '0 to 100' });
  }
  if (!limited) {
    return;
  }
  if ((whole(settings.borrowingLimitPercent) ?? 0) < 0) {
    say(`${path}/borrowingLimitPercent`, 'borrowingLimitPercent must be greater than or equal to 0');
  }
  const response = asObject(settings.limitResponse);
  const at = `${path}/limitResponse`;
  const type = text(response.type);
  if (type === 'Reject') {
    if (given(response.queuing)) {
      say(`${at}/queuing`, 'queuing must not be set when the type is Reject');
    }
  } else if (type !== 'Queue') {
    say(`${at}/type`, `unsupported type "${type}" for limitResponse`, { expected: 'Queue or Reject' });
  } else if (isObject(response.queuing)) {
    checkQueuing(response.queuing, `${at}/queuing`, say);
  } else {
    say(`${at}/queuing`, 'queuing must be set when the type is Queue');
  }
}

function checkQueuing(queuing: JsonObject, path: string, say: Say): void {
  // Zero means the default.
  const queues = whole(queuing.queues) || 64;
  const hand = whole(queuing.handSize) || 8;
  if (queues < 0 || queues > MOST_QUEUES) {
    say(`${path}/queues`, `queues must be between 1 and ${MOST_QUEUES}, but is ${queues}`, {
      expected: `1 to ${MOST_QUEUES}`,
    });
  }
  if ((whole(queuing.queueLengthLimit) ?? 0) < 0) {
    say(`${path}/queueLengthLimit`, 'queueLengthLimit must be greater than or equal to 0');
  }
  if (hand < 0) {
    say(`${path}/handSize`, 'handSize must be greater than or equal to 0');
  } else if (hand > queues) {
    say(`${path}/handSize`, `handSize must be less than or equal to queues (${hand} > ${queues})`, { found: hand });
  } else if (Math.ceil(Math.log2(queues) * hand) > HASH_BITS) {
    say(
      `${path}/handSize`,
      `handSize and queues must not require more than ${HASH_BITS} bits of the hash (handSize ${hand}, queues ${queues})`,
      {
        found: hand,
        fix: `Set ${fieldOf(`${path}/handSize`)} to at most ${Math.floor(HASH_BITS / Math.log2(queues))}, or decrease queues.`,
      },
    );
  }
}
