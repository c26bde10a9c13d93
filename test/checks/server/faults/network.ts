/**
 * Services and the network: a fault for each rule, made in an object that is otherwise valid.
 */
import { recordObjects, serviceObjects } from '../valid-objects';
import { service, by, type ObjectFault } from './fault';

export const NETWORK_FAULTS: readonly ObjectFault[] = [
  ['service-type-valid', 'a wrong type', service, (spec) => (spec.type = 'Internal')],
  ['service-has-ports', 'no ports', service, (spec) => (spec.ports = [])],
  ['service-port-valid', 'two ports without names', service, (spec) => (spec.ports = [{ port: 80 }, { port: 81 }])],
  [
    'service-port-valid',
    'a node port inside',
    service,
    (spec) => Object.assign(spec, { type: 'ClusterIP', ports: [{ port: 80, nodePort: 30000 }] }),
  ],
  ['service-external-name-valid', 'no name', service, (spec) => Object.assign(spec, { type: 'ExternalName' })],
  ['service-address-valid', 'no address', service, (spec) => (spec.clusterIP = 'here')],
  ['service-selector-valid', 'a blank', service, (spec) => (spec.selector = { app: 'a b' })],
  [
    'service-load-balancer-settings',
    'ranges inside',
    service,
    (spec) => (spec.loadBalancerSourceRanges = ['10.0.0.0/8']),
  ],
  [
    'endpoints-valid',
    'a loopback address',
    by(serviceObjects, 'Endpoints'),
    (_spec, object) => (object.subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 1 }] }]),
  ],
  [
    'endpoint-slice-valid',
    'an address of the other family',
    by(serviceObjects, 'EndpointSlice'),
    (_spec, object) => (object.addressType = 'IPv6'),
  ],
  [
    'network-policy-valid',
    'a peer that is nothing',
    by(serviceObjects, 'NetworkPolicy'),
    (spec) => (spec.ingress = [{ from: [{}] }]),
  ],
  [
    'network-policy-valid',
    'an exception outside',
    by(serviceObjects, 'NetworkPolicy'),
    (spec) => (spec.egress = [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['192.168.0.0/16'] } }] }]),
  ],
  [
    'ingress-valid',
    'a relative path',
    by(serviceObjects, 'Ingress'),
    (spec) =>
      (spec.rules = [
        {
          http: {
            paths: [{ path: 'x', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ]),
  ],
  ['ingress-class-valid', 'no controller', by(serviceObjects, 'IngressClass'), (spec) => (spec.controller = 'nginx')],
  ['service-cidr-valid', 'no range', by(serviceObjects, 'ServiceCIDR'), (spec) => (spec.cidrs = [])],
  ['ip-address-valid', 'nobody', by(recordObjects, 'IPAddress'), (spec) => delete spec.parentRef],
];
