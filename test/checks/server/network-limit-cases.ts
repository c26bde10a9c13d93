/**
 * Services, Ingresses, and Secrets for each alternative of what the server checks in them.
 */
import { faulty, type LimitCase, valid } from './limit-case';
import { type Json } from './valid';

const service = (spec: Json, annotations: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', annotations },
  spec: { ports: [{ port: 80 }], selector: { app: 'x' }, ...spec },
});
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const AT_RANGES = `/metadata/annotations/${RANGES.replace('/', '~1')}`;
const balanced = (spec: Json, annotations: Json = {}): Json => service({ type: 'LoadBalancer', ...spec }, annotations);

const SERVICES: readonly LimitCase[] = [
  ...['127.0.0.1', '169.254.1.1', '0.0.0.0', '224.0.0.1', '::1', '::', 'fe80::1', 'ff02::1', '::ffff:127.0.0.1'].map(
    (address) => faulty(`the external address ${address}`, service({ externalIPs: [address] }), '/spec/externalIPs/0'),
  ),
  ...['10.0.0.1', '224.0.1.1', '169.253.0.1', 'fd00::1', 'ff05::1', 'fd00::7f00:1'].map((address) =>
    valid(`the external address ${address}`, service({ externalIPs: [address] })),
  ),
  valid('a class of load balancers', balanced({ loadBalancerClass: 'a.io/b' })),
  faulty('another one', balanced({ loadBalancerClass: 'a b' }), '/spec/loadBalancerClass'),
  valid('ranges of sources', balanced({ loadBalancerSourceRanges: ['10.0.0.0/8', ' 10.1.0.0/16 '] })),
  faulty(
    'what is no range of sources',
    balanced({ loadBalancerSourceRanges: ['10.0.0.0'] }),
    '/spec/loadBalancerSourceRanges/0',
    'is not a valid CIDR',
  ),
  faulty(
    'ranges of sources without a load balancer',
    service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }),
    '/spec/loadBalancerSourceRanges',
    'must not be set unless type is LoadBalancer',
  ),
  valid('ranges in an annotation', balanced({}, { [RANGES]: '10.0.0.0/8, 10.1.0.0/16' })),
  valid('no range in an annotation', balanced({}, { [RANGES]: ' ' })),
  faulty('another range in an annotation', balanced({}, { [RANGES]: '10.0.0.0/8,a' }), AT_RANGES, '"a" is not a valid'),
  faulty('ranges in an annotation without a load balancer', service({}, { [RANGES]: '' }), AT_RANGES, 'unless type is'),
  ...['LoadBalancer', 'NodePort'].map((type) =>
    faulty(`a headless ${type}`, service({ type, clusterIP: 'None' }), '/spec/clusterIP', `when type is ${type}`),
  ),
  ...[
    ['two addresses of one family', ['10.0.0.1', '10.0.0.2'], '/spec/clusterIPs', 'of different families'],
    ['three addresses', ['10.0.0.1', 'fd00::1', '10.0.0.2'], '/spec/clusterIPs', 'no more than two'],
    ['no address beside one', ['None', '10.0.0.1'], '/spec/clusterIPs', 'must not be combined'],
  ].map(([what, clusterIPs, path, words]) =>
    faulty(
      what as string,
      service({ clusterIP: clusterIPs[0], clusterIPs, ipFamilyPolicy: 'PreferDualStack' }),
      path as string,
      words as string,
    ),
  ),
  faulty(
    'an address of the other family',
    service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv6'] }),
    '/spec/clusterIPs/0',
    'is not a valid IPv6 address',
  ),
  faulty('an address that is none', service({ clusterIP: 'here', clusterIPs: ['here'] }), '/spec/clusterIPs/0'),
];

const backend = { service: { name: 'web', port: { number: 80 } } };
const ingress = (path: Json, annotations: Json = {}, spec: Json = {}): Json => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'i', annotations },
  spec: { rules: [{ host: 'a.io', http: { paths: [{ pathType: 'Exact', path: '/', backend, ...path }] } }], ...spec },
});
const PATH = '/spec/rules/0/http/paths/0';
const CLASS = 'kubernetes.io/ingress.class';

const INGRESSES: readonly LimitCase[] = [
  ...['/', '/a', '/a.b', '/a/.b'].map((path) => valid(`the path ${path}`, ingress({ path }))),
  ...['//', '/a/./b', '/a/../b', '/a%2fb', '/a%2Fb', '/a/..', '/a/.', 'a'].map((path) =>
    faulty(`the path ${path}`, ingress({ path }), `${PATH}/path`),
  ),
  valid('a path of the controller', ingress({ pathType: 'ImplementationSpecific', path: '/a//b' })),
  faulty('a relative one', ingress({ pathType: 'ImplementationSpecific', path: 'a' }), `${PATH}/path`, 'absolute'),
  ...[1, 65_535].map((number) =>
    valid(`the port ${number}`, ingress({ backend: { service: { name: 'web', port: { number } } } })),
  ),
  ...[-1, 65_536].map((number) =>
    faulty(
      `the port ${number}`,
      ingress({ backend: { service: { name: 'web', port: { number } } } }),
      `${PATH}/backend/service/port/number`,
      'between 1 and 65535',
    ),
  ),
  valid('the class of the annotation', ingress({}, { [CLASS]: 'a' }, { ingressClassName: 'a' })),
  faulty(
    'another class than in the annotation',
    ingress({}, { [CLASS]: 'a' }, { ingressClassName: 'b' }),
    '/spec/ingressClassName',
  ),
];

const secret = (type: string, data: Json, annotations: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', annotations },
  type,
  data,
});
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const ACCOUNT = 'kubernetes.io/service-account.name';

const SECRETS: readonly LimitCase[] = [
  ...[
    ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
    ['kubernetes.io/dockercfg', '.dockercfg'],
  ].flatMap(([type, key]) => [
    valid(`registries in ${key}`, secret(type, { [key]: encoded('{}') })),
    ...['[]', 'a', '1'].map((text) =>
      faulty(`${text} in ${key}`, secret(type, { [key]: encoded(text) }), `/data/${key}`, 'is not a valid JSON object'),
    ),
    faulty(`nothing in ${key}`, secret(type, {}), `/data/${key}`, `must be set in a Secret of type ${type}`),
  ]),
  ...['username', 'password'].map((key) =>
    valid(`only a ${key}`, secret('kubernetes.io/basic-auth', { [key]: encoded('a') })),
  ),
  faulty('neither of them', secret('kubernetes.io/basic-auth', {}), '/data', 'username or password must be set'),
  valid('a token of an account', secret('kubernetes.io/service-account-token', {}, { [ACCOUNT]: 'a' })),
  faulty('a token of none', secret('kubernetes.io/service-account-token', {}), '/metadata/annotations'),
  valid('a key of SSH', secret('kubernetes.io/ssh-auth', { 'ssh-privatekey': encoded('a') })),
  faulty('an empty one', secret('kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }), '/data/ssh-privatekey'),
];

const blocked = (cidr: string, ...except: string[]): Json => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'n' },
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr, except } }] }] },
});

const BLOCKS: readonly LimitCase[] = [
  ...[
    ['10.0.0.0/8', '10.1.0.0/16'],
    ['fd00::1:0/112', 'fd00::1:8000/113'],
    ['fd00::/16', 'fd00:1:2:3:4:5:6:7/128'],
    ['fd00:1:2:3:4:5:6:0/112', 'fd00:1:2:3:4:5:6:7/128'],
  ].map(([cidr, except]) => valid(`${except} is inside ${cidr}`, blocked(cidr, except))),
  ...[
    ['10.0.0.0/8', '11.0.0.0/16'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.0.0.0/8', 'fd00::/16'],
    ['fd00::1:0/112', 'fd00::2:0/113'],
    ['fd00:1:2:3:4:5:6:0/112', 'fd00:1:2:3:4:5:7:7/128'],
  ].map(([cidr, except]) =>
    faulty(
      `${except} is not inside ${cidr}`,
      blocked(cidr, except),
      '/spec/ingress/0/from/0/ipBlock/except/0',
      `"${except}" must be a strict subset of "${cidr}"`,
    ),
  ),
];

export const NETWORK_LIMIT_CASES: readonly LimitCase[] = [...BLOCKS, ...SERVICES, ...INGRESSES, ...SECRETS];
