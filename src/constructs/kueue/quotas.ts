/**
 * Quotas per flavor, and the resource groups that follow from them.
 *
 * Kueue wants groups: resources that are given from one flavor together, each flavor of a group with a quota for each resource, in the
 * order of the group. All of this follows from the quotas, so users do not write it.
 */
import { type ClusterQueueSpecResourceGroup } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type Amounts, amountsByName, type AmountsByName } from '../pods/amounts';
import { type ResourceFlavorReference } from './resource-flavor';

/**
 * What a queue has of one flavor, in Kueue's own terms. In the terms of the other queues: `nominalQuota` is the deserved share,
 * `nominalQuota` less `lendingLimit` is the guarantee, and `nominalQuota` plus `borrowingLimit` is the capability.
 *
 * @example
 * const quotas: kueue.FlavorQuotas = {
 *   flavor: kueue.ResourceFlavor.fromName('h100'),
 *   nominalQuota: { cpu: 512, memory: '4Ti', accelerators: Accelerator.nvidia({ count: 64 }) },
 *   borrowingLimit: { accelerators: Accelerator.nvidia({ count: 16 }) },
 * };
 */
export interface FlavorQuotas {
  /** The flavor that the quotas are of. */
  readonly flavor: ResourceFlavorReference;
  /** The amounts that the queue can count on. A resource that is not named here is not available from the flavor. */
  readonly nominalQuota: Amounts;
  /** The most that the queue may take from the cohort in addition. @default - all that is idle there */
  readonly borrowingLimit?: Amounts;
  /** The most that the cohort may take while it is idle here. @default - all */
  readonly lendingLimit?: Amounts;
}

interface Group {
  readonly resources: readonly string[];
  readonly flavors: readonly NamedQuotas[];
}

interface NamedQuotas {
  readonly name: string;
  readonly nominalQuota: AmountsByName;
  readonly borrowingLimit: AmountsByName;
  readonly lendingLimit: AmountsByName;
}

/**
 * The groups, in the order in which their first flavors appear.
 *
 * @throws if a flavor is given twice, or one shares resources with another and lacks some of its
 */
export function resourceGroups(flavors: readonly FlavorQuotas[]): readonly ClusterQueueSpecResourceGroup[] {
  const groups: Group[] = [];
  for (const stated of flavors) {
    const flavor = named(stated);
    if (groups.some((group) => group.flavors.some(({ name }) => name === flavor.name))) {
      throw new Error(`The flavor ${flavor.name} is listed twice. Put all its quotas into one entry.`);
    }
    const resources = Object.keys(flavor.nominalQuota);
    const index = groups.findIndex((group) => group.resources.some((resource) => resources.includes(resource)));
    const group = groups[index];
    if (group === undefined) {
      groups.push({ resources, flavors: [flavor] });
    } else {
      groups[index] = { ...group, flavors: [...group.flavors, sameResources(flavor, group)] };
    }
  }
  return groups.map(({ resources, flavors: members }) => ({
    coveredResources: resources,
    flavors: members.map((flavor) => ({
      name: flavor.name,
      resources: resources.map((resource) => ({ name: resource, ...quotaOf(flavor, resource) })),
    })),
  }));
}

function named({ flavor: { name: flavorName }, ...quotas }: FlavorQuotas): NamedQuotas {
  const of = (member: 'nominalQuota' | 'borrowingLimit' | 'lendingLimit'): AmountsByName =>
    amountsByName(`flavor ${flavorName}: ${member}`, quotas[member] ?? {});
  const unknown = Object.keys(quotas).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) {
    throw new Error(
      `flavor ${flavorName}: unknown field "${unknown}". The fields are flavor, ${[...MEMBERS].join(', ')}; amounts are nominalQuota: { cpu: 96 }.`,
    );
  }
  const nominalQuota = of('nominalQuota');
  if (Object.keys(nominalQuota).length === 0) {
    throw new Error(`The flavor ${flavorName} has no quotas: nominalQuota must name at least one resource.`);
  }
  const limits = { borrowingLimit: of('borrowingLimit'), lendingLimit: of('lendingLimit') };
  for (const [member, amounts] of Object.entries(limits)) {
    const unquoted = Object.keys(amounts).find((resource) => !Object.hasOwn(nominalQuota, resource));
    if (unquoted !== undefined) {
      throw new Error(
        `flavor ${flavorName}: ${member} names ${unquoted}, which nominalQuota does not contain. Add it to nominalQuota, with 0 if there is none.`,
      );
    }
  }
  return { name: flavorName, nominalQuota, ...limits };
}

const MEMBERS: ReadonlySet<string> = new Set(['nominalQuota', 'borrowingLimit', 'lendingLimit']);

/** A resource is given out by one group only, so flavors that share one have to share all. */
function sameResources(flavor: NamedQuotas, group: Group): NamedQuotas {
  const [first] = group.flavors;
  const missing = group.resources.filter((resource) => !Object.hasOwn(flavor.nominalQuota, resource));
  const more = Object.keys(flavor.nominalQuota).filter((resource) => !group.resources.includes(resource));
  if (missing.length === 0 && more.length === 0) {
    return flavor;
  }
  const [lacks, from, what] =
    missing.length > 0 ? [flavor.name, first?.name ?? '', missing] : [first?.name ?? '', flavor.name, more];
  throw new Error(
    `The flavor ${lacks} has no quota for ${what.join(', ')}, which ${from} has. Flavors that share a resource must have the same resources: ` +
      'set 0 for a resource that the flavor does not have.',
  );
}

function quotaOf(
  { nominalQuota, borrowingLimit, lendingLimit }: NamedQuotas,
  resource: string,
): { readonly nominalQuota: string; readonly borrowingLimit?: string; readonly lendingLimit?: string } {
  const own = (amounts: AmountsByName): string | undefined =>
    Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
  const [borrowing, lending] = [own(borrowingLimit), own(lendingLimit)];
  return {
    nominalQuota: own(nominalQuota) ?? '0',
    ...(borrowing === undefined ? {} : { borrowingLimit: borrowing }),
    ...(lending === undefined ? {} : { lendingLimit: lending }),
  };
}
