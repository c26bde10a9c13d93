/**
 * Makes a cluster ready to be asked: what manifests refer to and a server insists on has to be there.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject } from '../../../src/manifests/read';
import { type ApiClient } from '../control-plane/api-client';
import { type Discovery } from '../control-plane/discovery';
import { askServer } from '../control-plane/server-verdict';
import { type BaseManifest, namespacesOf } from './corpus';

/**
 * Creates the namespaces of the manifests, and the priority and runtime classes that they name, those that `wants` says no to left out.
 * What is there already stays.
 */
export async function prepareCluster(
  client: ApiClient,
  discovery: Discovery,
  manifests: readonly BaseManifest[],
  wants: (object: JsonObject) => boolean = () => true,
): Promise<void> {
  const classes = manifests.flatMap(({ object }) =>
    [...named(object, 'priorityClassName'), ...named(object, 'runtimeClassName')].map(String),
  );
  const wanted: readonly JsonObject[] = [
    ...namespacesOf(manifests).map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...[...new Set(classes)].map((name) => ({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value: 1000,
    })),
    ...[...new Set(classes)].map((name) => ({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name },
      handler: 'any',
    })),
  ];
  // Classes of the system's own are there from the start, and their names are reserved.
  for (const object of wanted.filter((candidate) => !isSystemClass(candidate) && wants(candidate))) {
    const { verdict, message } = await askServer(client, discovery, object, { dryRun: false });
    if (verdict !== 'accepted') {
      throw new Error(`The cluster could not be prepared: ${message}`);
    }
  }
}

/** The texts that are under this key, anywhere in the object. */
function named(value: unknown, key: string): readonly string[] {
  if (Array.isArray(value)) {
    return asArray(value).flatMap((item) => named(item, key));
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, item]) =>
    name === key && typeof item === 'string' && item !== '' ? [item] : named(item, key),
  );
}

function isSystemClass(object: JsonObject): boolean {
  const { name } = asObject(object.metadata);
  return typeof name === 'string' && name.startsWith('system-');
}
