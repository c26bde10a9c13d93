import { evictionWords } from '../../../src/runtime/kubernetes/eviction-words';

test.each([
  ['preempt', 'Evicted for gang ai/train, which has a higher priority in the same queue.'],
  ['reclaim', 'Evicted for gang ai/train, whose queue takes back its share.'],
  ['consolidate', 'Moved so that gang ai/train fits.'],
  ['evict-stale', 'Evicted because its gang stayed below its minimum for too long.'],
] as const)('an event says why a pod was evicted: %s', (action, words) => {
  expect(evictionWords(action, 'ai/train')).toBe(words);
});
