/**
 * Compares a simulation with the expectations of its scenario, and describes both in words.
 */
import { counted } from '../../facts/words';
import { type ClusterNode } from '../../placement';
import { type GangRun } from './gang-run';
import { matches } from './read-expectations';
import { type Recorder } from './recorder';
import { type ExpectationOutcome, type GangOutcome, type SimulationResult } from './result';
import {
  type Bounds,
  type ClusterCheck,
  type GangCheck,
  type NodeCheck,
  type QueueCheck,
  type Scenario,
} from './scenario';
import { percentile } from './statistics';
import { tellDuration } from './time';

type Verdict = Omit<ExpectationOutcome, 'expected'>;

export function judge(
  scenario: Scenario,
  result: SimulationResult,
  runs: ReadonlyMap<string, GangRun>,
  recorder: Recorder,
  marksAt: (node: string, at: number) => readonly string[] = () => [],
): ExpectationOutcome[] {
  return scenario.expectations.flatMap((expectation) => {
    switch (expectation.about) {
      case 'gang': {
        const gangs = result.gangs.filter(({ name }) => matches(expectation.gang, name));
        return expectation.checks.map((check) => ({
          expected: `${expectation.gang} ${tellGangCheck(check)}`,
          ...worst(gangs, (gang) => judgeGang(check, gang, runs.get(gang.name)!, scenario.nodes)),
        }));
      }
      case 'queue':
        return expectation.checks.map((check) => judgeQueue(expectation.queue, check, result, recorder));
      case 'node': {
        const nodes = scenario.nodes.filter(({ name }) => matches(expectation.node, name));
        return expectation.checks.map((check) => judgeMarks(expectation.node, check, nodes, marksAt));
      }
      case 'cluster':
        return expectation.checks.map((check) => judgeCluster(check, result, recorder));
    }
  });
}

function judgeMarks(
  pattern: string,
  { at, marks }: NodeCheck,
  nodes: readonly ClusterNode[],
  marksAt: (node: string, at: number) => readonly string[],
): ExpectationOutcome {
  const words = (list: readonly string[]): string => (list.length === 0 ? 'no marks' : list.join(', '));
  const other = nodes.find(({ name }) => words(marksAt(name, at)) !== words(marks));
  return {
    expected: `${pattern} has ${words(marks)} at ${tellDuration(at)}`,
    met: other === undefined,
    found:
      other === undefined
        ? `${counted(nodes.length, 'node')} had`
        : `${other.name} had ${words(marksAt(other.name, at))}`,
  };
}

/** Of several gangs, the first that does not do what is expected speaks for all. */
function worst(gangs: readonly GangOutcome[], verdictOf: (gang: GangOutcome) => Verdict): Verdict {
  if (gangs.length === 0) {
    return { met: false, found: 'the gang did not arrive before the end' };
  }
  const verdicts = gangs.map((gang) => ({ gang, verdict: verdictOf(gang) }));
  const bad = verdicts.filter(({ verdict }) => !verdict.met);
  if (gangs.length === 1) {
    return verdicts[0].verdict;
  }
  if (bad.length === 0) {
    return { met: true, found: `all ${gangs.length} do` };
  }
  return { met: false, found: `${bad.length} of ${gangs.length} do not; ${bad[0].gang.name}: ${bad[0].verdict.found}` };
}

function tellGangCheck(check: GangCheck): string {
  switch (check.kind) {
    case 'starts-by':
      return `starts by ${tellDuration(check.by)}`;
    case 'starts-after':
      return `starts at ${tellDuration(check.after)} or later`;
    case 'ends-by':
      return `ends by ${tellDuration(check.by)}`;
    case 'waits-at-most':
      return `waits at most ${tellDuration(check.seconds)}`;
    case 'evictions-at-most':
      return check.count === 0
        ? 'is never evicted'
        : `loses at most ${check.count} pod${check.count === 1 ? '' : 's'} to evictions`;
    case 'lands-in':
      return check.domain === undefined
        ? `is placed in one domain of ${check.level}`
        : `is placed in ${check.domain} (${check.level})`;
    case 'lands-on':
      return `is placed only on ${check.nodes.join(', ')}`;
    case 'pods':
      return `has ${tellBounds(check.bounds, 'pods')} at ${tellDuration(check.at)}`;
    case 'pending':
      return `is pending at ${tellDuration(check.at)}${check.because === undefined ? '' : ` because of ${check.because}`}`;
  }
}

function judgeGang(check: GangCheck, gang: GangOutcome, run: GangRun, nodes: readonly ClusterNode[]): Verdict {
  switch (check.kind) {
    case 'starts-by':
      return startVerdict(gang, (at) => at <= check.by, waited(gang));
    case 'starts-after':
      return startVerdict(gang, (at) => at >= check.after, '');
    case 'ends-by':
      return endVerdict(gang, check.by);
    case 'waits-at-most':
      return {
        met: gang.startedAt !== undefined && gang.waitSeconds <= check.seconds,
        found:
          gang.startedAt === undefined
            ? startText(gang)
            : `it waited ${tellDuration(gang.waitSeconds)}${longestReason(gang)}`,
      };
    case 'evictions-at-most':
      return {
        met: gang.evictions <= check.count,
        found:
          gang.evictions === 0
            ? 'it was never evicted'
            : `it lost ${gang.evictions} pod${gang.evictions === 1 ? '' : 's'} to evictions`,
      };
    case 'lands-in':
      return domainVerdict(gang, check, nodes);
    case 'lands-on':
      return {
        met: gang.nodes.length > 0 && gang.nodes.every((name) => check.nodes.some((pattern) => matches(pattern, name))),
        found: gang.nodes.length === 0 ? startText(gang) : `it was placed on ${gang.nodes.join(', ')}`,
      };
    case 'pods': {
      const pods = run.podsAt(check.at);
      return { met: within(pods, check.bounds), found: `it had ${pods}` };
    }
    case 'pending':
      return pendingVerdict(gang, check, run);
  }
}

type CheckOf<Kind extends GangCheck['kind']> = Extract<GangCheck, { readonly kind: Kind }>;

function startText(gang: GangOutcome): string {
  return gang.startedAt === undefined
    ? `it never started${lastReason(gang)}`
    : `it started at ${tellDuration(gang.startedAt)}`;
}

/** @param more what is said of a gang that started */
function startVerdict(gang: GangOutcome, isMet: (startedAt: number) => boolean, more: string): Verdict {
  const { startedAt } = gang;
  return startedAt === undefined
    ? { met: false, found: startText(gang) }
    : { met: isMet(startedAt), found: `${startText(gang)}${more}` };
}

function endVerdict(gang: GangOutcome, by: number): Verdict {
  const { endedAt, startedAt, state } = gang;
  if (endedAt === undefined) {
    return { met: false, found: startedAt === undefined ? startText(gang) : 'it did not finish before the end' };
  }
  return { met: state === 'finished' && endedAt <= by, found: `it ended at ${tellDuration(endedAt)}` };
}

function domainVerdict(gang: GangOutcome, check: CheckOf<'lands-in'>, nodes: readonly ClusterNode[]): Verdict {
  const domains = [...new Set(gang.nodes.map((name) => domainOf(nodes, name, check.level)))];
  const [domain] = domains;
  return {
    met: domains.length === 1 && domain !== NO_DOMAIN && (check.domain ?? domain) === domain,
    found: gang.nodes.length === 0 ? startText(gang) : `it was placed in ${domains.join(', ')}`,
  };
}

function pendingVerdict(gang: GangOutcome, { at, because }: CheckOf<'pending'>, run: GangRun): Verdict {
  const isThere = gang.arrivedAt <= at && (gang.endedAt ?? Infinity) > at;
  const reason = isThere ? run.waitsBecause(at) : undefined;
  if (reason === undefined) {
    return { met: false, found: gang.arrivedAt > at ? 'it had not arrived' : 'it was not' };
  }
  return { met: because === undefined || reason.kind === because, found: `${reason.kind}: ${reason.message}` };
}

const NO_DOMAIN = 'no domain';

function domainOf(nodes: readonly ClusterNode[], name: string, level: string): string {
  const node = nodes.find((one) => one.name === name);
  return node?.domains?.[level] ?? node?.labels?.[level] ?? (level === 'kubernetes.io/hostname' ? name : NO_DOMAIN);
}

function judgeQueue(
  queue: string,
  check: QueueCheck,
  result: SimulationResult,
  recorder: Recorder,
): ExpectationOutcome {
  if (check.kind === 'has') {
    const amount = recorder.valueAt(recorder.queues.get(check.resource)!.get(queue)!, check.at);
    return {
      expected: `queue ${queue} has ${tellBounds(check.bounds, unitOf(check.resource))} at ${tellDuration(check.at)}`,
      met: within(amount, check.bounds),
      found: `it had ${tellAmount(amount)}`,
    };
  }
  const gangs = result.gangs.filter((gang) => gang.queue === queue);
  const wait = percentile(
    gangs.map(({ waitSeconds }) => waitSeconds).sort((a, b) => a - b),
    check.percentile,
  );
  const part = check.percentile === 100 ? 'every gang' : `${check.percentile}% of gangs`;
  return {
    expected: `in queue ${queue} ${part} wait${check.percentile === 100 ? 's' : ''} at most ${tellDuration(check.seconds)}`,
    met: wait <= check.seconds,
    found: `it was ${tellDuration(wait)} for ${counted(gangs.length, 'gang')}`,
  };
}

function judgeCluster(check: ClusterCheck, result: SimulationResult, recorder: Recorder): ExpectationOutcome {
  const { summary } = result;
  switch (check.kind) {
    case 'utilization': {
      const until = check.until ?? result.seconds;
      const part = recorder.utilization(check.resource, check.from, until);
      const window =
        check.from === 0 && check.until === undefined
          ? ''
          : ` from ${tellDuration(check.from)} to ${tellDuration(until)}`;
      const bounds = { atLeast: percent(check.bounds.atLeast), atMost: percent(check.bounds.atMost) };
      return {
        expected: `utilization of ${unitOf(check.resource)} is ${tellBounds(bounds, '%')}${window}`,
        met: within(part, check.bounds),
        found: `it was ${tellAmount(part * 100)}%`,
      };
    }
    case 'makespan-at-most':
      return {
        expected: `all gangs finish within ${tellDuration(check.seconds)}`,
        met: summary.makespanSeconds !== undefined && summary.makespanSeconds <= check.seconds,
        found:
          summary.makespanSeconds === undefined
            ? `${counted(summary.running + summary.pending, 'gang')} did not finish`
            : `it took ${tellDuration(summary.makespanSeconds)}`,
      };
    case 'evictions-at-most':
      return {
        expected:
          check.count === 0
            ? 'nothing is evicted'
            : `at most ${counted(check.count, 'pod')} ${check.count === 1 ? 'is' : 'are'} evicted`,
        met: summary.evictions <= check.count,
        found: `${counted(summary.evictions, 'pod')} evicted`,
      };
    case 'all-finish':
      return {
        expected: 'every gang finishes',
        met: summary.finished === result.gangs.length,
        found:
          summary.finished === result.gangs.length
            ? `all ${summary.finished} did`
            : `${summary.finished} of ${result.gangs.length} did${unfinished(result.gangs)}`,
      };
  }
}

function within(amount: number, { atLeast = -Infinity, atMost = Infinity }: Bounds): boolean {
  return amount >= atLeast - 1e-6 && amount <= atMost + 1e-6;
}

function tellBounds({ atLeast, atMost }: Bounds, unit: string): string {
  const amount = (value: number): string =>
    `${tellAmount(value)}${unit === '%' ? '' : ' '}${value === 1 && unit === 'pods' ? 'pod' : unit}`;
  if (atLeast !== undefined && atLeast === atMost) {
    return `exactly ${amount(atLeast)}`;
  }
  if (atLeast !== undefined && atMost !== undefined) {
    return `${tellAmount(atLeast)} to ${amount(atMost)}`;
  }
  return atLeast !== undefined ? `at least ${amount(atLeast)}` : `at most ${amount(atMost!)}`;
}

function unitOf(resource: string): string {
  return resource === 'cpu' ? 'milli-CPU' : resource === 'memory' ? 'bytes of memory' : resource;
}

function percent(part: number | undefined): number | undefined {
  return part === undefined ? undefined : part * 100;
}

function tellAmount(amount: number): string {
  return String(Math.round(amount * 10) / 10);
}

function waited({ waitSeconds }: GangOutcome): string {
  return waitSeconds > 0 ? `, after ${tellDuration(waitSeconds)}` : '';
}

function lastReason({ reasons }: GangOutcome): string {
  const last = reasons.at(-1);
  return last === undefined ? '' : `; ${last.kind}: ${last.message}`;
}

/** Why it waited before it first started. */
function longestReason({ reasons, startedAt, waitSeconds }: GangOutcome): string {
  const before = reasons.filter(({ from }) => from < (startedAt ?? Infinity)).at(-1);
  return before === undefined || waitSeconds === 0 ? '' : `; ${before.kind}: ${before.message}`;
}

function unfinished(gangs: readonly GangOutcome[]): string {
  const first = gangs.find(({ state }) => state !== 'finished');
  return first === undefined
    ? ''
    : `; ${first.name} is ${first.state}${first.state === 'pending' ? lastReason(first) : ''}`;
}
