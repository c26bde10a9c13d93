/**
 * Runs a scenario through the placement core, from event to event.
 *
 * Whenever something has changed, the core decides at the next multiple of the cycle. What it binds runs from then on, what it evicts holds
 * its room for the grace period and then waits again, and what it nominates waits for that room. While nothing changes no time is
 * spent, but for what time itself brings about: a minimum runtime that ends, a broken gang that has waited long enough, a gang that may
 * now have others evicted. No clock and no chance but seeds: equal scenarios give equal results. One session of the core follows what
 * happens, so that a decision costs what has changed since the last one and what waits, not what there is. O(decisions × one cycle of the
 * core).
 *
 * What is there is in `simulated-cluster`, how pods and nodes begin and end in `pod-lives` and `node-lives`: this file says what happens when.
 */
import { changeText } from '../cluster/words';
import { type Decision } from '../../placement';
import { DecisionTimes } from './decision-times';
import { evictionNotes } from './eviction-notes';
import { judge } from './expectations';
import { FaultRun } from './fault-run';
import { GangRun, type LivePod } from './gang-run';
import { commonDevice } from './read-world';
import { type SimulateOptions, type SimulationObserver } from './observer';
import { Recorder } from './recorder';
import { type Happening, type SimulationResult } from './result';
import { NodeLives } from './node-lives';
import { PodLives } from './pod-lives';
import { type Scenario, type ScenarioEvent } from './scenario';
import { type RemediationEviction } from '../remediation';
import { SimulatedCluster } from './simulated-cluster';
import { resultOf } from './summary';
import { Timetable } from './timetable';

/** A scenario without an end that keeps changing stops here. */
const LONGEST_SECONDS = 30 * 86_400;

type Due =
  | { readonly kind: 'arrival'; readonly run: GangRun }
  | { readonly kind: 'event'; readonly event: ScenarioEvent }
  | { readonly kind: 'end'; readonly run: GangRun; readonly generation: number }
  | { readonly kind: 'released'; readonly run: GangRun; readonly pod: LivePod }
  | { readonly kind: 'repartitioned'; readonly node: string; readonly config: string }
  | { readonly kind: 'idle'; readonly node: string; readonly since: number }
  | { readonly kind: 'remediation' }
  | { readonly kind: 'reports-age' };

export function simulate(scenario: Scenario, options: SimulateOptions = {}): SimulationResult {
  return new Simulation(scenario, options).run();
}

class Simulation {
  private readonly due = new Timetable<Due>();
  private readonly runs: readonly GangRun[];
  private readonly byName: ReadonlyMap<string, GangRun>;
  private readonly cluster: SimulatedCluster;
  private readonly pods: PodLives;
  private readonly nodes: NodeLives;
  private readonly faults: FaultRun;
  private readonly recorder: Recorder;
  private readonly happenings: Happening[] = [];
  private readonly device: string;
  private readonly tell: SimulateOptions['tell'];
  private readonly explains: boolean;
  private readonly observer: SimulationObserver;
  private readonly times: DecisionTimes;
  /** Moments at which remediation is asked again. */
  private readonly remediationAt = new Set<number>();
  /** Gangs about whose reason an expectation asks. */
  private readonly asked: ReadonlySet<string>;
  private now = 0;
  private decisions = 0;
  /** When something last changed. */
  private changedAt = 0;

  constructor(
    private readonly scenario: Scenario,
    { tell, explain = true, observer = {} }: SimulateOptions,
  ) {
    this.tell = tell;
    this.explains = explain;
    this.observer = observer;
    this.times = new DecisionTimes(scenario);
    this.device = commonDevice(scenario.nodes);
    this.runs = scenario.gangs.map((gang) => new GangRun(gang, this.device));
    this.asked = gangsAskedAbout(scenario);
    this.byName = new Map(this.runs.map((run) => [run.spec.gang.name, run]));
    const { nodes, queues } = scenario;
    this.recorder = new Recorder(nodes, queues, this.runs, this.device, resourcesOf(scenario, this.device));
    this.cluster = new SimulatedCluster(scenario);
    this.nodes = this.makeNodes();
    this.pods = this.makePods();
    this.faults = this.makeFaults();
    // Events before arrivals of the same moment: a node that is drained at 1h takes nothing that comes at 1h.
    scenario.events.forEach((event) => this.due.add(event.at, { kind: 'event', event }));
    this.runs.forEach((run) => this.due.add(run.spec.arrivesAt, { kind: 'arrival', run }));
  }

  private makeNodes(): NodeLives {
    const { cluster, recorder, observer, due } = this;
    return new NodeLives(this.scenario, {
      cluster,
      pods: () => this.pods,
      recorder,
      observer,
      now: () => this.now,
      wantDecision: () => this.times.want(this.now),
      repartitionedLater: (at, node, config) => due.add(at, { kind: 'repartitioned', node, config }),
      idleLater: (at, node) => due.add(at, { kind: 'idle', node, since: this.now }),
      joinLater: (at, nodes) => due.add(at, { kind: 'event', event: { at, kind: 'join', nodes } }),
      reportsAgeLater: (at) => due.add(at, { kind: 'reports-age' }),
      note: (kind, text, gang) => this.note(kind, text, gang),
    });
  }

  private makePods(): PodLives {
    const { cluster, recorder, observer, due, nodes } = this;
    return new PodLives({
      cluster,
      recorder,
      observer,
      now: () => this.now,
      graceSeconds: this.scenario.run.graceSeconds,
      speed: (names) => this.faults.speed(names),
      releasedLater: (at, run, pod) => due.add(at, { kind: 'released', run, pod }),
      endsLater: (at, run) => due.add(at, { kind: 'end', run, generation: run.generation }),
      podStarts: (node) => nodes.podStarts(node),
      podEnds: (node) => nodes.podEnds(node),
    });
  }

  private makeFaults(): FaultRun {
    const { cluster, nodes, pods, due } = this;
    return new FaultRun(this.scenario, {
      nodes: cluster.nodes,
      isPresent: (node) => nodes.isPresent(node),
      live: cluster.live,
      snapshot: () => cluster.currentSnapshot(this.now),
      change: (names, change) => nodes.change(names, change),
      remove: (run, pod) => pods.remove(run, pod),
      settled: (run, why) => pods.settled(run, why),
      evict: (eviction) => this.evictGang(eviction),
      freeMemoryMiB: (node) => cluster.reports.freeMemoryMiB(node, this.now),
      later: (at, fault) => due.add(at, { kind: 'event', event: { at, kind: 'fault-ends', fault } }),
      note: (kind, text) => this.note(kind, text),
    });
  }

  run(): SimulationResult {
    const limit = this.scenario.run.seconds ?? LONGEST_SECONDS;
    let ended: SimulationResult['ended'] = 'at-rest';
    let stopped: number | undefined;
    for (let next = this.next(); next !== undefined; next = this.next()) {
      if (next > limit) {
        ended = 'time';
        break;
      }
      this.now = next;
      for (let due = this.due.take(next); due !== undefined; due = this.due.take(next)) {
        this.happen(due);
      }
      this.remediate();
      if (this.times.at === next) {
        this.cycle();
      }
      this.sample();
      this.tell?.({ at: this.now, finished: this.pods.finished, gangs: this.runs.length });
      if (this.observer.stops?.(next) === true) {
        stopped = next;
        break;
      }
    }
    if (this.explains) {
      this.explainRest();
    }
    const end = stopped ?? this.scenario.run.seconds ?? (ended === 'time' ? limit : this.changedAt);
    const { scenario, device, decisions, runs, recorder, happenings } = this;
    recorder.pass(end);
    const result = resultOf({ scenario, device, end, ended, decisions, runs, recorder, happenings });
    const health = this.faults.health();
    return {
      ...result,
      ...(health !== undefined && { health }),
      expectations: judge(scenario, result, this.byName, recorder, (node, at) => this.faults.marksAt(node, at)),
    };
  }

  private next(): number | undefined {
    const { next } = this.due;
    return next === undefined ? this.times.at : Math.min(next, this.times.at ?? Infinity);
  }

  private happen(due: Due): void {
    switch (due.kind) {
      case 'arrival':
        if (!due.run.over) {
          this.cluster.live.add(due.run);
        }
        break;
      case 'event':
        this.event(due.event);
        break;
      case 'end':
        if (due.generation !== due.run.generation) {
          return;
        }
        this.pods.over(due.run, 'finished');
        break;
      case 'released':
        if (due.run.pods.get(due.pod.name) !== due.pod) {
          return;
        }
        this.pods.remove(due.run, due.pod);
        break;
      case 'repartitioned':
        this.nodes.repartitioned(due.node, due.config);
        break;
      case 'idle':
        if (!this.nodes.idle(due.node, due.since)) {
          return;
        }
        break;
      case 'reports-age':
        break;
      case 'remediation':
        // It is asked at each moment.
        this.remediationAt.delete(this.now);
        return;
    }
    this.changedAt = this.now;
    this.times.want(this.now);
  }

  private event(event: ScenarioEvent): void {
    if ('nodes' in event) {
      this.nodes.happen(event.kind, event.nodes);
      return;
    }
    switch (event.kind) {
      case 'queue':
        this.cluster.setQueue(event.queue, event.set);
        this.note('queue', `queue ${event.queue} changed: ${Object.keys(event.set).join(', ')}`);
        break;
      case 'cancel': {
        const run = this.byName.get(event.gang)!;
        if (!run.over) {
          this.pods.over(run, 'canceled');
        }
        this.note('cancel', `${event.gang} withdrawn`, event.gang);
        break;
      }
      case 'fault':
        this.faults.begin(event.fault);
        break;
      case 'fault-ends':
        this.faults.end(event.fault);
        break;
      case 'report':
        this.nodes.report(event.report);
        break;
    }
  }

  /** Asks remediation what to do now. */
  private remediate(): void {
    const nextAt = this.faults.remediate(this.now);
    if (nextAt !== undefined && nextAt > this.now && !this.remediationAt.has(nextAt)) {
      this.remediationAt.add(nextAt);
      this.due.add(nextAt, { kind: 'remediation' });
    }
  }

  private evictGang(eviction: RemediationEviction): void {
    const run = this.byName.get(eviction.gang);
    if (run !== undefined && this.pods.evict(run, eviction)) {
      this.times.want(this.now);
    }
  }

  private cycle(): void {
    this.times.clear();
    if (![...this.cluster.live].some((run) => run.pods.size < run.size || run.staleSince !== undefined)) {
      return;
    }
    const decision = this.cluster.decide(this.now, (gang) => this.detailOf(this.byName.get(gang)!));
    this.decisions++;
    this.apply(decision);
    this.nodes.scale();
    if (decision.bindings.length + decision.evictions.length > 0) {
      this.changedAt = this.now;
      this.times.want(this.now + this.scenario.run.cycleSeconds);
    } else {
      this.times.wantLater(this.cluster.live, this.now);
    }
  }

  /** A reason costs more than a decision: it is looked for now and then, and in each decision only where an expectation asks for it. */
  private detailOf(run: GangRun): 'none' | 'reason' {
    if (!this.explains) {
      return 'none';
    }
    return run.isExplained(this.now) && !this.asked.has(run.spec.gang.name) ? 'none' : 'reason';
  }

  /** At the end, what would have helped those that still wait. */
  private explainRest(): void {
    if (![...this.cluster.live].some(({ works }) => !works)) {
      return;
    }
    this.explain(this.cluster.decide(this.now).pending);
  }

  private apply({ bindings, evictions, pending, repartitions = [] }: Decision): void {
    const touched = new Map<GangRun, 'evicted' | 'moved' | 'resized'>();
    for (const { pod: name, gang, movesTo } of evictions) {
      const run = this.byName.get(gang)!;
      this.pods.release(run, run.pods.get(name)!);
      if (movesTo === undefined) {
        run.evictions++;
      } else {
        run.moves++;
      }
      touched.set(run, movesTo === undefined ? 'evicted' : (touched.get(run) ?? 'moved'));
    }
    for (const binding of bindings) {
      const run = this.byName.get(binding.gang)!;
      this.pods.bind(run, binding);
      if (!touched.has(run)) {
        touched.set(run, 'resized');
      }
    }
    evictionNotes(evictions).forEach(({ kind, text, gang }) => this.note(kind, text, gang));
    repartitions.forEach((one) => this.nodes.repartition(one));
    for (const [run, why] of touched) {
      this.pods.settled(run, why);
    }
    for (const run of this.cluster.live) {
      if (run.works) {
        run.explain(this.now, undefined);
      }
    }
    this.explain(pending);
  }

  private explain(pending: Decision['pending']): void {
    for (const { gang, kind, message, counterfactuals, needed } of pending) {
      const run = this.byName.get(gang)!;
      if (!run.works) {
        const changes = counterfactuals.map((change) => changeText(change, { now: this.now * 1000, needed }));
        run.explain(this.now, { kind, message, changes });
      }
    }
  }

  private sample(): void {
    let running = 0;
    let waiting = 0;
    const waitingIn = new Map<string, number>();
    for (const run of this.cluster.live) {
      if (run.works) {
        running++;
        continue;
      }
      waiting++;
      const { queue } = run.spec.gang;
      const deserved = this.cluster.queues.get(queue)?.deserved?.[this.device];
      if (typeof deserved === 'number' && deserved > 0) {
        waitingIn.set(queue, deserved);
      }
    }
    this.recorder.sample(this.now, running, waiting, waitingIn);
  }

  private note(kind: Happening['kind'], text: string, gang?: string): void {
    this.happenings.push({ at: this.now, kind, text, ...(gang === undefined ? {} : { gang }) });
  }
}

/** Gangs about whose reason an expectation asks. */
function gangsAskedAbout({ expectations }: Scenario): ReadonlySet<string> {
  return new Set(
    expectations.flatMap((expectation) =>
      expectation.about === 'gang' && expectation.checks.some(({ kind }) => kind === 'pending')
        ? [expectation.gang]
        : [],
    ),
  );
}

function resourcesOf({ expectations }: Scenario, device: string): string[] {
  const asked = expectations.flatMap((expectation) =>
    expectation.about === 'gang'
      ? []
      : expectation.checks.flatMap((check) => ('resource' in check ? [check.resource] : [])),
  );
  return [...new Set([device, 'cpu', 'memory', ...asked])];
}
