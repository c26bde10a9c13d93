/**
 * Quotas per flavor, and the resource groups that follow from them.
 *
 * Kueue wants groups: resources that are given from one flavor together, each flavor of a group with a quota for each resource, in the
 * order of the group. All of that can be seen from the quotas, so nobody has to write it.
 */
import { type Quantity } from '../../facts/api/scalars';
import { type ClusterQueueSpecResourceGroup } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type IResourceFlavor } from './resource-flavor';

/** The nominal quota, or that with limits. */
export type Quota =
  | Quantity
  | {
      /** What can be counted on. */
      readonly nominal: Quantity;
      /** What may be taken from the cohort on top. @default - all that is idle there */
      readonly borrowing?: Quantity;
      /** What the cohort may take when it is idle here. @default - all */
      readonly lending?: Quantity;
    };

export interface FlavorQuotas {
  readonly flavor: IResourceFlavor;
  /** By resource; `gpu` is short for `nvidia.com/gpu`. */
  readonly quotas: Readonly<Record<string, Quota>>;
}

const GPU = 'nvidia.com/gpu';

interface Group {
  readonly resources: readonly string[];
  readonly flavors: readonly NamedQuotas[];
}

interface NamedQuotas {
  readonly name: string;
  readonly quotas: ReadonlyMap<string, Quota>;
}

/**
 * The groups, in the order in which their first flavors stand.
 *
 * @throws if a flavor is given twice, or one shares resources with another and lacks some of its
 */
export function resourceGroups(flavors: readonly FlavorQuotas[]): readonly ClusterQueueSpecResourceGroup[] {
  const groups: Group[] = [];
  for (const stated of flavors) {
    const flavor = named(stated);
    if (groups.some((group) => group.flavors.some(({ name }) => name === flavor.name))) {
      throw new Error(`The flavor ${flavor.name} is given twice. Put all its quotas into one entry.`);
    }
    const resources = [...flavor.quotas.keys()];
    const index = groups.findIndex((group) => group.resources.some((resource) => flavor.quotas.has(resource)));
    const group = groups[index];
    if (group === undefined) {
      groups.push({ resources, flavors: [flavor] });
    } else {
      groups[index] = { ...group, flavors: [...group.flavors, sameResources(flavor, group)] };
    }
  }
  return groups.map(({ resources, flavors: members }) => ({
    coveredResources: resources,
    flavors: members.map(({ name, quotas }) => ({
      name,
      resources: resources.map((resource) => ({ name: resource, ...quotaOf(quotas.get(resource) ?? 0) })),
    })),
  }));
}

function named({ flavor: { flavorName }, quotas }: FlavorQuotas): NamedQuotas {
  if (quotas.gpu !== undefined && quotas[GPU] !== undefined) {
    throw new Error(`gpu of the flavor ${flavorName} is short for ${GPU}, which is given too. Keep one of them.`);
  }
  const entries = Object.entries(quotas).map(([name, quota]): [string, Quota] => [name === 'gpu' ? GPU : name, quota]);
  if (entries.length === 0) {
    throw new Error(`The flavor ${flavorName} has no quotas: expected one resource at least.`);
  }
  return { name: flavorName, quotas: new Map(entries) };
}

/** A resource is given out by one group only, so flavors that share one have to share all. */
function sameResources(flavor: NamedQuotas, group: Group): NamedQuotas {
  const [first] = group.flavors;
  const missing = group.resources.filter((resource) => !flavor.quotas.has(resource));
  const more = [...flavor.quotas.keys()].filter((resource) => !group.resources.includes(resource));
  if (missing.length === 0 && more.length === 0) {
    return flavor;
  }
  const [lacks, from, what] =
    missing.length > 0 ? [flavor.name, first?.name ?? '', missing] : [first?.name ?? '', flavor.name, more];
  throw new Error(
    `The flavor ${lacks} has no quota for ${what.join(', ')}, which ${from} has. Flavors that share a resource need the same ones: ` +
      'state 0 where there is none.',
  );
}

function quotaOf(quota: Quota): {
  readonly nominalQuota: string;
  readonly borrowingLimit?: string;
  readonly lendingLimit?: string;
} {
  if (typeof quota !== 'object') {
    return { nominalQuota: String(quota) };
  }
  const { nominal, borrowing, lending } = quota;
  return {
    nominalQuota: String(nominal),
    ...(borrowing === undefined ? {} : { borrowingLimit: String(borrowing) }),
    ...(lending === undefined ? {} : { lendingLimit: String(lending) }),
  };
}
