/**
 * ResourceQuota, LimitRange and PriorityClass (rows K8, K9 and K10).
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { nearestName } from '../../../facts/spelling';
import { oneOf } from '../../../facts/words';
import { fieldBelow, fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { Quantity } from '../../../manifests/values/quantity';
import { type Rule } from '../../rules/rule';
import {
  amountOf,
  CONTAINER_RESOURCES,
  containerResourceName,
  isQuotaResource,
  mayOvercommit,
  quotaResourceName,
  resourceName,
} from '../resource-names';
import { type Details, type Say, objectRule } from '../server-rule';
import { qualifiedName } from '../../../manifests/values/name-syntax';
import { operatorsFor } from '../selectors';
import { given, itemsOf, quantitiesOf, size, text, textsOf, whole } from '../values';

const POD_COUNT: ReadonlySet<string> = new Set(['pods']);
const POD_SCOPED: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const CLAIM_SCOPED: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);
/** Which standard resources a quota of this scope may limit. */
const SCOPES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', POD_SCOPED],
  ['NotTerminating', POD_SCOPED],
  ['BestEffort', POD_COUNT],
  ['NotBestEffort', POD_SCOPED],
  ['PriorityClass', POD_SCOPED],
  ['CrossNamespacePodAffinity', POD_SCOPED],
  ['VolumeAttributesClass', CLAIM_SCOPED],
]);
const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const EXISTS_ONLY = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const HIGHEST_PRIORITY = 1_000_000_000;
const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

export const quotaRules: readonly Rule[] = [
  objectRule(
    'resource-quota-name-valid',
    ['ResourceQuota'],
    {
      row: 'K10',
      summary: 'A ResourceQuota must limit standard resources, or names with a "/".',
      fix: 'Rename the key in spec.hard to a standard name such as requests.cpu, or to a name such as requests.nvidia.com/gpu or count/deployments.apps.',
    },
    (object, say) => {
      for (const name of Object.keys(asObject(asObject(object.spec).hard))) {
        const complaint = quotaResourceName(name);
        if (complaint !== undefined) {
          say(pointer('/spec/hard', name), `the resource name "${name}" must ${complaint}`, {
            expected: 'a standard name such as requests.cpu, or a name with a "/" such as requests.nvidia.com/gpu',
            fix: `Rename the key "${name}" in spec.hard to ${quotaNameInstead(name)}.`,
          });
        }
      }
    },
  ),

  objectRule(
    'resource-quota-amount-valid',
    ['ResourceQuota'],
    {
      row: 'K10',
      summary: 'A quota must not be negative, and must be an integer for counted resources.',
      fix: 'Set the amount in spec.hard to a valid quantity of at least 0.',
    },
    (object, say) => {
      for (const [name, amount] of quantitiesOf(asObject(object.spec).hard)) {
        const complaint = amountOf(name, amount);
        if (complaint !== undefined) {
          say(pointer('/spec/hard', name), `the quota for ${name} must ${complaint}`);
        }
      }
    },
  ),

  objectRule(
    'resource-quota-scope-valid',
    ['ResourceQuota'],
    {
      row: 'K10',
      summary:
        'The scopes of a quota must be supported, must not exclude each other, and must fit its resources (BestEffort limits only pods).',
      fix: 'Set spec.scopes to supported scopes that do not exclude each other, and spec.hard to resources that they limit.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const limited = Object.keys(asObject(spec.hard)).filter(isQuotaResource);
      const check = (scope: string, path: string): void => {
        const fits = SCOPES.get(scope);
        if (fits === undefined) {
          say(path, `unsupported scope "${scope}"`, { found: scope, expected: oneOf([...SCOPES.keys()]) });
          return;
        }
        const wrong = limited.filter((name) => !fits.has(name));
        if (wrong.length > 0) {
          say(path, `a quota with the scope ${scope} must not limit ${oneOf(wrong)}`, {
            found: scope,
            expected: oneOf([...fits]),
            fix: `Remove ${oneOf(wrong)} from spec.hard, or move ${wrong.length === 1 ? 'it' : 'them'} to a ResourceQuota without this scope.`,
          });
        }
      };
      const exclude = (scopes: readonly string[], path: string): void => {
        for (const [one, other] of EXCLUSIVE) {
          if (scopes.includes(one) && scopes.includes(other)) {
            say(path, `the scopes ${one} and ${other} must not be set together`, {
              fix: `Remove ${one} or ${other} from ${fieldOf(path)}.`,
            });
          }
        }
      };
      const scopes = textsOf(spec.scopes, '/spec/scopes');
      for (const { value, path } of scopes) {
        check(value, path);
      }
      exclude(
        scopes.map(({ value }) => value),
        '/spec/scopes',
      );
      if (!isObject(spec.scopeSelector)) {
        return;
      }
      const base = '/spec/scopeSelector/matchExpressions';
      const expressions = itemsOf(spec.scopeSelector.matchExpressions, base);
      for (const { value, path } of expressions) {
        const scope = text(value.scopeName);
        const operator = text(value.operator);
        check(scope, `${path}/scopeName`);
        if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator)) {
          say(`${path}/operator`, `unsupported operator "${operator}"`, {
            expected: EXISTS_ONLY.includes(scope) ? 'Exists' : operatorsFor(operator, size(value.values)),
          });
        } else if (EXISTS_ONLY.includes(scope) && operator !== 'Exists') {
          say(`${path}/operator`, `the operator for the scope ${scope} must be Exists`, { expected: 'Exists' });
        }
        const values = size(value.values);
        if ((operator === 'In' || operator === 'NotIn') && values === 0) {
          say(`${path}/values`, `values must be set for the operator ${operator}`);
        }
        if ((operator === 'Exists' || operator === 'DoesNotExist') && values > 0) {
          say(`${path}/values`, `values must not be set for the operator ${operator}`);
        }
      }
      exclude(
        expressions.map(({ value }) => text(value.scopeName)),
        base,
      );
    },
  ),

  objectRule(
    'limit-range-type-valid',
    ['LimitRange'],
    {
      row: 'K9',
      summary:
        'A LimitRange must have one item for each type: Pod, Container, PersistentVolumeClaim, or a name with a domain.',
      fix: 'Merge the items of the same type in spec.limits.',
    },
    (object, say) => {
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(asObject(object.spec).limits, '/spec/limits')) {
        const type = text(value.type);
        const complaint =
          qualifiedName(type) ??
          (type.includes('/') || LIMIT_TYPES.includes(type)
            ? undefined
            : 'be Pod, Container, or PersistentVolumeClaim');
        if (complaint !== undefined) {
          say(`${path}/type`, `unsupported type ${JSON.stringify(type)}`, {
            expected: limitTypesOf(value, type),
            fix: `Set ${fieldOf(`${path}/type`)} to ${limitTypesOf(value, type)}.`,
          });
        }
        if (seen.has(type)) {
          say(`${path}/type`, `duplicate type "${type}"`);
        }
        seen.add(type);
      }
    },
  ),

  objectRule(
    'limit-range-name-valid',
    ['LimitRange'],
    {
      row: 'K9',
      summary: 'A LimitRange must name resources that its type can limit.',
      fix: 'Rename the key in spec.limits to a resource that the type can limit, such as cpu or memory.',
    },
    (object, say) => {
      for (const { value, path } of itemsOf(asObject(object.spec).limits, '/spec/limits')) {
        const ofContainers = value.type === 'Pod' || value.type === 'Container';
        for (const list of ['min', 'max', 'default', 'defaultRequest', 'maxLimitRequestRatio']) {
          if (value.type === 'Pod' && (list === 'default' || list === 'defaultRequest')) {
            continue;
          }
          for (const name of Object.keys(asObject(value[list]))) {
            const complaint = ofContainers ? containerResourceName(name) : resourceName(name);
            if (complaint !== undefined) {
              say(pointer(path, list, name), `the resource name "${name}" must ${complaint}`, {
                fix: `Rename the key "${name}" in ${fieldOf(`${path}/${list}`)} to ${nameInstead(name, value.type)}.`,
              });
            }
          }
        }
      }
    },
  ),

  objectRule(
    'limit-range-order',
    ['LimitRange'],
    {
      row: 'K9',
      summary:
        'min ≤ defaultRequest ≤ default ≤ max is required; for an extended resource default and defaultRequest must be equal.',
      fix: 'Set min, defaultRequest, default, and max in ascending order.',
    },
    (object, say) => {
      for (const { value, path } of itemsOf(asObject(object.spec).limits, '/spec/limits')) {
        checkOrder(value, path, say);
      }
    },
  ),

  objectRule(
    'limit-range-pod-without-defaults',
    ['LimitRange'],
    {
      row: 'K9',
      summary: 'An item of type Pod must not have defaults.',
      fix: 'Move default and defaultRequest to an item of type Container.',
    },
    (object, say) => {
      for (const { value, path } of itemsOf(asObject(object.spec).limits, '/spec/limits')) {
        if (value.type !== 'Pod') {
          continue;
        }
        for (const list of ['default', 'defaultRequest']) {
          if (size(value[list]) > 0) {
            say(`${path}/${list}`, `${list} must not be set for a limit of type Pod`);
          }
        }
      }
    },
  ),

  objectRule(
    'limit-range-claim-has-storage',
    ['LimitRange'],
    {
      row: 'K9',
      summary: 'An item of type PersistentVolumeClaim must limit storage with min or max.',
      fix: 'Add min.storage or max.storage.',
    },
    (object, say) => {
      for (const { value, path } of itemsOf(asObject(object.spec).limits, '/spec/limits')) {
        if (
          value.type === 'PersistentVolumeClaim' &&
          !('storage' in asObject(value.min)) &&
          !('storage' in asObject(value.max))
        ) {
          say(path, 'min.storage or max.storage must be set', {
            expected: 'min.storage or max.storage',
          });
        }
      }
    },
  ),

  objectRule(
    'limit-range-ratio-valid',
    ['LimitRange'],
    {
      row: 'K9',
      summary: 'maxLimitRequestRatio must be at least 1, and at most max/min if both are set.',
      fix: 'Set maxLimitRequestRatio to at least 1 and at most max/min.',
    },
    (object, say) => {
      for (const { value, path } of itemsOf(asObject(object.spec).limits, '/spec/limits')) {
        const min = quantitiesOf(value.min);
        const max = quantitiesOf(value.max);
        for (const [name, ratio] of quantitiesOf(value.maxLimitRequestRatio)) {
          const at = pointer(path, 'maxLimitRequestRatio', name);
          if (ratio.isLessThan(Quantity.of(1))) {
            say(at, `maxLimitRequestRatio must be greater than or equal to 1, but is ${ratio.toString()}`, {
              expected: 'at least 1',
            });
          }
          const least = min.get(name);
          const most = max.get(name);
          if (least === undefined || most === undefined || !isExact(asObject(value.maxLimitRequestRatio)[name])) {
            continue;
          }
          const { counted, highest } = countedRatio(ratio, least, most);
          if (counted > highest) {
            say(
              at,
              `maxLimitRequestRatio must be less than or equal to max/min (${ratio.toString()} > ${most.toString()}/${least.toString()})`,
              ratioWithin(highest, fieldOf(at), fieldOf(pointer(path, 'min', name)), most),
            );
          }
        }
      }
    },
  ),

  objectRule(
    'priority-class-value-valid',
    ['scheduling.k8s.io/PriorityClass'],
    {
      row: 'K8',
      source: 'apis/scheduling/validation/validation.go',
      summary: 'The value of a PriorityClass must be at most 1000000000, and its name must not begin with "system-".',
      fix: 'Decrease value, or set metadata.name to a name without the prefix "system-".',
    },
    (object, say, _context, manifest) => {
      const value = whole(object.value) ?? 0;
      const { name } = manifest.id;
      if (name.startsWith('system-')) {
        const known = SYSTEM_PRIORITIES.get(name);
        if (known === undefined || known !== value || object.globalDefault === true) {
          say('/metadata/name', 'the prefix "system-" is reserved for system priority classes', {
            expected: 'another name',
          });
        }
      } else if (value > HIGHEST_PRIORITY) {
        say('/value', `the value must be less than or equal to ${HIGHEST_PRIORITY}, but is ${value}`, {
          expected: `at most ${HIGHEST_PRIORITY}`,
        });
      }
    },
  ),

  objectRule(
    'priority-class-preemption-valid',
    ['scheduling.k8s.io/PriorityClass'],
    {
      row: 'K8',
      source: 'apis/scheduling/validation/validation.go',
      summary: 'preemptionPolicy must be PreemptLowerPriority or Never.',
      fix: 'Set preemptionPolicy to PreemptLowerPriority or Never, or leave it unset.',
    },
    (object, say) => {
      const policy = object.preemptionPolicy;
      if (typeof policy === 'string' && !['PreemptLowerPriority', 'Never'].includes(policy)) {
        say('/preemptionPolicy', `unsupported value "${policy}" for preemptionPolicy`, {
          expected: 'PreemptLowerPriority or Never',
        });
      }
    },
  ),
];

/** The name in lower case and without blanks, where a quota can limit that, or else what a name may be. */
function quotaNameInstead(name: string): string {
  const near = name.trim().toLowerCase();
  return near !== name && quotaResourceName(near) === undefined
    ? `"${near}"`
    : 'a standard name such as requests.cpu, or to a name such as requests.nvidia.com/gpu or count/deployments.apps';
}

/** What a limit of the type may be of, instead of a name that no resource has. */
function nameInstead(name: string, type: JsonValue | undefined): string {
  if (type === 'PersistentVolumeClaim') {
    return 'storage';
  }
  const near = nearestName(name, CONTAINER_RESOURCES);
  return near === undefined ? 'cpu, memory, or a fully qualified name such as nvidia.com/gpu' : `"${near}"`;
}

/** Thousandths are the smallest unit of a ratio. A ratio is at least 1, so that min must not exceed max. */
/** Whether a number has the digits that its text has: of more than 15, some may have been lost when it was read. */
const isExact = (amount: JsonValue | undefined): boolean =>
  typeof amount !== 'number' || !Number.isInteger(amount) || BigInt(amount).toString() === String(amount);

/** Amounts from this one on are counted in whole units, so that their thousandths fit in 64 bits. */
const MOST_IN_THOUSANDTHS = (2n ** 63n - 1n) / 1000n;

/** A ratio, and the highest that a minimum and a maximum allow, as the server counts them in 64 bits, overflow included. */
function countedRatio(
  ratio: Quantity,
  least: Quantity,
  most: Quantity,
): { readonly counted: number; readonly highest: number } {
  const amounts = [ratio, least, most];
  const whole = amounts.map((amount) => BigInt.asIntN(64, amount.wholeUnits()));
  const inThousandths = whole.every((amount) => amount < MOST_IN_THOUSANDTHS);
  const [counted, lowest, top] = inThousandths ? amounts.map((amount) => amount.countedThousandths()) : whole;
  return { counted: Number(counted) / (inThousandths ? 1000 : 1), highest: Number(top) / Number(lowest) };
}

function ratioWithin(highest: number, field: string, min: string, max: Quantity): Pick<Details, 'expected' | 'fix'> {
  if (!(highest >= 1)) {
    return { expected: 'min less than or equal to max', fix: `Set ${min} to at most max (${max.toString()}).` };
  }
  const most = Math.floor(highest * 1000) / 1000;
  return { expected: `at most ${most}`, fix: `Set ${field} to at most ${most}.` };
}

function checkOrder(item: JsonObject, path: string, say: Say): void {
  const min = quantitiesOf(item.min);
  const max = quantitiesOf(item.max);
  const limits = new Map(item.type === 'Pod' ? [] : quantitiesOf(item.default));
  const requests = new Map(item.type === 'Pod' ? [] : quantitiesOf(item.defaultRequest));
  if (item.type === 'Container') {
    // Before it validates, the server fills the defaults of containers: from max, then from the default limit, then from min.
    for (const [name, amount] of max) {
      if (!limits.has(name)) {
        limits.set(name, amount);
      }
    }
    for (const [name, amount] of [...limits, ...min]) {
      if (!requests.has(name)) {
        requests.set(name, amount);
      }
    }
  }
  for (const name of new Set([...min.keys(), ...max.keys(), ...limits.keys(), ...requests.keys()])) {
    const ladder = [
      ['min', min.get(name)],
      ['defaultRequest', requests.get(name)],
      ['default', limits.get(name)],
      ['max', max.get(name)],
    ] as const;
    for (const [index, [lower, low]] of ladder.entries()) {
      for (const [upper, high] of ladder.slice(index + 1)) {
        if (low !== undefined && high !== undefined && low.isGreaterThan(high)) {
          say(
            pointer(path, lower, name),
            `${fieldBelow(lower, name)} must be less than or equal to ${fieldBelow(upper, name)} (${low.toString()} > ${high.toString()})`,
            { expected: `at most ${high.toString()}` },
          );
        }
      }
    }
    const request = requests.get(name);
    const limit = limits.get(name);
    if (!mayOvercommit(name) && request !== undefined && limit !== undefined && !request.equals(limit)) {
      say(
        pointer(path, 'defaultRequest', name),
        `${fieldBelow('defaultRequest', name)} must equal ${fieldBelow('default', name)} (${request.toString()} != ${limit.toString()})`,
        {
          expected: limit.toString(),
        },
      );
    }
  }
}

/** The types of an item that has these members, or the one that is meant: only containers have defaults, and only claims storage. */
function limitTypesOf(item: JsonObject, type: string): string {
  const meant = LIMIT_TYPES.find((known) => known.toLowerCase() === type.trim().toLowerCase());
  const hasStorage = ['min', 'max'].some((field) => given(asObject(item[field]).storage));
  const hasDefaults = given(item.default) || given(item.defaultRequest);
  return (
    meant ??
    oneOf(
      LIMIT_TYPES.filter((known) =>
        known === 'PersistentVolumeClaim' ? hasStorage : known === 'Container' || !hasDefaults,
      ),
    )
  );
}
