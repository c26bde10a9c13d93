/**
 * The pods of one gang, and what they come to as a gang of the placement core.
 */
import {
  type GangHints,
  type GangIdentity,
  gangTerms,
  mergedHints,
  type PodGroupFacts,
  type Priorities,
} from '../../../planning/cluster/objects';
import { type Gang, type Role } from '../../../placement';
import { compareNames } from '../../../placement/model/names';
import { type PodEntry } from './pod-entry';

/** What a gang's parts refer to. */
export interface GangContext {
  readonly group: PodGroupFacts | undefined;
  /** The queue that the gang is charged to. */
  readonly queue: string;
  readonly priorities: Priorities;
}

/** What tells gangs apart: the key, and the API group of a PodGroup. A key has no blank, so that the parts cannot be mistaken for each other. */
export function gangId({ group, key }: Pick<GangIdentity, 'group' | 'key'>): string {
  return group === '' ? key : `${key} ${group}`;
}

export class GangMembers {
  readonly pods = new Map<string, PodEntry>();
  /** Grows with every change of its pods. */
  generation = 0;
  private aside: { readonly reason: string; readonly generation: number; readonly now: number } | undefined;
  private hintsKnown: { readonly group: PodGroupFacts | undefined; readonly hints: GangHints } | undefined;
  private cached: { readonly gang: Gang; readonly context: GangContext; readonly held: boolean } | undefined;
  /** In snapshots and for people: `namespace/name` wherever that is unique, else the key. */
  name: string;
  /** Since when it has been below its minimum, in the API server's time, and whether it ever had it; see `snapshot.ts`. */
  below: number | undefined;
  ranWhole: boolean | undefined;

  constructor(
    readonly key: string,
    readonly identity: GangIdentity,
  ) {
    this.name = key;
  }

  put(entry: PodEntry): void {
    this.pods.set(entry.key, entry);
    this.changed();
  }

  remove(key: string): void {
    this.pods.delete(key);
    this.changed();
  }

  private changed(): void {
    this.generation++;
    this.cached = undefined;
    this.hintsKnown = undefined;
  }

  /** Why the gang is left out of decisions, until it changes or some time has passed. */
  setAside(reason: string, now: number): void {
    this.aside = { reason, generation: this.generation, now };
  }

  get asideReason(): string | undefined {
    return this.aside?.reason;
  }

  reconsider(now: number, after: number): void {
    if (this.aside !== undefined && (this.aside.generation !== this.generation || now - this.aside.now >= after)) {
      this.aside = undefined;
    }
  }

  /** What its pod group says, then its pods. */
  hints(group: PodGroupFacts | undefined): GangHints {
    if (this.hintsKnown === undefined || this.hintsKnown.group !== group) {
      this.hintsKnown = {
        group,
        hints: mergedHints(group?.hints ?? {}, ...this.inOrder().map((entry) => entry.hints)),
      };
    }
    return this.hintsKnown.hints;
  }

  /** Says its own minimum; a gang that does not is as large as the pods that exist. */
  statesMinimum(group: PodGroupFacts | undefined): boolean {
    const { together, kind } = this.identity;
    return (
      !together ||
      kind === 'Pod' ||
      group?.hints.minimum !== undefined ||
      [...this.pods.values()].some(({ hints }) => hints.minimum !== undefined)
    );
  }

  /**
   * @param withoutWaiting its waiting pods are held back
   */
  gang(context: GangContext, withoutWaiting: boolean): Gang {
    const { cached } = this;
    if (cached?.held === withoutWaiting && cached.gang.name === this.name && isSame(cached.context, context)) {
      return cached.gang;
    }
    const gang = this.make(context, withoutWaiting);
    this.cached = { gang, context, held: withoutWaiting };
    return gang;
  }

  /** Its pods by their names, so that the order in which they were seen does not matter. */
  private inOrder(): readonly PodEntry[] {
    return [...this.pods.values()].sort((a, b) => compareNames(a.key, b.key));
  }

  private make({ group, queue, priorities }: GangContext, withoutWaiting: boolean): Gang {
    const all = this.inOrder();
    const live = all.filter(({ state }) => state === 'waiting' || state === 'placed');
    const hints = this.hints(group);
    // What has done its work is not missed.
    const succeeded = all.filter(({ state }) => state === 'succeeded').length;
    // Pods that are useful individually need only one of them.
    const minimum =
      hints.minimum !== undefined ? Math.max(0, hints.minimum - succeeded) : this.identity.together ? live.length : 1;
    const counted = withoutWaiting ? live.filter(({ state }) => state === 'placed') : live;
    return {
      name: this.name,
      queue,
      ...gangTerms(hints, priorities),
      roles: rolesOf(all, counted, group),
      minimum,
      arrival: Math.min(group?.createdAt ?? Infinity, ...all.map(({ createdAt }) => createdAt)),
    };
  }
}

function isSame(a: GangContext, b: GangContext): boolean {
  return a.group === b.group && a.queue === b.queue && a.priorities === b.priorities;
}

/** Roles of pods that are leaving have to exist as well. */
function rolesOf(all: readonly PodEntry[], counted: readonly PodEntry[], group: PodGroupFacts | undefined): Role[] {
  const firsts = new Map<string, PodEntry>();
  const counts = new Map<string, number>();
  for (const entry of [...counted, ...all]) {
    const role = roleOf(entry);
    firsts.set(role, firsts.get(role) ?? entry);
  }
  counted.forEach((entry) => counts.set(roleOf(entry), (counts.get(roleOf(entry)) ?? 0) + 1));
  return [...firsts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { template, hints }]) => {
      const minimum =
        group !== undefined && Object.hasOwn(group.roleMinimum, name) ? group.roleMinimum[name] : undefined;
      return {
        name,
        count: counts.get(name) ?? 0,
        template,
        ...(minimum !== undefined && { minimum }),
        ...(hints.roleTopology !== undefined && { topology: hints.roleTopology }),
      };
    });
}

export function roleOf({ gang }: PodEntry): string {
  return gang?.role ?? 'pod';
}
