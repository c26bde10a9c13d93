/**
 * Nodes that may get another MIG configuration, and how many pods of a class each then takes.
 */
import { type Session } from '../../books/session';
import { type ClusterNode } from '../../model/model';
import { isInstanceResource, layoutOf } from '../../nodes/mig-config';
import { type PodClass } from '../../nodes/pod-class';

/** A row, and what it may become. */
export interface Offer {
  readonly row: number;
  readonly node: string;
  readonly config: string;
  /** Pods of the class that it then takes. */
  readonly takes: number;
}

/** Can a MIG configuration make a difference to pods of the class? */
export function isDivisible({ accelerator }: PodClass): boolean {
  return accelerator?.kind === 'mig' || accelerator?.kind === 'whole';
}

/** Rows whose devices work, are held by nothing, and can be repartitioned. */
export function freeRows({ table, pods }: Session): ReadonlySet<number> {
  const held = new Set<number>();
  for (const { podClass, row, home } of pods) {
    if (podClass.accelerator !== undefined) {
      held.add(row).add(home);
    }
  }
  return new Set(table.allRows.filter((row) => !held.has(row) && isFree(table.nodes[row], table.deviceResource[row])));
}

function isFree(node: ClusterNode, deviceResource: string): boolean {
  const { migConfigs, migChange, devices, ready, unschedulable, used = {} } = node;
  const isUsed = Object.keys(used).some(
    (name) => used[name] > 0 && (name === deviceResource || isInstanceResource(name)),
  );
  return (
    migConfigs !== undefined &&
    migChange === undefined &&
    ready !== false &&
    unschedulable !== true &&
    !isUsed &&
    devices?.every(({ healthy, replicas }) => healthy !== false && (replicas ?? 1) === 1) === true
  );
}

/** The row that takes all that is missing and least beyond; where none takes all, the one that takes the most. */
export function bestOffer(
  session: Session,
  rows: Iterable<number>,
  podClass: PodClass,
  missing: number,
): Offer | undefined {
  let best: Offer | undefined;
  for (const row of rows) {
    const offer = offerOf(session, row, podClass);
    if (offer !== undefined && (best === undefined || isBetter(offer.takes, best.takes, missing))) {
      best = offer;
    }
  }
  return best;
}

function isBetter(takes: number, best: number, missing: number): boolean {
  return best >= missing ? takes >= missing && takes < best : takes > best;
}

/** The configuration with which the row takes the most pods of the class; undefined if none gives it more of what they request. */
function offerOf(session: Session, row: number, podClass: PodClass): Offer | undefined {
  const { nodes } = session.table;
  const { name, devices = [], migConfigs = {} } = nodes[row];
  if (session.staticRow(podClass)[row] !== 0) {
    return undefined;
  }
  const room = besideDevices(session, row, podClass);
  const current = devices.reduce((sum, { mig }) => sum + unitsOf(mig, podClass), 0);
  let offer: Offer | undefined;
  for (const config of Object.keys(migConfigs)) {
    const units = unitsOf(layoutOf(nodes[row], config), podClass) * devices.length;
    const takes = Math.min(room, Math.floor(units / podClass.deviceCount));
    if (units > current && takes > (offer?.takes ?? 0)) {
      offer = { row, node: name, config, takes };
    }
  }
  return offer;
}

/** Pods of the class that the row takes as far as everything but devices is concerned. */
function besideDevices({ table }: Session, row: number, { columns, amounts }: PodClass): number {
  let room = Infinity;
  columns.forEach((column, i) => {
    if (!isInstanceResource(table.resources[column])) {
      room = Math.min(room, Math.floor(table.free[column][row] / amounts[i]));
    }
  });
  return room;
}

/** Instances that the class asks for, or whole devices, on a device with these instances. */
function unitsOf(layout: Readonly<Record<string, number>> | undefined, { accelerator }: PodClass): number {
  if (accelerator?.kind === 'mig') {
    return layout !== undefined && Object.hasOwn(layout, accelerator.profile) ? layout[accelerator.profile] : 0;
  }
  return layout === undefined || Object.keys(layout).length === 0 ? 1 : 0;
}
