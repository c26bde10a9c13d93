import { shortened } from '../../../src/planning/pages/client/words';

test.each([
  ['rack-1', 24, 'rack-1'],
  ['inference-1', 8, 'infer…-1'],
  ['applied-science/fine-tuning-1-2', 24, 'applied-science/…ing-1-2'],
  ['ab', 1, '…'],
])('%s in %i characters: %s', (name, most, short) => {
  expect(shortened(name, most)).toBe(short);
});
