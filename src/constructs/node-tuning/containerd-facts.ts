/**
 * containerd's configuration by version, as far as it concerns GPU nodes.
 *
 * Source: containerd, cmd/containerd/server/config (loading, merging), internal/cri/config (keys, validation), plugins/cri/runtime;
 * api/types/runc/options/oci.proto; RELEASES.md (deprecations).
 */

/** The version of the file, by which containerd knows how to read it. 1.x reads 2; 2.0 also reads 3, and 2.3 also reads 4. */
export type ContainerdConfigVersion = 2 | 3 | 4;

/** The plugin that runs pods: one for runtimes and images together before version 3, two of them since. */
export const CRI_PLUGIN = 'io.containerd.grpc.v1.cri';
export const RUNTIME_PLUGIN = 'io.containerd.cri.v1.runtime';

export function runtimePlugin(version: ContainerdConfigVersion): string {
  return version === 2 ? CRI_PLUGIN : RUNTIME_PLUGIN;
}

export const RUNC = 'io.containerd.runc.v2';

/** Keys that the runc shim reads under `options`. */
export const RUNC_OPTIONS: readonly string[] = [
  'BinaryName',
  'CriuImagePath',
  'CriuPath',
  'CriuWorkPath',
  'IoGid',
  'IoUid',
  'NoNewKeyring',
  'NoPivotRoot',
  'Root',
  'ShimCgroup',
  'SystemdCgroup',
];

/** Keys of one runtime. */
export const RUNTIME_KEYS: readonly string[] = [
  'runtime_type',
  'runtime_path',
  'pod_annotations',
  'container_annotations',
  'options',
  'privileged_without_host_devices',
  'privileged_without_host_devices_all_devices_allowed',
  'cgroup_writable',
  'base_runtime_spec',
  'cni_conf_dir',
  'cni_max_conf_num',
  'snapshotter',
  'sandboxer',
  'sandbox_mode',
  'io_type',
  // Of 1.x, read into runc's options or ignored with a warning.
  'runtime_root',
  'runtime_engine',
];
