/**
 * The kubelet's flags as fields of its file. All of them are deprecated in favor of the file.
 *
 * Source: kubernetes, cmd/kubelet/app/options/options.go (AddKubeletConfigFlags).
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';

type FieldType = 'text' | 'number' | 'boolean' | 'list' | 'map';

/** Flag, field, and how the flag's text becomes the field's value. Nested fields (authentication, authorization) have no entry. */
const FIELDS: readonly (readonly [string, string, FieldType])[] = [
  ['fail-swap-on', 'failSwapOn', 'boolean'],
  ['pod-manifest-path', 'staticPodPath', 'text'],
  ['address', 'address', 'text'],
  ['port', 'port', 'number'],
  ['read-only-port', 'readOnlyPort', 'number'],
  ['tls-cert-file', 'tlsCertFile', 'text'],
  ['tls-private-key-file', 'tlsPrivateKeyFile', 'text'],
  ['rotate-server-certificates', 'serverTLSBootstrap', 'boolean'],
  ['tls-cipher-suites', 'tlsCipherSuites', 'list'],
  ['tls-min-version', 'tlsMinVersion', 'text'],
  ['rotate-certificates', 'rotateCertificates', 'boolean'],
  ['registry-qps', 'registryPullQPS', 'number'],
  ['registry-burst', 'registryBurst', 'number'],
  ['event-qps', 'eventRecordQPS', 'number'],
  ['event-burst', 'eventBurst', 'number'],
  ['healthz-port', 'healthzPort', 'number'],
  ['oom-score-adj', 'oomScoreAdj', 'number'],
  ['cluster-domain', 'clusterDomain', 'text'],
  ['cluster-dns', 'clusterDNS', 'list'],
  ['image-gc-high-threshold', 'imageGCHighThresholdPercent', 'number'],
  ['image-gc-low-threshold', 'imageGCLowThresholdPercent', 'number'],
  ['cgroups-per-qos', 'cgroupsPerQOS', 'boolean'],
  ['cgroup-driver', 'cgroupDriver', 'text'],
  ['cgroup-root', 'cgroupRoot', 'text'],
  ['cpu-manager-policy', 'cpuManagerPolicy', 'text'],
  ['cpu-manager-policy-options', 'cpuManagerPolicyOptions', 'map'],
  ['cpu-manager-reconcile-period', 'cpuManagerReconcilePeriod', 'text'],
  ['topology-manager-policy', 'topologyManagerPolicy', 'text'],
  ['topology-manager-scope', 'topologyManagerScope', 'text'],
  ['topology-manager-policy-options', 'topologyManagerPolicyOptions', 'map'],
  ['memory-manager-policy', 'memoryManagerPolicy', 'text'],
  ['hairpin-mode', 'hairpinMode', 'text'],
  ['max-pods', 'maxPods', 'number'],
  ['pod-cidr', 'podCIDR', 'text'],
  ['pod-max-pids', 'podPidsLimit', 'number'],
  ['resolv-conf', 'resolvConf', 'text'],
  ['cpu-cfs-quota', 'cpuCFSQuota', 'boolean'],
  ['cpu-cfs-quota-period', 'cpuCFSQuotaPeriod', 'text'],
  ['allowed-unsafe-sysctls', 'allowedUnsafeSysctls', 'list'],
  ['node-status-max-images', 'nodeStatusMaxImages', 'number'],
  ['max-open-files', 'maxOpenFiles', 'number'],
  ['serialize-image-pulls', 'serializeImagePulls', 'boolean'],
  ['eviction-hard', 'evictionHard', 'map'],
  ['eviction-soft', 'evictionSoft', 'map'],
  ['eviction-minimum-reclaim', 'evictionMinimumReclaim', 'map'],
  ['pods-per-core', 'podsPerCore', 'number'],
  ['protect-kernel-defaults', 'protectKernelDefaults', 'boolean'],
  ['reserved-cpus', 'reservedSystemCPUs', 'text'],
  ['system-reserved', 'systemReserved', 'map'],
  ['kube-reserved', 'kubeReserved', 'map'],
  ['enforce-node-allocatable', 'enforceNodeAllocatable', 'list'],
  ['system-reserved-cgroup', 'systemReservedCgroup', 'text'],
  ['kube-reserved-cgroup', 'kubeReservedCgroup', 'text'],
  ['reserved-memory', 'reservedMemory', 'text'],
  ['feature-gates', 'featureGates', 'map'],
  ['container-runtime-endpoint', 'containerRuntimeEndpoint', 'text'],
  ['volume-plugin-dir', 'volumePluginDir', 'text'],
  ['register-with-taints', 'registerWithTaints', 'text'],
  ['node-status-update-frequency', 'nodeStatusUpdateFrequency', 'text'],
  ['runtime-request-timeout', 'runtimeRequestTimeout', 'text'],
  ['container-log-max-size', 'containerLogMaxSize', 'text'],
  ['container-log-max-files', 'containerLogMaxFiles', 'number'],
  ['provider-id', 'providerID', 'text'],
];

/** The field of the kubelet's file that says what a flag says. */
export const FIELD_OF_FLAG: ReadonlyMap<string, string> = new Map(FIELDS.map(([flag, field]) => [flag, field]));

export interface ArgumentsAsConfiguration {
  readonly configuration: JsonObject;
  /** The flag that a field was read from. */
  readonly flagOf: ReadonlyMap<string, string>;
}

export function configurationOfArguments(flags: JsonObject): ArgumentsAsConfiguration {
  const configuration: JsonObject = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const flagOf = new Map<string, string>();
  for (const [flag, field, type] of FIELDS) {
    const said = flags[flag];
    if (typeof said !== 'string') {
      continue;
    }
    // The flag's forms of these are not the file's.
    if (field === 'reservedMemory' || field === 'registerWithTaints') {
      continue;
    }
    configuration[field] = valueOf(said, type);
    flagOf.set(field, flag);
  }
  return { configuration, flagOf };
}

function valueOf(said: string, type: FieldType): JsonValue {
  if (type === 'number') {
    return /^-?\d+$/.test(said) ? Number(said) : said;
  }
  if (type === 'boolean') {
    return said === 'true' ? true : said === 'false' ? false : said;
  }
  if (type === 'list') {
    return said.split(',').filter((item) => item !== '');
  }
  if (type === 'text') {
    return said;
  }
  return Object.fromEntries(
    said
      .split(',')
      .filter((entry) => entry !== '')
      .map((entry) => /^([^=<]+)[=<](.*)$/.exec(entry))
      .flatMap((entry) => (entry === null ? [] : [[entry[1], entry[2]]])),
  );
}
