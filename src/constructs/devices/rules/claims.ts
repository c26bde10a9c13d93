/**
 * Claims for GPUs as NVIDIA's DRA driver takes them (row DR8), and the names under which a quota counts them (DR10).
 */
import { oneOf } from '../../../facts/words';
import { nearestName, quotedNames } from '../../../facts/spelling';
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { DEVICE_CLASSES } from '../../../facts/catalog';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import {
  type ObjectRule,
  type Rule,
  type RuleContext,
  type RuleFacts,
  type Violation,
} from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asObject, asString, isObject } from '../../../manifests/read';
import { itemsOf, text } from '../../../checks/server/values';
import { decodingComplaints } from '../dra-config';
import {
  COMPUTE_DOMAIN_DRIVER,
  GPU_ATTRIBUTES,
  GPU_DRIVER,
  NVIDIA_CONFIG_VERSION,
  SHARING_GATES,
  TIME_SLICE_INTERVALS,
} from '../dra-facts';

const GROUP = 'resource.k8s.io';
export const CLAIM_KINDS: readonly string[] = [`${GROUP}/ResourceClaim`, `${GROUP}/ResourceClaimTemplate`];
const DRIVER = cite('nvidia-dra-driver-gpu');
const CONFIG_KINDS: Readonly<Record<string, readonly string[]>> = {
  [GPU_DRIVER]: ['GpuConfig', 'MigDeviceConfig', 'VfioDeviceConfig'],
  [COMPUTE_DOMAIN_DRIVER]: ['ComputeDomainChannelConfig', 'ComputeDomainDaemonConfig'],
};
const OWN_CLASSES: ReadonlySet<string> = new Set(Object.keys(DEVICE_CLASSES));

type Facts = Omit<RuleFacts, 'id'>;

interface Placed {
  readonly value: JsonObject;
  readonly path: string;
}

function devicesOf({ object, id }: Manifest): Placed {
  const template = id.kind === 'ResourceClaimTemplate';
  const spec = asObject(object.spec);
  return {
    value: asObject((template ? asObject(spec.spec) : spec).devices),
    path: template ? '/spec/spec/devices' : '/spec/devices',
  };
}

/** Opaque configurations of NVIDIA's drivers. */
function configsOf(manifest: Manifest): readonly (Placed & { readonly driver: string })[] {
  const devices = devicesOf(manifest);
  return itemsOf(devices.value.config, `${devices.path}/config`).flatMap(({ value, path }) => {
    const opaque = asObject(value.opaque);
    const driver = text(opaque.driver);
    return driver in CONFIG_KINDS && isObject(opaque.parameters)
      ? [{ driver, value: opaque.parameters, path: `${path}/opaque/parameters` }]
      : [];
  });
}

/** All requests and alternatives, each with the members that say which devices. */
export function requestsOf(manifest: Manifest): readonly Placed[] {
  const devices = devicesOf(manifest);
  return itemsOf(devices.value.requests, `${devices.path}/requests`).flatMap(({ value, path }) => [
    ...(isObject(value.exactly) ? [{ value: value.exactly, path: `${path}/exactly` }] : [{ value, path }]),
    ...itemsOf(value.firstAvailable, `${path}/firstAvailable`),
  ]);
}

/** Names of the DeviceClasses that a claim, or a template of claims, requests; none for any other object. */
export function deviceClassesOf(manifest: Manifest): readonly string[] {
  return CLAIM_KINDS.includes(`${manifest.id.group}/${manifest.id.kind}`)
    ? requestsOf(manifest).map(({ value }) => text(value.deviceClassName))
    : [];
}

function claimRule(
  name: string,
  facts: Facts,
  check: (manifest: Manifest, context: RuleContext) => Iterable<Violation>,
  kinds: readonly string[] = CLAIM_KINDS,
): ObjectRule {
  return { ...facts, id: `devices/${name}`, on: 'object', kinds, check };
}

/** What to write instead of an attribute that no device has. */
function attributeFix(name: string): string {
  if (/memory/i.test(name)) {
    return `Replace the attribute "${name}" in cel.expression with device.capacity["gpu.nvidia.com"].memory.`;
  }
  const near = nearestName(name, GPU_ATTRIBUTES);
  return `Replace the attribute "${name}" in cel.expression with ${near ?? 'one that the driver publishes, such as productName'}.`;
}

export const claimRules: readonly Rule[] = [
  fixesByField(
    claimRule(
      'dra-config-decoded',
      {
        row: 'DR8',
        tier: 'webhook',
        severity: 'error',
        summary:
          "Configuration for NVIDIA's DRA driver must be of a supported kind, with known fields of the right types.",
        why: 'The driver decodes strictly: its webhook rejects the claim, or, without the webhook, the pod does not start.',
        source: `${DRIVER}, cmd/webhook/main.go; api/nvidia.com/resource/v1beta1`,
        fix: `Set parameters.apiVersion to ${NVIDIA_CONFIG_VERSION}, parameters.kind to a kind of the driver, such as GpuConfig, and only fields of that kind.`,
      },
      function* (manifest) {
        for (const { value, path, driver } of configsOf(manifest)) {
          const kinds = CONFIG_KINDS[driver] ?? [];
          if (value.apiVersion !== NVIDIA_CONFIG_VERSION) {
            yield {
              path: `${path}/apiVersion`,
              message:
                text(value.apiVersion) === ''
                  ? `apiVersion must be set for the driver ${driver}`
                  : `unsupported apiVersion "${text(value.apiVersion)}" for the driver ${driver}`,
              found: value.apiVersion,
              expected: NVIDIA_CONFIG_VERSION,
            };
          }
          if (!kinds.includes(text(value.kind))) {
            yield {
              path: `${path}/kind`,
              message:
                text(value.kind) === ''
                  ? `kind must be set for the driver ${driver}`
                  : `unsupported kind "${text(value.kind)}" for the driver ${driver}`,
              found: value.kind,
              expected: nearestName(text(value.kind).trim(), kinds) ?? oneOf(kinds),
            };
            continue;
          }
          yield* decodingComplaints(value, path, text(value.kind));
        }
      },
    ),
  ),

  claimRule(
    'dra-sharing-valid',
    {
      row: 'DR8',
      tier: 'webhook',
      severity: 'error',
      summary:
        'The sharing strategy of a claim must be TimeSlicing with the interval Default, Short, Medium, or Long, or MPS with 0 to 100 percent of the threads.',
      why: "The driver's webhook rejects the claim.",
      source: `${DRIVER}, api/nvidia.com/resource/v1beta1/validate.go, sharing.go`,
      fix: 'Set sharing.strategy and only the settings of that strategy, for example timeSlicingConfig.interval: Long.',
    },
    function* (manifest) {
      for (const { value, path } of configsOf(manifest)) {
        if (!isObject(value.sharing)) {
          continue;
        }
        const { strategy, timeSlicingConfig, mpsConfig } = value.sharing;
        const at = `${path}/sharing`;
        if (strategy !== 'TimeSlicing' && strategy !== 'MPS') {
          yield {
            path: `${at}/strategy`,
            message: `unsupported strategy "${text(strategy)}"`,
            found: strategy,
            expected: mpsConfig != null ? 'MPS' : timeSlicingConfig != null ? 'TimeSlicing' : 'TimeSlicing or MPS',
          };
        }
        if (strategy === 'TimeSlicing' && mpsConfig != null) {
          yield {
            path: `${at}/mpsConfig`,
            message: 'mpsConfig must not be set when strategy is TimeSlicing',
            expected: 'timeSlicingConfig',
            fix: 'Remove sharing.mpsConfig, or set sharing.strategy to MPS.',
          };
        }
        if (strategy === 'MPS' && timeSlicingConfig != null) {
          yield {
            path: `${at}/timeSlicingConfig`,
            message: 'timeSlicingConfig must not be set when strategy is MPS',
            expected: 'mpsConfig',
            fix: 'Remove sharing.timeSlicingConfig, or set sharing.strategy to TimeSlicing.',
          };
        }
        const { interval } = asObject(timeSlicingConfig);
        if (interval !== undefined && !(TIME_SLICE_INTERVALS as readonly JsonValue[]).includes(interval)) {
          yield {
            path: `${at}/timeSlicingConfig/interval`,
            message: `unsupported interval "${text(interval)}"`,
            found: interval,
            expected: oneOf(TIME_SLICE_INTERVALS),
          };
        }
        const { defaultActiveThreadPercentage: threads, defaultPinnedDeviceMemoryLimit: memory } = asObject(mpsConfig);
        if (typeof threads === 'number' && (threads < 0 || threads > 100)) {
          yield {
            path: `${at}/mpsConfig/defaultActiveThreadPercentage`,
            message: `defaultActiveThreadPercentage must be between 0 and 100, but is ${threads}`,
            found: threads,
            expected: '0 to 100',
          };
        }
        const limit = typeof memory === 'string' || typeof memory === 'number' ? parseQuantity(memory) : undefined;
        if (limit !== undefined && limit.wholeUnits() < 2n ** 20n) {
          yield {
            path: `${at}/mpsConfig/defaultPinnedDeviceMemoryLimit`,
            message: 'defaultPinnedDeviceMemoryLimit must be a quantity of at least 1Mi',
            found: memory,
            expected: 'a quantity of at least 1Mi, such as 10Gi',
          };
        }
      }
    },
  ),

  claimRule(
    'dra-settings-valid',
    {
      row: 'DR8',
      tier: 'webhook',
      severity: 'error',
      summary:
        'The configuration of a compute domain must set domainID, and the IOMMU policy of a device must be LegacyOnly or PreferIommuFD.',
      why: 'The driver rejects the configuration, and the pod does not start.',
      source: `${DRIVER}, api/nvidia.com/resource/v1beta1/computedomainconfig.go, iommu.go`,
      fix: 'Set domainID to the UID of the ComputeDomain, or iommu.backendPolicy to LegacyOnly or PreferIommuFD.',
    },
    function* (manifest) {
      for (const { value, path } of configsOf(manifest)) {
        if (text(value.kind).startsWith('ComputeDomain') && (value.domainID ?? '') === '') {
          yield {
            path: `${path}/domainID`,
            message: 'domainID must be set',
            expected: 'the UID of the ComputeDomain',
            fix: 'Set domainID to the UID of the ComputeDomain, or claim from the ResourceClaimTemplate that the driver creates.',
          };
        }
        const { backendPolicy } = asObject(value.iommu);
        if (typeof backendPolicy === 'string' && !['', 'LegacyOnly', 'PreferIommuFD'].includes(backendPolicy)) {
          yield {
            path: `${path}/iommu/backendPolicy`,
            message: `unsupported backendPolicy "${backendPolicy}"`,
            found: backendPolicy,
            expected: 'LegacyOnly or PreferIommuFD',
            fix: 'Set iommu.backendPolicy to LegacyOnly or PreferIommuFD.',
          };
        }
      }
    },
  ),

  claimRule(
    'dra-sharing-gate-on',
    {
      row: 'DR8',
      tier: 'webhook',
      severity: 'warning',
      summary: "A claim that sets a sharing strategy requires the driver's feature gate for it.",
      why: "TimeSlicingSettings and MPSSupport are alpha and off by default: the driver's webhook rejects the claim.",
      source: `${DRIVER}, pkg/featuregates/featuregates.go`,
      fix: 'Set the feature gate to true in spec.draDriver.featureGates of the GPUCluster, or in featureGates of the Helm values of the driver.',
    },
    function* (manifest, { set }) {
      const gates = set
        .ofKind('nvidia.com/GPUCluster')
        .map(({ object }) => asObject(asObject(asObject(object.spec).draDriver).featureGates));
      for (const { value, path } of configsOf(manifest)) {
        const strategy = text(asObject(value.sharing).strategy);
        if (strategy !== 'TimeSlicing' && strategy !== 'MPS') {
          continue;
        }
        const gate = SHARING_GATES[strategy];
        if (!gates.some((on) => on[gate] === true)) {
          yield {
            path: `${path}/sharing/strategy`,
            message: `${strategy} requires the driver's ${gate} feature gate, which is disabled by default`,
            found: strategy,
            expected: `${gate}: true`,
            fix: `Set spec.draDriver.featureGates.${gate}: true in the GPUCluster, or featureGates.${gate}: true in the Helm values of the driver.`,
          };
        }
      }
    },
  ),

  claimRule(
    'dra-attribute-exists',
    {
      row: 'DR5',
      tier: 'advice',
      severity: 'warning',
      summary: "CEL selectors must use attributes that NVIDIA's DRA driver publishes.",
      why: 'An unknown attribute is an error in the expression, and the pod stays pending. There is no index attribute.',
      source: `${DRIVER}, cmd/gpu-kubelet-plugin/deviceinfo.go, mig.go`,
      fix: 'Replace the attribute in cel.expression with one that the driver publishes, such as productName.',
    },
    function* (manifest) {
      const places =
        manifest.id.kind === 'DeviceClass'
          ? [{ value: asObject(manifest.object.spec), path: '/spec' }]
          : requestsOf(manifest);
      for (const { value, path } of places) {
        for (const selector of itemsOf(value.selectors, `${path}/selectors`)) {
          const expression = text(asObject(selector.value.cel).expression);
          for (const [, name = '', word = ''] of expression.matchAll(
            /attributes\s*\[\s*["']gpu\.nvidia\.com["']\s*\]\s*\.\s*([A-Za-z_]\w*)(\s*\()?/g,
          )) {
            const guarded = new RegExp(`["']${name}["']\\s+in\\s|has\\s*\\([^)]*\\.${name}\\b`).test(expression);
            if (word !== '' || guarded || GPU_ATTRIBUTES.includes(name)) {
              continue;
            }
            yield {
              path: `${selector.path}/cel/expression`,
              message: `devices of gpu.nvidia.com have no attribute "${name}", so the expression fails and the pod stays pending`,
              found: expression,
              expected: nearestName(name, GPU_ATTRIBUTES) ?? quotedNames(GPU_ATTRIBUTES),
              fix: attributeFix(name),
            };
          }
        }
      }
    },
    [...CLAIM_KINDS, `${GROUP}/DeviceClass`],
  ),

  claimRule(
    'device-class-known',
    {
      row: 'DR1',
      tier: 'advice',
      severity: 'info',
      summary: 'A claim should use a DeviceClass in the manifests, or one that a known driver provides.',
      why: 'A claim for an unknown class is never allocated: its pod stays pending. The demo class imex.nvidia.com is not part of the driver.',
      source: `${DRIVER}, its chart`,
      fix: 'Set deviceClassName to an existing DeviceClass, or create the DeviceClass.',
    },
    function* (manifest, { set }) {
      for (const { value, path } of requestsOf(manifest)) {
        const name = asString(value.deviceClassName);
        if (name === undefined || OWN_CLASSES.has(name) || set.get(`${GROUP}/DeviceClass`, name) !== undefined) {
          continue;
        }
        yield {
          path: `${path}/deviceClassName`,
          message: `DeviceClass "${name}" not found in these manifests; without it, the pod stays pending`,
          found: name,
          absent: { kind: `${GROUP}/DeviceClass`, name },
          expected: `a class in these manifests or in the cluster, such as ${[...OWN_CLASSES][0] ?? ''}`,
          ...(name === ''
            ? {}
            : { fix: `Set deviceClassName to an existing DeviceClass, or create the DeviceClass "${name}".` }),
          ...(name.endsWith('.nvidia.com') ? { severity: 'warning' as const } : {}),
        };
      }
    },
  ),

  claimRule(
    'quota-key-of-claims',
    {
      row: 'DR10',
      tier: 'advice',
      severity: 'error',
      summary:
        'A quota must count claimed devices as <class>.deviceclass.resource.k8s.io/devices, and claims as count/resourceclaims.resource.k8s.io.',
      why: 'Other keys are accepted but count nothing.',
      source: 'kubernetes 1.36, pkg/quota/v1/evaluator/core/resource_claims.go',
      fix: 'Rename the key in spec.hard to <class>.deviceclass.resource.k8s.io/devices, with the name of the DeviceClass.',
    },
    function* ({ object }) {
      for (const key of Object.keys(asObject(asObject(object.spec).hard))) {
        const bare = key.replace(/^requests\./, '');
        const known = [...OWN_CLASSES].find(
          (name) => bare === name || bare.startsWith(`${name}/`) || bare === `${name}.deviceclass.resource.k8s.io`,
        );
        const expected =
          known !== undefined
            ? `${known}.deviceclass.resource.k8s.io/devices`
            : key === 'count/resourceclaims'
              ? 'count/resourceclaims.resource.k8s.io'
              : /^requests\..*\.deviceclass\.resource\.k8s\.io\/devices$/.test(key)
                ? bare
                : undefined;
        if (expected !== undefined) {
          yield {
            path: pointer('/spec/hard', key),
            message: `the quota key "${key}" matches no resource, so it limits nothing`,
            found: key,
            expected,
            fix: `Rename the key "${key}" in spec.hard to ${expected}.`,
          };
        }
      }
    },
    ['ResourceQuota'],
  ),
];
