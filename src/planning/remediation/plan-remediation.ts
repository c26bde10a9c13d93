/**
 * The planner of remediation: from what is wrong with nodes to what is done about it. A pure function: it has no clock and changes nothing.
 *
 * For each node, in the order of names:
 * 1. A rule whose cause holds for `afterSeconds` without a break demands its actions.
 * 2. Actions that were not done yet are done if the budget has room for the node. A node that is marked already is part of the budget.
 * 3. If no cause holds for the healthy time, every mark that remediation made is removed, and the node may be acted on again. The healthy time is
 *    `healthySeconds`, and doubles with each time that remediation acted on the node within a day.
 *
 * What an administrator did is not touched: a mark that is there already is not made, so it is never removed. A mark that an administrator
 * removed is forgotten, and not made again before the node was healthy.
 */
import { GANTRY_UNHEALTHY_TAINT } from '../../facts/catalog/gantry-names';
import { compareNames } from '../../placement/model/names';
import { Budget, type BudgetUse } from './budget';
import { isAlertOf, nodeOfAlert } from './causes';
import { clearingOf, GangIndex, progressed, type RemediationEviction } from './evictions';
import {
  type Clearing,
  isActing,
  type Mark,
  MARKS,
  MOST_CLEARING,
  MOST_EPISODES,
  MOST_SENTENCE,
  MOST_WHY,
  type RemediationRecord,
} from './record';
import { type RemediationAction, type RemediationRule, type RemediationSettings } from './rules';
import {
  type RemediationAlert,
  type RemediationGang,
  type RemediationNode,
  type RemediationPod,
  type RemediationState,
} from './state';
import { type Demand, NO_MEMORY, type RemediationMemory, Waits } from './waits';

/** The annotation that the GPU operator's driver upgrade reads. Source: NVIDIA/k8s-operator-libs, pkg/upgrade/consts.go. */
export const DRIVER_UPGRADE_ANNOTATION = 'nvidia.com/gpu-driver-upgrade-requested';

const DAY_SECONDS = 24 * 3600;
/** A node that fails again and again is given back after 32 times the healthy time. */
const MOST_DOUBLINGS = 5;

/** What is done for one node, in one write of the node; pods are evicted after it. */
export interface RemediationStep {
  readonly node: string;
  /** Marks to make and to remove. */
  readonly add: readonly Mark[];
  readonly remove: readonly Mark[];
  /** The record after the step. */
  readonly record: RemediationRecord;
  /** Gangs whose eviction begins. */
  readonly gangs: readonly Clearing[];
  /** Pods of the device plugin whose recreation begins. */
  readonly plugins: readonly RemediationPod[];
  /** Why, one sentence for each rule. Empty where only the record changes. */
  readonly reasons: readonly string[];
}

/** Something that a rule demands and that is not done. */
export interface RemediationRefusal {
  readonly node: string;
  readonly rule: string;
  /** What prevents it: a budget of nodes, no places elsewhere, or a disruption budget of pods. */
  readonly kind: 'budget' | 'no-places' | 'protected';
  readonly reason: string;
}

/** A cause that holds for a node. */
export interface RemediationFinding {
  readonly node: string;
  readonly rule: string;
  readonly cause: string;
  /** For how long, milliseconds. */
  readonly held: number;
  readonly isDue: boolean;
}

export interface RemediationPlan {
  readonly steps: readonly RemediationStep[];
  /** From the records that the nodes have already. */
  readonly evictions: readonly RemediationEviction[];
  /** Pods of device plugins to recreate, from the records. */
  readonly restarts: readonly RemediationPod[];
  readonly refusals: readonly RemediationRefusal[];
  readonly findings: readonly RemediationFinding[];
  /** After the steps. */
  readonly budget: readonly BudgetUse[];
  readonly memory: RemediationMemory;
  /** When the next wait ends, milliseconds on the clock of the state; `undefined` if there is none. */
  readonly nextAt?: number;
}

/** Whether the gang would find places on healthy nodes: answered by the placement core. A gang that does takes them. */
export type FitsElsewhere = (gang: RemediationGang, without: ReadonlySet<string>) => boolean;

/** Decides what to do now. */
export function planRemediation(
  settings: RemediationSettings,
  state: RemediationState,
  memory: RemediationMemory = NO_MEMORY,
  fits: FitsElsewhere = () => false,
): RemediationPlan {
  return new Planner(settings, state, memory, fits).plan();
}

interface Draft {
  readonly add: Mark[];
  readonly remove: Mark[];
  done: readonly string[];
  clearing: readonly Clearing[];
  plugins: readonly string[];
  episodes: readonly number[];
  why: readonly string[];
  readonly gangs: Clearing[];
  readonly restarts: RemediationPod[];
  readonly reasons: string[];
}

class Planner {
  private readonly steps: RemediationStep[] = [];
  private readonly refusals: RemediationRefusal[] = [];
  private readonly findings: RemediationFinding[] = [];
  private readonly budget: Budget;
  private readonly waits: Waits;
  private readonly alerts: ReadonlyMap<string, readonly RemediationAlert[]>;
  /** Gangs whose eviction was decided in this plan. */
  private readonly evicted = new Set<string>();
  /** Nodes to which no gang is moved. */
  private readonly unhealthy = new Set<string>();
  private index: GangIndex | undefined;
  private nextAt = Infinity;

  constructor(
    private readonly settings: RemediationSettings,
    private readonly state: RemediationState,
    memory: RemediationMemory,
    private readonly fits: FitsElsewhere,
  ) {
    this.budget = new Budget(settings, state.nodes);
    this.waits = new Waits(settings, state, memory);
    this.alerts = alertsByNode(settings, state.alerts);
  }

  plan(): RemediationPlan {
    const nodes = [...this.state.nodes].sort((a, b) => compareNames(a.name, b.name));
    const demands = nodes.map((node) => this.demandsOf(node));
    nodes.forEach((node, index) => this.step(node, demands[index]));
    const { steps, refusals, findings, waits, nextAt } = this;
    return {
      steps,
      evictions: nodes.flatMap(({ name, record }) =>
        record.clearing.flatMap((one) => this.gangs().eviction(name, one) ?? []),
      ),
      restarts: nodes.flatMap(({ name, record }) =>
        this.pluginsOn(record.plugins.length === 0 ? '' : name).filter(({ uid }) => record.plugins.includes(uid)),
      ),
      refusals,
      findings,
      budget: this.budget.uses(),
      memory: waits.next,
      ...(nextAt < Infinity ? { nextAt } : {}),
    };
  }

  private readonly gangs = (): GangIndex => (this.index ??= new GangIndex(this.state.gangs));

  private pluginsOn(node: string): readonly RemediationPod[] {
    return node === '' ? [] : this.state.plugins.filter((pod) => pod.node === node);
  }

  private demandsOf(node: RemediationNode): readonly Demand[] {
    const { now } = this.state;
    const demands = this.waits.demandsOf(node, this.alerts.get(node.name) ?? []);
    for (const { rule, cause, since, isDue } of demands) {
      this.findings.push({ node: node.name, rule: rule.name, cause, held: now - since, isDue });
      if (!isDue) {
        this.nextAt = Math.min(this.nextAt, since + rule.afterSeconds * 1000);
      }
    }
    if (demands.length > 0 || isActing(node.record)) {
      this.unhealthy.add(node.name);
    }
    return demands.filter(({ isDue }) => isDue);
  }

  private step(node: RemediationNode, demands: readonly Demand[]): void {
    const known = forgotten(node, progressed(node, this.gangs, this.state.plugins));
    const draft: Draft = {
      add: [],
      remove: [],
      done: known.done,
      clearing: known.clearing,
      plugins: known.plugins,
      episodes: recentEpisodes(known.episodes, this.state.time),
      why: known.why,
      gangs: [],
      restarts: [],
      reasons: [],
    };
    if (isActing(known) && this.isHealthyAgain(node, draft.episodes)) {
      draft.remove.push(...known.marks);
      draft.done = [];
      draft.clearing = [];
      draft.plugins = [];
      draft.why = [];
      draft.reasons.push(`no cause for ${healthySeconds(this.settings, draft.episodes)} seconds`);
    }
    demands.forEach((demand) => this.meet(node, demand, draft, known));
    const { add, remove, gangs, restarts, reasons, done, clearing, plugins, episodes, why } = draft;
    const marks = MARKS.filter((mark) => add.includes(mark) || (known.marks.includes(mark) && !remove.includes(mark)));
    const record = { marks, done, clearing, plugins, episodes, why };
    if (JSON.stringify(record) !== JSON.stringify(node.record)) {
      this.steps.push({ node: node.name, add, remove, record, gangs, plugins: restarts, reasons });
    }
  }

  private isHealthyAgain({ name }: RemediationNode, episodes: readonly number[]): boolean {
    const since = this.waits.healthySinceOf(name);
    if (since === undefined) {
      return false;
    }
    const until = since + healthySeconds(this.settings, episodes) * 1000;
    if (this.state.now < until) {
      this.nextAt = Math.min(this.nextAt, until);
    }
    return this.state.now >= until;
  }

  private meet(node: RemediationNode, { rule, cause }: Demand, draft: Draft, known: RemediationRecord): void {
    const open = rule.actions.filter((action) => !draft.done.includes(`${rule.name}/${action}`));
    if (open.length === 0) {
      return;
    }
    const refusal = this.budget.take(node);
    if (refusal !== undefined) {
      this.refusals.push({ node: node.name, rule: rule.name, kind: 'budget', reason: refusal });
      return;
    }
    const before = draft.gangs.length;
    const acted = open.filter((action) => this.act(node, rule, action, draft, known));
    const started = draft.gangs.slice(before).map(({ gang }) => gang);
    if (acted.length + started.length === 0) {
      return;
    }
    if (draft.done.length === 0 && !isActing(known)) {
      draft.episodes = [...draft.episodes, Math.floor(this.state.time / 1000)].slice(-MOST_EPISODES);
    }
    draft.done = [...draft.done, ...acted.map((action) => `${rule.name}/${action}`)];
    const named = started.length === 0 ? '' : `; evicts ${listed(started)}`;
    const sentence = `rule ${rule.name}: ${cause}; ${acted.join(', ')}${named}`.replace('; ;', ';');
    draft.reasons.push(sentence);
    draft.why = [...draft.why, sentence.slice(0, MOST_SENTENCE)].slice(-MOST_WHY);
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
        const plugins = this.pluginsOn(node.name).filter(({ uid }) => !draft.plugins.includes(uid));
        draft.restarts.push(...plugins);
        draft.plugins = [...draft.plugins, ...plugins.map(({ uid }) => uid)];
        return plugins.length > 0;
      }
      case 'taint':
      case 'cordon':
      case 'request-driver-upgrade':
      case 'request-repair':
        if (!known.marks.includes(action) && !draft.add.includes(action) && !hasMark(node, action, this.settings)) {
          draft.add.push(action);
        }
        return true;
    }
  }

  /** A gang that shares several unhealthy nodes is evicted once. */
  private clear(node: RemediationNode, rule: RemediationRule, action: 'evict' | 'move', draft: Draft): boolean {
    let isClear = true;
    for (const gang of this.gangs().on(node.name)) {
      if (this.evicted.has(gang.key) || this.gangs().isCleared(gang, this.state.nodes)) {
        continue;
      }
      if (draft.clearing.length >= MOST_CLEARING) {
        return false;
      }
      if (action === 'move' && !this.fits(gang, this.unhealthy)) {
        isClear = false;
        this.refusals.push({
          node: node.name,
          rule: rule.name,
          kind: 'no-places',
          reason: `gang ${gang.key} does not fit on the healthy nodes`,
        });
        continue;
      }
      this.evicted.add(gang.key);
      const clearing = clearingOf(gang, rule.name, rule.graceSeconds);
      draft.gangs.push(clearing);
      draft.clearing = [...draft.clearing, clearing];
    }
    return isClear;
  }
}

function alertsByNode(
  { rules }: RemediationSettings,
  alerts: readonly RemediationAlert[],
): ReadonlyMap<string, readonly RemediationAlert[]> {
  const byNode = new Map<string, Set<RemediationAlert>>();
  for (const { cause } of rules) {
    if (!('alert' in cause)) {
      continue;
    }
    for (const alert of alerts.filter((one) => isAlertOf(cause, one))) {
      const node = nodeOfAlert(cause, alert) ?? '';
      byNode.set(node, (byNode.get(node) ?? new Set()).add(alert));
    }
  }
  return new Map([...byNode].map(([node, all]) => [node, [...all]]));
}

/** Those of the last day. A moment that is ahead by more than a day is no episode: a clock was set back. */
function recentEpisodes(episodes: readonly number[], time: number): readonly number[] {
  const now = Math.floor(time / 1000);
  const recent = episodes.filter((at) => Math.abs(now - at) < DAY_SECONDS);
  return recent.length === episodes.length ? episodes : recent;
}

/** How long a node must be without a cause. */
export function healthySeconds(
  { healthySeconds: base }: Pick<RemediationSettings, 'healthySeconds'>,
  episodes: readonly number[],
): number {
  return base * 2 ** Math.min(Math.max(0, episodes.length - 1), MOST_DOUBLINGS);
}

function listed(gangs: readonly string[]): string {
  return gangs.length <= 3 ? gangs.join(', ') : `${gangs.slice(0, 3).join(', ')} and ${gangs.length - 3} more gangs`;
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
function forgotten(node: RemediationNode, record: RemediationRecord): RemediationRecord {
  const marks = record.marks.filter(
    (mark) =>
      (mark !== 'cordon' || node.isCordoned) && (mark !== 'taint' || node.taints.includes(GANTRY_UNHEALTHY_TAINT)),
  );
  return { ...record, marks };
}
