/**
 * Roles and their bindings.
 */
import { oneOf } from '../../../facts/words';
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { checkLabelSelector } from '../selectors';
import { type Details, objectRule } from '../server-rule';
import { dnsSubdomain, pathSegment } from '../../../manifests/values/name-syntax';
import { itemsOf, size, text } from '../values';

const GROUP = 'rbac.authorization.k8s.io';
const SOURCE = 'apis/rbac/validation/validation.go';

export const rbacRules: readonly Rule[] = [
  objectRule(
    'role-rule-valid',
    [`${GROUP}/Role`, `${GROUP}/ClusterRole`],
    {
      source: SOURCE,
      summary: 'A rule must have verbs, and either API groups with resources or (in a ClusterRole) non-resource URLs.',
      fix: 'Set verbs, apiGroups ("" for the core group), and resources of the rule.',
    },
    (object, say, _context, manifest) => {
      for (const { value, path } of itemsOf(object.rules, '/rules')) {
        if (size(value.verbs) === 0) {
          say(`${path}/verbs`, 'the rule must have verbs', { expected: 'at least one verb' });
        }
        if (size(value.nonResourceURLs) > 0) {
          if (manifest.id.kind === 'Role') {
            say(`${path}/nonResourceURLs`, 'nonResourceURLs must not be set in a Role', {
              fix: 'Set kind to ClusterRole, or remove nonResourceURLs.',
            });
          }
          if (size(value.apiGroups) + size(value.resources) + size(value.resourceNames) > 0) {
            say(path, 'resources must not be set when nonResourceURLs is set');
          }
          continue;
        }
        if (size(value.apiGroups) === 0) {
          say(`${path}/apiGroups`, 'the rule must have API groups', {
            expected: 'a list of API groups, such as [""] for the core group',
          });
        }
        if (size(value.resources) === 0) {
          say(`${path}/resources`, 'resources must be set');
        }
      }
      if (!isObject(object.aggregationRule)) {
        return;
      }
      const base = '/aggregationRule/clusterRoleSelectors';
      const selectors = itemsOf(object.aggregationRule.clusterRoleSelectors, base);
      if (selectors.length === 0) {
        say(base, 'the aggregation must have selectors');
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
        'A binding must name a role (a ClusterRole for a ClusterRoleBinding), and subjects of kind ServiceAccount, User, or Group.',
      fix: 'Set roleRef to a Role or ClusterRole, and subjects to a ServiceAccount, User, or Group.',
    },
    (object, say, _context, manifest) => {
      const wide = manifest.id.kind === 'ClusterRoleBinding';
      const role = asObject(object.roleRef);
      // The server fills in an empty group.
      if (!['', GROUP].includes(text(role.apiGroup))) {
        say('/roleRef/apiGroup', `unsupported API group "${text(role.apiGroup)}" in roleRef`, {
          expected: GROUP,
          fix: `Set roleRef.apiGroup to ${GROUP}.`,
        });
      }
      const kinds = wide ? ['ClusterRole'] : ['Role', 'ClusterRole'];
      if (!kinds.includes(text(role.kind))) {
        say('/roleRef/kind', `unsupported kind "${text(role.kind)}" in roleRef`, {
          expected: oneOf(kinds),
          fix: `Set roleRef.kind to ${oneOf(kinds)}.`,
        });
      }
      const name = text(role.name) === '' ? 'be set' : pathSegment(text(role.name));
      if (name !== undefined) {
        say('/roleRef/name', `roleRef.name must ${name}`, { fix: 'Set roleRef.name to the name of the role.' });
      }
      for (const { value, path } of itemsOf(object.subjects, '/subjects')) {
        for (const [field, message, expected] of subjectComplaints(value, wide)) {
          say(`${path}/${field}`, message, { ...(expected && { expected }), ...filledIn(manifest, field) });
        }
      }
    },
  ),
];

/** `namespace` of a Kustomization sets the namespace of the service accounts in a binding too. */
function filledIn({ origin }: Manifest, field: string): Details {
  return origin.kustomized === true && field === 'namespace'
    ? {
        severity: 'info',
        fix: 'Set subjects[].namespace, unless the Kustomization that lists this file sets `namespace`.',
      }
    : {};
}

type SubjectComplaint = readonly [field: string, message: string, expected?: string];

function subjectComplaints(subject: JsonObject, wide: boolean): readonly SubjectComplaint[] {
  const complaints: SubjectComplaint[] = [];
  const kind = text(subject.kind);
  const name = text(subject.name);
  const group = text(subject.apiGroup);
  if (name === '') {
    complaints.push(['name', 'the subject must have a name']);
  }
  if (kind === 'ServiceAccount') {
    const bad = name === '' ? undefined : dnsSubdomain(name);
    if (bad !== undefined) {
      complaints.push(['name', `the service account name must ${bad}`]);
    }
    if (group !== '') {
      complaints.push(['apiGroup', 'apiGroup must not be set for a ServiceAccount']);
    }
    if (wide && text(subject.namespace) === '') {
      complaints.push(['namespace', 'namespace must be set for a ServiceAccount']);
    }
  } else if (kind === 'User' || kind === 'Group') {
    // The server fills in an empty group.
    if (group !== '' && group !== GROUP) {
      complaints.push(['apiGroup', `apiGroup must be ${GROUP} for a ${kind}`, GROUP]);
    }
  } else {
    complaints.push(['kind', `unsupported subject kind "${kind}"`, 'ServiceAccount, User, or Group']);
  }
  return complaints;
}
