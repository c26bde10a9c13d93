/**
 * ContainerdConfiguration: runtimes of containerd, as a drop-in of version 3 (containerd 2.x) or a whole file of version 2 (1.x).
 */
import { embedded } from '../../manifests/values/deferred';
import { createRequire } from 'node:module';
import type * as Toml from 'smol-toml' with { 'resolution-mode': 'import' };
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { RUNC, runtimePlugin } from './containerd-facts';
import { drained, type NodeDocument } from './node-document';
import { publicClass } from '../resources/public-class';

/** A runtime of containerd. */
export interface ContainerdRuntime {
  /** Type of the runtime. @default io.containerd.runc.v2 */
  readonly type?: string;
  /** The program that runs containers. @default - runc */
  readonly binary?: string;
  /** A file with the OCI specification that containers of this runtime begin with. @default - containerd's own */
  readonly baseRuntimeSpec?: string;
  /** All runtimes that use runc must agree with the kubelet. @default true */
  readonly systemdCgroup?: boolean;
  /** Pod annotations that containerd passes to the runtime. @default - none */
  readonly podAnnotations?: readonly string[];
  /** Further options. @default - none */
  readonly options?: JsonObject;
}

/** Props of a ContainerdConfiguration. */
export interface ContainerdConfigurationProps {
  /**
   * 3 for containerd 2.x: a drop-in, merged with the other files. 2 for containerd 1.x, which uses the last file that configures the
   * plugin and drops all others: copy your present configuration of the plugin into `overrides`.
   * @default 3
   */
  readonly version?: 2 | 3;
  /**
   * Path of the file on the node.
   * @default - /etc/containerd/conf.d/50-gantry.toml, and /etc/containerd/config.toml for version 2
   */
  readonly path?: string;
  /** By name, which is the handler of a RuntimeClass. @default - none beside runc */
  readonly runtimes?: Readonly<Record<string, ContainerdRuntime>>;
  /** Adds the runtime `nvidia`. The GPU operator's toolkit does that itself. @default false */
  readonly nvidiaRuntime?: boolean;
  /** Folders of CDI specifications. @default - /etc/cdi and /var/run/cdi, which 2.x looks into by itself */
  readonly cdiSpecDirs?: readonly string[];
  /** Merged into the plugin's table. @default - none */
  readonly overrides?: JsonObject;
}

const CDI_FOLDERS: readonly string[] = ['/etc/cdi', '/var/run/cdi'];
const TOOLKIT_FILE = '99-nvidia.toml';

/**
 * The default runtime stays runc: with nvidia for all, every CUDA image gets every GPU.
 *
 * Rules: `node-tuning/containerd-*`. Source: containerd, internal/cri/config.
 *
 * @example
 * new nodeTuning.ContainerdConfiguration({ runtimes: { rdma: { baseRuntimeSpec: '/etc/containerd/rdma-base-spec.json' } } }).toText();
 */
@publicClass('nodeTuning.ContainerdConfiguration')
export class ContainerdConfiguration implements NodeDocument {
  readonly path: string;
  readonly rollOut = drained(
    'copy the file; containerd before 2.2 also needs imports = ["/etc/containerd/conf.d/*.toml"] in /etc/containerd/config.toml',
    'containerd config dump',
    'systemctl restart containerd',
  );

  /** @throws if nothing is configured, or the path is the toolkit's */
  constructor(private readonly props: ContainerdConfigurationProps) {
    this.path =
      props.path ?? (props.version === 2 ? '/etc/containerd/config.toml' : '/etc/containerd/conf.d/50-gantry.toml');
    if (this.path.endsWith(`/${TOOLKIT_FILE}`)) {
      throw new Error(
        `path: ${this.path} belongs to the NVIDIA container toolkit, which overwrites it. Choose another name.`,
      );
    }
    if (Object.keys(this.plugin()).length === 0) {
      throw new Error('the configuration must not be empty. Set runtimes, nvidiaRuntime, or cdiSpecDirs.');
    }
  }

  /** Returns the content of the file as an object. */
  toConfiguration(): JsonObject {
    const { version = 3 } = this.props;
    return { version, plugins: { [runtimePlugin(version)]: this.plugin() } };
  }

  toText(): string {
    const { stringify } = createRequire(__filename)('smol-toml') as typeof Toml;
    const head =
      this.props.version === 2
        ? '# The whole configuration of the CRI plugin: containerd 1.x does not merge it with other files.'
        : '# Merged with the other files of containerd, whose version must not be lower.';
    return embedded(this.toConfiguration(), (plain) => `${head}\n${stringify(plain).trimEnd()}\n`);
  }

  private plugin(): JsonObject {
    const { version = 3, runtimes = {}, nvidiaRuntime = false, cdiSpecDirs, overrides = {} } = this.props;
    const all: Readonly<Record<string, ContainerdRuntime>> = {
      ...runtimes,
      ...(nvidiaRuntime ? { nvidia: { binary: '/usr/bin/nvidia-container-runtime' } } : {}),
    };
    const tables = Object.fromEntries(Object.entries(all).map(([name, runtime]) => [name, runtimeTable(runtime)]));
    const cdi = cdiSpecDirs ?? (version === 2 ? CDI_FOLDERS : undefined);
    return merged(
      {
        ...(version === 2 ? { enable_cdi: true } : {}),
        ...(cdi === undefined ? {} : { cdi_spec_dirs: [...cdi] }),
        ...(Object.keys(tables).length === 0 ? {} : { containerd: { runtimes: tables } }),
      },
      overrides,
    );
  }
}

function runtimeTable(runtime: ContainerdRuntime): JsonObject {
  const { type = RUNC, binary, baseRuntimeSpec, podAnnotations, systemdCgroup = true, options = {} } = runtime;
  const ofRunc: JsonObject =
    type === RUNC ? { SystemdCgroup: systemdCgroup, ...(binary === undefined ? {} : { BinaryName: binary }) } : {};
  const all = { ...ofRunc, ...options };
  return {
    runtime_type: type,
    ...(baseRuntimeSpec === undefined ? {} : { base_runtime_spec: baseRuntimeSpec }),
    ...(podAnnotations === undefined ? {} : { pod_annotations: [...podAnnotations] }),
    ...(Object.keys(all).length === 0 ? {} : { options: all }),
  };
}

function merged(base: JsonObject, more: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const known: JsonValue | undefined = result[key];
    result[key] = isTable(known) && isTable(value) ? merged(known, value) : value;
  }
  return result;
}

function isTable(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
