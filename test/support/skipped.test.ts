import { skippedLine } from './skipped';

test('a suite that runs in whole has no such line', () => {
  expect(skippedLine('test:e2e', { 'the live page': undefined })).toBeUndefined();
});

test('a suite that is skipped names each part and its reason in one line', () => {
  expect(skippedLine('test:e2e', { a: 'Go is not installed.', b: undefined, c: 'no Chromium' })).toBe(
    'SKIPPED test:e2e: a (Go is not installed), c (no Chromium)\n',
  );
});
