/**
 * The Pulumi bridge, the entry point `cdk8s-gantry/pulumi`: constructs as a component of a Pulumi program, Outputs in props, checks in
 * every preview. Nothing else of this package loads Pulumi.
 */
export {
  type ChartClass,
  GantryStack,
  type GantryStackArgs,
  type OwnProps,
  type StackArguments,
  type StackProgram,
} from './gantry-stack';
export { type ConstructOf, type Stored, type StoredObject } from './stored-object';
export { type ObjectOptions, PulumiOptions } from './resource-options';
