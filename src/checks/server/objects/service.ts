/**
 * Services, and the endpoints behind them.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';
import { isAddress, isIpv6Text, isRange, isReachable } from '../addresses';
import { type Rule } from '../../rule';
import { checkLabels } from '../selectors';
import { type Say, objectRule, since } from '../server-rule';
import { dnsLabel, dnsSubdomain, labelValue, portName, portNumber, qualifiedName } from '../syntax';
import { given, itemsOf, oneOf, size, text, textsOf, whole } from '../values';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
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
      summary: "A Service's type, sessionAffinity and policies have a known value.",
      fix: 'Use one of the known values.',
    },
    (object, say) => {
      const { spec, type } = view(object);
      for (const [field, values] of CHOICES) {
        const value = text(spec[field]);
        // An empty family policy is not the same as none.
        if (!values.includes(value) && (value !== '' || (field === 'ipFamilyPolicy' && spec[field] === ''))) {
          say(`/spec/${field}`, `${field} "${value}" does not exist`, { expected: oneOf(values) });
        }
      }
      const internal = spec.internalTrafficPolicy;
      if (typeof internal === 'string' && !['Cluster', 'Local'].includes(internal)) {
        say('/spec/internalTrafficPolicy', `internalTrafficPolicy "${internal}" does not exist`, {
          expected: 'Cluster or Local',
        });
      }
      const distribution = spec.trafficDistribution;
      if (typeof distribution === 'string' && !DISTRIBUTIONS.includes(distribution)) {
        say('/spec/trafficDistribution', `trafficDistribution "${distribution}" does not exist`, {
          expected: oneOf(DISTRIBUTIONS),
        });
      }
      checkExternalTraffic(spec, type, say);
      const timeout = whole(asObject(asObject(spec.sessionAffinityConfig).clientIP).timeoutSeconds);
      if (spec.sessionAffinity === 'ClientIP' && timeout !== undefined && (timeout <= 0 || timeout > 86400)) {
        say(
          '/spec/sessionAffinityConfig/clientIP/timeoutSeconds',
          'the affinity lasts at least one second and at most a day',
          { expected: '1-86400' },
        );
      }
    },
  ),

  objectRule(
    'service-has-ports',
    ['Service'],
    {
      summary: 'A Service has ports, unless it is headless or an ExternalName.',
      fix: 'Add a port.',
    },
    (object, say) => {
      const { spec, type, headless } = view(object);
      if (size(spec.ports) === 0 && !headless && type !== 'ExternalName') {
        say('/spec/ports', 'the service has no ports', { expected: 'at least one port' });
      }
    },
  ),

  objectRule(
    'service-port-valid',
    ['Service'],
    {
      summary:
        "A Service's port is a number from 1 to 65535 with a known protocol and a target; with several ports each has a name.",
      fix: 'Correct the port.',
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
            say(`${path}/name`, 'with several ports each needs a name', { expected: 'a DNS label' });
          }
        } else {
          const complaint = dnsLabel(name);
          if (complaint !== undefined) {
            say(`${path}/name`, `the port name "${name}" must ${complaint}`);
          }
          if (names.has(name)) {
            say(`${path}/name`, `a port named "${name}" stands here already`);
          }
          names.add(name);
        }
        const number = whole(value.port) ?? 0;
        if (portNumber(number) !== undefined) {
          say(`${path}/port`, `${number} is no port number`, { expected: '1-65535' });
        }
        const protocol = text(value.protocol) || 'TCP';
        if (!PROTOCOLS.includes(protocol)) {
          say(`${path}/protocol`, `the protocol "${protocol}" does not exist`, { expected: oneOf(PROTOCOLS) });
        }
        checkTarget(value, path, say);
        const bad = typeof value.appProtocol === 'string' ? qualifiedName(value.appProtocol) : undefined;
        if (bad !== undefined) {
          say(`${path}/appProtocol`, `appProtocol must ${bad}`);
        }
        if (taken.has(`${protocol}/${number}`)) {
          say(path, `port ${number} with ${protocol} stands here already`, { found: number });
        }
        taken.add(`${protocol}/${number}`);
        const nodePort = whole(value.nodePort) ?? 0;
        if (nodePort === 0) {
          continue;
        }
        if (type === 'ClusterIP') {
          say(`${path}/nodePort`, 'a service of type ClusterIP takes no nodePort', {
            fix: 'Use type NodePort, or remove nodePort.',
          });
        }
        if (nodePorts.has(`${protocol}/${nodePort}`)) {
          say(`${path}/nodePort`, `node port ${nodePort} stands here already`);
        }
        nodePorts.add(`${protocol}/${nodePort}`);
      }
    },
  ),

  objectRule(
    'service-external-name-valid',
    ['Service'],
    {
      summary: 'A Service of type ExternalName has a DNS name and no addresses.',
      fix: 'Set externalName, and remove clusterIP, ipFamilies and ipFamilyPolicy.',
    },
    (object, say) => {
      const { spec, type } = view(object);
      if (type !== 'ExternalName') {
        return;
      }
      const name = text(spec.externalName).replace(/\.$/, '');
      const complaint = name === '' ? 'be given' : dnsSubdomain(name);
      if (complaint !== undefined) {
        say('/spec/externalName', `externalName must ${complaint}`);
      }
      if (text(spec.clusterIP) !== '' || size(spec.clusterIPs) > 0) {
        say('/spec/clusterIP', 'an ExternalName has no address of its own');
      }
      if (size(spec.ipFamilies) > 0) {
        say('/spec/ipFamilies', 'an ExternalName has no address family');
      }
      if (given(spec.ipFamilyPolicy)) {
        say('/spec/ipFamilyPolicy', 'an ExternalName has no address family');
      }
    },
  ),

  objectRule(
    'service-address-valid',
    ['Service'],
    {
      summary:
        "A Service's addresses are IP addresses (or None, alone), one per family; NodePort and LoadBalancer are not headless.",
      fix: 'Leave clusterIP to the server, or write None for a headless service.',
    },
    (object, say, context) => {
      const { spec, type, headless } = view(object);
      const strict = since(context, 36);
      for (const { value, path } of textsOf(spec.externalIPs, '/spec/externalIPs')) {
        if (!isAddress(value, strict)) {
          say(path, `"${value}" is no IP address`);
        } else if (!isReachable(value)) {
          say(path, `${value} is a loopback, link-local or unspecified address`);
        }
      }
      if (type === 'ExternalName') {
        return;
      }
      if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
        say('/spec/clusterIP', `a service of type ${type} cannot be headless`);
      }
      const first = text(spec.clusterIP);
      const given1 = textsOf(spec.clusterIPs, '/spec/clusterIPs');
      // The server copies a single clusterIP into clusterIPs, and refuses the reverse.
      const all =
        given1.length > 0 ? given1 : first === '' ? [] : [{ value: first, path: '/spec/clusterIP', index: 0 }];
      if (given1.length > 0 && first !== '' && given1[0]?.value !== first) {
        say('/spec/clusterIPs', 'the first of clusterIPs differs from clusterIP');
      }
      if (given1.length > 0 && first === '') {
        say('/spec/clusterIPs', 'clusterIPs needs clusterIP beside it');
      }
      if (all.length > 2) {
        say('/spec/clusterIPs', 'more than two addresses');
      }
      all.forEach(({ value, path }, index) => {
        if (index === 0 && value === 'None') {
          if (all.length > 1) {
            say('/spec/clusterIPs', 'None stands alone');
          }
          return;
        }
        if (!isAddress(value, strict)) {
          say(path, `"${value}" is no IP address`, { expected: 'an IP address or None' });
        }
        const family = textsOf(spec.ipFamilies, '')[index]?.value;
        if (
          !headless &&
          isAddress(value, false) &&
          family !== undefined &&
          (family === 'IPv6') !== isIpv6Text(value) &&
          ['IPv4', 'IPv6'].includes(family)
        ) {
          say(path, `${value} is no ${family} address`);
        }
      });
      if (
        all.length === 2 &&
        all.every(({ value }) => isAddress(value, false)) &&
        isIpv6Text(all[0]?.value ?? '') === isIpv6Text(all[1]?.value ?? '')
      ) {
        say('/spec/clusterIPs', 'both addresses are of one family');
      }
      const families = new Set<string>();
      for (const { value, path } of textsOf(spec.ipFamilies, '/spec/ipFamilies')) {
        if (!['IPv4', 'IPv6'].includes(value)) {
          say(path, `the address family "${value}" does not exist`, { expected: 'IPv4 or IPv6' });
        }
        if (families.has(value)) {
          say(path, `${value} stands here already`);
        }
        families.add(value);
      }
    },
  ),

  objectRule(
    'service-selector-valid',
    ['Service'],
    {
      summary: "A Service's selector holds valid labels.",
      fix: 'Correct the label.',
    },
    (object, say) => checkLabels(asObject(object.spec).selector, '/spec/selector', say),
  ),

  objectRule(
    'service-load-balancer-settings',
    ['Service'],
    {
      summary: 'Load balancer settings stand in a Service of type LoadBalancer only; source ranges are address ranges.',
      fix: 'Use type LoadBalancer, or remove the setting.',
    },
    (object, say, context) => {
      const { spec, type } = view(object);
      const strict = since(context, 36);
      for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
        if (given(spec[field]) && type !== 'LoadBalancer') {
          say(`/spec/${field}`, `${field} needs type LoadBalancer`);
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
          say('/spec/loadBalancerSourceRanges', 'loadBalancerSourceRanges needs type LoadBalancer');
        }
        for (const { value, path } of ranges) {
          if (!isRange(value.trim(), strict)) {
            say(path, `"${value}" is no address range`, { expected: 'such as 10.0.0.0/8' });
          }
        }
      } else if (typeof annotation === 'string') {
        const at = `/metadata/annotations/${SOURCE_RANGES.replace('/', '~1')}`;
        if (type !== 'LoadBalancer') {
          say(at, 'the annotation needs type LoadBalancer');
        }
        if (annotation.trim() !== '') {
          for (const range of annotation.trim().split(',')) {
            if (!isRange(range.trim(), strict)) {
              say(at, `"${range}" is no address range`);
            }
          }
        }
      }
    },
  ),

  objectRule(
    'endpoints-valid',
    ['Endpoints'],
    {
      summary: 'Endpoints have reachable IP addresses, and ports with numbers and (where there are several) names.',
      fix: 'Correct the address or port.',
    },
    (object, say, context) => {
      for (const subset of itemsOf(object.subsets, '/subsets')) {
        if (size(subset.value.addresses) + size(subset.value.notReadyAddresses) === 0) {
          say(subset.path, 'the subset has no addresses');
        }
        for (const list of ['addresses', 'notReadyAddresses']) {
          for (const { value, path } of itemsOf(subset.value[list], `${subset.path}/${list}`)) {
            const ip = text(value.ip);
            if (!isAddress(ip, since(context, 36)) || !isReachable(ip)) {
              say(`${path}/ip`, `"${ip}" is no reachable IP address`);
            }
            if (text(value.hostname) !== '' && dnsLabel(text(value.hostname)) !== undefined) {
              say(`${path}/hostname`, `hostname must ${dnsLabel(text(value.hostname)) ?? ''}`);
            }
            if (typeof value.nodeName === 'string' && dnsSubdomain(value.nodeName) !== undefined) {
              say(`${path}/nodeName`, `nodeName must ${dnsSubdomain(value.nodeName) ?? ''}`);
            }
          }
        }
        const ports = itemsOf(subset.value.ports, `${subset.path}/ports`);
        for (const { value, path } of ports) {
          const name = text(value.name);
          const complaint =
            name === '' ? (ports.length > 1 ? 'be given, since there are several' : undefined) : dnsLabel(name);
          if (complaint !== undefined) {
            say(`${path}/name`, `the port's name must ${complaint}`);
          }
          if (portNumber(whole(value.port) ?? 0) !== undefined) {
            say(`${path}/port`, `${whole(value.port) ?? 0} is no port number`);
          }
          if (!['', ...PROTOCOLS].includes(text(value.protocol))) {
            say(`${path}/protocol`, `the protocol "${text(value.protocol)}" does not exist`);
          }
          if (typeof value.appProtocol === 'string' && qualifiedName(value.appProtocol) !== undefined) {
            say(`${path}/appProtocol`, `appProtocol must ${qualifiedName(value.appProtocol) ?? ''}`);
          }
        }
      }
    },
  ),

  objectRule(
    'endpoint-slice-valid',
    ['discovery.k8s.io/EndpointSlice'],
    {
      source: 'apis/discovery/validation/validation.go',
      summary: 'An EndpointSlice has a known address type, addresses of it, and ports with unique names.',
      fix: 'Correct the address or port.',
    },
    (object, say, context) => {
      const type = text(object.addressType);
      if (!['IPv4', 'IPv6', 'FQDN'].includes(type)) {
        say('/addressType', `the address type "${type}" does not exist`, { expected: 'IPv4, IPv6 or FQDN' });
      }
      const names = new Set<string>();
      for (const { value, path } of itemsOf(object.ports, '/ports')) {
        const name = text(value.name);
        if (name !== '' && dnsLabel(name) !== undefined) {
          say(`${path}/name`, `the port's name must ${dnsLabel(name) ?? ''}`);
        }
        if (names.has(name)) {
          say(`${path}/name`, name === '' ? 'two ports have no name' : `a port named "${name}" stands here already`);
        }
        names.add(name);
        if (typeof value.protocol === 'string' && !PROTOCOLS.includes(value.protocol)) {
          say(`${path}/protocol`, `the protocol "${value.protocol}" does not exist`);
        }
        if (typeof value.appProtocol === 'string' && qualifiedName(value.appProtocol) !== undefined) {
          say(`${path}/appProtocol`, `appProtocol must ${qualifiedName(value.appProtocol) ?? ''}`);
        }
      }
      if (size(object.endpoints) > 1000) {
        say('/endpoints', 'more than 1000 endpoints', { found: size(object.endpoints) });
      }
      for (const { value, path } of itemsOf(object.endpoints, '/endpoints')) {
        const count = size(value.addresses);
        if (count === 0 || count > 100) {
          say(`${path}/addresses`, `${count} addresses`, { found: count, expected: '1-100' });
        }
        for (const address of textsOf(value.addresses, `${path}/addresses`)) {
          if (!isSliceAddress(address.value, type, since(context, 36))) {
            say(address.path, `"${address.value}" is no ${type} address`);
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

function checkTarget(port: JsonObject, path: string, say: Say): void {
  const target = port.targetPort;
  if (typeof target === 'number' && target !== 0 && portNumber(target) !== undefined) {
    say(`${path}/targetPort`, `${target} is no port number`, { expected: '1-65535' });
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
    say('/spec/externalTrafficPolicy', 'externalTrafficPolicy needs a service that is reached from outside');
  } else if (policy !== '' && !['Cluster', 'Local'].includes(policy)) {
    say('/spec/externalTrafficPolicy', `externalTrafficPolicy "${policy}" does not exist`, {
      expected: 'Cluster or Local',
    });
  }
  const health = whole(spec.healthCheckNodePort) ?? 0;
  if (health === 0) {
    return;
  }
  if (type !== 'LoadBalancer' || policy !== 'Local') {
    say('/spec/healthCheckNodePort', 'healthCheckNodePort needs type LoadBalancer and externalTrafficPolicy Local');
  } else if (portNumber(health) !== undefined) {
    say('/spec/healthCheckNodePort', `${health} is no port number`);
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
      say(`${path}/${field}`, 'more than 8 hints', { found: entries.length });
    }
    for (const { value, path: at } of entries) {
      const name = text(value.name);
      const complaint = valid(name);
      if (complaint !== undefined) {
        say(`${at}/name`, `the name must ${complaint}`);
      }
      if (seen.has(name)) {
        say(`${at}/name`, `"${name}" stands here already`);
      }
      seen.add(name);
    }
  }
}
