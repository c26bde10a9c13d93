/**
 * Annotations that Volcano reads. A value that it cannot read is logged, and the default stays.
 */
import { oneOf as alternatives } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { type JsonValue } from '../../../facts/api/schema';
import { pointer } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { type ObjectRule, type PodTemplateRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { parseGoDuration } from '../../../manifests/values/go-duration';
import { parseGoBool } from '../../../manifests/values/go-boolean';
import { JOB_SPEC_KINDS } from '../job-spec';
import { schedulesWithVolcano } from '../volcano-pods';
import { POD_GROUP_KIND } from './job-queue';

interface AnnotationFacts {
  readonly accepts: (value: string) => boolean;
  readonly expected: string;
}

const bool: AnnotationFacts = { accepts: (value) => parseGoBool(value) !== undefined, expected: '"true" or "false"' };
const duration: AnnotationFacts = {
  accepts: (value) => (parseGoDuration(value) ?? 0) > 0,
  expected: 'a duration greater than 0, such as "30m"',
};
const oneOf = (...values: readonly string[]): AnnotationFacts => ({
  accepts: (value) => values.includes(value),
  expected: alternatives(values.map((value) => `"${value}"`)),
});

/** Annotations of pods, pod groups and jobs whose values have a form. */
const ANNOTATIONS: Readonly<Record<string, AnnotationFacts>> = {
  'volcano.sh/preemptable': bool,
  'volcano.sh/cooldown-time': duration,
  'volcano.sh/revocable-zone': oneOf('*'),
  'volcano.sh/sla-waiting-time': duration,
  'sla-waiting-time': duration,
  'volcano.sh/numa-topology-policy': oneOf('none', 'best-effort', 'restricted', 'single-numa-node'),
  'volcano.sh/qos-level': oneOf('LC', 'HLS', 'LS', 'BE'),
  'volcano.sh/network-topology-mode': {
    accepts: (value) => ['hard', 'soft'].includes(value.toLowerCase()),
    expected: '"hard" or "soft"',
  },
  'volcano.sh/network-topology-highest-tier': {
    accepts: (value) => /^[+-]?\d+$/.test(value),
    expected: 'an integer in quotes, such as "2"',
  },
  'scheduling.volcano.sh/queue-allocation-gate': oneOf('true'),
};

function* unreadable(annotations: JsonValue | undefined, path: string): Iterable<Violation> {
  for (const [key, value] of Object.entries(asObject(annotations))) {
    const facts = Object.prototype.hasOwnProperty.call(ANNOTATIONS, key) ? ANNOTATIONS[key] : undefined;
    if (facts === undefined || typeof value !== 'string' || facts.accepts(value)) {
      continue;
    }
    yield {
      path: pointer(path, key),
      message: `Volcano ignores the annotation ${key}, because its value is not valid: "${value}"`,
      found: value,
      expected: facts.expected,
      fix: `Set the annotation ${key} to ${facts.expected}.`,
    };
  }
}

const VALUE_FACTS = {
  concerns: Object.keys(ANNOTATIONS),
  row: 'VA1',
  tier: 'advice',
  severity: 'error',
  summary: "The values of Volcano's annotations must have the form that Volcano reads.",
  why: 'Volcano logs a value that it cannot read and then ignores it, as if the annotation were not set.',
  source: `${cite('volcano')}, pkg/scheduler/api/{pod_info,job_info}.go, pkg/controllers/podgroup/pg_controller_handler.go, pkg/agent/apis/extension/qos.go`,
  fix: 'Set the annotation in metadata.annotations to one of the expected values.',
} as const;

const groupAnnotations: ObjectRule = {
  ...VALUE_FACTS,
  id: 'volcano/annotation-value-read',
  on: 'object',
  kinds: [...JOB_SPEC_KINDS, POD_GROUP_KIND],
  check: ({ object }) => unreadable(asObject(object.metadata).annotations, '/metadata/annotations'),
};

const podAnnotations: PodTemplateRule = {
  ...VALUE_FACTS,
  id: 'volcano/pod-annotation-value-read',
  on: 'pod-template',
  check: (template) => (isVolcanos(template) ? unreadable(template.metadata.annotations, '/metadata/annotations') : []),
};

function isVolcanos({ spec, manifest }: Parameters<PodTemplateRule['check']>[0]): boolean {
  return (
    schedulesWithVolcano(spec) ||
    (JOB_SPEC_KINDS as readonly string[]).includes(`${manifest.id.group}/${manifest.id.kind}`)
  );
}

const BUDGETS: readonly string[] = ['volcano.sh/jdb-min-available', 'volcano.sh/jdb-max-unavailable'];

const budgetValid: PodTemplateRule = {
  id: 'volcano/pod-disruption-budget-valid',
  concerns: BUDGETS,
  row: 'VA2',
  tier: 'webhook',
  severity: 'error',
  on: 'pod-template',
  summary: `A pod may have only one of ${BUDGETS.join(' and ')}, which must be an integer greater than zero or 1% to 99%.`,
  why: 'The webhook pods/validate, which is off by default, rejects the pod; where it is off, Volcano cannot read the budget.',
  source: `${cite('volcano')}, pkg/webhooks/admission/pods/validate/admit_pod.go`,
  fix: 'Remove one of the two annotations from metadata.annotations, and set the other to a value such as "2" or "50%".',
  *check(template) {
    if (!isVolcanos(template)) {
      return;
    }
    const annotations = asObject(template.metadata.annotations);
    const found = BUDGETS.filter((key) => annotations[key] !== undefined);
    for (const key of found) {
      const value = annotations[key];
      if (typeof value !== 'string' || isBudget(value)) {
        continue;
      }
      yield {
        path: pointer('/metadata/annotations', key),
        message: `the annotation ${key} must be an integer greater than 0 or a percentage from 1% to 99%, but is "${value}"`,
        found: value,
        expected: 'an integer greater than 0, or 1% to 99%',
        fix: `Set the annotation ${key} to an integer greater than 0 or a percentage from 1% to 99%, such as "50%".`,
      };
    }
    if (found.length > 1) {
      yield {
        path: '/metadata/annotations',
        message: `the annotations ${BUDGETS.join(' and ')} must not be set together`,
        found,
        expected: 'one of the two annotations',
      };
    }
  },
};

function isBudget(value: string): boolean {
  if (/^[+-]?\d+$/.test(value)) {
    return Number(value) > 0;
  }
  const percent = value.replaceAll('%', '');
  return /^[+-]?\d+$/.test(percent) && Number(percent) >= 1 && Number(percent) <= 99;
}

export const annotationRules: readonly Rule[] = [groupAnnotations, podAnnotations, budgetValid];
