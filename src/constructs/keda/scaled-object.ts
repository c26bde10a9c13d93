/**
 * ScaledObject: a workload whose replicas follow triggers.
 */
import { optionalSecondsOf } from '../resources/durations';
import { type Duration, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type HorizontalPodAutoscalerBehavior } from '../../facts/api/types/autoscaling/v2';
import { ScaledObject as ScaledObjectKind, type ScaledObjectSpec } from '../../facts/api/types/keda.sh/v1alpha1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { markScaled } from '../workload/interop';
import { requireWholeNumber } from '../workload/whole-number';
import {
  DEFAULT_MAX_REPLICAS,
  FORCE_ACTIVATION,
  PAUSED,
  PAUSED_REPLICAS,
  PAUSED_SCALE_IN,
  PAUSED_SCALE_OUT,
  TRANSFER_HPA_OWNERSHIP,
} from './keda-facts';
import { type Trigger } from './trigger';
import { publicClass } from '../resources/public-class';

/** An object with a scale subresource, as little as has to be known of it. */
export interface ScalableReference {
  /** API version of the object. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
}

/**
 * What is scaled: a Deployment or StatefulSet of cdk8s-plus, any `ApiObject`, a workload of this library, or
 * `{ apiVersion, kind, name }` of one that lives in the cluster.
 */
export type ScaleTarget = ScalableReference | { readonly resource: ScalableReference };

/** The number of replicas while triggers fail. */
export interface Fallback {
  /** Polls in a row that must fail before the fallback holds. */
  readonly failureThreshold: number;
  /** Replicas from then on. */
  readonly replicas: number;
  /** How `replicas` and the current number are combined. @default 'static': `replicas`, whatever there were before */
  readonly behavior?:
    | 'static'
    | 'currentReplicas'
    | 'currentReplicasIfHigher'
    | 'currentReplicasIfLower'
    | 'scalingModifiers';
}

/** A formula over the values of several triggers, which replaces them. */
export interface ScalingModifiers {
  /** In the language of expr, with the names of triggers: `max([queue, backlog]) + 1`. */
  readonly formula: string;
  /** Value of the formula that one replica is good for; above zero. */
  readonly target: number;
  /** Above it the target is scaled up from zero. @default 0 */
  readonly activationTarget?: number;
  /** Whether the target is divided by the number of replicas (`AverageValue`) or not. @default 'AverageValue' */
  readonly metricType?: 'AverageValue' | 'Value';
}

/** Settings of the HorizontalPodAutoscaler that KEDA creates. */
export interface HorizontalPodAutoscalerOptions {
  /** Name of the HorizontalPodAutoscaler. @default - `keda-hpa-` and the name of the ScaledObject */
  readonly name?: string;
  /** How fast replicas come and go. @default - Kubernetes': up at once, down after 300 s */
  readonly behavior?: HorizontalPodAutoscalerBehavior;
}

/** What is held still. */
export type Pause =
  /** Everything, at the replicas of the moment. */
  | 'now'
  | 'scale-in'
  | 'scale-out'
  /** Everything, at these replicas. */
  | { readonly atReplicas: number };

/** Props of a ScaledObject. */
export interface ScaledObjectProps extends NamespacedObjectProps, Overridable<ScaledObjectKind> {
  /** The workload that is scaled. */
  readonly target: ScaleTarget;
  /** One at least, here or with `addTrigger`. @default - none yet */
  readonly triggers?: readonly Trigger[];
  /** Smallest number of replicas. @default 0 */
  readonly minReplicas?: number;
  /** Greatest number of replicas. @default 100 */
  readonly maxReplicas?: number;
  /** Replicas while no trigger is active, below `minReplicas`. @default - `minReplicas` */
  readonly idleReplicas?: number;
  /** Time between checks of the triggers while the target is at zero replicas; otherwise the autoscaler polls. @default - 30 seconds */
  readonly pollingInterval?: Duration;
  /** Time without an active trigger before the target is scaled to zero; nothing else waits for it. @default - 300 seconds */
  readonly cooldownPeriod?: Duration;
  /** Time after the ScaledObject is made before the target may go to zero. @default - none */
  readonly initialCooldownPeriod?: Duration;
  /** What happens when triggers cannot be read. @default - replicas stay as they are */
  readonly fallback?: Fallback;
  /** The autoscaler that KEDA makes. @default - its own name, Kubernetes' behavior */
  readonly horizontalPodAutoscaler?: HorizontalPodAutoscalerOptions;
  /** One value out of those of all triggers. @default - each trigger for itself; the one that wants most replicas wins */
  readonly scalingModifiers?: ScalingModifiers;
  /** Whether deletion gives the target the replicas back that it had before. @default false */
  readonly restoreToOriginalReplicas?: boolean;
  /** Container whose variables `fromEnv` reads. @default - the first */
  readonly envSourceContainer?: string;
  /** Stops scaling for now. @default - not paused */
  readonly pause?: Pause;
  /** Whether the target is scaled up from zero though no trigger is active. @default false */
  readonly forceActivation?: boolean;
  /** Whether an autoscaler that the target has already is taken over; `horizontalPodAutoscaler.name` says which. @default false */
  readonly transferHpaOwnership?: boolean;
}

/**
 * A ScaledObject (`keda.sh/v1alpha1`), in the namespace of its target.
 *
 * @example
 * new keda.ScaledObject(chart, 'workers', {
 *   target: deployment,
 *   maxReplicas: 20,
 *   triggers: [keda.Triggers.kafka({
 *     bootstrapServers: ['kafka.streams.svc:9092'],
 *     consumerGroup: 'workers',
 *     topic: 'jobs',
 *     lagThreshold: 50,
 *   })],
 * });
 */
@publicClass('keda.ScaledObject')
export class ScaledObject extends Construct {
  /** Name of the ScaledObject. */
  readonly name: string;
  /** The ScaledObject object. */
  readonly resource: Resource<ScaledObjectKind>;
  private readonly triggers: Trigger[];

  /** @throws if counts contradict each other, or a takeover has no name */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ScaledObjectProps,
  ) {
    super(scope, id);
    requireCounts(props, this.node.path);
    markScaled(props.target);
    this.name = props.name ?? id;
    this.triggers = [...(props.triggers ?? [])];
    this.resource = new Resource(
      this,
      'Resource',
      ScaledObjectKind,
      {
        metadata: namespacedMetadata(id, { ...props, annotations: { ...annotationsOf(props), ...props.annotations } }),
        spec: Lazy.any({ produce: () => this.toSpec() }) as ScaledObjectSpec,
      },
      props.overrides,
    );
    dependOn(
      this.resource,
      props.namespace,
      props.target,
      ...this.triggers.map(({ authentication }) => authentication),
    );
  }

  /** A further trigger. */
  addTrigger(trigger: Trigger): this {
    this.triggers.push(trigger);
    dependOn(this.resource, trigger.authentication);
    return this;
  }

  private toSpec(): ScaledObjectSpec {
    const { props } = this;
    const { horizontalPodAutoscaler: hpa, scalingModifiers: modifiers } = props;
    const { apiVersion, kind, name } = 'resource' in props.target ? props.target.resource : props.target;
    const advanced =
      hpa === undefined && modifiers === undefined && props.restoreToOriginalReplicas === undefined
        ? undefined
        : {
            restoreToOriginalReplicaCount: props.restoreToOriginalReplicas,
            horizontalPodAutoscalerConfig: hpa && { name: hpa.name, behavior: hpa.behavior },
            scalingModifiers: modifiers && {
              formula: modifiers.formula,
              target: String(modifiers.target),
              activationTarget:
                modifiers.activationTarget === undefined ? undefined : String(modifiers.activationTarget),
              metricType: modifiers.metricType,
            },
          };
    const isDeployment = apiVersion === 'apps/v1' && kind === 'Deployment';
    return {
      scaleTargetRef: {
        ...(isDeployment ? {} : { apiVersion, kind }),
        name,
        envSourceContainerName: props.envSourceContainer,
      },
      pollingInterval: optionalSecondsOf('pollingInterval', props.pollingInterval),
      cooldownPeriod: optionalSecondsOf('cooldownPeriod', props.cooldownPeriod),
      initialCooldownPeriod: optionalSecondsOf('initialCooldownPeriod', props.initialCooldownPeriod),
      minReplicaCount: props.minReplicas,
      maxReplicaCount: props.maxReplicas,
      idleReplicaCount: props.idleReplicas,
      fallback: props.fallback && { ...props.fallback },
      advanced,
      triggers: this.triggers.map((trigger) => trigger.toSpec()),
    };
  }
}

function annotationsOf({ pause, forceActivation, transferHpaOwnership }: ScaledObjectProps): Record<string, string> {
  return {
    ...(pause === undefined ? {} : pauseAnnotation(pause)),
    ...(forceActivation === true ? { [FORCE_ACTIVATION]: 'true' } : {}),
    ...(transferHpaOwnership === true ? { [TRANSFER_HPA_OWNERSHIP]: 'true' } : {}),
  };
}

function pauseAnnotation(pause: Pause): Record<string, string> {
  if (typeof pause === 'object') {
    return { [PAUSED_REPLICAS]: String(pause.atReplicas) };
  }
  return { [{ now: PAUSED, 'scale-in': PAUSED_SCALE_IN, 'scale-out': PAUSED_SCALE_OUT }[pause]]: 'true' };
}

function requireCounts(props: ScaledObjectProps, path: string): void {
  const { minReplicas = 0, maxReplicas = DEFAULT_MAX_REPLICAS, idleReplicas, scalingModifiers, pause } = props;
  const fail = (what: string): never => {
    throw new Error(`${path}: ${what}`);
  };
  requireWholeNumber(`${path}: minReplicas`, minReplicas, 0);
  requireWholeNumber(`${path}: maxReplicas`, maxReplicas);
  if (minReplicas > maxReplicas) {
    fail(`minReplicas must be less than or equal to maxReplicas (${minReplicas} > ${maxReplicas}). Raise maxReplicas.`);
  }
  // KEDA counts a stated zero as one here, and nothing as zero.
  if (idleReplicas !== undefined && idleReplicas >= (props.minReplicas === 0 ? 1 : minReplicas)) {
    fail(
      `idleReplicas ${idleReplicas} must be less than minReplicas ${minReplicas}. Set or raise minReplicas, or remove idleReplicas.`,
    );
  }
  if (scalingModifiers !== undefined && !(scalingModifiers.target > 0)) {
    fail(`scalingModifiers.target must be greater than 0, not ${scalingModifiers.target}.`);
  }
  if (typeof pause === 'object') {
    requireWholeNumber(`${path}: pause.atReplicas`, pause.atReplicas, 0);
  }
  if (props.transferHpaOwnership === true && props.horizontalPodAutoscaler?.name === undefined) {
    fail('transferHpaOwnership requires the name of the autoscaler to take over. Set horizontalPodAutoscaler.name.');
  }
}
