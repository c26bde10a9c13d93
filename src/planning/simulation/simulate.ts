/**
 * Runs a scenario through the placement core, from event to event.
 *
 * Whenever something has changed, the core decides at the next multiple of the cycle. What it binds runs from then on, what it evicts holds
 * its room for the grace period and then waits again, and what it nominates waits for that room. While nothing changes no time is
 * spent, but for what time itself brings about: a minimum runtime that ends, a broken gang that has waited long enough, a gang that may
 * now have others evicted. No clock and no chance but seeds: equal scenarios give equal results. One session of the core follows what
 * happens, so that a decision costs what has changed since the last one and what waits, not what there is. O(decisions × one cycle of the
 * core).
 */
import { changeText } from '../cluster/words';
import { type ClusterNode, type Decision, type Queue, type Repartition, type Snapshot } from '../../placement';
import { withMigConfig } from '../../placement/nodes/mig-config';
import { decideIn } from '../../placement/engine';
import { type Delta } from '../../placement/model/facts';
import { Session } from '../../placement/books/session';
import { Autoscaler } from './autoscaler';
import { evictionNotes } from './eviction-notes';
import { judge } from './expectations';
import { FaultRun } from './fault-run';
import { devicesOf } from './faults';
import { GangRun, type LivePod } from './gang-run';
import { HeldClaims } from './held-claims';
import { commonDevice } from './read-world';
import { type SimulateOptions, type SimulationObserver } from './observer';
import { Recorder } from './recorder';
import { type Happening, type SimulationResult } from './result';
import { heldPod, podOf, templateOf } from './live-pods';
import { listedNodes, NODE_EVENTS } from './node-events';
import { nextMoment } from './next-moment';
import { measuresText, NodeReports } from './node-reports';
import { Presence } from './presence';
import { type NodeEventKind, type Scenario, type ScenarioEvent, type ScenarioReport } from './scenario';
import { type RemediationEviction } from '../remediation';
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
  /** Gangs that have arrived and are not over. */
  private readonly live = new Set<GangRun>();
  private readonly session: Session;
  /** Changes that the session has not seen yet. */
  private readonly news: Delta[] = [];
  /** The gangs as the session knows them. */
  private readonly told = new Map<GangRun, { readonly generation: number; readonly until: number }>();
  private readonly nodes: Map<string, ClusterNode>;
  private readonly queues: Map<string, Queue>;
  private readonly recorder: Recorder;
  private readonly happenings: Happening[] = [];
  private readonly device: string;
  private readonly tell: SimulateOptions['tell'];
  private readonly explains: boolean;
  private readonly observer: SimulationObserver;
  private readonly autoscaler: Autoscaler;
  private readonly faults: FaultRun;
  private readonly presence: Presence;
  private readonly reports: NodeReports;
  private readonly claims: HeldClaims;
  /** Moments at which remediation is asked again. */
  private readonly remediationAt = new Set<number>();
  /** Gangs about whose reason an expectation asks. */
  private readonly asked: ReadonlySet<string>;
  private now = 0;
  private decideAt: number | undefined;
  private decisions = 0;
  /** When something last changed. */
  private changedAt = 0;
  private finished = 0;

  constructor(
    private readonly scenario: Scenario,
    { tell, explain = true, observer = {} }: SimulateOptions,
  ) {
    this.tell = tell;
    this.explains = explain;
    this.observer = observer;
    this.device = commonDevice(scenario.nodes);
    this.runs = scenario.gangs.map((gang) => new GangRun(gang, this.device));
    this.asked = new Set(
      scenario.expectations.flatMap((expectation) =>
        expectation.about === 'gang' && expectation.checks.some(({ kind }) => kind === 'pending')
          ? [expectation.gang]
          : [],
      ),
    );
    this.byName = new Map(this.runs.map((run) => [run.spec.gang.name, run]));
    this.nodes = new Map(scenario.nodes.map((node) => [node.name, node]));
    this.queues = new Map(scenario.queues.map((queue) => [queue.name, queue]));
    this.recorder = new Recorder(
      scenario.nodes,
      scenario.queues,
      this.runs,
      this.device,
      resourcesOf(scenario, this.device),
    );
    const { nodes, queues, topologies, policy, deviceClaims } = scenario;
    this.claims = new HeldClaims(deviceClaims);
    this.autoscaler = new Autoscaler(scenario.scaling ?? [], scenario.policy);
    this.session = new Session(
      { now: 0, nodes, queues, topologies, gangs: [], pods: [], ...(deviceClaims && { deviceClaims }) },
      policy,
    );
    this.presence = new Presence(scenario);
    this.reports = new NodeReports(policy.capacityReportSeconds);
    this.faults = new FaultRun(scenario, {
      nodes: this.nodes,
      isPresent: (node) => this.presence.has(node),
      live: this.live,
      snapshot: () => this.snapshot(),
      change: (names, change) => this.change(names, change),
      remove: (run, pod) => this.remove(run, pod),
      settled: (run, why) => this.settled(run, why),
      evict: (eviction) => this.evictGang(eviction),
      freeMemoryMiB: (node) => this.reports.freeMemoryMiB(node, this.now),
      later: (at, fault) => this.due.add(at, { kind: 'event', event: { at, kind: 'fault-ends', fault } }),
      note: (kind, text) => this.note(kind, text),
    });
    // Events before arrivals of the same moment: a node that is drained at 1h takes nothing that comes at 1h.
    scenario.events.forEach((event) => this.due.add(event.at, { kind: 'event', event }));
    this.runs.forEach((run) => this.due.add(run.spec.arrivesAt, { kind: 'arrival', run }));
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
      if (this.decideAt === next) {
        this.cycle();
      }
      this.sample();
      this.tell?.({ at: this.now, finished: this.finished, gangs: this.runs.length });
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
    return next === undefined ? this.decideAt : Math.min(next, this.decideAt ?? Infinity);
  }

  private happen(due: Due): void {
    switch (due.kind) {
      case 'arrival':
        if (!due.run.over) {
          this.live.add(due.run);
        }
        break;
      case 'event':
        this.event(due.event);
        break;
      case 'end':
        if (due.generation !== due.run.generation) {
          return;
        }
        this.over(due.run, 'finished');
        break;
      case 'released':
        if (due.run.pods.get(due.pod.name) !== due.pod) {
          return;
        }
        this.remove(due.run, due.pod);
        break;
      case 'repartitioned':
        this.change([due.node], withMigConfig(this.nodes.get(due.node)!, due.config));
        this.note('repartition', `${due.node} has the MIG configuration ${due.config}`);
        break;
      case 'idle':
        if (!this.autoscaler.ends(due.node, due.since)) {
          return;
        }
        this.nodeEvent('leave', [due.node]);
        this.observer.ended?.(due.node, this.now);
        break;
      case 'reports-age':
        break;
      case 'remediation':
        // It is asked at each moment.
        this.remediationAt.delete(this.now);
        return;
    }
    this.changedAt = this.now;
    this.wantDecision(this.now);
  }

  private event(event: ScenarioEvent): void {
    if ('nodes' in event) {
      this.nodeEvent(event.kind, event.nodes);
      return;
    }
    switch (event.kind) {
      case 'queue':
        this.queues.set(event.queue, { ...this.queues.get(event.queue)!, ...event.set });
        this.news.push({ kind: 'queue', queue: this.queues.get(event.queue)! });
        this.note('queue', `queue ${event.queue} changed: ${Object.keys(event.set).join(', ')}`);
        break;
      case 'cancel': {
        const run = this.byName.get(event.gang)!;
        if (!run.over) {
          this.over(run, 'canceled');
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
        this.report(event.report);
        break;
    }
  }

  private report(report: ScenarioReport): void {
    const { nodes, devices } = report;
    for (const name of nodes) {
      const node = this.nodes.get(name)!;
      const text =
        devices === undefined
          ? this.reports.stop(name, this.now)
          : this.reports.set(name, report, devicesOf(node).length, this.now);
      if (text !== undefined) {
        this.change([name], { capacityReport: text });
      }
    }
    if (devices === undefined) {
      // A report counts up to and including this moment.
      this.due.add(this.now + this.scenario.policy.capacityReportSeconds + 1e-3, { kind: 'reports-age' });
    }
    const what = devices === undefined ? 'the agent stops' : `the agent reports ${measuresText(report)}`;
    this.note('report', `${listedNodes(nodes)}: ${what}`);
  }

  /** Asks remediation what to do now. */
  private remediate(): void {
    const nextAt = this.faults.remediate(this.now);
    if (nextAt !== undefined && nextAt > this.now && !this.remediationAt.has(nextAt)) {
      this.remediationAt.add(nextAt);
      this.due.add(nextAt, { kind: 'remediation' });
    }
  }

  private evictGang({ gang, pods, graceSeconds }: RemediationEviction): void {
    const run = this.byName.get(gang);
    const found = pods.flatMap(({ name }) => run?.pods.get(name) ?? []).filter(({ releasing }) => !releasing);
    if (run === undefined || found.length === 0) {
      return;
    }
    for (const pod of found) {
      run.evictions++;
      this.release(run, pod, graceSeconds);
    }
    this.settled(run, 'evicted');
    this.wantDecision(this.now);
  }

  private snapshot(): Omit<Snapshot, 'queues'> {
    const { all: deviceClaims } = this.claims;
    this.renewReports();
    return {
      ...(deviceClaims && { deviceClaims }),
      now: this.now * 1000,
      nodes: [...this.nodes.values()],
      topologies: this.scenario.topologies,
      gangs: [...this.live].map((run) => run.snapshot(this.now)),
      pods: [...this.live].flatMap((run) => [...run.pods.values()].map((pod) => podOf(run, pod))),
    };
  }

  private nodeEvent(kind: NodeEventKind, nodes: readonly string[]): void {
    const { change, pods, isUp, verb } = NODE_EVENTS[kind];
    this.presence.see(kind, nodes);
    this.change(nodes, change);
    if (pods !== 'stay') {
      this.lose(nodes, pods === 'evicted');
    }
    if (isUp !== undefined) {
      nodes.forEach((name) => this.recorder.nodeIs(name, isUp));
    }
    if (isUp === true) {
      nodes.forEach((name) => this.checkIdle(name));
    }
    this.note(kind, `${listedNodes(nodes)} ${verb}`);
  }

  /** Ends a node of a scaling group that has no pods for as long as the group says. */
  private checkIdle(node: string): void {
    const group = this.autoscaler.groupOf(node);
    if (group !== undefined) {
      this.due.add(this.now + group.idleSeconds, { kind: 'idle', node, since: this.now });
    }
  }

  /** Requests nodes for gangs that wait. */
  private scale(): void {
    const waiting = [...this.live].filter(({ works }) => !works);
    if (waiting.length === 0) {
      return;
    }
    const requested = this.autoscaler.requests(
      waiting.map(({ spec }) => spec.gang.name),
      () => ({
        now: this.now * 1000,
        nodes: [...this.nodes.values()],
        queues: [...this.queues.values()],
        topologies: this.scenario.topologies,
        gangs: [...this.live].map((run) => run.snapshot(this.now)),
        pods: [...this.live].flatMap((run) => [...run.pods.values()].map((pod) => podOf(run, pod))),
      }),
    );
    for (const { delaySeconds, nodes } of requested) {
      this.due.add(this.now + delaySeconds, {
        kind: 'event',
        event: { at: this.now + delaySeconds, kind: 'join', nodes },
      });
      nodes.forEach((node) => this.observer.requested?.(node, this.now));
      this.note('request', `${listedNodes(nodes)} requested`);
    }
  }

  private change(names: readonly string[], change: Partial<ClusterNode>): void {
    this.wantDecision(this.now);
    names.forEach((name) => this.set(name, change));
  }

  private set(name: string, change: Partial<ClusterNode>): void {
    const node = { ...this.nodes.get(name)!, ...change };
    this.nodes.set(name, node);
    this.news.push({ kind: 'node', node });
  }

  /** The pods on the nodes terminate, immediately or after their grace period. */
  private lose(names: readonly string[], grace: boolean): void {
    const gone = new Set(names);
    for (const run of this.live) {
      const pods = [...run.pods.values()].filter(({ node, releasing }) => gone.has(node) && !(grace && releasing));
      if (pods.length === 0) {
        continue;
      }
      for (const pod of pods) {
        run.losses += pod.releasing ? 0 : 1;
        if (grace) {
          this.release(run, pod);
        } else {
          this.remove(run, pod);
        }
      }
      this.settled(run, 'lost');
    }
  }

  private cycle(): void {
    this.decideAt = undefined;
    if (![...this.live].some((run) => run.pods.size < run.size || run.staleSince !== undefined)) {
      return;
    }
    this.tellAll();
    const decision = decideIn(this.session, (gang) => this.detailOf(this.byName.get(gang)!));
    this.decisions++;
    this.apply(decision);
    this.scale();
    if (decision.bindings.length + decision.evictions.length > 0) {
      this.changedAt = this.now;
      this.wantDecision(this.now + this.scenario.run.cycleSeconds);
    } else {
      this.wantLater();
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
    if (![...this.live].some(({ works }) => !works)) {
      return;
    }
    this.tellAll();
    this.explain(decideIn(this.session).pending);
  }

  /** Everything that the session has to know for a decision at this moment. */
  private tellAll(): void {
    this.tellGangs();
    this.renewReports();
    this.session.apply(...this.news.splice(0), { kind: 'time', now: this.now * 1000 });
  }

  private renewReports(): void {
    this.reports.renewed(this.now).forEach(([name, text]) => this.set(name, { capacityReport: text }));
  }

  /** Gangs that are new, or of which something else is to be said than before. */
  private tellGangs(): void {
    for (const run of this.live) {
      const told = this.told.get(run);
      if (told === undefined || told.generation !== run.generation || this.now > told.until) {
        this.told.set(run, { generation: run.generation, until: run.sameUntil });
        this.news.push({ kind: 'gang', gang: run.snapshot(this.now) });
      }
    }
  }

  private tellPod(run: GangRun, pod: LivePod): void {
    this.news.push({ kind: 'pod', pod: podOf(run, pod) });
  }

  private apply({ bindings, evictions, pending, repartitions = [] }: Decision): void {
    const touched = new Map<GangRun, 'evicted' | 'moved' | 'resized'>();
    for (const { pod: name, gang, movesTo } of evictions) {
      const run = this.byName.get(gang)!;
      this.release(run, run.pods.get(name)!);
      if (movesTo === undefined) {
        run.evictions++;
      } else {
        run.moves++;
      }
      touched.set(run, movesTo === undefined ? 'evicted' : (touched.get(run) ?? 'moved'));
    }
    for (const binding of bindings) {
      const { pod: name, gang, role, node, devices } = binding;
      const run = this.byName.get(gang)!;
      const claims = this.claims.take(binding, this.news);
      const pod: LivePod = {
        name,
        role,
        node,
        devices,
        startedAt: this.now,
        releasing: false,
        ...(claims && { claims }),
      };
      run.pods.set(name, pod);
      this.tellPod(run, pod);
      this.recorder.pod(node, run.spec.gang.queue, templateOf(run, role), 1);
      this.observer.held?.(heldPod(run, pod), this.now);
      this.autoscaler.podStarts(node);
      if (!touched.has(run)) {
        touched.set(run, 'resized');
      }
    }
    evictionNotes(evictions).forEach(({ kind, text, gang }) => this.note(kind, text, gang));
    repartitions.forEach((one) => this.repartition(one));
    for (const [run, why] of touched) {
      this.settled(run, why);
    }
    for (const run of this.live) {
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

  /** The node's devices take nothing until its MIG manager is done. */
  private repartition({ node, config, beneficiary }: Repartition): void {
    this.change([node], { migChange: config });
    this.due.add(this.now + this.scenario.run.repartitionSeconds, { kind: 'repartitioned', node, config });
    this.note('repartition', `${node} gets the MIG configuration ${config} for ${beneficiary}`, beneficiary);
  }

  /** The pod works no more, and holds its room until its grace period is over. */
  private release(run: GangRun, pod: LivePod, graceSeconds = this.scenario.run.graceSeconds): void {
    pod.releasing = true;
    this.tellPod(run, pod);
    if (graceSeconds === 0) {
      this.remove(run, pod);
    } else {
      this.due.add(this.now + graceSeconds, { kind: 'released', run, pod });
    }
  }

  private remove(run: GangRun, pod: LivePod): void {
    run.pods.delete(pod.name);
    this.news.push({ kind: 'pod-gone', name: pod.name });
    this.claims.give(pod.claims, this.news);
    this.recorder.pod(pod.node, run.spec.gang.queue, templateOf(run, pod.role), -1);
    this.observer.freed?.(heldPod(run, pod), this.now);
    if (this.autoscaler.podEnds(pod.node, this.now)) {
      this.checkIdle(pod.node);
    }
  }

  private over(run: GangRun, state: 'finished' | 'canceled'): void {
    for (const pod of [...run.pods.values()]) {
      this.remove(run, pod);
    }
    run.finish(this.now, state);
    this.live.delete(run);
    if (this.told.delete(run)) {
      this.news.push({ kind: 'gang-gone', name: run.spec.gang.name });
    }
    this.finished++;
  }

  private settled(run: GangRun, why: 'evicted' | 'moved' | 'resized' | 'lost'): void {
    const isNew = !run.hasStarted;
    run.settle(this.now, why, this.faults.speed(run.runsOn));
    if (isNew && run.hasStarted) {
      this.observer.started?.(run.spec.gang.name, this.now);
    }
    const { endsAt } = run;
    if (endsAt !== undefined) {
      this.due.add(endsAt, { kind: 'end', run, generation: run.generation });
    }
  }

  private wantDecision(from: number): void {
    const { cycleSeconds } = this.scenario.run;
    const at = Math.max(from, Math.ceil(from / cycleSeconds - 1e-9) * cycleSeconds);
    if (this.decideAt === undefined || at < this.decideAt) {
      this.decideAt = at;
    }
  }

  /** Nothing can be done now: the next moment at which time alone changes the answer. */
  private wantLater(): void {
    const next = nextMoment(this.live, this.now, this.scenario.policy);
    if (next !== undefined) {
      this.wantDecision(next);
    }
  }

  private sample(): void {
    let running = 0;
    let waiting = 0;
    const waitingIn = new Map<string, number>();
    for (const run of this.live) {
      if (run.works) {
        running++;
        continue;
      }
      waiting++;
      const { queue } = run.spec.gang;
      const deserved = this.queues.get(queue)?.deserved?.[this.device];
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

function resourcesOf({ expectations }: Scenario, device: string): string[] {
  const asked = expectations.flatMap((expectation) =>
    expectation.about === 'gang'
      ? []
      : expectation.checks.flatMap((check) => ('resource' in check ? [check.resource] : [])),
  );
  return [...new Set([device, 'cpu', 'memory', ...asked])];
}
