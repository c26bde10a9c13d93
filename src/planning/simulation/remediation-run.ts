/**
 * Remediation in a simulation: the planner of the program, asked at each moment at which something changed or a wait ends. What it decides is
 * handed to the simulation; a dry run is only noted.
 */
import { GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { type ClusterNode, type Taint } from '../../placement';
import {
  type BudgetUse,
  type FitsElsewhere,
  type Mark,
  NO_MEMORY,
  NO_RECORD,
  planRemediation,
  type RemediationEviction,
  type RemediationFinding,
  type RemediationNode,
  type RemediationPod,
  type RemediationRecord,
  type RemediationRefusal,
  type RemediationStep,
} from '../remediation';
import { type Faults, healthyDevices } from './faults';
import { listedNodes } from './node-events';
import { type GangRun } from './gang-run';
import { type ScenarioRemediation } from './scenario';

/** What the simulation does for remediation. */
export interface RemediationEffects {
  readonly nodes: () => Iterable<ClusterNode>;
  readonly gangs: () => Iterable<GangRun>;
  readonly faults: Faults;
  readonly fits: FitsElsewhere;
  readonly change: (node: string, change: Partial<ClusterNode>) => void;
  readonly evict: (eviction: RemediationEviction) => void;
  /** Least free memory that the node's fresh report states, MiB. */
  readonly freeMemoryMiB: (node: string) => number | undefined;
  /** The action was carried out on the node: a fault may end by it. */
  readonly acted: (node: string, action: Mark | 'restart-device-plugin') => void;
  readonly note: (text: string) => void;
}

/** Plans that follow from each other at one moment. */
const MOST_ROUNDS = 8;

export class RemediationRun {
  private memory = NO_MEMORY;
  private readonly records = new Map<string, RemediationRecord>();
  /** By node: how often its device plugin was recreated. */
  private readonly plugins = new Map<string, number>();
  private readonly marks: { readonly at: number; readonly node: string; readonly marks: readonly Mark[] }[] = [];
  private told = new Set<string>();
  private findings: readonly RemediationFinding[] = [];
  /** These are as of the last moment at which it was asked. */
  refusals: readonly RemediationRefusal[] = [];
  budget: readonly BudgetUse[] = [];

  constructor(
    private readonly scenario: ScenarioRemediation,
    private readonly effects: RemediationEffects,
  ) {}

  /**
   * @param now seconds
   * @returns when the next wait ends, seconds; `undefined` if there is none
   */
  run(now: number): number | undefined {
    let nextAt: number | undefined;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const plan = planRemediation(this.scenario.settings, this.state(now), this.memory, this.effects.fits);
      this.memory = plan.memory;
      nextAt = plan.nextAt;
      this.findings = plan.findings;
      this.budget = plan.budget;
      this.refusals = plan.refusals;
      plan.steps.forEach((step) => this.step(step, now));
      this.tell(plan.refusals);
      if (!this.scenario.dryRun) {
        plan.evictions.forEach((eviction) => this.effects.evict(eviction));
        plan.restarts.forEach((pod) => this.restart(pod));
      }
      if (plan.steps.length + (this.scenario.dryRun ? 0 : plan.evictions.length + plan.restarts.length) === 0) {
        break;
      }
    }
    return nextAt === undefined ? undefined : nextAt / 1000;
  }

  /** Marks that remediation had on the node; in a dry run, would have had. */
  marksAt(node: string, at: number): readonly Mark[] {
    return this.marks.filter((one) => one.node === node && one.at <= at).at(-1)?.marks ?? [];
  }

  /** Nodes with marks. */
  marked(): readonly (readonly [string, readonly Mark[]])[] {
    return [...this.records].flatMap(([node, { marks }]) => (marks.length === 0 ? [] : [[node, marks] as const]));
  }

  /** Capacity reports that are below the bound of a rule. */
  reportProblems(): readonly Pick<RemediationFinding, 'node' | 'cause'>[] {
    const rules = new Set(
      this.scenario.settings.rules.filter(({ cause }) => 'report' in cause).map(({ name }) => name),
    );
    return this.findings.filter(({ rule }) => rules.has(rule));
  }

  private step(step: RemediationStep, now: number): void {
    const { node: name, add, remove, record, reasons } = step;
    this.records.set(name, record);
    this.marks.push({ at: now, node: name, marks: record.marks });
    if (reasons.length > 0) {
      const undone = remove.length === 0 ? '' : ` (${remove.map((mark) => `undo ${mark}`).join(', ')})`;
      this.effects.note(`${name}: ${this.scenario.dryRun ? 'would do: ' : ''}${reasons.join('. ')}${undone}`);
    }
    if (this.scenario.dryRun) {
      return;
    }
    const node = [...this.effects.nodes()].find((one) => one.name === name)!;
    this.effects.change(name, {
      taints: taintsAfter(node.taints ?? [], add, remove),
      ...(add.includes('cordon') ? { unschedulable: true } : remove.includes('cordon') ? { unschedulable: false } : {}),
    });
    add.forEach((mark) => this.effects.acted(name, mark));
  }

  private restart({ node }: RemediationPod): void {
    this.plugins.set(node, (this.plugins.get(node) ?? 0) + 1);
    this.effects.acted(node, 'restart-device-plugin');
  }

  /** Notes what is not done when it begins, in one sentence for all nodes with one reason. */
  private tell(refusals: readonly RemediationRefusal[]): void {
    const keyOf = ({ node, rule, reason }: RemediationRefusal): string => JSON.stringify([node, rule, reason]);
    const nodes = new Map<string, string[]>();
    for (const refusal of refusals.filter((one) => !this.told.has(keyOf(one)))) {
      const text = `rule ${refusal.rule} is not done: ${refusal.reason}`;
      nodes.set(text, [...(nodes.get(text) ?? []), refusal.node]);
    }
    nodes.forEach((names, text) => this.effects.note(`${listedNodes(names)}: ${text}`));
    this.told = new Set(refusals.map(keyOf));
  }

  private state(now: number): Parameters<typeof planRemediation>[1] {
    const { nodes, gangs, faults } = this.effects;
    const all = [...nodes()];
    return {
      now: now * 1000,
      time: now * 1000,
      nodes: all.map((node) => this.nodeOf(node)),
      get gangs() {
        return [...gangs()].flatMap((run) => {
          const pods = [...run.pods.values()];
          return run.devices === 0 || pods.length === 0
            ? []
            : [
                {
                  key: run.spec.gang.name,
                  pods: pods
                    .filter(({ releasing }) => !releasing)
                    .map(({ name, node, startedAt }) => ({
                      namespace: 'scenario',
                      name,
                      uid: name,
                      node,
                      createdAt: startedAt * 1000,
                    })),
                  nodes: new Set(pods.map(({ node }) => node)),
                },
              ];
        });
      },
      plugins: all.map(({ name }) => ({
        namespace: 'scenario',
        name: `device-plugin-${name}`,
        uid: `device-plugin-${name}-${this.plugins.get(name) ?? 0}`,
        node: name,
        createdAt: 0,
      })),
      alerts: faults.alerts(),
    };
  }

  private nodeOf(node: ClusterNode): RemediationNode {
    const { name, labels = {}, ready, unschedulable, taints = [] } = node;
    const record = this.records.get(name) ?? NO_RECORD;
    const marks = this.scenario.dryRun ? record.marks : [];
    const freeMemoryMiB = this.effects.freeMemoryMiB(name);
    const annotations: [string, string][] = record.marks.includes('request-repair')
      ? [[this.scenario.settings.repairAnnotation, 'true']]
      : [];
    return {
      name,
      labels,
      annotations: Object.fromEntries(annotations),
      isReady: ready !== false,
      isCordoned: unschedulable === true || marks.includes('cordon'),
      taints: [...taints.map(({ key }) => key), ...(marks.includes('taint') ? [GANTRY_UNHEALTHY_TAINT] : [])],
      problems: this.effects.faults.conditions(name),
      report: { devices: healthyDevices(node), ...(freeMemoryMiB !== undefined && { freeMemoryMiB }) },
      record,
    };
  }
}

function taintsAfter(taints: readonly Taint[], add: readonly Mark[], remove: readonly Mark[]): readonly Taint[] {
  if (!add.includes('taint') && !remove.includes('taint')) {
    return taints;
  }
  const others = taints.filter(({ key }) => key !== GANTRY_UNHEALTHY_TAINT);
  return add.includes('taint')
    ? [...others, { key: GANTRY_UNHEALTHY_TAINT, value: 'true', effect: 'NoSchedule' }]
    : others;
}
