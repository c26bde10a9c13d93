/**
 * containerd's configuration. It warns of keys that it does not know and starts without them, so a wrong key does nothing, silently.
 */
import { allOf, oneOf } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString, isObject } from '../../../manifests/read';
import { CRI_PLUGIN, RUNC, RUNC_OPTIONS, RUNTIME_KEYS, RUNTIME_PLUGIN } from '../containerd-facts';
import { type FileFacts, fileRule, type FileView } from './files';

const SOURCE = `${cite('containerd')}, internal/cri/config, cmd/containerd/server/config`;
const IGNORED = 'containerd logs "Ignoring unknown key" and starts without the setting.';

interface Table {
  readonly value: JsonObject;
  readonly path: string;
}

interface RuntimeTable extends Table {
  readonly name: string;
}

/** The configurations of the plugin that runs pods, under the names that it has had. */
function criTables({ value }: FileView): readonly Table[] {
  const plugins = asObject(value.plugins);
  return [CRI_PLUGIN, RUNTIME_PLUGIN, 'cri']
    .filter((id) => isObject(plugins[id]))
    .map((id) => ({ value: asObject(plugins[id]), path: pointer('/plugins', id) }));
}

function runtimesIn({ value, path }: Table): readonly RuntimeTable[] {
  const runtimes = asObject(asObject(value.containerd).runtimes);
  return Object.entries(runtimes)
    .filter(([, found]) => isObject(found))
    .map(([name, found]) => ({ name, value: asObject(found), path: pointer(path, 'containerd', 'runtimes', name) }));
}

function containerdRule(
  name: string,
  facts: Omit<FileFacts, 'source'> & { readonly source?: string },
  check: (file: FileView) => Iterable<Violation>,
): Rule {
  return fileRule('ContainerdConfig', name, { source: SOURCE, ...facts }, check);
}

export const containerdRules: readonly Rule[] = [
  containerdRule(
    'containerd-systemd-cgroup-of-runc',
    {
      row: 'C1',
      tier: 'advice',
      severity: 'error',
      summary: 'The systemd cgroup driver must be set with SystemdCgroup in the options of each runtime.',
      why: `systemd_cgroup is a key of containerd 1.2 that 2.0 removed. ${IGNORED} Runtime and kubelet then manage the same cgroups in two ways.`,
      source: 'containerd RELEASES.md (deprecated 1.3, removed 2.0); docs/cri/config.md',
      fix: 'Remove systemd_cgroup, and set SystemdCgroup = true in the options of the runtime.',
    },
    function* (file) {
      for (const table of criTables(file)) {
        for (const { value, path } of [table, ...runtimesIn(table)]) {
          if (value.systemd_cgroup !== undefined) {
            yield {
              path: `${path}/systemd_cgroup`,
              message: 'systemd_cgroup has no effect: containerd reads SystemdCgroup in the options of the runtime',
              found: value.systemd_cgroup,
              expected: 'SystemdCgroup under options',
            };
          }
        }
      }
    },
  ),

  containerdRule(
    'containerd-runc-option-known',
    {
      row: 'C3',
      tier: 'advice',
      severity: 'error',
      summary: 'The options of a runc runtime must be options that its shim reads.',
      why: `${IGNORED} In particular, the cgroup parent of pods comes from the kubelet and cannot be set here.`,
      source: 'containerd api v1.10, types/runc/options/oci.proto',
      fix: 'Remove the option, and set cgroupRoot, kubeReservedCgroup, or systemReservedCgroup of the kubelet to move pods to another cgroup.',
    },
    function* (file) {
      for (const table of criTables(file)) {
        for (const { value, path } of runtimesIn(table)) {
          // A runtime without a type is defined in another file; its option names show the type.
          if (value.runtime_type !== undefined && value.runtime_type !== RUNC) {
            continue;
          }
          for (const [option, found] of Object.entries(asObject(value.options))) {
            if (RUNC_OPTIONS.includes(option)) {
              continue;
            }
            const near = nearestName(option, RUNC_OPTIONS);
            if (value.runtime_type === undefined && near === undefined && !/cgroup/i.test(option)) {
              continue;
            }
            yield {
              path: pointer(path, 'options', option),
              message: `unknown runc option "${option}"`,
              found,
              expected: near ?? oneOf(RUNC_OPTIONS),
            };
          }
        }
      }
    },
  ),

  containerdRule(
    'containerd-default-runtime-by-name',
    {
      row: 'C2',
      tier: 'advice',
      severity: 'error',
      summary: 'The default runtime must be set with default_runtime_name.',
      why:
        'The tables default_runtime and untrusted_workload_runtime were deprecated in 1.3 and removed in 2.0. ' +
        IGNORED,
      source: 'containerd RELEASES.md',
      fix: 'Move the runtime to runtimes, and set default_runtime_name to its name, for example "runc".',
    },
    function* (file) {
      for (const { value, path } of criTables(file)) {
        const containerd = asObject(value.containerd);
        for (const key of ['default_runtime', 'untrusted_workload_runtime']) {
          if (containerd[key] !== undefined) {
            yield {
              path: pointer(path, 'containerd', key),
              message: `${key} has no effect since containerd 2.0`,
              expected:
                key === 'default_runtime'
                  ? 'default_runtime_name'
                  : 'an entry of runtimes, selected with a RuntimeClass',
            };
          }
        }
      }
    },
  ),

  containerdRule(
    'containerd-runtime-key-known',
    {
      row: 'C1',
      tier: 'advice',
      severity: 'error',
      summary: 'The keys of a runtime must be keys that containerd reads.',
      why: IGNORED,
      fix: 'Rename the key to one such as runtime_type, or move it to options if runc reads it.',
    },
    function* (file) {
      for (const table of criTables(file)) {
        for (const { value, path } of runtimesIn(table)) {
          for (const [key, found] of Object.entries(value)) {
            if (RUNTIME_KEYS.includes(key) || key === 'systemd_cgroup') {
              continue;
            }
            const deeper = RUNC_OPTIONS.includes(key);
            yield {
              path: pointer(path, key),
              message: `unknown runtime key "${key}"`,
              found,
              expected: deeper ? `${key} in options` : nearestName(key, RUNTIME_KEYS),
            };
          }
        }
      }
    },
  ),

  containerdRule(
    'containerd-plugin-of-version',
    {
      row: 'C1',
      tier: 'advice',
      severity: 'warning',
      summary: `The plugin must have the name that fits the version of the file: ${CRI_PLUGIN} in version 2, ${RUNTIME_PLUGIN} in versions 3 and 4.`,
      why: 'containerd converts a file only if it is older than the newest version that it knows: 2.0 to 2.2 ignore the old name in a file of version 3, and 1.x knows no other name.',
      fix: `Rename the plugin to ${RUNTIME_PLUGIN} in a file of version 3 or 4, and to ${CRI_PLUGIN} in one of version 2, or run \`containerd config migrate\`.`,
    },
    function* ({ value }) {
      const plugins = asObject(value.plugins);
      const { version } = value;
      if (plugins.cri !== undefined) {
        yield {
          path: '/plugins/cri',
          message: 'plugins.cri is the plugin name in version 1 of the file format',
          expected: RUNTIME_PLUGIN,
          fix: `Rename plugins.cri to plugins."${RUNTIME_PLUGIN}", or run \`containerd config migrate\`.`,
        };
      }
      if ((version === 3 || version === 4) && plugins[CRI_PLUGIN] !== undefined) {
        const severity = version === 4 ? 'error' : 'warning';
        yield {
          severity,
          path: pointer('/plugins', CRI_PLUGIN),
          message: `the plugin has another name in version ${version} of the file format, so containerd ignores its settings`,
          found: CRI_PLUGIN,
          expected: RUNTIME_PLUGIN,
          fix: `Rename the plugin to ${RUNTIME_PLUGIN}, or run \`containerd config migrate\`.`,
        };
      }
      if (version === 2 && plugins[RUNTIME_PLUGIN] !== undefined) {
        yield {
          path: pointer('/plugins', RUNTIME_PLUGIN),
          message:
            'the plugin has another name in version 2 of the file format, so containerd 1.x ignores its settings',
          found: RUNTIME_PLUGIN,
          expected: `version = 3, or ${CRI_PLUGIN}`,
          fix: `Rename the plugin to ${CRI_PLUGIN}, or set version = 3 for containerd 2.x.`,
        };
      }
    },
  ),

  containerdRule(
    'containerd-config-states-version',
    {
      row: 'C1',
      tier: 'advice',
      severity: 'warning',
      summary: 'The file must set the version of its configuration format.',
      why: 'Without a version it counts as version 1, whose plugins had other names, and is converted: the result depends on the containerd version.',
      fix: 'Set version = 3 in the first line, or version = 2 for containerd 1.x.',
    },
    function* ({ value }) {
      if (value.version === undefined) {
        yield {
          path: '',
          message: 'version must be set in the file',
          expected: 'version = 3, or 2 for containerd 1.x',
        };
      }
    },
  ),

  containerdRule(
    'containerd-runtimes-share-cgroup-driver',
    {
      row: 'C1',
      tier: 'advice',
      severity: 'warning',
      summary: 'All runtimes that use runc must have the same SystemdCgroup.',
      why: 'The kubelet has one cgroup driver. Containers of a runtime with the other driver are in cgroups that the kubelet does not manage.',
      fix: 'Set SystemdCgroup = true in the options of each runtime.',
    },
    function* (file) {
      for (const table of criTables(file)) {
        const runc = runtimesIn(table).filter(({ value }) => value.runtime_type === RUNC);
        const on = runc.filter(({ value }) => asObject(value.options).SystemdCgroup === true);
        if (on.length === 0 || on.length === runc.length) {
          continue;
        }
        for (const { name, path, value } of runc) {
          if (asObject(value.options).SystemdCgroup !== true) {
            yield {
              path,
              message: `SystemdCgroup must be the same in all runtimes: "${name}" does not set it to true, but ${allOf(on.map((other) => `"${other.name}"`))} ${on.length === 1 ? 'does' : 'do'}`,
              expected: 'SystemdCgroup = true',
            };
          }
        }
      }
    },
  ),

  containerdRule(
    'containerd-gpu-runtime-chosen',
    {
      row: 'D11',
      tier: 'advice',
      severity: 'warning',
      summary: 'The NVIDIA runtime should be selected by the pods that need it, and not be the default.',
      why: 'As the default it gives all GPUs of the node to every image with NVIDIA_VISIBLE_DEVICES=all, as in CUDA images, even without a request, unless the toolkit rejects the variable.',
      source: 'nvidia-container-toolkit v1.20, api/config/v1 (accept-nvidia-visible-devices-envvar-when-unprivileged)',
      fix: 'Set default_runtime_name = "runc", because CDI injects the devices.',
    },
    function* (file) {
      for (const { value, path } of criTables(file)) {
        const name = asString(asObject(value.containerd).default_runtime_name) ?? '';
        if (/^nvidia/.test(name)) {
          yield {
            path: `${path}/containerd/default_runtime_name`,
            message: `the default runtime must be runc: "${name}" would run every pod on the node`,
            found: name,
            expected: 'runc',
          };
        }
      }
    },
  ),

  containerdRule(
    'containerd-injects-devices',
    {
      row: 'C6',
      tier: 'advice',
      severity: 'warning',
      summary: 'CDI must stay enabled.',
      why: 'Device plugins and DRA drivers inject devices with CDI; with enable_cdi = false containers start without them. The key is deprecated since 2.2 and will be removed.',
      source: `${cite('containerd')}, internal/cri/config; RELEASES.md`,
      fix: 'Remove enable_cdi, which is true by default since containerd 2.0, or set enable_cdi = true for 1.7.',
    },
    function* (file) {
      for (const { value, path } of criTables(file)) {
        if (value.enable_cdi === false) {
          yield {
            path: `${path}/enable_cdi`,
            message: 'enable_cdi must not be false: without CDI, containers get no devices',
            found: false,
            expected: 'true',
          };
        }
      }
    },
  ),
];
