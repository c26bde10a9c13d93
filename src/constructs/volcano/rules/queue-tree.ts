/**
 * What the queue webhook requires across queues. Only a contradiction within the set is an error: a queue that the set does not contain may
 * exist in the cluster.
 */
import { cite } from '../../../facts/upstream';
import { fieldOf, fieldPathOf, pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { addTo } from '../../../facts/collections';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { Quantity } from '../../../manifests/values/quantity';
import { type SetRule } from '../../../checks/rules/rule';
import { isCountedResource } from '../queue-resources';
import { MAX_QUEUE_DEPTH, type QueueNode, QueueTree } from '../queue-tree';
import { HIERARCHY_ANNOTATION } from './queue';
import { counted } from '../../../facts/words';

const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/queues/validate/validate_queue.go`;

const parentIsAnother: SetRule = {
  id: 'volcano/queue-parents-form-a-tree',
  row: 'VQ5',
  tier: 'webhook',
  severity: 'error',
  on: 'set',
  summary: 'A queue must not be its own ancestor.',
  why: 'The webhook rejects a queue that names itself as its parent; a longer cycle fails at the depth limit, and none of its queues can be created.',
  source: `${WEBHOOK}, validateHierarchicalQueue`,
  fix: 'Set spec.parent of one queue in the cycle to a queue outside it, or to `root`.',
  *check({ set }) {
    const tree = QueueTree.of(set);
    for (const queue of tree.queues) {
      const { queues, cycle } = tree.ancestors(queue);
      const closes = cycle && (queues.at(-1)?.parent === queue.name || queue.parent === queue.name);
      if (!closes) {
        continue;
      }
      const way = [queue, ...queues]
        .map(({ name }) => name)
        .concat(queue.name)
        .join(' → ');
      yield {
        manifest: queue.manifest,
        path: '/spec/parent',
        message:
          queue.parent === queue.name
            ? `the queue "${queue.name}" must not be its own parent`
            : `the queues form a cycle of parents: ${way}`,
        found: queue.parent,
        ...(queue.parent === queue.name && { fix: 'Set spec.parent to another queue, such as root.' }),
      };
    }
  },
};

const depthWithinLimit: SetRule = {
  id: 'volcano/queue-depth-within-limit',
  row: 'VQ5',
  tier: 'webhook',
  severity: 'error',
  on: 'set',
  summary: `A queue must be at most ${MAX_QUEUE_DEPTH} levels below the root.`,
  why: 'The webhook rejects a deeper queue, unless its --max-queue-depth is higher.',
  source: `${WEBHOOK}, validateQueueDepth; cmd/webhook-manager/app/options/options.go`,
  fix: 'Set spec.parent to a queue closer to the root, or increase --max-queue-depth of the webhook manager, and suppress the rule.',
  *check({ set }) {
    const tree = QueueTree.of(set);
    for (const queue of tree.queues) {
      const { queues, cycle } = tree.ancestors(queue);
      // A parent outside the set is a level too.
      const last = queues.at(-1) ?? queue;
      const depth = 1 + queues.length + (last.parent === undefined ? 0 : 1);
      if (cycle || depth <= MAX_QUEUE_DEPTH) {
        continue;
      }
      yield {
        manifest: queue.manifest,
        path: '/spec/parent',
        message: `the queue "${queue.name}" is ${counted(depth, 'level')} below the root, more than the limit of ${MAX_QUEUE_DEPTH}: ${[
          ...queues,
        ]
          .reverse()
          .map(({ name }) => name)
          .join(' → ')} → ${queue.name}`,
        found: depth,
        expected: `at most ${MAX_QUEUE_DEPTH}`,
      };
    }
  },
};

const parentKnown: SetRule = {
  id: 'volcano/queue-parent-known',
  row: 'VQ5',
  tier: 'webhook',
  severity: 'info',
  on: 'set',
  summary: 'The parent of a queue must be in the manifests or exist in the cluster.',
  why: 'The webhook rejects a queue if its parent does not exist.',
  source: `${WEBHOOK}, validateHierarchicalQueue`,
  fix: 'Add the parent queue to the manifests, set spec.parent to an existing queue, or make sure that the parent exists in the cluster.',
  *check({ set }) {
    const tree = QueueTree.of(set);
    for (const queue of tree.queues) {
      if (queue.parent === undefined || tree.get(queue.parent) !== undefined) {
        continue;
      }
      yield {
        manifest: queue.manifest,
        path: '/spec/parent',
        message: `parent queue "${queue.parent}" not found in these manifests`,
        found: queue.parent,
        expected: 'a queue in these manifests or in the cluster',
      };
    }
  },
};

const parentFirst: SetRule = {
  id: 'volcano/queue-after-parent',
  row: 'VQ5',
  tier: 'webhook',
  severity: 'warning',
  on: 'set',
  summary: 'A parent queue must come before its children.',
  why: 'Manifests are applied in order, and the webhook rejects a queue whose parent does not exist yet: the first apply fails halfway.',
  source: `${WEBHOOK}, validateHierarchicalQueue`,
  fix: 'Move the parent before the child, or pass the parent as `parent` to the construct of the child.',
  *check({ set }) {
    const tree = QueueTree.of(set);
    for (const queue of tree.queues) {
      const parent = queue.parent === undefined ? undefined : tree.get(queue.parent);
      if (parent === undefined || parent.position < queue.position || parent === queue) {
        continue;
      }
      yield {
        manifest: queue.manifest,
        path: '/spec/parent',
        message: `the queue "${queue.name}" precedes its parent "${parent.name}" in the manifests, so the webhook rejects the first apply`,
        found: queue.parent,
      };
    }
  },
};

const capabilityWithinAncestor: SetRule = {
  id: 'volcano/queue-capability-within-ancestor',
  row: 'VQ6',
  tier: 'webhook',
  severity: 'error',
  on: 'set',
  summary: 'The capability of a queue must not exceed that of the nearest ancestor that limits the resource.',
  why: 'The webhook rejects the queue that is applied second.',
  source: `${WEBHOOK}, validateChildAgainstAncestor and validateChildrenConstraints`,
  fix: 'Decrease spec.capability of the child, or increase spec.capability of the ancestor.',
  *check({ set }) {
    const tree = QueueTree.of(set);
    for (const queue of tree.queues) {
      if (queue.capability.size === 0 || queue.parent === undefined) {
        continue;
      }
      const { queues } = tree.ancestors(queue);
      for (const [resource, capability] of queue.capability) {
        if (!isCountedResource(resource)) {
          continue;
        }
        const nearest = queues.find((ancestor) => ancestor.capability.get(resource)?.isPositive() === true);
        const limit = nearest?.capability.get(resource);
        if (nearest === undefined || limit === undefined || !capability.isGreaterThan(limit)) {
          continue;
        }
        yield {
          manifest: queue.manifest,
          path: pointer('/spec/capability', resource),
          message: `the capability exceeds that of the ancestor "${nearest.name}" (${capability.toString()} > ${limit.toString()} ${resource})`,
          found: capability.toString(),
          expected: `at most ${limit.toString()}`,
          fix: `Set ${fieldOf(pointer('/capability', resource))} to at most ${limit.toString()}, or to at least ${capability.toString()} in the queue "${nearest.name}".`,
        };
      }
    }
  },
};

function childrenWithinParent(field: 'guarantee' | 'deserved'): SetRule {
  const listOf = field === 'guarantee' ? 'guarantee.resource' : 'deserved';
  const noun = field === 'guarantee' ? 'guarantee' : 'deserved amount';
  const base = `/spec/${listOf.replace('.', '/')}`;
  return {
    id: `volcano/queue-children-${field}-within-parent`,
    row: 'VQ7',
    tier: 'webhook',
    severity: 'error',
    on: 'set',
    summary: `The sum of \`${field}\` of a queue's children must not exceed \`${field}\` of the queue; a resource that the queue does not list counts as zero.`,
    why: 'The webhook rejects the child that exceeds the parent. Only the root queue is exempt.',
    source: `${WEBHOOK}, validateSiblingsSum and validateChildrenConstraints`,
    fix: `Set spec.${listOf} of the parent to at least the sum of its children, or decrease it in the children.`,
    *check({ set }) {
      const tree = QueueTree.of(set);
      for (const parent of tree.queues) {
        for (const [resource, sum] of sumsOver(tree.children(parent.name), field)) {
          const own = parent[field].get(resource);
          // Like upstream: a resource of the children that the parent does not name is too much even at zero, but for cpu and memory.
          const missing = own === undefined && resource !== 'cpu' && resource !== 'memory';
          if (!missing && !sum.total.isGreaterThan(own ?? Quantity.ZERO)) {
            continue;
          }
          yield {
            manifest: parent.manifest,
            path: own === undefined ? '/spec' : pointer(base, resource),
            message: sum.total.isZero()
              ? `the children of the queue "${parent.name}" set ${resource} in ${field}, but the queue itself does not`
              : `the children of the queue "${parent.name}" have a total ${noun} of ${sum.total.toString()} ${resource} (${describeTerms(sum.terms)}), ` +
                (own === undefined
                  ? 'but the queue itself has none'
                  : `but the queue itself has only ${own.toString()}`),
            ...(own === undefined ? {} : { found: own.toString() }),
            expected: `at least ${sum.total.toString()}`,
            fix: sum.total.isZero()
              ? `Set ${fieldPathOf(pointer(base, resource))} of the queue "${parent.name}" to at least 0, or remove it from the children.`
              : `Set ${fieldPathOf(pointer(base, resource))} of the queue "${parent.name}" to at least ${sum.total.toString()}, ` +
                'or decrease it in the children.',
          };
        }
      }
    },
  };
}

interface Sum {
  total: Quantity;
  readonly terms: string[];
}

function describeTerms(terms: readonly string[]): string {
  return terms.length > 6 ? `${terms.slice(0, 5).join(' + ')} + ${terms.length - 5} more` : terms.join(' + ');
}

function sumsOver(children: readonly QueueNode[], field: 'guarantee' | 'deserved'): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const child of children) {
    for (const [resource, amount] of child[field]) {
      if (!isCountedResource(resource)) {
        continue;
      }
      let sum = sums.get(resource);
      if (sum === undefined) {
        sums.set(resource, (sum = { total: Quantity.ZERO, terms: [] }));
      }
      sum.total = sum.total.add(amount);
      sum.terms.push(`${child.name} ${amount.toString()}`);
    }
  }
  return sums;
}

const hierarchyPathsApart: SetRule = {
  id: 'volcano/queue-hierarchy-ends-at-leaf',
  row: 'VQ4',
  tier: 'webhook',
  severity: 'error',
  on: 'set',
  summary: `The path in a queue's ${HIERARCHY_ANNOTATION} must not be an ancestor of another queue's path.`,
  why: "The webhook rejects a queue on another queue's path: in this older hierarchy only leaves are queues.",
  source: `${WEBHOOK}, validateHierarchicalAttributes`,
  fix: `Set ${HIERARCHY_ANNOTATION} of the queue with children to another path, or use \`spec.parent\` with the capacity plugin instead of the annotations.`,
  *check({ set }) {
    const owners = pathsOf(set);
    const inner = new Map<string, string>();
    for (const path of owners.keys()) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        inner.set(path.slice(0, end), path);
      }
    }
    for (const [path, nodes] of owners) {
      const longer = inner.get(path);
      if (longer === undefined) {
        continue;
      }
      for (const node of nodes) {
        yield {
          manifest: node.manifest,
          path: pointer('/metadata/annotations', HIERARCHY_ANNOTATION),
          message: `the path "${path}" is an ancestor of "${longer}", the path of the queue "${owners.get(longer)?.[0]?.name ?? ''}"`,
          found: path,
        };
      }
    }
  },
};

function pathsOf(set: ManifestSet): ReadonlyMap<string, readonly QueueNode[]> {
  const owners = new Map<string, QueueNode[]>();
  for (const node of QueueTree.of(set).queues) {
    const written = asString(asObject(asObject(node.manifest.object.metadata).annotations)[HIERARCHY_ANNOTATION]);
    if (written === undefined || written === '') {
      continue;
    }
    // The mutating webhook puts the root in front of a path that lacks it.
    const path = written.startsWith('root') ? written : `root/${written}`;
    addTo(owners, path, node);
  }
  return owners;
}

export const queueTreeRules: readonly SetRule[] = [
  parentIsAnother,
  depthWithinLimit,
  parentKnown,
  parentFirst,
  capabilityWithinAncestor,
  childrenWithinParent('guarantee'),
  childrenWithinParent('deserved'),
  hierarchyPathsApart,
];
