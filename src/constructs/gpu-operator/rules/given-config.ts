/**
 * How the device plugin of a chart or a manifest of one's own gets its configuration.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type PodTemplateRule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { isDevicePluginConfig } from '../device-plugin-text';

/** The device plugin's configuration is a file, whose path is in a variable or a flag. */
export const configFileNamed: PodTemplateRule = {
  id: 'gpu-operator/device-plugin-config-is-a-file',
  row: 'GO7',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'namespace',
  concerns: ['envFrom', 'volumeMounts'],
  summary: 'The device plugin must get its configuration as a file that CONFIG_FILE or --config-file names.',
  why: 'The plugin reads no file that is not named, and no variables that envFrom makes of the keys of a ConfigMap: it starts with its defaults, without time-slicing.',
  source: `${cite('k8s-device-plugin')}, cmd/nvidia-device-plugin/main.go (--config-file, CONFIG_FILE)`,
  fix: 'Mount the ConfigMap as a volume, and set the environment variable CONFIG_FILE to the path of the file.',
  *check({ manifest, spec }, { set }) {
    const containers = objectsAt(spec, '/containers');
    // The manager of the configuration writes the file that the plugin reads.
    if (containers.some(({ value }) => wordsOf(value).some((word) => word.includes('config-manager')))) {
      return;
    }
    const { namespace } = manifest.id;
    const hasConfig = (name: string): boolean => {
      const map = set.get('ConfigMap', name, namespace);
      return map !== undefined && containsConfig(map);
    };
    const mapOfVolume = new Map(
      objectsAt(spec, '/volumes').map(({ value }) => [value.name, asString(asObject(value.configMap).name)] as const),
    );
    for (const { value, path } of containers) {
      if (!runsPlugin(value) || namesFile(value)) {
        continue;
      }
      for (const source of objectsAt(value, '/envFrom')) {
        const name = asString(asObject(source.value.configMapRef).name) ?? '';
        if (hasConfig(name)) {
          yield {
            path: `/spec${path}${source.path}/configMapRef`,
            message: `the configuration in the ConfigMap "${name}" is set as environment variables, which the device plugin does not read`,
            found: name,
            expected: 'a volume with the file, and CONFIG_FILE',
          };
        }
      }
      for (const mount of objectsAt(value, '/volumeMounts')) {
        const name = mapOfVolume.get(mount.value.name) ?? '';
        if (hasConfig(name)) {
          yield {
            path: `/spec${path}${mount.path}`,
            message: `the configuration in the ConfigMap "${name}" is mounted, but neither CONFIG_FILE nor --config-file names its file, so the device plugin does not read it`,
            found: name,
            expected: 'CONFIG_FILE',
            fix: `Set the environment variable CONFIG_FILE to the path of the file${mountedAt(mount.value)}.`,
          };
        }
      }
    }
  },
};

const mapsWithConfig = new WeakMap<Manifest, boolean>();

function containsConfig(map: Manifest): boolean {
  let found = mapsWithConfig.get(map);
  if (found === undefined) {
    found = stringEntries(map.object.data).some(([, text]) => isDevicePluginConfig(text));
    mapsWithConfig.set(map, found);
  }
  return found;
}

function mountedAt({ mountPath, subPath }: JsonObject): string {
  const where = asString(mountPath);
  return where === undefined ? '' : subPath === undefined ? ` in ${where}` : `, ${where}`;
}

function wordsOf({ command, args }: JsonObject): readonly string[] {
  return [...stringsIn(command), ...stringsIn(args)];
}

/** A container with the image of the plugin that runs the plugin, and none of the other programs of the image. */
function runsPlugin(container: JsonObject): boolean {
  const [program] = stringsIn(container.command);
  return (
    asString(container.image)?.includes('k8s-device-plugin') === true &&
    (program === undefined || /(^|\/)(nvidia-device-plugin|sh|bash)$/.test(program))
  );
}

/** A path in a variable or a flag, also in the script of a shell. */
function namesFile(container: JsonObject): boolean {
  return (
    objectsAt(container, '/env').some((variable) => variable.value.name === 'CONFIG_FILE') ||
    wordsOf(container).some((word) => /--config-file|CONFIG_FILE/.test(word))
  );
}
