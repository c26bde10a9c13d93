/**
 * Hyper nodes: what their webhook demands, and what keeps the scheduler from building the topology. One broken hyper node stops every
 * job that asks for a network topology.
 */
import { fieldOf } from '../../../manifests/pointer';
import { oneOfStrings } from '../../../facts/words';
import { re2Problem } from '../../../facts/promql/re2';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { valueAt } from '../../../manifests/pointer';
import { asArray, asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { type ObjectRule, type Rule, type SetRule } from '../../../checks/rules/rule';
import { JOB_SPEC_KINDS, jobOf } from '../job-spec';
import { findCircle } from './job';
import { POD_GROUP_KIND } from './job-queue';

export const HYPER_NODE_KIND = 'topology.volcano.sh/HyperNode';
const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/hypernodes/validate/admit_hypernode.go`;
const SCHEDULER = `${cite('volcano')}, pkg/scheduler/api/hyper_node_info.go`;

interface MemberView {
  readonly path: string;
  readonly isHyperNode: boolean;
  readonly selector: JsonObject;
  /** The name of an exact match. */
  readonly exact: string | undefined;
}

function membersOf(manifest: Manifest): readonly MemberView[] {
  return objectsAt(manifest.object, '/spec/members').map(({ value, path }) => {
    const selector = asObject(value.selector);
    return {
      path,
      isHyperNode: value.type === 'HyperNode',
      selector,
      exact: asString(asObject(selector.exactMatch).name),
    };
  });
}

const hasMembers: ObjectRule = {
  id: 'volcano/hyper-node-has-members',
  row: 'VH1',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [HYPER_NODE_KIND],
  summary: 'A HyperNode must have at least one member.',
  why: 'The webhook rejects the HyperNode. The schema rejects only an empty list, not a missing one.',
  source: WEBHOOK,
  fix: 'Add nodes, or HyperNodes of a lower tier, to spec.members.',
  *check({ object }) {
    if (asArray(asObject(object.spec).members).length === 0) {
      yield {
        path: '/spec',
        message: 'members must not be empty',
        expected: 'spec.members with at least one entry',
      };
    }
  },
};

const patternCompiles: ObjectRule = {
  id: 'volcano/hyper-node-pattern-compiles',
  row: 'VH2',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [HYPER_NODE_KIND],
  summary: 'The pattern of a regexMatch must be a valid Go regular expression.',
  why: 'The webhook rejects the HyperNode. Go supports neither lookahead nor backreferences.',
  source: WEBHOOK,
  fix: 'Set regexMatch.pattern to a valid Go regular expression, or replace regexMatch with labelMatch.',
  *check(manifest) {
    for (const { path, selector } of membersOf(manifest)) {
      const pattern = asString(asObject(selector.regexMatch).pattern) ?? '';
      const problem = pattern === '' ? undefined : re2Problem(pattern);
      if (problem !== undefined) {
        yield {
          path: `${path}/selector/regexMatch/pattern`,
          message: `the pattern is not a valid Go regular expression: ${problem}`,
          found: pattern,
        };
      }
    }
  },
};

const hyperNodesByName: ObjectRule = {
  id: 'volcano/hyper-node-members-by-name',
  row: 'VH3',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [HYPER_NODE_KIND],
  summary: 'Members of type HyperNode must be selected with exactMatch.',
  why: 'For members of type HyperNode the scheduler reads only exactMatch. Patterns and labels select nodes, so the member is ignored.',
  source: `${SCHEDULER}, BuildHyperNodeCache`,
  fix: 'Replace the member with one member for each HyperNode, and set selector.exactMatch.name in each.',
  *check(manifest) {
    for (const { path, isHyperNode, selector } of membersOf(manifest)) {
      if (!isHyperNode || (selector.regexMatch === undefined && selector.labelMatch === undefined)) {
        continue;
      }
      yield {
        path: `${path}/selector`,
        message: 'members of type HyperNode must be selected with exactMatch, not with regexMatch or labelMatch',
        found: Object.keys(selector),
        expected: 'exactMatch',
        fix: `Set ${fieldOf(`${path}/selector`)}.exactMatch.name to the name of a HyperNode, and add a member for each additional HyperNode.`,
      };
    }
  },
};

const labelsNotEmpty: ObjectRule = {
  id: 'volcano/hyper-node-label-match-chooses',
  row: 'VH3',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [HYPER_NODE_KIND],
  summary: 'A labelMatch must have at least one requirement.',
  why: 'Elsewhere in Kubernetes an empty selector selects everything; here it selects nothing.',
  source: `${SCHEDULER}, GetMembers`,
  fix: 'Set matchLabels or matchExpressions in selector.labelMatch.',
  *check(manifest) {
    for (const { path, selector } of membersOf(manifest)) {
      if (selector.labelMatch === undefined) {
        continue;
      }
      const { matchLabels, matchExpressions } = asObject(selector.labelMatch);
      if (Object.keys(asObject(matchLabels)).length > 0 || asArray(matchExpressions).length > 0) {
        continue;
      }
      yield {
        path: `${path}/selector/labelMatch`,
        message: 'an empty labelMatch selects no nodes',
        expected: 'matchLabels or matchExpressions',
      };
    }
  },
};

/** Hyper nodes by name, with those that they hold. */
function hyperNodesOf(set: ManifestSet): ReadonlyMap<string, Manifest> {
  return new Map(set.ofKind(HYPER_NODE_KIND).map((manifest) => [manifest.id.name, manifest]));
}

const tiersDescend: SetRule = {
  id: 'volcano/hyper-node-tiers-descend',
  row: 'VH4',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'The HyperNodes in a HyperNode must be of a lower tier.',
  why: 'The tier states how far apart nodes are. The scheduler searches the tiers upwards and never looks at a member of the same or a higher tier.',
  source: `${SCHEDULER}; network-topology-aware plugin`,
  fix: 'Set spec.tier to 1 for the HyperNodes of nodes, and to a greater number for each level above them.',
  *check({ set }) {
    const hyperNodes = hyperNodesOf(set);
    for (const manifest of hyperNodes.values()) {
      const tier = asInteger(asObject(manifest.object.spec).tier);
      for (const { path, isHyperNode, exact } of membersOf(manifest)) {
        const member = isHyperNode && exact !== undefined ? hyperNodes.get(exact) : undefined;
        const memberTier = member === undefined ? undefined : asInteger(asObject(member.object.spec).tier);
        if (tier === undefined || memberTier === undefined || memberTier < tier) {
          continue;
        }
        yield {
          manifest,
          path: `${path}/selector/exactMatch/name`,
          message: `the tier of the member "${exact ?? ''}" must be less than that of the HyperNode (${memberTier} >= ${tier})`,
          found: memberTier,
          expected: `a tier less than ${tier}`,
          fix: `Set spec.tier of the HyperNode "${manifest.id.name}" to at least ${memberTier + 1}, or name a HyperNode of a lower tier in exactMatch.name.`,
        };
      }
    }
  },
};

const oneParent: SetRule = {
  id: 'volcano/hyper-nodes-form-trees',
  row: 'VH5',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'A HyperNode must have at most one parent, and HyperNodes must not form a cycle.',
  why: 'The scheduler stops building the topology at that point and places no job that requires a topology.',
  source: `${SCHEDULER}, addChild and BuildHyperNodeCache`,
  fix: 'Remove the HyperNode from spec.members of all but one parent.',
  *check({ set }) {
    const hyperNodes = hyperNodesOf(set);
    const parents = new Map<string, string>();
    const graph = new Map<string, readonly string[]>();
    for (const [name, manifest] of hyperNodes) {
      const members = membersOf(manifest).filter(({ isHyperNode, exact }) => isHyperNode && exact !== undefined);
      graph.set(
        name,
        members.map(({ exact }) => exact ?? ''),
      );
      for (const { path, exact = '' } of members) {
        const other = parents.get(exact);
        if (other === undefined) {
          parents.set(exact, name);
        } else if (other !== name) {
          yield {
            manifest,
            path: `${path}/selector/exactMatch/name`,
            message: `the HyperNode "${exact}" is already a member of the HyperNode "${other}"`,
            found: exact,
            fix: `Remove the HyperNode "${exact}" from spec.members of "${name}" or "${other}".`,
          };
        }
      }
    }
    const circle = findCircle(graph);
    const first = circle === undefined ? undefined : hyperNodes.get(circle[0] ?? '');
    if (circle === undefined || first === undefined) {
      return;
    }
    yield {
      manifest: first,
      path: '/spec/members',
      message: `the HyperNodes form a cycle: ${circle.join(' → ')}`,
      fix: 'Remove one of the HyperNodes in the cycle from spec.members of the HyperNode that precedes it.',
    };
  },
};

const nodeOnce: SetRule = {
  id: 'volcano/hyper-node-holds-node-once',
  row: 'VH6',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A node must be a member of only one HyperNode in each tier.',
  why: 'A node in two domains of the same tier is counted in both, so a gang may be placed where it does not fit.',
  source: `${cite('volcano')}, topology.volcano.sh HyperNode`,
  fix: 'Remove the node from spec.members of all but one HyperNode in the tier.',
  *check({ set }) {
    const holders = new Map<string, string>();
    for (const [name, manifest] of hyperNodesOf(set)) {
      const tier = asInteger(asObject(manifest.object.spec).tier);
      for (const { path, isHyperNode, exact } of membersOf(manifest)) {
        if (isHyperNode || exact === undefined || tier === undefined) {
          continue;
        }
        const key = `${tier}/${exact}`;
        const other = holders.get(key);
        if (other === undefined) {
          holders.set(key, name);
        } else {
          yield {
            manifest,
            path: `${path}/selector/exactMatch/name`,
            message:
              other === name
                ? `duplicate member "${exact}"`
                : `the node "${exact}" is already a member of the HyperNode "${other}" in the same tier`,
            found: exact,
            fix:
              other === name
                ? `Remove ${fieldOf(path)}.`
                : `Remove the node "${exact}" from spec.members of the HyperNode "${name}" or "${other}".`,
          };
        }
      }
    }
  },
};

const tierNamed: ObjectRule = {
  id: 'volcano/hyper-node-tier-named',
  row: 'VH7',
  tier: 'advice',
  severity: 'warning',
  on: 'object',
  kinds: [...JOB_SPEC_KINDS, POD_GROUP_KIND],
  summary: 'The tier name that a gang requires must be the tierName of a HyperNode.',
  why: 'The scheduler finds no such tier and does not place a gang that must stay within it.',
  source: SCHEDULER,
  fix: 'Set highestTierName to the spec.tierName of a HyperNode, or set spec.tierName of the HyperNodes of that tier.',
  *check(manifest, { set }) {
    const known = new Set(
      set.ofKind(HYPER_NODE_KIND).map(({ object }) => asString(asObject(object.spec).tierName) ?? ''),
    );
    if (known.size === 0) {
      return;
    }
    const job = jobOf(manifest);
    const places = [
      job === undefined ? '/spec/networkTopology' : `${job.path}/networkTopology`,
      ...(job?.tasks.map(({ path }) => `${path}/partitionPolicy/networkTopology`) ?? []),
      ...objectsAt(manifest.object, '/spec/subGroupPolicy').map(({ path }) => `${path}/networkTopology`),
    ];
    for (const path of places) {
      const name = asString(asObject(valueAt(manifest.object, path)).highestTierName) ?? '';
      if (name === '' || known.has(name)) {
        continue;
      }
      const names = [...known].filter((tier) => tier !== '');
      yield {
        path: `${path}/highestTierName`,
        message: `no HyperNode in these manifests has the tierName "${name}"`,
        found: name,
        expected: names.length === 0 ? 'HyperNodes with a tierName' : oneOfStrings(names),
        ...(names.length > 0 &&
          names.length < 7 && {
            fix: `Set highestTierName to ${oneOfStrings(names)}, or set spec.tierName in the HyperNodes of that tier to "${name}".`,
          }),
      };
    }
  },
};

export const hyperNodeRules: readonly Rule[] = [
  hasMembers,
  patternCompiles,
  hyperNodesByName,
  labelsNotEmpty,
  tiersDescend,
  oneParent,
  nodeOnce,
  tierNamed,
];
