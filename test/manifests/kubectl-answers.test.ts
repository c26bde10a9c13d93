/**
 * What kubectl's own reader answered to some hundred texts (recorded by test/e2e/yaml/record.ts), against what Gantry's reader answers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, comparable, type Answer } from '../e2e/yaml/judge';

const recorded = JSON.parse(readFileSync(join(__dirname, 'kubectl-answers.json'), 'utf8')) as [string, Answer][];

test('enough is recorded, accepted and refused', () => {
  const refused = recorded.filter(([, { stream }]) => stream.some((verdict) => 'error' in verdict)).length;
  expect(refused).toBeGreaterThan(150);
  expect(recorded.length - refused).toBeGreaterThan(300);
});

test.each(recorded)('%j is read as kubectl reads it', (text, answer) => {
  expect(comparable(answerOf(text))).toBe(comparable(answer));
});
