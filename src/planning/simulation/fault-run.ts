/**
 * Faults of nodes, links, and devices as a simulation runs, what remediation does about them, and the record of both.
 *
 * It owns which faults are active. What they do to nodes and gangs is handed to the simulation.
 */
import { type ClusterNode, type Policy } from '../../placement';
import { type FitsElsewhere, type RemediationEviction } from '../remediation';
import { Faults } from './faults';
import { fitsOnHealthyNodes } from './fits-on-healthy-nodes';
import { type GangRun, type LivePod } from './gang-run';
import { type HealthNow, HealthLog } from './health-log';
import { listedNodes } from './node-events';
import { RemediationRun } from './remediation-run';
import { type Happening, type NodeHealth } from './result';
import { type FaultRepair, type Scenario, type ScenarioFault } from './scenario';

/** What the simulation does for faults and remediation. */
export interface FaultEffects {
  /** Nodes of the cluster now, by name. */
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  /** Whether the node is a part of the cluster: it has joined and has not left. */
  readonly isPresent: (node: string) => boolean;
  readonly live: ReadonlySet<GangRun>;
  readonly snapshot: () => Parameters<typeof fitsOnHealthyNodes>[2];
  readonly change: (nodes: readonly string[], change: Partial<ClusterNode>) => void;
  /** The pod ends at once. */
  readonly remove: (run: GangRun, pod: LivePod) => void;
  readonly settled: (run: GangRun, why: 'lost' | 'resized') => void;
  readonly evict: (eviction: RemediationEviction) => void;
  /** Least free memory that the node's fresh report states, MiB. */
  readonly freeMemoryMiB: (node: string) => number | undefined;
  readonly later: (at: number, fault: ScenarioFault) => void;
  readonly note: (kind: Happening['kind'], text: string) => void;
}

export class FaultRun {
  private readonly faults = new Faults();
  private readonly remediation: RemediationRun | undefined;
  private readonly log = new HealthLog();
  private now = 0;

  constructor(
    private readonly scenario: Pick<Scenario, 'remediation'> & { readonly policy: Policy },
    private readonly effects: FaultEffects,
  ) {
    const { remediation, policy } = scenario;
    const { live, snapshot, change, evict, isPresent, nodes, freeMemoryMiB, note } = effects;
    const fits: FitsElsewhere = (gang, without) => fitsOnHealthyNodes(gang.key, without, snapshot(), policy);
    this.remediation =
      remediation === undefined
        ? undefined
        : new RemediationRun(remediation, {
            nodes: () => [...nodes.values()].filter(({ name }) => isPresent(name)),
            gangs: () => live,
            faults: this.faults,
            fits,
            change: (node, changed) => change([node], changed),
            evict,
            freeMemoryMiB,
            acted: (node, action) => this.repair(node, action),
            note: (text) => note('remediate', text),
          });
  }

  begin(fault: ScenarioFault): void {
    const { nodes, devices, speed, condition, alert } = fault;
    const { effects, faults } = this;
    faults.begin(fault);
    if (devices !== undefined) {
      for (const name of nodes) {
        const { broken, ...change } = faults.breakDevices(fault, effects.nodes.get(name)!);
        effects.change([name], change);
        this.loseWith(name, new Set(broken));
      }
    }
    if (speed !== undefined) {
      this.linksChange(nodes);
    }
    const what = devices === undefined ? (speed === undefined ? [] : ['a link']) : [`${devices} of the devices`];
    const said = [condition === undefined ? [] : `condition ${condition}`, alert === undefined ? [] : `alert ${alert}`];
    const all = [...what.map((one) => `${one} failed`), ...said.flat()];
    effects.note('fault', `${listedNodes(nodes)}: ${all.join(', ')}`);
  }

  end(fault: ScenarioFault): void {
    const { effects, faults } = this;
    if (!faults.end(fault)) {
      return;
    }
    if (fault.devices !== undefined) {
      fault.nodes.forEach((name) => effects.change([name], faults.repairDevices(fault, effects.nodes.get(name)!)));
    }
    if (fault.speed !== undefined) {
      this.linksChange(fault.nodes);
    }
    effects.note('fault-ends', `${listedNodes(fault.nodes)}: the fault ended`);
  }

  /** Speed of a gang with pods on these nodes, as a part of its full speed. */
  speed(nodes: ReadonlySet<string>): number {
    return this.faults.speed(nodes);
  }

  /**
   * Asks remediation what to do now.
   *
   * @returns when to ask again, seconds; `undefined` if no wait is open
   */
  remediate(now: number): number | undefined {
    this.now = now;
    const nextAt = this.remediation?.run(now);
    this.log.see(now, this.affected(), this.remediation?.budget ?? []);
    return nextAt;
  }

  /** Marks that remediation had on the node; in a dry run, would have had. */
  marksAt(node: string, at: number): ReturnType<RemediationRun['marksAt']> {
    return this.remediation?.marksAt(node, at) ?? [];
  }

  health(): NodeHealth | undefined {
    const { remediation } = this.scenario;
    return this.log.outcome(remediation === undefined ? 'none' : remediation.dryRun ? 'dry-run' : 'active');
  }

  private affected(): ReadonlyMap<string, HealthNow> {
    const all = new Map<string, { problems: string[]; marks: readonly string[]; refusals: string[] }>();
    const of = (node: string): { problems: string[]; marks: readonly string[]; refusals: string[] } => {
      const known = all.get(node) ?? { problems: [], marks: [], refusals: [] };
      all.set(node, known);
      return known;
    };
    this.faults.nodes().forEach((node) => of(node).problems.push(...this.faults.problems(node)));
    this.remediation?.reportProblems().forEach(({ node, cause }) => of(node).problems.push(cause));
    this.remediation?.marked().forEach(([node, marks]) => (of(node).marks = marks));
    this.remediation?.refusals.forEach(({ node, rule, reason }) => of(node).refusals.push(`rule ${rule}: ${reason}`));
    return all;
  }

  /** Pods that have one of the devices end. */
  private loseWith(node: string, devices: ReadonlySet<number>): void {
    for (const run of this.effects.live) {
      const pods = [...run.pods.values()].filter(
        (pod) => pod.node === node && pod.devices.some((index) => devices.has(index)),
      );
      for (const pod of pods) {
        run.losses += pod.releasing ? 0 : 1;
        this.effects.remove(run, pod);
      }
      if (pods.length > 0) {
        this.effects.settled(run, 'lost');
      }
    }
  }

  private linksChange(nodes: readonly string[]): void {
    for (const run of this.effects.live) {
      if (nodes.some((node) => run.runsOn.has(node))) {
        this.effects.settled(run, 'resized');
      }
    }
  }

  /** What remediation asked for repairs the fault after a time. */
  private repair(node: string, action: FaultRepair): void {
    for (const fault of this.faults.of(node)) {
      if (fault.endedBy === action) {
        this.effects.later(this.now + (fault.takesSeconds ?? 0), fault);
      }
    }
  }
}
