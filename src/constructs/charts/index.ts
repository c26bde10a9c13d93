/**
 * Installing the operators: one catalog of charts, said to Flux, to Argo CD or as commands.
 */
export { ArgoApplication, type ArgoApplicationProps } from './argo-application';
export {
  type ChartFacts,
  chartFacts,
  type ChartName,
  CHARTS,
  type KustomizationFacts,
  TRAINING_OPERATOR,
} from './chart-facts';
export {
  chartInstall,
  type ChartInstall,
  type ChartOptions,
  helmCommands,
  trainingOperatorCommand,
  valuesText,
} from './chart-install';
export {
  type ChartValues,
  type GpuOperatorValues,
  type KedaValues,
  type KueueValues,
  type NetworkOperatorValues,
  type NfdValues,
  type PrometheusValues,
  type TrainerValues,
  type VolcanoValues,
} from './chart-values';
export {
  HelmRelease,
  type HelmReleaseProps,
  TrainingOperatorRelease,
  type TrainingOperatorReleaseProps,
} from './helm-release';
