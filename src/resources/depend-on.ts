/**
 * Lets a workload be written after what it refers to. The one file of this folder that looks at constructs.
 */
import { Construct } from 'constructs';

/**
 * Values and names of the cluster are passed over. Where a construct shows its own object (`resource`), that alone is waited for:
 * what stands in its scope (the children of a queue) need not come first.
 */
export function dependOn(construct: Construct, references: readonly object[]): void {
  for (const reference of references) {
    const own = 'resource' in reference ? reference.resource : undefined;
    if (Construct.isConstruct(own)) construct.node.addDependency(own);
    else if (Construct.isConstruct(reference)) construct.node.addDependency(reference);
  }
}
