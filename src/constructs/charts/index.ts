/**
 * Installing the operators: one catalog of charts, said to Flux, to Argo CD or as commands.
 */
export { ArgoApplication, type ArgoApplicationProps } from './argo-application';
export {
  type AnyChart,
  type ChartFacts,
  chartFacts,
  type ChartName,
  CHARTS,
  type KustomizationFacts,
  type OtherChart,
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
  type DraDriverValues,
  type GpuOperatorValues,
  type KedaValues,
  type KueueValues,
  type NetworkOperatorValues,
  type NeuronValues,
  type NfdValues,
  type PrometheusValues,
  type RocmGpuOperatorValues,
  type TrainerValues,
  type VolcanoValues,
} from './chart-values';
export { PulumiRelease, type PulumiReleaseProps } from './pulumi-release';
export {
  HelmRelease,
  type HelmReleaseProps,
  TrainingOperatorRelease,
  type TrainingOperatorReleaseProps,
} from './helm-release';
