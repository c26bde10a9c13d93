/**
 * The rules about Compose files with GPUs.
 */
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { COMPOSE_FILE, isCdiName, isGpuRuntime } from '../../../manifests/documents/compose-file';
import { NODE_FILE } from '../../../manifests/documents/node-file';
import { asString, isObject } from '../../../manifests/read';
import {
  given,
  idsOf,
  isAll,
  isCdiRequest,
  isReplaced,
  isUnset,
  listsOf,
  type RequestView,
  requestsOf,
  type ServiceView,
  servicesOf,
} from './requests';

const COMPOSE = 'Compose Specification, deploy.md (devices); compose-go v2, transform/devices.go, types/device.go';

type Facts = Omit<RuleFacts, 'id' | 'tier' | 'severity' | 'source'> &
  Partial<Pick<RuleFacts, 'tier' | 'severity' | 'source'>>;

function composeRule(name: string, facts: Facts, check: (file: JsonObject) => Iterable<Violation>): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    source: COMPOSE,
    ...facts,
    id: `docker/${name}`,
    on: 'object',
    kinds: [`${NODE_FILE}/${COMPOSE_FILE}`],
    check: ({ object }) => check(object),
  };
}

function requestRule(name: string, facts: Facts, check: (request: RequestView) => Iterable<Violation>): ObjectRule {
  return composeRule(name, facts, function* (file) {
    for (const request of requestsOf(file)) {
      yield* check(request);
    }
  });
}

const DRIVERS: readonly string[] = ['nvidia', 'cdi', 'amd'];
const FIELDS: readonly string[] = ['capabilities', 'driver', 'count', 'device_ids', 'options'];

export const composeRules: readonly Rule[] = [
  composeRule(
    'compose-devices-list',
    {
      row: 'DC1',
      summary: 'Device reservations and gpus must be lists of requests; gpus may also be "all".',
      why: 'Compose rejects the file: "invalid type".',
      fix: 'Set devices to a list of device requests, such as - { driver: nvidia, count: 1, capabilities: [gpu] }.',
      source: `${COMPOSE}, transform/gpus.go`,
    },
    function* (file) {
      for (const list of servicesOf(file).flatMap(listsOf)) {
        yield* misshapen(list);
      }
    },
  ),

  requestRule(
    'compose-count-or-ids',
    {
      row: 'DC2',
      summary: 'A device request must not have both count and device_ids.',
      why: 'Compose rejects the file: "count" and "device_ids" attributes are exclusive.',
      fix: 'Remove count, because the length of device_ids is the number of devices.',
    },
    function* ({ value, path }) {
      if (given(value, 'count') !== undefined && given(value, 'device_ids') !== undefined) {
        const found = given(value, 'count');
        yield {
          path: `${path}/count`,
          message: 'count must not be set when device_ids is set',
          found,
          expected: 'no count',
        };
      }
    },
  ),

  requestRule(
    'compose-capabilities-required',
    {
      row: 'DC3',
      summary: 'A device reservation must have capabilities.',
      why: 'Compose rejects the file, because capabilities is a required field.',
      fix: 'Set capabilities: [gpu] in the device request.',
    },
    function* ({ value, path, isReservation }) {
      const capabilities = given(value, 'capabilities');
      if (isReservation && (capabilities === undefined || (Array.isArray(capabilities) && capabilities.length === 0))) {
        yield { path, message: 'capabilities must be set in the device request', expected: 'capabilities: [gpu]' };
      }
    },
  ),

  requestRule(
    'compose-count-valid',
    {
      row: 'DC4',
      summary: 'The count of a device request must be a whole number or "all".',
      why: 'Compose rejects the file: "the only value allowed is \'all\' or a number".',
      fix: 'Set count of the device request to an integer, such as count: 1.',
    },
    function* ({ value, path }) {
      const count = given(value, 'count');
      if (count !== undefined && !isReplaced(count) && !isAll(count) && !/^\d+$/.test(wordOf(count))) {
        yield {
          path: `${path}/count`,
          message: `count must be an integer or all, but is ${JSON.stringify(count)}`,
          found: count,
          expected: 'an integer, or all',
        };
      }
    },
  ),

  requestRule(
    'compose-request-field-known',
    {
      row: 'DC5',
      summary: `A device request has no other fields than ${FIELDS.join(', ')}.`,
      why: 'Compose rejects the file: "additional properties not allowed".',
      fix: 'Rename the field to capabilities, driver, count, device_ids, or options, or remove it.',
    },
    function* ({ value, path }) {
      for (const [field, found] of Object.entries(value)) {
        if (!FIELDS.includes(field) && !field.startsWith('x-')) {
          const expected = nearestName(field, FIELDS);
          yield {
            path: `${path}/${field}`,
            message: `unknown field "${field}" in the device request`,
            found,
            expected,
          };
        }
      }
    },
  ),

  requestRule(
    'compose-driver-known',
    {
      row: 'DC6',
      tier: 'advice',
      severity: 'warning',
      summary: 'The driver of a device request should be one of the Docker engine: nvidia, amd, or cdi.',
      why: 'With an unknown driver the container does not start: "could not select device driver".',
      fix: 'Set driver: nvidia, driver: amd, or driver: cdi, or remove the field.',
      source: 'moby v29, daemon/devices.go (handleDevice), daemon/cdi.go',
    },
    function* ({ value, path }) {
      const driver = asString(given(value, 'driver'));
      if (driver !== undefined && driver !== '' && !isReplaced(driver) && !DRIVERS.includes(driver)) {
        const expected = nearestName(driver, DRIVERS) ?? DRIVERS.join(', ');
        yield { path: `${path}/driver`, message: `unknown driver "${driver}"`, found: driver, expected };
      }
    },
  ),

  requestRule(
    'compose-cdi-devices-named',
    {
      row: 'DC7',
      summary: 'A request to the driver cdi must name its devices in device_ids, and have neither count nor options.',
      why: 'The container does not start: "unexpected count in CDI device request"; without both, Compose sets count to all.',
      fix: 'Set device_ids to CDI names such as nvidia.com/gpu=0, and remove count.',
      source: `${COMPOSE}; moby v29, daemon/cdi.go (injectCDIDevices)`,
    },
    function* (request) {
      if (!isCdiRequest(request)) {
        return;
      }
      const { value, path } = request;
      const wrong = ['count', 'options'].find((field) => given(value, field) !== undefined);
      if (wrong !== undefined) {
        yield {
          path: `${path}/${wrong}`,
          message: `${wrong} must not be set when driver is cdi`,
          found: given(value, wrong),
        };
      } else if (given(value, 'device_ids') === undefined) {
        yield {
          path,
          message: 'device_ids must be set when driver is cdi',
          expected: 'device_ids: [nvidia.com/gpu=0]',
        };
      }
    },
  ),

  requestRule(
    'compose-cdi-name-qualified',
    {
      row: 'DC8',
      summary: 'The device_ids of a request to the driver cdi must be full CDI names, and only those.',
      why: 'The container does not start: "unresolvable CDI devices". The driver nvidia knows no CDI names.',
      fix: 'Set device_ids to names of the form vendor/class=name and driver: cdi, or to indexes or UUIDs and driver: nvidia.',
      source: 'CNCF Container Device Interface 1.0 (qualified names); moby v29, daemon/cdi.go',
    },
    function* (request) {
      const isCdi = isCdiRequest(request);
      const isNvidia = given(request.value, 'driver') === 'nvidia';
      const wrong = idsOf(request).find((id) => (isCdi ? !isCdiName(id) : isNvidia && isCdiName(id)));
      if (wrong !== undefined) {
        const expected = isCdi ? 'a fully qualified name such as nvidia.com/gpu=0' : 'driver: cdi';
        const message = isCdi
          ? `"${wrong}" is not a fully qualified CDI device name`
          : `"${wrong}" is a CDI device name, which requires driver: cdi`;
        yield { path: `${request.path}/device_ids`, message, found: wrong, expected };
      }
    },
  ),

  composeRule(
    'compose-one-gpu-mechanism',
    {
      row: 'DC9',
      tier: 'advice',
      severity: 'warning',
      summary: 'A service should get its GPUs in one way: by a device request, or by runtime: nvidia.',
      why: 'The NVIDIA runtime also adds the devices in NVIDIA_VISIBLE_DEVICES, which is all of them in CUDA images, so the container may see more devices than it reserves.',
      fix: 'Remove runtime from the service, because a device request works with the default runtime.',
      source: 'nvidia-container-toolkit v1.20, api/config/v1; Compose Specification, deploy.md (devices)',
    },
    function* (file) {
      for (const service of servicesOf(file)) {
        const found = given(service.value, 'runtime');
        if (isGpuRuntime(found) && listsOf(service).some(({ value }) => !isUnset(value))) {
          const message = `the service "${service.name}" must not both set a GPU runtime and request devices`;
          yield { path: `${service.path}/runtime`, message, found, expected: 'no runtime' };
        }
      }
    },
  ),

  composeRule(
    'compose-runtime-devices-stated',
    {
      row: 'DC10',
      tier: 'advice',
      severity: 'warning',
      summary: 'A service with runtime: nvidia should state NVIDIA_VISIBLE_DEVICES.',
      why: 'Without it the image decides: CUDA images get every GPU, other images none.',
      fix: 'Replace runtime with a device request, or set NVIDIA_VISIBLE_DEVICES in environment.',
      source: 'nvidia-container-toolkit v1.20, NVIDIA_VISIBLE_DEVICES',
    },
    function* (file) {
      for (const service of servicesOf(file)) {
        const found = given(service.value, 'runtime');
        if (/^nvidia/.test(asString(found) ?? '') && !mayStateDevices(service)) {
          const message = `the service "${service.name}" sets a GPU runtime but no devices, so the image decides which GPUs it uses`;
          yield { path: `${service.path}/runtime`, message, found, expected: 'NVIDIA_VISIBLE_DEVICES in environment' };
        }
      }
    },
  ),

  composeRule(
    'compose-all-devices',
    {
      row: 'DC11',
      tier: 'advice',
      severity: 'info',
      summary: 'A service should request the devices that it needs, not all of them.',
      why: 'A request for all devices is not exclusive: on a host that others use too, the service runs on their devices.',
      fix: 'Set count to the number of devices that the service needs, or device_ids to the devices.',
    },
    function* (file) {
      for (const { path, value } of servicesOf(file).flatMap(listsOf)) {
        if (isAll(value)) {
          yield { path, message: 'the service requests every device of the host', found: value };
        }
      }
      for (const request of requestsOf(file)) {
        const count = given(request.value, 'count');
        if (isAll(count)) {
          yield {
            path: `${request.path}/count`,
            message: 'the device request with count: all includes every device of the host',
            found: count,
          };
        } else if (count === undefined && given(request.value, 'device_ids') === undefined && !isCdiRequest(request)) {
          const message =
            'the device request includes every device of the host, because neither count nor device_ids is set';
          yield { path: request.path, message, expected: 'count: 1' };
        }
      }
    },
  ),
];

function* misshapen({ value, path, isReservation }: ReturnType<typeof listsOf>[number]): Iterable<Violation> {
  if (isUnset(value) || isReplaced(value)) {
    return;
  }
  if (!Array.isArray(value)) {
    if (isReservation || value !== 'all') {
      const expected = isReservation ? 'a list of requests' : 'all, or a list of requests';
      yield { path, message: 'devices must be a list of device requests', found: value, expected };
    }
    return;
  }
  const index = value.findIndex((entry) => !isObject(entry) && entry !== null);
  if (index >= 0) {
    yield {
      path: `${path}/${index}`,
      message: 'each device request must be an object',
      found: value[index],
      expected: 'a device request',
    };
  }
}

/** What a file, a base service, or a replaced name adds is not known here. */
function mayStateDevices({ value }: ServiceView): boolean {
  const environment = given(value, 'environment');
  const names = Array.isArray(environment)
    ? environment.map((entry) => (asString(entry) ?? '').split('=')[0])
    : Object.keys(isObject(environment) ? environment : {});
  return (
    ['env_file', 'extends'].some((field) => given(value, field) !== undefined) ||
    names.some((name) => name === 'NVIDIA_VISIBLE_DEVICES' || isReplaced(name))
  );
}

function wordOf(value: JsonValue): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}
