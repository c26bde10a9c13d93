/**
 * Job and CronJob (row K11).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule, type RuleContext } from '../../rule';
import { checkLabelSelector, selects } from '../selectors';
import { type Say, objectRule } from '../server-rule';
import { byteLength, dnsLabel, domainPrefixedPath, qualifiedName } from '../syntax';
import { given, itemsOf, size, text, whole } from '../values';
import { scheduleComplaint, timeZoneComplaint } from './schedule';
import { oneOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';

const SOURCE = 'apis/batch/validation/validation.go';
const KINDS = ['batch/Job', 'batch/CronJob'];
const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];
const ACTIONS = ['FailJob', 'FailIndex', 'Ignore', 'Count'];
const SERVICE_LABELS = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];

interface JobPlace {
  readonly spec: JsonObject;
  readonly path: string;
}

function jobRule(
  name: string,
  texts: { summary: string; fix: string },
  check: (job: JobPlace, say: Say, context: RuleContext) => void,
): Rule {
  return objectRule(name, KINDS, { row: 'K11', source: SOURCE, ...texts }, (object, say, context, manifest) => {
    const spec = asObject(object.spec);
    if (manifest.id.kind === 'Job') {
      check({ spec, path: '/spec' }, say, context);
    } else {
      check({ spec: asObject(asObject(spec.jobTemplate).spec), path: '/spec/jobTemplate/spec' }, say, context);
    }
  });
}

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
          expected: 'NonIndexed or Indexed',
        });
      }
      if (failed !== undefined && perIndex === undefined) {
        say(`${path}/maxFailedIndexes`, 'maxFailedIndexes requires backoffLimitPerIndex');
      }
      if (mode === 'Indexed') {
        checkIndexed({ completions, parallelism, failed, perIndex }, path, say);
        return;
      }
      if (typeof mode === 'string' && mode !== 'NonIndexed') {
        return;
      }
      for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy']) {
        if (given(spec[field])) {
          say(`${path}/${field}`, `${field} must not be set unless completionMode is Indexed`);
        }
      }
    },
  ),

  jobRule(
    'job-success-policy',
    {
      summary:
        'A success policy must have 1 to 20 rules, each with indexes within completions, a count not greater than them, or both.',
      fix: 'Set succeededIndexes, succeededCount, or both, in each entry of successPolicy.rules.',
    },
    ({ spec, path }, say) => {
      if (!isObject(spec.successPolicy) || spec.completionMode !== 'Indexed') {
        return;
      }
      const completions = whole(spec.completions) ?? (given(spec.parallelism) ? undefined : 1);
      const base = `${path}/successPolicy/rules`;
      const count = size(spec.successPolicy.rules);
      if (count === 0) {
        say(base, 'the success policy must have rules', { expected: 'at least one rule' });
      }
      if (count > 20) {
        say(base, `the success policy must have no more than 20 rules, but has ${count}`, { expected: 'at most 20' });
      }
      for (const { value, path: at } of itemsOf(spec.successPolicy.rules, base)) {
        const indexes = value.succeededIndexes;
        const wanted = whole(value.succeededCount);
        if (!given(indexes) && wanted === undefined) {
          say(at, 'succeededIndexes or succeededCount must be set');
        }
        let named: number | undefined;
        if (typeof indexes === 'string' && completions !== undefined) {
          const read = readIndexes(indexes, completions);
          if (typeof read === 'string') {
            say(`${at}/succeededIndexes`, `the indexes ${read}`, {
              expected: 'such as 0-3,7',
              fix: `Set ${fieldOf(`${at}/succeededIndexes`)} to ascending indexes below completions, such as 0-3,7.`,
            });
          } else {
            named = read;
          }
        }
        if (wanted === undefined) {
          continue;
        }
        if (wanted < 0) {
          say(`${at}/succeededCount`, 'succeededCount must be greater than or equal to 0');
        }
        if (completions !== undefined && wanted > completions) {
          say(
            `${at}/succeededCount`,
            `succeededCount must be less than or equal to completions (${wanted} > ${completions})`,
          );
        } else if (named !== undefined && wanted > named) {
          say(
            `${at}/succeededCount`,
            `succeededCount must be less than or equal to the number of succeededIndexes (${wanted} > ${named})`,
          );
        }
      }
    },
  ),

  jobRule(
    'job-pod-failure-policy',
    {
      summary:
        'A pod failure policy must have at most 20 rules, each with a supported action and either exit codes or pod conditions.',
      fix: 'Set action, and either onExitCodes or onPodConditions, in podFailurePolicy.rules.',
    },
    ({ spec, path }, say) => {
      if (!isObject(spec.podFailurePolicy)) {
        return;
      }
      const base = `${path}/podFailurePolicy/rules`;
      if (size(spec.podFailurePolicy.rules) > 20) {
        say(base, 'must not have more than 20 rules', {
          found: size(spec.podFailurePolicy.rules),
          expected: 'at most 20',
        });
      }
      for (const { value, path: at } of itemsOf(spec.podFailurePolicy.rules, base)) {
        const action = text(value.action);
        if (!ACTIONS.includes(action)) {
          say(`${at}/action`, action === '' ? 'the rule must have an action' : `unsupported action "${action}"`, {
            expected: oneOf(ACTIONS),
          });
        } else if (action === 'FailIndex' && !given(spec.backoffLimitPerIndex)) {
          say(`${at}/action`, 'FailIndex requires backoffLimitPerIndex');
        }
        const codes = isObject(value.onExitCodes) ? value.onExitCodes : undefined;
        const conditions = size(value.onPodConditions);
        if ((codes === undefined) === (conditions === 0)) {
          say(at, 'exactly one of onExitCodes and onPodConditions must be set');
        }
        if (codes !== undefined) {
          checkExitCodes(codes, `${at}/onExitCodes`, spec, say);
        }
        if (conditions > 20) {
          say(`${at}/onPodConditions`, 'must not have more than 20 conditions');
        }
        for (const condition of itemsOf(value.onPodConditions, `${at}/onPodConditions`)) {
          const complaint = qualifiedName(text(condition.value.type));
          if (complaint !== undefined) {
            say(
              `${condition.path}/type`,
              `the condition type ${JSON.stringify(text(condition.value.type))} must ${complaint}`,
            );
          }
          const status = text(condition.value.status) || 'True';
          if (!['True', 'False', 'Unknown'].includes(status)) {
            say(`${condition.path}/status`, `unsupported status "${status}"`, {
              expected: 'True, False, or Unknown',
            });
          }
        }
      }
    },
  ),

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
    KINDS,
    {
      row: 'K11',
      source: SOURCE,
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
          say('/spec/jobTemplate/spec/manualSelector', 'manualSelector must not be set in the template of a CronJob');
        }
        return;
      }
      const labels = asObject(asObject(asObject(spec.template).metadata).labels);
      if (spec.manualSelector === true) {
        if (!isObject(spec.selector)) {
          say('/spec/selector', 'selector must be set when manualSelector is true');
        } else if (selects(spec.selector, labels) === false) {
          say('/spec/template/metadata/labels', "the selector must match the template's labels", { found: labels });
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
            `the label ${label} is set by the API server`,
            {
              expected: 'no such label',
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
        });
      }
    },
  ),

  objectRule(
    'job-name-fits-index',
    ['batch/Job'],
    {
      row: 'K11',
      source: SOURCE,
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
        say('/metadata/name', `the host name of the last pod, "${host}", must ${complaint}`);
      }
    },
  ),

  objectRule(
    'job-name-fits-pod-label',
    ['batch/Job'],
    {
      row: 'K11',
      source: SOURCE,
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
      source: SOURCE,
      summary:
        'A CronJob must have a valid schedule without TZ, a known time zone, a supported concurrency policy, and a name of no more than 52 characters.',
      fix: 'Set schedule, timeZone, and concurrencyPolicy to valid values, and shorten metadata.name.',
    },
    (object, say, _context, manifest) => {
      const spec = asObject(object.spec);
      const schedule = text(spec.schedule);
      const badSchedule = schedule === '' ? 'be given' : scheduleComplaint(schedule);
      if (badSchedule !== undefined) {
        say('/spec/schedule', `the schedule ${JSON.stringify(schedule)} must ${badSchedule}`, {
          expected: 'minute hour day month weekday, or a macro such as @daily',
        });
      }
      const badZone = typeof spec.timeZone === 'string' ? timeZoneComplaint(spec.timeZone) : undefined;
      if (badZone !== undefined) {
        say('/spec/timeZone', `the time zone ${JSON.stringify(spec.timeZone)} must ${badZone}`, {
          expected: 'an IANA name such as Europe/Berlin',
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

function checkExitCodes(codes: JsonObject, path: string, spec: JsonObject, say: Say): void {
  const operator = text(codes.operator);
  if (!['In', 'NotIn'].includes(operator)) {
    say(`${path}/operator`, operator === '' ? 'the operator must be set' : `unsupported operator "${operator}"`, {
      expected: 'In or NotIn',
    });
  }
  const pod = asObject(asObject(spec.template).spec);
  const names = ['containers', 'initContainers'].flatMap((field) =>
    itemsOf(pod[field], '').map(({ value }) => text(value.name)),
  );
  if (typeof codes.containerName === 'string' && !names.includes(codes.containerName)) {
    say(`${path}/containerName`, `unknown container "${codes.containerName}"`, { expected: oneOf(names) });
  }
  const values = Array.isArray(codes.values)
    ? codes.values.map((value) => (typeof value === 'number' ? value : 0))
    : [];
  if (values.length === 0) {
    say(`${path}/values`, 'values must not be empty');
  }
  if (values.length > 255) {
    say(`${path}/values`, 'must not have more than 255 exit codes');
  }
  values.forEach((value, index) => {
    if (operator === 'In' && value === 0) {
      say(`${path}/values/${index}`, 'exit code 0 must not be listed, because it is not a failure');
    }
    if (values.indexOf(value) < index) {
      say(`${path}/values/${index}`, `duplicate exit code ${value}`);
    }
    if (index > 0 && (values[index - 1] ?? 0) > value) {
      say(`${path}/values`, 'exit codes must be in ascending order', { found: values });
    }
  });
}

/** How many indexes `0-3,7` names; what is wrong with it where it cannot be read. */
function readIndexes(indexes: string, completions: number): number | string {
  if (indexes === '') {
    return 0;
  }
  let last: number | undefined;
  let total = 0;
  for (const part of indexes.split(',')) {
    const match = /^([+-]?\d+)(?:-([+-]?\d+))?$/.exec(part);
    if (match === null) {
      return `must not contain "${part}", which is neither a number nor a range`;
    }
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    if (from >= completions || to >= completions) {
      return `must not exceed the last index ${completions - 1}`;
    }
    if (last !== undefined && last >= from) {
      return 'must be in ascending order';
    }
    if (match[2] !== undefined && to <= from) {
      return `must not contain the range "${part}", which does not ascend`;
    }
    total += to - from + 1;
    last = to;
  }
  return total;
}

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
    say(`${path}/parallelism`, `parallelism must be less than or equal to 100000 for an Indexed Job: ${parallelism}`, {
      expected: 'at most 100000',
    });
  }
  if (failed !== undefined && failed > Math.min(completions ?? Infinity, 100_000)) {
    say(`${path}/maxFailedIndexes`, 'maxFailedIndexes must be less than or equal to completions and 100000');
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
