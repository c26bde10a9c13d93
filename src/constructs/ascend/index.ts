/**
 * Huawei Ascend: device plugin, exporter, and the NPU plugin of Volcano's scheduler.
 */
export { AscendDevicePlugin, type AscendChip, type AscendDevicePluginProps } from './ascend-device-plugin';
export {
  NPU_EXPORTER_LABELS,
  NPU_EXPORTER_NAMESPACE,
  NPU_EXPORTER_PORT,
  NpuExporter,
  type NpuExporterProps,
} from './npu-exporter';
export { volcanoNpu, type VolcanoNpuConfiguration, type VolcanoNpuOptions } from './volcano-npu';
