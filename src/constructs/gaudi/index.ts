/**
 * Intel Gaudi: device plugin and exporter for nodes without the base operator, which is a chart (`habana-ai-operator`).
 */
export {
  GAUDI_NAMESPACE,
  GAUDI_OPERATOR_NAMESPACE,
  GaudiDevicePlugin,
  type GaudiDevicePluginProps,
} from './gaudi-device-plugin';
export { GAUDI_EXPORTER_LABELS, GAUDI_EXPORTER_PORT, GaudiExporter, type GaudiExporterProps } from './gaudi-exporter';
