/**
 * The thin L1: a Kubernetes object of any kind as a construct, typed by its kind and checked whenever its app is synthesized.
 */
import { ApiObject, type ApiObjectMetadata, Lazy } from 'cdk8s';
import { type Construct } from 'constructs';
import { findKind } from '../../facts/api/kinds';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type Carried, type CarriedDeep, type CarriedMap, membersOf } from '../../manifests/values/deferred';
import { merged } from './merge';
import { type Overridable } from './object-props';
import { withinPackage } from '../../checks/synth/open-call';
import { checkOnSynth } from '../../checks/synth/on-synth';

/** What one writes of an object: everything but its kind, which is named beside it, and its status, which the cluster writes. */
export type ResourceProps<T> = CarriedMembers<Omit<T, 'apiVersion' | 'kind' | 'status' | 'metadata'>> & {
  /** Metadata of the object. @default - cdk8s generates the name, and the namespace is that of the chart */
  readonly metadata?: ResourceMetadata;
};

/** Every member may be an Output of Pulumi, at any depth. */
type CarriedMembers<T> = { readonly [Member in keyof T]: CarriedDeep<T[Member]> };

/** Metadata of an object; its name is known at synthesis, and what is only carried may be an Output of Pulumi. */
export type ResourceMetadata = Omit<ApiObjectMetadata, 'namespace' | 'labels' | 'annotations'> & {
  /** Namespace of the object. @default - that of the chart */
  readonly namespace?: Carried<string>;
  /** Labels of the object. @default - those of the chart */
  readonly labels?: CarriedMap<string>;
  /** Annotations of the object. @default - none */
  readonly annotations?: CarriedMap<string>;
};

/**
 * A Kubernetes object of the kind `T`.
 *
 * Props, and what `addJsonPatch` adds later, are written unchanged: nothing that the types do not know is dropped, and the check reports
 * an unknown field.
 *
 * @example
 * import { Queue } from 'cdk8s-gantry/api/scheduling.volcano.sh/v1beta1';
 *
 * new Resource(chart, 'queue', Queue, { spec: { weight: 4 } });
 */
export class Resource<T> extends ApiObject {
  /** Never there at run time; it makes `Resource<Queue>` and `Resource<Job>` different types, by which others know what they are given. */
  declare protected readonly objectType?: T;

  /**
   * @param overrides merged into the spec, or into the object itself where its kind has none
   */
  constructor(
    scope: Construct,
    id: string,
    kind: ResourceKind<T>,
    props: ResourceProps<T>,
    overrides?: Overridable<T>['overrides'],
  ) {
    super(scope, id, {
      ...overridden(props, overrides),
      metadata: metadataFor(kind, props.metadata),
      apiVersion: kind.apiVersion,
      kind: kind.kind,
    });
    checkOnSynth(this);
  }

  /** Renders the object. */
  override toJson(): ReturnType<ApiObject['toJson']> {
    // What constructs state late is worked out here, and is not a call of the program.
    return withinPackage((): ReturnType<ApiObject['toJson']> => super.toJson());
  }
}

/** The late values of a spec are merged when they are known. */
function overridden(props: object, overrides: object | undefined): object {
  if (overrides === undefined) {
    return props;
  }
  if (!('spec' in props)) {
    return merged(props, overrides);
  }
  const { spec }: { readonly spec?: unknown } = props;
  const late = (): object => {
    const known: unknown = spec instanceof Lazy ? spec.produce() : spec;
    return known ?? {};
  };
  return { ...props, spec: Lazy.any({ produce: () => merged(late(), overrides) }) as unknown };
}

/**
 * cdk8s gives every object the namespace of its chart, also where a kind has none. A namespace that turns out to be nothing at synthesis
 * keeps the chart's away and is not written. One that somebody wrote stays, for the check to report.
 */
function metadataFor(kind: ResourceKind<unknown>, stated: ResourceMetadata | undefined): ApiObjectMetadata | undefined {
  // cdk8s takes what it does not know, and asks its resolvers for a value.
  const metadata = stated as ApiObjectMetadata | undefined;
  membersOf('metadata.labels', metadata?.labels);
  membersOf('metadata.annotations', metadata?.annotations);
  if (metadata?.namespace !== undefined || findKind(kind.apiVersion, kind.kind)?.scope !== 'Cluster') {
    return metadata;
  }
  return { ...metadata, namespace: Lazy.any({ produce: () => undefined }) as string };
}
