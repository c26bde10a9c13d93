/**
 * What a scenario file expects, by gang, queue and cluster.
 */
import { type ClusterNode, type PendingKind } from '../../placement';
import { type Fields } from '../cluster/files/fields';
import { type Mark, MARKS } from '../remediation';
import {
  type Bounds,
  type ClusterCheck,
  type Expectation,
  type GangCheck,
  type NodeCheck,
  type QueueCheck,
} from './scenario';

const PENDING_KINDS: readonly PendingKind[] = [
  'unknown-queue',
  'queue-closed',
  'queue-capability',
  'queue-guarantees',
  'quota-of-non-preemptible',
  'unknown-topology',
  'too-few-pods',
  'not-offered',
  'topology',
  'no-fit',
  'reserved',
  'outranked',
  'repartition',
];

/** The subjects of expectations. */
export interface Known {
  readonly gangs: readonly string[];
  readonly queues: readonly string[];
  readonly nodes: readonly ClusterNode[];
  /** Resource of the cluster's devices. */
  readonly device: string;
}

export function readExpectation(fields: Fields, known: Known): Expectation {
  const before = fields.problems.length;
  const expectation = expectationOf(fields, known);
  fields.done();
  if (expectation.checks.length === 0 && fields.problems.length === before) {
    fields.wrongAt('', 'expects nothing');
  }
  return expectation;
}

function expectationOf(fields: Fields, known: Known): Expectation {
  const gang = fields.text('gang');
  const queue = fields.text('queue');
  if (gang !== undefined && queue !== undefined) {
    fields.wrongAt('', 'must not name both a gang and a queue; write one expectation for each');
  }
  if (gang !== undefined) {
    if (!known.gangs.some((name) => matches(gang, name))) {
      fields.wrong('gang', gang, 'the name of a gang, or a pattern such as sweep-* that matches a gang');
    }
    return { about: 'gang', gang, checks: gangChecks(fields) };
  }
  if (queue !== undefined) {
    if (!known.queues.includes(queue)) {
      fields.wrong('queue', queue, `the name of a queue: ${known.queues.join(', ')}`);
    }
    return { about: 'queue', queue, checks: queueChecks(fields, known) };
  }
  const node = fields.text('node');
  if (node !== undefined) {
    if (!known.nodes.some(({ name }) => matches(node, name))) {
      fields.wrong('node', node, 'the name of a node, or a pattern such as rack-2-* that matches a node');
    }
    return { about: 'node', node, checks: nodeChecks(fields) };
  }
  return { about: 'cluster', checks: clusterChecks(fields, known) };
}

function nodeChecks(fields: Fields): NodeCheck[] {
  const marks = fields.fields('marks');
  if (marks === undefined) {
    return [];
  }
  const exactly = marks.texts('exactly');
  if (exactly === undefined) {
    marks.wrongAt('exactly', 'is required; list the marks of remediation on the node, such as [taint], or []');
  }
  const unknown = (exactly ?? []).find((one) => !MARKS.some((mark) => mark === one));
  if (unknown !== undefined) {
    marks.wrong('exactly', unknown, `marks of ${MARKS.join(', ')}`);
  }
  const check: NodeCheck = {
    kind: 'marks',
    at: momentOf(marks),
    marks: MARKS.filter((mark): mark is Mark => (exactly ?? []).includes(mark)),
  };
  marks.done();
  return [check];
}

function gangChecks(fields: Fields): GangCheck[] {
  const checks: (GangCheck | undefined)[] = [
    given(fields.duration('startsBy'), (by) => ({ kind: 'starts-by', by })),
    given(fields.duration('startsAfter'), (after) => ({ kind: 'starts-after', after })),
    given(fields.duration('endsBy'), (by) => ({ kind: 'ends-by', by })),
    given(fields.duration('waitsAtMost'), (seconds) => ({ kind: 'waits-at-most', seconds })),
    given(fields.flag('neverEvicted'), (never) => (never ? { kind: 'evictions-at-most', count: 0 } : undefined)),
    given(fields.number('evictionsAtMost', { least: 0, whole: true }), (count) => ({
      kind: 'evictions-at-most',
      count,
    })),
    given(fields.texts('landsOn'), (nodes) => ({ kind: 'lands-on', nodes })),
  ];
  const domain = fields.fields('landsIn');
  if (domain !== undefined) {
    checks.push({ kind: 'lands-in', level: domain.required('level'), domain: domain.text('domain') });
    domain.done();
  }
  const pods = fields.fields('pods');
  if (pods !== undefined) {
    checks.push({
      kind: 'pods',
      at: momentOf(pods),
      bounds: boundsOf(pods, (key) => pods.number(key, { least: 0, whole: true })),
    });
    pods.done();
  }
  const pending = fields.fields('pending');
  if (pending !== undefined) {
    checks.push({ kind: 'pending', at: momentOf(pending), because: pending.oneOf('because', PENDING_KINDS) });
    pending.done();
  }
  return checks.filter((check) => check !== undefined);
}

function queueChecks(fields: Fields, { device }: Known): QueueCheck[] {
  const checks: QueueCheck[] = [];
  const has = fields.fields('has');
  if (has !== undefined) {
    const at = momentOf(has);
    const named = has.text('resource') ?? 'gpus';
    const resource = named === 'gpus' ? device : named;
    checks.push({
      kind: 'has',
      at,
      resource,
      bounds: boundsOf(has, (key) => given(has.raw(key), (value) => has.amountOf(resource, value, key))),
    });
    has.done();
  }
  const seconds = fields.duration('waitsAtMost');
  const percentile = fields.number('percentile', { least: 0 }) ?? 100;
  if (percentile > 100) {
    fields.wrong('percentile', percentile, 'at most 100');
  }
  if (seconds !== undefined) {
    checks.push({ kind: 'waits-at-most', seconds, percentile });
  }
  return checks;
}

function clusterChecks(fields: Fields, { device }: Known): ClusterCheck[] {
  const checks: (ClusterCheck | undefined)[] = [
    given(fields.duration('makespanAtMost'), (seconds) => ({ kind: 'makespan-at-most', seconds })),
    given(fields.number('evictionsAtMost', { least: 0, whole: true }), (count) => ({
      kind: 'evictions-at-most',
      count,
    })),
    given(fields.flag('allFinish'), (all) => (all ? { kind: 'all-finish' } : undefined)),
  ];
  const utilization = fields.fields('utilization');
  if (utilization !== undefined) {
    const named = utilization.text('resource') ?? 'gpus';
    checks.push({
      kind: 'utilization',
      resource: named === 'gpus' ? device : named,
      bounds: boundsOf(utilization, (key) => partOf(utilization, key)),
      from: utilization.duration('from') ?? 0,
      until: utilization.duration('until'),
    });
    utilization.done();
  }
  return checks.filter((check) => check !== undefined);
}

function momentOf(fields: Fields): number {
  const at = fields.duration('at');
  if (at === undefined && !fields.has('at')) {
    fields.wrongAt('at', 'is required; set a time such as 1h');
  }
  return at ?? 0;
}

function boundsOf(fields: Fields, read: (key: 'atLeast' | 'atMost' | 'exactly') => number | undefined): Bounds {
  const exactly = read('exactly');
  const bounds =
    exactly === undefined
      ? { atLeast: read('atLeast'), atMost: read('atMost') }
      : { atLeast: exactly, atMost: exactly };
  if (bounds.atLeast === undefined && bounds.atMost === undefined) {
    fields.wrongAt('', 'must set atLeast, atMost, or exactly');
  }
  return bounds;
}

/** `0.8` or `80%`. */
function partOf(fields: Fields, key: string): number | undefined {
  const value = fields.raw(key);
  if (value === undefined) {
    return undefined;
  }
  const part = typeof value === 'string' && /^\d+(\.\d+)?%$/.test(value) ? Number(value.slice(0, -1)) / 100 : value;
  return typeof part === 'number' && part >= 0 && part <= 1
    ? part
    : fields.wrong(key, value, 'a percentage or a fraction, such as 80% or 0.8');
}

function given<T, R>(value: T | undefined, make: (value: T) => R | undefined): R | undefined {
  return value === undefined ? undefined : make(value);
}

/** Is the name the pattern, where `*` matches any letters? */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) {
    return pattern === name;
  }
  if (!name.startsWith(parts[0])) {
    return false;
  }
  let at = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) {
      return false;
    }
    at = found + part.length;
  }
  const last = parts[parts.length - 1];
  return name.length - at >= last.length && name.endsWith(last);
}
