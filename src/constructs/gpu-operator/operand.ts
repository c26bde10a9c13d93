/**
 * What is said of each part that the operator runs: whether, in which image, and with which settings.
 */
import { type Carried, type CarriedList, passed, passedList } from '../../manifests/values/deferred';
import { type ResourceRequirements } from '../../facts/api/types/core/v1';

/** An image as the operator's resources name it: in parts. */
export interface OperandImage {
  /** Registry and path, `nvcr.io/nvidia`. @default - the chart's; a ClusterPolicy of your own has none */
  readonly repository?: Carried<string>;
  /** Name within the repository. @default - the chart's; a ClusterPolicy of your own has none */
  readonly image?: Carried<string>;
  /** Tag, or `sha256:…`. @default - the chart's; a ClusterPolicy of your own has none */
  readonly version?: Carried<string>;
  /** When the image is pulled. @default - IfNotPresent, the operator's default */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** Names of Secrets in the operator's namespace. @default - none */
  readonly imagePullSecrets?: CarriedList<string>;
}

/** Settings of one part that the operator runs. */
export interface Operand extends OperandImage {
  /** Whether the operator runs the part. @default - the operator's own default for this part */
  readonly enabled?: boolean;
  /** Environment of the container. @default - none beside the operator's own */
  readonly env?: Readonly<Record<string, Carried<string>>>;
  /** Arguments of the container. @default - the operator's own */
  readonly args?: readonly Carried<string>[];
  /** Resources of the container. @default - none */
  readonly resources?: Pick<ResourceRequirements, 'limits' | 'requests'>;
}

interface EnvEntry {
  readonly name: string;
  readonly value: string;
}

/** An operand as the operator's resources have it: what is carried has the type of its value. */
export interface RenderedOperand extends Pick<Operand, 'enabled' | 'imagePullPolicy' | 'resources'> {
  readonly imagePullSecrets?: readonly string[];
  readonly repository?: string;
  readonly image?: string;
  readonly version?: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvEntry[];
}

/** The operand as a resource has it, variables as a list; of a wider value, only what says what runs. */
export function renderOperand(operand: Operand): RenderedOperand {
  const { enabled, repository, image, version, imagePullPolicy, imagePullSecrets, env, args, resources } = operand;
  return {
    enabled,
    repository: passed(repository),
    image: passed(image),
    version: passed(version),
    imagePullPolicy,
    imagePullSecrets: passedList(imagePullSecrets),
    args: args?.map(passed),
    resources,
    env: env && Object.entries(env).map(([name, value]) => ({ name, value: passed(value) })),
  };
}
