/**
 * The fix of a finding names the item of the list that it is about.
 */
import { withIndexes } from '../../../src/checks/rules/list-indexes';

test.each([
  ['Set triggers[].type to kafka.', '/spec/triggers/1/type', 'Set triggers[1].type to kafka.'],
  ['Set groups[].flavors[].name.', '/spec/groups/0/flavors/2/name', 'Set groups[0].flavors[2].name.'],
  // The item nearest to the field, where lists of one name are nested.
  ['Set rules[].name.', '/spec/rules/0/more/rules/3/name', 'Set rules[3].name.'],
  // The path does not lead into the list, or through a map of that name.
  ['Set ports[].name.', '/spec/ports', 'Set ports[].name.'],
  ['Set ports[].name.', '/spec/ports/web/name', 'Set ports[].name.'],
  ['Set ports[].name.', '', 'Set ports[].name.'],
  // Several items are meant.
  ['Set panels[].id to a different number for each panel.', '/panels/0/id', undefined],
  ['Set triggers[].name of one of the triggers.', '/triggers/0/name', undefined],
])('%s at %s', (fix, path, expected = fix) => {
  expect(withIndexes(fix, path)).toBe(expected);
});
