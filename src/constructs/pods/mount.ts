/**
 * A volume and the place where it is mounted, as one statement: what is mounted has a volume, always.
 */
import { type Carried, passed } from '../../manifests/values/deferred';
import { bytesText, type ByteSize, carriedBytesText } from '../resources/quantities';
import {
  type ConfigMapVolumeSource,
  type SecretVolumeSource,
  type Volume,
  type VolumeMount,
} from '../../facts/api/types/core/v1';
import { type NamedReference, nameOf, referencesIn } from '../resources/references';
import { publicClass } from '../resources/public-class';

/** How a volume is mounted. */
export interface MountOptions {
  /** Name of the volume in the pod. @default - made from the mount path: `/data/sets` becomes `data-sets` */
  readonly volumeName?: string;
  /** Whether the container can only read the volume. @default false */
  readonly readOnly?: boolean;
  /** Mounts this folder or file of the volume instead of its root. @default - the root */
  readonly subPath?: Carried<string>;
}

/** Options of an emptyDir volume. */
export interface EmptyDirOptions extends MountOptions {
  /** `Memory` for a tmpfs, whose content counts to the memory limits of the pod's containers. @default - the node's disk */
  readonly medium?: 'Memory' | `HugePages-${string}`;
  /** The pod is evicted, or for a tmpfs the write fails, above this size. @default - no limit */
  readonly sizeLimit?: Carried<ByteSize>;
}

/** Options of a hostPath volume. */
export interface HostPathOptions extends MountOptions {
  /** What is expected at the path. @default - not looked at */
  readonly type?: 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket' | 'CharDevice' | 'BlockDevice';
}

/** Options of a generic ephemeral volume. */
export interface EphemeralOptions extends MountOptions {
  /** StorageClass of the volume. @default - the cluster's default class */
  readonly storageClass?: Carried<string>;
}

/** The part of a `Volume` of cdk8s-plus that `Mount` reads. */
export interface VolumeConstruct {
  /** Name of the volume in the pod. */
  readonly name: string;
  /** Returns the volume as the pod spec has it. */
  _toKube(): object;
}

/**
 * A volume and its mount in the main container.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'train', {
 *   nodes: 1,
 *   image: 'registry.example.com/train:1',
 *   mounts: [Mount.claim('datasets', '/data', { readOnly: true }), Mount.emptyDir('/scratch', { sizeLimit: '200Gi' })],
 * });
 */
@publicClass('Mount')
export class Mount {
  /** A PersistentVolumeClaim of the pod's namespace, by name or as a construct. */
  static claim(claim: NamedReference<'PersistentVolumeClaim'>, mountPath: string, options: MountOptions = {}): Mount {
    const source = {
      persistentVolumeClaim: { claimName: nameOf(claim), ...(options.readOnly ? { readOnly: true } : {}) },
    };
    return new Mount(source, mountPath, options, referencesIn(claim));
  }

  /** A ConfigMap, by name or as a construct; `items` and `defaultMode` as the API has them. */
  static configMap(
    configMap: NamedReference<'ConfigMap'>,
    mountPath: string,
    options: MountOptions & Omit<ConfigMapVolumeSource, 'name'> = {},
  ): Mount {
    const { volumeName, readOnly, subPath, ...more } = options;
    const source = { configMap: { name: nameOf(configMap), ...more } };
    return new Mount(source, mountPath, { volumeName, readOnly, subPath }, referencesIn(configMap));
  }

  /** A Secret, by name or as a construct. */
  static secret(
    secret: NamedReference<'Secret'>,
    mountPath: string,
    options: MountOptions & Omit<SecretVolumeSource, 'secretName'> = {},
  ): Mount {
    const { volumeName, readOnly, subPath, ...more } = options;
    const source = { secret: { secretName: nameOf(secret), ...more } };
    return new Mount(source, mountPath, { volumeName, readOnly, subPath }, referencesIn(secret));
  }

  /** A file or folder of the node. */
  static hostPath(path: Carried<string>, mountPath: string, options: HostPathOptions = {}): Mount {
    return new Mount(
      { hostPath: { path: passed(path), ...(options.type === undefined ? {} : { type: options.type }) } },
      mountPath,
      options,
    );
  }

  /** A folder that lives as long as the pod. */
  static emptyDir(mountPath: string, options: EmptyDirOptions = {}): Mount {
    const { medium } = options;
    const sizeLimit = carriedBytesText('sizeLimit', options.sizeLimit);
    const emptyDir = { ...(medium === undefined ? {} : { medium }), ...(sizeLimit === undefined ? {} : { sizeLimit }) };
    return new Mount({ emptyDir }, mountPath, options);
  }

  /** A new volume of this size for each pod, deleted with it. */
  static ephemeral(size: ByteSize, mountPath: string, options: EphemeralOptions = {}): Mount {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: bytesText('size', size) } },
      ...(options.storageClass === undefined ? {} : { storageClassName: passed(options.storageClass) }),
    };
    return new Mount({ ephemeral: { volumeClaimTemplate: { spec } } }, mountPath, options);
  }

  /** Mounts a directory of an NFS server. */
  static nfs(server: Carried<string>, path: Carried<string>, mountPath: string, options: MountOptions = {}): Mount {
    return new Mount(
      { nfs: { server: passed(server), path: passed(path), ...(options.readOnly ? { readOnly: true } : {}) } },
      mountPath,
      options,
    );
  }

  /** A volume of any kind, as the API has it or as cdk8s-plus makes it. Its name is the volume's. */
  static volume(
    volume: Volume | VolumeConstruct,
    mountPath: string,
    options: Omit<MountOptions, 'volumeName'> = {},
  ): Mount {
    const construct = '_toKube' in volume;
    const { name, ...source } = construct ? (plain(volume._toKube()) as Volume) : volume;
    return new Mount(source, mountPath, { ...options, volumeName: name }, construct ? [volume] : []);
  }

  /** Name of the volume in the pod. */
  readonly volumeName: string;

  private constructor(
    private readonly source: Omit<Volume, 'name'>,
    /** Absolute path in the container. */
    readonly mountPath: string,
    private readonly options: MountOptions,
    /** Constructs that must exist before the pod. */
    readonly references: readonly object[] = [],
  ) {
    if (!mountPath.startsWith('/') || mountPath.includes(':')) {
      throw new Error(`mountPath "${mountPath}": must be an absolute path without a colon, for example /data.`);
    }
    this.volumeName = options.volumeName ?? volumeNameOf(mountPath);
  }

  /** Returns the volume as the pod spec has it. */
  toVolume(): Volume {
    return { name: this.volumeName, ...this.source };
  }

  /** Returns the mount as the container has it. */
  toVolumeMount(): VolumeMount {
    const { readOnly, subPath } = this.options;
    return {
      name: this.volumeName,
      mountPath: this.mountPath,
      ...(readOnly ? { readOnly: true } : {}),
      ...(subPath === undefined ? {} : { subPath: passed(subPath) }),
    };
  }
}

/** cdk8s-plus wraps quantities into objects of a class with the one member `value`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && 'value' in value) {
    return value.value;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]));
}

/** The name of a volume by its mount path: a DNS label, at most 63 characters. */
export function volumeNameOf(mountPath: string): string {
  const name = mountPath
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return name === '' ? 'root' : name;
}
