/**
 * A segment of the history as a ConfigMap holds it: compressed lines.
 */
import { gunzipSync } from 'node:zlib';
import { type JsonObject } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { HISTORY_KEY } from '../scheduler-settings/deployment-names';

/** More than any segment that the scheduler writes: what is compressed may claim to be of any size. */
const LONGEST_SEGMENT = 2 ** 26;

/**
 * The lines in a ConfigMap.
 * @returns `undefined` where nothing was written to it yet
 * @throws if what it holds is not compressed lines
 */
export function segmentIn(configMap: JsonObject): string | undefined {
  const data = asString(asObject(configMap.binaryData)[HISTORY_KEY]);
  return data === undefined || data === ''
    ? undefined
    : gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: LONGEST_SEGMENT }).toString('utf8');
}
