/**
 * The session of the core, kept from decision to decision: it reads only the tasks that are other values than at the decision before. Tasks are values that
 * are never changed, so this takes one comparison for each.
 */
import { type Delta } from '../../../placement/model/facts';
import { Session } from '../../../placement/books/session';
import { type Policy } from '../../../placement';
import { type Task } from '../task/task';
import { isByDevice, Known, snapshotOf, type World } from './question';

/** A task as the session knows it. */
interface Entry {
  task: Task;
  /** Number of the decision that last named it. */
  round: number;
}

export class Followed {
  private readonly known = new Known();
  private readonly tasks = new Map<string, Entry>();
  private session: Session | undefined;
  /** What the last decision was about, besides tasks and time. */
  private frame: readonly unknown[] = [];
  private round = 0;

  constructor(private readonly policy: Policy) {}

  /** The session, as the world is now. */
  sessionOf(world: World): Session {
    const { session } = this;
    const frame = this.frameOf(world);
    const isSame = frame !== undefined && frame.every((value, index) => value === this.frame[index]);
    this.round++;
    const deltas = this.changes(world);
    // A session that fails half way is not used again.
    this.session = undefined;
    this.frame = frame ?? [];
    if (session === undefined) {
      this.session = new Session(snapshotOf(world, this.known), this.policy);
    } else {
      if (isSame) {
        session.apply({ kind: 'time', now: world.now }, ...deltas);
      } else {
        session.catchUp(snapshotOf(world, this.known), this.policy);
      }
      this.session = session;
    }
    return this.session;
  }

  /** `undefined` where what is asked of the core depends on more than the tasks that changed. */
  private frameOf(world: World): readonly unknown[] | undefined {
    return isByDevice(world)
      ? undefined
      : [
          this.known.node(world, false),
          this.known.queues(world),
          world.inventory,
          world.priorities,
          [...world.foreign].sort().join('\n'),
        ];
  }

  private changes(world: World): readonly Delta[] {
    const deltas: Delta[] = [];
    for (const task of world.active) {
      this.take(task, world, deltas, () => this.known.activePods(task));
    }
    for (const task of world.waiting) {
      this.take(task, world, deltas, () => this.known.waitingPods(task));
    }
    if (this.tasks.size > world.active.length + world.waiting.length) {
      for (const [id, { task, round }] of this.tasks) {
        if (round !== this.round) {
          this.tasks.delete(id);
          deltas.push({ kind: 'gang-gone', name: id });
          this.known.podsOf(task).forEach(({ name }) => deltas.push({ kind: 'pod-gone', name }));
        }
      }
    }
    return deltas;
  }

  private take(task: Task, world: World, deltas: Delta[], pods: () => ReturnType<Known['podsOf']>): void {
    const entry = this.tasks.get(task.id);
    if (entry?.task === task) {
      entry.round = this.round;
      return;
    }
    const now = pods();
    this.tasks.set(task.id, { task, round: this.round });
    deltas.push({ kind: 'gang', gang: this.known.gang(task, world, false) });
    now.forEach((pod) => deltas.push({ kind: 'pod', pod }));
    for (const { name } of entry === undefined ? [] : this.known.podsOf(entry.task)) {
      if (!now.some((pod) => pod.name === name)) {
        deltas.push({ kind: 'pod-gone', name });
      }
    }
  }
}
