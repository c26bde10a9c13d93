import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_MESSAGES, messagesIn } from '../../../src/facts/messages/known-messages';

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'kube-scheduler/insufficient-device': ['nvidia.com/gpu'],
  'kube-scheduler/insufficient-resource': ['memory'],
};

test.each(KNOWN_MESSAGES.map(({ id, format }) => [id, format] as const))('%s is known by its format', (id, format) => {
  const values = [...(VALUES[id] ?? ['3', '8', 'reason', 'value'])];
  const text = format.replace(/%[dqsv]/g, () => values.shift() ?? 'more');
  expect(messagesIn(`Warning  0/9 nodes are available: ${text}.`).map((message) => message.id)).toContain(id);
});

test('ids are unique, and every part is a sentence or a command', () => {
  expect(new Set(KNOWN_MESSAGES.map(({ id }) => id)).size).toBe(KNOWN_MESSAGES.length);
  expect(KNOWN_MESSAGES.filter(({ cause, remedy }) => !cause.endsWith('.') || !remedy.endsWith('.'))).toEqual([]);
  expect(messagesIn('everything is fine')).toEqual([]);
});

test('the page says how many there are', () => {
  const page = readFileSync(join(__dirname, '../../../docs/explain.md'), 'utf8');
  expect(page).toContain(`${KNOWN_MESSAGES.length} messages are known`);
});
