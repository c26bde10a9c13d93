/**
 * Dynamic resource allocation: slices of devices, and rules that taint devices (row DR6).
 */
import { allOf, oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { keepOne } from '../../rules/field-fix';
import { type Rule } from '../../rules/rule';
import { checkNodeSelector } from '../selectors';
import { type Details, type Say, objectRule, since } from '../server-rule';
import {
  byteLength,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  qualifiedName,
  semanticVersion,
} from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, textsOf, whole } from '../values';
import { checkDriverName } from '../pods/volume-sources';
import { attributeName, checkRequestName, GROUP, SOURCE } from './device-names';

export const resourceSliceRules: readonly Rule[] = [
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
        say('/spec/devices', `the slice must have at most 128 devices, but has ${devices.length}`, {
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
        say('/spec/deviceSelector/pool', `the pool name must ${pool}`, selectorFix('pool', pool));
      }
      const device = given(selector.device) ? dnsLabel(text(selector.device)) : undefined;
      if (device !== undefined) {
        say('/spec/deviceSelector/device', `the device name must ${device}`, selectorFix('device', device));
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
    sayOnlyOne(path, ['nodeName', 'nodeSelector', 'allNodes'], choices, say);
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
      say(path, 'the device must not have more than 4 binding conditions', { found: list.length });
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
      say(`${at}/${field}`, `the counter set name must ${bad}`);
    }
    if (seen.has(name)) {
      say(`${at}/${field}`, `duplicate counter set "${name}"`);
    }
    seen.add(name);
    if (size(value.counters) === 0) {
      say(`${at}/counters`, 'the counter set must have counters');
    }
    for (const counter of Object.keys(asObject(value.counters))) {
      const complaint = dnsLabel(counter);
      if (complaint !== undefined) {
        say(pointer(at, 'counters', counter), `the counter name must ${complaint}`);
      }
    }
  }
}

function checkDeviceTaints(device: JsonObject, path: string, say: Say): void {
  const taints = itemsOf(device.taints, `${path}/taints`);
  if (taints.length > 16) {
    say(`${path}/taints`, 'the device must not have more than 16 taints', { found: taints.length });
  }
  for (const { value, path: at } of taints) {
    checkDeviceTaint(value, at, say);
  }
}

function checkDeviceTaint(taint: JsonObject, path: string, say: Say): void {
  const key = qualifiedName(text(taint.key));
  if (key !== undefined) {
    say(`${path}/key`, `the taint key must ${key}`);
  }
  const bad = labelValue(text(taint.value));
  if (bad !== undefined) {
    say(`${path}/value`, `the taint value must ${bad}`);
  }
  const effect = text(taint.effect);
  if (!['None', 'NoSchedule', 'NoExecute'].includes(effect)) {
    say(`${path}/effect`, `unsupported effect "${effect}"`, { expected: 'None, NoSchedule, or NoExecute' });
  }
}

function checkPool(pool: JsonObject, say: Say): void {
  const badPool = poolName(text(pool.name));
  if (badPool !== undefined) {
    say('/spec/pool/name', `the pool name must ${badPool}`);
  }
  if ((whole(pool.resourceSliceCount) ?? 0) <= 0) {
    say('/spec/pool/resourceSliceCount', 'resourceSliceCount must be greater than 0');
  }
  if ((whole(pool.generation) ?? 0) < 0) {
    say('/spec/pool/generation', 'generation must be greater than or equal to 0');
  }
}

function sayOnlyOne(path: string, fields: readonly string[], set: readonly string[], say: Say): void {
  const place = fieldOf(path);
  say(
    path,
    `exactly one of ${allOf(fields)} must be set, but ${set.length === 0 ? 'none is set' : `${allOf(set)} are set`}`,
    {
      fix: set.length === 0 ? `Set ${oneOf(fields)} in ${place}.` : keepOne(set, place),
    },
  );
}

/** A slice selects its nodes in one way. */
function checkSliceNodes(object: JsonObject, say: Say): void {
  const spec = asObject(object.spec);
  const choices = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'].filter(
    (field) => given(spec[field]) && spec[field] !== false && spec[field] !== '',
  );
  if (choices.length !== 1) {
    sayOnlyOne('/spec', ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'], choices, say);
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
    say('/spec/nodeName', `the node name must ${nodeName}`);
  }
}

const ATTRIBUTE_TYPES = ['bool', 'int', 'string', 'version'] as const;

/** Attributes and capacity of a device. */
function checkDeviceProperties(device: JsonObject, path: string, say: Say): void {
  for (const list of ['attributes', 'capacity']) {
    for (const [name, entry] of Object.entries(asObject(device[list]))) {
      const bad = attributeName(name, false);
      if (bad !== undefined) {
        say(
          pointer(path, list, name),
          `the ${list === 'attributes' ? 'attribute' : 'capacity'} name "${name}" must ${bad}`,
        );
      }
      const shared = device.allowMultipleAllocations === true;
      if (list === 'capacity' && !shared && isObject(asObject(entry).requestPolicy)) {
        say(
          pointer(path, list, name, 'requestPolicy'),
          'requestPolicy must not be set unless allowMultipleAllocations is true',
        );
      }
      if (list !== 'attributes') {
        continue;
      }
      // Lists of values are dropped, since their feature gate is off.
      const attribute = asObject(entry);
      const set = ATTRIBUTE_TYPES.filter((type) => given(attribute[type]));
      if (set.length !== 1) {
        sayOnlyOne(pointer(path, list, name), ATTRIBUTE_TYPES, set, say);
      }
      const { version } = attribute;
      if (typeof version === 'string' && semanticVersion(version) !== undefined) {
        say(pointer(path, list, name, 'version'), `"${version}" is not a valid semantic version`, {
          expected: 'a semantic version such as 1.2.3',
        });
      }
      if (set.some((type) => byteLength(text(attribute[type])) > 64)) {
        say(pointer(path, list, name), 'the value must be no longer than 64 bytes', { found: null });
      }
    }
  }
}

/** A selector without the field selects all; of an empty one the name is missing. */
const selectorFix = (field: string, complaint: string): Details =>
  complaint === 'be set' || complaint.startsWith('not be empty')
    ? { fix: `Set deviceSelector.${field} to the name of the ${field}, or remove it.` }
    : {};
