/**
 * A snapshot that contains little: what a test states, and nothing else.
 */
import { type ClusterSnapshot } from '../../src/manifests/snapshot/cluster-snapshot';

export function smallSnapshot(parts: Partial<ClusterSnapshot>): ClusterSnapshot {
  return {
    name: 'prod',
    takenAt: '2026-01-31T12:00:00Z',
    takenBy: '1.0.0',
    serverVersion: 'v1.35.0',
    featureGates: {},
    kinds: [],
    schemas: {},
    lists: [],
    operators: [],
    gaps: [],
    anonymized: false,
    ...parts,
  };
}
