/**
 * Which capacity filters of the policy apply to the pods of a queue, and which devices they keep pods away from.
 *
 * A filter is a part of the template, so that pods of queues with different filters are of different classes, and everything that is derived
 * from a class follows.
 */
import { type CapacityFilter } from '../../model/capacity-filter';
import { type PodTemplate, type Queue } from '../../model/model';
import { type DeviceReport } from '../capacity-report';

/** Templates with the filters of a queue: equal templates and filters give the same value. */
export class FilteredTemplates {
  private readonly made = new WeakMap<PodTemplate, Map<string, PodTemplate>>();
  private readonly byQueue = new Map<string, readonly CapacityFilter[]>();

  constructor(
    private readonly filters: readonly CapacityFilter[],
    private readonly queues: ReadonlyMap<string, Queue>,
  ) {}

  /** @param queue of the gang; undefined for a pod without a gang, to which filters of all queues apply */
  of(template: PodTemplate, queue: string | undefined): PodTemplate {
    if (this.filters.length === 0) {
      return template;
    }
    const filters = this.ofQueue(queue);
    if (filters.length === 0) {
      return template;
    }
    const known = this.made.get(template) ?? new Map<string, PodTemplate>();
    this.made.set(template, known);
    const key = filters.map((filter) => this.filters.indexOf(filter)).join();
    const found = known.get(key) ?? { ...template, capacityFilters: filters };
    known.set(key, found);
    return found;
  }

  private ofQueue(queue: string | undefined): readonly CapacityFilter[] {
    const key = queue ?? '';
    const known =
      this.byQueue.get(key) ?? this.filters.filter(({ queues }) => queues === undefined || this.isBelow(queue, queues));
    this.byQueue.set(key, known);
    return known;
  }

  /** Is the queue one of these, or below one of them? */
  private isBelow(queue: string | undefined, named: readonly string[]): boolean {
    const seen = new Set<string>();
    for (let at = queue; at !== undefined && !seen.has(at); at = this.queues.get(at)?.parent) {
      if (named.includes(at)) {
        return true;
      }
      seen.add(at);
    }
    return false;
  }
}

/** Does the report keep to the thresholds of all filters of this mode? A value that the report does not have keeps to any threshold. */
export function keepsTo(
  filters: readonly CapacityFilter[],
  mode: CapacityFilter['mode'],
  pool: string | undefined,
  { freeMemoryMiB = Infinity, utilization = 0, latencyMs = 0 }: DeviceReport,
): boolean {
  return filters.every(
    (filter) =>
      filter.mode !== mode ||
      (filter.pools !== undefined && (pool === undefined || !filter.pools.includes(pool))) ||
      (freeMemoryMiB >= (filter.freeMemoryMiB ?? 0) &&
        utilization <= (filter.utilization ?? Infinity) &&
        latencyMs <= (filter.latencyMs ?? Infinity)),
  );
}
