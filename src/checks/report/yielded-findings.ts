/**
 * Two rules that report one field for one reason: the finding of a rule that yields to the other is left out.
 */
import { type Manifest } from '../../manifests/manifest';
import { type Yields } from '../rules/rule';
import { type Finding } from './finding';

interface Reported {
  readonly finding: Finding;
  readonly manifest?: Manifest;
  readonly yieldsTo?: Yields;
}

const CORE = 'core/';

export class YieldedFindings {
  private readonly yielded = new Set<Reported>();

  constructor(reported: readonly Reported[]) {
    const yielding = reported.filter(({ yieldsTo, finding }) => yieldsTo !== undefined && finding.severity === 'error');
    if (yielding.length === 0) {
      return;
    }
    const others = new Map<Manifest | undefined, Map<string, Finding[]>>();
    for (const { finding, manifest, yieldsTo } of reported) {
      if (finding.severity === 'error' && yieldsTo !== 'any') {
        const byPlace = others.get(manifest) ?? new Map<string, Finding[]>();
        others.set(manifest, byPlace);
        const place = placeOf(finding);
        byPlace.set(place, [...(byPlace.get(place) ?? []), finding]);
      }
    }
    for (const each of yielding) {
      const { finding, manifest, yieldsTo } = each;
      const there = others.get(manifest)?.get(placeOf(finding)) ?? [];
      if (there.some(({ rule }) => rule !== finding.rule && (yieldsTo === 'any' || rule.startsWith(CORE)))) {
        this.yielded.add(each);
      }
    }
  }

  has(reported: Reported): boolean {
    return this.yielded.has(reported);
  }
}

/** Only a component that reports both places the same. */
const placeOf = ({ tier, path }: Finding): string => `${tier} ${path}`;
