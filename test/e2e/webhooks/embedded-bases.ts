/**
 * Configurations that are text in a ConfigMap: those of the corpora, and those in the files and documents of the project's module, each
 * in a ConfigMap of its own, which a ClusterPolicy names.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { goModule } from '../../../projen/api/lock';
import { type JsonObject } from '../../../src/facts/api/schema';
import { stringEntries } from '../../../src/manifests/read';
import { type WebhookBase } from './bases';
import { type EmbeddedConfig, moduleVersion, type WebhookProject } from './projects';

/** A block with an ellipsis or a placeholder is a part. */
const PART = /^\s*(\.\.\.|<)|<[a-z]/m;
const BLOCK = /^```ya?ml\n([\s\S]*?)^```/gm;

const CONFIG_MAP = 'configuration';

/** @param objects ConfigMaps of the corpora */
export function embeddedBases(
  project: WebhookProject,
  { files, isConfig, component }: EmbeddedConfig,
  objects: readonly WebhookBase[],
): readonly WebhookBase[] {
  const root = goModule(project.module, moduleVersion(project)).dir;
  const texts = [
    ...objects.flatMap(({ file, object }) => textsOf(object).map((text) => ({ file, text }))),
    ...files.flatMap((file) => textsIn(join(root, file)).map((text) => ({ file, text }))),
  ];
  const policy: JsonObject = {
    apiVersion: 'nvidia.com/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'cluster-policy' },
    spec: { [component]: { config: { name: CONFIG_MAP } } },
  };
  // As the mutations write them, so that a mutant differs from its base in one place.
  const each = new Map(
    texts
      .filter(({ text }) => isConfig(text))
      .map(({ file, text }) => [text, { file, text: stringify(parse(text, { version: '1.1' })) }]),
  );
  return [...each.values()].map(({ file, text }) => ({ file, object: configMap(text), beside: [policy] }));
}

/** The blocks of a document, a file as it is, or the texts of the ConfigMaps in it. */
function textsIn(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.md')) {
    return [...text.matchAll(BLOCK)].map(([, block = '']) => block).filter((block) => !PART.test(block));
  }
  const configMaps = text.split(/^---$/m).filter((document) => /^kind: ConfigMap$/m.test(document));
  return configMaps.length === 0 ? [text] : configMaps.flatMap((document) => textsOf(parse(document) as JsonObject));
}

function textsOf({ data }: JsonObject): readonly string[] {
  return stringEntries(data).map(([, text]) => text);
}

/** The key is that of the MIG manager; the device plugin takes any. */
function configMap(text: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: CONFIG_MAP, namespace: 'gpu-operator' },
    data: { 'config.yaml': text },
  };
}
