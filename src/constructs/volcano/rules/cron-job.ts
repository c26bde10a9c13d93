/**
 * What the webhook demands of Volcano CronJobs. Their job template is held to the rules of jobs.
 */
import { cite } from '../../../facts/upstream';
import { type ObjectRule } from '../../../checks/rule';
import { asObject, asString } from '../../../manifests/read';
import { isTimeZone, scheduleProblem } from '../cron-schedule';
import { CRON_JOB_KIND } from '../job-spec';

const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/cronjobs/validate/admit_cronjob.go`;
/** 63 characters of a label, less what the controller may append. */
const MAX_NAME = 52;

const scheduleValid: ObjectRule = {
  id: 'volcano/cron-job-schedule-valid',
  row: 'VC1',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [CRON_JOB_KIND],
  summary: 'The schedule has five cron fields or is a word such as @daily, and names no time zone.',
  why: 'The webhook refuses the CronJob.',
  source: WEBHOOK,
  fix: 'Write minute, hour, day of month, month and day of week; name the zone in timeZone.',
  *check({ object }) {
    const schedule = asString(asObject(object.spec).schedule);
    if (schedule === undefined) {
      return;
    }
    const problem = schedule.includes('TZ')
      ? 'it names a time zone, which belongs in timeZone'
      : scheduleProblem(schedule);
    if (problem !== undefined) {
      yield {
        path: '/spec/schedule',
        message: `the schedule "${schedule}" is refused: ${problem}`,
        found: schedule,
        expected: 'for example "30 2 * * 1-5"',
      };
    }
  },
};

const timeZoneKnown: ObjectRule = {
  id: 'volcano/cron-job-time-zone-known',
  row: 'VC2',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [CRON_JOB_KIND],
  summary: 'The time zone has a name of the IANA database, and is not Local.',
  why: 'The webhook refuses the CronJob.',
  source: WEBHOOK,
  fix: 'Name a zone such as Europe/Berlin or Etc/UTC, or leave timeZone out.',
  *check({ object }) {
    const zone = asString(asObject(object.spec).timeZone);
    if (zone === undefined || (zone.toLowerCase() !== 'local' && zone !== '' && isTimeZone(zone))) {
      return;
    }
    yield {
      path: '/spec/timeZone',
      message: `there is no time zone "${zone}"`,
      found: zone,
      expected: 'a name of the IANA time zone database',
    };
  },
};

const nameFits: ObjectRule = {
  id: 'volcano/cron-job-name-fits',
  row: 'VC3',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [CRON_JOB_KIND],
  summary: `The name of a CronJob has at most ${MAX_NAME} characters.`,
  why: 'The webhook refuses the CronJob: each job is named after it and the time.',
  source: WEBHOOK,
  fix: 'Shorten the name.',
  *check({ id }) {
    if (id.name.length > MAX_NAME) {
      yield {
        path: '/metadata/name',
        message: `the name has ${id.name.length} characters`,
        found: id.name,
        expected: `at most ${MAX_NAME} characters`,
      };
    }
  },
};

export const cronJobRules: readonly ObjectRule[] = [scheduleValid, timeZoneKnown, nameFits];
