/**
 * Why a pod, a job, or a queue of a cluster waits, what would help, and who is before it: as text and as JSON.
 */
import pico from 'picocolors';
import { messagesIn } from '../../../facts/messages/known-messages';
import { nearestNames } from '../../../facts/spelling';
import { counted, printable } from '../../../facts/words';
import { amountText } from '../../../planning/cluster';
import { type EventSource, type Statement } from '../../../planning/cluster/waiting/statements';
import {
  type PlannedWork,
  type QueueWork,
  type UnplannedWork,
  WaitingWork,
  type Work,
} from '../../../planning/cluster/waiting/waiting-work';
import { spanText } from '../../../planning/cluster/words';
import { workNames } from '../../../planning/cluster/waiting/work-names';
import { type ClusterInput } from '../cluster-option';
import { type ExplanationStyle, messageJson } from './explain-messages';
import { UsageError } from '../terminal';

/** Maximum number of names in one line of text; JSON contains all. */
const MOST_NAMES = 10;

type Row = readonly [label: string, text: string];

/** @throws UsageError where nothing in the cluster has that name, or several objects have it */
export function explainedWork(
  what: string,
  input: ClusterInput,
  { namespace, ...style }: ExplanationStyle & { readonly namespace?: string },
): string {
  const work = new WaitingWork(input.state(), input.objects());
  for (const name of workNames(what, namespace, work.kinds())) {
    const found = work.workNamed(name);
    if (found.length > 1) {
      const names = found.map(({ gang }) => `${gang.kind.toLowerCase()}/${gang.name}`);
      throw new UsageError(`explain ${what}: several objects have this name: ${listed(names)}; add the namespace`);
    }
    if (found.length === 1) {
      return shown(found[0], workJson(found[0], work), workRows(found[0], work), style);
    }
    const queue = work.queueNamed(name);
    if (queue !== undefined) {
      return shown(queue, queueJson(queue, work), queueRows(queue, work), style);
    }
    const unplanned = work.unplannedNamed(name);
    if (unplanned !== undefined) {
      return shown(unplanned, unplannedJson(unplanned), unplannedRows(unplanned, work), style);
    }
  }
  const near = nearestNames(what, work.names(), 1);
  throw new UsageError(
    `explain ${what}: not found in ${work.view.cluster}${near.length === 0 ? '' : ` (did you mean ${near[0]}?)`}; name work as KIND/NAMESPACE/NAME or NAMESPACE/NAME, and a queue as queue/NAME`,
  );
}

function shown(
  found: Work | QueueWork | UnplannedWork,
  json: object,
  rows: readonly Row[],
  { format, color }: ExplanationStyle,
): string {
  if (format === 'json') {
    return `${JSON.stringify(json, undefined, 2)}\n`;
  }
  const { bold } = pico.createColors(color);
  const title =
    'gang' in found
      ? `${found.gang.kind} ${found.gang.name}`
      : 'queue' in found
        ? `Queue ${found.queue.name}`
        : `${found.kind} ${found.name}`;
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}  ${printable(text)}\n`);
  return `${bold(printable(title))}\n${lines.join('')}`;
}

function workRows(work: Work, { view, cluster }: WaitingWork): readonly Row[] {
  const { gang, since, before } = work;
  const queue = view.queues.find(({ name }) => name === gang.queue);
  return [
    [
      'state',
      stateText(
        work,
        view.nodes.map(({ name }) => name),
      ),
    ],
    ['since', sinceText(since, cluster.at)],
    ['queue', queue === undefined ? `${gang.queue}, which does not exist` : `${gang.queue}${usageText(queue)}`],
    ['priority', String(gang.priority)],
    ['pods', `${gang.placed} of ${gang.pods} placed, ${gang.minimum} required, ${counted(gang.devices, 'device')}`],
    ...(gang.topology === undefined ? [] : [['topology', gang.topology] as const]),
    ...(gang.pending === undefined ? [] : [['reason', gang.pending.message] as const]),
    ...excludedBeside(gang).map((text): Row => ['excluded', text]),
    ...(gang.pending?.changes ?? []).map((text): Row => ['helps', text]),
    ...(before.length === 0 ? [] : [['before it', listed(before.map((one) => turnText(one, work)))] as const]),
    ...statementRows(work.statements),
  ].filter(([, text]) => text !== '') as readonly Row[];
}

/** What the reason does not say already. */
function excludedBeside({ pending }: Work['gang']): readonly string[] {
  return pending?.excluded.filter((text) => text !== pending.message) ?? [];
}

function stateText({ gang, runs }: Work, nodes: readonly string[]): string {
  const where = listed(gang.where.map(([node, pods]) => `${nodes[node]} (${counted(pods, 'pod')})`));
  switch (gang.state) {
    case 'placed':
      return runs ? `running on ${where}` : `pending in the cluster; the plan starts it now, on ${where}`;
    case 'nominated':
      return `pending; it starts on ${where} when the pods that are ending there have terminated`;
    case 'running':
      return `running on ${where}`;
    case 'partial':
      return `running with ${gang.placed} of ${gang.pods} pods on ${where}`;
    case 'pending':
    case 'evicting':
      return gang.state;
  }
}

function sinceText(since: number | undefined, now: number | undefined): string {
  if (since === undefined) {
    return '';
  }
  const span = now === undefined || now < since ? '' : ` (${spanText(now - since)})`;
  return `${timeText(since)}${span}`;
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace(/\.000Z$/, 'Z');
}

function turnText({ gang, since }: PlannedWork, { gang: own }: Work): string {
  const why = gang.priority > own.priority ? `priority ${gang.priority}` : since === undefined ? '' : 'older';
  return why === '' ? gang.name : `${gang.name} (${why})`;
}

function usageText({ allocated, deserved = {}, capability = {} }: QueueWork['queue']): string {
  const resources = [...new Set([...Object.keys(deserved), ...Object.keys(capability)])];
  const parts = resources.map((resource) => {
    const limit: number | 'unlimited' = Object.hasOwn(capability, resource) ? capability[resource] : deserved[resource];
    const of = limit === 'unlimited' ? limit : amountText(resource, limit);
    return `${resource} ${amountText(resource, allocated[resource] ?? 0)} of ${of}`;
  });
  return parts.length === 0 ? '' : `: ${parts.join(', ')} allocated`;
}

function queueRows({ queue, waiting, placed, statements }: QueueWork, { cluster }: WaitingWork): readonly Row[] {
  const waits = waiting.slice(0, MOST_NAMES).map(({ gang, since }, index): Row => {
    const age = since === undefined || cluster.at === undefined ? '' : `, for ${spanText(cluster.at - since)}`;
    const why = gang.pending === undefined ? '' : `: ${gang.pending.message}`;
    return [`${index + 1}.`, `${gang.name} (priority ${gang.priority}${age})${why}`];
  });
  return (
    [
      ['state', queue.closed === true ? 'closed' : 'open'],
      ['parent', queue.parent ?? ''],
      ['usage', usageText(queue).replace(/^: /, '')],
      ['running', namesText(placed.filter(({ runs }) => runs)) || 'none'],
      ['starts now', namesText(placed.filter(({ runs }) => !runs))],
      ['waiting', waiting.length === 0 ? 'none' : counted(waiting.length, 'gang')],
      ...waits,
      ...statementRows(statements),
    ] as readonly Row[]
  ).filter(([, text]) => text !== '');
}

function namesText(works: readonly PlannedWork[]): string {
  return listed(works.map(({ gang }) => gang.name));
}

function unplannedRows({ since, phase, statements }: UnplannedWork, { cluster }: WaitingWork): readonly Row[] {
  return (
    [
      ['state', `${phase ?? 'waiting'}; it has no pods yet, so it is not planned`],
      ['since', sinceText(since, cluster.at)],
      ...statementRows(statements),
    ] as readonly Row[]
  ).filter(([, text]) => text !== '');
}

/** What the cluster says, and what the messages in it mean. */
function statementRows(statements: readonly Statement[]): readonly Row[] {
  return statements.flatMap((one): readonly Row[] => [
    ['tried', statementText(one)],
    ...messagesIn(one.message ?? '').flatMap(({ message: { id, cause, remedy } }): readonly Row[] => [
      ['', `${id}: ${cause} ${remedy}`],
    ]),
  ]);
}

function statementText({ kind, names, condition, reason, message, since, event }: Statement): string {
  const who = names.length === 1 ? `${kind} ${names[0]}` : counted(names.length, kind.toLowerCase());
  if (event !== undefined) {
    return `${who}: ${eventText(event, reason, since)}${message === undefined ? '' : `: ${message}`}`;
  }
  const head = [`${who}: ${condition}`, ...(reason === undefined ? [] : [reason])].join(', ');
  const time = since === undefined ? '' : `, since ${timeText(since)}`;
  return `${head}${time}${message === undefined ? '' : `: ${message}`}`;
}

function eventText({ source, count, last }: EventSource, reason = '', since: number | undefined): string {
  const from = source === '' ? '' : ` of ${source}`;
  const times = count === 1 ? '' : `, ${count} times`;
  const time = since === undefined ? '' : count === 1 ? `, at ${timeText(since)}` : `, since ${timeText(since)}`;
  const end = last === undefined || last === since ? '' : `, last at ${timeText(last)}`;
  return `event ${reason}${from}${times}${time}${end}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function workJson(work: Work, { view, cluster }: WaitingWork): object {
  const { gang, since, before, statements, runs } = work;
  return {
    cluster: view.cluster,
    ...(cluster.at !== undefined && { at: timeText(cluster.at) }),
    workload: {
      kind: gang.kind,
      name: gang.name,
      queue: gang.queue,
      state: gang.state,
      running: runs,
      ...(since !== undefined && { since: timeText(since) }),
      priority: gang.priority,
      pods: { total: gang.pods, required: gang.minimum, placed: gang.placed },
      devices: gang.devices,
      nodes: gang.where.map(([node, pods]) => ({ name: view.nodes[node].name, pods })),
    },
    ...(gang.pending !== undefined && {
      reason: {
        kind: gang.pending.kind,
        message: gang.pending.message,
        excluded: gang.pending.excluded,
        helps: gang.pending.changes,
      },
    }),
    before: before.map(brief),
    tried: statements.map(statementJson),
  };
}

function queueJson({ queue, waiting, placed, statements }: QueueWork, { view, cluster }: WaitingWork): object {
  return {
    cluster: view.cluster,
    ...(cluster.at !== undefined && { at: timeText(cluster.at) }),
    queue,
    waiting: waiting.map((work) => ({
      ...brief(work),
      ...(work.gang.pending !== undefined && { reason: work.gang.pending.message }),
    })),
    running: placed.filter(({ runs }) => runs).map(brief),
    startsNow: placed.filter(({ runs }) => !runs).map(brief),
    tried: statements.map(statementJson),
  };
}

function unplannedJson({ statements, since, ...work }: UnplannedWork): object {
  return {
    workload: { ...work, ...(since !== undefined && { since: timeText(since) }) },
    tried: statements.map(statementJson),
  };
}

function brief({ gang, since }: PlannedWork): object {
  return { name: gang.name, priority: gang.priority, ...(since !== undefined && { since: timeText(since) }) };
}

function statementJson({ kind, names, condition, reason, message, since, event }: Statement): object {
  return {
    kind,
    names,
    condition,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(since !== undefined && { since: timeText(since) }),
    ...(event !== undefined && {
      source: event.source,
      count: event.count,
      ...(event.last !== undefined && { last: timeText(event.last) }),
    }),
    messages: messagesIn(message ?? '').map(messageJson),
  };
}
