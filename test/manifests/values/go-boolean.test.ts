import { parseGoBool } from '../../../src/manifests/values/go-boolean';

test.each([
  [['1', 't', 'T', 'true', 'True', 'TRUE'], true],
  [['0', 'f', 'F', 'false', 'False', 'FALSE'], false],
  [['', 'tRUE', 'fALSE', 'yes', 'no', 'on', '2', ' true', 'true '], undefined],
])('Go reads %j as %s', (texts, value) => {
  expect(texts.map(parseGoBool)).toEqual(texts.map(() => value));
});
