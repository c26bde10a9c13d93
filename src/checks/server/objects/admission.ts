/**
 * Admission webhooks and policies, with their CEL expressions as far as they can be judged without types.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { type AdmissionPlace } from '../cel-environments';
import { checkLabelSelector } from '../selectors';
import { type Details, minorOf, type Say, objectRule } from '../server-rule';
import {
  dns1035Label,
  dnsSubdomain,
  fullyQualifiedName,
  pathSegment,
  portNumber,
} from '../../../manifests/values/name-syntax';
import {
  checkChoice,
  checkConditions,
  checkMutations,
  checkValidations,
  checkVariables,
} from './admission-expressions';
import { given, itemsOf, size, text, textsOf, whole } from '../values';
import { oneOf, oneOfStrings } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';

const GROUP = 'admissionregistration.k8s.io';
const SOURCE = 'apis/admissionregistration/validation/validation.go';
const OPERATIONS = ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

export const admissionRules: readonly Rule[] = [
  objectRule(
    'webhook-valid',
    [`${GROUP}/ValidatingWebhookConfiguration`, `${GROUP}/MutatingWebhookConfiguration`],
    {
      source: SOURCE,
      summary:
        'A webhook must have a unique name of three parts, a client config, sideEffects None or NoneOnDryRun, review versions, and complete rules.',
      fix: 'Set name, clientConfig, sideEffects, admissionReviewVersions, and rules of the webhook to valid values.',
    },
    (object, say, context, manifest) => {
      const names = new Set<string>();
      for (const { value, path } of itemsOf(object.webhooks, '/webhooks')) {
        const name = text(value.name);
        const bad = fullyQualifiedName(name);
        if (bad !== undefined) {
          say(`${path}/name`, `the webhook name ${JSON.stringify(name)} must ${bad}`, webhookNameFix(path, bad));
        }
        if (name !== '' && names.has(name)) {
          say(`${path}/name`, `duplicate webhook name "${name}"`);
        }
        names.add(name);
        for (const rule of itemsOf(value.rules, `${path}/rules`)) {
          checkRule(rule.value, rule.path, say);
        }
        checkChoice(value, path, 'failurePolicy', ['Fail', 'Ignore'], say);
        checkChoice(value, path, 'matchPolicy', ['Exact', 'Equivalent'], say);
        if (manifest.id.kind === 'MutatingWebhookConfiguration') {
          checkChoice(value, path, 'reinvocationPolicy', ['Never', 'IfNeeded'], say);
        }
        if (!['None', 'NoneOnDryRun'].includes(text(value.sideEffects))) {
          say(`${path}/sideEffects`, 'sideEffects must be None or NoneOnDryRun', {
            expected: 'None or NoneOnDryRun',
          });
        }
        const timeout = whole(value.timeoutSeconds);
        if (timeout !== undefined && (timeout < 1 || timeout > 30)) {
          say(`${path}/timeoutSeconds`, `timeoutSeconds must be between 1 and 30, but is ${timeout}`, {
            expected: '1-30',
          });
        }
        checkLabelSelector(value.namespaceSelector, `${path}/namespaceSelector`, say);
        checkLabelSelector(value.objectSelector, `${path}/objectSelector`, say);
        checkClient(asObject(value.clientConfig), `${path}/clientConfig`, say);
        checkReviewVersions(value.admissionReviewVersions, `${path}/admissionReviewVersions`, say);
        checkConditions(value.matchConditions, `${path}/matchConditions`, say, { minor: minorOf(context) });
      }
    },
  ),

  objectRule(
    'admission-policy-valid',
    [`${GROUP}/ValidatingAdmissionPolicy`, `${GROUP}/MutatingAdmissionPolicy`],
    {
      source: SOURCE,
      summary:
        'A policy must set matchConstraints, and validations (or audit annotations) or mutations that are complete.',
      fix: 'Set spec.matchConstraints, and spec.validations, spec.auditAnnotations, or spec.mutations, of the policy.',
    },
    (object, say, context, manifest) => {
      const spec = asObject(object.spec);
      checkChoice(spec, '/spec', 'failurePolicy', ['Fail', 'Ignore'], say);
      if (isObject(spec.paramKind)) {
        checkParamKind(spec.paramKind, say);
      }
      if (!isObject(spec.matchConstraints)) {
        say('/spec/matchConstraints', 'matchConstraints must be set');
      } else {
        checkMatch(spec.matchConstraints, '/spec/matchConstraints', say);
        if (size(spec.matchConstraints.resourceRules) === 0) {
          say('/spec/matchConstraints/resourceRules', 'matchConstraints.resourceRules must not be empty');
        }
      }
      const place: AdmissionPlace = { minor: minorOf(context), hasParams: given(spec.paramKind) };
      checkConditions(spec.matchConditions, '/spec/matchConditions', say, place);
      const isMutating = manifest.id.kind === 'MutatingAdmissionPolicy';
      if (isMutating) {
        checkMutatedOperations(
          asObject(spec.matchConstraints).resourceRules,
          '/spec/matchConstraints/resourceRules',
          say,
        );
      }
      const variables = checkVariables(spec.variables, place, say);
      // A validating policy without variables has no `variables` either.
      const inside = isMutating || itemsOf(spec.variables, '').length > 0 ? { ...place, variables } : place;
      if (isMutating) {
        checkMutations(spec, { ...inside, hasPatches: true }, say);
        checkReinvocation(spec, say);
      } else {
        checkValidations(spec, manifest.id.name, inside, say);
      }
    },
  ),

  objectRule(
    'admission-policy-binding-valid',
    [`${GROUP}/ValidatingAdmissionPolicyBinding`, `${GROUP}/MutatingAdmissionPolicyBinding`],
    {
      source: SOURCE,
      summary:
        'A binding must name its policy, have complete parameters, and (for validation) supported actions, but not Deny and Warn together.',
      fix: 'Set spec.policyName, spec.paramRef, and spec.validationActions of the binding.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const bad = text(spec.policyName) === '' ? 'be set' : dnsSubdomain(text(spec.policyName));
      if (bad !== undefined) {
        say('/spec/policyName', `policyName must ${bad}`);
      }
      if (isObject(spec.paramRef)) {
        checkParamRef(spec.paramRef, say);
      }
      if (isObject(spec.matchResources)) {
        checkMatch(spec.matchResources, '/spec/matchResources', say);
      }
      if (manifest.id.kind === 'MutatingAdmissionPolicyBinding') {
        checkMutatedOperations(asObject(spec.matchResources).resourceRules, '/spec/matchResources/resourceRules', say);
        return;
      }
      const actions = textsOf(spec.validationActions, '/spec/validationActions');
      if (actions.length === 0) {
        say('/spec/validationActions', 'validationActions must not be empty', {
          expected: 'Deny, Warn, or Audit',
          fix: 'Add Deny, Warn, or Audit to spec.validationActions.',
        });
      }
      const seen = new Set<string>();
      for (const { value, path } of actions) {
        if (!['Deny', 'Warn', 'Audit'].includes(value)) {
          const free = ['Deny', 'Warn', 'Audit'].filter((action) => actions.every((other) => other.value !== action));
          say(path, `unsupported action "${value}"`, { expected: oneOf(free) });
        }
        if (seen.has(value)) {
          say(path, `duplicate value "${value}"`);
        }
        seen.add(value);
      }
      if (seen.has('Deny') && seen.has('Warn')) {
        say('/spec/validationActions', 'the actions Deny and Warn must not be set together');
      }
    },
  ),
];

/** A name without enough parts is completed; of other names, the requirement says what to change. */
const webhookNameFix = (path: string, bad: string): Details =>
  /^be (?!no more )/.test(bad)
    ? {
        fix: `Set ${fieldOf(`${path}/name`)} to a domain name with at least three parts, such as validate.gpus.example.com.`,
      }
    : {};

/** What is deleted is not mutated. */
function checkMutatedOperations(rules: JsonValue | undefined, path: string, say: Say): void {
  for (const rule of itemsOf(rules, path)) {
    for (const { value, path: at } of textsOf(rule.value.operations, `${rule.path}/operations`)) {
      if (value === 'DELETE') {
        say(at, 'a mutating policy must not match the operation "DELETE"', {
          expected: '*, CREATE, UPDATE, or CONNECT',
        });
      }
    }
  }
}

function checkRule(rule: JsonObject, path: string, say: Say): void {
  const operations = textsOf(rule.operations, `${path}/operations`);
  if (operations.length === 0) {
    say(`${path}/operations`, 'the rule must have operations');
  }
  if (operations.length > 1 && operations.some(({ value }) => value === '*')) {
    say(`${path}/operations`, '"*" must not be combined with other values');
  }
  for (const { value, path: at } of operations) {
    if (!OPERATIONS.includes(value)) {
      say(at, `unsupported operation "${value}"`, { expected: oneOfStrings(OPERATIONS) });
    }
  }
  for (const field of ['apiGroups', 'apiVersions']) {
    const values = textsOf(rule[field], `${path}/${field}`);
    if (values.length === 0) {
      say(`${path}/${field}`, `the rule must have ${field}`);
    }
    if (values.length > 1 && values.some(({ value }) => value === '*')) {
      say(`${path}/${field}`, '"*" must not be combined with other values');
    }
    for (const { value, path: at } of values) {
      if (field === 'apiVersions' && value === '') {
        say(at, 'the version must not be empty');
      }
    }
  }
  checkResources(rule, path, say);
  checkChoice(rule, path, 'scope', ['*', 'Cluster', 'Namespaced'], say);
}

function checkResources(rule: JsonObject, path: string, say: Say): void {
  const resources = textsOf(rule.resources, `${path}/resources`);
  if (resources.length === 0) {
    say(`${path}/resources`, 'the rule must have resources');
  }
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const { value, path: at } of resources) {
    if (value === '') {
      say(at, 'the resource must not be empty');
    }
    const slash = value.indexOf('/');
    if (slash < 0) {
      continue;
    }
    const resource = value.slice(0, slash);
    const subresource = value.slice(slash + 1);
    if (wholeResources.has(resource) || wholeSubresources.has(subresource)) {
      say(at, `"${value}" is already matched by a previous entry`, { fix: `Remove ${fieldOf(at)}.` });
    }
    if (subresource === '*') {
      wholeResources.add(resource);
    }
    if (resource === '*') {
      wholeSubresources.add(subresource);
    }
  }
  const names = resources.map(({ value }) => value);
  if (names.length > 1 && names.includes('*/*')) {
    say(`${path}/resources`, '"*/*" must not be combined with other values');
  }
  // The server remembers only whether the last name without a "/" was "*".
  const plain = names.filter((name) => name !== '' && !name.includes('/'));
  if (names.includes('*') && plain[plain.length - 1] !== '*') {
    say(`${path}/resources`, '"*" must not be combined with other resources');
  }
}

function checkClient(client: JsonObject, path: string, say: Say): void {
  if (given(client.url) === given(client.service)) {
    say(path, given(client.url) ? 'url must not be set when service is set' : 'url or service must be set', {
      expected: 'url or service',
    });
    return;
  }
  if (typeof client.url === 'string') {
    const bad = urlComplaint(client.url);
    if (bad !== undefined) {
      say(`${path}/url`, `url must ${bad}`);
    }
  }
  if (!isObject(client.service)) {
    return;
  }
  const { service } = client;
  for (const field of ['name', 'namespace']) {
    if (text(service[field]) === '') {
      say(`${path}/service/${field}`, `the service ${field} must be set`);
    }
  }
  const port = whole(service.port);
  if (port !== undefined && portNumber(port) !== undefined) {
    say(`${path}/service/port`, `the port must be between 1 and 65535, but is ${port}`);
  }
  const route = service.path;
  if (typeof route !== 'string' || route === '' || route === '/') {
    return;
  }
  const bad =
    !route.startsWith('/') ||
    route.includes('//') ||
    (route.endsWith('/') ? route.slice(1, -1) : route.slice(1))
      .split('/')
      .some((part) => dnsSubdomain(part) !== undefined);
  if (bad) {
    say(
      `${path}/service/path`,
      `the service path must begin with "/" and consist of DNS names separated by "/": "${route}"`,
      {
        expected: 'a lowercase path such as /validate',
      },
    );
  }
}

function urlComplaint(url: string): string | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'be a URL such as https://hooks.example.com/validate';
  }
  if (parsed.protocol !== 'https:') {
    return 'begin with https://';
  }
  // JavaScript takes the host from the path of https:///path; Go does not.
  if (!/^https:\/\/[^/?#]/i.test(url)) {
    return 'have a host';
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return 'not contain a user';
  }
  if (parsed.hash !== '' || url.includes('#')) {
    return 'not contain a fragment';
  }
  return parsed.search !== '' ? 'not contain a query' : undefined;
}

function checkReviewVersions(list: JsonValue | undefined, path: string, say: Say): void {
  const versions = textsOf(list, path);
  const seen = new Set<string>();
  for (const { value, path: at } of versions) {
    const bad = dns1035Label(value);
    if (bad !== undefined) {
      say(at, `the version must ${bad}`);
    }
    if (seen.has(value)) {
      say(at, `duplicate value "${value}"`);
    }
    seen.add(value);
  }
  if (!seen.has('v1') && !seen.has('v1beta1')) {
    say(path, 'admissionReviewVersions must contain a version that the server supports', {
      expected: 'v1 or v1beta1',
      fix: `Set ${fieldOf(path)} to [v1].`,
    });
  }
}

function checkMatch(match: JsonObject, path: string, say: Say): void {
  checkChoice(match, path, 'matchPolicy', ['Exact', 'Equivalent'], say);
  checkLabelSelector(match.namespaceSelector, `${path}/namespaceSelector`, say);
  checkLabelSelector(match.objectSelector, `${path}/objectSelector`, say);
  for (const field of ['resourceRules', 'excludeResourceRules']) {
    for (const { value, path: at } of itemsOf(match[field], `${path}/${field}`)) {
      checkRule(value, at, say);
      const seen = new Set<string>();
      for (const name of textsOf(value.resourceNames, `${at}/resourceNames`)) {
        const bad = pathSegment(name.value);
        if (bad !== undefined) {
          say(name.path, `the name must ${bad}`);
        }
        if (seen.has(name.value)) {
          say(name.path, `duplicate value "${name.value}"`);
        }
        seen.add(name.value);
      }
    }
  }
}

function checkParamKind(kind: JsonObject, say: Say): void {
  const version = text(kind.apiVersion);
  const groups = version.split('/');
  const name = groups.pop() ?? '';
  const isGroup = (group: string): boolean => group === '' || dnsSubdomain(group) === undefined;
  if (groups.length > 1 || dns1035Label(name) !== undefined || !groups.every(isGroup)) {
    say('/spec/paramKind/apiVersion', `"${version}" is not a valid API version`);
  }
  if (dns1035Label(text(kind.kind).toLowerCase()) !== undefined) {
    say('/spec/paramKind/kind', `"${text(kind.kind)}" is not a valid kind`);
  }
}

function checkParamRef(reference: JsonObject, say: Say): void {
  const name = text(reference.name);
  if ((name !== '') === given(reference.selector)) {
    say('/spec/paramRef', name === '' ? 'name or selector must be set' : 'name must not be set when selector is set');
  }
  const bad = name === '' ? undefined : pathSegment(name);
  if (bad !== undefined) {
    say('/spec/paramRef/name', `the name must ${bad}`);
  }
  checkLabelSelector(reference.selector, '/spec/paramRef/selector', say);
  if (!['Allow', 'Deny'].includes(text(reference.parameterNotFoundAction))) {
    say('/spec/paramRef/parameterNotFoundAction', 'parameterNotFoundAction must be Allow or Deny', {
      expected: 'Allow or Deny',
    });
  }
}

function checkReinvocation(spec: JsonObject, say: Say): void {
  if (!['Never', 'IfNeeded'].includes(text(spec.reinvocationPolicy))) {
    say('/spec/reinvocationPolicy', 'reinvocationPolicy must be Never or IfNeeded', { expected: 'Never or IfNeeded' });
  }
}

export { checkClient };
