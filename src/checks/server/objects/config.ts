/**
 * ConfigMap, Secret, Namespace, ServiceAccount and Node: keys, sizes, what a secret's type needs, taints.
 */
import { cite } from '../../../facts/upstream';
import { type JsonValue } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { type Rule } from '../../rules/rule';
import { amountOf } from '../resource-names';
import { objectRule, type Say, sayRange, since } from '../server-rule';
import { byteLength, configMapKey, qualifiedName } from '../../../manifests/values/name-syntax';
import { checkTaints } from '../taints';
import { quantitiesOf, text, textsOf } from '../values';
import { isIpv6Text } from '../addresses';

const LARGEST = 1024 * 1024;
/** Keys that a secret of this type must hold. */
const SECRET_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
]);

export const configRules: readonly Rule[] = [
  objectRule(
    'config-key-valid',
    ['ConfigMap', 'Secret'],
    {
      summary:
        'Keys of a ConfigMap or Secret must consist of letters, digits, "-", "_", and ".", and must not be in both data and binaryData.',
      fix: 'Rename the key in data or binaryData.',
    },
    (object, say) => {
      const text1 = asObject(object.data);
      for (const map of ['data', 'binaryData', 'stringData']) {
        for (const key of Object.keys(asObject(object[map]))) {
          const complaint = configMapKey(key);
          if (complaint !== undefined) {
            say(pointer(`/${map}`, key), `the key ${JSON.stringify(key)} must ${complaint}`, { found: key });
          }
          if (map === 'binaryData' && key in text1) {
            say(pointer('/binaryData', key), `duplicate key "${key}" in data and binaryData`, { found: key });
          }
        }
      }
    },
  ),

  objectRule(
    'config-size-within-limit',
    ['ConfigMap', 'Secret'],
    {
      summary: 'A ConfigMap or Secret must have no more than 1 MiB of data.',
      fix: 'Move entries of data to other objects, or store them in a volume.',
    },
    (object, say) => {
      // No character takes more than three bytes for each of its units.
      if (
        [object.data, object.binaryData, object.stringData].reduce<number>(
          (sum, data) => sum + 3 * lengthOf(data),
          0,
        ) <= LARGEST
      ) {
        return;
      }
      const secret = object.kind === 'Secret';
      const sizes = new Map<string, number>();
      for (const [key, value] of Object.entries(asObject(object.data))) {
        sizes.set(key, secret ? decodedLength(text(value)) : byteLength(text(value)));
      }
      for (const [key, value] of Object.entries(asObject(object.binaryData))) {
        sizes.set(`${key}\n`, decodedLength(text(value)));
      }
      for (const [key, value] of Object.entries(asObject(object.stringData))) {
        sizes.set(key, byteLength(text(value)));
      }
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      if (total > LARGEST) {
        say('/data', `the data must have no more than ${LARGEST} bytes, but has ${total}`, {
          found: total,
          expected: `at most ${LARGEST} bytes`,
        });
      }
    },
  ),

  objectRule(
    'secret-type-complete',
    ['Secret'],
    {
      summary: 'A Secret must have the keys that its type requires.',
      fix: 'Add the key to data or stringData, or set type: Opaque.',
    },
    (object, say) => {
      const data = { ...asObject(object.data), ...asObject(object.stringData) };
      const type = text(object.type);
      for (const key of SECRET_KEYS.get(type) ?? []) {
        if (!(key in data) || (type === 'kubernetes.io/ssh-auth' && text(data[key]) === '')) {
          say(pointer('/data', key), `the key "${key}" must be set in a Secret of type ${type}`, {
            expected: key,
            fix: `Add the key "${key}" to data or stringData, or set type: Opaque.`,
          });
        }
      }
      if (type.startsWith('kubernetes.io/dockerc')) {
        const key = SECRET_KEYS.get(type)?.[0] ?? '';
        const value =
          text(asObject(object.stringData)[key]) ||
          Buffer.from(text(asObject(object.data)[key]), 'base64').toString('utf8');
        if (key in data && !isJsonObject(value)) {
          say(pointer('/data', key), `${key} is not a valid JSON object`, {
            found: null,
            expected: 'a JSON object with registries',
            fix: `Set ${fieldOf(pointer('/data', key))} to the base64 encoding of a JSON object with registries, such as ${key === '.dockercfg' ? '{"registry.example.com": {}}' : '{"auths": {}}'}.`,
          });
        }
      }
      if (type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)) {
        say('/data', 'username or password must be set in a Secret of this type', {
          fix: 'Add username or password to data or stringData, or set type: Opaque.',
        });
      }
      const account = asObject(asObject(object.metadata).annotations)['kubernetes.io/service-account.name'];
      if (type === 'kubernetes.io/service-account-token' && text(account) === '') {
        say('/metadata/annotations', 'the annotation kubernetes.io/service-account.name must be set', {
          expected: 'the annotation kubernetes.io/service-account.name',
        });
      }
    },
  ),

  objectRule(
    'namespace-finalizer-valid',
    ['Namespace'],
    {
      summary: 'Finalizers of a Namespace must be "kubernetes", or start with a domain prefix.',
      fix: 'Remove spec.finalizers.',
    },
    (object, say) => {
      for (const { value, path } of textsOf(asObject(object.spec).finalizers, '/spec/finalizers')) {
        const complaint = qualifiedName(value);
        if (complaint !== undefined) {
          say(path, `the finalizer "${value}" must ${complaint}`);
        } else if (!value.includes('/') && !['kubernetes', 'orphan', 'foregroundDeletion'].includes(value)) {
          say(path, `the finalizer "${value}" must start with a domain prefix such as example.com/`, {
            fix: `Set ${fieldOf(path)} to a name with a domain prefix, such as "example.com/${value}", or remove it.`,
          });
        }
      }
    },
  ),

  objectRule(
    'pod-security-labels-valid',
    ['Namespace'],
    {
      source: `${cite('pod-security-admission')}, api/helpers.go`,
      why: 'The admission plugin PodSecurity, which is on by default, rejects the namespace.',
      summary:
        'Labels pod-security.kubernetes.io/… of a Namespace must have a supported level, or a version such as v1.36 or latest.',
      fix: 'Set pod-security.kubernetes.io/enforce to privileged, baseline, or restricted, and the version to latest or v1.36.',
    },
    (object, say) => {
      for (const [key, value] of Object.entries(asObject(asObject(object.metadata).labels))) {
        const [, version] = /^pod-security\.kubernetes\.io\/(?:enforce|audit|warn)(-version)?$/.exec(key) ?? [
          undefined,
          null,
        ];
        if (version === null || !(typeof value === 'string' || value === null)) {
          continue;
        }
        const fits =
          version === undefined
            ? ['privileged', 'baseline', 'restricted'].includes(text(value))
            : /^(latest|v1\.(0|[1-9][0-9]*))$/.test(text(value));
        const expected =
          version === undefined ? 'privileged, baseline, or restricted' : 'latest, or a version such as v1.36';
        if (!fits) {
          say(
            pointer('/metadata/labels', key),
            `"${text(value)}" is not a valid pod security ${version === undefined ? 'level' : 'version'}`,
            { found: text(value), expected },
          );
        }
      }
    },
  ),

  objectRule(
    'node-taints-valid',
    ['Node'],
    {
      row: 'K5',
      summary:
        "A Node's taints must have valid keys and values and a supported effect, and must be unique by key and effect.",
      fix: 'Set key, value, and effect in spec.taints to valid values, and remove duplicates.',
    },
    (object, say) => checkTaints(asObject(object.spec).taints, '/spec/taints', say),
  ),

  objectRule(
    'node-resources-valid',
    ['Node'],
    {
      summary:
        "A Node's capacity and allocatable amounts must not be negative, and must be integers for counted resources.",
      fix: 'Set the amount in status.capacity or status.allocatable to a valid quantity.',
    },
    (object, say, context) => {
      for (const list of ['capacity', 'allocatable']) {
        for (const [name, amount] of quantitiesOf(asObject(object.status)[list])) {
          const complaint = amountOf(name, amount);
          if (complaint !== undefined) {
            say(pointer('/status', list, name), `${name} must ${complaint}`);
          }
        }
      }
      if (since(context, 36)) {
        checkFeatures(asObject(object.status).declaredFeatures, say);
      }
      const spec = asObject(object.spec);
      const listed = textsOf(spec.podCIDRs, '/spec/podCIDRs');
      // podCIDR, where it is given, takes the place of the first one.
      const ranges =
        text(spec.podCIDR) === ''
          ? listed
          : [{ value: text(spec.podCIDR), path: '/spec/podCIDR', index: 0 }, ...listed.slice(1)];
      for (const { value, path } of ranges) {
        sayRange(value, since(context, 36), path, say);
      }
      const families = new Set(ranges.map(({ value }) => isIpv6Text(value)));
      if (ranges.length > 2 || families.size < ranges.length) {
        say('/spec/podCIDRs', 'podCIDRs must have no more than one range of each address family');
      }
    },
  ),
];

/** The names of the features that a node declares, in their order. */
function checkFeatures(list: JsonValue | undefined, say: Say): void {
  const features = textsOf(list, '/status/declaredFeatures');
  for (const [index, { value, path }] of features.entries()) {
    if (!/^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/.test(value) || value.length > 253) {
      say(path, `"${value}" is not a valid feature name`, { expected: 'a feature name such as MyFeature/myPart' });
    }
    const before = features[index - 1]?.value;
    if (before !== undefined && before >= value) {
      say(path, before === value ? `duplicate value "${value}"` : 'the features must be sorted by name');
    }
  }
}

function decodedLength(base64: string): number {
  const text1 = base64.replace(/[\r\n]/g, '');
  return Math.floor((text1.length * 3) / 4) - (text1.endsWith('==') ? 2 : text1.endsWith('=') ? 1 : 0);
}

function isJsonObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Letters in all texts of a map. */
function lengthOf(data: JsonValue | undefined): number {
  return Object.values(asObject(data)).reduce<number>((sum, value) => sum + text(value).length, 0);
}
