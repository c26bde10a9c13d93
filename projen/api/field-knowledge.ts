/**
 * What the shape of a schema alone cannot say: reviewed places where a field is (or only looks like) a Kubernetes type.
 */
import { type CrdVersion } from './crd';

export interface FieldKnowledge {
  /** The definition; undefined where the field is a type of its own in spite of its looks. */
  readonly definition: string | undefined;
  readonly applies: (version: CrdVersion, path: string) => boolean;
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export const FIELD_KNOWLEDGE: readonly FieldKnowledge[] = [
  { definition: OBJECT_META, applies: (_version, path) => path === 'metadata' },
];
