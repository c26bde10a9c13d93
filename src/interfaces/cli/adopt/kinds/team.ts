/**
 * Namespaces with a quota, defaults, a queue, and role bindings as teams, where a Team renders them as they are.
 */
import { GANTRY_NAMESPACES, GANTRY_TEAM_LABEL } from '../../../../facts/catalog';
import { type Manifest } from '../../../../manifests/manifest';
import { type ManifestSet } from '../../../../manifests/manifest-set';
import { asObject } from '../../../../manifests/read';
import { at, type Expression, type Fields, fieldsOf, present, textOf, without } from '../expression';
import { all, type Composite, oneOf, type Proposal } from '../proposal';
import { TENANCY } from './tenancy';
import { VOLCANO } from './volcano';

const POD_SECURITY = 'pod-security.kubernetes.io/enforce';
const AMOUNTS = ['cpu', 'memory', 'ephemeralStorage', 'hugepages', 'accelerators', 'other'] as const;
const BINDING = 'rbac.authorization.k8s.io/RoleBinding';

export const TEAM: Composite = {
  className: 'Team',
  parts: {
    first: { member: 'namespace', className: 'Namespace' },
    queue: { member: 'queue', className: 'volcano.Queue' },
  },
  membersOf: ({ id: { name }, object }, set) => {
    const quota = set.get('ResourceQuota', `${name}-quota`, name);
    const isTeam = asObject(asObject(object.metadata).labels)[GANTRY_TEAM_LABEL] === name;
    return !isTeam || quota === undefined
      ? undefined
      : defined({
          quota,
          limits: set.get('LimitRange', `${name}-limits`, name),
          queue: queueOf(name, set),
          admins: set.get(BINDING, 'team-admins', name),
          members: set.get(BINDING, 'team-members', name),
        });
  },
  propose: ({ metadata }, { quota, limits, queue, admins, members }) => {
    const name = textOf(at(metadata, 'name'));
    const labels = fieldsOf(at(metadata, 'labels'));
    const share = quotaOf(quota);
    const range = limits === undefined ? {} : propsOf(TENANCY['v1/LimitRange']?.(limits));
    const access = [admins, members].map((binding) => (binding === undefined ? [] : subjectsOf(binding)));
    const [chief, staff] = access;
    const known = Object.keys(range ?? { unknown: true }).every((member) => member === 'container');
    if (share === undefined || !known || chief === undefined || staff === undefined) {
      return undefined;
    }
    return {
      className: 'Team',
      overrides: 'none',
      taken: Object.keys(labels),
      props: {
        quota: share,
        limits: range?.container,
        queue: queue === undefined ? false : queueProps(queue, name, share),
        admins: chief,
        members: staff,
        podSecurity: oneOf(labels[POD_SECURITY], 'privileged', 'baseline', 'restricted'),
        namespaceLabels: without(labels, GANTRY_TEAM_LABEL, POD_SECURITY),
      },
    };
  },
};

function defined(members: Readonly<Record<string, Manifest | undefined>>): Readonly<Record<string, Manifest>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const])),
  );
}

function queueOf(team: string, set: ManifestSet): Manifest | undefined {
  return set.ofKind('scheduling.volcano.sh/Queue').find(({ object }) => {
    const metadata = asObject(object.metadata);
    return (
      asObject(metadata.labels)[GANTRY_TEAM_LABEL] === team &&
      asObject(metadata.annotations)[GANTRY_NAMESPACES] === team
    );
  });
}

function propsOf(proposal: Proposal | undefined): Fields | undefined {
  return proposal === undefined ? undefined : present(proposal.props);
}

/** The quota with the limits as members of their own; `undefined` where it says what a team's cannot. */
function quotaOf(quota: Fields | undefined): Fields | undefined {
  const props = quota === undefined ? undefined : propsOf(TENANCY['v1/ResourceQuota']?.(quota));
  if (props === undefined) {
    return undefined;
  }
  const { requests, limits, scopes, scopeSelector, ...counted } = props;
  const { cpu, memory, ...otherLimits } = fieldsOf(limits);
  return scopes !== undefined || scopeSelector !== undefined || present(otherLimits) !== undefined
    ? undefined
    : present({ ...fieldsOf(requests), cpuLimit: cpu, memoryLimit: memory, ...counted });
}

/** What of the queue does not follow from the quota. */
function queueProps(queue: Fields, team: string | undefined, share: Fields): Fields | undefined {
  const { capability, deserved, ...others } = VOLCANO['scheduling.volcano.sh/v1beta1/Queue']?.(queue)?.props ?? {};
  const name = textOf(at(queue, 'metadata', 'name'));
  const amounts = present(Object.fromEntries(AMOUNTS.map((member) => [member, share[member]])));
  const differing = (stated: Expression): Expression =>
    JSON.stringify(sorted(stated)) === JSON.stringify(sorted(amounts)) ? undefined : (stated ?? {});
  return present({
    name: name === team ? undefined : name,
    ...others,
    capability: differing(capability),
    deserved: differing(deserved),
  });
}

function sorted(value: Expression): Expression {
  return Object.fromEntries(Object.entries(fieldsOf(value)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Users and groups; `undefined` where a subject is something else. */
function subjectsOf(binding: Fields): readonly Fields[] | undefined {
  return all(binding.subjects, (subject) => {
    const kind = oneOf(at(subject, 'kind'), 'User', 'Group');
    const name = at(subject, 'name');
    return kind === undefined || name === undefined ? undefined : { kind, name };
  });
}
