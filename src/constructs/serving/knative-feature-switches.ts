/**
 * The ConfigMap by which Knative's switches are turned on, for the services that need them.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { FEATURES_CONFIG_MAP, KNATIVE_NAMESPACE } from './knative-features';
import { publicClass } from '../resources/public-class';

/** A construct that needs feature switches: a KnativeService, or an InferenceService that is rendered as one. */
export interface NeedsKnativeFeatures {
  /** Keys of `config-features` that must be on. */
  readonly requiredFeatures: readonly string[];
}

/** Props of KnativeFeatureSwitches. */
export interface KnativeFeatureSwitchesProps extends Omit<NamespacedObjectProps, 'name'>, Overridable<ConfigMap> {
  /** Services whose features are turned on. @default - none: `addService` */
  readonly services?: readonly NeedsKnativeFeatures[];
  /** Further switches to enable, by their keys. @default - none */
  readonly features?: readonly string[];
}

/**
 * The ConfigMap `config-features` of Knative, in `knative-serving` unless you say otherwise. Knative's installation
 * makes it too: apply this one with server-side apply, or use `patch`, so that what others switched on stays. Most
 * switches cannot safely be turned off again.
 *
 * @example
 * const chat = new serving.InferenceService(chart, 'chat', {
 *   image: 'vllm/vllm-openai:v0.14.0',
 *   port: 8000,
 *   loadingTime: Duration.minutes(4),
 *   accelerators: Accelerator.nvidia({ count: 1 }),
 *   as: serving.ServingEngine.knative(),
 * });
 * const features = new serving.KnativeFeatureSwitches(chart, 'features', { services: [chat] });
 * features.patch; // for kubectl patch configmap config-features -n knative-serving --type merge -p
 */
@publicClass('serving.KnativeFeatureSwitches')
export class KnativeFeatureSwitches extends Construct {
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly services: NeedsKnativeFeatures[];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: KnativeFeatureSwitchesProps = {},
  ) {
    super(scope, id);
    this.services = [...(props.services ?? [])];
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(FEATURES_CONFIG_MAP, { namespace: KNATIVE_NAMESPACE, ...props }),
        data: Lazy.any({ produce: () => this.data }) as Record<string, string>,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }

  /** Turns on the features of a service. */
  addService(service: NeedsKnativeFeatures): this {
    this.services.push(service);
    return this;
  }

  /** What is switched on. */
  get data(): Readonly<Record<string, string>> {
    const features = [...this.services.flatMap((service) => service.requiredFeatures), ...(this.props.features ?? [])];
    return Object.fromEntries([...new Set(features)].sort().map((feature) => [feature, 'enabled']));
  }

  /** The same as a merge patch, for a ConfigMap that others keep. */
  get patch(): { readonly data: Readonly<Record<string, string>> } {
    return { data: this.data };
  }
}
