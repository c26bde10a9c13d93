/**
 * The catalog where no construct is loaded, as in the command line: nothing else checks the calls of its functions.
 *
 * @jest-environment node
 */
import { acceleratorNamed } from '../../../src/facts/catalog';

test('an empty name is an unknown accelerator', () => {
  expect(() => acceleratorNamed('')).toThrow(/^unknown accelerator ""/);
});
