/**
 * Schedules of CronJobs, and Jobs with many indexes, for each alternative of what the server checks in them.
 */
import { faulty, type LimitCase, valid } from './limit-case';
import { cronJob, job, type Json } from './valid';

const cron = (more: Json): Json => {
  const object = cronJob();
  return { ...object, spec: { ...(object.spec as Json), ...more } };
};
/** A Job of which indexes may fail. */
const indexed = (more: Json): Json => {
  const object = job();
  const spec = { completionMode: 'Indexed', completions: 4, parallelism: 4, backoffLimitPerIndex: 1, ...more };
  return { ...object, spec: { ...(object.spec as Json), ...spec } };
};

const SCHEDULES: readonly LimitCase[] = [
  ...[
    '0 0 1 1 0',
    '59 23 31 12 6',
    '*/15 0-6/2 ? JAN-mar SUN',
    '5,10 * * * *',
    '@daily',
    '@every 1h30m',
    '10/5 * * * *',
  ].map((schedule) => valid(`the schedule ${schedule}`, cron({ schedule }))),
  ...[
    ['60 * * * *', 'values from 0 to 59'],
    ['* 24 * * *', 'values from 0 to 23'],
    ['* * 0 * *', 'values from 1 to 31'],
    ['* * * 13 *', 'values from 1 to 12'],
    ['* * * * 7', 'values from 0 to 6'],
    ['5-1 * * * *', 'an ascending range in "5-1"'],
    ['*/0 * * * *', 'a step greater than 0'],
    ['*/x * * * *', 'a number after "/"'],
    ['*/2/2 * * * *', 'at most one "/"'],
    ['1-2-3 * * * *', 'at most one "-"'],
    ['x * * * *', 'numbers or names in "x"'],
    ['1-x * * * *', 'numbers or names in "1-x"'],
    ['@every day', ''],
    ['@sometimes', ''],
  ].map(([schedule, words]) => faulty(`the schedule ${schedule}`, cron({ schedule }), '/spec/schedule', words)),
  valid('the zone UTC', cron({ timeZone: 'Etc/UTC' })),
  ...[
    ['', 'must be set'],
    ['Local', 'be an explicit zone'],
    ['../UTC', ''],
    ['-a/UTC', ''],
  ].map(([timeZone, words]) => faulty(`the zone "${timeZone}"`, cron({ timeZone }), '/spec/timeZone', words)),
];

const JOBS: readonly LimitCase[] = [
  valid('100,000 indexes', indexed({ completions: 100_000, parallelism: 100_000, maxFailedIndexes: 100_000 })),
  valid('100,001 indexes', indexed({ completions: 100_001, parallelism: 10_000, maxFailedIndexes: 10_000 })),
  faulty(
    '100,001 indexes, of which any number may fail',
    indexed({ completions: 100_001, parallelism: 10_000 }),
    '/spec/maxFailedIndexes',
    'must be set when completions is greater than 100000',
  ),
  faulty(
    '100,001 indexes, 10,001 of them at once',
    indexed({ completions: 100_001, parallelism: 10_001, maxFailedIndexes: 10_000 }),
    '/spec/parallelism',
    'less than or equal to 10000',
  ),
  faulty(
    '100,001 indexes, of which 10,001 may fail',
    indexed({ completions: 100_001, parallelism: 10_000, maxFailedIndexes: 10_001 }),
    '/spec/maxFailedIndexes',
    'less than or equal to 10000',
  ),
  faulty(
    'a success policy that names nothing',
    indexed({ successPolicy: { rules: [{}] } }),
    '/spec/successPolicy/rules/0',
    'succeededIndexes or succeededCount must be set',
  ),
  faulty(
    'a success policy with a range that descends',
    indexed({ successPolicy: { rules: [{ succeededIndexes: '3-1' }] } }),
    '/spec/successPolicy/rules/0/succeededIndexes',
  ),
];

export const TIME_LIMIT_CASES: readonly LimitCase[] = [...SCHEDULES, ...JOBS];
