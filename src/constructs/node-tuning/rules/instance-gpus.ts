/**
 * How many NVIDIA GPUs the instance types of AWS have, as far as they are known here: a type that is not listed may have any number.
 *
 * Source: the documents of AWS Batch (GPU jobs) and of Amazon EC2 (accelerated computing instances).
 */
import { type Manifest } from '../../../manifests/manifest';
import { asString, objectsAt, stringsIn } from '../../../manifests/read';

/** By size, for families that have one GPU in most sizes. */
const USUAL_SIZES = {
  ...Object.fromEntries(['xlarge', '2xlarge', '4xlarge', '8xlarge', '16xlarge'].map((size) => [size, 1])),
  '12xlarge': 4,
  '24xlarge': 4,
  '48xlarge': 8,
};

const GPUS: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  Object.entries({
    g4dn: { xlarge: 1, '2xlarge': 1, '4xlarge': 1, '8xlarge': 1, '16xlarge': 1, '12xlarge': 4, metal: 8 },
    g5: USUAL_SIZES,
    g6: USUAL_SIZES,
    g6e: USUAL_SIZES,
    p3: { '2xlarge': 1, '8xlarge': 4, '16xlarge': 8 },
    p3dn: { '24xlarge': 8 },
    p4d: { '24xlarge': 8 },
    p4de: { '24xlarge': 8 },
    p5: { '4xlarge': 1, '48xlarge': 8 },
    p5e: { '48xlarge': 8 },
    p5en: { '48xlarge': 8 },
    'p6-b200': { '48xlarge': 8 },
    'p6-b300': { '48xlarge': 8 },
  }).map(([family, sizes]) => [family, new Map(Object.entries(sizes))]),
);

const TYPE_LABELS = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const FAMILY_LABELS = ['karpenter.k8s.aws/instance-family', 'eks.amazonaws.com/instance-family'];
const SIZE_LABELS = ['karpenter.k8s.aws/instance-size', 'eks.amazonaws.com/instance-size'];

/** The values that the requirements of a pool leave for one of these labels; undefined where they list none. */
function valuesOf({ object }: Manifest, labels: readonly string[]): readonly string[] | undefined {
  const lists = objectsAt(object, '/spec/template/spec/requirements')
    .filter(({ value }) => value.operator === 'In' && labels.includes(asString(value.key) ?? ''))
    .map(({ value }) => stringsIn(value.values));
  const [first, ...others] = lists.map((list) => new Set(list));
  return first && [...first].filter((value) => others.every((list) => list.has(value)));
}

const mostByPool = new WeakMap<Manifest, number | undefined>();

/** The most NVIDIA GPUs of the instance types that the requirements of a pool list; undefined where one of them is not known. */
export function mostOfInstanceTypes(pool: Manifest): number | undefined {
  if (!mostByPool.has(pool)) {
    mostByPool.set(pool, mostIn(pool));
  }
  return mostByPool.get(pool);
}

function mostIn(pool: Manifest): number | undefined {
  const sizes = valuesOf(pool, SIZE_LABELS);
  const types = valuesOf(pool, TYPE_LABELS);
  const families = valuesOf(pool, FAMILY_LABELS);
  const counts =
    types === undefined
      ? families?.flatMap((family) => countsOf(family, sizes))
      : types.map((type) => {
          const [family = '', size = ''] = type.split('.');
          return GPUS.get(family)?.get(size);
        });
  return counts === undefined || counts.length === 0 || counts.includes(undefined)
    ? undefined
    : Math.max(...counts.filter((count) => count !== undefined));
}

function countsOf(family: string, sizes: readonly string[] | undefined): readonly (number | undefined)[] {
  const known = GPUS.get(family);
  return known === undefined ? [undefined] : (sizes ?? [...known.keys()]).map((size) => known.get(size));
}
