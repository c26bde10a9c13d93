/**
 * The queues of a manifest set as the tree that `spec.parent` makes of them. Computed once per set.
 *
 * A queue without a parent, or with the parent `root`, hangs below the root queue, which every cluster has and which limits nothing.
 */
import { ObjectNames } from '../../facts/spelling';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { asObject, asString } from '../../manifests/read';
import { amountsIn, type Amounts } from './queue-resources';

export const QUEUE_KIND = 'scheduling.volcano.sh/Queue';
export const ROOT_QUEUE = 'root';
export const DEFAULT_QUEUE = 'default';
/** Default of the webhook's `--max-queue-depth`. */
export const MAX_QUEUE_DEPTH = 5;

export interface QueueNode {
  readonly name: string;
  readonly manifest: Manifest;
  /** Position among the set's manifests, which is the order in which they would be applied. */
  readonly position: number;
  /** Name of the parent; `undefined` below the root. */
  readonly parent: string | undefined;
  readonly capability: Amounts;
  readonly deserved: Amounts;
  readonly guarantee: Amounts;
}

export class QueueTree {
  private static readonly known = new WeakMap<ManifestSet, QueueTree>();

  /** The tree of the set's queues. */
  static of(set: ManifestSet): QueueTree {
    let tree = QueueTree.known.get(set);
    if (tree === undefined) {
      tree = new QueueTree(set);
      QueueTree.known.set(set, tree);
    }
    return tree;
  }

  private namesOfQueues?: ObjectNames;
  /** By name. Where the set has a name twice, the last one counts, as it would after applying both. */
  private readonly byName = new Map<string, QueueNode>();
  private readonly childrenOf = new Map<string, QueueNode[]>();

  private constructor(set: ManifestSet) {
    if (set.ofKind(QUEUE_KIND).length === 0) {
      return;
    }
    set.manifests.forEach((manifest, position) => {
      if (`${manifest.id.group}/${manifest.id.kind}` === QUEUE_KIND && manifest.id.name !== '') {
        this.byName.set(manifest.id.name, nodeOf(manifest, position));
      }
    });
    for (const node of this.byName.values()) {
      if (node.parent === undefined) {
        continue;
      }
      const siblings = this.childrenOf.get(node.parent);
      if (siblings === undefined) {
        this.childrenOf.set(node.parent, [node]);
      } else {
        siblings.push(node);
      }
    }
  }

  get queues(): readonly QueueNode[] {
    return [...this.byName.values()];
  }

  get names(): ObjectNames {
    this.namesOfQueues ??= new ObjectNames(this.byName.keys());
    return this.namesOfQueues;
  }

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  get(name: string): QueueNode | undefined {
    return this.byName.get(name);
  }

  children(name: string): readonly QueueNode[] {
    return this.childrenOf.get(name) ?? [];
  }

  /** From the parent upwards, as far as the set knows; ends before a queue would come a second time. */
  ancestors(node: QueueNode): { readonly queues: readonly QueueNode[]; readonly cycle: boolean } {
    const queues: QueueNode[] = [];
    const seen = new Set([node.name]);
    let parent = node.parent;
    while (parent !== undefined) {
      if (seen.has(parent)) {
        return { queues, cycle: true };
      }
      seen.add(parent);
      const queue = this.byName.get(parent);
      if (queue === undefined) {
        break;
      }
      queues.push(queue);
      parent = queue.parent;
    }
    return { queues, cycle: false };
  }
}

function nodeOf(manifest: Manifest, position: number): QueueNode {
  const spec = asObject(manifest.object.spec);
  const parent = asString(spec.parent);
  return {
    name: manifest.id.name,
    manifest,
    position,
    parent:
      parent === undefined || parent === '' || parent === ROOT_QUEUE || manifest.id.name === ROOT_QUEUE
        ? undefined
        : parent,
    capability: amountsIn(spec.capability),
    deserved: amountsIn(spec.deserved),
    guarantee: amountsIn(asObject(spec.guarantee).resource),
  };
}
