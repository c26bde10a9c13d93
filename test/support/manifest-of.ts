/**
 * A manifest of plain JSON, as tests need it.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { type Manifest } from '../../src/manifests/manifest';
import { idOf } from '../../src/manifests/identity';

export function manifestOf(object: JsonObject): Manifest {
  return { id: idOf(object), object, origin: {} };
}
