/**
 * What each kind of volume needs. A source is checked by a table of required fields, and by a function where that is not enough.
 */
import { fieldOf } from '../../../manifests/pointer';
import { type JsonObject } from '../../../facts/api/schema';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { parseQuantity } from '../../../manifests/values/quantity';
import { checkClaimSpec } from '../objects/claim-spec';
import { checkLabels } from '../selectors';
import { type Say } from '../server-rule';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, size, text, whole } from '../values';
import { climbs, relativePath } from './paths';
import { checkKeysToPaths, checkMode } from './projections';
import { oneOf } from '../../../facts/words';

export interface VolumePlace {
  /** Empty where the pod's name is not known. */
  readonly podName: string;
  readonly volumeName: string;
  readonly isPod: boolean;
}

type SourceCheck = (source: JsonObject, path: string, say: Say, place: VolumePlace) => void;

const HOST_PATH_TYPES = [
  '',
  'DirectoryOrCreate',
  'Directory',
  'FileOrCreate',
  'File',
  'Socket',
  'CharDevice',
  'BlockDevice',
];

/** Every volume source, in the API's order of no importance. */
export const VOLUME_SOURCES: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  [
    'emptyDir',
    (source, path, say) => {
      const limit = source.sizeLimit;
      const amount = typeof limit === 'string' || typeof limit === 'number' ? parseQuantity(limit) : undefined;
      if (amount?.isNegative() === true) {
        say(`${path}/sizeLimit`, 'sizeLimit must be greater than or equal to 0');
      }
    },
  ],
  ['hostPath', hostPath],
  [
    'gitRepo',
    (source, path, say) => {
      need(source, path, say, 'repository');
      const complaint = relativePath(text(source.directory));
      if (complaint !== undefined) {
        say(`${path}/directory`, `directory must ${complaint}`);
      }
    },
  ],
  [
    'gcePersistentDisk',
    (source, path, say) => {
      need(source, path, say, 'pdName');
      inRange(source, path, say, 'partition', 0, 255);
    },
  ],
  [
    'awsElasticBlockStore',
    (source, path, say) => {
      need(source, path, say, 'volumeID');
      inRange(source, path, say, 'partition', 0, 255);
    },
  ],
  [
    'secret',
    (source, path, say) => {
      need(source, path, say, 'secretName');
      checkMode(source, path, 'defaultMode', say);
      checkKeysToPaths(source.items, `${path}/items`, say);
    },
  ],
  [
    'configMap',
    (source, path, say) => {
      need(source, path, say, 'name');
      checkMode(source, path, 'defaultMode', say);
      checkKeysToPaths(source.items, `${path}/items`, say);
    },
  ],
  ['nfs', nfs],
  ['iscsi', (source, path, say, place) => iscsi(source, path, say, place.volumeName)],
  ['glusterfs', (source, path, say) => need(source, path, say, 'endpoints', 'path')],
  ['flocker', flocker],
  ['persistentVolumeClaim', (source, path, say) => need(source, path, say, 'claimName')],
  [
    'rbd',
    (source, path, say) => {
      needItems(source, path, say, 'monitors');
      need(source, path, say, 'image');
    },
  ],
  [
    'cinder',
    (source, path, say) => {
      need(source, path, say, 'volumeID');
      secretNamed(source, path, say);
    },
  ],
  ['cephfs', (source, path, say) => needItems(source, path, say, 'monitors')],
  ['quobyte', quobyte],
  ['downwardAPI', () => undefined],
  ['fc', fibreChannel],
  ['flexVolume', flexVolume],
  ['azureFile', (source, path, say) => need(source, path, say, 'secretName', 'shareName')],
  ['vsphereVolume', (source, path, say) => need(source, path, say, 'volumePath')],
  ['photonPersistentDisk', (source, path, say) => need(source, path, say, 'pdID')],
  ['portworxVolume', (source, path, say) => need(source, path, say, 'volumeID')],
  ['azureDisk', azureDisk],
  ['storageos', (source, path, say) => storageOs(source, path, say, false)],
  ['projected', () => undefined],
  ['scaleIO', (source, path, say) => need(source, path, say, 'gateway', 'system', 'volumeName')],
  [
    'csi',
    (source, path, say) => {
      checkDriverName(source.driver, `${path}/driver`, say);
      if (!isObject(source.nodePublishSecretRef)) {
        return;
      }
      const complaint = dnsSubdomain(text(source.nodePublishSecretRef.name));
      if (complaint !== undefined) {
        say(`${path}/nodePublishSecretRef/name`, `the Secret name must ${complaint}`);
      }
    },
  ],
  ['ephemeral', ephemeral],
  [
    'image',
    (source, path, say, place) => {
      if (place.isPod) {
        need(source, path, say, 'reference');
      }
      const policy = text(source.pullPolicy);
      if (policy !== '' && !['Always', 'IfNotPresent', 'Never'].includes(policy)) {
        say(`${path}/pullPolicy`, `unsupported value "${policy}" for pullPolicy`, {
          expected: 'Always, IfNotPresent, or Never',
        });
      }
    },
  ],
]);

/** Reports each field that is absent or empty. */
export function need(source: JsonObject, path: string, say: Say, ...fields: readonly string[]): void {
  for (const field of fields) {
    if (text(source[field]) === '') {
      say(`${path}/${field}`, `${field} must be set`);
    }
  }
}

export function hostPath(source: JsonObject, path: string, say: Say): void {
  need(source, path, say, 'path');
  if (climbs(text(source.path))) {
    say(`${path}/path`, 'path must not contain ".."');
  }
  if (typeof source.type === 'string' && !HOST_PATH_TYPES.includes(source.type)) {
    say(`${path}/type`, `unsupported host path type "${source.type}"`, {
      expected: oneOf(HOST_PATH_TYPES.slice(1)),
    });
  }
}

export function nfs(source: JsonObject, path: string, say: Say): void {
  need(source, path, say, 'server', 'path');
  if (text(source.path) !== '' && !text(source.path).startsWith('/')) {
    say(`${path}/path`, 'path must be absolute', { expected: 'a path that begins with "/"' });
  }
}

export function iscsi(source: JsonObject, path: string, say: Say, volumeName: string): void {
  need(source, path, say, 'targetPortal', 'iqn');
  if (text(source.iqn) !== '' && !isQualifiedIscsi(text(source.iqn))) {
    say(`${path}/iqn`, `"${text(source.iqn)}" is not a valid iSCSI name`, {
      expected: 'a name that begins with "iqn.", "eui.", or "naa."',
    });
  }
  inRange(source, path, say, 'lun', 0, 255);
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && !given(source.secretRef)) {
    say(`${path}/secretRef`, 'CHAP requires a Secret', {
      fix: `Set ${fieldOf(path)}.secretRef.name to the name of a Secret, or remove chapAuthDiscovery and chapAuthSession.`,
    });
  }
  if (typeof source.initiatorName !== 'string') {
    return;
  }
  if (!isQualifiedIscsi(source.initiatorName)) {
    say(`${path}/initiatorName`, `"${source.initiatorName}" is not a valid iSCSI name`, {
      expected: 'a name that begins with "iqn.", "eui.", or "naa."',
    });
  }
  if (`${volumeName}:${text(source.targetPortal)}`.length > 64) {
    say(`${path}/targetPortal`, 'the volume name and targetPortal must have no more than 64 characters in total');
  }
}

export function flocker(source: JsonObject, path: string, say: Say): void {
  const both = [text(source.datasetName), text(source.datasetUUID)].filter((name) => name !== '');
  if (both.length !== 1) {
    say(path, 'exactly one of datasetName and datasetUUID must be set');
  }
  if (text(source.datasetName).includes('/')) {
    say(`${path}/datasetName`, 'datasetName must not contain "/"');
  }
}

export function quobyte(source: JsonObject, path: string, say: Say): void {
  need(source, path, say, 'registry', 'volume');
  if (text(source.registry) === '') {
    return;
  }
  if (text(source.tenant).length >= 65) {
    say(`${path}/tenant`, 'tenant must have no more than 64 characters');
  } else if (
    !text(source.registry)
      .split(',')
      .every((pair) => /^(\[[^\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair))
  ) {
    say(`${path}/registry`, 'registry must be one or more host:port pairs, separated by commas', {
      fix: `Set ${fieldOf(`${path}/registry`)} to a host:port pair such as quobyte.example.com:7861, or to several, separated by commas.`,
    });
  }
}

export function fibreChannel(source: JsonObject, path: string, say: Say): void {
  const names = size(source.targetWWNs);
  const ids = size(source.wwids);
  if ((names === 0) === (ids === 0)) {
    say(path, 'exactly one of targetWWNs and wwids must be set');
  }
  if (names === 0) {
    return;
  }
  if (!given(source.lun)) {
    say(`${path}/lun`, 'lun must be set when targetWWNs is set', { expected: 'a number from 0 to 255' });
  }
  inRange(source, path, say, 'lun', 0, 255);
}

export function flexVolume(source: JsonObject, path: string, say: Say): void {
  need(source, path, say, 'driver');
  for (const key of Object.keys(asObject(source.options))) {
    const domain = `.${(key.split('/')[0] ?? '').toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      say(
        pointer(path, 'options', key),
        `the option "${key}" must not have a reserved prefix (kubernetes.io or k8s.io)`,
        {
          fix: `Rename the key "${key}" in flexVolume.options to a name with another prefix, such as example.com/${key.split('/').at(-1) ?? ''}.`,
        },
      );
    }
  }
}

export function azureDisk(source: JsonObject, path: string, say: Say): void {
  need(source, path, say, 'diskName', 'diskURI');
  const caching = source.cachingMode;
  if (typeof caching === 'string' && !['None', 'ReadOnly', 'ReadWrite'].includes(caching)) {
    say(`${path}/cachingMode`, `unsupported value "${caching}" for cachingMode`, {
      expected: 'None, ReadOnly, or ReadWrite',
    });
  }
  const kind = typeof source.kind === 'string' ? source.kind : 'Shared';
  if (!['Shared', 'Dedicated', 'Managed'].includes(kind)) {
    say(`${path}/kind`, `unsupported disk kind "${kind}"`, { expected: 'Shared, Dedicated, or Managed' });
  }
  const prefix = kind === 'Managed' ? '/subscriptions/' : 'https://';
  if (!text(source.diskURI).startsWith(prefix)) {
    say(`${path}/diskURI`, `the URI of a ${kind} disk must begin with ${prefix}`);
  }
}

export function storageOs(source: JsonObject, path: string, say: Say, persistent: boolean): void {
  const name = dnsLabel(text(source.volumeName));
  if (name !== undefined) {
    say(`${path}/volumeName`, `volumeName must ${name}`);
  }
  const space = text(source.volumeNamespace) === '' ? undefined : dnsLabel(text(source.volumeNamespace));
  if (space !== undefined) {
    say(`${path}/volumeNamespace`, `volumeNamespace must ${space}`);
  }
  secretNamed(source, path, say);
  if (persistent && isObject(source.secretRef)) {
    need(source.secretRef, `${path}/secretRef`, say, 'namespace');
  }
}

export function checkDriverName(name: unknown, path: string, say: Say): void {
  const driver = typeof name === 'string' ? name : '';
  const complaint =
    driver === ''
      ? 'be set'
      : driver.length > 63
        ? 'be no more than 63 characters'
        : dnsSubdomain(driver.toLowerCase());
  if (complaint !== undefined) {
    say(path, `the driver name must ${complaint}`);
  }
}

export function inRange(source: JsonObject, path: string, say: Say, field: string, least: number, most: number): void {
  const value = whole(source[field]);
  if (value !== undefined && (value < least || value > most)) {
    say(`${path}/${field}`, `${field} must be between ${least} and ${most}`);
  }
}

export function secretNamed(source: JsonObject, path: string, say: Say): void {
  if (isObject(source.secretRef) && text(source.secretRef.name) === '') {
    say(`${path}/secretRef/name`, 'secretRef.name must be set');
  }
}

export function needItems(source: JsonObject, path: string, say: Say, field: string): void {
  if (size(source[field]) === 0) {
    say(`${path}/${field}`, `${field} must be set`, { expected: `at least one ${field.replace(/s$/, '')}` });
  }
}

function isQualifiedIscsi(name: string): boolean {
  if (name.startsWith('iqn')) {
    return /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/.test(name);
  }
  if (name.startsWith('eui')) {
    return /^eui.[a-zA-Z0-9]{16}$/.test(name);
  }
  return name.startsWith('naa') && /^naa.[a-zA-Z0-9]{32}$/.test(name);
}

function ephemeral(source: JsonObject, path: string, say: Say, place: VolumePlace): void {
  if (!isObject(source.volumeClaimTemplate)) {
    say(`${path}/volumeClaimTemplate`, 'volumeClaimTemplate must be set');
    return;
  }
  const template = source.volumeClaimTemplate;
  const at = `${path}/volumeClaimTemplate`;
  const metadata = asObject(template.metadata);
  for (const [field, value] of Object.entries(metadata)) {
    // The server takes an empty map, and no empty list.
    if (
      field !== 'labels' &&
      field !== 'annotations' &&
      given(value) &&
      value !== '' &&
      !(isObject(value) && size(value) === 0)
    ) {
      say(`${at}/metadata/${field}`, `${field} must not be set in the metadata of a claim template`);
    }
  }
  checkLabels(metadata.labels, `${at}/metadata/labels`, say);
  for (const key of Object.keys(asObject(metadata.annotations))) {
    const complaint = qualifiedName(key.toLowerCase());
    if (complaint !== undefined) {
      say(pointer(`${at}/metadata/annotations`, key), `the annotation key "${key}" must ${complaint}`);
    }
  }
  checkClaimSpec(asObject(template.spec), `${at}/spec`, say);
  if (place.podName === '' || place.volumeName === '') {
    return;
  }
  const claim = `${place.podName}-${place.volumeName}`;
  const complaint = dnsSubdomain(claim);
  if (complaint !== undefined) {
    say(path, `the claim for this volume, "${claim}", must ${complaint}`, {
      found: claim,
      fix: 'Shorten metadata.name, or name the volume and the pod with lowercase letters, digits, "-", and ".".',
    });
  }
}
