/**
 * Job flows and the templates that they name. Their webhook is off by default: a flow that it would refuse never continues.
 */
import { oneOfStrings } from '../../../facts/words';
import { shortenBy } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { mayShareNamespace } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { type ObjectRule, type RuleFacts, type Violation, type RuleContext } from '../../../checks/rules/rule';
import { JOB_FLOW_KIND, JOB_TEMPLATE_KIND, jobOf, podName } from '../job-spec';
import { findCircle } from './job';

const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/jobflows/validate/validate_jobflow.go (off by default)`;
const CONTROLLER = `${cite('volcano')}, pkg/controllers/jobflow/jobflow_controller_action.go`;

interface FlowView {
  readonly name: string;
  readonly path: string;
  readonly targets: readonly string[];
  readonly value: JsonObject;
}

function flowsOf(manifest: Manifest): readonly FlowView[] {
  return objectsAt(manifest.object, '/spec/flows').map(({ value, path }) => ({
    name: asString(value.name) ?? '',
    path,
    targets: stringsIn(asObject(value.dependsOn).targets),
    value,
  }));
}

type FlowCheck = (flows: readonly FlowView[], manifest: Manifest, context: RuleContext) => Iterable<Violation>;

function flowRule(facts: RuleFacts, check: FlowCheck): ObjectRule {
  return {
    ...facts,
    on: 'object',
    kinds: [JOB_FLOW_KIND],
    check: (manifest, context) => check(flowsOf(manifest), manifest, context),
  };
}

const targetsExist = flowRule(
  {
    id: 'volcano/job-flow-targets-exist',
    row: 'VF1',
    tier: 'webhook',
    severity: 'error',
    summary: 'A flow must depend only on flows of the same JobFlow.',
    why: 'The webhook rejects the JobFlow if it is enabled; otherwise the flow never starts.',
    source: WEBHOOK,
    fix: 'Set dependsOn.targets to names of flows in this JobFlow.',
  },
  function* (flows) {
    const names = new Set(flows.map(({ name }) => name));
    for (const { name, path, targets } of flows) {
      for (const [index, target] of targets.entries()) {
        if (!names.has(target)) {
          yield {
            path: `${path}/dependsOn/targets/${index}`,
            message: `the flow "${name}" depends on the unknown flow "${target}"`,
            found: target,
            ...targetFix(
              index,
              flows
                .map((flow) => flow.name)
                .filter((other) => other !== name && other !== '' && !targets.includes(other)),
            ),
          };
        }
      }
    }
  },
);

/** What to write for a target that does not exist, where other flows may be meant. */
function targetFix(index: number, others: readonly string[]): Pick<Violation, 'expected' | 'fix'> {
  const names = oneOfStrings([...new Set(others)].slice(0, 6));
  return names === ''
    ? { fix: `Remove dependsOn.targets[${index}].` }
    : { expected: names, fix: `Set dependsOn.targets[${index}] to ${names}, or remove it.` };
}

const flowsAcyclic = flowRule(
  {
    id: 'volcano/job-flow-acyclic',
    row: 'VF2',
    tier: 'webhook',
    severity: 'error',
    summary: 'The dependencies of a JobFlow must not form a cycle.',
    why: 'The webhook rejects the JobFlow if it is enabled; otherwise no flow of the cycle ever starts.',
    source: WEBHOOK,
    fix: 'Remove one of the flows in the cycle from dependsOn.targets of the flow that precedes it.',
  },
  function* (flows) {
    const circle = findCircle(new Map(flows.map(({ name, targets }) => [name, targets])));
    if (circle === undefined) {
      return;
    }
    const start = flows.find(({ name }) => name === circle[0]);
    yield {
      path: `${start?.path ?? '/spec/flows'}/dependsOn`,
      message: `the flows depend on each other in a cycle: ${circle.join(' → ')}`,
    };
  },
);

const namesUnique = flowRule(
  {
    id: 'volcano/job-flow-names-unique',
    row: 'VF2',
    tier: 'advice',
    severity: 'error',
    summary: 'A JobFlow must list each template only once.',
    why: 'The job of a flow is named after the JobFlow and the template. The second flow of the same name finds that its job exists already and does nothing.',
    source: `${CONTROLLER}, deployJob`,
    fix: 'Create a second JobTemplate for the second run, and set spec.flows[].name of the second flow to it.',
  },
  function* (flows) {
    const seen = new Set<string>();
    for (const { name, path } of flows) {
      if (name !== '' && seen.has(name)) {
        yield { path: `${path}/name`, message: `duplicate flow "${name}"`, found: name };
      }
      seen.add(name);
    }
  },
);

const templatesKnown = flowRule(
  {
    id: 'volcano/job-flow-template-known',
    row: 'VF3',
    tier: 'advice',
    severity: 'info',
    summary: 'The name of a flow must be the name of a JobTemplate in the same namespace.',
    why: 'The controller creates the job from the template; without the template the flow does not start.',
    source: `${CONTROLLER}, loadJobTemplateAndSetJob`,
    fix: 'Set spec.flows[].name to a JobTemplate in the namespace of the JobFlow, or make sure that the JobTemplate exists in the cluster.',
  },
  function* (flows, { id }, { set }) {
    const templates = set.ofKind(JOB_TEMPLATE_KIND);
    if (templates.length === 0) {
      return;
    }
    for (const { name, path } of flows) {
      if (name === '' || set.get(JOB_TEMPLATE_KIND, name, id.namespace) !== undefined) {
        continue;
      }
      const named = templates.filter((template) => template.id.name === name);
      if (named.some((template) => mayShareNamespace(template.id.namespace, id.namespace))) {
        continue;
      }
      const [elsewhere] = named;
      yield {
        path: `${path}/name`,
        severity: elsewhere === undefined ? 'info' : 'warning',
        message:
          elsewhere === undefined
            ? `JobTemplate "${name}" not found in these manifests`
            : `JobTemplate "${name}" is in the namespace "${elsewhere.id.namespace}", not in "${id.namespace}", the namespace of the JobFlow`,
        found: name,
        ...(elsewhere === undefined && { absent: { kind: JOB_TEMPLATE_KIND, name } }),
      };
    }
  },
);

const jobNamesFit = flowRule(
  {
    id: 'volcano/job-flow-job-names-fit',
    row: 'VF4',
    tier: 'webhook',
    severity: 'error',
    summary:
      "The names of the pods of a flow's job, `<flow>-<template>-<task>-<index>`, must be no more than 63 characters.",
    why: 'The webhook rejects the job that the controller creates from the template, and the flow does not start.',
    source: `${CONTROLLER}, getJobName; pkg/webhooks/admission/jobs/validate/admit_job.go`,
    fix: 'Shorten metadata.name of the JobFlow or of the JobTemplate, or the name of the task in spec.tasks.',
  },
  function* (flows, { id }, { set }) {
    if (id.name === '') {
      return;
    }
    for (const { name, path } of flows) {
      const template = set.get(JOB_TEMPLATE_KIND, name, id.namespace);
      const tasks = template === undefined ? [] : (jobOf(template)?.tasks ?? []);
      const names = tasks.map((task) =>
        podName(`${id.name}-${name}`, task.name, Math.max(task.index, task.replicas - 1)),
      );
      const longest = [`${id.name}-${name}`, ...names].sort((left, right) => right.length - left.length)[0] ?? '';
      if (longest.length > 63) {
        yield {
          path: `${path}/name`,
          message: `the pod name "${longest}" must be no more than 63 characters, but has ${longest.length}`,
          found: longest,
          expected: 'at most 63 characters',
          fix: shortenBy('metadata.name of the JobFlow or of the JobTemplate', longest, 63),
        };
      }
    }
  },
);

const unreadFields = flowRule(
  {
    id: 'volcano/job-flow-fields-read',
    row: 'VF5',
    tier: 'advice',
    severity: 'error',
    summary: 'A JobFlow must set neither `patch` nor `dependsOn.probe`.',
    why: 'The controller reads neither of them: the job is created from the unchanged template, and a flow starts when its targets have completed.',
    source: `${CONTROLLER}, createJob and judge`,
    fix: 'Remove patch or dependsOn.probe from the flow.',
  },
  function* (flows) {
    for (const { value, path, name } of flows) {
      if (value.patch !== undefined) {
        yield {
          path: `${path}/patch`,
          message: `patch has no effect in the flow "${name}"`,
          fix: 'Remove patch, and set the name of the flow to the name of a JobTemplate that contains the changes.',
        };
      }
      if (asObject(value.dependsOn).probe !== undefined) {
        yield {
          path: `${path}/dependsOn/probe`,
          message: `dependsOn.probe has no effect in the flow "${name}": the flow starts when the flows in dependsOn.targets have completed`,
          fix: 'Remove dependsOn.probe, and wait for the condition in an init container of the job.',
        };
      }
    }
  },
);

export const jobFlowRules: readonly ObjectRule[] = [
  targetsExist,
  flowsAcyclic,
  namesUnique,
  templatesKnown,
  jobNamesFit,
  unreadFields,
];
