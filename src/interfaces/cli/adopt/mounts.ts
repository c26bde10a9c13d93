/**
 * Volumes and their mounts in the main container as `Mount`s.
 */
import { volumeNameOf } from '../../../constructs/pods/mount';
import { parseQuantity } from '../../../manifests/values/quantity';
import { isBytes } from './container-resources';
import {
  at,
  Call,
  type Expression,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  namedReference,
  nonEmpty,
  present,
  textOf,
  without,
} from './expression';

export interface Mounts {
  readonly mounts?: readonly Expression[];
  readonly sharedMemory?: string;
  /** Mounts and volumes that no `Mount` says. */
  readonly otherMounts?: readonly Expression[];
  readonly otherVolumes?: readonly Expression[];
}

/** @param memory the memory of the container, which shared memory must leave room in */
export function mountsOf(container: Expression, volumes: readonly Expression[], memory: string | undefined): Mounts {
  const placed = listOf(at(container, 'volumeMounts'));
  const mounts: Call[] = [];
  const otherMounts: Expression[] = [];
  const used = new Set<Expression>();
  let sharedMemory: string | undefined;
  for (const place of placed) {
    const name = textOf(at(place, 'name'));
    const volume = volumes.find((one) => textOf(at(one, 'name')) === name);
    const shared = placed.filter((one) => textOf(at(one, 'name')) === name).length > 1;
    const size = volume === undefined || shared ? undefined : sharedMemoryOf(place, volume, memory);
    const mount = volume === undefined ? undefined : mountOf(fieldsOf(place), fieldsOf(volume), shared);
    if (size !== undefined && volume !== undefined) {
      sharedMemory = size;
      used.add(volume);
    } else if (mount !== undefined && volume !== undefined) {
      mounts.push(mount);
      used.add(volume);
    } else {
      otherMounts.push(place);
    }
  }
  return {
    mounts: nonEmpty(mounts),
    sharedMemory,
    otherMounts: nonEmpty(otherMounts),
    otherVolumes: nonEmpty(volumes.filter((volume) => !used.has(volume))),
  };
}

/** The size of `/dev/shm`, written as the pod model writes it. */
function sharedMemoryOf(mount: Expression, volume: Expression, memory: string | undefined): string | undefined {
  const { name, mountPath, ...others } = fieldsOf(mount);
  const { sizeLimit, medium, ...more } = fieldsOf(at(volume, 'emptyDir'));
  const isShared =
    mountPath === '/dev/shm' &&
    name === 'shm' &&
    medium === 'Memory' &&
    Object.keys({ ...others, ...more }).length === 0 &&
    isBytes(sizeLimit);
  if (!isShared) {
    return undefined;
  }
  const [size, limit] = [parseQuantity(sizeLimit), memory === undefined ? undefined : parseQuantity(memory)];
  return size?.isZero() === false && (limit === undefined || limit.isGreaterThan(size)) ? sizeLimit : undefined;
}

const PLAIN = ['name', 'mountPath', 'readOnly', 'subPath'];

/** @param shared the volume is mounted several times, so that it must be the same in each */
function mountOf(place: Fields, volume: Fields, shared: boolean): Call | undefined {
  const { name, mountPath, readOnly, subPath } = place;
  if (without(place, ...PLAIN) !== undefined || typeof mountPath !== 'string' || !mountPath.startsWith('/')) {
    return undefined;
  }
  if (mountPath.includes(':') || (readOnly !== undefined && readOnly !== true)) {
    return undefined;
  }
  const source = without(volume, 'name');
  const [kind = '', ...several] = Object.keys(source ?? {});
  const fields = fieldsOf(at(volume, kind));
  const volumeName = textOf(name) === volumeNameOf(mountPath) ? undefined : name;
  const options = { volumeName, readOnly, subPath };
  const call = several.length > 0 ? undefined : factory(kind, fields, mountPath, options, shared);
  return call ?? new Call('Mount.volume', [volume, mountPath, present({ readOnly, subPath })]);
}

// One case for each form, which reads best in one place.
// oxlint-disable-next-line complexity
function factory(kind: string, fields: Fields, mountPath: string, options: Fields, shared: boolean): Call | undefined {
  const { readOnly } = options;
  const made = (name: string, first: readonly Expression[], more: Fields = {}): Call =>
    new Call(`Mount.${name}`, [...first, mountPath, present({ ...options, ...more })]);
  switch (kind) {
    case 'persistentVolumeClaim': {
      // The option sets both, the claim's volume and the mount.
      const agrees = (fields.readOnly ?? false) === (readOnly ?? false);
      const plain = without(fields, 'claimName', 'readOnly') === undefined;
      return agrees && plain && !shared && fields.claimName !== undefined
        ? made('claim', [namedReference(fields.claimName)])
        : undefined;
    }
    case 'configMap':
    case 'secret': {
      const { name, secretName, ...more } = fields;
      const named = kind === 'secret' ? secretName : name;
      return named === undefined ? undefined : made(kind, [namedReference(named)], more);
    }
    case 'hostPath': {
      const { path, type, ...more } = fields;
      const known = type === undefined || (typeof type === 'string' && HOST_PATH_TYPES.includes(type));
      return known && Object.keys(more).length === 0 && path !== undefined
        ? made('hostPath', [path], { type })
        : undefined;
    }
    case 'emptyDir': {
      const { medium, sizeLimit, ...more } = fields;
      const known = medium === undefined || medium === 'Memory';
      const sized = sizeLimit === undefined || isBytes(sizeLimit);
      return known && sized && Object.keys(more).length === 0 ? made('emptyDir', [], { medium, sizeLimit }) : undefined;
    }
    case 'nfs': {
      const { server, path, readOnly: ofVolume, ...more } = fields;
      const agrees = (ofVolume ?? false) === (readOnly ?? false) && !shared;
      return agrees && Object.keys(more).length === 0 ? made('nfs', [server, path]) : undefined;
    }
    case 'ephemeral': {
      const claim = at(fields, 'volumeClaimTemplate', 'spec');
      const size = at(claim, 'resources', 'requests', 'storage');
      const storageClass = textOf(at(claim, 'storageClassName'));
      const plain =
        isFields(claim) &&
        without(claim, 'accessModes', 'resources', 'storageClassName') === undefined &&
        JSON.stringify(claim.accessModes) === '["ReadWriteOnce"]' &&
        at(fields, 'volumeClaimTemplate', 'metadata') === undefined;
      return plain && isBytes(size) ? made('ephemeral', [size], { storageClass }) : undefined;
    }
    default:
      return undefined;
  }
}

const HOST_PATH_TYPES = [
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
  'CharDevice',
  'BlockDevice',
];
