/**
 * The record that a node carries: what is written is read again, and whatever else is written there does no harm.
 */
import { NO_RECORD, readRecord, recordText, type RemediationRecord } from '../../../src/planning/remediation';

test('what is written is read again', () => {
  const record: RemediationRecord = { marks: ['taint', 'request-repair'], done: ['r/taint', 'r/request-repair'] };
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
