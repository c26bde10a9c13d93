/**
 * A simulation that is over, summed up.
 */
import { type GangRun } from './gang-run';
import { type Recorder } from './recorder';
import { type GangOutcome, type Happening, type QueueOutcome, type SimulationResult, type WaitSummary } from './result';
import { type Scenario } from './scenario';

export interface Finished {
  readonly scenario: Scenario;
  readonly device: string;
  readonly end: number;
  readonly ended: SimulationResult['ended'];
  readonly decisions: number;
  readonly runs: readonly GangRun[];
  readonly recorder: Recorder;
  readonly happenings: readonly Happening[];
}

export function resultOf({
  scenario,
  device,
  end,
  ended,
  decisions,
  runs,
  recorder,
  happenings,
}: Finished): SimulationResult {
  // A gang that arrives after the end has no part in it.
  const gangs = runs.filter(({ spec }) => spec.arrivesAt <= end).map((run) => run.outcome(end));
  const count = (state: GangOutcome['state']): number => gangs.filter((gang) => gang.state === state).length;
  const unfinished = count('running') + count('pending');
  const lastEnd = Math.max(0, ...gangs.map(({ endedAt = 0 }) => endedAt));
  return {
    version: 1,
    name: scenario.name,
    ...(scenario.about === undefined ? {} : { about: scenario.about }),
    seconds: end,
    ended,
    decisions,
    device,
    nodes: scenario.nodes.length,
    devices: scenario.nodes.reduce((sum, node) => sum + (node.devices?.length ?? node.allocatable[device] ?? 0), 0),
    summary: {
      finished: count('finished'),
      running: count('running'),
      pending: count('pending'),
      cancelled: count('cancelled'),
      ...(unfinished === 0 && gangs.length > 0
        ? { makespanSeconds: lastEnd - Math.min(...gangs.map(({ arrivedAt }) => arrivedAt)) }
        : {}),
      utilisation: Object.fromEntries(
        [device, 'cpu', 'memory'].map((resource) => [resource, recorder.utilisation(resource, 0, end)]),
      ),
      goodput: goodput(gangs),
      fragmentation: recorder.mean(recorder.fragmentation, 0, end),
      evictions: gangs.reduce((sum, { evictions }) => sum + evictions, 0),
      moves: gangs.reduce((sum, { moves }) => sum + moves, 0),
      waits: waitsOf(gangs),
    },
    gangs,
    queues: scenario.queues.map((queue): QueueOutcome => {
      const deserved = queue.deserved?.[device];
      const capability = queue.capability?.[device];
      return {
        name: queue.name,
        ...(queue.parent === undefined ? {} : { parent: queue.parent }),
        waits: waitsOf(gangs.filter((gang) => gang.queue === queue.name)),
        meanDevices: recorder.mean(recorder.queues.get(device)!.get(queue.name)!, 0, end),
        ...(typeof deserved === 'number' ? { deservedDevices: deserved } : {}),
        ...(capability === undefined ? {} : { capabilityDevices: capability }),
      };
    }),
    samples: recorder.samples(),
    happenings,
    expectations: [],
  };
}

export function waitsOf(gangs: readonly GangOutcome[]): WaitSummary {
  const waits = gangs.map(({ waitSeconds }) => waitSeconds).sort((a, b) => a - b);
  return {
    gangs: gangs.length,
    unstarted: gangs.filter(({ startedAt }) => startedAt === undefined).length,
    median: percentile(waits, 50),
    p90: percentile(waits, 90),
    p99: percentile(waits, 99),
    longest: waits.at(-1) ?? 0,
  };
}

/** The smallest value that the given percentage of values does not exceed. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

function goodput(gangs: readonly GangOutcome[]): number {
  let held = 0;
  let worked = 0;
  for (const { spans, devices, pods, lostSeconds } of gangs) {
    const perPod = devices / pods;
    let own = 0;
    for (const { from, to, pods: had, stalled } of spans) {
      held += (to - from) * had * perPod;
      own += stalled === true ? 0 : (to - from) * had * perPod;
    }
    worked += Math.max(0, own - lostSeconds * devices);
  }
  return held > 0 ? worked / held : 1;
}
