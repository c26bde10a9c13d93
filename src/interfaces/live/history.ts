/**
 * Reads the history that Gantry's scheduler writes into ConfigMaps of its namespace.
 */
import { type JsonObject } from '../../facts/api/schema';
import { historySegmentName, MOST_HISTORY_SEGMENTS } from '../../planning/scheduler-settings/deployment-names';
import { ApiError, isNotFound } from '../../runtime/api/api-error';
import { type Client, TIMEOUT } from './collect';
import { reasonOf } from './refusal';

export interface HistoryRequest {
  /** Namespace of the scheduler. */
  readonly namespace: string;
  /** Name of the scheduler. */
  readonly scheduler: string;
}

/**
 * The ConfigMaps of the history, which are numbered without gaps.
 * @throws Error if the first one cannot be read
 */
export async function readHistoryConfigMaps(
  client: Client,
  { namespace, scheduler }: HistoryRequest,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (let index = 0; index < MOST_HISTORY_SEGMENTS; index++) {
    const name = historySegmentName(scheduler, index);
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`;
    try {
      found.push(await client.request('GET', path, { timeout: TIMEOUT }));
    } catch (error) {
      if (found.length > 0 && isNotFound(error)) {
        break;
      }
      throw error instanceof ApiError && error.status !== 0
        ? new Error(`ConfigMap ${namespace}/${name}: ${reasonOf(error)}`, { cause: error })
        : error;
    }
  }
  return found;
}
