/**
 * Which gangs start when nodes have other MIG configurations.
 *
 * A trial is a session of its own: the world as this decision leaves it, once everything that is evicted has terminated, with the
 * configurations applied. It answers with what the next cycle's allocation starts there, or with what its whole decision starts, which may also move
 * pods that it starts. O(everything), so a decision makes few trials.
 */
import { addTo } from '../../../facts/collections';
import { ELSEWHERE, NOWHERE, type PodRecord } from '../../books/records';
import { Session } from '../../books/session';
import { allocate } from '../allocate';
import { Cycle } from '../cycle';
import { type Pod, type Snapshot } from '../../model/model';
import { withMigConfig } from '../../nodes/mig-config';
import { Selector } from '../../search/select';

/** Trials of one decision. */
const MOST_TRIALS = 24;

/** Gangs that start, with the nodes of their pods. */
export type Starts = ReadonlyMap<string, readonly string[]>;

/** A decision about pods in a session. */
export type Decides = (session: Session) => Cycle;

export class RepartitionTrials {
  private left = MOST_TRIALS;
  private world: Snapshot | undefined;

  /** @param wholly makes a whole decision, without MIG configurations */
  constructor(
    private readonly cycle: Cycle,
    private readonly wholly: Decides,
  ) {}

  /**
   * What the allocation of the next cycle starts.
   *
   * @param configs the MIG configurations that are applied, by node
   * @returns undefined if this decision has made all of its trials
   */
  allocatedWith(configs: ReadonlyMap<string, string>): Starts | undefined {
    return this.startedBy(configs, allocated);
  }

  /** The same for the whole decision of the next cycle, which takes longer. */
  decidedWith(configs: ReadonlyMap<string, string>): Starts | undefined {
    return this.startedBy(configs, this.wholly);
  }

  private startedBy(configs: ReadonlyMap<string, string>, decides: Decides): Starts | undefined {
    if (this.left <= 0) {
      return undefined;
    }
    this.left--;
    this.world ??= afterDecision(this.cycle);
    const nodes = this.world.nodes.map((node) => {
      const config = configs.get(node.name);
      return config === undefined ? node : withMigConfig(node, config);
    });
    const session = new Session({ ...this.world, nodes }, this.cycle.session.policy);
    const starts = new Map<string, string[]>();
    const { bound, withdrawn } = decides(session);
    for (const pod of bound) {
      if (!withdrawn.has(pod)) {
        addTo(starts, pod.role!.gang.gang.name, session.table.nodes[pod.row].name);
      }
    }
    return starts;
  }
}

function allocated(session: Session): Cycle {
  session.begin();
  const next = new Cycle(session, session.scoring(Selector));
  allocate(next, session.policy.actions.includes('backfill'));
  return next;
}

/** The world with the pods where this decision puts them, and without those that terminate. */
export function afterDecision({ session }: Cycle): Snapshot {
  const { snapshot } = session;
  const known = new Map(snapshot.pods.map((pod) => [pod.name, pod]));
  const leaving = new Set(session.leaving);
  const pods = session.pods.flatMap((record): readonly Pod[] => {
    const pod = known.get(record.name);
    if (record.row === NOWHERE ? record.existed : leaving.has(record)) {
      return [];
    }
    return record.row === NOWHERE || record.row === ELSEWHERE || record.releasing
      ? pod === undefined
        ? []
        : [pod]
      : [placedPod(session, record, pod)];
  });
  return { ...snapshot, pods };
}

function placedPod({ table }: Session, { name, role, row, devices }: PodRecord, pod: Pod | undefined): Pod {
  const start = table.deviceStart[row];
  return {
    ...(pod ?? { name, gang: role!.gang.gang.name, role: role!.role.name }),
    state: 'running',
    node: table.nodes[row].name,
    devices: devices.map((slot) => slot - start),
  };
}
