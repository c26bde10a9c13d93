/**
 * What the webhook demands of Volcano CronJobs. Their job template is held to the rules of jobs.
 */
import { cite } from '../../../facts/upstream';
import { type ObjectRule } from '../../../checks/rules/rule';
import { asObject, asString } from '../../../manifests/read';
import { isTimeZone, scheduleProblem } from '../cron-schedule';
import { CRON_JOB_KIND } from '../job-spec';

const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/cronjobs/validate/admit_cronjob.go`;
/** 63 characters of a label, less what the controller may append. */
const MAX_NAME = 52;

const FIVE_FIELDS =
  'Set spec.schedule to five fields: minute, hour, day of month, month, and day of week, such as "30 2 * * 1-5".';

const scheduleValid: ObjectRule = {
  id: 'volcano/cron-job-schedule-valid',
  row: 'VC1',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [CRON_JOB_KIND],
  summary: 'The schedule must have five cron fields or be a macro such as @daily, and must not contain a time zone.',
  why: 'The webhook rejects the CronJob.',
  source: WEBHOOK,
  fix: FIVE_FIELDS,
  *check({ object }) {
    const schedule = asString(asObject(object.spec).schedule);
    if (schedule === undefined) {
      return;
    }
    const problem = scheduleProblem(schedule);
    if (problem !== undefined) {
      yield {
        path: '/spec/schedule',
        message: `the schedule "${schedule}" ${problem.message}`,
        found: schedule,
        expected: 'a cron line such as "30 2 * * 1-5"',
        fix: problem.fix ?? FIVE_FIELDS,
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
  summary: 'The time zone must be a name from the IANA database other than Local.',
  why: 'The webhook rejects the CronJob.',
  source: WEBHOOK,
  fix: 'Set spec.timeZone to a name such as Europe/Berlin or Etc/UTC, or leave it unset.',
  *check({ object }) {
    const zone = asString(asObject(object.spec).timeZone);
    if (zone === undefined || (zone.toLowerCase() !== 'local' && zone !== '' && isTimeZone(zone))) {
      return;
    }
    yield {
      path: '/spec/timeZone',
      message: `unknown time zone "${zone}"`,
      found: zone,
      expected: 'a name from the IANA time zone database',
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
  summary: `The name of a CronJob must be no more than ${MAX_NAME} characters.`,
  why: 'The webhook rejects the CronJob, because the name of each job consists of this name and a timestamp.',
  source: WEBHOOK,
  fix: `Shorten metadata.name to at most ${MAX_NAME} characters.`,
  *check({ id }) {
    if (id.name.length > MAX_NAME) {
      yield {
        path: '/metadata/name',
        message: `the name must be no more than ${MAX_NAME} characters, but has ${id.name.length}`,
        found: id.name,
        expected: `at most ${MAX_NAME} characters`,
      };
    }
  },
};

export const cronJobRules: readonly ObjectRule[] = [scheduleValid, timeZoneKnown, nameFits];
