/**
 * How much a pod may ask of nodes and of other pods.
 */
import { type PodTemplate } from '../../../src/placement';
import { excessOf } from '../../../src/runtime/kubernetes/world/bounds';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const expression = { key: 'k', operator: 'Exists' as const, values: [] };

describe('requirements on nodes', () => {
  // A term counts as one, beside its expressions.
  const ways: Readonly<Record<string, (count: number) => Partial<PodTemplate>>> = {
    'labels of terms': (count) => ({ nodeTerms: [{ labels: many(count - 1, () => expression) }] }),
    'fields of terms': (count) => ({ nodeTerms: [{ fields: many(count - 1, () => expression) }] }),
    'empty terms': (count) => ({ nodeTerms: many(count, () => ({})) }),
    'terms that are preferred': (count) => ({
      preferredNodeTerms: [{ weight: 1, term: { labels: many(count - 1, () => expression) } }],
    }),
    'the node selector': (count) => ({ nodeSelector: Object.fromEntries(many(count, (i) => [`k${i}`, 'v'])) }),
    tolerations: (count) => ({ tolerations: many(count, () => ({ operator: 'Exists' as const })) }),
    'host ports': (count) => ({ hostPorts: many(count, (port) => ({ port, protocol: 'TCP', ip: '0.0.0.0' })) }),
  };

  it.each(Object.entries(ways))('may be a thousand: %s', (_, of) => {
    expect(excessOf({ request: {}, ...of(1000) })).toBeUndefined();
    expect(excessOf({ request: {}, ...of(1001) })).toBe(
      'has 1001 requirements on nodes, but the scheduler reads at most 1000.',
    );
  });
});

describe('terms about other pods', () => {
  const KEYS = [
    'podAffinity',
    'podAntiAffinity',
    'preferredPodAffinity',
    'preferredPodAntiAffinity',
    'topologySpread',
  ] as const;

  it.each(KEYS)('may be a hundred: %s', (key) => {
    const of = (count: number): PodTemplate => ({ request: {}, [key]: many(count, () => ({})) });
    expect(excessOf(of(100))).toBeUndefined();
    expect(excessOf(of(101))).toBe(
      'has 101 terms of pod affinity and topology spread, but the scheduler reads at most 100.',
    );
  });
});
