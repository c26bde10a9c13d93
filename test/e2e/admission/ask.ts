/**
 * Puts worlds into a live control plane, and asks it about pods.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { type ApiClient } from '../control-plane/api-client';
import { type Discovery } from '../control-plane/discovery';
import { askServer } from '../control-plane/server-verdict';
import { serverSays } from './verdict';
import { CLASSES, type World, Worlds } from './worlds';

/** One pod, and what the server says. */
export interface Asked {
  readonly world: World;
  readonly pod: JsonObject;
  readonly server: string;
  readonly message: string;
}

export interface Amount {
  readonly worlds: number;
  readonly pods: number;
  readonly seed: number;
}

/** Creates the worlds, and asks about the given number of pods in each, as dry runs. */
export async function askAboutPods(client: ApiClient, discovery: Discovery, amount: Amount): Promise<readonly Asked[]> {
  const make = new Worlds(amount.seed);
  const worlds = Array.from({ length: amount.worlds }, (_, index) => make.world(`admission-${amount.seed}-${index}`));
  for (const object of [...CLASSES, ...worlds.flatMap(({ objects }) => objects)]) {
    const { verdict, message } = await askServer(client, discovery, object, { dryRun: false });
    if (verdict !== 'accepted') {
      throw new Error(`${JSON.stringify(object)}: ${message}`);
    }
    await setQuotaStatus(client, object);
  }
  // The plugins read namespaces, limit ranges, quotas, and classes from caches, and nothing says when these are current: a quota whose amounts
  // are not in the cache yet is ignored, without an error.
  await sleep(3000);
  const asked: Asked[] = [];
  for (const world of worlds) {
    const pods = Array.from({ length: amount.pods }, (_, index) => make.pod(`pod-${index}`, world.name));
    const answers = await Promise.all(pods.map((pod) => askServer(client, discovery, pod)));
    answers.forEach(({ status, message }, index) =>
      asked.push({ world, pod: pods[index], server: serverSays(status, message), message }),
    );
  }
  return asked;
}

/** A controller copies the amounts into the status, from which the plugin reads them; this cluster has no controllers. */
async function setQuotaStatus(client: ApiClient, object: JsonObject): Promise<void> {
  if (object.kind !== 'ResourceQuota') {
    return;
  }
  const { name, namespace } = asObject(object.metadata);
  const { hard } = asObject(object.spec);
  const used = Object.fromEntries(Object.keys(asObject(hard)).map((key) => [key, '0']));
  const path = `/api/v1/namespaces/${asString(namespace) ?? ''}/resourcequotas/${asString(name) ?? ''}/status`;
  const { status, body } = await client.request('PATCH', path, {
    body: { status: { hard, used } },
    contentType: 'application/merge-patch+json',
  });
  if (status >= 300) {
    throw new Error(`${path}: ${JSON.stringify(body)}`);
  }
}
