/**
 * Roles and their bindings.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { checkLabelSelector } from '../selectors';
import { objectRule } from '../server-rule';
import { dnsSubdomain, pathSegment } from '../syntax';
import { itemsOf, size, text } from '../values';

const GROUP = 'rbac.authorization.k8s.io';
const SOURCE = 'apis/rbac/validation/validation.go';

export const rbacRules: readonly Rule[] = [
  objectRule(
    'role-rule-valid',
    [`${GROUP}/Role`, `${GROUP}/ClusterRole`],
    {
      source: SOURCE,
      summary: 'A rule has verbs, and either API groups with resources or (in a ClusterRole) non-resource URLs.',
      fix: 'Complete the rule; the core group is "".',
    },
    (object, say, _context, manifest) => {
      for (const { value, path } of itemsOf(object.rules, '/rules')) {
        if (size(value.verbs) === 0) {
          say(`${path}/verbs`, 'the rule has no verbs', { expected: 'at least one verb' });
        }
        if (size(value.nonResourceURLs) > 0) {
          if (manifest.id.kind === 'Role') {
            say(`${path}/nonResourceURLs`, 'a Role has no rules about URLs', { fix: 'Use a ClusterRole.' });
          }
          if (size(value.apiGroups) + size(value.resources) + size(value.resourceNames) > 0) {
            say(path, 'a rule is about resources or about URLs, not both');
          }
          continue;
        }
        if (size(value.apiGroups) === 0) {
          say(`${path}/apiGroups`, 'the rule has no API groups', { expected: '"" for the core group' });
        }
        if (size(value.resources) === 0) {
          say(`${path}/resources`, 'the rule has no resources');
        }
      }
      if (!isObject(object.aggregationRule)) {
        return;
      }
      const base = '/aggregationRule/clusterRoleSelectors';
      const selectors = itemsOf(object.aggregationRule.clusterRoleSelectors, base);
      if (selectors.length === 0) {
        say(base, 'the aggregation has no selectors');
      }
      for (const { value, path } of selectors) {
        checkLabelSelector(value, path, say);
      }
    },
  ),

  objectRule(
    'role-binding-valid',
    [`${GROUP}/RoleBinding`, `${GROUP}/ClusterRoleBinding`],
    {
      source: SOURCE,
      summary:
        'A binding names a role (a ClusterRole for a ClusterRoleBinding), and subjects of kind ServiceAccount, User or Group.',
      fix: 'Correct the role or the subject.',
    },
    (object, say, _context, manifest) => {
      const wide = manifest.id.kind === 'ClusterRoleBinding';
      const role = asObject(object.roleRef);
      // The server fills in an empty group.
      if (!['', GROUP].includes(text(role.apiGroup))) {
        say('/roleRef/apiGroup', `the group "${text(role.apiGroup)}" has no roles`, { expected: GROUP });
      }
      const kinds = wide ? ['ClusterRole'] : ['Role', 'ClusterRole'];
      if (!kinds.includes(text(role.kind))) {
        say('/roleRef/kind', `the kind "${text(role.kind)}" cannot be bound here`, { expected: kinds.join(' or ') });
      }
      const name = text(role.name) === '' ? 'be given' : pathSegment(text(role.name));
      if (name !== undefined) {
        say('/roleRef/name', `the role's name must ${name}`);
      }
      for (const { value, path } of itemsOf(object.subjects, '/subjects')) {
        for (const [field, message] of subjectComplaints(value, wide)) {
          say(`${path}/${field}`, message);
        }
      }
    },
  ),
];

function subjectComplaints(subject: JsonObject, wide: boolean): readonly (readonly [string, string])[] {
  const complaints: (readonly [string, string])[] = [];
  const kind = text(subject.kind);
  const name = text(subject.name);
  const group = text(subject.apiGroup);
  if (name === '') {
    complaints.push(['name', 'the subject has no name']);
  }
  if (kind === 'ServiceAccount') {
    const bad = name === '' ? undefined : dnsSubdomain(name);
    if (bad !== undefined) {
      complaints.push(['name', `the service account's name must ${bad}`]);
    }
    if (group !== '') {
      complaints.push(['apiGroup', 'a ServiceAccount is in the core group, apiGroup ""']);
    }
    if (wide && text(subject.namespace) === '') {
      complaints.push(['namespace', 'a ServiceAccount has a namespace']);
    }
  } else if (kind === 'User' || kind === 'Group') {
    // The server fills in an empty group.
    if (group !== '' && group !== GROUP) {
      complaints.push(['apiGroup', `a ${kind} is in the group ${GROUP}`]);
    }
  } else {
    complaints.push(['kind', `the kind "${kind}" is no subject: ServiceAccount, User or Group`]);
  }
  return complaints;
}
