/**
 * Defaults that the API server set and an apply leaves in place, where the new object must not have them.
 *
 * Source: Kubernetes 1.36, validation of deployment strategies and of update strategies of StatefulSets.
 */
import { kindKey } from '../../../manifests/identity';
import { asObject } from '../../../manifests/read';
import { type Update } from './immutable-fields';

/** An update that is rejected for a field which no manifest sets. */
export interface LeftOver {
  /** The field that must be removed: `spec.strategy.rollingUpdate`. */
  readonly field: string;
  /** What rules it out: `type: Recreate`. */
  readonly with: string;
}

/** The strategy of a kind that may have `rollingUpdate`, and the type that must not. */
const STRATEGIES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  'apps/Deployment': { name: 'strategy', type: 'Recreate' },
  'apps/StatefulSet': { name: 'updateStrategy', type: 'OnDelete' },
};

/** A change of the update strategy that keeps the default of the old one. */
export function leftOverDefault({ before, after }: Update): LeftOver | undefined {
  const kind = kindKey(after.id);
  const strategy = Object.hasOwn(STRATEGIES, kind) ? STRATEGIES[kind] : undefined;
  if (strategy === undefined) {
    return undefined;
  }
  const { name, type } = strategy;
  const [old, now] = [before, after].map(({ object }) => asObject(asObject(object.spec)[name]));
  // A field that a manifest set is removed with it; null removes it in any case with kubectl apply.
  const isRemoved = old.rollingUpdate !== undefined || now.rollingUpdate === null;
  return old.type === type || now.type !== type || isRemoved
    ? undefined
    : { field: `spec.${name}.rollingUpdate`, with: `type: ${type}` };
}
