/**
 * Mutations of who an object is: names, labels, annotations, owners, finalizers, scope and version.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { idOf } from '../../../src/manifests/identity';
import { asObject, isObject } from '../../../src/manifests/read';
import { type Operator, replaced } from './mutation';
import { type Random } from '../../support/random';
import { type Path, type Site } from './sites';

const LONG_LABEL = 'a'.repeat(64);

const NAMES: readonly JsonValue[] = [
  'UPPER',
  'a_b',
  'a.b',
  'a..b',
  '-a',
  'a-',
  '1a',
  'a/b',
  'a%b',
  '.',
  '..',
  'a b',
  'ü',
  'a:b',
  '',
  null,
  5,
  LONG_LABEL,
  'a'.repeat(53),
  'a'.repeat(63),
  'a'.repeat(253),
  'a'.repeat(254),
];

export const name: Operator = {
  name: 'bad name',
  apply(object, _sites, random) {
    const field = random.chance(0.85) ? 'name' : 'generateName';
    return replaced(object, ['metadata', field], random.pick(NAMES));
  },
};

const KEYS = [
  'a',
  'a/b',
  'A.b/c',
  '/a',
  'a/',
  'a/b/c',
  '',
  'a b',
  '-a',
  'a-',
  'ü',
  'example.com/UPPER',
  LONG_LABEL,
  `${'a'.repeat(254)}/b`,
  'kubernetes.io/x',
  'a..b/c',
  'x_y/z',
];
const VALUES: readonly JsonValue[] = [
  '',
  'a',
  'a b',
  '-a',
  'a-',
  'a/b',
  'ü',
  LONG_LABEL,
  'a'.repeat(63),
  1,
  true,
  null,
  {},
  [],
  'A_b.c',
];

/** Labels and annotations: of the object, of templates inside it, of selectors. */
export const label: Operator = {
  name: 'bad label',
  apply(object, sites, random) {
    const maps = sites.filter(
      ({ path, value }) =>
        isObject(value) && /^(labels|annotations|matchLabels|nodeSelector)$/.test(String(path[path.length - 1])),
    );
    const own: Path = ['metadata', random.pick(['labels', 'annotations'])];
    const path = maps.length > 0 && random.chance(0.6) ? random.pick(maps).path : own;
    const map = asObject(valueOf(sites, path));
    return replaced(object, path, { ...map, [random.pick(KEYS)]: random.pick(random.chance(0.5) ? ['a'] : VALUES) });
  },
};

const OWNER: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' };

function metadataFields(random: Random): readonly (readonly [string, JsonValue])[] {
  return [
    [
      'finalizers',
      [random.pick(['a', 'a.b/c', 'a b', '', 'orphan', 'kubernetes', 'a/b/c', 'foregroundDeletion', '-'])],
    ],
    [
      'ownerReferences',
      [
        {
          ...OWNER,
          [random.pick(['apiVersion', 'kind', 'name', 'uid', 'controller', 'extra'])]: random.pick<JsonValue>([
            '',
            'a',
            true,
            null,
            'v1',
            5,
          ]),
        },
      ],
    ],
    [
      'ownerReferences',
      [
        { ...OWNER, controller: true },
        { ...OWNER, uid: 'w', controller: random.chance(0.5) },
      ],
    ],
    ['creationTimestamp', random.pick<JsonValue>([null, 'x', '2026-01-01T00:00:00Z', '2026-01-01', 5])],
    ['generation', random.pick<JsonValue>([1, -1, '1', 1.5])],
    ['uid', random.pick<JsonValue>(['x', 5])],
    ['labels', random.pick<JsonValue>([null, [], 'a', {}, { a: null }])],
    ['annotations', random.pick<JsonValue>([null, [], 'a', {}, { a: null }, { a: 1 }])],
    ['managedFields', random.pick<JsonValue>([[], null, 'a'])],
    ['clusterName', 'a'],
    ['deletionGracePeriodSeconds', random.pick<JsonValue>([5, -1, '5'])],
  ];
}

export const metadata: Operator = {
  name: 'odd metadata',
  apply(object, _sites, random) {
    const [field, value] = random.pick(metadataFields(random));
    return replaced(object, ['metadata', field], value);
  },
};

export const scope: Operator = {
  name: 'wrong scope',
  apply(object, _sites, random) {
    const has = asObject(object.metadata).namespace !== undefined;
    return replaced(
      object,
      ['metadata', 'namespace'],
      random.pick<JsonValue>(
        has ? ['', null, 'Bad_NS', 'a.b', 5, LONG_LABEL] : ['corpus', 'default', '', null, 'Bad_NS', 5],
      ),
    );
  },
};

export const version: Operator = {
  name: 'wrong version',
  apply(object, _sites, random) {
    const { group, kind } = idOf(object);
    if (random.chance(0.3)) {
      return replaced(object, ['kind'], random.pick([kind.toLowerCase(), `${kind}s`]));
    }
    return replaced(
      object,
      ['apiVersion'],
      group === '' ? 'v2' : `${group}/${random.pick(['v1', 'v1alpha1', 'v1beta1', 'v2', 'v9'])}`,
    );
  },
};

function valueOf(sites: readonly Site[], path: Path): JsonValue | undefined {
  const wanted = path.join('\0');
  return sites.find((site) => site.path.join('\0') === wanted)?.value;
}
