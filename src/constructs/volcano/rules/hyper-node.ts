/**
 * Hyper nodes: what their webhook demands, and what keeps the scheduler from building the topology. One broken hyper node stops every
 * job that asks for a network topology.
 */
import { cite } from '../../../facts/upstream';
import { createRequire } from 'node:module';
import { type RE2JS } from '@bufbuild/re2';
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { valueAt } from '../../../manifests/pointer';
import { asArray, asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { type ObjectRule, type Rule, type SetRule } from '../../../checks/rule';
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
  summary: 'A HyperNode has at least one member.',
  why: 'The webhook refuses it. The schema only minds an empty list, not a missing one.',
  source: WEBHOOK,
  fix: 'Name nodes, or hyper nodes of the tier below.',
  *check({ object }) {
    if (asArray(asObject(object.spec).members).length === 0) {
      yield { path: '/spec', message: 'the hyper node has no member', expected: 'members' };
    }
  },
};

const requireOnDemand = createRequire(__filename);

/** Why Go would not compile a pattern. The engine is loaded only when a pattern is met. */
function patternProblem(pattern: string): string | undefined {
  const engine = requireOnDemand('@bufbuild/re2') as { readonly RE2JS: typeof RE2JS };
  try {
    engine.RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const patternCompiles: ObjectRule = {
  id: 'volcano/hyper-node-pattern-compiles',
  row: 'VH2',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [HYPER_NODE_KIND],
  summary: 'The pattern of a regexMatch is a Go regular expression.',
  why: 'The webhook refuses the HyperNode. Go knows neither look-ahead nor back-references.',
  source: WEBHOOK,
  fix: 'Correct the pattern, or use labelMatch.',
  *check(manifest) {
    for (const { path, selector } of membersOf(manifest)) {
      const pattern = asString(asObject(selector.regexMatch).pattern) ?? '';
      const problem = pattern === '' ? undefined : patternProblem(pattern);
      if (problem !== undefined) {
        yield {
          path: `${path}/selector/regexMatch/pattern`,
          message: `the pattern does not compile: ${problem}`,
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
  summary: 'Members of type HyperNode are named one by one, with exactMatch.',
  why: 'For hyper nodes the scheduler reads exactMatch alone: patterns and labels choose nodes only, so the member is left out.',
  source: `${SCHEDULER}, BuildHyperNodeCache`,
  fix: 'Add one member with exactMatch per hyper node.',
  *check(manifest) {
    for (const { path, isHyperNode, selector } of membersOf(manifest)) {
      if (!isHyperNode || (selector.regexMatch === undefined && selector.labelMatch === undefined)) {
        continue;
      }
      yield {
        path: `${path}/selector`,
        message: 'hyper nodes cannot be chosen by pattern or label',
        found: Object.keys(selector),
        expected: 'exactMatch',
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
  summary: 'A labelMatch names at least one label.',
  why: 'Elsewhere in Kubernetes an empty selector chooses everything; here it chooses nothing.',
  source: `${SCHEDULER}, GetMembers`,
  fix: 'Add matchLabels or matchExpressions.',
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
        message: 'an empty labelMatch chooses no node',
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
  summary: 'The hyper nodes within a hyper node are of a lower tier.',
  why: 'The tier says how far apart nodes are; the scheduler walks the tiers upwards and would never look inside.',
  source: `${SCHEDULER}; network-topology-aware plugin`,
  fix: 'Number the tiers from the leaves upwards, beginning with 1.',
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
          message: `the member ${exact ?? ''} is of tier ${memberTier}, the hyper node itself of tier ${tier}`,
          found: memberTier,
          expected: `a tier below ${tier}`,
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
  summary: 'A hyper node is a member of one hyper node at most, and no circle arises.',
  why: 'The scheduler stops building the topology there, and places no job that asks for one.',
  source: `${SCHEDULER}, addChild and BuildHyperNodeCache`,
  fix: 'Keep one parent.',
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
            message: `the hyper node ${exact} is already a member of ${other}`,
            found: exact,
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
      message: `the hyper nodes hold each other in a circle: ${circle.join(' → ')}`,
    };
  },
};

const nodeOnce: SetRule = {
  id: 'volcano/hyper-node-holds-node-once',
  row: 'VH6',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A node is a member of one hyper node of a tier.',
  why: 'A node of two domains of the same tier is counted in both, so a gang may be placed where it does not fit.',
  source: `${cite('volcano')}, topology.volcano.sh HyperNode`,
  fix: 'Name the node in one hyper node of the tier.',
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
            message: `the node ${exact} is ${other === name ? 'named twice' : `already a member of ${other}, of the same tier ${tier}`}`,
            found: exact,
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
  summary: 'The name of a tier that a gang asks for is the tierName of a hyper node.',
  why: 'The scheduler finds no such tier, and a gang that must stay within it is not placed.',
  source: SCHEDULER,
  fix: 'Correct the name, or give the hyper nodes of the tier their tierName.',
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
        message: `no hyper node of these manifests is of a tier "${name}"`,
        found: name,
        expected: names.length === 0 ? 'hyper nodes with a tierName' : names.join(', '),
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
