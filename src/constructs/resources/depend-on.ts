/**
 * Order by reference: a construct is written after what it refers to.
 */
import { Construct } from 'constructs';

/**
 * Lets `construct` come after whatever of these is a construct too; names, and values that only name something of the cluster, are
 * passed over.
 *
 * Where a reference shows its own object (`resource`), that alone is waited for: what stands in its scope (the children of a queue)
 * need not come first.
 */
export function dependOn(construct: Construct, ...references: readonly (object | string | undefined)[]): void {
  for (const reference of references) {
    if (typeof reference !== 'object') {
      continue;
    }
    const own = 'resource' in reference ? reference.resource : undefined;
    if (Construct.isConstruct(own)) {
      construct.node.addDependency(own);
    } else if (Construct.isConstruct(reference)) {
      construct.node.addDependency(reference);
    }
  }
}
