/**
 * How Pulumi treats the objects of a construct: stated at any construct of the tree, for it and everything below it.
 */
import type * as pulumi from '@pulumi/pulumi';
import { type IConstruct } from 'constructs';

/** What Pulumi does with the objects of a construct and of everything below it. */
export interface ObjectOptions {
  /** Provider of the cluster that the objects are for. @default - the provider of the stack */
  readonly provider?: pulumi.ProviderResource;
  /** Whether Pulumi refuses to delete the objects. @default false */
  readonly protect?: boolean;
  /** Whether the objects stay in the cluster when Pulumi deletes their resources. @default false */
  readonly retainOnDelete?: boolean;
  /** Paths of inputs whose changes are ignored, such as `spec.replicas` under an autoscaler. @default - none */
  readonly ignoreChanges?: readonly string[];
  /** Paths of inputs whose changes replace the object. @default - those that the provider knows */
  readonly replaceOnChanges?: readonly string[];
  /** Whether a replaced object is deleted before the new one is created. @default - the provider decides */
  readonly deleteBeforeReplace?: boolean;
  /** How long Pulumi waits for each operation. @default - the provider's own times */
  readonly customTimeouts?: pulumi.CustomTimeouts;
  /** Resources of Pulumi that must exist before the objects. @default - none */
  readonly dependsOn?: readonly pulumi.Resource[];
  /** Transforms of the objects' resources. @default - those of the stack */
  readonly transforms?: readonly pulumi.ResourceTransform[];
  /** Names under which the state has the object, for one object: a URN, or an alias of Pulumi. @default - none */
  readonly aliases?: readonly pulumi.Input<pulumi.URN | pulumi.Alias>[];
  /**
   * Path that the construct had before it was renamed or moved, such as `platform/research`; all objects below it keep their state.
   * @default - it had this path always
   */
  readonly renamedFrom?: string;
  /** ID of an existing object, `namespace/name` or `name`, that Pulumi adopts; for one object. @default - none */
  readonly import?: string;
  /** Condition that Pulumi waits for, in the form of `pulumi.com/waitFor`, such as `condition=Ready`. @default - the provider decides */
  readonly waitFor?: string | readonly string[];
  /** Whether Pulumi goes on without waiting until the object is ready. @default - true for Jobs, Pods, and claims, whose start a queue or a scheduler decides */
  readonly skipAwait?: boolean;
  /** Whether Pulumi takes over fields that another manager owns. @default false */
  readonly patchForce?: boolean;
  /** How dependents of the object are deleted. @default - background for CustomResourceDefinitions, foreground otherwise, which is the provider's default */
  readonly deletionPropagation?: 'foreground' | 'background' | 'orphan';
}

const OPTIONS = Symbol.for('gantry.pulumi-options');

interface WithOptions {
  [OPTIONS]?: ObjectOptions;
}

/**
 * Sets how Pulumi treats the objects of a construct and of everything below it. A construct closer to the object wins; dependencies,
 * transforms, and ignored changes add up. Apps that are not built by a `GantryStack` ignore it.
 *
 * @example
 * const chart = new Chart(app, 'research');
 * PulumiOptions.of(chart).set({ protect: true, renamedFrom: 'old-research' });
 */
export class PulumiOptions {
  /** Returns the options of a construct. */
  static of(scope: IConstruct): PulumiOptions {
    return new PulumiOptions(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /** Sets options; those that were set before stay. */
  set(options: ObjectOptions): this {
    const holder = this.scope as IConstruct & WithOptions;
    holder[OPTIONS] = { ...holder[OPTIONS], ...options };
    return this;
  }
}

/** Options that add up along the path. */
const LISTS = ['ignoreChanges', 'replaceOnChanges', 'dependsOn', 'transforms'] as const;

/** What holds for an object: the options of its construct and of all parents. */
export function optionsFor(construct: IConstruct): ObjectOptions {
  let result: ObjectOptions = {};
  for (const scope of construct.node.scopes) {
    const own = (scope as IConstruct & WithOptions)[OPTIONS];
    if (own === undefined) {
      continue;
    }
    const { aliases, import: imported, ...inherited } = own;
    const before = result;
    result = { ...before, ...inherited };
    for (const list of LISTS) {
      if (before[list] !== undefined && own[list] !== undefined) {
        result = { ...result, [list]: [...before[list], ...own[list]] };
      }
    }
    if (holds(scope, construct)) {
      result = { ...result, aliases, import: imported };
    }
  }
  return result;
}

/** Whether the options of `scope` are about this one object: the construct itself, or the one whose object it is. */
function holds(scope: IConstruct, object: IConstruct): boolean {
  return scope === object || (object.node.scope === scope && object.node.id === 'Resource');
}

/** Paths that an object had before constructs above it were renamed, oldest scope first. */
export function formerPaths(construct: IConstruct): readonly string[] {
  const { path } = construct.node;
  return construct.node.scopes.flatMap((scope) => {
    const from = (scope as IConstruct & WithOptions)[OPTIONS]?.renamedFrom;
    return from === undefined ? [] : [`${from}${path.slice(scope.node.path.length)}`];
  });
}
