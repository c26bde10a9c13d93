/**
 * The books of one decision: what is free on every node and device, what every queue and gang has. Everything goes through `place` and
 * `remove`, and each of them is written to an operation log, so that a trial of any depth is undone exactly: `mark`, try, `rollback`.
 *
 * Amounts of nodes and devices are whole numbers in 64-bit floats (exact up to 2^53), so undoing leaves no dust there; queues are
 * charged shares of devices as decimal parts, and are compared with a tolerance. O(columns + devices of the node) each.
 */
import { listById } from '../../facts/collections';
import { chooseDevices, deviceCapacity, devicesFit, milliOn } from '../nodes/devices';
import { type PodsOnNodes } from '../nodes/filters/pods-on-nodes';
import { type ClaimedDevices } from '../model/claims';
import { type NodeTable } from '../nodes/node-table';
import { type PodClass, type SharedCharge } from '../nodes/pod-class';
import { type ClaimBooks } from './claim-books';
import { ELSEWHERE, type GangRecord, NOWHERE, type PodRecord, type QueueRecord } from './records';
import { Epochs, Remembered } from './remembered';

export interface Charge {
  readonly ids: Int32Array;
  readonly amounts: Float64Array;
}

export class Ledger {
  /** Operations that can be undone: the lists below are as long as there ever were, and nothing is made for one operation. */
  private logged = 0;
  private readonly logPods: (PodRecord | undefined)[] = [undefined];
  /** Row where the pod was placed, or the complement of the row that it was removed from. */
  private logRows = new Int32Array(64);
  private readonly logDevices: (readonly number[])[] = [NO_DEVICES];
  /** Version that the row had before; NO_VERSION where it may differ in more than the pod. */
  private logVersions = new Int32Array(64);
  private readonly logClaims: (readonly ClaimedDevices[])[] = [NO_CLAIMS];
  private readonly charges = listById<Charge>();
  private readonly sharedCharges = new WeakMap<SharedCharge, Charge>();
  readonly epochs = new Epochs();
  /** Pods that were loaded although no devices of their nodes are left for them. */
  readonly contradictions = new Map<PodRecord, number>();
  /** Classes that were seen not to fit anywhere. */
  private readonly noFit = new Remembered<true>(this.epochs);

  constructor(
    readonly table: NodeTable,
    private readonly others: PodsOnNodes,
    private readonly accounts: readonly string[],
    readonly claims: ClaimBooks,
  ) {}

  charge(podClass: PodClass): Charge {
    return (this.charges[podClass.id] ??= this.made(podClass.charge));
  }

  /** What a claim that pods share adds to the charge of each of their classes. */
  chargeOfShared(shared: SharedCharge): Charge {
    let charge = this.sharedCharges.get(shared);
    if (charge === undefined) {
      charge = this.made(shared.charge);
      this.sharedCharges.set(shared, charge);
    }
    return charge;
  }

  private made(charge: ReadonlyMap<string, number>): Charge {
    return {
      ids: Int32Array.from(charge.keys(), (name) => this.accounts.indexOf(name)),
      amounts: Float64Array.from(charge.values()),
    };
  }

  /** Resources and devices only. */
  fits(podClass: PodClass, row: number): boolean {
    return (
      this.resourcesFit(podClass, row) && (podClass.accelerator === undefined || devicesFit(this.table, row, podClass))
    );
  }

  resourcesFit({ columns, amounts }: PodClass, row: number): boolean {
    const { free } = this.table;
    for (let i = 0; i < columns.length; i++) {
      if (free[columns[i]][row] < amounts[i]) {
        return false;
      }
    }
    return true;
  }

  /** How many more pods of the class the row's resources and devices take, at most `limit`. */
  capacity(podClass: PodClass, row: number, limit: number): number {
    const { columns, amounts } = podClass;
    const { free } = this.table;
    let most = limit;
    for (let i = 0; i < columns.length && most > 0; i++) {
      most = Math.min(most, Math.floor(free[columns[i]][row] / amounts[i]));
    }
    return most <= 0 ? 0 : deviceCapacity(this.table, row, podClass, most);
  }

  /** Places the pod if devices can be found; the caller has tested everything else. */
  place(pod: PodRecord, row: number): boolean {
    const devices = chooseDevices(this.table, row, pod.podClass);
    if (devices === undefined) {
      return false;
    }
    if (pod.podClass.claims.length === 0) {
      this.placeOn(pod, row, devices);
      return true;
    }
    const claimed = this.claims.first(pod, this.table.nodes[row].name);
    if (claimed === undefined) {
      return false;
    }
    this.placeOn(pod, row, devices, claimed);
    return true;
  }

  /** The same with claims whose devices are chosen already. */
  placeWith(pod: PodRecord, row: number, claimed: readonly ClaimedDevices[]): boolean {
    const devices = chooseDevices(this.table, row, pod.podClass);
    if (devices === undefined) {
      return false;
    }
    this.placeOn(pod, row, devices, claimed);
    return true;
  }

  placeOn(
    pod: PodRecord,
    row: number,
    devices: readonly number[],
    claimed: readonly ClaimedDevices[] = NO_CLAIMS,
  ): void {
    const version = this.versionBefore(row, claimed);
    this.apply(pod, row, devices, 1, claimed);
    this.note(pod, row, devices, claimed, version);
  }

  remove(pod: PodRecord): void {
    const { row, devices, claimed } = pod;
    const version = this.versionBefore(row, claimed);
    this.apply(pod, row, devices, -1, claimed);
    this.epochs.begin();
    this.note(pod, ~row, devices, claimed, version);
  }

  /**
   * Puts a pod that runs already on the books, even where that is more than the node has. Not undone by anything. What it holds by its
   * claims was taken when it came.
   */
  load(pod: PodRecord, row: number, devices: readonly number[]): void {
    // What was known of less free resources says nothing of the new books.
    this.epochs.begin();
    const wanted = pod.podClass.deviceCount;
    // Two pods cannot hold one device, whatever they say: the second is taken to hold another.
    const known =
      row === ELSEWHERE || (devices.length === wanted && !this.isHeld(pod, devices))
        ? devices
        : (chooseDevices(this.table, row, pod.podClass) ?? this.contradiction(pod, row, wanted));
    this.apply(pod, row, known, 1, NO_CLAIMS);
  }

  /** Removes a pod from the books permanently, with the exception of its claims. */
  unload(pod: PodRecord): void {
    this.epochs.begin();
    this.contradictions.delete(pod);
    this.apply(pod, pod.row, pod.devices, -1, NO_CLAIMS);
  }

  /** Does another pod hold one of these devices? One that is broken, or divided meanwhile, is still the pod's own. */
  private isHeld(pod: PodRecord, devices: readonly number[]): boolean {
    if (pod.podClass.accelerator?.kind === 'mig') {
      return false;
    }
    const { deviceCapacity } = this.table;
    const whole: number[] = [];
    for (const slot of devices) {
      if (deviceCapacity[slot] > 0) {
        whole.push(slot);
      }
    }
    return !this.areFree(pod, whole);
  }

  /** Can the pod go back exactly where it was? */
  couldReturn(pod: PodRecord, row: number, devices: readonly number[]): boolean {
    const { columns, amounts } = pod.podClass;
    for (let i = 0; i < columns.length; i++) {
      if (this.table.free[columns[i]][row] < amounts[i]) {
        return false;
      }
    }
    return this.areFree(pod, devices);
  }

  private areFree({ podClass }: PodRecord, devices: readonly number[]): boolean {
    const { accelerator } = podClass;
    if (accelerator === undefined) {
      return true;
    }
    const { table } = this;
    if (accelerator.kind === 'mig') {
      const { profile } = podClass;
      return devices.every(
        (slot) =>
          table.migFree[slot * table.profiles.length + profile] >= devices.filter((other) => other === slot).length,
      );
    }
    for (let i = 0; i < devices.length; i++) {
      const slot = devices[i];
      // Nor can one pod hold one device twice.
      if (table.deviceFree[slot] < milliOn(table, slot, accelerator) || devices.indexOf(slot) < i) {
        return false;
      }
    }
    return true;
  }

  mark(): number {
    this.epochs.mark();
    return this.logged;
  }

  /** Keeps what was done where it succeeds, and nothing of it where it does not. */
  attempt(placed: () => boolean): boolean {
    const mark = this.mark();
    if (placed()) {
      this.keep();
      return true;
    }
    this.rollback(mark);
    return false;
  }

  /** Forgets a mark without undoing anything. */
  keep(): void {
    this.epochs.keep();
  }

  /** Undoes everything since the latest mark, which must be the one given. */
  rollback(mark: number): void {
    const { logPods, logRows, logDevices, logVersions, logClaims } = this;
    while (this.logged > mark) {
      const at = --this.logged;
      const row = logRows[at];
      const version = logVersions[at];
      const on = row >= 0 ? row : ~row;
      this.apply(logPods[at]!, on, logDevices[at], row >= 0 ? -1 : 1, logClaims[at]);
      logPods[at] = undefined;
      if (version !== NO_VERSION) {
        this.table.becomes(on, version);
      }
    }
    this.epochs.rollback();
  }

  private note(
    pod: PodRecord,
    row: number,
    devices: readonly number[],
    claimed: readonly ClaimedDevices[],
    version: number,
  ): void {
    const at = this.logged++;
    if (at === this.logRows.length) {
      this.logRows = twiceAsLong(this.logRows);
      this.logVersions = twiceAsLong(this.logVersions);
    }
    this.logPods[at] = pod;
    this.logRows[at] = row;
    this.logDevices[at] = devices;
    this.logVersions[at] = version;
    this.logClaims[at] = claimed;
  }

  private versionBefore(row: number, claimed: readonly ClaimedDevices[]): number {
    return row >= 0 && claimed.length === 0 ? this.table.version[row] : NO_VERSION;
  }

  /** Pods placed and removed since a mark, oldest first. */
  since(mark: number): readonly PodRecord[] {
    return this.logPods.slice(mark, this.logged) as PodRecord[];
  }

  isKnownNotToFit(podClass: PodClass): boolean {
    return this.noFit.get(podClass.id) === true;
  }

  rememberNoFit(podClass: PodClass): void {
    this.noFit.set(podClass.id, true);
  }

  private apply(
    pod: PodRecord,
    row: number,
    devices: readonly number[],
    by: 1 | -1,
    claimed: readonly ClaimedDevices[],
  ): void {
    const { podClass, role } = pod;
    pod.row = by === 1 ? row : NOWHERE;
    pod.devices = by === 1 ? devices : NO_DEVICES;
    if (claimed.length > 0) {
      pod.claimed = by === 1 ? claimed : NO_CLAIMS;
      this.claims.change(claimed, by);
    }
    if (row >= 0) {
      this.applyToNode(podClass, row, devices, by);
    }
    if (role !== undefined && !pod.releasing) {
      role.placed += by;
      role.gang.placed += by;
      chargeQueues(role.gang.queue, this.charge(podClass), by, pod.preemptible ? 0 : by);
      const { shared } = podClass;
      for (let i = 0; i < shared.length; i++) {
        this.chargeOnce(pod, role.gang, shared[i], by);
      }
    }
  }

  /** Takes back what the pod was charged for a claim that another pod of its gang is charged for. */
  private chargeOnce(pod: PodRecord, gang: GangRecord, shared: SharedCharge, by: 1 | -1): void {
    gang.claimPods ??= new Map();
    const holders = gang.claimPods.get(shared.key) ?? { all: 0, fixed: 0 };
    gang.claimPods.set(shared.key, holders);
    const others = by === 1 ? 0 : 1;
    const allocated = holders.all > others ? -by : 0;
    const nonPreemptible = !pod.preemptible && holders.fixed > others ? -by : 0;
    holders.all += by;
    holders.fixed += pod.preemptible ? 0 : by;
    chargeQueues(gang.queue, this.chargeOfShared(shared), allocated, nonPreemptible);
  }

  private applyToNode(podClass: PodClass, row: number, devices: readonly number[], by: 1 | -1): void {
    const { table } = this;
    const { columns, amounts, accelerator } = podClass;
    const { free } = table;
    for (let i = 0; i < columns.length; i++) {
      free[columns[i]][row] -= by * amounts[i];
    }
    if (accelerator !== undefined && devices.length > 0) {
      if (accelerator.kind === 'mig') {
        for (let i = 0; i < devices.length; i++) {
          table.migFree[devices[i] * table.profiles.length + podClass.profile] -= by;
        }
      } else {
        for (let i = 0; i < devices.length; i++) {
          table.take(row, devices[i], by * milliOn(table, devices[i], accelerator));
        }
      }
    }
    table.changed(row);
    if (this.others.active) {
      this.others.count(podClass, row, by);
    }
  }

  private contradiction(pod: PodRecord, row: number, wanted: number): readonly number[] {
    this.contradictions.set(pod, row);
    return this.anyDevices(row, wanted);
  }

  /** For a pod that runs although nothing suits it: the devices with the most free. */
  private anyDevices(row: number, count: number): readonly number[] {
    const { deviceStart, deviceFree } = this.table;
    const slots = Array.from({ length: deviceStart[row + 1] - deviceStart[row] }, (_, i) => deviceStart[row] + i);
    return slots
      .sort((a, b) => deviceFree[b] - deviceFree[a] || a - b)
      .slice(0, count)
      .sort((a, b) => a - b);
  }
}

/** @param by how many times it is charged */
function chargeQueues(
  first: QueueRecord | undefined,
  { ids, amounts }: Charge,
  by: number,
  nonPreemptible: number,
): void {
  for (let queue = first; queue !== undefined; queue = queue.parent) {
    for (let i = 0; i < ids.length; i++) {
      queue.allocated[ids[i]] += by * amounts[i];
      if (nonPreemptible !== 0) {
        queue.nonPreemptible[ids[i]] += nonPreemptible * amounts[i];
      }
    }
  }
}

function twiceAsLong(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(2 * numbers.length);
  longer.set(numbers);
  return longer;
}

const NO_CLAIMS: readonly ClaimedDevices[] = [];
const NO_DEVICES: readonly number[] = [];
const NO_VERSION = -1;
