/**
 * Small sizings for tests, written as a sizing file would be.
 */
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { readSizing, type Sizing, type SizingSources } from '../../../src/planning/sizing';

export const NO_SOURCES: SizingSources = {
  text: (name) => {
    throw new Error(`no file ${name}`);
  },
  manifests: () => new ManifestSet([]),
};

/** Up to three nodes of eight devices, at 10 per hour. */
export const BASE = {
  pools: [{ name: 'h100', accelerator: 'H100-SXM-80GB', max: 3, pricePerHour: 10 }],
  queues: [{ name: 'q' }],
  gangs: [{ name: 'train', queue: 'q', gpus: 8, duration: '1h', repeat: { every: '1h', count: 4 } }],
  targets: [{ wait: 0 }],
  run: { for: '4h' },
};

export function sizing(more: Readonly<Record<string, unknown>> = {}, sources: Partial<SizingSources> = {}): Sizing {
  return readSizing(JSON.stringify({ ...BASE, ...more }), 'test.json', { ...NO_SOURCES, ...sources });
}

/** What is wrong with a sizing. */
export function complaint(more: Readonly<Record<string, unknown>>, sources: Partial<SizingSources> = {}): string {
  try {
    sizing(more, sources);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
