/**
 * Events of a cluster as statements about the work that they regard.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { compareNames } from '../../../placement/model/names';
import { type WorkEvent, workEventOf } from '../../../manifests/snapshot/events';
import { kindOf, nameOf, namespaceOf } from '../lookups';
import { gangKey } from '../objects/gang-identity';
import { type EventSource, keysOf, type Statement } from './statements';

/** Events that are shown of one gang or queue. */
const MOST = 10;
const EVENTS: ReadonlySet<string> = new Set(['Event', 'events.k8s.io/Event']);
const KEYED = /(^|\/)(Pod|PodGroup|Workload)$/;

type Draft = Omit<Statement, 'names' | 'event'> & {
  readonly names: string[];
  readonly event: { -readonly [Key in keyof EventSource]: EventSource[Key] };
};

/** Equal ones about pods of one gang are one. */
export function eventStatements(objects: readonly JsonObject[]): readonly Statement[] {
  const events = objects.flatMap((object) => (EVENTS.has(kindOf(object)) ? (workEventOf(object) ?? []) : []));
  if (events.length === 0) {
    return [];
  }
  const regarded = new Set(events.map(identityOf));
  const keys = new Map<string, readonly string[]>();
  for (const object of objects) {
    const kind = kindOf(object);
    const [, short = ''] = KEYED.exec(kind)?.slice(1) ?? [];
    const identity =
      short === '' ? '' : identityOf({ kind: short, namespace: namespaceOf(object), name: nameOf(object) });
    if (regarded.has(identity)) {
      keys.set(identity, keysOf(object, kind));
    }
  }
  const found = new Map<string, Draft>();
  for (const event of events) {
    const own = keys.get(identityOf(event)) ?? [gangKey(event.namespace, event.kind, event.name)];
    const name = event.namespace === '' ? event.name : `${event.namespace}/${event.name}`;
    const key = JSON.stringify([
      event.kind === 'Pod' ? own[0] : name,
      event.kind,
      event.reason,
      event.message,
      event.source,
    ]);
    const known = found.get(key);
    found.set(key, known === undefined ? draftOf(event, name, own) : joined(known, event, name));
  }
  return [...found.values()];
}

/**
 * The last ones, the newest first.
 *
 * @param beside statements that are shown too: what they say is not said twice
 */
export function newest(events: readonly Statement[], beside: readonly Statement[] = []): readonly Statement[] {
  const said = new Set(beside.map(({ kind, message }) => `${kind}\n${message}`));
  return [...events]
    .sort((a, b) => (b.event?.last ?? 0) - (a.event?.last ?? 0) || compareNames(a.names[0], b.names[0]))
    .slice(0, MOST)
    .map(({ message, ...rest }) =>
      message === undefined || said.has(`${rest.kind}\n${message}`) ? rest : { ...rest, message },
    );
}

function identityOf({ kind, namespace, name }: Pick<WorkEvent, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

function draftOf(
  { kind, reason, message, source, count, first, last }: WorkEvent,
  name: string,
  keys: readonly string[],
): Draft {
  return {
    kind,
    names: [name],
    keys,
    condition: 'Event',
    reason,
    ...(message !== '' && { message }),
    ...(first !== undefined && { since: first }),
    event: { source, count, ...(last !== undefined && { last }) },
  };
}

function joined(known: Draft, { count, first, last }: WorkEvent, name: string): Draft {
  const { names, event, since } = known;
  if (!names.includes(name)) {
    names.push(name);
  }
  event.count += count;
  event.last = last === undefined ? event.last : Math.max(last, event.last ?? last);
  const earliest = first === undefined ? since : Math.min(first, since ?? first);
  return { ...known, ...(earliest !== undefined && { since: earliest }) };
}
