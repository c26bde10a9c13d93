/**
 * A set of manifests that belong together: what one app, one folder or one stream would put into a cluster.
 */
import { type Manifest, type SourceProblem } from './manifest';
import { type PodTemplate } from './pod-template';

export class ManifestSet {
  constructor(
    /** In the order in which they were read or would be applied. */
    readonly manifests: readonly Manifest[],
    readonly problems: readonly SourceProblem[] = [],
  ) {}

  /** All manifests of a kind, `group/Kind` (or `Kind` alone for the core group), any version. */
  ofKind(_kind: string): readonly Manifest[] {
    throw new Error('contract only');
  }

  /** The manifest with this kind (`group/Kind`), name and namespace (empty for cluster-scoped kinds). */
  get(_kind: string, _name: string, _namespace?: string): Manifest | undefined {
    throw new Error('contract only');
  }

  /** Every pod template of every known workload kind. */
  get podTemplates(): readonly PodTemplate[] {
    throw new Error('contract only');
  }
}
