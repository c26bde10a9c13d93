/**
 * Which accelerator a name means: people, node labels, clouds, and PCI ids spell them in different ways, and short names mean several.
 */
import { publicFunction } from '../../calls/public-function';
import { type MigProfile } from '../mig-profiles';
import { type AcceleratorVendor } from './facts';
import { ACCELERATORS, type AcceleratorName, type KnownAcceleratorFacts } from './index';
import { oneOf } from '../../words';

const PCI_VENDORS: Readonly<Partial<Record<AcceleratorVendor, string>>> = {
  nvidia: '10de',
  amd: '1002',
  intel: '1da3',
};

/** Names of companies and product lines, which tell nothing apart. */
const EMPTY_WORDS = new Set([
  'nvidia',
  'tesla',
  'amd',
  'instinct',
  'radeon',
  'intel',
  'habana',
  'huawei',
  'aws',
  'google',
  'cloud',
  'gpu',
  'npu',
  'accelerator',
]);

const byLabel = new Map<string, KnownAcceleratorFacts>();
const byCloud = new Map<string, KnownAcceleratorFacts>();
const byPci = new Map<string, KnownAcceleratorFacts>();
const byKey = new Map<string, KnownAcceleratorFacts>();
for (const accelerator of ACCELERATORS) {
  for (const label of accelerator.productLabels) {
    byLabel.set(label, accelerator);
  }
  for (const name of accelerator.cloudNames) {
    byCloud.set(name, accelerator);
  }
  for (const id of accelerator.pciDeviceIds) {
    byPci.set(`${PCI_VENDORS[accelerator.vendor]}:${id.toLowerCase()}`, accelerator);
  }
  byKey.set(wordsOf(accelerator.name).join(' '), accelerator);
}

/** The words of a name, in one spelling: `NVIDIA H100 SXM5 80 GB` is `h100 sxm 80gb`. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .toLowerCase()
    .replace(/(?<!\d)(\d+)\s*(gi?b)\b/g, '$1gb')
    .replace(/\b(sxm)[-\s]?\d\b/g, '$1')
    .replace(/\bhl-(\d+)[a-z]?\b/g, 'hl$1')
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/^ascend(?=\d)/, ''))
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word));
  return words.length === 1 ? words : words.filter((word) => word !== 'ascend');
}

/** The name without what sharing and MIG append to a product label. */
function withoutSuffix(name: string): string {
  return name
    .trim()
    .replace(/-SHARED$/i, '')
    .replace(/-MIG-\d+(?:c\.\d+)?g\.\d+gb.*$/i, '');
}

function byPciId(name: string): KnownAcceleratorFacts | undefined {
  const [, device, vendor] = /^(?:0x)?([0-9a-f]{4})(10de|1002|1da3)$/i.exec(name) ?? [];
  const [, first, second] = /^(10de|1002|1da3):([0-9a-f]{4})$/i.exec(name) ?? [];
  const key = device === undefined ? `${first}:${second}` : `${vendor}:${device}`;
  return byPci.get(key.toLowerCase());
}

/**
 * Every accelerator that a name can mean: one for a name of the catalog, a node label, a cloud's label value, or a PCI id; several for a
 * name that leaves out what tells boards apart (`H100`, `Gaudi`); none for a name that the catalog does not have.
 *
 * Words may come in any order and with or without the vendor: `h100-80gb-sxm`, `H100 SXM5`, `NVIDIA H100 80GB HBM3`.
 */
export function acceleratorsNamed(name: AcceleratorName): readonly KnownAcceleratorFacts[] {
  const bare = withoutSuffix(name);
  const exact = byLabel.get(bare) ?? byLabel.get(bare.replace(/\s+/g, '-')) ?? byCloud.get(bare) ?? byPciId(bare);
  if (exact !== undefined) {
    return [exact];
  }
  const words = wordsOf(bare);
  const own = byKey.get(words.join(' '));
  if (own !== undefined) {
    return [own];
  }
  return ACCELERATORS.filter(({ words: { model, detail, required } }) => {
    const rest = words.filter((word) => !model.includes(word));
    const describes = rest.length < words.length && rest.every((word) => detail.includes(word));
    return describes && required.every((word) => rest.includes(word));
  });
}

/**
 * The accelerator of this name in any spelling: `H100-SXM-80GB`, `h100 80gb sxm`, the product label of a node
 * (`NVIDIA-H100-80GB-HBM3-MIG-1g.10gb`), a cloud's label value (`nvidia-tesla-t4`), an instance type (`trn1.32xlarge`), or a PCI id
 * (`0x233010DE`, `1002:74a1`).
 *
 * A name that means several finds none: `acceleratorsNamed` lists them, and `acceleratorNamed` throws with the choices.
 */
export function findAccelerator(name: AcceleratorName): KnownAcceleratorFacts | undefined {
  const named = acceleratorsNamed(name);
  return named.length === 1 ? named[0] : undefined;
}

/**
 * The accelerator of this name, in any spelling.
 *
 * @throws if the catalog has no such name, or if the name means several; the error lists the choices.
 */
export const acceleratorNamed = /* @__PURE__ */ publicFunction(
  'catalog.acceleratorNamed',
  (name: AcceleratorName): KnownAcceleratorFacts => {
    const accelerator = findAccelerator(name);
    if (accelerator === undefined) {
      throw new Error(acceleratorProblem(name) ?? `unknown accelerator "${name}"`);
    }
    return accelerator;
  },
);

/** What is wrong with a name, as a clause with the choices; `undefined` where it means one accelerator. */
export function acceleratorProblem(name: AcceleratorName): string | undefined {
  const named = acceleratorsNamed(name);
  if (named.length === 1) {
    return undefined;
  }
  if (named.length > 1) {
    return `accelerator "${name}" is ambiguous: use ${list(named)}`;
  }
  const near = acceleratorsLike(name);
  return near.length > 0
    ? `unknown accelerator "${name}" (did you mean ${list(near.slice(0, 4))}?)`
    : `unknown accelerator "${name}"; list the known names with \`gantry catalog accelerators\``;
}

function list(accelerators: readonly KnownAcceleratorFacts[]): string {
  return oneOf(accelerators.map(({ name }) => name));
}

/**
 * Accelerators for a name that may be incomplete or slightly wrong, catalog order: those that it means, else those that have one of its
 * words or begin with it (`MI3`, `H100 80G`).
 */
export function acceleratorsLike(name: string): readonly KnownAcceleratorFacts[] {
  const named = acceleratorsNamed(name);
  const words = wordsOf(withoutSuffix(name));
  if (named.length > 0 || words.length === 0) {
    return named;
  }
  const shares = ({ words: { model } }: KnownAcceleratorFacts): boolean =>
    words.some((word) => model.some((own) => own === word || (word.length > 1 && own.startsWith(word))));
  return ACCELERATORS.filter(shares);
}

/**
 * The MIG profiles of an accelerator, in any spelling; a name that means several boards has profiles where all of them have the same.
 * Empty where the accelerator has no MIG, or is not in the catalog.
 */
export function migProfiles(name: AcceleratorName): readonly MigProfile[] {
  const [first, ...others] = acceleratorsNamed(name);
  const key = (profiles: readonly MigProfile[]): string => profiles.map((profile) => profile.name).join();
  return first !== undefined && others.every(({ mig }) => key(mig) === key(first.mig)) ? first.mig : [];
}
