/**
 * What is said of each part that the network operator runs: in which image, and with which resources.
 */
import { type Carried, type CarriedList } from '../../manifests/values/deferred';
import { definedJson } from '../../manifests/values/members';
import { type ResourceRequirements } from '../../facts/api/types/core/v1';

/** An image of the network operator, in parts. */
export interface OperatorImage {
  /** Registry and path. @default - `global.repository` of the policy */
  readonly repository?: Carried<string>;
  /** Name within the repository. @default - the part's usual one */
  readonly image?: Carried<string>;
  /** Tag, or `sha256:…`. @default - `global.version` of the policy */
  readonly version?: Carried<string>;
  /** Names of Secrets in the operator's namespace. @default - none */
  readonly imagePullSecrets?: CarriedList<string>;
  /** CPU and memory by container of the part. @default - the operator's */
  readonly resources?: Readonly<Record<string, Pick<ResourceRequirements, 'limits' | 'requests'>>>;
}

export interface RenderedImage {
  readonly image: string;
  readonly repository?: string;
  readonly version?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly containerResources?: readonly ({ readonly name: string } & Pick<
    ResourceRequirements,
    'limits' | 'requests'
  >)[];
}

/** @param usual the default name of the part's image */
export function renderImage(options: OperatorImage, usual: string): RenderedImage {
  const { repository, image = usual, version, imagePullSecrets, resources } = options;
  const containerResources = resources && Object.entries(resources).map(([name, amounts]) => ({ name, ...amounts }));
  return definedJson({ image, repository, version, imagePullSecrets, containerResources }) as unknown as RenderedImage;
}
