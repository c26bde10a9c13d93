/**
 * Which manifests have equal specs. A platform repeats itself, and what follows from a spec alone follows from each that is equal.
 *
 * Specs are compared by their JSON, which is written once for each manifest.
 */
import { type Manifest, type SourceProblem } from './manifest';
import { unlessUnknown } from './values/unknown';

/** Represents the spec of manifests of one API version and kind. */
export interface SharedSpec {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Specs that are remembered at a time. */
const MOST_SPECS = 2000;

export class EqualSpecs {
  private readonly byManifest = new Map<Manifest, SharedSpec | undefined>();
  private readonly byText = new Map<string, SharedSpec>();
  /** In JSON, a number that is too large looks like null. */
  private readonly inexact: ReadonlySet<Manifest | undefined>;

  constructor(problems: readonly SourceProblem[]) {
    this.inexact = new Set(problems.map(({ manifest }) => manifest));
  }

  /** The same for manifests with equal specs; `undefined` for a spec that its JSON does not represent. */
  of(manifest: Manifest): SharedSpec | undefined {
    if (this.byManifest.has(manifest)) {
      return this.byManifest.get(manifest);
    }
    const spec = this.inexact.has(manifest) ? undefined : this.shared(manifest);
    this.byManifest.set(manifest, spec);
    return spec;
  }

  private shared({ id: { apiVersion, kind }, object }: Manifest): SharedSpec | undefined {
    const json = unlessUnknown(() => JSON.stringify(object.spec) ?? '', undefined);
    if (json === undefined) {
      return undefined;
    }
    const text = `${apiVersion}\n${kind}\n${json}`;
    let spec = this.byText.get(text);
    if (spec === undefined) {
      spec = { apiVersion, kind };
      if (this.byText.size >= MOST_SPECS) {
        this.byText.clear();
      }
      this.byText.set(text, spec);
    }
    return spec;
  }
}
