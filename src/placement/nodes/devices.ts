/**
 * Which devices of a node serve a request, and how many such requests a node can still take.
 *
 * A device is thousandths. A whole device needs an unshared one; a fraction or a share of memory goes to the fullest device that
 * still fits it; time-sliced replicas are equal fractions; MIG instances are counted per device and profile.
 *
 * Several whole devices come from one NVLink island where one has enough of them (the smallest such), else from one NUMA node, else from as
 * few islands as can be: largest first. Lowest index first in all of it. O(devices of the node).
 */
import { type AcceleratorRequest } from '../model/model';
import { type CapacityFilter } from '../model/capacity-filter';
import { type DeviceReport } from './capacity-report';
import { keepsTo } from './filters/capacity';
import { type NodeTable, WHOLE } from './node-table';
import { type PodClass } from './pod-class';

/** Part of a device's memory that drivers keep: a device with less than this used still counts as empty. */
const RESERVED_PART = 0.05;

const NONE: readonly number[] = [];

/** Thousandths that the request takes of this device; more than a whole if the device cannot serve it at all. */
export function milliOn(table: NodeTable, slot: number, accelerator: AcceleratorRequest): number {
  switch (accelerator.kind) {
    case 'whole':
      return WHOLE;
    case 'fraction':
      return accelerator.milli;
    case 'memory': {
      const memory = table.deviceMemory[slot];
      return memory > 0 ? Math.ceil((accelerator.mebibytes * WHOLE) / memory) : WHOLE + 1;
    }
    case 'shared': {
      const replicas = table.devices[slot].replicas ?? 1;
      return replicas > 1 ? Math.floor(WHOLE / replicas) : WHOLE + 1;
    }
    case 'mig':
      return 0;
  }
}

/** Is a part of a device requested that other pods may use as well? */
export function isShared({ accelerator }: PodClass): boolean {
  return accelerator?.kind === 'fraction' || accelerator?.kind === 'memory' || accelerator?.kind === 'shared';
}

/** Can one request be served by the slot now? */
function serves(table: NodeTable, slot: number, podClass: PodClass): boolean {
  const accelerator = podClass.accelerator!;
  if (podClass.models !== undefined && !podClass.models.has(table.deviceModel[slot])) {
    return false;
  }
  if (accelerator.kind === 'mig') {
    return podClass.profile >= 0 && table.migFree[slot * table.profiles.length + podClass.profile] > 0;
  }
  return table.deviceFree[slot] >= milliOn(table, slot, accelerator) && reportAllows(table, slot, podClass);
}

/** The fresh report of a device, as far as it is about what a request would find there. */
function reportFor(table: NodeTable, slot: number, { kind }: AcceleratorRequest): DeviceReport | undefined {
  const report = table.deviceReport[slot];
  return report === undefined || (report.held === true && kind === 'whole') || table.isLeft(slot) ? undefined : report;
}

/** Do the filters of this mode accept the device? */
export function filtersAllow(
  table: NodeTable,
  slot: number,
  podClass: PodClass,
  mode: CapacityFilter['mode'],
): boolean {
  const { filters, accelerator } = podClass;
  if (filters.length === 0 || accelerator === undefined || accelerator.kind === 'mig') {
    return true;
  }
  const report = reportFor(table, slot, accelerator);
  return report === undefined || keepsTo(filters, mode, table.nodes[table.deviceRow[slot]].pool, report);
}

/** Does a fresh report leave the memory that the request counts on, and do the filters accept the device? */
export function reportAllows(table: NodeTable, slot: number, podClass: PodClass): boolean {
  return memoryAllows(table, slot, podClass.accelerator!) && filtersAllow(table, slot, podClass, 'hard');
}

/** Does a fresh report leave the memory that the request counts on? */
export function memoryAllows(table: NodeTable, slot: number, accelerator: AcceleratorRequest): boolean {
  const reported = reportFor(table, slot, accelerator)?.freeMemoryMiB;
  if (reported === undefined) {
    return true;
  }
  const memory = table.deviceMemory[slot];
  switch (accelerator.kind) {
    case 'memory':
      return reported >= accelerator.mebibytes;
    case 'whole':
      return reported >= memory * (1 - RESERVED_PART);
    case 'fraction':
      return reported >= (memory * (1 - RESERVED_PART) * accelerator.milli) / WHOLE;
    case 'shared':
    case 'mig':
      return true;
  }
}

/** How many requests of this class the devices of the row can take, at most `limit`. */
export function deviceCapacity(table: NodeTable, row: number, podClass: PodClass, limit: number): number {
  const { accelerator, deviceCount } = podClass;
  if (accelerator === undefined) {
    return limit;
  }
  if (accelerator.kind === 'whole' && podClass.models === undefined && table.reports.fresh === 0) {
    return Math.min(limit, Math.floor(table.wholeFree[row] / deviceCount));
  }
  let units = 0;
  const most = deviceCount > 1 ? limit : Infinity;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    if (serves(table, slot, podClass)) {
      const per = milliOn(table, slot, accelerator);
      const here =
        accelerator.kind === 'mig'
          ? table.migFree[slot * table.profiles.length + podClass.profile]
          : Math.floor(table.deviceFree[slot] / per);
      // Several devices of one pod are different ones, except for MIG instances and replicas: one device has several of them.
      units += accelerator.kind === 'mig' ? here : Math.min(here, most);
    }
  }
  let pods = Math.min(limit, Math.floor(units / deviceCount));
  if (pods > 0 && table.overdrawn[row] > 0) {
    pods = Math.min(pods, withinTotal(table, row, podClass));
  }
  if (deviceCount > 1 && accelerator.kind !== 'whole' && accelerator.kind !== 'mig') {
    while (pods > 0 && !distinct(table, row, podClass, pods)) {
      pods--;
    }
  }
  return pods;
}

/**
 * Where pods hold more of a device than it has, because the device of one of them is not known: what the node's devices have left in all
 * bounds what they take, whichever of them is the wrong one.
 */
function withinTotal(table: NodeTable, row: number, podClass: PodClass): number {
  let least = Infinity;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    if (serves(table, slot, podClass)) {
      least = Math.min(least, milliOn(table, slot, podClass.accelerator!));
    }
  }
  return least > 0 ? Math.floor(table.milliFree[row] / (least * podClass.deviceCount)) : Infinity;
}

/** Can `pods` pods each get `deviceCount` different devices? True when the units, at most `pods` of a device, are enough (Gale-Ryser). */
function distinct(table: NodeTable, row: number, podClass: PodClass, pods: number): boolean {
  let units = 0;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    if (serves(table, slot, podClass)) {
      units += Math.min(pods, Math.floor(table.deviceFree[slot] / milliOn(table, slot, podClass.accelerator!)));
    }
  }
  return units >= pods * podClass.deviceCount;
}

export function devicesFit(table: NodeTable, row: number, podClass: PodClass): boolean {
  const { accelerator, deviceCount } = podClass;
  if (accelerator === undefined) {
    return true;
  }
  if (accelerator.kind === 'whole' && podClass.models === undefined && table.reports.fresh === 0) {
    return table.wholeFree[row] >= deviceCount;
  }
  let found = 0;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    if (serves(table, slot, podClass)) {
      found += accelerator.kind === 'mig' ? table.migFree[slot * table.profiles.length + podClass.profile] : 1;
      if (found >= deviceCount) {
        return table.overdrawn[row] === 0 || withinTotal(table, row, podClass) > 0;
      }
    }
  }
  return false;
}

/** Slots for one pod of the class on the row, or undefined. A MIG device appears once for each of its instances. */
export function chooseDevices(table: NodeTable, row: number, podClass: PodClass): readonly number[] | undefined {
  const { accelerator, deviceCount } = podClass;
  if (accelerator === undefined) {
    return NONE;
  }
  if (table.overdrawn[row] > 0 && withinTotal(table, row, podClass) < 1) {
    return undefined;
  }
  if (podClass.models === undefined && podClass.filters.length === 0) {
    if (accelerator.kind === 'fraction' && deviceCount === 1) {
      const slot = preferredPart(table, row, accelerator);
      return slot < 0 ? undefined : [slot];
    }
    if (accelerator.kind === 'whole' && !table.linked && table.reports.fresh === 0) {
      return firstWhole(table, row, deviceCount);
    }
  }
  return chooseAmong(table, fittingSlots(table, row, podClass), podClass, accelerator);
}

function chooseAmong(
  table: NodeTable,
  fitting: readonly number[],
  podClass: PodClass,
  accelerator: AcceleratorRequest,
): readonly number[] | undefined {
  const { deviceCount } = podClass;
  switch (accelerator.kind) {
    case 'whole':
      return fitting.length < deviceCount ? undefined : chooseWhole(table, fitting, deviceCount);
    case 'mig':
      return chooseInstances(table, fitting, podClass);
    case 'fraction':
    case 'memory':
    case 'shared':
      if (fitting.length < deviceCount) {
        return undefined;
      }
      if (deviceCount === 1) {
        return [preferred(table, fitting, accelerator)];
      }
      return [...fitting]
        .sort((a, b) => sign(table) * (leftOver(table, a, accelerator) - leftOver(table, b, accelerator)) || a - b)
        .slice(0, deviceCount)
        .sort((a, b) => a - b);
  }
}

/** Devices that serve the class; only those that the soft filters accept, if they are enough. */
function fittingSlots(table: NodeTable, row: number, podClass: PodClass): readonly number[] {
  const fitting: number[] = [];
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    if (serves(table, slot, podClass)) {
      fitting.push(slot);
    }
  }
  const wished =
    podClass.filters.length === 0 ? fitting : fitting.filter((slot) => filtersAllow(table, slot, podClass, 'soft'));
  return wished.length >= podClass.deviceCount ? wished : fitting;
}

/** Do the soft filters accept enough devices of the row that serve the class? */
export function meetsSoftFilters(table: NodeTable, row: number, podClass: PodClass): boolean {
  return fittingSlots(table, row, podClass).every((slot) => filtersAllow(table, slot, podClass, 'soft'));
}

function sign({ spreadsFractions }: NodeTable): 1 | -1 {
  return spreadsFractions ? -1 : 1;
}

/** The same as `preferred` for a part of any device, the most frequent request, without a list; -1 where there is none. */
function preferredPart(
  table: NodeTable,
  row: number,
  accelerator: Extract<AcceleratorRequest, { readonly kind: 'fraction' }>,
): number {
  const { deviceStart, deviceFree, reports } = table;
  const { milli } = accelerator;
  const by = sign(table);
  let best = -1;
  let least = Infinity;
  for (let slot = deviceStart[row]; slot < deviceStart[row + 1]; slot++) {
    const free = deviceFree[slot];
    if (free >= milli && by * free < least && (reports.fresh === 0 || memoryAllows(table, slot, accelerator))) {
      best = slot;
      least = by * free;
    }
  }
  return best;
}

/** The slot with the least left over, or the most where fractions are spread; the first of equals. */
function preferred(table: NodeTable, fitting: readonly number[], accelerator: AcceleratorRequest): number {
  let best = fitting[0];
  const by = sign(table);
  let least = by * leftOver(table, best, accelerator);
  for (let i = 1; i < fitting.length; i++) {
    const left = by * leftOver(table, fitting[i], accelerator);
    if (left < least) {
      best = fitting[i];
      least = left;
    }
  }
  return best;
}

function leftOver(table: NodeTable, slot: number, accelerator: AcceleratorRequest): number {
  return table.deviceFree[slot] - milliOn(table, slot, accelerator);
}

/** The first whole devices that are free, where it does not matter which: the same as `chooseWhole`, and no more of them are looked at. */
function firstWhole(table: NodeTable, row: number, count: number): readonly number[] | undefined {
  const { deviceStart, deviceFree } = table;
  if (table.wholeFree[row] < count) {
    return undefined;
  }
  if (count > 1) {
    let from = deviceStart[row];
    while (deviceFree[from] < WHOLE) {
      from++;
    }
    let to = from;
    while (to < from + count && deviceFree[to] >= WHOLE) {
      to++;
    }
    if (to === from + count) {
      return table.neighbors(from, count);
    }
  }
  const chosen: number[] = [];
  for (let slot = deviceStart[row]; slot < deviceStart[row + 1] && chosen.length < count; slot++) {
    if (deviceFree[slot] >= WHOLE) {
      chosen.push(slot);
    }
  }
  return chosen.length < count ? undefined : chosen;
}

function chooseInstances(
  table: NodeTable,
  fitting: readonly number[],
  podClass: PodClass,
): readonly number[] | undefined {
  const profiles = table.profiles.length;
  const instances = (slot: number): number => table.migFree[slot * profiles + podClass.profile];
  const chosen: number[] = [];
  for (const slot of [...fitting].sort((a, b) => instances(a) - instances(b) || a - b)) {
    for (let i = instances(slot); i > 0 && chosen.length < podClass.deviceCount; i--) {
      chosen.push(slot);
    }
  }
  return chosen.length === podClass.deviceCount ? chosen : undefined;
}

function chooseWhole(table: NodeTable, fitting: readonly number[], count: number): readonly number[] {
  if (count === fitting.length) {
    return fitting;
  }
  if (!table.linked) {
    return fitting.slice(0, count);
  }
  const islands = grouped(fitting, (slot) => table.devices[slot].island);
  const numas = grouped(fitting, (slot) => table.devices[slot].numa);
  const single = tightest(islands, count) ?? tightest(numas, count);
  if (single !== undefined) {
    return single.slice(0, count);
  }
  const groups = islands.length > 0 ? islands : numas;
  const ordered = groups.sort((a, b) => b.length - a.length || a[0] - b[0]).flat();
  return [...ordered, ...fitting.filter((slot) => !ordered.includes(slot))].slice(0, count).sort((a, b) => a - b);
}

function tightest(groups: readonly (readonly number[])[], count: number): readonly number[] | undefined {
  let best: readonly number[] | undefined;
  for (const group of groups) {
    if (group.length >= count && (best === undefined || group.length < best.length)) {
      best = group;
    }
  }
  return best;
}

/** Groups of slots whose key is known, in the order of their first slots. */
function grouped(slots: readonly number[], keyOf: (slot: number) => string | number | undefined): number[][] {
  const groups = new Map<string | number, number[]>();
  for (const slot of slots) {
    const key = keyOf(slot);
    if (key !== undefined) {
      const group = groups.get(key);
      if (group === undefined) {
        groups.set(key, [slot]);
      } else {
        group.push(slot);
      }
    }
  }
  return [...groups.values()];
}
