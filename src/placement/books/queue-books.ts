/**
 * What queues have and ask for while no decision is under way: sums over their gangs' pods by class, so that nothing is lost to rounding
 * however often pods come and go.
 */
import { type Charge, type Ledger } from './ledger';
import { type Queue } from '../model/model';
import { type PodClass, type SharedCharge } from '../nodes/pod-class';
import { queueRecords } from './queue-records';
import { type GangRecord, NOWHERE, type QueueRecord } from './records';

/** Pods of one class in one queue. */
interface Tally {
  requested: number;
  allocated: number;
  nonPreemptible: number;
}

type Sums = Record<keyof Tally, Float64Array>;

export class QueueBooks {
  readonly queues: readonly QueueRecord[];
  private readonly byName: ReadonlyMap<string, QueueRecord>;
  private readonly tallies = new Map<QueueRecord, Map<PodClass, Tally>>();
  /** How often claims that pods share are among them beyond the once that each gang is charged for. */
  private readonly repeated = new Map<QueueRecord, Map<SharedCharge, Tally>>();
  /** Sums of each queue with all below it, as they are between decisions. */
  private readonly sums = new Map<QueueRecord, Sums>();
  private readonly touched = new Set<QueueRecord>();
  /** Gangs of each queue by priority. */
  private readonly priorities = new Map<QueueRecord, Map<number, number>>();

  constructor(
    queues: Iterable<Queue>,
    private readonly accounts: readonly string[],
    private readonly ledger: Ledger,
  ) {
    this.queues = queueRecords([...queues], accounts);
    this.byName = new Map(this.queues.map((record) => [record.queue.name, record]));
    this.queues.forEach((queue) => this.touched.add(queue));
  }

  named(name: string): QueueRecord | undefined {
    return this.byName.get(name);
  }

  /** A gang comes with its pods, or goes. */
  enter(gang: GangRecord, by: 1 | -1 = 1): void {
    const queue = this.byName.get(gang.gang.queue);
    gang.queue = queue;
    if (queue === undefined) {
      return;
    }
    this.countPriority(queue, gang.priority, by);
    let ofQueue = this.tallies.get(queue);
    if (ofQueue === undefined) {
      ofQueue = new Map();
      this.tallies.set(queue, ofQueue);
    }
    let tally: Tally = { requested: 0, allocated: 0, nonPreemptible: 0 };
    let of: PodClass | undefined;
    let shares = false;
    for (const role of gang.roles) {
      if (role.fresh !== undefined) {
        of = role.fresh;
        tally = tallyOf(ofQueue, of);
        shares ||= of.shared.length > 0;
        tally.requested += by * role.size;
        continue;
      }
      const { pods } = role;
      for (let i = 0; i < pods.length; i++) {
        const { podClass, releasing, home, preemptible } = pods[i];
        if (releasing) {
          continue;
        }
        if (of !== podClass) {
          of = podClass;
          tally = tallyOf(ofQueue, of);
          shares ||= of.shared.length > 0;
        }
        tally.requested += by;
        if (home !== NOWHERE) {
          tally.allocated += by;
          tally.nonPreemptible += preemptible ? 0 : by;
        }
      }
    }
    if (by === -1) {
      dropEmpty(ofQueue, gang);
    }
    // Gangs have thousands of pods, and few of them share claims.
    if (shares) {
      this.countRepeated(queue, gang, by);
    }
    for (let at: QueueRecord | undefined = queue; at !== undefined; at = at.parent) {
      this.touched.add(at);
    }
  }

  private countRepeated(queue: QueueRecord, { roles }: GangRecord, by: 1 | -1): void {
    const ofGang = new Map<string, { readonly shared: SharedCharge; readonly tally: Tally }>();
    for (const { podClass, releasing, home, preemptible } of roles.flatMap(({ pods }) => pods)) {
      for (const shared of releasing ? [] : podClass.shared) {
        const { tally } = ofGang.get(shared.key) ?? { tally: { requested: 0, allocated: 0, nonPreemptible: 0 } };
        ofGang.set(shared.key, { shared, tally });
        tally.requested++;
        tally.allocated += home === NOWHERE ? 0 : 1;
        tally.nonPreemptible += home === NOWHERE || preemptible ? 0 : 1;
      }
    }
    for (const { shared, tally } of ofGang.values()) {
      const ofQueue = this.repeated.get(queue) ?? new Map<SharedCharge, Tally>();
      this.repeated.set(queue, ofQueue);
      const sum = ofQueue.get(shared) ?? { requested: 0, allocated: 0, nonPreemptible: 0 };
      for (const key of ['requested', 'allocated', 'nonPreemptible'] as const) {
        sum[key] += by * Math.max(0, tally[key] - 1);
      }
      if (sum.requested + sum.allocated + sum.nonPreemptible === 0) {
        ofQueue.delete(shared);
      } else {
        ofQueue.set(shared, sum);
      }
    }
  }

  /** Has the queue a gang of a lower priority, waiting or running? */
  hasBelow(queue: QueueRecord, priority: number): boolean {
    return [...(this.priorities.get(queue)?.keys() ?? [])].some((other) => other < priority);
  }

  private countPriority(queue: QueueRecord, priority: number, by: 1 | -1): void {
    let ofQueue = this.priorities.get(queue);
    if (ofQueue === undefined) {
      ofQueue = new Map();
      this.priorities.set(queue, ofQueue);
    }
    const count = (ofQueue.get(priority) ?? 0) + by;
    if (count === 0) {
      ofQueue.delete(priority);
    } else {
      ofQueue.set(priority, count);
    }
  }

  /** Sums up what changed. */
  settle(): void {
    for (const queue of [...this.touched].sort((a, b) => b.depth - a.depth)) {
      this.sums.set(queue, this.sum(queue));
      this.write(queue);
    }
    this.touched.clear();
  }

  /** Writes the sums to the records of all queues, after a decision has changed them. */
  restore(): void {
    this.queues.forEach((queue) => this.write(queue));
  }

  private write(queue: QueueRecord): void {
    const { requested, allocated, nonPreemptible } = this.sums.get(queue)!;
    queue.requested.set(requested);
    queue.allocated.set(allocated);
    queue.nonPreemptible.set(nonPreemptible);
  }

  private sum(queue: QueueRecord): Sums {
    const zeros = (): Float64Array => new Float64Array(this.accounts.length);
    const sums: Sums = { requested: zeros(), allocated: zeros(), nonPreemptible: zeros() };
    const add = ({ ids, amounts }: Charge, tally: Tally, by: 1 | -1): void => {
      for (let i = 0; i < ids.length; i++) {
        sums.requested[ids[i]] += by * tally.requested * amounts[i];
        sums.allocated[ids[i]] += by * tally.allocated * amounts[i];
        sums.nonPreemptible[ids[i]] += by * tally.nonPreemptible * amounts[i];
      }
    };
    this.tallies.get(queue)?.forEach((tally, podClass) => add(this.ledger.charge(podClass), tally, 1));
    this.repeated.get(queue)?.forEach((tally, shared) => add(this.ledger.chargeOfShared(shared), tally, -1));
    for (const child of queue.children) {
      const below = this.sums.get(child)!;
      for (let account = 0; account < this.accounts.length; account++) {
        sums.requested[account] += below.requested[account];
        sums.allocated[account] += below.allocated[account];
        sums.nonPreemptible[account] += below.nonPreemptible[account];
      }
    }
    return sums;
  }
}

function tallyOf(tallies: Map<PodClass, Tally>, podClass: PodClass): Tally {
  let tally = tallies.get(podClass);
  if (tally === undefined) {
    tally = { requested: 0, allocated: 0, nonPreemptible: 0 };
    tallies.set(podClass, tally);
  }
  return tally;
}

/** Drops classes of the gang's pods that no pod of the queue has any more. */
function dropEmpty(ofQueue: Map<PodClass, Tally>, { roles }: GangRecord): void {
  const drop = (podClass: PodClass): void => {
    if (ofQueue.get(podClass)?.requested === 0) {
      ofQueue.delete(podClass);
    }
  };
  for (const role of roles) {
    if (role.fresh !== undefined) {
      drop(role.fresh);
      continue;
    }
    const { pods } = role;
    for (let i = 0; i < pods.length; i++) {
      if (i === 0 || pods[i].podClass !== pods[i - 1].podClass) {
        drop(pods[i].podClass);
      }
    }
  }
}
