/**
 * Job and CronJob (row K11).
 */
import { shortenBy } from '../../rules/field-fix';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { checkLabelSelector, selects } from '../selectors';
import { type Say, objectRule } from '../server-rule';
import { byteLength, dnsLabel, domainPrefixedPath } from '../../../manifests/values/name-syntax';
import { given, text, whole } from '../values';
import { scheduleComplaint, timeZoneComplaint } from './schedule';
import { oneOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';
import { jobPolicyRules } from './job-policies';
import { jobRule, JOB_KINDS, JOB_SOURCE } from './job-rule';

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];
const SERVICE_LABELS = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];

/** Fields that only an Indexed Job may set. */
const OF_INDEXED = ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'];

export const jobRules: readonly Rule[] = [
  jobRule(
    'job-restart-policy',
    {
      summary: 'Pods of a Job must have restartPolicy Never or OnFailure, and Never if podFailurePolicy is set.',
      fix: 'Set restartPolicy: Never (or OnFailure) in the pod template.',
    },
    ({ spec, path }, say) => {
      const policy = text(asObject(asObject(spec.template).spec).restartPolicy);
      const at = `${path}/template/spec/restartPolicy`;
      if (policy !== 'Never' && policy !== 'OnFailure') {
        say(
          at,
          policy === ''
            ? 'restartPolicy must be set in the pod template of a Job, because the default Always is not supported'
            : `unsupported restartPolicy "${policy}" in a Job`,
          { expected: 'Never or OnFailure' },
        );
      } else if (given(spec.podFailurePolicy) && policy !== 'Never') {
        say(at, 'restartPolicy must be Never when podFailurePolicy is set', { expected: 'Never' });
      }
    },
  ),

  jobRule(
    'job-counts-not-negative',
    {
      summary: 'Counts, deadlines, and limits of a Job must not be negative.',
      fix: 'Set the number, for example backoffLimit, to at least 0.',
    },
    ({ spec, path }, say) => {
      for (const field of COUNTS) {
        const count = whole(spec[field]);
        if (count !== undefined && count < 0) {
          say(`${path}/${field}`, `${field} must be greater than or equal to 0`, { expected: 'at least 0' });
        }
      }
    },
  ),

  jobRule(
    'job-indexed-settings',
    {
      summary:
        'An Indexed Job must have completions and stay within the limits; backoffLimitPerIndex, maxFailedIndexes, and successPolicy require an Indexed Job.',
      fix: 'Set completionMode: Indexed and completions, or remove the field.',
    },
    ({ spec, path }, say) => {
      const mode = spec.completionMode;
      const completions = whole(spec.completions) ?? (given(spec.parallelism) ? undefined : 1);
      const parallelism = whole(spec.parallelism) ?? 1;
      const failed = whole(spec.maxFailedIndexes);
      const perIndex = whole(spec.backoffLimitPerIndex);
      if (typeof mode === 'string' && mode !== 'Indexed' && mode !== 'NonIndexed') {
        say(`${path}/completionMode`, `unsupported value "${mode}" for completionMode`, {
          expected: OF_INDEXED.some((name) => given(spec[name])) ? 'Indexed' : 'NonIndexed or Indexed',
        });
      }
      if (failed !== undefined && perIndex === undefined) {
        say(`${path}/maxFailedIndexes`, 'maxFailedIndexes must not be set without backoffLimitPerIndex');
      }
      if (mode === 'Indexed') {
        checkIndexed({ completions, parallelism, failed, perIndex }, path, say);
        return;
      }
      if (typeof mode === 'string' && mode !== 'NonIndexed') {
        return;
      }
      for (const field of OF_INDEXED) {
        if (given(spec[field])) {
          say(`${path}/${field}`, `${field} must not be set unless completionMode is Indexed`);
        }
      }
    },
  ),

  ...jobPolicyRules,

  jobRule(
    'job-choices-valid',
    {
      summary:
        'podReplacementPolicy must be TerminatingOrFailed or Failed (Failed with a podFailurePolicy), and managedBy a domain and a path.',
      fix: 'Set podReplacementPolicy to TerminatingOrFailed or Failed, or leave it unset, and managedBy to domain/path.',
    },
    ({ spec, path }, say) => {
      const policy = spec.podReplacementPolicy;
      const allowed = given(spec.podFailurePolicy) ? ['Failed'] : ['TerminatingOrFailed', 'Failed'];
      if (typeof policy === 'string' && !allowed.includes(policy)) {
        say(`${path}/podReplacementPolicy`, `unsupported podReplacementPolicy "${policy}"`, {
          expected: oneOf(allowed),
        });
      }
      if (typeof spec.managedBy !== 'string') {
        return;
      }
      const complaint =
        byteLength(spec.managedBy) > 63 ? 'be no more than 63 characters' : domainPrefixedPath(spec.managedBy);
      if (complaint !== undefined) {
        say(`${path}/managedBy`, `managedBy must ${complaint}`);
      }
    },
  ),

  objectRule(
    'job-selector-generated',
    JOB_KINDS,
    {
      row: 'K11',
      source: JOB_SOURCE,
      summary: 'A Job must not set its selector and the labels that belong to it, unless manualSelector is true.',
      fix: 'Remove spec.selector and the labels job-name and controller-uid.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      if (manifest.id.kind === 'CronJob') {
        const job = asObject(asObject(spec.jobTemplate).spec);
        if (given(job.selector)) {
          say('/spec/jobTemplate/spec/selector', 'selector must not be set in the template of a CronJob');
        }
        if (job.manualSelector === true) {
          say('/spec/jobTemplate/spec/manualSelector', 'manualSelector must not be true in the template of a CronJob', {
            fix: 'Remove jobTemplate.spec.manualSelector.',
          });
        }
        return;
      }
      const labels = asObject(asObject(asObject(spec.template).metadata).labels);
      if (spec.manualSelector === true) {
        if (!isObject(spec.selector)) {
          say('/spec/selector', 'selector must be set when manualSelector is true', {
            expected: 'a selector that matches template.metadata.labels',
          });
        } else if (selects(spec.selector, labels) === false) {
          say('/spec/template/metadata/labels', 'the selector must match the labels of the template', {
            found: labels,
          });
        }
        checkLabelSelector(spec.selector, '/spec/selector', say);
        return;
      }
      checkLabelSelector(spec.selector, '/spec/selector', say);
      for (const label of SERVICE_LABELS) {
        const value = labels[label];
        const own = label.endsWith('job-name') ? manifest.id.name : undefined;
        if (given(value) && value !== own) {
          say(
            `/spec/template/metadata/labels/${label.replace('/', '~1')}`,
            `the label ${label} must not be set, because the API server sets it`,
            {
              expected: 'unset',
            },
          );
        }
      }
      // The server sets these values itself; the uid cannot be known in advance.
      const made = Object.fromEntries(
        SERVICE_LABELS.map((label) => [label, label.endsWith('job-name') ? manifest.id.name : '']),
      );
      if (isObject(spec.selector) && selects(spec.selector, made) === false) {
        say('/spec/selector', 'selector must not be set unless manualSelector is true', {
          expected: 'no selector, or manualSelector: true',
          fix: 'Remove spec.selector, or set manualSelector: true.',
        });
      }
    },
  ),

  objectRule(
    'job-name-fits-index',
    ['batch/Job'],
    {
      row: 'K11',
      source: JOB_SOURCE,
      summary: "The host name of an Indexed Job's last pod, <job>-<completions-1>, must be a DNS label.",
      fix: 'Shorten metadata.name of the Job.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const completions = whole(spec.completions) ?? (given(spec.parallelism) ? 0 : 1);
      if (spec.completionMode !== 'Indexed' || completions <= 0 || manifest.id.name === '') {
        return;
      }
      const host = `${manifest.id.name}-${completions - 1}`;
      const complaint = dnsLabel(host);
      if (complaint !== undefined) {
        say('/metadata/name', `the host name of the last pod, "${host}", must ${complaint}`, {
          ...(host.length > 63 ? { fix: shortenBy('metadata.name', host, 63) } : {}),
        });
      }
    },
  ),

  objectRule(
    'job-name-fits-pod-label',
    ['batch/Job'],
    {
      row: 'K11',
      source: JOB_SOURCE,
      summary: 'The name of a Job must have no more than 63 characters, because its pods have it as a label.',
      fix: 'Shorten metadata.name to at most 63 characters.',
    },
    (object, say, _context, { id }) => {
      if (asObject(object.spec).manualSelector !== true && byteLength(id.name) > 63) {
        say('/metadata/name', 'the name of a Job must be no more than 63 characters', {
          found: byteLength(id.name),
          expected: 'at most 63 characters',
        });
      }
    },
  ),

  objectRule(
    'cron-job-valid',
    ['batch/CronJob'],
    {
      row: 'K11',
      source: JOB_SOURCE,
      summary:
        'A CronJob must have a valid schedule without TZ, a known time zone, a supported concurrency policy, and a name of no more than 52 characters.',
      fix: 'Set schedule, timeZone, and concurrencyPolicy to valid values, and shorten metadata.name.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const schedule = text(spec.schedule);
      const badSchedule = schedule === '' ? 'be set' : scheduleComplaint(schedule);
      if (badSchedule !== undefined) {
        say('/spec/schedule', `the schedule ${JSON.stringify(schedule)} must ${badSchedule}`, {
          expected: 'five fields (minute hour day month weekday) such as "0 2 * * *", or a macro such as @daily',
        });
      }
      const badZone = typeof spec.timeZone === 'string' ? timeZoneComplaint(spec.timeZone) : undefined;
      if (badZone !== undefined) {
        say('/spec/timeZone', `the time zone ${JSON.stringify(spec.timeZone)} must ${badZone}`, {
          expected: /^be spelled "(.*)"$/.exec(badZone)?.[1] ?? 'an IANA name such as Europe/Berlin',
        });
      }
      const concurrency = text(spec.concurrencyPolicy);
      if (!['', 'Allow', 'Forbid', 'Replace'].includes(concurrency)) {
        say('/spec/concurrencyPolicy', `unsupported value "${concurrency}" for concurrencyPolicy`, {
          expected: 'Allow, Forbid, or Replace',
        });
      }
      for (const field of ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit']) {
        if ((whole(spec[field]) ?? 0) < 0) {
          say(`/spec/${field}`, `${field} must be greater than or equal to 0`);
        }
      }
      if (manifest.id.name.length > 52) {
        say('/metadata/name', `the name must be no more than 52 characters, but has ${manifest.id.name.length}`, {
          expected: 'at most 52 characters',
        });
      }
    },
  ),
];

/** Counts of an Indexed Job. */
interface IndexedCounts {
  readonly completions: number | undefined;
  readonly parallelism: number;
  readonly failed: number | undefined;
  readonly perIndex: number | undefined;
}

function checkIndexed({ completions, parallelism, failed, perIndex }: IndexedCounts, path: string, say: Say): void {
  if (completions === undefined) {
    say(`${path}/completions`, 'completions must be set when completionMode is Indexed', {
      expected: 'the number of indexes',
    });
  }
  if (parallelism > 100_000) {
    say(
      `${path}/parallelism`,
      `parallelism must be less than or equal to 100000 for an Indexed Job, but is ${parallelism}`,
      {
        expected: 'at most 100000',
      },
    );
  }
  if (failed !== undefined && failed > Math.min(completions ?? Infinity, 100_000)) {
    const most = Math.min(completions ?? Infinity, 100_000);
    say(
      `${path}/maxFailedIndexes`,
      `maxFailedIndexes must be less than or equal to ${most === completions ? 'completions' : '100000'} (${failed} > ${most})`,
      {
        expected: `at most ${most}`,
        fix: `Set ${fieldOf(`${path}/maxFailedIndexes`)} to at most ${most}.`,
      },
    );
  }
  if (completions !== undefined && completions > 100_000 && perIndex !== undefined) {
    if (failed === undefined) {
      say(`${path}/maxFailedIndexes`, 'maxFailedIndexes must be set when completions is greater than 100000');
    }
    if (parallelism > 10_000) {
      say(
        `${path}/parallelism`,
        'parallelism must be less than or equal to 10000 when completions is greater than 100000',
      );
    }
    if (failed !== undefined && failed > 10_000) {
      say(
        `${path}/maxFailedIndexes`,
        'maxFailedIndexes must be less than or equal to 10000 when completions is greater than 100000',
      );
    }
  }
}
