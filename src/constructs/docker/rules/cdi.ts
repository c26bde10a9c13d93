/**
 * The rule about CDI specifications: what the library that container engines read them with refuses.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { nearestName } from '../../../facts/spelling';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { CDI_FILE } from '../../../manifests/documents/host-document';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { fileRule } from '../../node-tuning/rules/files';

const VERSION = /^v?\d+\.\d+\.\d+$/;
const KIND = /^[A-Za-z](?:[\w.-]*[A-Za-z0-9])?\/[A-Za-z](?:[\w.-]*[A-Za-z0-9])?$/;
const DEVICE = /^[A-Za-z0-9](?:[\w.:-]*[A-Za-z0-9])?$/;
const HOOKS: readonly string[] = [
  'prestart',
  'createRuntime',
  'createContainer',
  'startContainer',
  'poststart',
  'poststop',
];
const SPECIFICATION_FIELDS: readonly string[] = ['cdiVersion', 'kind', 'annotations', 'devices', 'containerEdits'];
const DEVICE_FIELDS: readonly string[] = ['name', 'annotations', 'containerEdits'];
/** Edits that make a device more than a name. */
const EDITS: readonly string[] = ['env', 'deviceNodes', 'hooks', 'mounts', 'additionalGids', 'intelRdt', 'netDevices'];
/** Edits that are lists. */
const LISTS: readonly string[] = EDITS.filter((field) => field !== 'intelRdt');

export const cdiRules: readonly Rule[] = [
  fileRule(
    CDI_FILE,
    'docker/cdi-specification-valid',
    {
      row: 'DC13',
      summary:
        'A CDI specification must have a version, a kind, and devices with names of their own and container edits.',
      why: 'The engine skips the whole file, so that containers with its devices do not start: "unresolvable CDI devices".',
      fix: 'Set cdiVersion, kind, and name and containerEdits of each device, or generate the file, for example with `nvidia-ctk cdi generate`.',
      source: 'container-device-interface 1.1, pkg/cdi (spec.go, device.go, container-edits.go), pkg/parser',
    },
    ({ value }) => specificationFaults(value),
  ),
];

function* specificationFaults(value: JsonObject): Iterable<Violation> {
  yield* misspelled(value, '', SPECIFICATION_FIELDS);
  if (!VERSION.test(asString(value.cdiVersion) ?? '')) {
    yield wrong('/cdiVersion', 'cdiVersion must be a version of the specification', value.cdiVersion, '0.6.0');
  }
  if (!KIND.test(asString(value.kind) ?? '')) {
    yield wrong('/kind', 'kind must be a vendor and a class', value.kind, 'vendor/class, such as example.com/accel');
  }
  yield* editsFaults(value.containerEdits, '/containerEdits');
  if (isEmpty(value.devices)) {
    yield wrong('', 'devices must be set', value.devices, 'at least one device');
  }
  yield* listFaults(value, '', ['devices']);
  const names = new Set<string>();
  for (const [index, device] of asArray(value.devices).entries()) {
    const path = pointer('/devices', index);
    // The library leaves null out of lists.
    if (device === null) {
      continue;
    }
    if (!isObject(device)) {
      yield wrong(path, 'the device must be an object', device, 'a device with name and containerEdits');
      continue;
    }
    yield* deviceFaults(device, path);
    const name = asString(device.name) ?? '';
    if (names.has(name)) {
      yield wrong(`${path}/name`, `duplicate device "${name}"`, device.name, 'a name that no other device has');
    }
    names.add(name);
  }
}

function* deviceFaults(device: JsonObject, path: string): Iterable<Violation> {
  yield* misspelled(device, path, DEVICE_FIELDS);
  if (!DEVICE.test(asString(device.name) ?? '')) {
    yield wrong(
      `${path}/name`,
      'the device has an invalid name',
      device.name,
      'letters, digits, and "_-.:" between them',
    );
  }
  const edits = asObject(device.containerEdits);
  if (!EDITS.some((field) => !isEmpty(edits[field]))) {
    yield wrong(path, 'the device has no container edits', device.containerEdits, 'containerEdits such as deviceNodes');
  }
  yield* editsFaults(device.containerEdits, `${path}/containerEdits`);
}

function* editsFaults(value: JsonValue | undefined, path: string): Iterable<Violation> {
  if (!isUnset(value) && !isObject(value)) {
    yield wrong(
      path,
      'containerEdits must be an object',
      value,
      'container edits such as { deviceNodes: [{ path: /dev/accel0 }] }',
    );
  }
  const edits = asObject(value);
  yield* misspelled(edits, path, EDITS);
  yield* listFaults(edits, path, LISTS);
  for (const [index, variable] of asArray(edits.env).entries()) {
    if (variable !== null && !/^[^=]+=/.test(asString(variable) ?? '')) {
      yield wrong(`${path}/env/${index}`, 'the variable must have the form NAME=value', variable, 'NAME=value');
    }
  }
  yield* entryFaults(edits, path, 'deviceNodes', ['path']);
  yield* entryFaults(edits, path, 'mounts', ['hostPath', 'containerPath'], ['options']);
  yield* entryFaults(edits, path, 'hooks', ['hookName', 'path'], ['args', 'env']);
  for (const [index, node] of asArray(edits.deviceNodes).entries()) {
    const permissions = asString(asObject(node).permissions);
    if (permissions !== undefined && !/^(none|[rwm]*)$/.test(permissions)) {
      yield wrong(`${path}/deviceNodes/${index}/permissions`, 'invalid permissions', permissions, 'r, w, and m');
    }
  }
  for (const [index, hook] of asArray(edits.hooks).entries()) {
    const name = asString(asObject(hook).hookName) ?? '';
    if (name !== '' && !HOOKS.includes(name)) {
      const expected = nearestName(name, HOOKS) ?? HOOKS.join(', ');
      yield wrong(`${path}/hooks/${index}/hookName`, `unknown hook "${name}"`, name, expected);
    }
  }
}

function* entryFaults(
  edits: JsonObject,
  path: string,
  list: string,
  required: readonly string[],
  lists: readonly string[] = [],
): Iterable<Violation> {
  for (const [index, entry] of asArray(edits[list]).entries()) {
    const [at, fields] = [`${path}/${list}/${index}`, asObject(entry)];
    for (const field of required) {
      if ((asString(fields[field]) ?? '') === '') {
        yield wrong(at, `${field} must be set`, entry, field);
      }
    }
    yield* listFaults(fields, at, lists);
  }
}

function* listFaults(value: JsonObject, path: string, fields: readonly string[]): Iterable<Violation> {
  for (const field of fields) {
    const found = value[field];
    if (!isUnset(found) && !Array.isArray(found)) {
      yield wrong(`${path}/${field}`, `${field} must be a list`, found, 'a list');
    }
  }
}

/** Later versions may add fields, so only a name close to a known one is judged. */
function* misspelled(value: JsonObject, path: string, known: readonly string[]): Iterable<Violation> {
  for (const [field, found] of Object.entries(value)) {
    const expected = known.includes(field) ? undefined : nearestName(field, known);
    if (expected !== undefined) {
      yield { path: pointer(path, field), message: `unknown field "${field}"`, found, expected };
    }
  }
}

function wrong(path: string, message: string, found: JsonValue | undefined, expected: string): Violation {
  return { path, message, found, expected };
}

function isEmpty(value: JsonValue | undefined): boolean {
  return isUnset(value) || (Array.isArray(value) && value.length === 0);
}

function isUnset(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}
