/**
 * Services, and the endpoints behind them.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';
import { isAddress, isIpv6Text, isRange, isReachable } from '../addresses';
import { type Rule } from '../../rules/rule';
import { checkLabels } from '../selectors';
import { type Say, objectRule, sayRange, since } from '../server-rule';
import { dnsLabel, dnsSubdomain, portName, portNumber, qualifiedName } from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, textsOf, whole } from '../values';
import { oneOf } from '../../../facts/words';
import { fieldOf } from '../../../manifests/pointer';

export const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ['type', TYPES],
  ['sessionAffinity', ['None', 'ClientIP']],
  ['ipFamilyPolicy', ['SingleStack', 'PreferDualStack', 'RequireDualStack']],
];

interface ServiceView {
  readonly spec: JsonObject;
  readonly type: string;
  readonly headless: boolean;
}

function view(object: JsonObject): ServiceView {
  const spec = asObject(object.spec);
  const type = text(spec.type) || 'ClusterIP';
  const first = text(spec.clusterIP) || textsOf(spec.clusterIPs, '')[0]?.value;
  return { spec, type, headless: first === 'None' };
}

export const serviceRules: readonly Rule[] = [
  objectRule(
    'service-type-valid',
    ['Service'],
    {
      summary: "A Service's type, sessionAffinity, and policies must have supported values.",
      fix: 'Set type, sessionAffinity, internalTrafficPolicy, or trafficDistribution to a supported value.',
    },
    (object, say) => {
      const { spec, type } = view(object);
      for (const [field, values] of CHOICES) {
        const value = text(spec[field]);
        // An empty family policy is not the same as none.
        if (!values.includes(value) && (value !== '' || (field === 'ipFamilyPolicy' && spec[field] === ''))) {
          say(`/spec/${field}`, `unsupported value "${value}" for ${field}`, { expected: oneOf(values) });
        }
      }
      const internal = spec.internalTrafficPolicy;
      if (typeof internal === 'string' && !['Cluster', 'Local'].includes(internal)) {
        say('/spec/internalTrafficPolicy', `unsupported value "${internal}" for internalTrafficPolicy`, {
          expected: 'Cluster or Local',
        });
      }
      const distribution = spec.trafficDistribution;
      if (typeof distribution === 'string' && !DISTRIBUTIONS.includes(distribution)) {
        say('/spec/trafficDistribution', `unsupported value "${distribution}" for trafficDistribution`, {
          expected: oneOf(DISTRIBUTIONS),
        });
      }
      checkExternalTraffic(spec, type, say);
      const timeout = whole(asObject(asObject(spec.sessionAffinityConfig).clientIP).timeoutSeconds);
      if (spec.sessionAffinity === 'ClientIP' && timeout !== undefined && (timeout <= 0 || timeout > 86400)) {
        say('/spec/sessionAffinityConfig/clientIP/timeoutSeconds', 'timeoutSeconds must be between 1 and 86400', {
          expected: '1-86400',
        });
      }
    },
  ),

  objectRule(
    'service-has-ports',
    ['Service'],
    {
      summary: 'A Service must have ports, unless it is headless or an ExternalName.',
      fix: 'Add a port to spec.ports.',
    },
    (object, say) => {
      const { spec, type, headless } = view(object);
      if (size(spec.ports) === 0 && !headless && type !== 'ExternalName') {
        say('/spec/ports', 'the Service must have ports', { expected: 'at least one port' });
      }
    },
  ),

  objectRule(
    'service-port-valid',
    ['Service'],
    {
      summary:
        "A Service's port must be a number from 1 to 65535 with a supported protocol and a target; with several ports each must have a name.",
      fix: 'Set port, protocol, targetPort, and name in spec.ports.',
    },
    (object, say) => {
      const { spec, type } = view(object);
      const ports = itemsOf(spec.ports, '/spec/ports');
      const names = new Set<string>();
      const taken = new Set<string>();
      const nodePorts = new Set<string>();
      for (const { value, path } of ports) {
        const name = text(value.name);
        if (name === '') {
          if (ports.length > 1) {
            say(`${path}/name`, 'name must be set when the Service has more than one port', {
              expected: 'a DNS label such as http',
            });
          }
        } else {
          const complaint = dnsLabel(name);
          if (complaint !== undefined) {
            say(`${path}/name`, `the port name "${name}" must ${complaint}`);
          }
          if (names.has(name)) {
            say(`${path}/name`, `duplicate port name "${name}"`);
          }
          names.add(name);
        }
        // A value of another type is reported as such.
        const number = whole(value.port) ?? (given(value.port) ? undefined : 0);
        if (number !== undefined && portNumber(number) !== undefined) {
          say(`${path}/port`, `the port must be between 1 and 65535, but is ${number}`, { expected: '1-65535' });
        }
        const protocol = text(value.protocol) || 'TCP';
        if (!PROTOCOLS.includes(protocol)) {
          say(`${path}/protocol`, `unsupported protocol "${protocol}"`, { expected: oneOf(PROTOCOLS) });
        }
        checkTarget(value, path, say);
        const bad = typeof value.appProtocol === 'string' ? qualifiedName(value.appProtocol) : undefined;
        if (bad !== undefined) {
          say(`${path}/appProtocol`, `appProtocol must ${bad}`);
        }
        if (taken.has(`${protocol}/${number}`)) {
          say(path, `duplicate port ${number} with ${protocol}`, { found: number });
        }
        taken.add(`${protocol}/${number}`);
        const nodePort = whole(value.nodePort) ?? 0;
        if (nodePort === 0) {
          continue;
        }
        if (type === 'ClusterIP') {
          say(`${path}/nodePort`, 'nodePort must not be set when type is ClusterIP', {
            fix: 'Set type: NodePort, or remove nodePort.',
          });
        }
        if (nodePorts.has(`${protocol}/${nodePort}`)) {
          say(`${path}/nodePort`, `duplicate nodePort ${nodePort}`);
        }
        nodePorts.add(`${protocol}/${nodePort}`);
      }
    },
  ),

  objectRule(
    'service-external-name-valid',
    ['Service'],
    {
      summary: 'A Service of type ExternalName must have a DNS name and no addresses.',
      fix: 'Set externalName, and remove clusterIP, ipFamilies, and ipFamilyPolicy.',
    },
    (object, say) => {
      const { spec, type } = view(object);
      if (type !== 'ExternalName') {
        return;
      }
      const name = text(spec.externalName).replace(/\.$/, '');
      const complaint = name === '' ? 'be set' : dnsSubdomain(name);
      if (complaint !== undefined) {
        say('/spec/externalName', `externalName must ${complaint}`);
      }
      if (text(spec.clusterIP) !== '' || size(spec.clusterIPs) > 0) {
        say('/spec/clusterIP', 'clusterIP must not be set when type is ExternalName');
      }
      if (size(spec.ipFamilies) > 0) {
        say('/spec/ipFamilies', 'ipFamilies must not be set when type is ExternalName');
      }
      if (given(spec.ipFamilyPolicy)) {
        say('/spec/ipFamilyPolicy', 'ipFamilyPolicy must not be set when type is ExternalName');
      }
    },
  ),

  objectRule(
    'service-address-valid',
    ['Service'],
    {
      summary:
        "A Service's addresses must be IP addresses (or only None), one for each address family; NodePort and LoadBalancer must not be headless.",
      fix: 'Remove spec.clusterIP, which the API server sets, or set it to None for a headless Service.',
    },
    (object, say, context) => {
      const { spec, type, headless } = view(object);
      const strict = since(context, 36);
      for (const { value, path } of textsOf(spec.externalIPs, '/spec/externalIPs')) {
        if (!isAddress(value, strict)) {
          say(path, `"${value}" is not a valid IP address`);
        } else if (!isReachable(value)) {
          say(path, `"${value}" must not be a loopback, link-local, or unspecified address`, {
            fix: `Set ${fieldOf(path)} to an IP address that is not a loopback, link-local, or unspecified address.`,
          });
        }
      }
      if (type === 'ExternalName') {
        return;
      }
      if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
        say('/spec/clusterIP', `clusterIP must not be None when type is ${type}`, {
          fix: 'Remove spec.clusterIP, which the API server sets, or set spec.type to ClusterIP.',
        });
      }
      checkClusterIps(spec, { headless, strict }, say);
      checkFamilies(spec, say);
    },
  ),

  objectRule(
    'service-selector-valid',
    ['Service'],
    {
      summary: "A Service's selector must have valid labels.",
      fix: 'Set spec.selector to valid label keys and values.',
    },
    (object, say) => checkLabels(asObject(object.spec).selector, '/spec/selector', say),
  ),

  objectRule(
    'service-load-balancer-settings',
    ['Service'],
    {
      summary:
        'Load balancer settings must be set only in a Service of type LoadBalancer, and source ranges must be CIDRs.',
      fix: 'Set type: LoadBalancer, or remove the setting.',
    },
    (object, say, context) => {
      const { spec, type } = view(object);
      const strict = since(context, 36);
      for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
        if (given(spec[field]) && type !== 'LoadBalancer') {
          say(`/spec/${field}`, `${field} must not be set unless type is LoadBalancer`);
        }
      }
      if (typeof spec.loadBalancerClass === 'string' && type === 'LoadBalancer') {
        const complaint = qualifiedName(spec.loadBalancerClass);
        if (complaint !== undefined) {
          say('/spec/loadBalancerClass', `loadBalancerClass must ${complaint}`);
        }
      }
      const ranges = textsOf(spec.loadBalancerSourceRanges, '/spec/loadBalancerSourceRanges');
      const annotation = asObject(asObject(object.metadata).annotations)[SOURCE_RANGES];
      if (ranges.length > 0) {
        if (type !== 'LoadBalancer') {
          say('/spec/loadBalancerSourceRanges', 'loadBalancerSourceRanges must not be set unless type is LoadBalancer');
        }
        for (const { value, path } of ranges) {
          sayRange(value.trim(), strict, path, say);
        }
      } else if (typeof annotation === 'string') {
        const at = `/metadata/annotations/${SOURCE_RANGES.replace('/', '~1')}`;
        if (type !== 'LoadBalancer') {
          say(at, 'the annotation must not be set unless type is LoadBalancer');
        }
        if (annotation.trim() !== '') {
          for (const range of annotation.trim().split(',')) {
            if (!isRange(range.trim(), strict)) {
              say(at, `"${range}" is not a valid CIDR`);
            }
          }
        }
      }
    },
  ),
];

interface ServiceAddresses {
  readonly headless: boolean;
  /** Leading zeros and IPv4 in IPv6 are refused. */
  readonly strict: boolean;
}

type Placed = ReturnType<typeof textsOf>[number];

/** The server copies a single clusterIP into clusterIPs, and refuses the reverse. */
function clusterIpsOf(spec: JsonObject, say: Say): readonly Placed[] {
  const first = text(spec.clusterIP);
  const list = textsOf(spec.clusterIPs, '/spec/clusterIPs');
  if (list.length === 0) {
    return first === '' ? [] : [{ value: first, path: '/spec/clusterIP', index: 0 }];
  }
  if (first === '') {
    say('/spec/clusterIPs', 'clusterIPs must not be set without clusterIP');
  } else if (list[0]?.value !== first) {
    say('/spec/clusterIPs', 'clusterIPs[0] must equal clusterIP', {
      fix: 'Set clusterIPs[0] to the value of clusterIP.',
    });
  }
  return list;
}

function checkClusterIps(spec: JsonObject, { headless, strict }: ServiceAddresses, say: Say): void {
  const all = clusterIpsOf(spec, say);
  if (all.length > 2) {
    say('/spec/clusterIPs', 'clusterIPs must have no more than two addresses');
  }
  all.forEach(({ value, path }, index) => {
    if (index === 0 && value === 'None') {
      if (all.length > 1) {
        say('/spec/clusterIPs', 'None must not be combined with addresses');
      }
      return;
    }
    if (!isAddress(value, strict)) {
      say(path, `"${value}" is not a valid IP address`, { expected: 'an IP address or None' });
    }
    const family = textsOf(spec.ipFamilies, '')[index]?.value;
    if (!headless && family !== undefined && isOfOtherFamily(value, family)) {
      say(path, `${value} is not a valid ${family} address`);
    }
  });
  const [first, second] = all;
  if (all.length === 2 && first !== undefined && second !== undefined && areOfOneFamily(first.value, second.value)) {
    say('/spec/clusterIPs', 'the addresses must be of different families');
  }
}

function isOfOtherFamily(address: string, family: string): boolean {
  return ['IPv4', 'IPv6'].includes(family) && isAddress(address, false) && (family === 'IPv6') !== isIpv6Text(address);
}

function areOfOneFamily(a: string, b: string): boolean {
  return isAddress(a, false) && isAddress(b, false) && isIpv6Text(a) === isIpv6Text(b);
}

function checkFamilies(spec: JsonObject, say: Say): void {
  const families = new Set<string>();
  for (const { value, path } of textsOf(spec.ipFamilies, '/spec/ipFamilies')) {
    if (!['IPv4', 'IPv6'].includes(value)) {
      say(path, `unsupported address family "${value}"`, { expected: 'IPv4 or IPv6' });
    }
    if (families.has(value)) {
      say(path, `duplicate value "${value}"`);
    }
    families.add(value);
  }
}

function checkTarget(port: JsonObject, path: string, say: Say): void {
  const target = port.targetPort;
  const number = whole(target) ?? 0;
  if (number !== 0 && portNumber(number) !== undefined) {
    say(`${path}/targetPort`, `the port must be between 1 and 65535, but is ${number}`, { expected: '1-65535' });
  }
  if (typeof target === 'string' && target !== '') {
    const complaint = portName(target);
    if (complaint !== undefined) {
      say(`${path}/targetPort`, `the port name "${target}" must ${complaint}`);
    }
  }
}

function checkExternalTraffic(spec: JsonObject, type: string, say: Say): void {
  const policy = text(spec.externalTrafficPolicy);
  const external =
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && size(spec.externalIPs) > 0);
  if (policy !== '' && !external) {
    say('/spec/externalTrafficPolicy', 'externalTrafficPolicy must not be set for an internal Service');
  } else if (policy !== '' && !['Cluster', 'Local'].includes(policy)) {
    say('/spec/externalTrafficPolicy', `unsupported value "${policy}" for externalTrafficPolicy`, {
      expected: 'Cluster or Local',
    });
  }
  const health = whole(spec.healthCheckNodePort) ?? 0;
  if (health === 0) {
    return;
  }
  if (type !== 'LoadBalancer' || policy !== 'Local') {
    say('/spec/healthCheckNodePort', 'healthCheckNodePort requires type LoadBalancer and externalTrafficPolicy Local', {
      fix: 'Set type: LoadBalancer and externalTrafficPolicy: Local, or remove healthCheckNodePort.',
    });
  } else if (portNumber(health) !== undefined) {
    say('/spec/healthCheckNodePort', `the port must be between 1 and 65535, but is ${health}`);
  }
}
