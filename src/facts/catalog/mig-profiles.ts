/**
 * MIG profiles: how their names are built, and which resource and which config name they become.
 *
 * Which GPU has which profiles, and how often, is with the GPU (`accelerators.ts`).
 */

/** What follows the size has one sign: media engines (`+me`), graphics (`+gfx`), all media engines (`+me.all`), none (`-me`), or several (`+gfx,me`). */
const PROFILE = /^(?:(?<compute>\d+)c\.)?(?<slices>\d+)g\.(?<memory>\d+)gb(?<attributes>(?:[+-].+)?)$/;
const ATTRIBUTE = /^[a-zA-Z](?:[a-zA-Z0-9.]*[a-zA-Z0-9])?$/;
/** The numbers are 64-bit integers. */
const LARGEST = 2 ** 63;

/** One way to cut a GPU. */
export interface MigProfile {
  /** As NVIDIA writes it: `1g.10gb`, `1g.10gb+me`. */
  readonly name: string;
  /** The most instances of this profile alone that one GPU holds. */
  readonly maxPerGpu: number;
  /** Compute slices of each instance; a GPU has 7 (an A30 and an RTX PRO 6000 have 4). */
  readonly slices: number;
  /** Memory of each instance in GB, rounded as in its name. */
  readonly memoryGB: number;
  /** What follows the size, for example `+me`; empty for a plain profile. */
  readonly attributes: string;
  /** The resource a pod asks for under the mixed strategy. */
  readonly resource: `nvidia.com/mig-${string}`;
  /** The value of the node label `nvidia.com/mig.config` that cuts every GPU of a node this way. */
  readonly config: `all-${string}`;
}

/**
 * The parts of a profile name; `undefined` where it is none.
 *
 * Source: NVIDIA go-nvlib, pkg/nvlib/device/mig_profile.go.
 */
export function parseMigProfile(
  name: string,
): { readonly slices: number; readonly memoryGB: number; readonly attributes: string } | undefined {
  const parts = PROFILE.exec(name)?.groups;
  if (parts === undefined) {
    return undefined;
  }
  const { compute = '0', slices, memory, attributes = '' } = parts;
  const isValid = [compute, slices, memory].every((number) => Number(number) < LARGEST) && areAttributes(attributes);
  return isValid ? { slices: Number(slices), memoryGB: Number(memory), attributes } : undefined;
}

function areAttributes(text: string): boolean {
  const names = text === '' ? [] : text.slice(1).split(',');
  return names.every((name) => ATTRIBUTE.test(name)) && new Set(names).size === names.length;
}

/**
 * The resource of a profile under the mixed strategy: `1g.10gb+me` becomes `nvidia.com/mig-1g.10gb.me`.
 *
 * Source: NVIDIA k8s-device-plugin, internal/rm/rm.go (a `+` is not allowed in a resource name).
 */
export function migResource(profile: string): `nvidia.com/mig-${string}` {
  return `nvidia.com/mig-${profile.replaceAll('+', '.')}`;
}

/** The name of the ready-made mig-parted config that cuts every GPU into this profile: `all-1g.10gb`. */
export function migConfigName(profile: string): `all-${string}` {
  return `all-${profile.replaceAll('+', '.')}`;
}

/** Ready-made mig-parted configs that are not named after one profile. */
export const MIG_CONFIGS = {
  'all-disabled': 'MIG off on every GPU',
  'all-enabled': 'MIG on, no instance yet',
  'all-balanced': 'a mix: 2 x 1g, 1 x 2g, 1 x 3g (A30: 2 x 1g, 1 x 2g)',
} as const;

/**
 * The ready-made configs that cut every GPU of a node alike, with the instances of each GPU by profile; none under `all-disabled`.
 *
 * Source: mig-parted, deployments/systemd/config-default.yaml.
 */
export function uniformMigConfigs(
  profiles: readonly MigProfile[],
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return {
    'all-disabled': {},
    ...Object.fromEntries(profiles.map(({ config, name, maxPerGpu }) => [config, { [name]: maxPerGpu }])),
  };
}

export function migProfile(name: string, maxPerGpu: number): MigProfile {
  const parts = parseMigProfile(name);
  if (!parts) {
    throw new Error(`"${name}" is not a MIG profile: expected <slices>g.<memory>gb, for example 1g.10gb`);
  }
  return { name, maxPerGpu, ...parts, resource: migResource(name), config: migConfigName(name) };
}
