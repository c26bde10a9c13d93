/**
 * Resources of containers and pods: a fault for each rule, made in a pod that is otherwise valid.
 */
import { main, type PodFault } from './pod-fault';

export const POD_RESOURCES_FAULTS: readonly PodFault[] = [
  ['resource-name-valid', 'a bare name', (spec) => (main(spec).resources = { limits: { gpu: 1 } })],
  [
    'resource-name-valid',
    'a quota name',
    (spec) => (main(spec).resources = { limits: { 'requests.nvidia.com/gpu': 1 } }),
  ],
  ['resource-amount-valid', 'half a GPU', (spec) => (main(spec).resources = { limits: { 'nvidia.com/gpu': '500m' } })],
  ['resource-amount-valid', 'a negative amount', (spec) => (main(spec).resources = { limits: { cpu: '-1' } })],
  [
    'extended-resource-request-equals-limit',
    'a request alone',
    (spec) => (main(spec).resources = { requests: { 'nvidia.com/gpu': 1 } }),
  ],
  [
    'extended-resource-request-equals-limit',
    'a request below the limit',
    (spec) => (main(spec).resources = { limits: { 'nvidia.com/gpu': 2 }, requests: { 'nvidia.com/gpu': 1 } }),
  ],
  [
    'resource-request-within-limit',
    'a request above the limit',
    (spec) => (main(spec).resources = { limits: { memory: '1Gi' }, requests: { memory: '2Gi' } }),
  ],
  [
    'huge-pages-need-cpu-or-memory',
    'huge pages alone',
    (spec) => (main(spec).resources = { limits: { 'hugepages-2Mi': '2Mi' } }),
  ],
  [
    'huge-pages-whole-pages',
    'one and a half pages',
    (spec) => (main(spec).resources = { limits: { 'hugepages-2Mi': '3Mi', cpu: 1 } }),
  ],
  [
    'resource-claim-of-pod',
    'a claim that the pod does not have',
    (spec) => (main(spec).resources = { claims: [{ name: 'other' }] }),
  ],
  [
    'resource-claim-of-pod',
    'a whole claim beside one of its requests',
    (spec) => (main(spec).resources = { claims: [{ name: 'gpus' }, { name: 'gpus', request: 'gpu' }] }),
  ],
  [
    'pod-resource-claim-valid',
    'neither claim nor template',
    (spec) => (spec.resourceClaims = [{ name: 'gpus' }, { name: 'net', resourceClaimName: 'a' }]),
  ],
  ['pod-overhead-valid', 'a bare name', (spec) => (spec.overhead = { gpu: 1 })],
  ['pod-level-resources-valid', 'less than the containers', (spec) => (spec.resources = { requests: { cpu: '100m' } })],
];
