/**
 * What a field of type string, or a list of strings, takes where its schema does not say so: OpenAPI lists the values of few fields of the
 * built-in kinds. By the name of the field and that of the object that contains it.
 */
import { tokensOf } from '../../manifests/pointer';

const CEL = 'a CEL expression';
const DRIVER = 'the name of a driver, such as gpu.nvidia.com';
const EFFECT = 'NoSchedule, PreferNoSchedule, or NoExecute';
const GROUP = 'an API group such as example.com';
const IN_OR_NOT_IN = 'In or NotIn';
const PCI_ADDRESS = 'a PCI address such as 0000:3b:00.0';
const METRICS_PATH = 'a path such as /metrics';
const METRICS_PORT = 'the name of a port, such as metrics';
const PROFILE = 'RuntimeDefault, Localhost, or Unconfined';
const REPOSITORY = 'a repository URL such as https://github.com/example/manifests';
const VOLUME_ID = 'the ID of the volume in the storage system';

/** Integers for which a server or a webhook demands more than the schema. */
const INTEGERS: Readonly<Record<string, string>> = {
  'policies[].periodSeconds': 'an integer from 1 to 1800',
  'policies[].value': 'an integer of at least 1',
  'spec.numVfs': 'an integer of at least 1',
};

const STRINGS: Readonly<Record<string, string>> = {
  '.addressType': 'IPv4, IPv6, or FQDN',
  '.handler': 'the name of a runtime handler, such as nvidia',
  'additionalPrinterColumns[].jsonPath': 'a JSON path such as .spec.replicas',
  'additionalPrinterColumns[].type': 'integer, number, string, boolean, or date',
  'addresses[].address': 'an IP address or a host name',
  'addresses[].type': 'InternalIP, ExternalIP, InternalDNS, ExternalDNS, or Hostname',
  'appArmorProfile.type': PROFILE,
  'auditAnnotations[].valueExpression': CEL,
  'cel.expression': CEL,
  'cidrs[]': 'a CIDR such as 10.96.0.0/12',
  'clusterTrustBundle.path': 'a relative path such as ca.pem',
  'conditions[].reason': 'a one-word reason in CamelCase, such as Started',
  'conditions[].status': '"True", "False", or "Unknown"',
  'conditions[].type': 'a condition type such as Ready',
  'containerResource.container': 'the name of the container',
  'conversion.strategy': 'None or Webhook',
  'coordinator.replicatedJob': 'the name of a replicated job',
  'csi.driver': 'the name of the CSI driver',
  'csi.volumeHandle': VOLUME_ID,
  'awsElasticBlockStore.volumeID': VOLUME_ID,
  'cinder.volumeID': VOLUME_ID,
  'derivedAttributes[].expression': CEL,
  'devices[].driver': DRIVER,
  'distinguisherMethod.type': 'ByUser or ByNamespace',
  'endpoints[].path': METRICS_PATH,
  'endpoints[].port': METRICS_PORT,
  'exitCodes.operator': IN_OR_NOT_IN,
  'fieldRef.fieldPath': 'a field such as metadata.name',
  'fileKeyRef.path': 'a relative path such as config.env',
  'flexVolume.driver': 'the name of the driver',
  'git.repoURL': REPOSITORY,
  'hashiCorpVault.address': 'a URL such as https://vault.example.com:8200',
  'hostPath.path': 'an absolute path such as /data',
  'image.repository': 'an image repository such as ghcr.io/example',
  'image.tag': 'an image tag such as v1.2',
  'interfaces[].pciAddress': PCI_ADDRESS,
  'items[].path': 'a relative path such as config.yaml',
  'limitResponse.type': 'Queue or Reject',
  'limits[].type': 'Container, Pod, or PersistentVolumeClaim',
  'local.path': 'an absolute path such as /data',
  'matchConditions[].expression': CEL,
  'matchFeatures[].feature': 'a feature such as cpu.cpuid',
  'matchFields[].operator': 'In, NotIn, Exists, DoesNotExist, Gt, or Lt',
  'matchNames[]': 'the name of a namespace',
  'metrics[].type': 'Resource, ContainerResource, Pods, Object, or External',
  'mutations[].patchType': 'ApplyConfiguration or JSONPatch',
  'nfs.path': 'an exported path such as /exports/data',
  'nodeRemediationTaints[].effect': EFFECT,
  'nodeTaints[].effect': EFFECT,
  'onExitCodes.operator': IN_OR_NOT_IN,
  'onPodConditions[].type': 'a condition type such as DisruptionTarget',
  'opaque.driver': DRIVER,
  'parentRef.resource': 'the plural name of a resource, such as services',
  'paths[].pathType': 'Exact, Prefix, or ImplementationSpecific',
  'podMetricsEndpoints[].path': METRICS_PATH,
  'podMetricsEndpoints[].port': METRICS_PORT,
  'policies[].type': 'Pods or Percent',
  'ports[].protocol': 'TCP, UDP, or SCTP',
  'resizePolicy[].restartPolicy': 'NotRequired or RestartContainer',
  'resourceFieldRef.resource': 'a resource such as limits.cpu',
  'restartPolicyRules[].action': 'an action such as Restart',
  'rules[].action': 'FailJob, FailIndex, Ignore, or Count',
  'scale.specReplicasPath': 'a JSON path such as .spec.replicas',
  'scale.statusReplicasPath': 'a JSON path such as .status.replicas',
  'seccompProfile.type': PROFILE,
  'serviceAccountToken.path': 'a relative path such as token',
  'source.repoURL': REPOSITORY,
  'sources[].repoURL': REPOSITORY,
  'spec.binaryVersion': 'a semantic version such as 1.36.0',
  'spec.driver': DRIVER,
  'spec.emulationVersion': 'a semantic version such as 1.36.0',
  'spec.entrypoint': 'a command such as python train.py',
  'spec.group': GROUP,
  'spec.schedule': 'a cron schedule such as "0 2 * * *"',
  'spec.scope': 'Namespaced or Cluster',
  'taint.effect': EFFECT,
  'taints[].effect': EFFECT,
  'target.type': 'Utilization, Value, or AverageValue',
  'topologySpreadConstraints[].whenUnsatisfiable': 'DoNotSchedule or ScheduleAnyway',
  'triggers[].type': 'the type of a scaler, such as prometheus',
  'uplinks[].pciAddress': PCI_ADDRESS,
  'validations[].expression': CEL,
  'variables[].expression': CEL,
  'volumeDevices[].devicePath': 'the path of a device, such as /dev/xvda',
  'volumeMounts[].mountPath': 'an absolute path such as /data',
  'volumes[].mountPath': 'an absolute path such as /data',
  'webhooks[].sideEffects': 'None or NoneOnDryRun',
  'x-kubernetes-validations[].rule': CEL,
  'zones[].type': 'a zone type such as Node',
};

const LISTS: Readonly<Record<string, string>> = {
  'endpoints[].addresses': 'a list of addresses, such as [10.0.0.1]',
  'hostAliases[].hostnames': 'a list of host names, such as [db.example.com]',
  'nonResourceRules[].nonResourceURLs': 'a list of paths, such as [/healthz]',
  'resourceGroups[].coveredResources': 'a list of resources, such as [cpu, memory, nvidia.com/gpu]',
  'resourceRules[].resources': 'a list of resources, such as [pods]',
  'spec.clusters': 'a list of the names of MultiKueueClusters',
  'spec.validationActions': 'a list of actions, such as [Deny]',
  'staticConfigs[].targets': 'a list of targets, such as ["10.0.0.1:9400"]',
  'webhook.conversionReviewVersions': 'a list of versions, such as [v1]',
  'webhooks[].admissionReviewVersions': 'a list of versions, such as [v1]',
};

/** Fields of Go's MicroTime, which OpenAPI does not tell from Time: six digits after the second, always. */
export const MICRO_TIME_FIELDS: ReadonlySet<string> = new Set([
  'acquireTime',
  'eventTime',
  'lastObservedTime',
  'renewTime',
  'pingTime',
]);

/** An example of a time in the field, without quotes. */
export function timeExample(field: string): string {
  return MICRO_TIME_FIELDS.has(field) ? '2026-01-31T15:04:05.000000Z' : '2026-01-31T15:04:05Z';
}

/** What the field at the path takes; `undefined` where nothing is known of it. */
export function stringWords(path: string): string | undefined {
  return own(STRINGS, nameOf(path));
}

export function integerWords(path: string): string | undefined {
  return own(INTEGERS, nameOf(path));
}

export function listOfStringsWords(path: string): string | undefined {
  return own(LISTS, nameOf(path));
}

/** `policies[].type` for `/spec/behavior/scaleUp/policies/0/type`. */
function nameOf(path: string): string {
  const tokens = tokensOf(path);
  const [field = ''] = tokens.slice(-1);
  if (/^\d+$/.test(field)) {
    return `${tokens.at(-2) ?? ''}[]`;
  }
  const isItem = /^\d+$/.test(tokens.at(-2) ?? '');
  return `${isItem ? `${tokens.at(-3) ?? ''}[]` : (tokens.at(-2) ?? '')}.${field}`;
}

const own = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
