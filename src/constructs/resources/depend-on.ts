/**
 * Order by reference: a construct is written after what it refers to.
 */
import { Construct } from 'constructs';

/**
 * Writes `construct` after each of these that is a construct too; names, and values that only name something of the cluster, are skipped.
 *
 * Where a reference shows its own object (`resource`), the construct waits for that object alone: what is in its scope (the children of a
 * queue) need not come first.
 *
 * @throws if a reference is a construct of another app
 */
export function dependOn(construct: Construct, ...references: readonly (object | string | undefined)[]): void {
  requireSameApp(construct, ...references);
  for (const reference of references) {
    const target = targetOf(reference);
    if (target !== undefined) {
      construct.node.addDependency(target);
    }
  }
}

/**
 * A construct of another app is written by that app, so this one cannot wait for it.
 *
 * @throws if a reference is a construct of another app, with both paths
 */
export function requireSameApp(construct: Construct, ...references: readonly (object | string | undefined)[]): void {
  for (const reference of references) {
    const target = targetOf(reference);
    if (target !== undefined && target.node.root !== construct.node.root) {
      throw new Error(
        `${construct.node.path}: must not refer to ${target.node.path}, which belongs to another app. Refer to its object by fromName("…").`,
      );
    }
  }
}

function targetOf(reference: object | string | undefined): Construct | undefined {
  if (typeof reference !== 'object') {
    return undefined;
  }
  const own = 'resource' in reference ? reference.resource : undefined;
  if (Construct.isConstruct(own)) {
    return own;
  }
  return Construct.isConstruct(reference) ? reference : undefined;
}
