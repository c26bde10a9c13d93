/**
 * The cluster of a simulation: its nodes, queues, and claims, the gangs that have arrived, and the session of the placement core, which gets what
 * has changed since its last decision and nothing else.
 */
import { type Binding, type ClusterNode, type Decision, type Queue, type Snapshot } from '../../placement';
import { Session } from '../../placement/books/session';
import { decideIn } from '../../placement/engine';
import { type Delta } from '../../placement/model/facts';
import { type Asks } from '../../placement/reasons/reasons';
import { type GangRun, type LivePod } from './gang-run';
import { HeldClaims } from './held-claims';
import { podOf } from './live-pods';
import { NodeReports } from './node-reports';
import { type Scenario } from './scenario';

export class SimulatedCluster {
  /** Gangs that have arrived and are not over. */
  readonly live = new Set<GangRun>();
  readonly reports: NodeReports;
  private readonly session: Session;
  /** Changes that the session has not seen yet. */
  private readonly news: Delta[] = [];
  /** The gangs as the session knows them. */
  private readonly told = new Map<GangRun, { readonly generation: number; readonly until: number }>();
  private readonly nodesByName: Map<string, ClusterNode>;
  private readonly queuesByName: Map<string, Queue>;
  private readonly claims: HeldClaims;

  constructor(private readonly scenario: Scenario) {
    const { nodes, queues, topologies, policy, deviceClaims } = scenario;
    this.nodesByName = new Map(nodes.map((node) => [node.name, node]));
    this.queuesByName = new Map(queues.map((queue) => [queue.name, queue]));
    this.claims = new HeldClaims(deviceClaims);
    this.session = new Session(
      { now: 0, nodes, queues, topologies, gangs: [], pods: [], ...(deviceClaims && { deviceClaims }) },
      policy,
    );
    this.reports = new NodeReports(policy.capacityReportSeconds);
  }

  get nodes(): ReadonlyMap<string, ClusterNode> {
    return this.nodesByName;
  }

  get queues(): ReadonlyMap<string, Queue> {
    return this.queuesByName;
  }

  setQueue(name: string, set: Partial<Queue>): void {
    const queue = { ...this.queuesByName.get(name)!, ...set };
    this.queuesByName.set(name, queue);
    this.news.push({ kind: 'queue', queue });
  }

  setNode(name: string, change: Partial<ClusterNode>): void {
    const node = { ...this.nodesByName.get(name)!, ...change };
    this.nodesByName.set(name, node);
    this.news.push({ kind: 'node', node });
  }

  /** The pod is new, or something about it changed. */
  setPod(run: GangRun, pod: LivePod): void {
    this.news.push({ kind: 'pod', pod: podOf(run, pod) });
  }

  /** @returns the keys of the claims that the pod has from now on */
  takeClaims(binding: Binding): readonly string[] | undefined {
    return this.claims.take(binding, this.news);
  }

  removePod(pod: LivePod): void {
    this.news.push({ kind: 'pod-gone', name: pod.name });
    this.claims.give(pod.claims, this.news);
  }

  removeGang(run: GangRun): void {
    this.live.delete(run);
    if (this.told.delete(run)) {
      this.news.push({ kind: 'gang-gone', name: run.spec.gang.name });
    }
  }

  /**
   * What the core decides at this moment.
   *
   * @param asks about which gangs a reason is looked for @default - about all
   */
  decide(now: number, asks?: Asks): Decision {
    this.tellGangs(now);
    this.renewReports(now);
    this.session.apply(...this.news.splice(0), { kind: 'time', now: now * 1000 });
    return decideIn(this.session, asks);
  }

  /** As `snapshot`, with fresh reports of running agents, and with claims. */
  currentSnapshot(now: number): Omit<Snapshot, 'queues'> {
    const { all: deviceClaims } = this.claims;
    this.renewReports(now);
    return { ...(deviceClaims && { deviceClaims }), ...this.snapshot(now) };
  }

  snapshot(now: number): Omit<Snapshot, 'queues'> {
    return {
      now: now * 1000,
      nodes: [...this.nodesByName.values()],
      topologies: this.scenario.topologies,
      gangs: [...this.live].map((run) => run.snapshot(now)),
      pods: [...this.live].flatMap((run) => [...run.pods.values()].map((pod) => podOf(run, pod))),
    };
  }

  private renewReports(now: number): void {
    this.reports.renewed(now).forEach(([name, text]) => this.setNode(name, { capacityReport: text }));
  }

  /** Gangs that are new, or whose facts have changed. */
  private tellGangs(now: number): void {
    for (const run of this.live) {
      const told = this.told.get(run);
      if (told === undefined || told.generation !== run.generation || now > told.until) {
        this.told.set(run, { generation: run.generation, until: run.sameUntil });
        this.news.push({ kind: 'gang', gang: run.snapshot(now) });
      }
    }
  }
}
