/**
 * What to write into a field that is unset, by its name: `Set service.name to the name of the Service.` It knows fields of Kubernetes by
 * convention, not the rules that report them.
 */
import { withArticle } from '../../facts/words';

const A_SIZE = 'a quantity such as 10Gi';
const RESOURCES = 'a list of resources, such as [pods]';

/** By the name of the field. */
const BY_NAME: Readonly<Record<string, string>> = {
  annotations: 'a map of strings, such as { example.com/owner: research }',
  apiGroup: 'an API group such as example.com',
  apiGroups: 'a list of API groups, such as [""] for the core group',
  apiVersions: 'a list of versions, such as [v1]',
  appProtocol: 'a protocol such as kubernetes.io/h2c',
  attacher: 'the name of the CSI driver',
  binaryVersion: 'a semantic version such as 1.36.0',
  cidr: 'a CIDR such as 10.0.0.0/8',
  clusterIPs: 'a list of IP addresses, such as [10.96.0.10], or [None]',
  clusterRoleSelectors: 'a list of at least one label selector',
  conditionType: 'a condition type such as example.com/ready',
  containerResource: 'an object with name, container, and target',
  distinctAttribute: 'an attribute such as gpu.nvidia.com/productName',
  deviceClassName: 'the name of a DeviceClass, such as gpu.nvidia.com',
  driver: 'the name of a driver, such as gpu.nvidia.com',
  driverName: 'the name of the CSI driver, such as csi.example.com',
  emulationVersion: 'a semantic version such as 1.36.0',
  eventTime: 'a time such as "2026-01-31T15:04:05.000000Z"',
  exitCodes: 'an object with operator and values',
  expr: 'a PromQL expression',
  expression: 'a CEL expression',
  external: 'an object with metric and target',
  externalName: 'a DNS name such as db.example.com',
  generateName: 'a prefix such as "train-"',
  group: 'an API group such as example.com',
  groupName: 'a unique name, such as workers',
  handler: 'the name of a runtime handler, such as nvidia',
  image: 'an image such as registry.example.com/server:1.2',
  interval: 'a duration such as 10m',
  ip: 'an IP address such as 10.0.0.1',
  labels: 'a map of strings, such as { app: web }',
  listKind: 'a list kind, such as WidgetList',
  managedBy: 'the name of a controller, such as kueue.x-k8s.io/multikueue',
  location: 'the name of a Secret, or the path of a file',
  localhostProfile: 'the profile of the node, such as profiles/audit.json',
  matchAttribute: 'an attribute such as gpu.nvidia.com/productName',
  matchConstraints: 'an object with resourceRules',
  matchLabels: 'a map of strings, such as { app: web }',
  maxSurge: 'a number or a percentage such as 25%',
  maxUnavailable: 'a number or a percentage such as 25%',
  messageExpression: 'a CEL expression',
  metadata: 'an object with a name, such as { name: train-70b }',
  minAvailable: 'a number or a percentage such as 25%',
  mountPath: 'an absolute path such as /data',
  mutations: 'a list of objects with patchType, and with applyConfiguration or jsonPatch',
  namespaces: 'a list of namespaces, such as [research]',
  nicSelector: 'an object such as { pfNames: [ens2f0] }',
  nodeSelector: 'a map of node labels, such as { node-role: gpu }',
  nodeSelectorTerms: 'a list of terms with matchExpressions or matchFields',
  nonResourceURLs: 'a list of paths, such as [/healthz]',
  object: 'an object with describedObject, metric, and target',
  opaque: 'an object with driver and parameters',
  openAPIV3Schema: 'a schema with type: object',
  operations: 'a list of operations, such as [CREATE, UPDATE]',
  parentRef: 'an object with the resource and the name of the parent',
  path: 'a path such as /data',
  paths: 'a list of paths, each with path, pathType, and backend',
  plural: 'a lowercase plural name, such as widgets',
  podCIDR: 'a CIDR such as 10.244.0.0/24',
  pods: 'an object with metric and target',
  port: 'a number from 1 to 65535',
  pool: 'the name of the pool',
  provisioningClassName: 'the name of a provisioning class, such as check-capacity.autoscaling.x-k8s.io',
  provisioner: 'the name of the driver, such as ebs.csi.aws.com',
  reason: 'a one-word reason in CamelCase, such as Started',
  reference: 'an image such as registry.example.com/model:1.2',
  reportingController: 'the name of the controller, such as example.com/controller',
  reportingInstance: 'the ID of the instance, such as the name of its pod',
  repository: 'an image repository such as nvcr.io/nvidia/mellanox',
  resource: 'a plural resource name, such as services',
  runAsUserName: 'a user such as ContainerUser',
  signerName: 'a name such as example.com/signer',
  singular: 'a lowercase singular name, such as widget',
  subjects: 'a list of subjects, each with a kind',
  targetPort: 'a port number, or the name of a port',
  template: 'a pod template with metadata and spec',
  topologyKey: 'a node label such as topology.kubernetes.io/zone',
  url: 'a URL such as https://example.com',
  valueExpression: 'a CEL expression',
  values: 'a list of at least one value',
  verbs: 'a list of verbs, such as [get, list]',
  volumeHandle: 'the ID of the volume in the storage system',
};

/** By the name of the list, for one of its items. */
const BY_LIST: Readonly<Record<string, string>> = {
  admissionReviewVersions: 'v1 or v1beta1',
  apiGroups: 'an API group such as apps',
  apiVersions: 'a version such as v1',
  categories: 'a category such as all',
  cidrs: 'a CIDR such as 10.96.0.0/12',
  coveredResources: 'the name of a resource, such as nvidia.com/gpu',
  except: 'a CIDR such as 10.1.0.0/16',
  conversionReviewVersions: 'v1 or v1beta1',
  clusterIPs: 'an IP address or None',
  externalIPs: 'an IP address such as 192.0.2.10',
  finalizers: 'a name such as example.com/cleanup',
  loadBalancerSourceRanges: 'a CIDR such as 10.0.0.0/8',
  hostnames: 'a DNS name such as db.example.com',
  namespaces: 'the name of a namespace',
  podCIDRs: 'a CIDR such as 10.244.0.0/24',
  resources: 'a resource such as pods',
  searches: 'a DNS domain such as example.com',
  shortNames: 'a lowercase short name, such as wd',
  values: 'a string that is not empty',
};

/** Lists whose items refer to what has the name; items of others have names of their own. */
const REFERRING: Readonly<Record<string, string>> = {
  configMapTargetRef: 'the name of the ConfigMap',
  costs: 'the name of a metric, such as cpu',
  env: 'the name of the variable, such as LOG_LEVEL',
  envFrom: 'the name of the source',
  options: 'the name of an option, such as ndots',
  ownerReferences: 'the name of the owner',
  resources: 'the name of a resource, such as nvidia.com/gpu',
  secretTargetRef: 'the name of the Secret',
  subjects: 'the name of the subject',
  sysctls: 'the name of a sysctl, such as net.core.somaxconn',
  volumeMounts: 'the name of a volume',
};

/** Fields that name an object of the kind. */
const KINDS: Readonly<Record<string, string>> = {
  configMap: 'ConfigMap',
  parameters: 'object that holds the parameters',
  priorityLevelConfiguration: 'PriorityLevelConfiguration',
  roleRef: 'role',
  secret: 'Secret',
  service: 'Service',
  serviceAccount: 'ServiceAccount',
};

/** Fields whose content depends on the object that contains them. */
const BY_PARENT: Readonly<Record<string, string>> = {
  '.action': 'the action that the reporting controller took, such as Binding',
  'spec.strategy': 'OldestEmulationVersion, or a strategy such as example.com/strategy',
  'resourceRules[].resources': RESOURCES,
  'rules[].resources': RESOURCES,
  'capacity.storage': A_SIZE,
  'max.storage': A_SIZE,
  'min.storage': A_SIZE,
  'requests.storage': A_SIZE,
  'auditAnnotations[].key': 'a key such as replicas',
  'appArmorProfile.localhostProfile': 'the name of a profile that is loaded on the nodes',
  'items[].path': 'a relative path such as config.yaml',
  'metrics[].resource': 'an object such as { name: cpu, target: { type: Utilization, averageUtilization: 80 } }',
  'jobTemplate.metadata': 'an object such as { labels: { app: web } }',
  'nfs.server': 'the host name or IP address of the NFS server',
  'nfs.path': 'an exported path such as /exports/data',
  'onPodConditions[].type': 'a condition type such as DisruptionTarget',
  'ownerReferences[].uid': 'the uid of the owner',
  'paramKind.apiVersion': 'the apiVersion of the parameters',
  'paramKind.kind': 'the kind of the parameters',
  'persistentVolumeClaim.claimName': 'the name of the PersistentVolumeClaim',
  'quobyte.registry': 'host:port pairs separated by commas, such as quobyte.example.com:7861',
  'rules[].host': 'a DNS name such as example.com, or a wildcard such as *.example.com',
  'subjects[].namespace': 'the namespace of the ServiceAccount',
  'backend.port': 'a port number, or the name of a port',
  'httpGet.port': 'a port number, or the name of a port',
  'tcpSocket.port': 'a port number, or the name of a port',
  'spec.metadata': 'an object such as { labels: { app: web } }',
  'template.metadata': 'an object such as { labels: { app: web } }',
  'triggers[].metadata': 'a map of the parameters of the scaler, with values in quotes',
  'targetPort.name': 'the name of a port, such as http',
  'triggers[].type': 'the type of a scaler, such as prometheus',
  'awsElasticBlockStore.volumeID': 'the ID of an EBS volume, such as vol-0123456789abcdef0',
  'azureDisk.diskName': 'the name of the disk in its resource group',
  'azureDisk.diskURI': 'the resource ID of a managed disk, or the URI of a blob',
  'azureFile.shareName': 'the name of the file share',
  'cinder.volumeID': 'the ID of the Cinder volume',
  'csi.driver': 'the name of the CSI driver, such as csi.example.com',
  'ephemeral.volumeClaimTemplate':
    'an object such as { spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 10Gi } } } }',
  'flexVolume.driver': 'the name of the FlexVolume driver, such as example.com/disk',
  'gcePersistentDisk.pdName': 'the name of the persistent disk',
  'gitRepo.repository': 'the URL of a Git repository, such as https://example.com/models.git',
  'glusterfs.endpoints': 'the name of the Endpoints of the GlusterFS servers',
  'glusterfs.path': 'the name of the GlusterFS volume',
  'hostPath.path': 'a path on the node, such as /data',
  'iscsi.iqn': 'the name of the iSCSI target, such as iqn.2001-04.com.example:storage',
  'iscsi.targetPortal': 'the address of the iSCSI portal, such as 192.0.2.10:3260',
  'photonPersistentDisk.pdID': 'the ID of the persistent disk',
  'portworxVolume.volumeID': 'the ID of the Portworx volume',
  'quobyte.volume': 'the name of the Quobyte volume',
  'rbd.image': 'the name of the RBD image',
  'scaleIO.gateway': 'the address of the ScaleIO gateway, such as https://scaleio.example.com/api',
  'scaleIO.system': 'the name of the ScaleIO system',
  'scaleIO.volumeName': 'the name of a volume in the ScaleIO system',
  'storageos.volumeName': 'the name of the StorageOS volume',
  'vsphereVolume.volumePath': 'the path of a disk in a datastore, such as "[datastore1] disks/data.vmdk"',
};

const LABEL_KEY = 'a key such as example.com/rack';

/** A key is that of a label in selectors, taints, and tolerations, and that of an entry where it refers to a ConfigMap or a Secret. */
function keyOf(parent: string): string {
  if (parent === 'items[]') {
    return 'a key of the ConfigMap or Secret';
  }
  if (parent.endsWith('[]') || /taint/i.test(parent)) {
    return /^(?:secret|configMap)TargetRef/.test(parent) ? entryOf(parent) : LABEL_KEY;
  }
  return entryOf(parent);
}

const entryOf = (parent: string): string => `a key of the ${/configMap/i.test(parent) ? 'ConfigMap' : 'Secret'}`;

/** The end of `Set X to …`; `undefined` where the name of the field says nothing about its content. */
export function contentOf(field: string): string | undefined {
  const parts = field.split('.');
  const last = parts.at(-1) ?? '';
  const parent = parts.at(-2);
  const [, list = ''] = /^(\w+)\[\d+\]$/.exec(last) ?? [];
  if (list !== '') {
    return own(BY_LIST, list);
  }
  const above = (parent ?? '').replace(/\[\d+\]$/, '[]');
  const byParent = own(BY_PARENT, `${above}.${last}`);
  if (byParent !== undefined) {
    return byParent;
  }
  if (last === 'key') {
    return above === '' ? LABEL_KEY : keyOf(above);
  }
  if (last === 'operator') {
    return operatorOf(above);
  }
  if (parent !== undefined && /^(?:name|kind|apiVersion|namespace|uid)$/.test(last)) {
    return ofParent(last, parent);
  }
  if (last === 'secretName') {
    return 'the name of the Secret';
  }
  const [, named = ''] = /^([a-z]\w*)Name$/.exec(last) ?? [];
  return own(BY_NAME, last) ?? (named === '' ? undefined : `the name of ${objectNamed(named)}`);
}

/** `a RuntimeClass` for `runtimeClass`, `the node` for `node`: fields that are named after a kind refer to its objects. */
function objectNamed(name: string): string {
  return /^(?:serviceAccount|configMap|persistentVolume|resourceClaim(?:Template)?|\w+[a-z]Class)$/.test(name)
    ? withArticle(`${name.charAt(0).toUpperCase()}${name.slice(1)}`)
    : `the ${wordsOf(name)}`;
}

/** `the name of the Service` for `service.name`, `a unique name` for `ports[0].name`. */
function ofParent(field: string, parent: string): string | undefined {
  const [, list] = /^(\w+)\[\d+\]$/.exec(parent) ?? [];
  if (field === 'name' && list !== undefined) {
    return own(REFERRING, list) ?? 'a unique name';
  }
  if (parent === 'metadata') {
    return field === 'name' ? 'a unique name such as train-70b' : undefined;
  }
  if (parent === 'names') {
    return field === 'kind' ? 'a kind such as Widget' : undefined;
  }
  if (list === undefined && /^(?:spec|status|cel|[\w]*\])$/.test(parent)) {
    return undefined;
  }
  const isOfSecret = /^(?:secret|\w+Secret)(?:Key)?Ref$/.test(parent);
  if (isOfSecret || /^configMap(?:Key)?Ref$/.test(parent)) {
    return `the ${field} of the ${isOfSecret ? 'Secret' : 'ConfigMap'}`;
  }
  const owner =
    list === undefined ? (own(KINDS, parent) ?? wordsOf(parent)) : wordsOf(list.replace(/ies$/, 'y').replace(/s$/, ''));
  return `the ${field} of the ${owner}`;
}

/** `scale target` for `scaleTargetRef`. */
function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/ Refs?$/, '')
    .toLowerCase();
  return words === 'ref' ? 'target' : words;
}

/** The operators of the lists in which all projects write them. */
const operatorOf = (parent: string): string | undefined =>
  parent === 'matchExpressions[]'
    ? 'In, NotIn, Exists, or DoesNotExist'
    : parent === 'tolerations[]'
      ? 'Equal or Exists'
      : undefined;

const own = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
