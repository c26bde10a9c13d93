/**
 * Intel Gaudi: the ClusterPolicy of the base operator (chart `habana-ai-operator`), and device plugin and exporter for nodes without it.
 */
export {
  ClusterPolicy,
  type ClusterPolicyProps,
  GAUDI_CLUSTER_POLICY,
  type GaudiDriverOptions,
  type GaudiRuntimeOptions,
} from './cluster-policy';
export {
  GAUDI_NAMESPACE,
  GAUDI_OPERATOR_NAMESPACE,
  GaudiDevicePlugin,
  type GaudiDevicePluginProps,
} from './gaudi-device-plugin';
export { GAUDI_EXPORTER_LABELS, GAUDI_EXPORTER_PORT, GaudiExporter, type GaudiExporterProps } from './gaudi-exporter';
