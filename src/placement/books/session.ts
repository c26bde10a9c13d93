/**
 * The world as the core decides about it: node columns, pod classes, records of queues and gangs, and every running pod on the books.
 *
 * A session is made from a snapshot in O(nodes + devices + pods), and then follows the world by deltas: gangs that changed are made again,
 * and nodes on which anything changed are booked again, in the order in which a new session would do it, so that the books are always
 * those of a session built from scratch. What a decision did to the books is undone before the next delta or decision. New nodes, new
 * labels or devices of a node, and resources or selectors that no pod named before change the shape of the books: everything is then
 * built again.
 */
import { listById } from '../../facts/collections';
import { differences } from './catch-up';
import { type Constraint } from '../model/decision';
import { TopologyTrees } from '../topology/domains';
import { type Delta, Facts, SnapshotError, type Touched, untouched } from '../model/facts';
import { PodsOnNodes } from '../nodes/filters/pods-on-nodes';
import { staticCode, staticRow } from '../nodes/filters/static';
import { GangList } from './gang-list';
import { gangWithPods, likenessOf, type Lookup, podRecord, startOf } from './gang-records';
import { ClaimBooks } from './claim-books';
import { ClaimedSlots } from './claimed-slots';
import { Ledger } from './ledger';
import { type Pod, type PodTemplate, type Queue, type Snapshot, type Topology } from '../model/model';
import { compareNames } from '../model/names';
import { clusterTotal, NodeTable } from '../nodes/node-table';
import { canonicalText } from '../model/canonical-text';
import { nodeConstraints, type PodClass, PodClasses } from '../nodes/pod-class';
import { type Policy } from '../model/policy';
import { FilteredTemplates } from '../nodes/filters/capacity';
import { QueueBooks } from './queue-books';
import { accountNames } from './queue-records';
import { ELSEWHERE, type GangRecord, NOWHERE, type PodRecord, type QueueRecord } from './records';
import { RowBooks } from './row-books';
import { type Waiting, WaitingBooks } from './waiting';

export { SnapshotError } from '../model/facts';

const NO_PODS: readonly Pod[] = [];

/** Classes that no pod has any more are kept up to this many, and as many as there are others. */
const IDLE_CLASSES = 256;

export class Session {
  private facts: Facts;
  table!: NodeTable;
  classes!: PodClasses;
  others!: PodsOnNodes;
  ledger!: Ledger;
  topologies!: TopologyTrees;
  /** What queues are charged in. */
  accounts!: readonly string[];
  /** What the cluster has, by account. */
  totals!: Float64Array;
  /** Gangs that had fewer pods than they want or need before this decision. */
  readonly short = new Set<GangRecord>();
  /** Those of them that have pods. */
  readonly incomplete = new Set<GangRecord>();
  /** How many pods there are of each class in gangs, running or not. */
  readonly classCounts = new Map<PodClass, number>();
  /** By how many these grew since the last change was followed. */
  private readonly newCounts = new Map<PodClass, number>();
  /** What gangs of a kind ask for to start. */
  readonly firstAsked: Float64Array[] = [];
  /** What is derived from the books and kept up to date by notes of what changed on nodes. */
  private readonly indexes = new Map<unknown, unknown>();
  private readonly scores = new Map<unknown, unknown>();
  private queueBooks!: QueueBooks;
  private waitingBooks!: WaitingBooks;
  private rowBooks!: RowBooks;
  private readonly records = new Map<string, GangRecord>();
  private readonly gangList = new GangList();
  private readonly foreign = new Map<string, PodRecord>();
  /** Pods by whether they constrain one another. */
  private dynamicPods = 0;
  /** A template without pods can ask for others as well: only their end changes what is looked at. */
  private hadDynamicPods = false;
  private readonly kinds = new Map<string | number, number>();
  private readonly staticRows = listById<Uint8Array>();
  /** Classes that ask the same of a node share a row. */
  private readonly staticKinds = new Map<string, { readonly codes: Uint8Array; readonly podClass: PodClass }>();
  private decided: { readonly mark: number } | undefined;
  private isBroken = false;
  private filtered!: FilteredTemplates;
  private readonly lookup: Lookup = {
    classOf: (template, queue) => this.classOf(this.filtered.of(template, queue)),
    rowOf: (node) => this.table.rows.get(node) ?? ELSEWHERE,
    byPriority: () => this.policy.podOrder === 'priority',
  };

  /** Rows that this decision has looked at, one by one, for pods that have constraints on one another. */
  rowsSearched = 0;

  /** @throws SnapshotError when the snapshot contradicts itself */
  constructor(snapshot: Snapshot, policy: Policy) {
    this.facts = new Facts(snapshot, policy);
    this.build();
  }

  get now(): number {
    return this.facts.now;
  }

  get policy(): Policy {
    return this.facts.policy;
  }

  get queues(): readonly QueueRecord[] {
    return this.queueBooks.queues;
  }

  /** Whether any pod may have claims. */
  get hasClaims(): boolean {
    return this.facts.slices.size + this.facts.claims.size > 0;
  }

  /** In the order of names. */
  get gangs(): readonly GangRecord[] {
    return this.gangList.records;
  }

  gangNamed(name: string): GangRecord | undefined {
    return this.records.get(name);
  }

  /** Gangs that have not all of their pods, as far as those can start; those that sleep are left out. */
  get waiting(): Waiting {
    return this.waitingBooks.waiting;
  }

  /** Gangs that are left out of `waiting`; see `WaitingBooks`. */
  get sleepers(): WaitingBooks {
    return this.waitingBooks;
  }

  /** Has the queue a gang of a lower priority, waiting or running? */
  hasGangBelow(queue: QueueRecord, priority: number): boolean {
    return this.queueBooks.hasBelow(queue, priority);
  }

  get topologyList(): readonly Topology[] {
    return this.facts.topologies;
  }

  /** The world as it is known, with assumptions taken for true. O(everything). */
  get snapshot(): Snapshot {
    return this.facts.snapshot();
  }

  /** All pods: those of gangs in the order of their names, then the others. O(pods). */
  get pods(): readonly PodRecord[] {
    const foreign = [...this.foreign.values()].sort((a, b) => compareNames(a.name, b.name));
    return [...this.gangs.flatMap(({ roles }) => roles.flatMap(({ pods }) => pods)), ...foreign];
  }

  /** Pods that are on their way out. */
  get leaving(): readonly PodRecord[] {
    const latest = this.now - this.policy.stuckSeconds * 1000;
    return this.rowBooks.leaving().filter(({ releasedBy }) => releasedBy >= latest);
  }

  /** Pods that run and whose end is known, soonest first: milliseconds since the epoch, perhaps in the past. */
  get ends(): RowBooks['ends'] {
    return this.rowBooks.ends;
  }

  /**
   * Follows changes of the world. What a decision did to the books is undone first.
   *
   * @throws SnapshotError when the world then contradicts itself; the changes are kept, and the session is whole again after those that
   * mend it
   */
  apply(...deltas: readonly Delta[]): void {
    this.change((touched) => deltas.forEach((delta) => this.facts.take(delta, touched)));
  }

  /**
   * Follows the world to where the snapshot has it; for a caller that has no deltas. O(what was made again for the snapshot).
   *
   * @throws SnapshotError like `apply`
   */
  catchUp(snapshot: Snapshot, policy: Policy): void {
    const deltas = differences(this.facts, snapshot, policy);
    if (deltas === undefined) {
      this.facts = new Facts(snapshot, policy);
      this.build();
    } else {
      this.apply(...deltas);
    }
  }

  /** Counts pods as what they are about to be, placed or on their way out, until `confirm` or `undo`. */
  assume(...pods: readonly Pod[]): void {
    this.change((touched) => pods.forEach((pod) => this.facts.assume(pod, touched)));
  }

  /** What was assumed of these pods has come true; from now on deltas say what they are. */
  confirm(...pods: readonly string[]): void {
    pods.forEach((name) => this.facts.confirm(name));
  }

  /** What was assumed of these pods did not happen: they are what was last said of them. */
  undo(...pods: readonly string[]): void {
    this.change((touched) => pods.forEach((name) => this.facts.undo(name, touched)));
  }

  /** Begins a decision: what it does to the books stays there to be looked at until the next one, or the next change. */
  begin(): void {
    this.rewind();
    this.rowsSearched = 0;
    this.waitingBooks.wakeGained();
    this.decided = { mark: this.ledger.mark() };
    this.table.setDeciding(true);
  }

  /** Undoes what the last decision did to the books. */
  rewind(): void {
    if (this.decided !== undefined) {
      this.ledger.rollback(this.decided.mark);
      this.decided = undefined;
      this.table.setDeciding(false);
      this.queueBooks.restore();
    }
  }

  /** An index over the books, which lasts until they are built again. */
  index<T>(type: new (session: Session) => T): T {
    return keptIn(this.indexes, type, this);
  }

  /** The same for scores of nodes, which depend on what the cluster is used for as well. */
  scoring<T>(type: new (session: Session) => T): T {
    return keptIn(this.scores, type, this);
  }

  /** Codes of `STATIC_CONSTRAINTS` by row. */
  staticRow(podClass: PodClass): Uint8Array {
    return (this.staticRows[podClass.id] ??= this.sharedStaticRow(podClass));
  }

  private sharedStaticRow(podClass: PodClass): Uint8Array {
    const { template, accelerator, models, deviceCount, deviceResource } = podClass;
    const key = canonicalText([nodeConstraints(template), accelerator?.models, models && deviceCount, deviceResource]);
    let kind = this.staticKinds.get(key);
    if (kind === undefined) {
      kind = { codes: staticRow(this.table, podClass), podClass };
      this.staticKinds.set(key, kind);
    }
    return kind.codes;
  }

  /** Everything but resources and devices, which the ledger knows. */
  allowed(podClass: PodClass, row: number): boolean {
    return (
      this.staticRow(podClass)[row] === 0 &&
      (!this.others.active || this.others.constraint(podClass, row) === undefined)
    );
  }

  dynamicConstraint(podClass: PodClass, row: number): Constraint | undefined {
    return this.others.active ? this.others.constraint(podClass, row) : undefined;
  }

  /** The class with another template, which must differ in what it asks of nodes alone. */
  variant(podClass: PodClass, template: PodTemplate): PodClass {
    const made = this.classes.of(template);
    this.others.registerLike(made, podClass);
    return made;
  }

  private classOf(template: PodTemplate): PodClass {
    const known = this.classes.list.length;
    const podClass = this.classes.of(template);
    if (podClass.id >= known) {
      this.others.add(podClass, () => this.rowBooks.booked());
    }
    return podClass;
  }

  private change(take: (touched: Touched) => void): void {
    this.rewind();
    const touched = untouched();
    take(touched);
    if (this.isBroken || this.changesShape(touched)) {
      this.build();
    } else {
      this.guarded(() => this.follow(touched));
    }
  }

  /** A session that failed half way is built again once the world is whole. */
  private guarded(work: () => void): void {
    this.isBroken = true;
    work();
    this.isBroken = false;
  }

  /** Does a node come or go or change its devices or labels, or does anything name what nothing named before? */
  private changesShape({ all, nodes, gangs, pods, queues }: Touched): boolean {
    const { facts, table, classes } = this;
    const templates = new Set<PodTemplate>();
    const see = (template: PodTemplate | undefined, gang: string | undefined): void => {
      if (template !== undefined) {
        templates.add(this.filtered.of(template, gang === undefined ? undefined : facts.gangs.get(gang)?.queue));
      }
    };
    for (const name of pods) {
      see(facts.pods.get(name)?.template, facts.pods.get(name)?.gang);
    }
    for (const name of gangs) {
      facts.gangs.get(name)?.roles.forEach(({ template }) => see(template, name));
      facts.podsOf(name).forEach(({ template }) => see(template, name));
    }
    return (
      all ||
      [...nodes].some((name) => !table.canReplace(name, facts.nodes.get(name))) ||
      (queues && facts.policy.capacityFilters.some((filter) => filter.queues !== undefined)) ||
      (queues && accountNames([], facts.queues.values()).some((name) => !this.accounts.includes(name))) ||
      !classes.cover(templates, this.others.active, (account) => this.accounts.includes(account)) ||
      classes.list.length > IDLE_CLASSES + 2 * this.classCounts.size
    );
  }

  private build(): void {
    this.guarded(() => {
      const { facts } = this;
      const snapshot = facts.snapshot();
      this.filtered = new FilteredTemplates(facts.policy.capacityFilters, facts.queues);
      const templates = templatesOf(snapshot, this.filtered);
      const requested = new Set([...templates].flatMap(({ request }) => Object.keys(request)));
      this.table = new NodeTable(snapshot, facts.policy.capacityReportSeconds, requested);
      this.table.spreadsFractions = facts.policy.nodeScore === 'spread-devices';
      this.classes = new PodClasses(this.table, templates);
      templates.forEach((template) => this.classes.of(template));
      this.others = new PodsOnNodes(this.table);
      this.others.register(this.classes.list);
      this.topologies = new TopologyTrees(this.table, facts.topologies);
      this.accounts = accountNames(this.classes.list, facts.queues.values());
      this.totals = Float64Array.from(this.accounts, (name) => clusterTotal(this.table, name));
      const slots = new ClaimedSlots(this.table);
      this.ledger = new Ledger(this.table, this.others, this.accounts, new ClaimBooks(facts, slots));
      this.queueBooks = new QueueBooks(countedQueues(facts), this.accounts, this.ledger);
      this.rowBooks = new RowBooks(this.table, this.ledger);
      // Which devices pods are taken to hold depends on what claims hold; what a decision does is undone anyway.
      slots.onRow = (row) => this.decided === undefined && this.rowBooks.touch(row);
      this.waitingBooks = new WaitingBooks(facts.policy);
      [
        this.records,
        this.foreign,
        this.short,
        this.incomplete,
        this.classCounts,
        this.newCounts,
        this.kinds,
        this.staticKinds,
      ].forEach((known) => known.clear());
      this.gangList.clear();
      this.staticRows.length = this.firstAsked.length = this.dynamicPods = 0;
      this.hadDynamicPods = false;
      this.indexes.clear();
      this.scores.clear();
      this.decided = undefined;
      const all = untouched();
      for (const name of [...facts.gangs.keys(), ...facts.gangsOfPods()].sort(compareNames)) {
        all.gangs.add(name);
      }
      for (const name of facts.pods.keys()) {
        all.pods.add(name);
      }
      this.follow(all);
    });
  }

  private follow({ nodes, gangs, pods, slices, claims, queues, time }: Touched): void {
    nodes.forEach((name) => this.replaceNode(name));
    if (slices.size + claims.size > 0) {
      this.ledger.epochs.begin();
      this.ledger.claims.follow(slices, claims);
    }
    if (time || nodes.size > 0) {
      this.readReports();
    }
    if (queues) {
      this.queueBooks = new QueueBooks(countedQueues(this.facts), this.accounts, this.ledger);
      this.gangs.forEach((gang) => this.queueBooks.enter(gang));
      this.waitingBooks = new WaitingBooks(this.policy);
      this.short.forEach((gang) => this.waitingBooks.add(gang));
    }
    for (const name of gangs) {
      this.replaceGang(name);
    }
    this.gangList.settle();
    for (const name of pods) {
      this.replacePod(name);
    }
    this.rowBooks.settle();
    this.queueBooks.settle();
    this.settleCounts();
    if (this.others.active && this.hadDynamicPods && this.dynamicPods === 0) {
      this.build();
    }
    this.hadDynamicPods = this.dynamicPods > 0;
  }

  private replaceNode(name: string): void {
    const row = this.table.rows.get(name)!;
    const node = this.facts.nodes.get(name)!;
    if (this.table.nodes[row] === node) {
      return;
    }
    this.table.replace(row, node);
    this.staticKinds.forEach(({ codes, podClass }) => (codes[row] = staticCode(this.table, podClass, row)));
    this.totals = Float64Array.from(this.accounts, (account) => clusterTotal(this.table, account));
    this.rowBooks.touch(row);
    this.waitingBooks.wake();
    // How much CPU the cluster has for each device weighs in the scores of all nodes.
    this.scores.clear();
  }

  private readReports(): void {
    const { fresh } = this.table.reports;
    const changed = this.table.readReports(this.now, this.policy.capacityReportSeconds);
    // Which devices a pod is taken to hold that does not say so depends on them.
    changed.forEach((row) => this.rowBooks.touch(row));
    if (fresh > 0 !== this.table.reports.fresh > 0) {
      this.scores.clear();
    }
  }

  private replaceGang(name: string): void {
    const spec = this.facts.gangs.get(name);
    const pods = this.facts.podsOf(name);
    const listed = pods.size === 0 ? NO_PODS : [...pods.values()];
    const old = this.records.get(name);
    if (spec === undefined && listed.length > 0) {
      throw new SnapshotError(`Pod "${listed[0].name}" names gang "${name}", which is not in the snapshot.`);
    }
    if (old !== undefined) {
      this.count(old, -1);
    }
    if (spec === undefined) {
      if (old !== undefined) {
        this.records.delete(name);
        this.gangList.remove(name);
      }
      return;
    }
    const queue = this.queueBooks.named(spec.queue);
    const record = gangWithPods(spec, old?.index ?? 0, queue, listed, this.lookup);
    this.records.set(name, record);
    if (old === undefined) {
      this.gangList.add(record);
    } else {
      this.gangList.replace(record);
    }
    const likeness = likenessOf(record);
    record.start = startOf(record);
    if (likeness !== undefined) {
      record.kind = this.kinds.get(likeness);
      if (record.kind === undefined) {
        record.kind = this.kinds.size;
        this.kinds.set(likeness, record.kind);
      }
    }
    this.count(record, 1);
  }

  /** Takes a gang with its pods into all counts, or out of them. */
  private count(gang: GangRecord, by: 1 | -1): void {
    let running = 0;
    let existing = 0;
    for (const role of gang.roles) {
      if (role.fresh !== undefined) {
        this.countClass(role.fresh, by * role.size);
        continue;
      }
      const { pods } = role;
      for (let from = 0, to = 0; from < pods.length; from = to) {
        const { podClass } = pods[from];
        for (; to < pods.length && pods[to].podClass === podClass; to++) {
          const pod = pods[to];
          existing += pod.home === NOWHERE ? 0 : 1;
          running += pod.home === NOWHERE || pod.releasing ? 0 : 1;
          this.rowBooks.enter(pod, by);
        }
        this.countClass(podClass, by * (to - from));
      }
    }
    this.queueBooks.enter(gang, by);
    if (by === 1 && running < Math.max(gang.size, gang.needed)) {
      this.short.add(gang);
      this.waitingBooks.add(gang);
      if (existing > 0) {
        this.incomplete.add(gang);
      }
    } else {
      this.short.delete(gang);
      this.incomplete.delete(gang);
      this.waitingBooks.remove(gang);
    }
  }

  private countClass(podClass: PodClass, by: number): void {
    const count = (this.classCounts.get(podClass) ?? 0) + by;
    if (count === 0) {
      this.classCounts.delete(podClass);
    } else {
      this.classCounts.set(podClass, count);
    }
    this.newCounts.set(podClass, (this.newCounts.get(podClass) ?? 0) + by);
    this.dynamicPods += podClass.dynamic ? by : 0;
  }

  /** What the cluster is used for weighs in the scores of all nodes. A gang that starts, or whose pods say something else, leaves it as it is. */
  private settleCounts(): void {
    if (this.policy.workload === undefined && [...this.newCounts.values()].some((by) => by !== 0)) {
      this.scores.clear();
    }
    this.newCounts.clear();
  }

  private replacePod(key: string): void {
    const old = this.foreign.get(key);
    if (old !== undefined) {
      this.foreign.delete(key);
      this.rowBooks.enter(old, -1);
      this.dynamicPods -= old.podClass.dynamic ? 1 : 0;
    }
    const pod = this.facts.pods.get(key);
    if (pod === undefined || pod.gang !== undefined || pod.state === 'pending') {
      return;
    }
    if (pod.template === undefined) {
      throw new SnapshotError(`Pod "${pod.name}" has neither a gang nor a template, so its requests are unknown.`);
    }
    const record = podRecord(pod, undefined, 0, this.lookup);
    this.foreign.set(key, record);
    this.rowBooks.enter(record, 1);
    this.dynamicPods += record.podClass.dynamic ? 1 : 0;
  }
}

function keptIn<T>(kept: Map<unknown, unknown>, type: new (session: Session) => T, session: Session): T {
  let made = kept.get(type) as T | undefined;
  if (made === undefined) {
    made = new type(session);
    kept.set(type, made);
  }
  return made;
}

/** In the order of names, so that classes have the same numbers whatever the order of the snapshot. */
function templatesOf({ gangs, pods }: Snapshot, filtered: FilteredTemplates): Set<PodTemplate> {
  const byName = <T extends { readonly name: string }>(list: readonly T[]): T[] =>
    [...list].sort((a, b) => compareNames(a.name, b.name));
  const templates = new Set<PodTemplate>();
  const queues = new Map(gangs.map(({ name, queue }) => [name, queue]));
  byName(gangs).forEach(({ roles, queue }) =>
    roles.forEach(({ template }) => templates.add(filtered.of(template, queue))),
  );
  byName(pods.filter(({ template }) => template !== undefined)).forEach(({ template, gang }) =>
    templates.add(filtered.of(template!, gang === undefined ? undefined : queues.get(gang))),
  );
  return templates;
}

/** The queues as the policy counts them: by weight alone, they have neither quota nor priority. */
function countedQueues({ queues, policy }: Facts): readonly Queue[] {
  const all = [...queues.values()];
  return policy.queueOrder === 'weight' ? all.map((queue) => ({ ...queue, deserved: undefined, priority: 0 })) : all;
}
