/**
 * Names of objects by their namespaces, in which rules look names up that they read: which of them a reference can mean, and which one a
 * misspelled name was meant to be. They are collected once for each set, and all lookups share the limited work of a search.
 */
import { groupBy } from '../../facts/collections';
import { ObjectNames } from '../../facts/spelling';
import { type ObjectId } from '../manifest';
import { type ManifestSet } from '../manifest-set';

/** A name and the namespace that it is in, empty where it is in none. */
export type PlacedName = Pick<ObjectId, 'name' | 'namespace'>;

export class PlacedNames {
  private readonly groups = new Map<string | undefined, ObjectNames>();
  private namespaces?: ReadonlyMap<string, readonly PlacedName[]>;
  private places?: ReadonlyMap<string, readonly PlacedName[]>;

  constructor(private readonly placed: readonly PlacedName[]) {}

  /** The names of all namespaces. */
  get all(): ObjectNames {
    return this.group(undefined, () => this.placed);
  }

  /** The names that a reference from this namespace can mean. An object without a namespace may be in any. */
  inReachOf(namespace: string): readonly ObjectNames[] {
    if (namespace === '') {
      return [this.all];
    }
    this.namespaces ??= groupBy(this.placed, (name) => name.namespace);
    const { namespaces } = this;
    return [namespace, ''].flatMap((one) => {
      const names = namespaces.get(one);
      return names === undefined ? [] : [this.group(one, () => names)];
    });
  }

  /** The namespaces that have the name. */
  namespacesWith(name: string): readonly string[] {
    this.places ??= groupBy(this.placed, (one) => one.name);
    return (this.places.get(name) ?? []).map(({ namespace }) => namespace);
  }

  private group(namespace: string | undefined, names: () => readonly PlacedName[]): ObjectNames {
    let group = this.groups.get(namespace);
    if (group === undefined) {
      this.groups.set(namespace, (group = new ObjectNames(names().map(({ name }) => name))));
    }
    return group;
  }
}

const bySet = new WeakMap<ManifestSet, Map<string, PlacedNames>>();

/** The names of the objects of a kind. */
export function namesOfKind(set: ManifestSet, kind: string): PlacedNames {
  const kinds = bySet.get(set) ?? new Map<string, PlacedNames>();
  bySet.set(set, kinds);
  let names = kinds.get(kind);
  if (names === undefined) {
    kinds.set(kind, (names = new PlacedNames(set.ofKind(kind).map(({ id }) => id))));
  }
  return names;
}
