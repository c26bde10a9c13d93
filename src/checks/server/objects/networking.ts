/**
 * NetworkPolicy, Ingress, IngressClass, IPAddress and ServiceCIDR.
 */
import { fieldOf } from '../../../manifests/pointer';
import { oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject, isObject } from '../../../manifests/read';
import { bytesOf, isAddress, isRange } from '../addresses';
import { type Rule } from '../../rules/rule';
import { checkLabelSelector } from '../selectors';
import { type Say, objectRule, sayRange, since } from '../server-rule';
import {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  domainPrefixedPath,
  pathSegment,
  portName,
  portNumber,
  wildcardSubdomain,
} from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, textsOf, whole } from '../values';

const SOURCE = 'apis/networking/validation/validation.go';
const PATH_TYPES = ['Exact', 'Prefix', 'ImplementationSpecific'];

export const networkingRules: readonly Rule[] = [
  objectRule(
    'network-policy-valid',
    ['networking.k8s.io/NetworkPolicy'],
    {
      source: SOURCE,
      summary:
        'A NetworkPolicy must have valid selectors, peers that are either selectors or one address block, ports in range, and only the types Ingress and Egress.',
      fix: 'Set either selectors or an ipBlock in each peer of from and to, and a valid port and endPort in ports.',
    },
    (object, say, context) => {
      const spec = asObject(object.spec);
      checkLabelSelector(spec.podSelector, '/spec/podSelector', say);
      for (const [direction, peers] of [
        ['ingress', 'from'],
        ['egress', 'to'],
      ] as const) {
        for (const rule of itemsOf(spec[direction], `/spec/${direction}`)) {
          for (const { value, path } of itemsOf(rule.value.ports, `${rule.path}/ports`)) {
            checkPolicyPort(value, path, say);
          }
          for (const { value, path } of itemsOf(rule.value[peers], `${rule.path}/${peers}`)) {
            checkPeer(value, path, say, since(context, 36));
          }
        }
      }
      const types = textsOf(spec.policyTypes, '/spec/policyTypes');
      if (types.length > 2) {
        say('/spec/policyTypes', 'policyTypes must have no more than two entries', { found: types.length });
      }
      for (const { value, path } of types) {
        if (!['Ingress', 'Egress'].includes(value)) {
          say(path, `unsupported policy type "${value}"`, { expected: 'Ingress or Egress' });
        }
      }
    },
  ),

  objectRule(
    'ingress-valid',
    ['networking.k8s.io/Ingress'],
    {
      source: SOURCE,
      summary:
        'An Ingress must have rules or a default backend, DNS names as hosts, absolute paths with a type, and backends with one port.',
      fix: 'Set host, path, pathType, and backend in spec.rules, or set spec.defaultBackend.',
    },
    (object, say, context) => {
      const spec = asObject(object.spec);
      if (size(spec.rules) === 0 && !given(spec.defaultBackend)) {
        say('/spec', 'rules or defaultBackend must be set', { expected: 'rules or defaultBackend' });
      }
      if (isObject(spec.defaultBackend)) {
        checkBackend(spec.defaultBackend, '/spec/defaultBackend', say, since(context, 36));
      }
      for (const { value, path } of itemsOf(spec.rules, '/spec/rules')) {
        const host = text(value.host);
        const complaint = host === '' ? undefined : hostComplaint(host);
        if (complaint !== undefined) {
          say(`${path}/host`, `the host "${host}" must ${complaint}`);
        }
        if (!isObject(value.http)) {
          continue;
        }
        if (size(value.http.paths) === 0) {
          say(`${path}/http/paths`, 'the rule must have paths');
        }
        for (const entry of itemsOf(value.http.paths, `${path}/http/paths`)) {
          checkPath(entry.value, entry.path, say, since(context, 36));
        }
      }
      for (const { value, path } of itemsOf(spec.tls, '/spec/tls')) {
        for (const host of textsOf(value.hosts, `${path}/hosts`)) {
          const complaint = host.value.includes('*') ? wildcardSubdomain(host.value) : dnsSubdomain(host.value);
          if (complaint !== undefined) {
            say(host.path, `the host "${host.value}" must ${complaint}`);
          }
        }
        const secret = text(value.secretName) === '' ? undefined : dnsSubdomain(text(value.secretName));
        if (secret !== undefined) {
          say(`${path}/secretName`, `the Secret name must ${secret}`);
        }
      }
      if (typeof spec.ingressClassName !== 'string') {
        return;
      }
      const complaint = dnsSubdomain(spec.ingressClassName);
      if (complaint !== undefined) {
        say('/spec/ingressClassName', `ingressClassName must ${complaint}`);
      }
      const annotation = asObject(asObject(object.metadata).annotations)['kubernetes.io/ingress.class'];
      if (typeof annotation === 'string' && annotation !== spec.ingressClassName) {
        say(
          '/spec/ingressClassName',
          `ingressClassName must not be set when the annotation kubernetes.io/ingress.class is set: "${annotation}"`,
        );
      }
    },
  ),

  objectRule(
    'ingress-class-valid',
    ['networking.k8s.io/IngressClass'],
    {
      source: SOURCE,
      summary:
        'An IngressClass must name its controller as domain/path, and its parameters with kind, name, and scope.',
      fix: 'Set spec.controller to domain/path, and kind, name, and scope in spec.parameters.',
    },
    (object, say) => {
      const spec = asObject(object.spec);
      const controller = text(spec.controller);
      const complaint = controller.length > 250 ? 'be no more than 250 characters' : domainPrefixedPath(controller);
      if (complaint !== undefined) {
        say('/spec/controller', `controller must ${complaint}`);
      }
      if (!isObject(spec.parameters)) {
        return;
      }
      const path = '/spec/parameters';
      checkReference(spec.parameters, path, say);
      const scope = typeof spec.parameters.scope === 'string' ? spec.parameters.scope : 'Cluster';
      if (!['Cluster', 'Namespace'].includes(scope)) {
        say(`${path}/scope`, `unsupported scope "${scope}"`, { expected: 'Cluster or Namespace' });
      } else if (scope === 'Cluster' && given(spec.parameters.namespace)) {
        say(`${path}/namespace`, 'namespace must not be set when scope is Cluster', {
          fix: 'Remove parameters.namespace, or set parameters.scope to Namespace.',
        });
      } else if (scope === 'Namespace') {
        const bad = given(spec.parameters.namespace) ? dnsLabel(text(spec.parameters.namespace)) : 'be set';
        if (bad !== undefined) {
          say(`${path}/namespace`, `the namespace must ${bad}`);
        }
      }
    },
  ),

  objectRule(
    'service-cidr-valid',
    ['networking.k8s.io/ServiceCIDR'],
    {
      source: SOURCE,
      summary: 'A ServiceCIDR must have one CIDR, or one for each address family.',
      fix: 'Set spec.cidrs to one range, or one for each of IPv4 and IPv6.',
    },
    (object, say) => {
      const ranges = textsOf(asObject(object.spec).cidrs, '/spec/cidrs');
      if (ranges.length < 1 || ranges.length > 2) {
        say('/spec/cidrs', `cidrs must have 1 or 2 CIDRs, but has ${ranges.length}`, {
          found: ranges.length,
          expected: 'one range, or one for each of IPv4 and IPv6',
        });
      }
      for (const { value, path } of ranges) {
        sayRange(value, true, path, say);
      }
      if (ranges.length === 2 && ranges[0]?.value.includes(':') === ranges[1]?.value.includes(':')) {
        say('/spec/cidrs', 'the ranges must be of different address families', {
          expected: 'one IPv4 range and one IPv6 range',
        });
      }
    },
  ),

  objectRule(
    'ip-address-valid',
    ['networking.k8s.io/IPAddress'],
    {
      source: SOURCE,
      summary: 'An IPAddress must name the object that uses it.',
      fix: 'Remove the IPAddress from the manifests, because the API server sets its spec.parentRef.',
    },
    (object, say) => {
      const { parentRef } = asObject(object.spec);
      if (!isObject(parentRef)) {
        say('/spec/parentRef', 'parentRef must be set');
        return;
      }
      const group = text(parentRef.group) === '' ? undefined : dnsSubdomain(text(parentRef.group));
      if (group !== undefined) {
        say('/spec/parentRef/group', `the API group must ${group}`);
      }
      for (const field of ['resource', 'name', 'namespace']) {
        const value = text(parentRef[field]);
        const complaint = value === '' && field !== 'namespace' ? 'be set' : pathSegment(value);
        if (complaint !== undefined) {
          say(`/spec/parentRef/${field}`, `the ${field} must ${complaint}`);
        }
      }
    },
  ),
];

function checkPolicyPort(port: JsonObject, path: string, say: Say): void {
  if (typeof port.protocol === 'string' && !['TCP', 'UDP', 'SCTP', ''].includes(port.protocol)) {
    say(`${path}/protocol`, `unsupported protocol "${port.protocol}"`, { expected: 'TCP, UDP, or SCTP' });
  }
  if (port.protocol === '') {
    say(`${path}/protocol`, 'the protocol must not be empty', { expected: 'TCP, UDP, or SCTP' });
  }
  const end = whole(port.endPort);
  if (typeof port.port === 'number') {
    // A fraction is reported as a value of another type.
    const number = whole(port.port);
    if (number !== undefined && portNumber(number) !== undefined) {
      say(`${path}/port`, `the port must be between 1 and 65535, but is ${number}`, { expected: '1-65535' });
    }
    if (end !== undefined && (end < port.port || portNumber(end) !== undefined)) {
      say(`${path}/endPort`, `endPort must be greater than or equal to port (${end} < ${port.port})`);
    }
  } else if (typeof port.port === 'string') {
    const complaint = portName(port.port);
    if (complaint !== undefined) {
      say(`${path}/port`, `the port name "${port.port}" must ${complaint}`);
    }
    if (end !== undefined) {
      say(`${path}/endPort`, 'endPort must not be set when port is a name');
    }
  } else if (end !== undefined) {
    say(`${path}/endPort`, 'endPort must not be set without port');
  }
}

function checkPeer(peer: JsonObject, path: string, say: Say, strict: boolean): void {
  const kinds = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((kind) => given(peer[kind]));
  if (kinds.length === 0) {
    say(path, 'the peer must set podSelector, namespaceSelector, or ipBlock', {
      fix: `Set podSelector, namespaceSelector, or ipBlock in ${fieldOf(path)}.`,
      expected: 'podSelector, namespaceSelector, or ipBlock',
    });
  } else if (kinds.length > 1 && kinds.includes('ipBlock')) {
    say(path, 'ipBlock must not be set together with selectors');
  }
  checkLabelSelector(peer.podSelector, `${path}/podSelector`, say);
  checkLabelSelector(peer.namespaceSelector, `${path}/namespaceSelector`, say);
  if (!isObject(peer.ipBlock)) {
    return;
  }
  const cidr = text(peer.ipBlock.cidr);
  sayRange(cidr, strict, `${path}/ipBlock/cidr`, say);
  for (const { value, path: at } of textsOf(peer.ipBlock.except, `${path}/ipBlock/except`)) {
    if (sayRange(value, strict, at, say)) {
      continue;
    }
    if (isRange(cidr, false) && !isWithin(value, cidr)) {
      say(at, `"${value}" must be a strict subset of "${cidr}"`, {
        fix: `Set ${fieldOf(at)} to a smaller CIDR within ${cidr}.`,
      });
    }
  }
}

/** Whether one range is a real part of another. */
function isWithin(inner: string, outer: string): boolean {
  const [innerAddress = '', innerBits = ''] = inner.split('/');
  const [outerAddress = '', outerBits = ''] = outer.split('/');
  const a = bytesOf(innerAddress);
  const b = bytesOf(outerAddress);
  if (a === undefined || b === undefined || a.length !== b.length) {
    return false;
  }
  const bits = Number(outerBits);
  if (bits >= Number(innerBits)) {
    return false;
  }
  return a.every((byte, index) => {
    const mask = 0xff & (0xff << (8 - Math.max(0, Math.min(8, bits - index * 8))));
    return (byte & mask) === ((b[index] ?? 0) & mask);
  });
}

function hostComplaint(host: string): string | undefined {
  if (isAddress(host, false)) {
    return 'be a DNS name, not an address';
  }
  return host.includes('*') ? wildcardSubdomain(host) : dnsSubdomain(host);
}

function checkPath(entry: JsonObject, path: string, say: Say, relaxed: boolean): void {
  if (!given(entry.pathType)) {
    say(`${path}/pathType`, 'the path must have a type', { expected: oneOf(PATH_TYPES) });
    return;
  }
  const type = text(entry.pathType);
  const route = text(entry.path);
  if (!PATH_TYPES.includes(type)) {
    say(`${path}/pathType`, `unsupported path type "${type}"`, { expected: oneOf(PATH_TYPES) });
  } else if (type !== 'ImplementationSpecific') {
    if (!route.startsWith('/')) {
      say(`${path}/path`, 'path must be absolute', { expected: 'a path that begins with "/"' });
    }
    const wrong =
      ['//', '/./', '/../', '%2f', '%2F'].find((part) => route.includes(part)) ??
      ['/..', '/.'].find((end) => route.endsWith(end));
    if (wrong !== undefined) {
      say(`${path}/path`, `the path must not contain "${wrong}"`);
    }
  } else if (route !== '' && !route.startsWith('/')) {
    say(`${path}/path`, 'path must be absolute', { expected: 'a path that begins with "/"' });
  }
  checkBackend(asObject(entry.backend), `${path}/backend`, say, relaxed);
}

function checkBackend(backend: JsonObject, path: string, say: Say, relaxed: boolean): void {
  const service: JsonValue | undefined = backend.service;
  if (given(backend.resource) === given(service)) {
    say(path, given(service) ? 'service must not be set when resource is set' : 'service or resource must be set');
    return;
  }
  if (isObject(backend.resource)) {
    checkReference(backend.resource, `${path}/resource`, say);
  }
  if (!isObject(service)) {
    return;
  }
  const name = text(service.name);
  const complaint = name === '' ? 'be set' : relaxed ? dnsLabel(name) : dns1035Label(name);
  if (complaint !== undefined) {
    say(`${path}/service/name`, `the service name must ${complaint}`);
  }
  const port = asObject(service.port);
  const number = whole(port.number) ?? 0;
  if (number === 0 && given(port.number) && port.number !== 0) {
    // A value of another type is reported as such.
    return;
  }
  const named = text(port.name);
  if ((number === 0) === (named === '')) {
    say(
      `${path}/service/port`,
      named === '' ? 'the backend must have a port' : 'port.name must not be set when port.number is set',
      {
        expected: 'name or number',
        ...(named === '' ? {} : { fix: `Remove name or number from ${fieldOf(`${path}/service/port`)}.` }),
      },
    );
  } else if (named !== '') {
    const bad = portName(named);
    if (bad !== undefined) {
      say(`${path}/service/port/name`, `the port name "${named}" must ${bad}`);
    }
  } else if (portNumber(number) !== undefined) {
    say(`${path}/service/port/number`, `the port must be between 1 and 65535, but is ${number}`);
  }
}

function checkReference(reference: JsonObject, path: string, say: Say): void {
  if (typeof reference.apiGroup === 'string') {
    const complaint = dnsSubdomain(reference.apiGroup);
    if (complaint !== undefined) {
      say(`${path}/apiGroup`, `the API group must ${complaint}`);
    }
  }
  for (const field of ['kind', 'name']) {
    const value = text(reference[field]);
    const complaint = value === '' ? 'be set' : pathSegment(value);
    if (complaint !== undefined) {
      say(`${path}/${field}`, `the ${field} must ${complaint}`);
    }
  }
}
