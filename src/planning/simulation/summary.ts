/**
 * A simulation that is over, summed up.
 */
import { type GangRun } from './gang-run';
import { type Recorder } from './recorder';
import { type GangOutcome, type Happening, type QueueOutcome, type SimulationResult } from './result';
import { type Scenario } from './scenario';
import { completionOf, sizesOf, waitsOf } from './statistics';

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
      canceled: count('canceled'),
      ...(unfinished === 0 && gangs.length > 0
        ? { makespanSeconds: lastEnd - Math.min(...gangs.map(({ arrivedAt }) => arrivedAt)) }
        : {}),
      utilization: Object.fromEntries(
        [device, 'cpu', 'memory'].map((resource) => [resource, recorder.utilization(resource, 0, end)]),
      ),
      goodput: goodput(gangs),
      fragmentation: recorder.mean(recorder.fragmentation, 0, end),
      evictions: gangs.reduce((sum, { evictions }) => sum + evictions, 0),
      moves: gangs.reduce((sum, { moves }) => sum + moves, 0),
      waits: waitsOf(gangs),
      completion: completionOf(gangs),
      sizes: sizesOf(gangs),
      fairness: recorder.mean(recorder.fairness, 0, end),
    },
    gangs,
    queues: scenario.queues.map((queue): QueueOutcome => {
      const deserved = queue.deserved?.[device];
      const capability = queue.capability?.[device];
      const own = gangs.filter((gang) => gang.queue === queue.name);
      return {
        name: queue.name,
        ...(queue.parent === undefined ? {} : { parent: queue.parent }),
        waits: waitsOf(own),
        completion: completionOf(own),
        belowDeservedSeconds: recorder.belowDeserved.get(queue.name) ?? 0,
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
