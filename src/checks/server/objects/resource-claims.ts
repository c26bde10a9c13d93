/**
 * Dynamic resource allocation: claims, templates of claims, and device classes (rows DR1 to DR5).
 *
 * The versions differ in shape: up to v1beta1 a request is flat, from v1beta2 on it is `exactly` or `firstAvailable`.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { compileNewSelector } from '../device-selectors';
import { foundCost, expressionFix } from '../expressions';
import { isExtended } from '../resource-names';
import { type Rule, type RuleContext } from '../../rules/rule';
import { checkLabels } from '../selectors';
import { minorOf, type Say, objectRule, since } from '../server-rule';
import { byteLength, dnsSubdomain, labelValue, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, type Placed, size, text, textsOf, whole } from '../values';
import { checkDriverName } from '../pods/volume-sources';
import { oneOfStrings } from '../../../facts/words';
import { attributeName, checkRequestName, GROUP, SOURCE } from './device-names';

const CLAIMS = [`${GROUP}/ResourceClaim`, `${GROUP}/ResourceClaimTemplate`];
const LONGEST = 10 * 1024;

interface Claim {
  readonly devices: JsonObject;
  readonly path: string;
  /** Requests without `exactly`: v1alpha3 and v1beta1. */
  readonly flat: boolean;
}

function claimOf(object: JsonObject, kind: string): Claim {
  const spec = asObject(object.spec);
  const flat = !/\/v1(beta2)?$/.test(text(object.apiVersion));
  return kind === 'ResourceClaim'
    ? { devices: asObject(spec.devices), path: '/spec/devices', flat }
    : { devices: asObject(asObject(spec.spec).devices), path: '/spec/spec/devices', flat };
}

function claimRule(
  name: string,
  row: string,
  texts: { summary: string; fix: string },
  check: (claim: Claim, say: Say, context: RuleContext) => void,
): Rule {
  return objectRule(name, CLAIMS, { row, source: SOURCE, ...texts }, (object, say, context, manifest) => {
    // Before v1alpha3 a claim had another shape altogether.
    if (text(object.apiVersion) !== `${GROUP}/v1alpha2`) {
      check(claimOf(object, manifest.id.kind), say, context);
    }
  });
}

export const resourceClaimRules: readonly Rule[] = [
  claimRule(
    'device-request-valid',
    'DR1',
    {
      summary:
        'A device request must have a unique DNS label as its name, and either one exact request or up to 8 alternatives, each with a device class.',
      fix: 'Set name and deviceClassName of the request, for example gpu.nvidia.com.',
    },
    ({ devices, path, flat }, say) => {
      const requests = itemsOf(devices.requests, `${path}/requests`);
      if (requests.length > 32) {
        say(`${path}/requests`, `the claim must have at most 32 requests, but has ${requests.length}`, {
          expected: 'at most 32',
        });
      }
      const one = flat ? 'deviceClassName' : 'exactly';
      const seen = new Set<string>();
      for (const { value, path: at } of requests) {
        checkRequestName(value.name, `${at}/name`, seen, say);
        const alternatives = itemsOf(value.firstAvailable, `${at}/firstAvailable`);
        const exact = flat ? hasFlatRequest(value) : given(value.exactly);
        if (exact === alternatives.length > 0) {
          say(
            at,
            exact ? `${one} must not be set when firstAvailable is set` : `${one} or firstAvailable must be set`,
            {
              expected: `${one} or firstAvailable`,
            },
          );
        }
        if (alternatives.length > 8) {
          say(
            `${at}/firstAvailable`,
            `firstAvailable must have at most 8 alternatives, but has ${alternatives.length}`,
            {
              expected: 'at most 8',
            },
          );
        }
        const inner = new Set<string>();
        for (const alternative of alternatives) {
          checkRequestName(alternative.value.name, `${alternative.path}/name`, inner, say);
          checkClass(alternative.value, alternative.path, say);
        }
        if (exact && alternatives.length === 0) {
          if (flat) {
            checkClass(value, at, say);
          } else if (isObject(value.exactly)) {
            checkClass(value.exactly, `${at}/exactly`, say);
          }
        }
      }
    },
  ),

  claimRule(
    'device-count-valid',
    'DR2',
    {
      summary: 'allocationMode must be ExactCount with a count greater than zero (default: 1), or All without a count.',
      fix: 'Set allocationMode: ExactCount with count of at least 1, or allocationMode: All without count.',
    },
    (claim, say) => {
      for (const { value, path } of requestsOf(claim)) {
        const mode = text(value.allocationMode) || 'ExactCount';
        const count = whole(value.count) ?? 0;
        if (!['ExactCount', 'All'].includes(mode)) {
          say(`${path}/allocationMode`, `unsupported value "${mode}" for allocationMode`, {
            expected: count === 0 ? 'ExactCount or All' : 'ExactCount',
          });
        } else if (mode === 'All' && count !== 0) {
          say(`${path}/count`, 'count must not be set when allocationMode is All', {
            fix: `Remove ${fieldOf(`${path}/count`)}, or set ${fieldOf(`${path}/allocationMode`)} to ExactCount.`,
          });
        } else if (mode === 'ExactCount' && count < 0) {
          say(`${path}/count`, 'count must be greater than 0', { expected: 'at least 1' });
        }
      }
    },
  ),

  claimRule(
    'device-selector-valid',
    'DR5',
    {
      summary: 'A selector must be a CEL expression of at most 10 KiB; a request must have no more than 32 selectors.',
      fix: 'Set cel.expression of the selector.',
    },
    (claim, say, context) => {
      for (const { value, path } of requestsOf(claim)) {
        checkSelectors(value, path, minorOf(context), say);
        checkDeviceTolerations(value, path, say);
      }
    },
  ),

  claimRule(
    'device-constraint-valid',
    'DR3',
    {
      summary: 'A constraint must name requests of the claim, and one attribute with a domain.',
      fix: 'Set matchAttribute or distinctAttribute to a name of the form domain/name, such as gpu.nvidia.com/productName.',
    },
    (claim, say) => {
      const names = requestNames(claim);
      const constraints = itemsOf(claim.devices.constraints, `${claim.path}/constraints`);
      if (constraints.length > 32) {
        say(`${claim.path}/constraints`, 'the claim must not have more than 32 constraints', {
          found: constraints.length,
        });
      }
      for (const { value, path } of constraints) {
        checkReferences(value.requests, `${path}/requests`, names, say);
        const attributes = ['matchAttribute', 'distinctAttribute'].filter((field) => given(value[field]));
        if (attributes.length === 0) {
          say(path, 'matchAttribute or distinctAttribute must be set', {
            expected: 'matchAttribute or distinctAttribute',
          });
        }
        const [field] = attributes;
        const bad = field === undefined ? undefined : attributeName(text(value[field]), true);
        if (field !== undefined && bad !== undefined) {
          say(`${path}/${field}`, `${field} must ${bad}`, {
            ...(!bad.includes('no more than') && {
              fix: `Set ${fieldOf(`${path}/${field}`)} to a name of the form domain/name, such as gpu.nvidia.com/productName.`,
            }),
          });
        }
      }
    },
  ),

  claimRule(
    'device-config-valid',
    'DR4',
    {
      summary:
        'A configuration must be opaque, with the name of a driver and an object as parameters, for requests of the claim.',
      fix: 'Set opaque.driver and opaque.parameters.',
    },
    (claim, say) => {
      const names = requestNames(claim);
      const configs = itemsOf(claim.devices.config, `${claim.path}/config`);
      if (configs.length > 32) {
        say(`${claim.path}/config`, 'the claim must not have more than 32 configurations', { found: configs.length });
      }
      for (const { value, path } of configs) {
        checkReferences(value.requests, `${path}/requests`, names, say);
        checkOpaque(value, path, say);
      }
    },
  ),

  objectRule(
    'claim-template-metadata-valid',
    [`${GROUP}/ResourceClaimTemplate`],
    {
      row: 'DR1',
      source: SOURCE,
      summary: 'The metadata of a claim template must have only valid labels and annotations.',
      fix: 'Set only labels and annotations in spec.metadata, with keys of the form prefix/name or name.',
    },
    (object, say) => {
      const metadata = asObject(asObject(object.spec).metadata);
      checkLabels(metadata.labels, '/spec/metadata/labels', say);
      for (const key of Object.keys(asObject(metadata.annotations))) {
        const bad = qualifiedName(key.toLowerCase());
        if (bad !== undefined) {
          say(pointer('/spec/metadata/annotations', key), `the annotation key must ${bad}`);
        }
      }
      for (const [field, value] of Object.entries(metadata)) {
        const empty =
          !given(value) ||
          value === '' ||
          (value === 0 && field !== 'deletionGracePeriodSeconds') ||
          (typeof value === 'object' && size(value) === 0 && !Array.isArray(value));
        if (field !== 'labels' && field !== 'annotations' && !empty) {
          say(`/spec/metadata/${field}`, `${field} must not be set in a claim template`);
        }
      }
    },
  ),

  objectRule(
    'device-class-valid',
    [`${GROUP}/DeviceClass`],
    {
      row: 'DR5',
      source: SOURCE,
      summary:
        'A DeviceClass must have valid CEL selectors, opaque configurations, and an extended resource name in extendedResourceName.',
      fix: 'Set spec.selectors to CEL expressions, and spec.extendedResourceName to a name such as example.com/gpu.',
    },
    (object, say, context) => {
      const spec = asObject(object.spec);
      checkSelectors(spec, '/spec', minorOf(context), say);
      const configs = itemsOf(spec.config, '/spec/config');
      if (configs.length > 32) {
        say('/spec/config', 'the class must not have more than 32 configurations', { found: configs.length });
      }
      for (const { value, path } of configs) {
        checkOpaque(value, path, say);
      }
      const name = spec.extendedResourceName;
      if (since(context, 36) && typeof name === 'string' && !isExtended(name)) {
        say('/spec/extendedResourceName', `"${name}" is not a valid vendor's resource name`, {
          expected: 'vendor.com/name',
        });
      }
    },
  ),
];

const FLAT_FIELDS = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
];

/** In the flat shape a request is there if any field of one is: lists and objects also if they are empty. */
function hasFlatRequest(request: JsonObject): boolean {
  return FLAT_FIELDS.some((field) => {
    const value = request[field];
    return given(value) && value !== '' && value !== 0;
  });
}

/** Every request and alternative, wherever its version puts it. */
function requestsOf({ devices, path, flat }: Claim): readonly Pick<Placed, 'value' | 'path'>[] {
  return itemsOf(devices.requests, `${path}/requests`).flatMap((request): readonly Pick<Placed, 'value' | 'path'>[] => {
    const alternatives = itemsOf(request.value.firstAvailable, `${request.path}/firstAvailable`);
    if (alternatives.length > 0) {
      return alternatives;
    }
    if (flat) {
      return [request];
    }
    return isObject(request.value.exactly) ? [{ value: request.value.exactly, path: `${request.path}/exactly` }] : [];
  });
}

function requestNames({ devices }: Claim): ReadonlySet<string> {
  return new Set(
    itemsOf(devices.requests, '').flatMap(({ value }) => {
      const name = text(value.name);
      return [
        name,
        ...itemsOf(value.firstAvailable, '').map((alternative) => `${name}/${text(alternative.value.name)}`),
      ];
    }),
  );
}

function checkClass(request: JsonObject, path: string, say: Say): void {
  const name = text(request.deviceClassName);
  const bad = name === '' ? 'be set' : dnsSubdomain(name);
  if (bad !== undefined) {
    say(`${path}/deviceClassName`, `deviceClassName${name === '' ? '' : ` ${JSON.stringify(name)}`} must ${bad}`, {
      expected: 'the name of a DeviceClass, such as gpu.nvidia.com',
    });
  }
}

const MOST_SELECTORS = 32;
/** Units of CEL that the server allows for one selector. */
const MOST_COST = 1_000_000;

function checkSelectors(holder: JsonObject, path: string, minor: number, say: Say): void {
  const selectors = itemsOf(holder.selectors, `${path}/selectors`);
  if (selectors.length > MOST_SELECTORS) {
    say(`${path}/selectors`, 'selectors must not have more than 32 entries', { found: selectors.length });
  }
  for (const { value, path: at } of selectors.slice(0, MOST_SELECTORS)) {
    if (!isObject(value.cel)) {
      say(`${at}/cel`, 'the selector must have a CEL expression', {
        fix: `Set ${fieldOf(`${at}/cel`)}.expression to a CEL expression of type bool.`,
      });
      continue;
    }
    const expression = text(value.cel.expression);
    if (expression.trim() === '') {
      say(`${at}/cel/expression`, 'the expression must not be empty');
    } else if (byteLength(expression) > LONGEST) {
      say(`${at}/cel/expression`, 'the expression must be no longer than 10 KiB', { found: byteLength(expression) });
    } else {
      const { fault, cost = 0 } = compileNewSelector(expression, minor);
      if (fault !== undefined) {
        say(`${at}/cel/expression`, `the expression ${fault.complaint}`, expressionFix(`${at}/cel/expression`, fault));
      } else if (cost > MOST_COST) {
        say(`${at}/cel/expression`, `the estimated cost of the expression exceeds ${MOST_COST}`, {
          found: foundCost(cost),
          expected: `an estimated cost of at most ${MOST_COST}`,
          fix: `Reduce the nested loops over attributes or capacities in ${fieldOf(`${at}/cel/expression`)}: each multiplies the cost by 32.`,
        });
      }
    }
  }
}

function checkDeviceTolerations(request: JsonObject, path: string, say: Say): void {
  for (const { value, path: at } of itemsOf(request.tolerations, `${path}/tolerations`)) {
    const operator = text(value.operator) || 'Equal';
    const key = text(value.key) === '' ? undefined : qualifiedName(text(value.key));
    if (key !== undefined) {
      say(`${at}/key`, `the key must ${key}`);
    }
    if (!['Equal', 'Exists'].includes(operator)) {
      say(`${at}/operator`, `unsupported operator "${operator}"`, { expected: 'Equal or Exists' });
    } else if (operator === 'Exists' && text(value.value) !== '') {
      say(`${at}/value`, 'value must not be set for the operator Exists');
    } else if (operator === 'Equal' && labelValue(text(value.value)) !== undefined) {
      say(`${at}/value`, `the value must ${labelValue(text(value.value)) ?? ''}`);
    }
    if (!['', 'None', 'NoSchedule', 'NoExecute'].includes(text(value.effect))) {
      say(`${at}/effect`, `unsupported effect "${text(value.effect)}"`, { expected: 'NoSchedule or NoExecute' });
    }
  }
}

function checkReferences(
  list: JsonObject[string] | undefined,
  path: string,
  names: ReadonlySet<string>,
  say: Say,
): void {
  const seen = new Set<string>();
  const known = [...names].filter((name) => !/^\/|^$/.test(name));
  const listed = new Set(textsOf(list, path).map(({ value }) => value));
  for (const { value, path: at } of textsOf(list, path)) {
    if (!names.has(value)) {
      say(
        at,
        `unknown request "${value}"`,
        known.length === 0
          ? { fix: `Remove ${fieldOf(at)}, or add a request with this name to devices.requests.` }
          : { expected: oneOfStrings(known.filter((name) => !listed.has(name))) || oneOfStrings(known) },
      );
    }
    if (seen.has(value)) {
      say(at, `duplicate value "${value}"`);
    }
    seen.add(value);
  }
}

function checkOpaque(config: JsonObject, path: string, say: Say): void {
  if (!isObject(config.opaque)) {
    say(`${path}/opaque`, 'opaque must be set');
    return;
  }
  checkDriverName(config.opaque.driver, `${path}/opaque/driver`, say);
  const { parameters } = config.opaque;
  if (!isObject(parameters)) {
    const place = `${path}/opaque/parameters`;
    const expected = 'an object in the format that the driver defines';
    say(place, 'the parameters must be an object', {
      expected,
      fix: `Set ${fieldOf(place)} to ${expected}, such as one with apiVersion and kind.`,
    });
  } else if (byteLength(JSON.stringify(parameters)) > LONGEST) {
    say(`${path}/opaque/parameters`, 'the parameters must be no longer than 10 KiB', { found: null });
  }
}
