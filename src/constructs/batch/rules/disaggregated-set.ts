/**
 * LW7: what the webhook of DisaggregatedSet demands beyond its schema.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rule';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { DISAGGREGATED_SET_KIND, EXCLUSIVE_TOPOLOGY, LWS_PROJECT } from '../../../manifests/leader-worker-facts';

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
    summary: 'With External scaling, the name of the set and of the role make a name of at most 253 characters.',
    why: 'A DisaggregatedSetRoleScaler of that name is made for the role.',
    fix: 'Shorten the name of the set.',
  },
  function* (_spec, roles, { id }) {
    for (const role of roles.filter(isExternal)) {
      const name = `${id.name}-${role.name}`;
      if (name.length > 253) {
        yield {
          path: '/metadata/name',
          message: `"${name}" has ${name.length} characters.`,
          found: id.name,
          expected: 'at most 253',
        };
      }
    }
  },
);

const slices = setRule(
  {
    id: 'batch/disaggregatedset-slices-scale-statically',
    summary: 'A set of several slices has no role with External scaling.',
    why: 'A scaler speaks of one number of replicas; the webhook refuses both together.',
    fix: 'Use one slice, or Static scaling.',
  },
  function* (spec, roles) {
    const count = asInteger(spec.slices) ?? 1;
    if (count < 2) {
      return;
    }
    for (const { name, path } of roles.filter(isExternal)) {
      yield {
        path: `${path}/scaling/mode`,
        message: `Role ${name} scales externally, and there are ${count} slices.`,
        found: 'External',
        expected: 'Static',
      };
    }
  },
);

const topology = setRule(
  {
    id: 'batch/disaggregatedset-placement-has-topology',
    summary: 'A placementPolicy of another type than None names its topology, a node label.',
    why: 'The webhook refuses a placement without the level that it is about.',
    fix: 'State placementPolicy.topology.',
  },
  function* (spec) {
    const policy = asObject(spec.placementPolicy);
    const type = asString(policy.type) ?? 'None';
    if (type === 'None' || (asString(policy.topology) ?? '') !== '') {
      return;
    }
    yield {
      path: '/spec/placementPolicy',
      message: `placementPolicy ${type} names no topology.`,
      expected: 'topology: <node label>',
    };
  },
);

const topologyOnce = setRule(
  {
    id: 'batch/disaggregatedset-placement-stated-once',
    summary: 'Roles carry no exclusive-topology annotation beside a placementPolicy.',
    why: 'Both decide where groups go; the webhook refuses them together.',
    fix: 'Take the annotation out.',
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
        message: `Role ${name} states a topology of its own.`,
        found: annotations[EXCLUSIVE_TOPOLOGY],
      };
    }
  },
);

const partition = setRule(
  {
    id: 'batch/disaggregatedset-no-partition',
    summary: 'Roles state no rollout partition.',
    why: 'The set rolls its roles out together; the webhook refuses a partition other than 0.',
    fix: 'Take partition out.',
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
        message: `Role ${name} has a partition of ${found}.`,
        found,
        expected: 'none',
      };
    }
  },
);

export const disaggregatedSetRules: readonly Rule[] = [scalerNames, slices, topology, topologyOnce, partition];
