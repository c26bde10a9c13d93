/**
 * How a collection is found: some are served only where a project is installed, and that may happen later.
 */
import { asArray, asObject, asString } from '../../manifests/read';
import { type CollectionName, COLLECTIONS } from '../../planning/scheduler-settings/collections';
import { isNotFound } from './api-error';
import { type ApiClient } from './client';

/** Path of the collection across all namespaces; `undefined` where the server does not serve it. */
export async function collectionPath(
  client: Pick<ApiClient, 'request'>,
  name: CollectionName,
): Promise<string | undefined> {
  const { group, plural, versions, optional } = COLLECTIONS[name];
  if (optional !== true) {
    return group === '' ? `/api/${versions[0]}/${plural}` : `/apis/${group}/${versions[0]}/${plural}`;
  }
  for (const version of versions) {
    try {
      const list = await client.request('GET', `/apis/${group}/${version}`);
      if (asArray(list.resources).some((resource) => asString(asObject(resource).name) === plural)) {
        return `/apis/${group}/${version}/${plural}`;
      }
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
    }
  }
  return undefined;
}
