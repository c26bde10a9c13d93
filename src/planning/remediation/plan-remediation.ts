/**
 * The planner of remediation: from what is wrong with nodes to what is done about it. A pure function: it has no clock and changes nothing.
 *
 * For each node, in the order of names:
 * 1. A rule whose cause holds for `afterSeconds` without a break demands its actions.
 * 2. Actions that were not done yet are done if the budget has room for the node. A node that is marked already is part of the budget.
 * 3. If no cause holds for `healthySeconds`, every mark that remediation made is removed, and the node may be acted on again.
 *
 * What an administrator did is not touched: a mark that is there already is not made, so it is never removed. A mark that an administrator
 * removed is forgotten, and not made again before the node was healthy.
 */
import { GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { compareNames } from '../../placement/model/names';
import { Budget } from './budget';
import { causeOf } from './causes';
import { type Mark, MARKS, type RemediationRecord } from './record';
import { type RemediationAction, type RemediationRule, type RemediationSettings } from './rules';
import {
  type RemediationAlert,
  type RemediationGang,
  type RemediationNode,
  type RemediationPod,
  type RemediationState,
} from './state';

/** The annotation that the GPU operator's driver upgrade reads. Source: NVIDIA/k8s-operator-libs, pkg/upgrade/consts.go. */
export const DRIVER_UPGRADE_ANNOTATION = 'nvidia.com/gpu-driver-upgrade-requested';

/** Since when causes hold, and since when there are none. Starts empty; a restart starts every wait again. */
export interface RemediationMemory {
  /** By `NODE RULE`, milliseconds. */
  readonly since: ReadonlyMap<string, number>;
  /** By node, milliseconds. */
  readonly healthySince: ReadonlyMap<string, number>;
}

export const NO_MEMORY: RemediationMemory = { since: new Map(), healthySince: new Map() };

/** What is done for one node, in one write of the node; pods are evicted after it. */
export interface RemediationStep {
  readonly node: string;
  /** Marks to make and to remove. */
  readonly add: readonly Mark[];
  readonly remove: readonly Mark[];
  /** The record after the step. */
  readonly record: RemediationRecord;
  /** Gangs to evict as a whole. */
  readonly gangs: readonly RemediationEviction[];
  /** Pods of the device plugin to recreate. */
  readonly plugins: readonly RemediationPod[];
  /** Why, one sentence for each rule. */
  readonly reasons: readonly string[];
}

export interface RemediationEviction extends RemediationGang {
  readonly graceSeconds?: number;
}

/** Something that a rule demands and that is not done. */
export interface RemediationRefusal {
  readonly node: string;
  readonly rule: string;
  readonly reason: string;
}

export interface RemediationPlan {
  readonly steps: readonly RemediationStep[];
  readonly refusals: readonly RemediationRefusal[];
  readonly memory: RemediationMemory;
}

/** Whether the gang would find places on healthy nodes: answered by the placement core. */
export type FitsElsewhere = (gang: RemediationGang, without: ReadonlySet<string>) => boolean;

interface Demand {
  readonly rule: RemediationRule;
  readonly cause: string;
}

/** Decides what to do now. */
export function planRemediation(
  settings: RemediationSettings,
  state: RemediationState,
  memory: RemediationMemory = NO_MEMORY,
  fits: FitsElsewhere = () => false,
): RemediationPlan {
  return new Planner(settings, state, memory, fits).plan();
}

class Planner {
  private readonly since = new Map<string, number>();
  private readonly healthySince = new Map<string, number>();
  private readonly steps: RemediationStep[] = [];
  private readonly refusals: RemediationRefusal[] = [];
  private readonly budget: Budget;
  private readonly alerts = new Map<string, RemediationAlert[]>();
  private readonly gangsOn = new Map<string, RemediationGang[]>();
  private readonly evicted = new Set<string>();
  /** Nodes to which no gang is moved. */
  private readonly unhealthy = new Set<string>();

  constructor(
    private readonly settings: RemediationSettings,
    private readonly state: RemediationState,
    private readonly memory: RemediationMemory,
    private readonly fits: FitsElsewhere,
  ) {
    this.budget = new Budget(settings, state.nodes);
    state.alerts.forEach((alert) => put(this.alerts, alert.node, alert));
    for (const gang of state.gangs) {
      new Set(gang.pods.map((pod) => pod.node)).forEach((node) => put(this.gangsOn, node, gang));
    }
  }

  plan(): RemediationPlan {
    const nodes = [...this.state.nodes].sort((a, b) => compareNames(a.name, b.name));
    const demands = nodes.map((node) => this.demandsOf(node));
    nodes.forEach((node, index) => this.step(node, demands[index]));
    const { steps, refusals, since, healthySince } = this;
    return { steps, refusals, memory: { since, healthySince } };
  }

  /** Rules whose cause held long enough. */
  private demandsOf(node: RemediationNode): readonly Demand[] {
    const { now } = this.state;
    const alerts = this.alerts.get(node.name) ?? [];
    const demands: Demand[] = [];
    for (const rule of this.settings.rules) {
      const cause = causeOf(rule, node, alerts);
      if (cause === undefined) {
        continue;
      }
      this.unhealthy.add(node.name);
      const key = `${node.name} ${rule.name}`;
      const since = this.memory.since.get(key) ?? now;
      this.since.set(key, since);
      if (now - since >= rule.afterSeconds * 1000) {
        demands.push({ rule, cause });
      }
    }
    if (!this.unhealthy.has(node.name)) {
      this.healthySince.set(node.name, this.memory.healthySince.get(node.name) ?? now);
    }
    return demands;
  }

  private step(node: RemediationNode, demands: readonly Demand[]): void {
    const known = forgotten(node);
    const draft: Draft = {
      add: [],
      remove: [],
      done: [...known.done],
      gangs: [],
      plugins: [],
      reasons: [],
    };
    const healthySince = this.healthySince.get(node.name);
    if (healthySince !== undefined && this.state.now - healthySince >= this.settings.healthySeconds * 1000) {
      draft.remove.push(...known.marks);
      draft.done = [];
      if (node.record.done.length + known.marks.length > 0) {
        draft.reasons.push(`no cause for ${this.settings.healthySeconds} seconds`);
      }
    }
    demands.forEach((demand) => this.meet(node, demand, draft, known));
    const record = {
      marks: MARKS.filter(
        (mark) => draft.add.includes(mark) || (known.marks.includes(mark) && !draft.remove.includes(mark)),
      ),
      done: draft.done,
    };
    if (JSON.stringify(record) !== JSON.stringify(node.record) || draft.gangs.length + draft.plugins.length > 0) {
      const { add, remove, gangs, plugins, reasons } = draft;
      this.steps.push({ node: node.name, add, remove, record, gangs, plugins, reasons });
    }
  }

  private meet(node: RemediationNode, { rule, cause }: Demand, draft: Draft, known: RemediationRecord): void {
    const open = rule.actions.filter((action) => !draft.done.includes(`${rule.name}/${action}`));
    if (open.length === 0) {
      return;
    }
    const refusal = this.budget.take(node);
    if (refusal !== undefined) {
      this.refusals.push({ node: node.name, rule: rule.name, reason: refusal });
      return;
    }
    const acted = open.filter((action) => this.act(node, rule, action, draft, known));
    if (acted.length > 0) {
      draft.done.push(...acted.map((action) => `${rule.name}/${action}`));
      draft.reasons.push(`rule ${rule.name}: ${cause}; ${acted.join(', ')}`);
    }
  }

  /** Whether the action is done with, so that it is not tried again. */
  private act(
    node: RemediationNode,
    rule: RemediationRule,
    action: RemediationAction,
    draft: Draft,
    known: RemediationRecord,
  ): boolean {
    switch (action) {
      case 'evict':
      case 'move':
        return this.clear(node, rule, action, draft);
      case 'restart-device-plugin': {
        const plugins = this.state.plugins.filter((pod) => pod.node === node.name);
        draft.plugins.push(...plugins.filter(({ uid }) => !draft.plugins.some((one) => one.uid === uid)));
        return plugins.length > 0;
      }
      case 'taint':
      case 'cordon':
      case 'request-driver-upgrade':
      case 'request-repair':
        if (!known.marks.includes(action) && !draft.add.includes(action) && !this.has(node, action)) {
          draft.add.push(action);
        }
        return true;
    }
  }

  /** A gang that shares several unhealthy nodes is evicted once. */
  private clear(node: RemediationNode, rule: RemediationRule, action: 'evict' | 'move', draft: Draft): boolean {
    let isClear = true;
    for (const gang of this.gangsOn.get(node.name) ?? []) {
      if (this.evicted.has(gang.key)) {
        continue;
      }
      if (action === 'move' && !this.fits(gang, this.unhealthy)) {
        isClear = false;
        this.refusals.push({
          node: node.name,
          rule: rule.name,
          reason: `gang ${gang.key} does not fit on the healthy nodes`,
        });
        continue;
      }
      this.evicted.add(gang.key);
      draft.gangs.push({
        ...gang,
        ...(rule.graceSeconds === undefined ? {} : { graceSeconds: rule.graceSeconds }),
      });
    }
    return isClear;
  }

  private has(node: RemediationNode, mark: Mark): boolean {
    return hasMark(node, mark, this.settings);
  }
}

function put<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const known = groups.get(key);
  if (known === undefined) {
    groups.set(key, [value]);
  } else {
    known.push(value);
  }
}

interface Draft {
  readonly add: Mark[];
  readonly remove: Mark[];
  done: string[];
  readonly gangs: RemediationEviction[];
  readonly plugins: RemediationPod[];
  readonly reasons: string[];
}

/** Whether the node has the mark, regardless of who made it. */
export function hasMark(
  node: RemediationNode,
  mark: Mark,
  { repairAnnotation }: Pick<RemediationSettings, 'repairAnnotation'>,
): boolean {
  switch (mark) {
    case 'cordon':
      return node.isCordoned;
    case 'taint':
      return node.taints.includes(GANTRY_UNHEALTHY_TAINT);
    case 'request-driver-upgrade':
      return Object.hasOwn(node.annotations, DRIVER_UPGRADE_ANNOTATION);
    case 'request-repair':
      return Object.hasOwn(node.annotations, repairAnnotation);
  }
}

/** The record without marks of the schedule that are no longer on the node: an administrator removed them. */
function forgotten(node: RemediationNode): RemediationRecord {
  const { marks, done } = node.record;
  return {
    marks: marks.filter(
      (mark) =>
        (mark !== 'cordon' || node.isCordoned) && (mark !== 'taint' || node.taints.includes(GANTRY_UNHEALTHY_TAINT)),
    ),
    done,
  };
}
