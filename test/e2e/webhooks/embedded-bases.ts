/**
 * Configurations that are text in a ConfigMap: those of the corpora, and those in the files and documents of the project's module, each
 * in a ConfigMap of its own, which a ClusterPolicy names.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { goModule } from '../../../projen/api/lock';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, stringEntries } from '../../../src/manifests/read';
import { type WebhookBase } from './bases';
import { type EmbeddedConfig, moduleVersion, type WebhookProject } from './projects';

/** A block with an ellipsis or a placeholder is a part. */
const PART = /^\s*(\.\.\.|<)|<[a-z]/m;
const BLOCK = /^```ya?ml\n([\s\S]*?)^```/gm;

const CONFIG_MAP = 'configuration';

/** @param objects ConfigMaps of the corpora */
export function embeddedBases(
  project: WebhookProject,
  { files, isConfig, component, key }: EmbeddedConfig,
  objects: readonly WebhookBase[],
): readonly WebhookBase[] {
  const root = goModule(project.module, moduleVersion(project)).dir;
  const texts = [
    ...objects.flatMap(({ file, object }) => textsOf(object).map((text) => ({ file, text }))),
    ...files.flatMap((file) => textsIn(join(root, file)).map((text) => ({ file, text }))),
  ];
  const beside = component === undefined ? [] : [clusterPolicy(component)];
  // As the mutations write them, so that a mutant differs from its base in one place.
  const each = new Map(
    texts
      .filter(({ text }) => isConfig(text))
      .map(({ file, text }) => [text, { file, text: stringify(parse(text, { version: '1.1' })) }]),
  );
  return [...each.values()].map(({ file, text }) => ({ file, object: configMap(key, text), beside }));
}

/** The texts of the ConfigMaps in a file, or in the blocks of a document, and the blocks and files that are no ConfigMap. */
function textsIn(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const blocks = path.endsWith('.md')
    ? [...text.matchAll(BLOCK)].map(([, block = '']) => block).filter((block) => !PART.test(block))
    : [text];
  return blocks.flatMap((block) => {
    const configMaps = block.split(/^---$/m).filter((document) => /^kind: ConfigMap$/m.test(document));
    return configMaps.length === 0
      ? [block]
      : configMaps.flatMap((document) => textsOf(asObject(parse(document) as JsonValue)));
  });
}

function textsOf({ data }: JsonObject): readonly string[] {
  return stringEntries(data).map(([, text]) => text);
}

function clusterPolicy(component: string): JsonObject {
  return {
    apiVersion: 'nvidia.com/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'cluster-policy' },
    spec: { [component]: { config: { name: CONFIG_MAP } } },
  };
}

function configMap(key: string, text: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: CONFIG_MAP, namespace: 'gpu-operator' },
    data: { [key]: text },
  };
}
