/**
 * AWS Neuron: device plugin and monitor for clusters without the Neuron chart (`neuron-helm-chart`), which also brings the scheduler
 * extension.
 */
export {
  NEURON_MONITOR_LABELS,
  NEURON_MONITOR_PORT,
  NEURON_SCHEDULER,
  NeuronDevicePlugin,
  type NeuronDevicePluginProps,
  NeuronMonitor,
  type NeuronMonitorProps,
} from './neuron-device-plugin';
