/**
 * How the device plugin of a chart or a manifest of one's own gets its configuration.
 */
import { cite } from '../../../facts/upstream';
import { type PodTemplateRule } from '../../../checks/rules/rule';
import { asObject, asString, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { isDevicePluginConfig } from '../device-plugin-text';

/** The device plugin's configuration is a file, whose path is in a variable or a flag. */
export const configFileNamed: PodTemplateRule = {
  id: 'gpu-operator/device-plugin-config-is-a-file',
  row: 'GO7',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  concerns: ['envFrom'],
  summary: 'The device plugin must get its configuration as a file that CONFIG_FILE or --config-file names.',
  why: 'envFrom makes a variable of each key of the ConfigMap, and the plugin reads none of them: it starts with its defaults, without time-slicing.',
  source: `${cite('k8s-device-plugin')}, cmd/nvidia-device-plugin/main.go (--config-file, CONFIG_FILE)`,
  fix: 'Mount the ConfigMap as a volume, and set the environment variable CONFIG_FILE to the path of the file.',
  *check({ manifest, spec }, { set }) {
    for (const { value, path } of objectsAt(spec, '/containers')) {
      const named =
        objectsAt(value, '/env').some((variable) => variable.value.name === 'CONFIG_FILE') ||
        [...stringsIn(value.command), ...stringsIn(value.args)].some((word) => word.startsWith('--config-file'));
      if (named || asString(value.image)?.includes('k8s-device-plugin') !== true) {
        continue;
      }
      for (const source of objectsAt(value, '/envFrom')) {
        const name = asString(asObject(source.value.configMapRef).name) ?? '';
        const map = set.get('ConfigMap', name, manifest.id.namespace);
        if (map !== undefined && stringEntries(map.object.data).some(([, text]) => isDevicePluginConfig(text))) {
          yield {
            path: `/spec${path}${source.path}/configMapRef`,
            message: `the configuration in the ConfigMap "${name}" is set as environment variables, which the device plugin does not read`,
            found: name,
            expected: 'a volume with the file, and CONFIG_FILE',
          };
        }
      }
    }
  },
};
