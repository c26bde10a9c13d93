/**
 * PersistentVolume, PersistentVolumeClaim, StorageClass and the CSI kinds.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { checkLabelSelector, checkNodeSelector } from '../selectors';
import { type Say, objectRule, since } from '../server-rule';
import { byteLength, dnsLabel, dnsSubdomain, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, quantitiesOf, size, text, textsOf, whole } from '../values';
import { climbs } from '../pods/paths';
import * as source from '../pods/volume-sources';
import { checkAccessModes, checkClaimSpec, checkVolumeMode } from './claim-spec';

const STORAGE = 'apis/storage/validation/validation.go';
type SourceCheck = (value: JsonObject, path: string, say: Say, name: string) => void;

const VOLUME_SOURCES: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  ['hostPath', source.hostPath],
  [
    'gcePersistentDisk',
    (value, path, say) => {
      source.need(value, path, say, 'pdName');
      source.inRange(value, path, say, 'partition', 0, 255);
    },
  ],
  [
    'awsElasticBlockStore',
    (value, path, say) => {
      source.need(value, path, say, 'volumeID');
      source.inRange(value, path, say, 'partition', 0, 255);
    },
  ],
  [
    'glusterfs',
    (value, path, say) => {
      source.need(value, path, say, 'endpoints', 'path');
      if (typeof value.endpointsNamespace === 'string' && dnsLabel(value.endpointsNamespace) !== undefined) {
        say(`${path}/endpointsNamespace`, 'the namespace must be a DNS label');
      }
    },
  ],
  ['flocker', source.flocker],
  ['nfs', source.nfs],
  [
    'rbd',
    (value, path, say) => {
      source.needItems(value, path, say, 'monitors');
      source.need(value, path, say, 'image');
    },
  ],
  ['quobyte', source.quobyte],
  ['cephfs', (value, path, say) => source.needItems(value, path, say, 'monitors')],
  [
    'iscsi',
    (value, path, say, name) => {
      source.iscsi(value, path, say, name);
      source.secretNamed(value, path, say);
    },
  ],
  [
    'cinder',
    (value, path, say) => {
      source.need(value, path, say, 'volumeID');
      if (isObject(value.secretRef)) {
        source.need(value.secretRef, `${path}/secretRef`, say, 'name', 'namespace');
      }
    },
  ],
  ['fc', source.fibreChannel],
  ['flexVolume', source.flexVolume],
  [
    'azureFile',
    (value, path, say) => {
      source.need(value, path, say, 'secretName', 'shareName');
      if (value.secretNamespace === '') {
        say(`${path}/secretNamespace`, 'the namespace must not be empty');
      }
    },
  ],
  ['vsphereVolume', (value, path, say) => source.need(value, path, say, 'volumePath')],
  ['photonPersistentDisk', (value, path, say) => source.need(value, path, say, 'pdID')],
  ['portworxVolume', (value, path, say) => source.need(value, path, say, 'volumeID')],
  ['azureDisk', source.azureDisk],
  ['scaleIO', (value, path, say) => source.need(value, path, say, 'gateway', 'system', 'volumeName')],
  [
    'local',
    (value, path, say) => {
      source.need(value, path, say, 'path');
      if (climbs(text(value.path))) {
        say(`${path}/path`, 'the path must not contain ".."');
      }
    },
  ],
  ['storageos', (value, path, say) => source.storageOs(value, path, say, true)],
  ['csi', csiVolume],
]);

export const storageRules: readonly Rule[] = [
  objectRule(
    'claim-valid',
    ['PersistentVolumeClaim'],
    {
      summary: 'A claim must have access modes, a size greater than zero, and valid names of classes and sources.',
      fix: 'Set spec.accessModes and spec.resources.requests.storage, and correct storageClassName.',
    },
    (object, say) => checkClaimSpec(asObject(object.spec), '/spec', say, true),
  ),

  objectRule(
    'volume-valid',
    ['PersistentVolume'],
    {
      summary:
        'A PersistentVolume must have access modes, a storage capacity, exactly one source, and supported policies.',
      fix: 'Set spec.capacity.storage, spec.accessModes, and one source, such as spec.csi.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      checkAccessModes(spec.accessModes, '/spec/accessModes', say);
      checkCapacity(asObject(spec.capacity), say);
      const policy = text(spec.persistentVolumeReclaimPolicy);
      if (!['', 'Retain', 'Delete', 'Recycle'].includes(policy)) {
        say('/spec/persistentVolumeReclaimPolicy', `unsupported reclaim policy "${policy}"`, {
          expected: 'Retain, Delete, or Recycle',
        });
      }
      checkVolumeMode(spec.volumeMode, '/spec/volumeMode', say);
      checkClassNames(spec, say);
      if (isObject(spec.nodeAffinity)) {
        if (isObject(spec.nodeAffinity.required)) {
          checkNodeSelector(spec.nodeAffinity.required, '/spec/nodeAffinity/required', say);
        } else {
          say('/spec/nodeAffinity/required', 'the node affinity must have required terms', {
            fix: 'Set nodeAffinity.required.nodeSelectorTerms to a list of at least one term.',
          });
        }
      }
      const [kind] = checkVolumeSource(spec, manifest.id.name, say);
      if (kind === 'local' && !isObject(spec.nodeAffinity)) {
        say('/spec/nodeAffinity', 'a local volume requires node affinity');
      }
      if (kind === 'hostPath' && /^\/+(\.\/*)*$/.test(text(asObject(spec.hostPath).path)) && policy === 'Recycle') {
        say(
          '/spec/persistentVolumeReclaimPolicy',
          'persistentVolumeReclaimPolicy must not be Recycle for the root of the host',
        );
      }
    },
  ),

  objectRule(
    'storage-class-valid',
    ['storage.k8s.io/StorageClass'],
    {
      source: STORAGE,
      summary: 'A StorageClass must have a provisioner, and a supported reclaim policy and binding mode.',
      fix: 'Set provisioner, reclaimPolicy, and volumeBindingMode.',
    },
    (object, say) => {
      const provisioner = text(object.provisioner);
      const complaint = provisioner === '' ? 'be set' : qualifiedName(provisioner.toLowerCase());
      if (complaint !== undefined) {
        say('/provisioner', `provisioner must ${complaint}`);
      }
      checkParameters(object, true, say);
      if (!['', 'Delete', 'Retain'].includes(text(object.reclaimPolicy))) {
        say('/reclaimPolicy', `unsupported reclaim policy "${text(object.reclaimPolicy)}"`, {
          expected: 'Delete or Retain',
        });
      }
      const mode = object.volumeBindingMode;
      if (typeof mode === 'string' && !['Immediate', 'WaitForFirstConsumer'].includes(mode)) {
        say('/volumeBindingMode', `unsupported binding mode "${mode}"`, {
          expected: 'Immediate or WaitForFirstConsumer',
        });
      }
      const terms = new Set<string>();
      for (const term of itemsOf(object.allowedTopologies, '/allowedTopologies')) {
        const keys = new Set<string>();
        const shape: string[] = [];
        for (const { value, path } of itemsOf(term.value.matchLabelExpressions, `${term.path}/matchLabelExpressions`)) {
          const key = text(value.key);
          const bad = qualifiedName(key);
          if (bad !== undefined) {
            say(`${path}/key`, `the key must ${bad}`);
          }
          if (keys.has(key)) {
            say(`${path}/key`, `duplicate key "${key}"`);
          }
          keys.add(key);
          const values = textsOf(value.values, `${path}/values`);
          if (values.length === 0) {
            say(`${path}/values`, 'values must be set');
          }
          for (const [index, { value: name, path: at }] of values.entries()) {
            if (values.findIndex((other) => other.value === name) < index) {
              say(at, `duplicate value "${name}"`);
            }
          }
          shape.push(
            `${key}=${values
              .map((entry) => entry.value)
              .sort()
              .join(',')}`,
          );
        }
        if (shape.length === 0) {
          say(term.path, 'the topology must have expressions', {
            found: null,
            fix: `Set matchLabelExpressions in ${fieldOf(term.path)}.`,
          });
        }
        const signature = shape.sort().join(';');
        if (terms.has(signature)) {
          say(term.path, 'duplicate topology', { found: signature });
        }
        terms.add(signature);
      }
    },
  ),

  objectRule(
    'volume-attributes-class-valid',
    ['storage.k8s.io/VolumeAttributesClass'],
    {
      source: STORAGE,
      summary: 'A VolumeAttributesClass must name a CSI driver and at least one parameter.',
      fix: 'Set driverName and at least one entry of parameters.',
    },
    (object, say) => {
      const driver = text(object.driverName);
      const complaint = driver === '' ? 'be set' : qualifiedName(driver.toLowerCase());
      if (complaint !== undefined) {
        say('/driverName', `the driver name must ${complaint}`);
      }
      checkParameters(object, false, say);
    },
  ),

  objectRule(
    'csi-driver-valid',
    ['storage.k8s.io/CSIDriver'],
    {
      source: STORAGE,
      summary: 'A CSIDriver must have supported lifecycle modes, and token requests with unique audiences.',
      fix: 'Set spec.volumeLifecycleModes and spec.tokenRequests to supported values.',
    },
    (object, say, context) => {
      const spec = asObject(object.spec);
      for (const { value, path } of textsOf(spec.volumeLifecycleModes, '/spec/volumeLifecycleModes')) {
        if (!['Persistent', 'Ephemeral'].includes(value)) {
          say(path, `unsupported lifecycle mode "${value}"`, { expected: 'Persistent or Ephemeral' });
        }
      }
      const policy = spec.fsGroupPolicy;
      if (typeof policy === 'string' && !['ReadWriteOnceWithFSType', 'File', 'None'].includes(policy)) {
        say('/spec/fsGroupPolicy', `unsupported value "${policy}" for fsGroupPolicy`, {
          expected: 'ReadWriteOnceWithFSType, File, or None',
        });
      }
      const audiences = new Set<string>();
      for (const { value, path } of itemsOf(spec.tokenRequests, '/spec/tokenRequests')) {
        if (audiences.has(text(value.audience))) {
          say(`${path}/audience`, `duplicate audience "${text(value.audience)}"`);
        }
        audiences.add(text(value.audience));
        const seconds = whole(value.expirationSeconds);
        if (seconds !== undefined && (seconds < 600 || seconds > 2 ** 32)) {
          say(`${path}/expirationSeconds`, 'expirationSeconds must be at least 600 (10 minutes)', {
            expected: 'at least 600',
          });
        }
      }
      if (since(context, 35) && given(spec.serviceAccountTokenInSecrets) && audiences.size === 0) {
        say('/spec/serviceAccountTokenInSecrets', 'serviceAccountTokenInSecrets must not be set without tokenRequests');
      }
      const period = whole(spec.nodeAllocatableUpdatePeriodSeconds);
      if (since(context, 34) && period !== undefined && period < 10) {
        say('/spec/nodeAllocatableUpdatePeriodSeconds', 'nodeAllocatableUpdatePeriodSeconds must be at least 10');
      }
    },
  ),

  objectRule(
    'storage-capacity-valid',
    ['storage.k8s.io/CSIStorageCapacity'],
    {
      source: STORAGE,
      summary: 'A CSIStorageCapacity must name a storage class, a valid topology, and a capacity that is not negative.',
      fix: 'Remove the CSIStorageCapacity from the manifests, because the driver sets its capacity and nodeTopology.',
    },
    (object, say) => {
      const name = dnsSubdomain(text(object.storageClassName));
      if (name !== undefined) {
        say('/storageClassName', `storageClassName must ${name}`);
      }
      checkLabelSelector(object.nodeTopology, '/nodeTopology', say);
      if (
        quantitiesOf({ capacity: object.capacity ?? null })
          .get('capacity')
          ?.isNegative() === true
      ) {
        say('/capacity', 'capacity must be greater than or equal to 0');
      }
    },
  ),

  objectRule(
    'volume-attachment-valid',
    ['storage.k8s.io/VolumeAttachment'],
    {
      source: STORAGE,
      summary: 'A VolumeAttachment must name its driver, its node, and either a PersistentVolume or an inline volume.',
      fix: 'Remove the VolumeAttachment from the manifests, because a controller sets its spec.source.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      source.checkDriverName(spec.attacher, '/spec/attacher', say);
      const node = dnsSubdomain(text(spec.nodeName));
      if (node !== undefined) {
        say('/spec/nodeName', `the node name must ${node}`);
      }
      const { persistentVolumeName, inlineVolumeSpec } = asObject(spec.source);
      if (given(persistentVolumeName) === given(inlineVolumeSpec)) {
        say('/spec/source', 'exactly one of persistentVolumeName and inlineVolumeSpec must be set', {
          expected: 'persistentVolumeName or inlineVolumeSpec',
        });
      }
      if (isObject(inlineVolumeSpec)) {
        checkAccessModes(inlineVolumeSpec.accessModes, '/spec/source/inlineVolumeSpec/accessModes', say);
        if (!isObject(inlineVolumeSpec.csi)) {
          say('/spec/source/inlineVolumeSpec/csi', 'the volume must be a CSI volume');
        }
      }
      const name = given(persistentVolumeName) ? dnsSubdomain(text(persistentVolumeName)) : undefined;
      if (name !== undefined) {
        say('/spec/source/persistentVolumeName', `the volume name must ${name}`);
      }
    },
  ),

  objectRule(
    'csi-node-valid',
    ['storage.k8s.io/CSINode'],
    {
      source: STORAGE,
      summary: 'A CSINode must list each driver once, with a node ID and valid topology keys.',
      fix: 'Remove the CSINode from the manifests, because the kubelet sets its spec.drivers.',
    },
    (object, say) => {
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(asObject(object.spec).drivers, '/spec/drivers')) {
        source.checkDriverName(value.name, `${path}/name`, say);
        if (seen.has(text(value.name))) {
          say(`${path}/name`, `duplicate driver "${text(value.name)}"`);
        }
        seen.add(text(value.name));
        const id = text(value.nodeID);
        if (id === '' || byteLength(id) > 256) {
          say(`${path}/nodeID`, 'the node ID must have 1 to 256 characters');
        }
        const count = whole(asObject(value.allocatable).count);
        if (count !== undefined && count < 0) {
          say(`${path}/allocatable/count`, 'allocatable.count must be greater than or equal to 0');
        }
        const keys = new Set<string>();
        for (const key of textsOf(value.topologyKeys, `${path}/topologyKeys`)) {
          const bad = qualifiedName(key.value);
          if (bad !== undefined) {
            say(key.path, `the topology key must ${bad}`);
          }
          if (keys.has(key.value)) {
            say(key.path, `duplicate key "${key.value}"`);
          }
          keys.add(key.value);
        }
      }
    },
  ),
];

function csiVolume(value: JsonObject, path: string, say: Say): void {
  source.checkDriverName(value.driver, `${path}/driver`, say);
  source.need(value, path, say, 'volumeHandle');
  for (const field of [
    'controllerPublishSecretRef',
    'controllerExpandSecretRef',
    'nodePublishSecretRef',
    'nodeExpandSecretRef',
    'nodeStageSecretRef',
  ]) {
    const secret = value[field];
    if (!isObject(secret) || field === 'nodeStageSecretRef') {
      continue;
    }
    const name = dnsSubdomain(text(secret.name));
    const namespace = dnsLabel(text(secret.namespace));
    if (name !== undefined) {
      say(`${path}/${field}/name`, `the Secret name must ${name}`);
    }
    if (namespace !== undefined) {
      say(`${path}/${field}/namespace`, `the Secret namespace must ${namespace}`);
    }
  }
}

function checkParameters(object: JsonObject, mayBeEmpty: boolean, say: Say): void {
  const entries = Object.entries(asObject(object.parameters));
  if (entries.length > 512) {
    say('/parameters', `the class must have at most 512 parameters, but has ${entries.length}`, {
      expected: 'at most 512',
    });
  }
  if (!mayBeEmpty && entries.length === 0) {
    say('/parameters', 'the class must have parameters', { expected: 'at least one parameter' });
  }
  const total = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(text(value)), 0);
  if (total > 256 * 1024) {
    say('/parameters', 'the parameters must be no longer than 256 KiB', { found: total });
  }
  for (const [key] of entries) {
    if (key === '') {
      say('/parameters', 'the name of a parameter must not be empty', { found: size(object.parameters) });
    }
  }
}

function checkCapacity(capacity: JsonObject, say: Say): void {
  if (!('storage' in capacity) || Object.keys(capacity).length > 1) {
    say('/spec/capacity', 'capacity must contain only storage', {
      expected: 'storage and nothing else',
      fix: 'Set capacity.storage, and remove every other resource from spec.capacity.',
    });
  }
  for (const [name, amount] of quantitiesOf(capacity)) {
    if (!amount.isPositive()) {
      say(pointer('/spec/capacity', name), 'the capacity must be greater than 0');
    }
  }
}

function checkClassNames(spec: JsonObject, say: Say): void {
  const className = text(spec.storageClassName) === '' ? undefined : dnsSubdomain(text(spec.storageClassName));
  if (className !== undefined) {
    say('/spec/storageClassName', `storageClassName must ${className}`);
  }
  if (typeof spec.volumeAttributesClassName === 'string') {
    const bad = spec.volumeAttributesClassName === '' ? 'not be empty' : dnsSubdomain(spec.volumeAttributesClassName);
    if (bad !== undefined) {
      say('/spec/volumeAttributesClassName', `volumeAttributesClassName must ${bad}`);
    }
    if (!given(spec.csi)) {
      say('/spec/volumeAttributesClassName', 'volumeAttributesClassName must be set only for CSI volumes');
    }
  }
}

/** @returns the kinds of source that the volume has, in the order in which the server looks for them */
function checkVolumeSource(spec: JsonObject, name: string, say: Say): readonly string[] {
  const kinds = [...VOLUME_SOURCES.keys()].filter((kind) => given(spec[kind]));
  // The server counts a flexVolume without looking at what came before it.
  const besideFlex = kinds.length === 2 && kinds[1] === 'flexVolume';
  if (kinds.length !== 1 && !besideFlex) {
    say(
      '/spec',
      kinds.length === 0
        ? 'the volume must have a source'
        : `the volume must have only one source, but has ${kinds.length}: ${kinds.join(', ')}`,
      kinds.length === 0 ? { fix: 'Set one source in spec, such as csi or nfs.' } : {},
    );
  }
  for (const source of besideFlex ? kinds : kinds.slice(0, 1)) {
    const value = spec[source];
    if (isObject(value)) {
      VOLUME_SOURCES.get(source)?.(value, `/spec/${source}`, say, name);
    }
  }
  return kinds;
}
