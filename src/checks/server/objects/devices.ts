/**
 * Dynamic resource allocation: claims, templates, device classes and slices (rows DR1 to DR6).
 *
 * The versions differ in shape: up to v1beta1 a request is flat, from v1beta2 on it is `exactly` or `firstAvailable`.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { BOOL, readType } from '../../cel/typing/types';
import { deviceEnvironment } from '../cel-environments';
import { expressionComplaint, expressionFix } from '../expressions';
import { isExtended } from '../resource-names';
import { type Rule, type RuleContext } from '../../rule';
import { checkLabels, checkNodeSelector } from '../selectors';
import { minorOf, type Say, objectRule, since } from '../server-rule';
import { byteLength, cIdentifier, dnsLabel, dnsSubdomain, labelValue, qualifiedName, semanticVersion } from '../syntax';
import { given, itemsOf, type Placed, size, text, textsOf, whole } from '../values';
import { checkDriverName } from '../pods/volume-sources';
import { allOf, oneOf } from '../../../facts/words';

const GROUP = 'resource.k8s.io';
const SOURCE = 'apis/resource/validation/validation.go';
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

export const deviceRules: readonly Rule[] = [
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
        say(`${path}/requests`, `must have at most 32 requests, but has ${requests.length}`, {
          expected: 'at most 32',
        });
      }
      const seen = new Set<string>();
      for (const { value, path: at } of requests) {
        checkRequestName(value.name, `${at}/name`, seen, say);
        const alternatives = itemsOf(value.firstAvailable, `${at}/firstAvailable`);
        const exact = flat ? hasFlatRequest(value) : given(value.exactly);
        if (exact === alternatives.length > 0) {
          say(
            at,
            exact ? 'exactly must not be set when firstAvailable is set' : 'exactly or firstAvailable must be set',
            {
              expected: flat ? 'deviceClassName or firstAvailable' : 'exactly or firstAvailable',
            },
          );
        }
        if (alternatives.length > 8) {
          say(`${at}/firstAvailable`, `must have at most 8 alternatives, but has ${alternatives.length}`, {
            expected: 'at most 8',
          });
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
            expected: 'ExactCount or All',
          });
        } else if (mode === 'All' && count !== 0) {
          say(`${path}/count`, 'count must not be set when allocationMode is All');
        } else if (mode === 'ExactCount' && count < 0) {
          say(`${path}/count`, 'the count must be greater than 0', { expected: 'at least 1' });
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
      fix: 'Set matchAttribute or distinctAttribute to domain/name.',
    },
    (claim, say) => {
      const names = requestNames(claim);
      const constraints = itemsOf(claim.devices.constraints, `${claim.path}/constraints`);
      if (constraints.length > 32) {
        say(`${claim.path}/constraints`, 'must not have more than 32 constraints', { found: constraints.length });
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
          say(`${path}/${field}`, `the attribute must ${bad}`);
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
        say(`${claim.path}/config`, 'must not have more than 32 configurations', { found: configs.length });
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
        say('/spec/config', 'must not have more than 32 configurations', { found: configs.length });
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

  objectRule(
    'resource-slice-valid',
    [`${GROUP}/ResourceSlice`],
    {
      row: 'DR6',
      source: SOURCE,
      summary:
        'A ResourceSlice must name its driver and pool, one selection of nodes, and at most 128 devices with unique names and one value per attribute.',
      fix: 'Remove the ResourceSlice from the manifests: the driver writes its spec.',
    },
    (object, say, context) => {
      const countersServed = since(context, 36);
      const spec = asObject(object.spec);
      checkDriverName(spec.driver, '/spec/driver', say);
      checkPool(asObject(spec.pool), say);
      checkSliceNodes(object, say);
      const devices = itemsOf(spec.devices, '/spec/devices');
      if (devices.length > 128) {
        say('/spec/devices', `must have at most 128 devices, but has ${devices.length}`, {
          found: devices.length,
          expected: 'at most 128',
        });
      }
      if (Array.isArray(spec.sharedCounters) && Array.isArray(spec.devices)) {
        say('/spec/sharedCounters', 'devices must not be set when sharedCounters is set', {
          fix: 'Remove spec.devices or spec.sharedCounters.',
        });
      }
      if (countersServed) {
        checkCounters(spec.sharedCounters, 'name', '/spec/sharedCounters', say);
      }
      const seen = new Set<string>();
      for (const { value, path } of devices) {
        checkRequestName(value.name, `${path}/name`, seen, say);
        const device = isObject(value.basic) ? value.basic : value;
        checkDeviceNodes(device, path, spec.perDeviceNodeSelection === true, say);
        checkDeviceTaints(device, path, say);
        if (countersServed) {
          checkCounters(device.consumesCounters, 'counterSet', `${path}/consumesCounters`, say);
        }
        checkDeviceProperties(device, path, say);
      }
    },
  ),

  objectRule(
    'device-taint-rule-valid',
    ['resource.k8s.io/DeviceTaintRule'],
    {
      row: 'DR6',
      source: SOURCE,
      summary:
        'A DeviceTaintRule must set a taint with a key and a supported effect, on devices by driver, pool, and name.',
      fix: 'Set spec.taint.key, spec.taint.effect, and spec.deviceSelector.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      checkDeviceTaint(asObject(spec.taint), '/spec/taint', say);
      const selector = asObject(spec.deviceSelector);
      if (given(selector.driver)) {
        checkDriverName(selector.driver, '/spec/deviceSelector/driver', say);
      }
      const pool = given(selector.pool) ? poolName(text(selector.pool)) : undefined;
      if (pool !== undefined) {
        say('/spec/deviceSelector/pool', `the pool's name must ${pool}`);
      }
      const device = given(selector.device) ? dnsLabel(text(selector.device)) : undefined;
      if (device !== undefined) {
        say('/spec/deviceSelector/device', `the device's name must ${device}`);
      }
    },
  ),
];

function poolName(name: string): string | undefined {
  if (name === '') {
    return 'be set';
  }
  return name.length > 253
    ? 'be no more than 253 characters'
    : name
        .split('/')
        .map(dnsSubdomain)
        .find((bad) => bad !== undefined);
}

/** Nodes and binding conditions of one device. */
function checkDeviceNodes(device: JsonObject, path: string, perDevice: boolean, say: Say): void {
  const choices = ['nodeName', 'nodeSelector', 'allNodes'].filter((field) => given(device[field]));
  if (!perDevice && choices.length > 0) {
    say(path, `${allOf(choices)} of a device must not be set unless perDeviceNodeSelection is true`, {
      fix: `Set perDeviceNodeSelection: true, or remove ${allOf(choices)} from ${fieldOf(path)}.`,
    });
  }
  if (perDevice && choices.length !== 1) {
    say(path, `exactly one way to select the device's nodes must be set, but there are ${choices.length}`, {
      expected: 'one of nodeName, nodeSelector, allNodes',
    });
  }
  if (device.allNodes === false) {
    say(`${path}/allNodes`, 'allNodes must be true or unset');
  }
  if (isObject(device.nodeSelector)) {
    checkNodeSelector(device.nodeSelector, `${path}/nodeSelector`, say);
  }
  const conditions = ['bindingConditions', 'bindingFailureConditions'].map((field) =>
    textsOf(device[field], `${path}/${field}`),
  );
  for (const list of conditions) {
    if (list.length > 4) {
      say(path, 'must not have more than 4 binding conditions', { found: list.length });
    }
    for (const { value, path: at } of list) {
      const bad = qualifiedName(value);
      if (bad !== undefined) {
        say(at, `the condition must ${bad}`);
      }
    }
  }
  if ((conditions[0]?.length === 0) !== (conditions[1]?.length === 0)) {
    say(path, 'bindingConditions and bindingFailureConditions must be set together');
  }
}

/** Sets of counters, of a pool or of a device: each once, with a name, and counters with names. */
function checkCounters(sets: JsonValue | undefined, field: string, path: string, say: Say): void {
  const seen = new Set<string>();
  for (const { value, path: at } of itemsOf(sets, path)) {
    const name = text(value[field]);
    const bad = dnsLabel(name);
    if (bad !== undefined) {
      say(`${at}/${field}`, `the counter set's name must ${bad}`);
    }
    if (seen.has(name)) {
      say(`${at}/${field}`, `duplicate counter set "${name}"`);
    }
    seen.add(name);
    if (size(value.counters) === 0) {
      say(`${at}/counters`, 'the set must have counters');
    }
    for (const counter of Object.keys(asObject(value.counters))) {
      const complaint = dnsLabel(counter);
      if (complaint !== undefined) {
        say(pointer(at, 'counters', counter), `the counter's name must ${complaint}`);
      }
    }
  }
}

function checkDeviceTaints(device: JsonObject, path: string, say: Say): void {
  const taints = itemsOf(device.taints, `${path}/taints`);
  if (taints.length > 16) {
    say(`${path}/taints`, 'must not have more than 16 taints', { found: taints.length });
  }
  for (const { value, path: at } of taints) {
    checkDeviceTaint(value, at, say);
  }
}

function checkDeviceTaint(taint: JsonObject, path: string, say: Say): void {
  const key = qualifiedName(text(taint.key));
  if (key !== undefined) {
    say(`${path}/key`, `the taint's key must ${key}`);
  }
  const bad = labelValue(text(taint.value));
  if (bad !== undefined) {
    say(`${path}/value`, `the taint's value must ${bad}`);
  }
  const effect = text(taint.effect);
  if (!['None', 'NoSchedule', 'NoExecute'].includes(effect)) {
    say(`${path}/effect`, `unsupported effect "${effect}"`, { expected: 'None, NoSchedule, or NoExecute' });
  }
}

/** In the flat shape a request is there if any field of one is. */
function hasFlatRequest(request: JsonObject): boolean {
  return ['deviceClassName', 'selectors', 'allocationMode', 'count', 'adminAccess', 'tolerations'].some((field) => {
    const value = request[field];
    return given(value) && value !== '' && value !== 0 && !(Array.isArray(value) && value.length === 0);
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

function checkRequestName(name: JsonObject[string] | undefined, path: string, seen: Set<string>, say: Say): void {
  const bad = text(name) === '' ? undefined : dnsLabel(text(name));
  if (text(name) === '') {
    say(path, 'the name must be set');
  } else if (bad !== undefined) {
    say(path, `the name ${JSON.stringify(text(name))} must ${bad}`);
  }
  if (seen.has(text(name))) {
    say(path, `duplicate name "${text(name)}"`);
  }
  seen.add(text(name));
}

function checkClass(request: JsonObject, path: string, say: Say): void {
  const name = text(request.deviceClassName);
  const bad = name === '' ? 'be set' : dnsSubdomain(name);
  if (bad !== undefined) {
    say(`${path}/deviceClassName`, `deviceClassName${name === '' ? '' : ` ${JSON.stringify(name)}`} must ${bad}`, {
      expected: 'a device class such as gpu.nvidia.com',
    });
  }
}

/** An attribute's value may be the outcome too. */
const OUTCOMES = [BOOL, readType('any')];

function checkSelectors(holder: JsonObject, path: string, minor: number, say: Say): void {
  const selectors = itemsOf(holder.selectors, `${path}/selectors`);
  if (selectors.length > 32) {
    say(`${path}/selectors`, 'must not have more than 32 selectors', { found: selectors.length });
  }
  for (const { value, path: at } of selectors) {
    if (!isObject(value.cel)) {
      say(`${at}/cel`, 'the selector must have a CEL expression', { fix: `Set ${fieldOf(`${at}/cel`)}.expression.` });
      continue;
    }
    const expression = text(value.cel.expression);
    if (expression.trim() === '') {
      say(`${at}/cel/expression`, 'the expression must not be empty');
    } else if (byteLength(expression) > LONGEST) {
      say(`${at}/cel/expression`, 'the expression must be no longer than 10 KiB', { found: byteLength(expression) });
    } else {
      const complaint = expressionComplaint(expression, {
        environment: deviceEnvironment(minor),
        result: OUTCOMES,
      });
      if (complaint !== undefined) {
        say(`${at}/cel/expression`, `the expression ${complaint}`, expressionFix(`${at}/cel/expression`));
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
  for (const { value, path: at } of textsOf(list, path)) {
    if (!names.has(value)) {
      say(
        at,
        `unknown request "${value}"`,
        known.length === 0
          ? { fix: `Remove ${fieldOf(at)}, or add a request of this name to devices.requests.` }
          : { expected: oneOf(known) },
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
    say(`${path}/opaque/parameters`, 'the parameters must be an object', { expected: 'an object of the driver' });
  } else if (byteLength(JSON.stringify(parameters)) > LONGEST) {
    say(`${path}/opaque/parameters`, 'the parameters must be no longer than 10 KiB', { found: null });
  }
}

/** `[domain/]identifier` of attributes and capacities. */
function attributeName(name: string, domainNeeded: boolean): string | undefined {
  if (name === '') {
    return 'be set';
  }
  const parts = name.split('/');
  // The server does not look at names with more than one "/".
  if (parts.length > 2) {
    return undefined;
  }
  const id = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const domain = parts[0] ?? '';
    if (domain === '') {
      return 'have a domain before the "/"';
    }
    if (domain.length > 63) {
      return 'have a domain of at most 63 characters';
    }
    const bad = dnsSubdomain(domain);
    if (bad !== undefined) {
      return `have a DNS name before the "/", which must ${bad}`;
    }
  } else if (domainNeeded) {
    return 'be of the form domain/name';
  }
  if (id === '') {
    return 'have a name after the "/"';
  }
  return id.length > 32 ? 'have a name of at most 32 characters' : cIdentifier(id);
}

function checkPool(pool: JsonObject, say: Say): void {
  const badPool = poolName(text(pool.name));
  if (badPool !== undefined) {
    say('/spec/pool/name', `the pool's name must ${badPool}`);
  }
  if ((whole(pool.resourceSliceCount) ?? 0) <= 0) {
    say('/spec/pool/resourceSliceCount', 'the count must be greater than 0');
  }
  if ((whole(pool.generation) ?? 0) < 0) {
    say('/spec/pool/generation', 'the generation must be greater than or equal to 0');
  }
}

/** A slice selects its nodes in one way. */
function checkSliceNodes(object: JsonObject, say: Say): void {
  const spec = asObject(object.spec);
  const choices = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'].filter(
    (field) => given(spec[field]) && spec[field] !== false && spec[field] !== '',
  );
  if (choices.length !== 1) {
    say('/spec', `exactly one way to select nodes must be set, but there are ${choices.length}`, {
      found: choices.length,
      expected: 'one of nodeName, nodeSelector, allNodes, perDeviceNodeSelection',
    });
  }
  // In v1beta1, false is what an absent allNodes is.
  const pointers =
    object.apiVersion === `${GROUP}/v1beta1` ? ['perDeviceNodeSelection'] : ['allNodes', 'perDeviceNodeSelection'];
  for (const field of pointers) {
    if (spec[field] === false) {
      say(`/spec/${field}`, `${field} must be true or unset`);
    }
  }
  if (isObject(spec.nodeSelector)) {
    checkNodeSelector(spec.nodeSelector, '/spec/nodeSelector', say);
    if (size(spec.nodeSelector.nodeSelectorTerms) > 1) {
      say('/spec/nodeSelector/nodeSelectorTerms', 'the node selector must have only one term');
    }
  }
  // In v1beta1, an empty name is what an absent one is.
  const isUnset = !given(spec.nodeName) || (spec.nodeName === '' && object.apiVersion === `${GROUP}/v1beta1`);
  const nodeName = spec.nodeName === '' ? 'not be empty' : dnsSubdomain(text(spec.nodeName));
  if (!isUnset && nodeName !== undefined) {
    say('/spec/nodeName', `the node's name must ${nodeName}`);
  }
}

/** Attributes and capacity of a device. */
function checkDeviceProperties(device: JsonObject, path: string, say: Say): void {
  for (const list of ['attributes', 'capacity']) {
    for (const [name, entry] of Object.entries(asObject(device[list]))) {
      const bad = attributeName(name, false);
      if (bad !== undefined) {
        say(pointer(path, list, name), `the name "${name}" must ${bad}`);
      }
      const shared = device.allowMultipleAllocations === true;
      if (list === 'capacity' && !shared && isObject(asObject(entry).requestPolicy)) {
        say(pointer(path, list, name, 'requestPolicy'), 'a request policy requires allowMultipleAllocations');
      }
      if (list !== 'attributes') {
        continue;
      }
      // Lists of values are dropped, since their feature gate is off.
      const values = ['bool', 'int', 'string', 'version'].map((field) => asObject(entry)[field]).filter(given);
      if (values.length !== 1) {
        say(pointer(path, list, name), 'an attribute must have exactly one value', { found: values.length });
      }
      const { version } = asObject(entry);
      if (typeof version === 'string' && semanticVersion(version) !== undefined) {
        say(pointer(path, list, name, 'version'), `"${version}" is not a valid semantic version`, {
          expected: 'such as 1.2.3',
        });
      }
      if (values.some((single) => typeof single === 'string' && byteLength(single) > 64)) {
        say(pointer(path, list, name), 'the value must be no longer than 64 bytes', { found: null });
      }
    }
  }
}
