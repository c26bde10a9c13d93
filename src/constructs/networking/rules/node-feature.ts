/**
 * NFD: what node feature discovery does with a NodeFeatureRule. The API server accepts every rule; NFD skips invalid ones and logs a line.
 */
import { oneOf } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { GO_FUNCTIONS, SPRIG_FUNCTIONS, templateProblem, type TemplateScope } from '../../../facts/go-template';
import { type ObjectRule, type Rule } from '../../../checks/rules/rule';
import { nameFix } from '../../../checks/rules/name-fix';
import { byteLength, labelValue, qualifiedName } from '../../../manifests/values/name-syntax';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, isObject, objectsAt, stringEntries, stringsIn } from '../../../manifests/read';
import { NFD_RULE, specRule } from './networking-rule';

const VALIDATE = `${cite('node-feature-discovery')}, pkg/apis/nfd/validate`;
const EXPRESSIONS = `${cite('node-feature-discovery')}, pkg/apis/nfd/nodefeaturerule/expression.go`;
const LEFT_OUT = "NFD's master ignores it and logs a message.";
const FEATURE_DOMAINS = ['feature.node.kubernetes.io'];
const LABEL_DOMAINS = [...FEATURE_DOMAINS, 'profile.node.kubernetes.io'];
const LONGEST_ANNOTATION = 1024;
const LARGEST_TEMPLATE = 64 * 1024;
/** Functions of sprig that read the host; NFD takes them away. */
const LEFT_OUT_FUNCTIONS: ReadonlySet<string> = new Set(['env', 'expandenv', 'getHostByName']);

type Facts = Parameters<typeof specRule>[1];

/** A rule about each rule of a NodeFeatureRule. */
function entryRule(
  id: string,
  facts: Facts,
  check: (entry: JsonObject, path: string) => ReturnType<ObjectRule['check']>,
): ObjectRule {
  return specRule(`nfd-${id}`, { row: 'NFD', ...facts }, [NFD_RULE], function* (_spec, { object }) {
    for (const { value, path } of objectsAt(object, '/spec/rules')) {
      yield* check(value, path);
    }
  });
}

/** What is wrong with a key, if NFD does not set it. NFD puts its own domain before a key that has none. */
function keyFault(key: string, domains: readonly string[]): string | undefined {
  const complaint = qualifiedName(key);
  return complaint === undefined ? domainFault(key, domains) : `must ${complaint}`;
}

/** The key with its invalid characters replaced, without and with a domain: `"a" or example.com/a`. */
function validNames(key: string): string {
  const name = (key.split('/').at(-1) ?? '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/, '');
  return name === '' ? 'example.com/<name>' : `"${name}" or example.com/${name}`;
}

/** NFD reads only the domain of a taint's key. */
function taintKeyFault(key: string): string | undefined {
  if (key === '') {
    return 'must not be empty';
  }
  return key.indexOf('/') < 1
    ? 'must start with a domain prefix such as example.com/'
    : domainFault(key, FEATURE_DOMAINS);
}

function domainFault(key: string, domains: readonly string[]): string | undefined {
  const [domain = '', name] = key.split('/');
  const kubernetes = name !== undefined && (domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io'));
  const allowed = domains.some((one) => domain === one || domain.endsWith(`.${one}`));
  return kubernetes && !allowed ? `must not have the prefix ${domain}, because NFD rejects it` : undefined;
}

const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ['labels', LABEL_DOMAINS],
  ['annotations', FEATURE_DOMAINS],
  ['extendedResources', FEATURE_DOMAINS],
];

const KEY_FORMS = 'example.com/<name> or feature.node.kubernetes.io/<name>';

const keys = entryRule(
  'key-in-domain',
  {
    summary:
      'Keys of labels, annotations, resources, and taints of a NodeFeatureRule must not be in a domain of kubernetes.io, except for features (and profiles, for labels); the key of a taint must start with a domain prefix.',
    why: LEFT_OUT,
    source: VALIDATE,
    fix: 'Rename the key to a name in a domain of your own, or to feature.node.kubernetes.io/<name>.',
  },
  function* (entry, path) {
    for (const [field, domains] of KEYS) {
      for (const key of Object.keys(asObject(entry[field]))) {
        const isInvalid = qualifiedName(key) !== undefined;
        const fault = keyFault(key, domains);
        if (fault !== undefined) {
          const forms = isInvalid ? `a valid name, such as ${validNames(key)}` : KEY_FORMS;
          yield {
            path: pointer(path, field, key),
            message: `the key "${key}" ${fault}`,
            found: key,
            expected: forms,
            fix: keyLengthFix(fault, field) ?? `Rename the key "${key}" in ${field} to ${forms}.`,
          };
        }
      }
    }
    for (const { value, path: at } of objectsAt(entry, '/taints')) {
      const key = asString(value.key) ?? '';
      const fault = taintKeyFault(key);
      if (fault !== undefined) {
        yield {
          path: `${path}${at}/key`,
          message: `the taint key${key === '' ? '' : ` "${key}"`} ${fault}`,
          found: key,
          expected: KEY_FORMS,
          fix: `Set ${fieldOf(`${path}${at}/key`)} to ${KEY_FORMS}.`,
        };
      }
    }
  },
);

const values = entryRule(
  'value-valid',
  {
    summary:
      'The values of a NodeFeatureRule must be valid: label values, annotations of at most 1 KiB, and resources as quantities or @feature.attribute.',
    why: LEFT_OUT,
    source: VALIDATE,
    fix: 'Set labels to label values, annotations to at most 1 KiB, and extendedResources to quantities.',
  },
  function* (entry, path) {
    for (const [key, value] of stringEntries(entry.labels)) {
      const complaint = value.startsWith('@') ? undefined : labelValue(value);
      if (complaint !== undefined) {
        const at = pointer(path, 'labels', key);
        yield {
          path: at,
          message: `the value must ${complaint}`,
          found: value,
          fix: nameFix(fieldOf(at), complaint, value),
        };
      }
    }
    for (const [key, value] of stringEntries(entry.annotations)) {
      if (byteLength(value) > LONGEST_ANNOTATION) {
        const at = pointer(path, 'annotations', key);
        yield {
          path: at,
          message: `the value must have no more than ${LONGEST_ANNOTATION} bytes, but has ${byteLength(value)}`,
          expected: `at most ${LONGEST_ANNOTATION} bytes`,
          fix: `Shorten ${fieldOf(at)} to at most ${LONGEST_ANNOTATION} bytes.`,
        };
      }
    }
    for (const [key, value] of stringEntries(entry.extendedResources)) {
      if (!value.startsWith('@') && parseQuantity(value) === undefined) {
        yield {
          path: pointer(path, 'extendedResources', key),
          message: `"${value}" is not a valid quantity`,
          found: value,
          expected: 'a quantity such as "4", or @<domain>.<feature>.<attribute>',
          fix: `Set ${fieldOf(pointer(path, 'extendedResources', key))} to a quantity such as "4", or to @<domain>.<feature>.<attribute>.`,
        };
      }
    }
  },
);

const taintKeys = entryRule(
  'taint-key-valid',
  {
    tier: 'advice',
    summary: 'The key of a taint of a NodeFeatureRule must be a qualified name.',
    why: 'NFD sends the taint, and the API server rejects the whole update of the node.',
    source: `${cite('kubernetes')}, pkg/apis/core/validation (validateNodeTaints)`,
    fix: `Rename the key to ${KEY_FORMS}.`,
  },
  function* (entry, path) {
    for (const { value, path: at } of objectsAt(entry, '/taints')) {
      const key = asString(value.key) ?? '';
      const complaint = taintKeyFault(key) === undefined ? qualifiedName(key) : undefined;
      if (complaint !== undefined) {
        yield {
          path: `${path}${at}/key`,
          message: `the taint key "${key}" must ${complaint}`,
          found: key,
          fix: `Set ${fieldOf(`${path}${at}/key`)} to ${KEY_FORMS}.`,
        };
      }
    }
  },
);

const TEMPLATE_SCOPE: TemplateScope = {
  functions: new Set([...GO_FUNCTIONS, ...SPRIG_FUNCTIONS.filter((name) => !LEFT_OUT_FUNCTIONS.has(name))]),
  variables: [],
};

const templates = entryRule(
  'template-valid',
  {
    summary:
      'labelsTemplate and varsTemplate of a NodeFeatureRule must be templates of Go with the functions of sprig.',
    why: LEFT_OUT,
    source: `${VALIDATE}; pkg/apis/nfd/template`,
    fix: 'Set the field to a valid Go template, for example {{ range .pci.device }}example.com/nic-{{ .class }}=true{{ end }}.',
  },
  function* (entry, path) {
    for (const key of ['labelsTemplate', 'varsTemplate']) {
      const text = asString(entry[key]) ?? '';
      const bytes = byteLength(text);
      if (bytes > LARGEST_TEMPLATE) {
        yield {
          path: `${path}/${key}`,
          message: `${key} must have no more than ${LARGEST_TEMPLATE} bytes, but has ${bytes}`,
          found: bytes,
          expected: `at most ${LARGEST_TEMPLATE} bytes`,
          fix: `Shorten ${fieldOf(`${path}/${key}`)} to at most ${LARGEST_TEMPLATE} bytes.`,
        };
        continue;
      }
      const problem = templateProblem(text, TEMPLATE_SCOPE);
      if (problem !== undefined) {
        yield { path: `${path}/${key}`, message: `${key} is not a valid Go template: ${problem}`, found: text };
      }
    }
  },
);

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const taints = entryRule(
  'taint-effect-valid',
  {
    summary: 'A taint of a NodeFeatureRule must have the effect NoSchedule, PreferNoSchedule, or NoExecute.',
    why: LEFT_OUT,
    source: VALIDATE,
    fix: 'Set taints[].effect to NoSchedule, PreferNoSchedule, or NoExecute.',
  },
  function* (entry, path) {
    for (const { value, path: at } of objectsAt(entry, '/taints')) {
      const effect = asString(value.effect) ?? '';
      if (!EFFECTS.includes(effect)) {
        yield {
          path: `${path}${at}/effect`,
          message: effect === '' ? 'the taint effect must be set' : `unsupported taint effect "${effect}"`,
          fix: `Set ${fieldOf(`${path}${at}/effect`)} to ${oneOf(EFFECTS)}.`,
          found: value.effect ?? null,
          expected: oneOf(EFFECTS),
        };
      }
    }
  },
);

/** The matchers of an entry: its own, and those of its alternatives. */
function* matchersOf(entry: JsonObject, path: string): Iterable<{ matcher: JsonObject; path: string }> {
  for (const { value, path: at } of objectsAt(entry, '/matchFeatures')) {
    yield { matcher: value, path: `${path}${at}` };
  }
  for (const { value, path: at } of objectsAt(entry, '/matchAny')) {
    for (const { value: matcher, path: below } of objectsAt(value, '/matchFeatures')) {
      yield { matcher, path: `${path}${at}${below}` };
    }
  }
}

const features = entryRule(
  'feature-named',
  {
    summary: 'The name of a feature must be <domain>.<feature>, for example pci.device.',
    why: 'No feature has another name: the rule never matches.',
    source: VALIDATE,
    fix: 'Set feature to a name such as cpu.cpuid, kernel.loadedmodule, kernel.version, pci.device, system.name, or rule.matched.',
  },
  function* (entry, path) {
    for (const { matcher, path: at } of matchersOf(entry, path)) {
      const { feature } = matcher;
      if (typeof feature === 'string' && feature.split('.').length !== 2) {
        yield {
          path: `${at}/feature`,
          message: `"${feature}" must have the form <domain>.<feature>, with exactly one dot`,
          found: feature,
          fix: `Set ${fieldOf(`${at}/feature`)} to a name such as cpu.cpuid, kernel.loadedmodule, kernel.version, pci.device, system.name, or rule.matched.`,
        };
      }
    }
  },
);

const expressions = entryRule(
  'expression-evaluates',
  {
    summary:
      'A match expression must have the number of values that its operator takes: none, at least one, exactly one, or two in order, and numbers if it compares numbers.',
    why: 'NFD stops evaluating the rule with an error: no node gets its labels.',
    source: EXPRESSIONS,
    fix: 'Set value to as many values as the operator requires, and set type only to version.',
  },
  function* (entry, path) {
    for (const { matcher, path: at } of matchersOf(entry, path)) {
      const named = Object.entries(asObject(matcher.matchExpressions)).map(([name, value]) => ({
        value,
        path: pointer(`${at}/matchExpressions`, name),
      }));
      for (const { value, path: place } of [...named, { value: matcher.matchName ?? null, path: `${at}/matchName` }]) {
        const fault = isObject(value) ? expressionFault(value) : undefined;
        if (fault !== undefined) {
          yield { path: place, message: fault.message, found: value, fix: fault.fix(fieldOf(place)) };
        }
      }
    }
  },
);

interface ExpressionFault {
  readonly message: string;
  /** What to write, given the field of the expression. */
  readonly fix: (expression: string) => string;
}

/** The lists of values that a comparison takes. */
const COMPARED = {
  integer: [
    'one integer in quotes, such as ["10"]',
    'two integers in ascending order, in quotes, such as ["10", "20"]',
  ],
  version: ['one version, such as ["5.14"]', 'two versions in ascending order, such as ["5.14", "6.8"]'],
} as const;

function expressionFault(expression: JsonObject): ExpressionFault | undefined {
  const values: readonly JsonValue[] = asArray(expression.value);
  const operator = asString(expression.op) ?? '';
  if (['Exists', 'DoesNotExist', 'IsTrue', 'IsFalse'].includes(operator) && values.length > 0) {
    return {
      message: `value must not be set for the operator ${operator}`,
      fix: (field) => `Remove ${field}.value.`,
    };
  }
  if (['In', 'NotIn', 'InRegexp'].includes(operator) && values.length === 0) {
    return {
      message: `value must be set for the operator ${operator}`,
      fix: (field) =>
        `Set ${field}.value to a list of at least one ${operator === 'InRegexp' ? 'regular expression, such as ["^mlx5"]' : 'string, such as ["true"]'}.`,
    };
  }
  const isPair = ['GtLt', 'GeLe'].includes(operator);
  return isPair || ['Gt', 'Ge', 'Lt', 'Le'].includes(operator)
    ? comparisonFault(operator, expression, isPair ? 2 : 1)
    : undefined;
}

function comparisonFault(operator: string, { value, type }: JsonObject, count: 1 | 2): ExpressionFault | undefined {
  const values: readonly JsonValue[] = asArray(value);
  const wanted = COMPARED[type === 'version' ? 'version' : 'integer'][count - 1] ?? '';
  const fix = (field: string): string => `Set ${field}.value to a list with ${wanted}.`;
  if (values.length !== count) {
    return { message: `the operator ${operator} requires exactly ${count === 1 ? 'one value' : 'two values'}`, fix };
  }
  if (type === 'version') {
    return undefined;
  }
  if (type !== undefined && type !== '') {
    return {
      message: `unsupported type ${JSON.stringify(type)} for the operator ${operator}, which compares numbers, or versions with type: version`,
      fix: (field) => `Remove ${field}.type, or set ${field}.type to version to compare versions.`,
    };
  }
  const wrong = stringsIn(value).find((one) => !/^[+-]?\d+$/.test(one));
  if (wrong !== undefined) {
    return { message: `"${wrong}" is not an integer`, fix };
  }
  const [low, high] = values.map(Number);
  return low !== undefined && high !== undefined && low >= high
    ? { message: `the operator ${operator} requires two values in ascending order`, fix }
    : undefined;
}

const effective = entryRule(
  'rule-does-something',
  {
    tier: 'advice',
    severity: 'warning',
    summary: 'A rule of a NodeFeatureRule must set labels, annotations, taints, resources, or variables.',
    why: 'Otherwise it is evaluated on every node and changes nothing.',
    source: `${cite('node-feature-discovery')}, api/nfd/v1alpha1/types.go`,
    fix: 'Set at least one of labels, annotations, taints, extendedResources, or vars in the rule, or remove the rule.',
  },
  function* (entry, path) {
    const outputs = ['labels', 'labelsTemplate', 'annotations', 'taints', 'extendedResources', 'vars', 'varsTemplate'];
    if (!outputs.some((key) => entry[key] !== undefined && entry[key] !== null && entry[key] !== '')) {
      const name = asString(entry.name) ?? '';
      const place = fieldOf(path);
      yield {
        path,
        fix: `Set at least one of labels, annotations, taints, extendedResources, or vars in ${place}, or remove ${place}.`,
        message: `${name === '' ? place : `the rule "${name}"`} sets no labels, annotations, taints, extendedResources, or vars`,
      };
    }
  },
);

export const nodeFeatureRules: readonly Rule[] = [
  keys,
  values,
  taintKeys,
  taints,
  templates,
  features,
  expressions,
  effective,
];

/** What to do about a key that is too long, and not otherwise wrong. */
function keyLengthFix(fault: string, field: string): string | undefined {
  const [, most] = /^must (?:be|have) no more than (\d+ characters.*)$/.exec(fault) ?? [];
  return most === undefined ? undefined : `Shorten the key in ${field} to at most ${most}.`;
}
