/**
 * Objects of a stack as the cluster has them: their types, and how a program names one of them.
 */
import { ApiObject } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type Resource } from '../../constructs/resources/resource';

/** An object with what the cluster wrote. */
export interface StoredObject {
  /** `group/version`, or `version` alone for the core group. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Metadata, with what the server set. */
  readonly metadata: {
    /** Name of the object. */
    readonly name: string;
    /** Namespace of the object; absent for cluster-scoped kinds. */
    readonly namespace?: string;
    /** UID that the server gave it; not known in a preview that creates the object. */
    readonly uid: string;
    /** Labels of the object. Absent where it has none. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Annotations of the object. Absent where it has none. */
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** Desired state; absent for kinds without one. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** What the cluster reports; absent until it does. */
  readonly status?: Readonly<Record<string, unknown>>;
}

/** An object of a kind with what the cluster wrote: metadata is there, and so is the status once the cluster reports it. */
export type Stored<T> = { readonly [Member in Exclude<keyof T, CommonMember>]: T[Member] } & Pick<
  StoredObject,
  CommonMember
>;
type CommonMember = 'apiVersion' | 'kind' | 'metadata';

/** A construct of one object whose kind is known: `Resource` itself, or a construct that has it as its `resource`. */
export type ConstructOf<T> = Resource<T> | (IConstruct & { readonly resource: Resource<T> });

/**
 * The object of a construct: the construct itself, its `resource`, or the only object below it.
 *
 * @throws if there is not exactly one object, or it is of another kind
 */
export function objectOf(construct: IConstruct, kind?: ResourceKind<unknown>): ApiObject {
  const object = onlyObject(construct);
  if (kind !== undefined && (kind.kind !== object.kind || kind.apiVersion !== object.apiVersion)) {
    throw new Error(
      `${object.node.path} is a ${object.apiVersion} ${object.kind}, not a ${kind.apiVersion} ${kind.kind}.`,
    );
  }
  return object;
}

function onlyObject(construct: IConstruct): ApiObject {
  if (ApiObject.isApiObject(construct)) {
    return construct;
  }
  const { resource } = construct as { readonly resource?: unknown };
  if (ApiObject.isApiObject(resource)) {
    return resource;
  }
  const objects = construct.node.findAll().filter((found) => ApiObject.isApiObject(found));
  const [only] = objects;
  if (only === undefined || objects.length > 1) {
    const paths = objects.slice(0, 5).map(({ node }) => node.path);
    throw new Error(
      `${construct.node.path} has ${objects.length} objects. Name one of them${paths.length === 0 ? '' : `: ${paths.join(', ')}`}.`,
    );
  }
  return only;
}

/** The construct at the first of these paths that there is. */
export function constructAt(root: IConstruct, paths: readonly string[]): IConstruct | undefined {
  return paths
    .map((path) => path.split('/').reduce<IConstruct | undefined>(childOf, root))
    .find((construct) => construct !== undefined);
}

function childOf(parent: IConstruct | undefined, id: string): IConstruct | undefined {
  return parent?.node.tryFindChild(id);
}
