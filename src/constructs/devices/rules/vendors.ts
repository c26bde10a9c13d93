/**
 * Operators of other vendors: AMD's DeviceConfig, Intel's device plugins.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { oneOf } from '../../../facts/words';
import { asObject, asString, stringEntries } from '../../../manifests/read';
import { text } from '../../../checks/server/values';

const AMD = 'amd.com/DeviceConfig';
const AMD_SOURCE = `${cite('rocm-gpu-operator')}, internal/validator/specValidators.go`;
const AMD_DRIVERS = ['container', 'vf-passthrough', 'pf-passthrough'];
const AMD_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  resource_naming_strategy: ['single', 'mixed'],
  driver_type: AMD_DRIVERS,
};
const INTEL_GROUP = 'deviceplugin.intel.com';
const INTEL_SOURCE = `${cite('intel-device-plugins-operator')}, pkg/apis/deviceplugin/v1`;
const INTEL_LEAST = [0, 36, 0] as const;
const INTEL_IMAGES: Readonly<Record<string, string>> = {
  DlbDevicePlugin: 'intel-dlb-plugin',
  DsaDevicePlugin: 'intel-dsa-plugin',
  FpgaDevicePlugin: 'intel-fpga-plugin',
  GpuDevicePlugin: 'intel-gpu-plugin',
  IaaDevicePlugin: 'intel-iaa-plugin',
  NpuDevicePlugin: 'intel-npu-plugin',
  QatDevicePlugin: 'intel-qat-plugin',
  SgxDevicePlugin: 'intel-sgx-plugin',
};

function vendorRule(
  id: string,
  facts: Omit<RuleFacts, 'id' | 'tier' | 'severity'> & Partial<RuleFacts>,
  kinds: readonly string[],
  check: (spec: JsonObject, kind: string) => Iterable<Violation>,
): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `devices/${id}`,
    on: 'object',
    kinds,
    check: ({ object, id: { kind } }) => check(asObject(object.spec), kind),
  };
}

export const vendorRules: readonly Rule[] = [
  vendorRule(
    'amd-plugin-or-dra-driver',
    {
      summary: 'AMD GPUs must be allocated either by the device plugin or by the DRA driver.',
      why: 'The operator rejects the DeviceConfig, because both would allocate the same GPUs. The device plugin is on by default.',
      source: `${cite('rocm-gpu-operator')}, internal/validator (ValidateDRADriverSpec)`,
      fix: 'Set spec.devicePlugin.enableDevicePlugin to false, or remove spec.draDriver.enable.',
    },
    [AMD],
    function* (spec) {
      if (asObject(spec.draDriver).enable === true && asObject(spec.devicePlugin).enableDevicePlugin !== false) {
        yield {
          path: '/spec/draDriver/enable',
          message: 'the DRA driver must not be enabled together with the device plugin, which is enabled by default',
          found: true,
          expected: 'devicePlugin.enableDevicePlugin: false',
        };
      }
    },
  ),

  vendorRule(
    'amd-driver-type-known',
    {
      summary: `The driver type of a DeviceConfig must be ${oneOf(AMD_DRIVERS)}.`,
      why: 'The operator rejects the DeviceConfig, and nothing is deployed.',
      source: `${AMD_SOURCE} (ValidateDriverSpec)`,
      fix: 'Set spec.driver.driverType to container for pods, or to vf-passthrough or pf-passthrough for virtual machines.',
    },
    [AMD],
    function* (spec) {
      const type = asString(asObject(spec.driver).driverType);
      if (type !== undefined && type !== '' && !AMD_DRIVERS.includes(type)) {
        yield {
          path: '/spec/driver/driverType',
          message: `unsupported driverType "${type}"`,
          found: type,
          expected: oneOf(AMD_DRIVERS),
        };
      }
    },
  ),

  vendorRule(
    'amd-plugin-argument-known',
    {
      summary: "Arguments of AMD's device plugin must be resource_naming_strategy (single, mixed) or driver_type.",
      why: 'The operator rejects the DeviceConfig, and nothing is deployed.',
      source: `${AMD_SOURCE} (ValidateDevicePluginSpec)`,
      fix: 'Set only resource_naming_strategy and driver_type in spec.devicePlugin.devicePluginArguments.',
    },
    [AMD],
    function* (spec) {
      for (const [name, value] of stringEntries(asObject(spec.devicePlugin).devicePluginArguments)) {
        const allowed = AMD_ARGUMENTS[name];
        const path = `/spec/devicePlugin/devicePluginArguments/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
        if (allowed === undefined) {
          yield {
            path,
            message: `unknown argument "${name}" of the device plugin`,
            found: name,
            expected: oneOf(Object.keys(AMD_ARGUMENTS)),
            fix: `Rename the argument "${name}" to ${oneOf(Object.keys(AMD_ARGUMENTS))}, or remove it.`,
          };
        } else if (!allowed.includes(value)) {
          yield {
            path,
            message: `unsupported value "${value}" for ${name}`,
            found: value,
            expected: oneOf(allowed),
            fix: `Set devicePluginArguments.${name} to ${oneOf(allowed)}.`,
          };
        }
      }
    },
  ),

  vendorRule(
    'amd-remediation-lifetime-valid',
    {
      summary: 'ttlForFailedWorkflows must be a Go duration: 24h, 90m.',
      why: 'The operator rejects the DeviceConfig, and nothing is deployed.',
      source: `${AMD_SOURCE} (ValidateRemediationWorkflowSpec)`,
      fix: 'Set remediationWorkflow.ttlForFailedWorkflows to a duration in hours, such as 24h: Go durations have no unit for days.',
    },
    [AMD],
    function* (spec) {
      const remediation = asObject(spec.remediationWorkflow);
      const ttl = text(remediation.ttlForFailedWorkflows);
      if (remediation.enable === true && ttl !== '' && !/^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$|^0$/.test(ttl)) {
        yield {
          path: '/spec/remediationWorkflow/ttlForFailedWorkflows',
          message: `"${ttl}" is not a valid Go duration`,
          found: ttl,
          expected: 'a Go duration, such as 24h',
        };
      }
    },
  ),

  vendorRule(
    'intel-gpu-allocation-needs-sharing',
    {
      summary:
        "preferredAllocationPolicy of Intel's GPU plugin must be balanced or packed only if GPUs are shared (sharedDevNum greater than 1).",
      why: 'The webhook rejects it: with GPUs that are not shared there is nothing to choose from.',
      source: `${INTEL_SOURCE}/gpudeviceplugin_webhook.go`,
      fix: 'Set spec.sharedDevNum to a number greater than 1, or set spec.preferredAllocationPolicy to none.',
    },
    [`${INTEL_GROUP}/GpuDevicePlugin`],
    function* (spec) {
      const policy = text(spec.preferredAllocationPolicy);
      const shared = typeof spec.sharedDevNum === 'number' ? spec.sharedDevNum : 1;
      if ((policy === 'balanced' || policy === 'packed') && shared <= 1) {
        yield {
          path: '/spec/preferredAllocationPolicy',
          message: `preferredAllocationPolicy ${policy} requires shared GPUs (sharedDevNum greater than 1)`,
          found: policy,
          expected: 'none, or sharedDevNum greater than 1',
        };
      }
    },
  ),

  vendorRule(
    'intel-gpu-ids-valid',
    {
      summary:
        "Either allowIDs or denyIDs of Intel's GPU plugin must list PCI device IDs as 0x and four lowercase hexadecimal digits, separated by commas.",
      why: 'The webhook rejects the object.',
      source: `${INTEL_SOURCE}/gpudeviceplugin_webhook.go`,
      fix: 'Set either spec.allowIDs or spec.denyIDs to a list such as 0x56c0,0x56c1, without spaces.',
    },
    [`${INTEL_GROUP}/GpuDevicePlugin`],
    function* (spec) {
      const given = ['allowIDs', 'denyIDs'].filter((field) => text(spec[field]) !== '');
      if (given.length === 2) {
        yield {
          path: '/spec/denyIDs',
          message: 'allowIDs and denyIDs must not be set together',
          fix: 'Remove spec.allowIDs or spec.denyIDs.',
          expected: 'only allowIDs or only denyIDs',
        };
      }
      for (const field of given) {
        const wrong = text(spec[field])
          .split(',')
          .find((id) => !/^0x[0-9a-f]{4}$/.test(id));
        if (wrong !== undefined) {
          yield {
            path: `/spec/${field}`,
            message: `"${wrong}" is not a valid PCI device ID`,
            found: spec[field],
            expected: '0x and four lowercase hexadecimal digits',
          };
        }
      }
    },
  ),

  vendorRule(
    'intel-plugin-image-fits',
    {
      summary: `The image of an Intel device plugin must be the plugin's own, with a digest or a version of at least ${INTEL_LEAST.join('.')}.`,
      why: 'The webhook rejects any other image; by default the operator uses its own.',
      source: `${INTEL_SOURCE}/webhook_common.go; pkg/controllers/reconciler.go`,
      fix: 'Remove spec.image, or set it to intel/<plugin>:<version>.',
    },
    Object.keys(INTEL_IMAGES).map((kind) => `${INTEL_GROUP}/${kind}`),
    function* (spec, kind) {
      const image = text(spec.image);
      const name = INTEL_IMAGES[kind] ?? '';
      if (image === '' || new RegExp(`${name}@sha256:[0-9a-f]{64}$`).test(image)) {
        return;
      }
      const [own = '', tag] = image.slice(image.lastIndexOf('/') + 1).split(':');
      const version = /^v?(\d+)\.(\d+)\.(\d+)/
        .exec(tag ?? '')
        ?.slice(1)
        .map(Number);
      const problem =
        own.replace(/@sha256$/, '') !== name
          ? `must be intel/${name}`
          : version === undefined
            ? 'must have a version tag'
            : older(version)
              ? `must be of version ${INTEL_LEAST.join('.')} or later`
              : undefined;
      if (problem !== undefined) {
        yield {
          path: '/spec/image',
          message: `the image ${problem}`,
          found: image,
          expected: `intel/${name}:${INTEL_LEAST.join('.')}`,
          fix: `Set spec.image to intel/${name}:${INTEL_LEAST.join('.')} or later, or remove it.`,
        };
      }
    },
  ),

  vendorRule(
    'intel-qat-provisioning-fits',
    {
      summary:
        "A provisioning configuration of Intel's QAT plugin requires an init image and the VF driver 4xxxvf or 420xxvf.",
      why: 'The webhook rejects the object.',
      source: `${INTEL_SOURCE}/qatdeviceplugin_webhook.go`,
      fix: 'Set spec.initImage and spec.kernelVfDrivers, or remove spec.provisioningConfig.',
    },
    [`${INTEL_GROUP}/QatDevicePlugin`],
    function* (spec) {
      if (text(spec.provisioningConfig) === '') {
        return;
      }
      const drivers = Array.isArray(spec.kernelVfDrivers) ? spec.kernelVfDrivers : [];
      if (text(spec.initImage) === '') {
        yield {
          path: '/spec/provisioningConfig',
          message: 'provisioningConfig requires initImage',
          expected: 'initImage',
          fix: 'Set spec.initImage to an image such as intel/intel-qat-initcontainer:0.36.0, or remove spec.provisioningConfig.',
        };
      }
      if (!drivers.includes('4xxxvf') && !drivers.includes('420xxvf')) {
        yield {
          path: '/spec/provisioningConfig',
          message: 'provisioningConfig requires the VF driver 4xxxvf or 420xxvf',
          expected: '4xxxvf or 420xxvf in kernelVfDrivers',
          fix: 'Add 4xxxvf or 420xxvf to spec.kernelVfDrivers, or remove spec.provisioningConfig.',
        };
      }
    },
  ),
];

function older(version: readonly number[]): boolean {
  const [differing] = INTEL_LEAST.map((least, index) => (version[index] ?? 0) - least).filter(
    (difference) => difference !== 0,
  );
  return (differing ?? 0) < 0;
}
