/**
 * What to do about a key of an embedded configuration that its reader does not know.
 */
import { placesByKey, unknownKeyFix } from '../../../src/checks/rules/unknown-key-fix';

test.each([
  [{ key: 'name', at: '' }, 'Remove the key "name".'],
  [{ key: 'a.b', at: 'sharing' }, 'Remove the key "a.b" from sharing.'],
  [{ key: 'migStategy', at: 'flags', near: 'migStrategy' }, 'Rename the key "migStategy" in flags to migStrategy.'],
  [{ key: 'TIERS', at: '', near: 'tiers' }, 'Rename the key "TIERS" to tiers.'],
  [{ key: 'plugin', at: '', place: 'flags' }, 'Move the key "plugin" to flags, or remove it.'],
  [{ key: 'gfd', at: 'sharing', place: 'flags' }, 'Move the key "gfd" from sharing to flags, or remove it.'],
  [{ key: 'gfd', at: 'flags', place: 'flags' }, 'Remove the key "gfd" from flags.'],
  [{ key: 'gdf', at: '', near: 'gfd', place: 'flags' }, 'Rename the key "gdf" to gfd.'],
])('%j', (unknown, fix) => {
  expect(unknownKeyFix(unknown)).toBe(fix);
});

test('a key that is known in several places belongs to none of them', () => {
  expect(placesByKey({ a: ['one', 'both'], b: ['both', 'two'] })).toEqual({ one: 'a', two: 'b' });
});
