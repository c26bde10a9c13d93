/**
 * Endpoints and EndpointSlices: where the traffic of a Service goes.
 */
import { oneOf } from '../../../facts/words';
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { isAddress, isIpv6Text, isReachable } from '../addresses';
import { type Rule } from '../../rules/rule';
import { type Say, objectRule, since } from '../server-rule';
import { dnsLabel, dnsSubdomain, labelValue, portNumber, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, textsOf, whole } from '../values';
import { PROTOCOLS } from './service';

export const endpointRules: readonly Rule[] = [
  objectRule(
    'endpoints-valid',
    ['Endpoints'],
    {
      summary: 'Endpoints must have reachable IP addresses, and ports with numbers and (if there are several) names.',
      fix: 'Set ip of each address in subsets, and name and port of each entry in subsets[].ports, to valid values.',
    },
    (object, say, context) => {
      for (const subset of itemsOf(object.subsets, '/subsets')) {
        if (size(subset.value.addresses) + size(subset.value.notReadyAddresses) === 0) {
          say(subset.path, 'addresses or notReadyAddresses must be set');
        }
        for (const list of ['addresses', 'notReadyAddresses']) {
          for (const { value, path } of itemsOf(subset.value[list], `${subset.path}/${list}`)) {
            checkEndpointAddress(value, path, since(context, 36), say);
          }
        }
        const ports = itemsOf(subset.value.ports, `${subset.path}/ports`);
        for (const { value, path } of ports) {
          checkEndpointPort(value, path, ports.length, say);
        }
      }
    },
  ),

  objectRule(
    'endpoint-slice-valid',
    ['discovery.k8s.io/EndpointSlice'],
    {
      source: 'apis/discovery/validation/validation.go',
      summary:
        'An EndpointSlice must have a supported address type, addresses of that type, and ports with unique names.',
      fix: 'Set addressType, endpoints[].addresses, and ports[].name to valid values.',
    },
    (object, say, context) => {
      const type = text(object.addressType);
      if (!['IPv4', 'IPv6', 'FQDN'].includes(type)) {
        say('/addressType', `unsupported address type "${type}"`, { expected: 'IPv4, IPv6, or FQDN' });
      }
      checkSlicePorts(object, say);
      if (size(object.endpoints) > 1000) {
        say('/endpoints', 'endpoints must have no more than 1000 entries', { found: size(object.endpoints) });
      }
      for (const { value, path } of itemsOf(object.endpoints, '/endpoints')) {
        const count = size(value.addresses);
        if (count === 0 || count > 100) {
          say(`${path}/addresses`, `addresses must have 1 to 100 entries, but has ${count}`, {
            found: count,
            expected: '1-100',
          });
        }
        for (const address of textsOf(value.addresses, `${path}/addresses`)) {
          if (!isSliceAddress(address.value, type, since(context, 36))) {
            say(address.path, `"${address.value}" is not a valid ${type} address`);
          }
        }
        if (typeof value.hostname === 'string' && dnsLabel(value.hostname) !== undefined) {
          say(`${path}/hostname`, `hostname must ${dnsLabel(value.hostname) ?? ''}`);
        }
        if (typeof value.nodeName === 'string' && dnsSubdomain(value.nodeName) !== undefined) {
          say(`${path}/nodeName`, `nodeName must ${dnsSubdomain(value.nodeName) ?? ''}`);
        }
        checkHints(asObject(value.hints), `${path}/hints`, say);
      }
    },
  ),
];

function checkEndpointAddress(value: JsonObject, path: string, strict: boolean, say: Say): void {
  const ip = text(value.ip);
  if (!isAddress(ip, strict) || !isReachable(ip)) {
    say(`${path}/ip`, `"${ip}" is not a valid endpoint IP address`, {
      fix: `Set ${fieldOf(`${path}/ip`)} to an IP address that is not a loopback, link-local, or multicast address.`,
    });
  }
  if (text(value.hostname) !== '' && dnsLabel(text(value.hostname)) !== undefined) {
    say(`${path}/hostname`, `hostname must ${dnsLabel(text(value.hostname)) ?? ''}`);
  }
  if (typeof value.nodeName === 'string' && dnsSubdomain(value.nodeName) !== undefined) {
    say(`${path}/nodeName`, `nodeName must ${dnsSubdomain(value.nodeName) ?? ''}`);
  }
}

/** @param count ports of the subset */
function checkEndpointPort(value: JsonObject, path: string, count: number, say: Say): void {
  const name = text(value.name);
  const complaint = name === '' ? undefined : dnsLabel(name);
  if (name === '' && count > 1) {
    say(`${path}/name`, `${fieldOf(`${path}/name`)} must be set when the subset has more than one port`);
  } else if (complaint !== undefined) {
    say(`${path}/name`, `the port name must ${complaint}`);
  }
  // A value of another type is reported as such.
  const port = whole(value.port) ?? (given(value.port) ? undefined : 0);
  if (port !== undefined && portNumber(port) !== undefined) {
    say(`${path}/port`, `the port must be between 1 and 65535, but is ${port}`);
  }
  if (!['', ...PROTOCOLS].includes(text(value.protocol))) {
    say(`${path}/protocol`, `unsupported protocol "${text(value.protocol)}"`, { expected: oneOf(PROTOCOLS) });
  }
  if (typeof value.appProtocol === 'string' && qualifiedName(value.appProtocol) !== undefined) {
    say(`${path}/appProtocol`, `appProtocol must ${qualifiedName(value.appProtocol) ?? ''}`);
  }
}

function checkSlicePorts(object: JsonObject, say: Say): void {
  const names = new Set<string>();
  for (const { value, path } of itemsOf(object.ports, '/ports')) {
    const name = text(value.name);
    if (name !== '' && dnsLabel(name) !== undefined) {
      say(`${path}/name`, `the port name must ${dnsLabel(name) ?? ''}`);
    }
    if (names.has(name)) {
      say(`${path}/name`, name === '' ? 'only one port may have an empty name' : `duplicate port name "${name}"`);
    }
    names.add(name);
    if (typeof value.protocol === 'string' && !PROTOCOLS.includes(value.protocol)) {
      say(`${path}/protocol`, `unsupported protocol "${value.protocol}"`, { expected: oneOf(PROTOCOLS) });
    }
    if (typeof value.appProtocol === 'string' && qualifiedName(value.appProtocol) !== undefined) {
      say(`${path}/appProtocol`, `appProtocol must ${qualifiedName(value.appProtocol) ?? ''}`);
    }
  }
}

function isSliceAddress(address: string, type: string, strict: boolean): boolean {
  if (type === 'IPv4') {
    return isAddress(address, strict) && !isIpv6Text(address) && isReachable(address);
  }
  if (type === 'IPv6') {
    return isAddress(address, true) && isIpv6Text(address) && isReachable(address);
  }
  if (type !== 'FQDN') {
    return true;
  }
  const name = address.replace(/\.$/, '');
  return (
    dnsSubdomain(name) === undefined &&
    name.split('.').length >= 2 &&
    name.split('.').every((label) => dnsLabel(label) === undefined)
  );
}

function checkHints(hints: JsonObject, path: string, say: Say): void {
  for (const [field, valid] of [
    ['forZones', labelValue],
    ['forNodes', dnsSubdomain],
  ] as const) {
    const seen = new Set<string>();
    const entries = itemsOf(hints[field], `${path}/${field}`);
    if (entries.length > 8) {
      say(`${path}/${field}`, `${field} must not have more than 8 hints`, { found: entries.length });
    }
    for (const { value, path: at } of entries) {
      const name = text(value.name);
      const complaint = valid(name);
      if (complaint !== undefined) {
        say(`${at}/name`, `the name must ${complaint}`);
      }
      if (seen.has(name)) {
        say(`${at}/name`, `duplicate value "${name}"`);
      }
      seen.add(name);
    }
  }
}
