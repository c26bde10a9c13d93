/**
 * Manifests of plain JSON, as tests need them.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { fileManifest, NODE_FILE } from '../../src/manifests/documents/file-manifest';
import { idOf } from '../../src/manifests/identity';
import { type Manifest } from '../../src/manifests/manifest';
import { asObject } from '../../src/manifests/read';

export function manifestOf(object: JsonObject): Manifest {
  return { id: idOf(object), object, origin: {} };
}

/** Any manifest as JSON that names what it is. A file has its contents below `content`. */
export function asJson({ id, object }: Manifest): JsonObject {
  const { apiVersion, group, kind, name } = id;
  return group === NODE_FILE ? { apiVersion, kind, metadata: { name }, content: object } : object;
}

/** The manifest of which `asJson` gives this. */
export function fromJson(json: JsonObject): Manifest {
  const { apiVersion, kind, name } = idOf(json);
  return apiVersion === NODE_FILE ? fileManifest(kind, name, asObject(json.content), {}) : manifestOf(json);
}
