/**
 * Devices of dynamic resource allocation: a fault for each rule, made in an object that is otherwise valid.
 */
import { type Json } from '../valid';
import { deviceObjects, recordObjects } from '../valid-objects';
import { first, claim, by, type ObjectFault } from './fault';

export const DEVICES_FAULTS: readonly ObjectFault[] = [
  ['device-request-valid', 'no class', claim, (spec) => (spec.devices = { requests: [{ name: 'gpu', exactly: {} }] })],
  [
    'device-request-valid',
    'the shape of v1beta1 in v1',
    claim,
    (spec) => (spec.devices = { requests: [{ name: 'gpu', deviceClassName: 'gpu.nvidia.com' }] }),
  ],
  [
    'device-count-valid',
    'a count of all',
    claim,
    (spec) =>
      (spec.devices = {
        requests: [{ name: 'gpu', exactly: { deviceClassName: 'a', allocationMode: 'All', count: 2 } }],
      }),
  ],
  [
    'device-selector-valid',
    'no expression',
    claim,
    (spec) =>
      (spec.devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'a', selectors: [{ cel: {} }] } }] }),
  ],
  [
    'device-constraint-valid',
    'a request that is none',
    claim,
    (spec) => ((spec.devices as Json).constraints = [{ requests: ['other'], matchAttribute: 'a.b/c' }]),
  ],
  [
    'device-config-valid',
    'no driver',
    claim,
    (spec) => ((spec.devices as Json).config = [{ opaque: { parameters: {} } }]),
  ],
  [
    'claim-template-metadata-valid',
    'a name',
    by(deviceObjects, 'ResourceClaimTemplate'),
    (spec) => (spec.metadata = { name: 'x' }),
  ],
  [
    'device-class-valid',
    'a bare resource name',
    by(deviceObjects, 'DeviceClass'),
    (spec) => (spec.extendedResourceName = 'gpu'),
  ],
  ['resource-slice-valid', 'no choice of nodes', by(deviceObjects, 'ResourceSlice'), (spec) => delete spec.nodeName],
  [
    'resource-slice-valid',
    'a set without counters',
    by(deviceObjects, 'ResourceSlice'),
    (spec) => (first(spec.devices).consumesCounters = [{ counterSet: 'memory', counters: {} }]),
  ],
  [
    'device-taint-rule-valid',
    'a wrong effect',
    by(recordObjects, 'DeviceTaintRule'),
    (spec) => (spec.taint = { key: 'a', effect: 'Sometimes' }),
  ],
  [
    'device-selector-valid',
    'an expression that says a number',
    claim,
    (spec) =>
      (spec.devices = {
        requests: [{ name: 'gpu', exactly: { deviceClassName: 'a', selectors: [{ cel: { expression: '1' } }] } }],
      }),
  ],
];
