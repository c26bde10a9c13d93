import { amd, intel, type RuleCases } from '../world';

export const vendorCases: readonly RuleCases[] = [
  {
    rule: 'devices/amd-plugin-or-dra-driver',
    fires: { both: [amd({ draDriver: { enable: true } })] },
    silent: {
      one: [amd({ draDriver: { enable: true }, devicePlugin: { enableDevicePlugin: false } })],
      'the plugin': [amd({})],
    },
  },
  {
    rule: 'devices/amd-driver-type-known',
    fires: { unknown: [amd({ driver: { driverType: 'vm' } })] },
    silent: { known: [amd({ driver: { driverType: 'vf-passthrough' } })] },
  },
  {
    rule: 'devices/amd-plugin-argument-known',
    fires: {
      name: [amd({ devicePlugin: { devicePluginArguments: { naming: 'mixed' } } })],
      value: [amd({ devicePlugin: { devicePluginArguments: { resource_naming_strategy: 'all' } } })],
    },
    silent: { known: [amd({ devicePlugin: { devicePluginArguments: { resource_naming_strategy: 'mixed' } } })] },
  },
  {
    rule: 'devices/amd-remediation-lifetime-valid',
    fires: { days: [amd({ remediationWorkflow: { enable: true, ttlForFailedWorkflows: '1d' } })] },
    silent: {
      hours: [amd({ remediationWorkflow: { enable: true, ttlForFailedWorkflows: '24h' } })],
      off: [amd({ remediationWorkflow: { ttlForFailedWorkflows: '1d' } })],
    },
  },
  {
    rule: 'devices/intel-gpu-allocation-needs-sharing',
    fires: { 'not shared': [intel('GpuDevicePlugin', { preferredAllocationPolicy: 'packed' })] },
    silent: {
      shared: [intel('GpuDevicePlugin', { preferredAllocationPolicy: 'packed', sharedDevNum: 4 })],
      none: [intel('GpuDevicePlugin', { preferredAllocationPolicy: 'none' })],
    },
  },
  {
    rule: 'devices/intel-gpu-ids-valid',
    fires: {
      both: [intel('GpuDevicePlugin', { allowIDs: '0x56c0', denyIDs: '0x56c1' })],
      capitals: [intel('GpuDevicePlugin', { allowIDs: '0x56C0' })],
      'a blank': [intel('GpuDevicePlugin', { denyIDs: '0x56c0, 0x56c1' })],
    },
    silent: { two: [intel('GpuDevicePlugin', { allowIDs: '0x56c0,0x56c1' })] },
  },
  {
    rule: 'devices/intel-plugin-image-fits',
    fires: {
      'another plugin': [intel('GpuDevicePlugin', { image: 'intel/intel-qat-plugin:0.36.0' })],
      old: [intel('NpuDevicePlugin', { image: 'intel/intel-npu-plugin:0.35.0' })],
      latest: [intel('GpuDevicePlugin', { image: 'intel/intel-gpu-plugin:latest' })],
    },
    silent: {
      none: [intel('GpuDevicePlugin', {})],
      new: [intel('GpuDevicePlugin', { image: 'registry.example.com/intel-gpu-plugin:0.36.1' })],
      'a digest': [intel('GpuDevicePlugin', { image: `intel/intel-gpu-plugin@sha256:${'0'.repeat(64)}` })],
    },
  },
  {
    rule: 'devices/intel-qat-provisioning-fits',
    fires: {
      'no init image': [intel('QatDevicePlugin', { provisioningConfig: 'c', kernelVfDrivers: ['4xxxvf'] })],
      'another driver': [
        intel('QatDevicePlugin', { provisioningConfig: 'c', initImage: 'i', kernelVfDrivers: ['c6xxvf'] }),
      ],
    },
    silent: {
      fits: [intel('QatDevicePlugin', { provisioningConfig: 'c', initImage: 'i', kernelVfDrivers: ['420xxvf'] })],
    },
  },
];
