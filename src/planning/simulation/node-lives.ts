/**
 * What happens to the nodes of a simulation: they join, fail, and leave, agents report about them, MIG managers divide their devices again, and
 * an autoscaler requests and ends them.
 */
import { type ClusterNode, type Repartition } from '../../placement';
import { withMigConfig } from '../../placement/nodes/mig-config';
import { Autoscaler } from './autoscaler';
import { devicesOf } from './faults';
import { listedNodes, NODE_EVENTS } from './node-events';
import { measuresText } from './node-reports';
import { type SimulationObserver } from './observer';
import { type PodLives } from './pod-lives';
import { Presence } from './presence';
import { type Recorder } from './recorder';
import { type Happening } from './result';
import { type NodeEventKind, type Scenario, type ScenarioReport } from './scenario';
import { type SimulatedCluster } from './simulated-cluster';

/** What the simulation does as something happens to nodes. */
export interface NodeEffects {
  readonly cluster: SimulatedCluster;
  readonly pods: () => PodLives;
  readonly recorder: Recorder;
  readonly observer: SimulationObserver;
  readonly now: () => number;
  readonly wantDecision: () => void;
  readonly repartitionedLater: (at: number, node: string, config: string) => void;
  readonly idleLater: (at: number, node: string) => void;
  readonly joinLater: (at: number, nodes: readonly string[]) => void;
  readonly reportsAgeLater: (at: number) => void;
  readonly note: (kind: Happening['kind'], text: string, gang?: string) => void;
}

export class NodeLives {
  private readonly autoscaler: Autoscaler;
  private readonly presence: Presence;

  constructor(
    private readonly scenario: Scenario,
    private readonly effects: NodeEffects,
  ) {
    this.autoscaler = new Autoscaler(scenario.scaling ?? [], scenario.policy);
    this.presence = new Presence(scenario);
  }

  /** Whether the node is a part of the cluster: it has joined and has not left. */
  isPresent(node: string): boolean {
    return this.presence.has(node);
  }

  change(names: readonly string[], change: Partial<ClusterNode>): void {
    this.effects.wantDecision();
    names.forEach((name) => this.effects.cluster.setNode(name, change));
  }

  happen(kind: NodeEventKind, nodes: readonly string[]): void {
    const { recorder, note } = this.effects;
    const { change, pods, isUp, verb } = NODE_EVENTS[kind];
    this.presence.see(kind, nodes);
    this.change(nodes, change);
    if (pods !== 'stay') {
      this.effects.pods().lose(nodes, pods === 'evicted');
    }
    if (isUp !== undefined) {
      nodes.forEach((name) => recorder.nodeIs(name, isUp));
    }
    if (isUp === true) {
      nodes.forEach((name) => this.checkIdle(name));
    }
    note(kind, `${listedNodes(nodes)} ${verb}`);
  }

  report(report: ScenarioReport): void {
    const { cluster, now, note, reportsAgeLater } = this.effects;
    const { nodes, devices } = report;
    for (const name of nodes) {
      const text =
        devices === undefined
          ? cluster.reports.stop(name, now())
          : cluster.reports.set(name, report, devicesOf(cluster.nodes.get(name)!).length, now());
      if (text !== undefined) {
        this.change([name], { capacityReport: text });
      }
    }
    if (devices === undefined) {
      // A report counts up to and including this moment.
      reportsAgeLater(now() + this.scenario.policy.capacityReportSeconds + 1e-3);
    }
    const what = devices === undefined ? 'the agent stops' : `the agent reports ${measuresText(report)}`;
    note('report', `${listedNodes(nodes)}: ${what}`);
  }

  /** The node's devices take nothing until its MIG manager is done. */
  repartition({ node, config, beneficiary }: Repartition): void {
    const { now, note, repartitionedLater } = this.effects;
    this.change([node], { migChange: config });
    repartitionedLater(now() + this.scenario.run.repartitionSeconds, node, config);
    note('repartition', `${node} gets the MIG configuration ${config} for ${beneficiary}`, beneficiary);
  }

  repartitioned(node: string, config: string): void {
    this.change([node], withMigConfig(this.effects.cluster.nodes.get(node)!, config));
    this.effects.note('repartition', `${node} has the MIG configuration ${config}`);
  }

  podStarts(node: string): void {
    this.autoscaler.podStarts(node);
  }

  podEnds(node: string): void {
    if (this.autoscaler.podEnds(node, this.effects.now())) {
      this.checkIdle(node);
    }
  }

  /**
   * Ends a node of a scaling group that has been idle for as long as the group says.
   *
   * @returns whether it ends
   */
  idle(node: string, since: number): boolean {
    if (!this.autoscaler.ends(node, since)) {
      return false;
    }
    this.happen('leave', [node]);
    this.effects.observer.ended?.(node, this.effects.now());
    return true;
  }

  /** Requests nodes for gangs that wait. */
  scale(): void {
    const { cluster, observer, now, note, joinLater } = this.effects;
    const waiting = [...cluster.live].filter(({ works }) => !works);
    if (waiting.length === 0) {
      return;
    }
    const requested = this.autoscaler.requests(
      waiting.map(({ spec }) => spec.gang.name),
      () => ({ ...cluster.snapshot(now()), queues: [...cluster.queues.values()] }),
    );
    for (const { delaySeconds, nodes } of requested) {
      joinLater(now() + delaySeconds, nodes);
      nodes.forEach((node) => observer.requested?.(node, now()));
      note('request', `${listedNodes(nodes)} requested`);
    }
  }

  private checkIdle(node: string): void {
    const group = this.autoscaler.groupOf(node);
    if (group !== undefined) {
      this.effects.idleLater(this.effects.now() + group.idleSeconds, node);
    }
  }
}
