/**
 * The record that a node carries: what is written is read again, and whatever else is written there does no harm.
 */
import { NO_RECORD, readRecord, recordText, type RemediationRecord } from '../../../src/planning/remediation';

test('what is written is read again', () => {
  const record: RemediationRecord = {
    marks: ['taint', 'request-repair'],
    done: ['r/taint', 'r/request-repair'],
    clearing: [
      { rule: 'r', gang: 'a/gang/g', before: 5000, graceSeconds: 0 },
      { rule: 'r', gang: 'a/gang/h', before: 0 },
    ],
    plugins: ['uid'],
    episodes: [1, 2],
    why: ['rule r: condition Bad is True; taint'],
  };
  expect(readRecord(recordText(record))).toEqual(record);
  expect(recordText(NO_RECORD)).toBeUndefined();
});

test.each([undefined, '', '{', 'null', '[]', '"x"', '{"marks":{},"done":5}', `"${'x'.repeat(70_000)}"`])(
  'no record: %j',
  (text) => {
    expect(readRecord(text)).toEqual(NO_RECORD);
  },
);

test('unknown marks are ignored, and the list is bounded', () => {
  const text = JSON.stringify({
    marks: ['taint', 'delete', 'taint'],
    done: [...Array(2000).keys()].map((i) => `r/${i}`),
  });
  const { marks, done } = readRecord(text);
  expect([marks, done.length]).toEqual([['taint'], 1000]);
});

test.each([
  ['a list', []],
  ['no gang', { rule: 'r', before: 0 }],
  ['no rule', { gang: 'g', before: 0 }],
  ['a text as time', { rule: 'r', gang: 'g', before: '0' }],
  ['no time', { rule: 'r', gang: 'g' }],
  ['a grace period below zero', { rule: 'r', gang: 'g', before: 0, graceSeconds: -1 }],
  ['a part of a second of grace', { rule: 'r', gang: 'g', before: 0, graceSeconds: 0.5 }],
  ['a grace period of weeks', { rule: 'r', gang: 'g', before: 0, graceSeconds: 8 * 24 * 3600 }],
  ['a long name', { rule: 'r', gang: 'g'.repeat(2000), before: 0 }],
])('an eviction with %s is ignored', (_, entry) => {
  expect(readRecord(JSON.stringify({ clearing: [entry] })).clearing).toEqual([]);
});

test('all lists are bounded', () => {
  const many = <T>(one: T): readonly T[] => Array.from({ length: 400 }, () => one);
  const text = JSON.stringify({
    clearing: many({ rule: 'r', gang: 'g', before: 0 }),
    plugins: many('uid'),
    episodes: [...Array(400).keys(), -1, 0.5, '7'],
    why: many('because'),
  });
  const { clearing, plugins, episodes, why } = readRecord(text);
  expect([clearing.length, plugins.length, why.length]).toEqual([256, 16, 16]);
  expect(episodes).toEqual([392, 393, 394, 395, 396, 397, 398, 399]);
});
