/**
 * Labels, annotations, and fields by which a workload says who schedules it, as `submitTo` and `scheduleBy` of a construct.
 */
import {
  GANTRY_GANG_LABEL,
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_QUEUE_LABEL,
  GANTRY_SCHEDULER,
} from '../../../facts/catalog';
import {
  KAI_QUEUE_LABEL,
  KAI_SCHEDULER,
  KUEUE_PRIORITY_LABEL,
  KUEUE_QUEUE_LABEL,
  VOLCANO_GROUP_ANNOTATION,
  VOLCANO_MIN_MEMBER_ANNOTATION,
  VOLCANO_QUEUE_ANNOTATION,
  VOLCANO_SCHEDULER,
} from '../../../constructs/pods/scheduling-names';
import { at, Call, type Expression, type Fields, isFields, listOf, referenceTo, setOwn, textOf } from './expression';
import { type MethodCall } from './proposal';

/** A workload without what an engine's queue says, and the call that says it. */
export interface Scheduled {
  readonly object: Fields;
  readonly calls: readonly MethodCall[];
}

interface Engine {
  /** Labels and annotations that name the queue, in order. */
  readonly queueKeys: readonly string[];
  /** Fields that name the queue. */
  readonly queueFields?: readonly (readonly string[])[];
  readonly className: string;
  readonly schedulerName?: string;
  /** Labels and annotations that the choice writes. */
  readonly written: readonly string[];
}

const RAY_VOLCANO_QUEUE = 'volcano.sh/queue-name';

const ENGINES: readonly Engine[] = [
  {
    queueKeys: [KUEUE_QUEUE_LABEL],
    className: 'kueue.LocalQueue',
    written: [KUEUE_PRIORITY_LABEL],
  },
  {
    queueKeys: [GANTRY_QUEUE_LABEL],
    className: 'GantryQueue',
    schedulerName: GANTRY_SCHEDULER,
    written: [GANTRY_GANG_LABEL, GANTRY_GANG_MIN_MEMBER, GANTRY_GANG_PER_LABEL],
  },
  {
    queueKeys: [KAI_QUEUE_LABEL],
    className: 'kai.Queue',
    schedulerName: KAI_SCHEDULER,
    written: ['kai.scheduler/batch-min-member'],
  },
  {
    queueKeys: [VOLCANO_QUEUE_ANNOTATION, RAY_VOLCANO_QUEUE],
    queueFields: [
      ['spec', 'queue'],
      ['spec', 'jobTemplate', 'spec', 'queue'],
      ['spec', 'runPolicy', 'schedulingPolicy', 'queue'],
    ],
    className: 'volcano.Queue',
    schedulerName: VOLCANO_SCHEDULER,
    written: [VOLCANO_MIN_MEMBER_ANNOTATION, VOLCANO_GROUP_ANNOTATION],
  },
];

/** The workload as an engine's queue schedules it, for each engine that it names a queue of. */
export function scheduledForms(object: Fields): readonly Scheduled[] {
  return ENGINES.flatMap((engine): readonly Scheduled[] => {
    const queue = queueOf(object, engine);
    if (textOf(queue) === undefined) {
      return [];
    }
    const reference = referenceTo(queue, engine.className);
    const priority = at(object, 'metadata', 'labels', KUEUE_PRIORITY_LABEL);
    const call: MethodCall =
      engine.className === 'kueue.LocalQueue' && priority !== undefined
        ? {
            method: 'scheduleBy',
            args: [
              new Call('Scheduling.kueue', [
                reference,
                { workloadPriorityClass: referenceTo(priority, 'kueue.WorkloadPriorityClass') },
              ]),
            ],
          }
        : { method: 'submitTo', args: [reference] };
    return [{ object: stripped(object, engine) as Fields, calls: [call] }];
  });
}

function queueOf(object: Fields, { queueKeys, queueFields = [] }: Engine): Expression {
  const places = [
    at(object, 'metadata'),
    at(object, 'spec', 'jobTemplate', 'metadata'),
    at(object, 'spec', 'template', 'metadata'),
    at(object, 'spec', 'jobTargetRef', 'template', 'metadata'),
  ];
  const named = places.flatMap((metadata) =>
    ['labels', 'annotations'].flatMap((map) => queueKeys.map((key) => at(metadata, map, key))),
  );
  const fields = queueFields.map((path) => at(object, ...path));
  return [...fields, ...named].find((value) => textOf(value) !== undefined);
}

/** The object without the keys, fields, and scheduler names that the choice writes. */
function stripped(value: Expression, engine: Engine, path: readonly string[] = []): Expression {
  if (Array.isArray(value)) {
    return listOf(value).map((item, index) => stripped(item, engine, [...path, String(index)]));
  }
  if (!isFields(value)) {
    return value;
  }
  const last = path.at(-1);
  const isMap = last === 'labels' || last === 'annotations';
  const keys = isMap ? [...engine.queueKeys, ...engine.written] : [];
  const result: Record<string, Expression> = {};
  for (const [name, member] of Object.entries(value)) {
    const isQueue = engine.queueFields?.some((field) => field.join('/') === [...path, name].join('/')) === true;
    const isScheduler = name === 'schedulerName' && textOf(member) === engine.schedulerName;
    if (!keys.includes(name) && !isQueue && !isScheduler) {
      setOwn(result, name, stripped(member, engine, [...path, name]));
    }
  }
  return result;
}
