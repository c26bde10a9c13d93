/**
 * DockerDaemon: `daemon.json` of hosts on which plain Docker runs GPU containers. Nodes of Kubernetes have no use for it.
 */
import { embedded } from '../../manifests/values/deferred';
import { type JsonObject } from '../../facts/api/schema';
import { type ByteSize } from '../resources/quantities';
import { binarySize, decimalSize } from './file-sizes';
import { type NodeDocument } from './node-document';
import { publicClass } from '../resources/public-class';

/** A runtime of Docker. */
export interface DockerRuntime {
  /** The program. */
  readonly path: string;
  /** Arguments of the runtime. @default - none */
  readonly args?: readonly string[];
}

/** Props of a DockerDaemon. */
export interface DockerDaemonProps {
  /** Adds the runtime `nvidia`, for daemons before 28.3 or without CDI. It never becomes the default. @default true */
  readonly nvidiaRuntime?: boolean;
  /** Further runtimes, by name. @default - none beside runc and nvidia */
  readonly runtimes?: Readonly<Record<string, DockerRuntime>>;
  /** Devices by CDI. On by default since 28.3; `--gpus` itself goes through CDI since 29.2. @default true */
  readonly cdi?: boolean;
  /** Size of /dev/shm of each container, for example `8Gi`. @default - 64 MiB */
  readonly defaultShmSize?: ByteSize;
  /** Whether containers may lock as much memory as they like, which RDMA needs. @default true */
  readonly memlock?: boolean;
  /** The slice of all containers; see `SystemdDropIn.slice`. @default - Docker's own */
  readonly cgroupParent?: string;
  /** Containers go on while the daemon is restarted. @default true */
  readonly liveRestore?: boolean;
  /** Size and number of log files of each container. @default - 50M, 3 */
  readonly logs?: {
    /** Size at which a log file is rotated, for example `50M`. */
    readonly maxSize: ByteSize;
    /** Number of log files that are kept. */
    readonly maxFiles: number;
  };
  /** Merged in at the end. @default - none */
  readonly overrides?: JsonObject;
}

/**
 * Rules: `node-tuning/docker-*`. Source: moby 29.x, daemon/config; docker/cli, docs/reference/dockerd.md.
 *
 * @example
 * new nodeTuning.DockerDaemon({ cgroupParent: 'ai.slice' }).toText();
 */
@publicClass('nodeTuning.DockerDaemon')
export class DockerDaemon implements NodeDocument {
  readonly path = '/etc/docker/daemon.json';
  readonly rollOut: readonly string[] = [
    'dockerd --validate --config-file=daemon.json',
    'end the GPU containers of the host',
    'copy the file',
    'systemctl restart docker',
  ];

  constructor(private readonly props: DockerDaemonProps = {}) {}

  /** Returns the content of the file as an object. */
  toConfiguration(): JsonObject {
    const {
      nvidiaRuntime = true,
      cdi = true,
      memlock = true,
      liveRestore = true,
      logs = { maxSize: '50M', maxFiles: 3 },
      defaultShmSize,
      cgroupParent,
    } = this.props;
    const runtimes: Readonly<Record<string, DockerRuntime>> = {
      ...(nvidiaRuntime ? { nvidia: { path: 'nvidia-container-runtime' } } : {}),
      ...this.props.runtimes,
    };
    return {
      features: { cdi },
      ...(Object.keys(runtimes).length === 0 ? {} : { runtimes: runtimesOf(runtimes) }),
      ...(memlock ? { 'default-ulimits': { memlock: { Name: 'memlock', Soft: -1, Hard: -1 } } } : {}),
      ...(defaultShmSize === undefined ? {} : { 'default-shm-size': binarySize('defaultShmSize', defaultShmSize) }),
      ...(cgroupParent === undefined ? {} : { 'cgroup-parent': cgroupParent }),
      'live-restore': liveRestore,
      'log-driver': 'json-file',
      'log-opts': { 'max-size': decimalSize('logs.maxSize', logs.maxSize), 'max-file': `${logs.maxFiles}` },
      ...this.props.overrides,
    };
  }

  toText(): string {
    return embedded(this.toConfiguration(), (plain) => `${JSON.stringify(plain, undefined, 2)}\n`);
  }
}

function runtimesOf(runtimes: Readonly<Record<string, DockerRuntime>>): JsonObject {
  const entryOf = ({ path, args }: DockerRuntime): JsonObject => ({
    path,
    ...(args === undefined ? {} : { runtimeArgs: [...args] }),
  });
  return Object.fromEntries(Object.entries(runtimes).map(([name, runtime]) => [name, entryOf(runtime)]));
}
