/**
 * Replicas that follow what there is to do: KEDA's ScaledObject and ScaledJob, their triggers and authentications, and presets for servers
 * of language models.
 */
export * from './generated-triggers';
export * from './triggers';
export { LlmScaling, type LlmScalingProps, type LlmServer, type ScalingPlan } from './llm-scaling';
export { EnvironmentVariable, fromEnv, Trigger, type TriggerDefinition, type TriggerOptions } from './trigger';
export {
  type AuthenticationSources,
  ClusterTriggerAuthentication,
  type ClusterTriggerAuthenticationProps,
  type KeyOf,
  type OAuth2,
  type PodIdentity,
  type SecretStores,
  TriggerAuthentication,
  type TriggerAuthenticationProps,
  type TriggerAuthenticationReference,
} from './trigger-authentication';
export {
  type Fallback,
  type HorizontalPodAutoscalerOptions,
  type Pause,
  type ScalableReference,
  ScaledObject,
  type ScaledObjectProps,
  type ScaleTarget,
  type ScalingModifiers,
} from './scaled-object';
export { type JobScaling, ScaledJob, type ScaledJobProps } from './scaled-job';
