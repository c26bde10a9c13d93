/**
 * LW7: what the webhook of DisaggregatedSet demands beyond its schema.
 */
import { shortenBy } from '../../../checks/rules/field-fix';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { DISAGGREGATED_SET_KIND, EXCLUSIVE_TOPOLOGY, LWS_PROJECT } from '../../../manifests/pods/leader-worker-facts';

interface Role {
  readonly name: string;
  readonly value: JsonObject;
  readonly path: string;
}

type Facts = Omit<RuleFacts, 'source' | 'tier' | 'severity' | 'row'>;

function setRule(
  facts: Facts,
  check: (spec: JsonObject, roles: readonly Role[], manifest: Manifest) => Iterable<Violation>,
): ObjectRule {
  return {
    ...facts,
    row: 'LW7',
    tier: 'webhook',
    severity: 'error',
    source: `${LWS_PROJECT}, pkg/webhooks/disaggregatedset`,
    on: 'object',
    kinds: [DISAGGREGATED_SET_KIND],
    check: (manifest) => {
      const roles = objectsAt(manifest.object, '/spec/roles').map(({ value, path }) => ({
        name: asString(value.name) ?? '',
        value,
        path,
      }));
      return check(asObject(manifest.object.spec), roles, manifest);
    },
  };
}

const isExternal = ({ value }: Role): boolean => asObject(value.scaling).mode === 'External';

const scalerNames = setRule(
  {
    id: 'batch/disaggregatedset-scaler-names-fit',
    summary:
      'With External scaling, the names of the set and of the role must form a name of no more than 253 characters.',
    why: 'The controller creates a DisaggregatedSetRoleScaler with that name for the role.',
    fix: 'Shorten metadata.name of the set.',
  },
  function* (_spec, roles, { id }) {
    for (const role of roles.filter(isExternal)) {
      const name = `${id.name}-${role.name}`;
      if (name.length > 253) {
        yield {
          path: '/metadata/name',
          message: `the name "${name}" must be no more than 253 characters, but has ${name.length}`,
          found: id.name,
          expected: 'at most 253 characters',
          fix: shortenBy('metadata.name of the set', name, 253),
        };
      }
    }
  },
);

const slices = setRule(
  {
    id: 'batch/disaggregatedset-slices-scale-statically',
    summary: 'A set with several slices must not have a role with External scaling.',
    why: 'A scaler has only one number of replicas; the webhook rejects the combination.',
    fix: 'Set scaling.mode of the role to Static, or set spec.slices to 1.',
  },
  function* (spec, roles) {
    const count = asInteger(spec.slices) ?? 1;
    if (count < 2) {
      return;
    }
    for (const { name, path } of roles.filter(isExternal)) {
      yield {
        path: `${path}/scaling/mode`,
        message: `the role "${name}" must not use External scaling when spec.slices is ${count}`,
        found: 'External',
        expected: 'Static',
      };
    }
  },
);

const topology = setRule(
  {
    id: 'batch/disaggregatedset-placement-has-topology',
    summary: 'A placementPolicy of a type other than None must set topology, a node label.',
    why: 'The webhook rejects a placement without a topology level.',
    fix: 'Set spec.placementPolicy.topology to a node label, such as topology.kubernetes.io/zone.',
  },
  function* (spec) {
    const policy = asObject(spec.placementPolicy);
    const type = asString(policy.type) ?? 'None';
    if (type === 'None' || (asString(policy.topology) ?? '') !== '') {
      return;
    }
    yield {
      path: '/spec/placementPolicy',
      message: `topology must be set when placementPolicy.type is ${type}`,
      expected: 'a node label, such as topology.kubernetes.io/zone',
    };
  },
);

const topologyOnce = setRule(
  {
    id: 'batch/disaggregatedset-placement-stated-once',
    summary: 'Roles must not have an exclusive-topology annotation when placementPolicy is set.',
    why: 'Both decide where groups are placed; the webhook rejects the combination.',
    fix: `Remove the annotation ${EXCLUSIVE_TOPOLOGY} from the role, or remove spec.placementPolicy.`,
  },
  function* (spec, roles) {
    if ((asString(asObject(spec.placementPolicy).type) ?? 'None') === 'None') {
      return;
    }
    for (const { name, value, path } of roles) {
      const annotations = asObject(asObject(value.metadata).annotations);
      if (annotations[EXCLUSIVE_TOPOLOGY] === undefined) {
        continue;
      }
      yield {
        path: pointer(`${path}/metadata/annotations`, EXCLUSIVE_TOPOLOGY),
        message: `the role "${name}" must not have the annotation ${EXCLUSIVE_TOPOLOGY} when placementPolicy is set`,
        found: annotations[EXCLUSIVE_TOPOLOGY],
      };
    }
  },
);

const partition = setRule(
  {
    id: 'batch/disaggregatedset-no-partition',
    summary: 'Roles must not set a rollout partition.',
    why: 'The set rolls out its roles together; the webhook rejects a partition other than 0.',
    fix: 'Remove rolloutStrategy.rollingUpdateConfiguration.partition from the role.',
  },
  function* (_spec, roles) {
    for (const { name, value, path } of roles) {
      const found =
        asInteger(asObject(asObject(asObject(value.spec).rolloutStrategy).rollingUpdateConfiguration).partition) ?? 0;
      if (found === 0) {
        continue;
      }
      yield {
        path: `${path}/spec/rolloutStrategy/rollingUpdateConfiguration/partition`,
        message: `partition of the role "${name}" must be 0, but is ${found}`,
        found,
        expected: '0 or unset',
      };
    }
  },
);

export const disaggregatedSetRules: readonly Rule[] = [scalerNames, slices, topology, topologyOnce, partition];
