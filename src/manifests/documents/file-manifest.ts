/**
 * Files of hosts as manifests: kinds that only Gantry has, in a group of their own.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest, type Origin } from '../manifest';

/** The API version, and the group, of manifests that are files. */
export const NODE_FILE = 'file';

/** The contents of a file as a manifest; its name is that of the file. */
export function fileManifest(kind: string, name: string, object: JsonObject, origin: Origin): Manifest {
  return { id: { apiVersion: NODE_FILE, group: NODE_FILE, kind, namespace: '', name }, object, origin };
}
