/**
 * Pods that are alike are worked on once: equal templates make one class, and everything that is derived from a template (requests by
 * column, constraint results by row, score rows) is kept for the class.
 */
import { canonicalText } from '../model/canonical-text';
import { type AcceleratorRequest, DEFAULT_DEVICE_RESOURCE, type PodSelector, type PodTemplate } from '../model/model';
import { type CapacityFilter } from '../model/capacity-filter';
import { type NodeTable, PODS_COLUMN } from './node-table';

export interface PodClass {
  readonly id: number;
  readonly template: PodTemplate;
  /** Columns that are asked for, and how much of each. */
  readonly columns: Int32Array;
  readonly amounts: Float64Array;
  readonly accelerator: AcceleratorRequest | undefined;
  /** Only nodes with this device resource will do; undefined where any will. */
  readonly deviceResource: string | undefined;
  /** Devices or instances per pod. */
  readonly deviceCount: number;
  /** Ids of the models that will do; undefined for any. */
  readonly models: ReadonlySet<number> | undefined;
  /** Index of the MIG profile, -1 when it is not MIG or no device has the profile. */
  readonly profile: number;
  /** Capacity filters that apply to it. */
  readonly filters: readonly CapacityFilter[];
  /** Keys of its claims. */
  readonly claims: readonly string[];
  /** Has constraints that depend on other pods (ports, affinity, spread). */
  readonly dynamic: boolean;
  /** For the books of queues: amounts by resource name, devices as devices, MIG instances by their profile's number of slices. */
  readonly charge: ReadonlyMap<string, number>;
  /** What of it is for claims that other pods of the gang may share. */
  readonly shared: readonly SharedCharge[];
}

/** What one claim is charged, which pods may share. */
export interface SharedCharge {
  /** Of the claim. */
  readonly key: string;
  readonly charge: ReadonlyMap<string, number>;
}

export class PodClasses {
  readonly list: PodClass[] = [];
  private readonly byTemplate = new WeakMap<PodTemplate, PodClass>();
  private readonly byText = new Map<string, PodClass>();
  private readonly deviceResources: ReadonlySet<string>;
  /** Labels that the selector of some pod reads; other labels make no difference. */
  private readonly labels: Set<string>;
  /** Labels of all pods. */
  private readonly carried = new Set<string>();

  /** @param templates all that there are: a label counts only where one of them selects by it */
  constructor(
    private readonly table: NodeTable,
    templates: Iterable<PodTemplate>,
  ) {
    this.deviceResources = new Set(table.deviceResource);
    this.labels = new Set(selectedLabels(templates));
  }

  of(template: PodTemplate): PodClass {
    const known = this.byTemplate.get(template);
    if (known !== undefined) {
      return known;
    }
    for (const key of this.labels.size === 0 ? [] : selectedLabels([template])) {
      this.labels.add(key);
    }
    Object.keys(template.labels ?? {}).forEach((key) => this.carried.add(key));
    const text = canonicalText(this.whatCounts(template));
    let found = this.byText.get(text);
    if (found === undefined) {
      found = this.make(template);
      this.byText.set(text, found);
      this.list.push(found);
    }
    this.byTemplate.set(template, found);
    return found;
  }

  /**
   * Can the templates have classes among these? Not if one is the first to ask for a resource, to constrain other pods, or to select by a label
   * that any pod has.
   *
   * @param constrained some class constrains other pods already
   * @param isAccount is there an account of this name?
   */
  cover(templates: ReadonlySet<PodTemplate>, constrained: boolean, isAccount: (name: string) => boolean): boolean {
    const made = [...templates].filter((template) => !this.byTemplate.has(template));
    const selected = [...selectedLabels(made)].filter((key) => !this.labels.has(key));
    return (
      (constrained || !made.some(isDynamic)) &&
      (selected.length === 0 || this.labels.size > 0) &&
      selected.every((key) => !this.carried.has(key) && made.every(({ labels = {} }) => !Object.hasOwn(labels, key))) &&
      made.every((template) => this.covers(template, isAccount))
    );
  }

  private covers(template: PodTemplate, isAccount: (name: string) => boolean): boolean {
    const { columns } = this.table;
    const accelerator = acceleratorOf(template, this.deviceResources);
    return (
      Object.keys(template.request).every((name) => columns.has(name) || this.deviceResources.has(name)) &&
      [...chargeOf(template, accelerator, this.table).keys()].every(isAccount)
    );
  }

  /** Every pod of a job may have a unique label, such as its index, which does not affect where it fits. */
  private whatCounts(template: PodTemplate): PodTemplate {
    const { labels, namespace, ...rest } = template;
    if (this.labels.size === 0 || labels === undefined) {
      return this.labels.size === 0 ? rest : template;
    }
    return {
      ...rest,
      namespace,
      labels: Object.fromEntries(Object.entries(labels).filter(([key]) => this.labels.has(key))),
    };
  }

  private make(template: PodTemplate): PodClass {
    const accelerator = acceleratorOf(template, this.deviceResources);
    const asked = new Map<number, number>([[PODS_COLUMN, 1]]);
    for (const [name, amount] of Object.entries(template.request)) {
      const column = this.table.columns.get(name);
      if (amount > 0 && column !== undefined && column !== PODS_COLUMN) {
        asked.set(column, amount);
      }
    }
    const columns = [...asked.keys()].sort((a, b) => a - b);
    return {
      id: this.list.length,
      template,
      columns: Int32Array.from(columns),
      amounts: Float64Array.from(columns, (column) => asked.get(column)!),
      accelerator,
      deviceResource: accelerator?.resource,
      deviceCount: accelerator === undefined ? 0 : (accelerator.count ?? 1),
      models: modelsOf(accelerator, this.table),
      profile: accelerator?.kind === 'mig' ? this.table.profiles.indexOf(accelerator.profile) : -1,
      filters: template.capacityFilters ?? NO_FILTERS,
      claims: template.claims ?? NO_CLAIMS,
      dynamic: isDynamic(template),
      charge: chargeOf(template, accelerator, this.table),
      shared: Object.entries(template.sharedCharges ?? {}).map(([key, amounts]) => ({
        key,
        charge: new Map(Object.entries(amounts)),
      })),
    };
  }
}

const NO_FILTERS: readonly CapacityFilter[] = [];
const NO_CLAIMS: readonly string[] = [];

function isDynamic(template: PodTemplate): boolean {
  return [
    template.hostPorts,
    template.podAffinity,
    template.podAntiAffinity,
    template.preferredPodAffinity,
    template.preferredPodAntiAffinity,
    template.topologySpread,
  ].some((list) => list !== undefined && list.length > 0);
}

/** Keys of the labels by which pods select other pods, and `*`, which is not a label, as soon as any pod selects others. */
function selectedLabels(templates: Iterable<PodTemplate>): ReadonlySet<string> {
  const keys = new Set<string>();
  const see = ({ labels }: PodSelector): void => {
    keys.add('*');
    labels.forEach(({ key }) => keys.add(key));
  };
  for (const template of templates) {
    const { podAffinity, podAntiAffinity, topologySpread, preferredPodAffinity, preferredPodAntiAffinity } = template;
    [podAffinity, podAntiAffinity, topologySpread].forEach((list) => list?.forEach(({ selector }) => see(selector)));
    [preferredPodAffinity, preferredPodAntiAffinity].forEach((list) => list?.forEach(({ term }) => see(term.selector)));
  }
  return keys;
}

function modelsOf(accelerator: AcceleratorRequest | undefined, table: NodeTable): ReadonlySet<number> | undefined {
  const names = accelerator?.models;
  return names === undefined || names.length === 0
    ? undefined
    : new Set(names.map((name) => table.models.indexOf(name)).filter((id) => id >= 0));
}

/** An amount of the device resource is a request for whole devices. */
function acceleratorOf(template: PodTemplate, deviceResources: ReadonlySet<string>): AcceleratorRequest | undefined {
  if (template.accelerator !== undefined) {
    return (template.accelerator.count ?? 1) > 0 ? template.accelerator : undefined;
  }
  for (const [name, amount] of Object.entries(template.request)) {
    if (amount > 0 && deviceResources.has(name)) {
      return { kind: 'whole', count: amount, resource: name };
    }
  }
  return undefined;
}

/**
 * What a queue is charged for the pod. Devices are charged under the device resource in whole devices, shares as decimal parts. A MIG
 * instance that is requested by a resource name is charged under that name, and as many devices as its profile has compute slices only if
 * its queue counts so; one that has no name of its own always is.
 */
function chargeOf(
  template: PodTemplate,
  accelerator: AcceleratorRequest | undefined,
  table: NodeTable,
): ReadonlyMap<string, number> {
  const charge = new Map<string, number>();
  const add = (name: string, amount: number): unknown => charge.set(name, (charge.get(name) ?? 0) + amount);
  const deviceResource = accelerator?.resource ?? table.deviceResource[0] ?? DEFAULT_DEVICE_RESOURCE;
  const inSlices = accelerator?.kind === 'mig' && accelerator.countedInSlices === true;
  let isNamed = false;
  for (const [name, amount] of Object.entries(template.request)) {
    if (amount <= 0) {
      continue;
    }
    charge.set(name, amount);
    const slices = /^nvidia\.com\/mig-(\d+)g\./.exec(name);
    isNamed ||= slices !== null;
    if (slices !== null && inSlices) {
      add(deviceResource, Number(slices[1]) * amount);
    }
  }
  const isCountedByName = accelerator?.kind === 'mig' && isNamed && !inSlices;
  if (accelerator !== undefined && template.accelerator !== undefined && !isCountedByName) {
    charge.set(deviceResource, deviceCharge(accelerator, table));
  }
  Object.entries(template.charged ?? {}).forEach(([name, amount]) => add(name, amount));
  return charge;
}

function deviceCharge(accelerator: AcceleratorRequest, table: NodeTable): number {
  const count = accelerator.count ?? 1;
  switch (accelerator.kind) {
    case 'whole':
      return count;
    case 'fraction':
      return (count * accelerator.milli) / 1000;
    case 'memory':
      return (count * accelerator.mebibytes) / smallestMemory(table);
    case 'shared':
      return count;
    case 'mig':
      return count * Number(/^(\d+)g/.exec(accelerator.profile)?.[1] ?? 1);
  }
}

function smallestMemory(table: NodeTable): number {
  let least = Infinity;
  for (const memory of table.deviceMemory) {
    least = memory > 0 && memory < least ? memory : least;
  }
  return Number.isFinite(least) ? least : 1;
}

/** Whatever of a template makes a difference between nodes. */
export function nodeConstraints(template: PodTemplate): unknown {
  const { nodeName, nodeSelector, nodeTerms, preferredNodeTerms, volumeNodeTerms, tolerations } = template;
  return [nodeName, nodeSelector, nodeTerms, preferredNodeTerms, volumeNodeTerms, tolerations];
}
