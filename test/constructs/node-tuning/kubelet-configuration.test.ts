/**
 * The kubelet's file: each rule fires on its fault, a good file stays silent.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { kubeletConfigurationRules } from '../../../src/constructs/node-tuning/rules/kubelet-configuration';
import { kubeletPolicyOptionRules } from '../../../src/constructs/node-tuning/rules/kubelet-policy-options';
import { findingsOf, rulesFiring } from '../../support/findings';

const rules = [...kubeletConfigurationRules, ...kubeletPolicyOptionRules];
const file = (more: JsonObject = {}): string =>
  JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    maxPods: 110,
    podPidsLimit: 65_536,
    cpuManagerPolicy: 'static',
    cpuManagerPolicyOptions: { 'full-pcpus-only': 'true', 'strict-cpu-reservation': 'true' },
    memoryManagerPolicy: 'None',
    topologyManagerPolicy: 'restricted',
    topologyManagerScope: 'pod',
    kubeReserved: { cpu: '4', memory: '8Gi' },
    systemReserved: { cpu: '2', memory: '4Gi', pid: '1000' },
    ...more,
  });

const FAULTS: readonly (readonly [string, string, JsonObject])[] = [
  ['kubelet-field-known', 'a field in lower case', { maxpods: 200 }],
  ['kubelet-field-known', 'a flag as a field', { 'max-pods': 200 }],
  ['kubelet-field-known', 'a field that no kubelet has yet', { podColor: 'blue' }],
  ['kubelet-policy-known', 'a policy in upper case', { topologyManagerPolicy: 'Restricted' }],
  ['kubelet-policy-known', 'a scope that is none', { topologyManagerScope: 'node' }],
  ['kubelet-number-within-bounds', 'a negative number of pods', { maxPods: -1 }],
  [
    'kubelet-number-within-bounds',
    'thresholds the wrong way round',
    { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 80 },
  ],
  ['kubelet-reserved-resources-known', 'a GPU', { kubeReserved: { cpu: '1', 'nvidia.com/gpu': '1' } }],
  [
    'kubelet-reserved-resources-known',
    'an amount that is none',
    { kubeReserved: { cpu: 'four' }, systemReserved: { cpu: '1' } },
  ],
  ['static-cpu-manager-reserves-cpu', 'no reservation', { kubeReserved: { memory: '8Gi' }, systemReserved: {} }],
  ['static-memory-manager-reserves-memory', 'no reservation', { memoryManagerPolicy: 'Static' }],
  [
    'static-memory-manager-reserves-memory',
    'a sum that differs',
    { memoryManagerPolicy: 'Static', reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }] },
  ],
  ['kubelet-reserved-cpus-readable', 'a range backwards', { reservedSystemCPUs: '3-0' }],
  ['kubelet-enforcement-known', 'no cgroup', { enforceNodeAllocatable: ['pods', 'system-reserved'] }],
  [
    'static-memory-manager-reserves-memory',
    'a threshold that is none',
    {
      memoryManagerPolicy: 'Static',
      evictionHard: { 'nodefs.available': '10%' },
      reservedMemory: [{ numaNode: 0, limits: { memory: '12388Mi' } }],
    },
  ],
  ['topology-policy-keeps-its-promise', 'best-effort', { topologyManagerPolicy: 'best-effort' }],
  ['topology-policy-keeps-its-promise', 'single-numa-node', { topologyManagerPolicy: 'single-numa-node' }],
  ['pod-pids-limit-guards-node', 'a limit beyond every trainer', { podPidsLimit: 1_000_000 }],
  ['pod-pids-limit-guards-node', "a limit near the node's", { podPidsLimit: 4_000_000 }],
  ['max-pods-within-pod-network', 'more pods than a /24', { maxPods: 500 }],
  ['max-pods-within-pod-network', 'more pods than the stated network', { maxPods: 110, podCIDR: '10.1.0.0/26' }],
  ['kubelet-policy-options-valid', 'an unknown option', { cpuManagerPolicyOptions: { 'full-pcpus': 'true' } }],
  ['static-policies-leave-whole-cores', 'no options', { cpuManagerPolicyOptions: {} }],
  ['swap-choice-takes-effect', 'a kubelet that fails on swap', { memorySwap: { swapBehavior: 'LimitedSwap' } }],
  ['topology-manager-has-providers', 'CPUs that are not pinned', { cpuManagerPolicy: 'none' }],
];

describe("rules for the kubelet's file", () => {
  it('take a good file', () => {
    expect(findingsOf(file(), rules)).toEqual([]);
  });

  it('take a static CPU manager with CPUs named one by one', () => {
    expect(findingsOf(file({ kubeReserved: {}, systemReserved: {}, reservedSystemCPUs: '0-3,8' }), rules)).toEqual([]);
  });

  it('take reserved memory that adds up to reservations and the eviction threshold', () => {
    const reservedMemory = [
      { numaNode: 0, limits: { memory: '6Gi' } },
      { numaNode: 1, limits: { memory: '6244Mi' } },
    ];
    expect(findingsOf(file({ memoryManagerPolicy: 'Static', reservedMemory }), rules)).toEqual([]);
  });

  it.each(FAULTS)('node-tuning/%s fires on %s', (rule, _what, change) => {
    expect(rulesFiring(file(change), rules)).toContain(`node-tuning/${rule}`);
  });

  it('have a fault in this table, each of them', () => {
    const covered = new Set(FAULTS.map(([rule]) => `node-tuning/${rule}`));
    expect(rules.filter(({ id }) => !covered.has(id)).map(({ id }) => id)).toEqual([]);
  });
});

test('a field that is nearly one is an error, with the right one; what may be of a kubelet to come is a warning', () => {
  expect(findingsOf(file({ maxpods: 200, podColor: 'blue' }), rules)).toMatchObject([
    { severity: 'error', path: '/maxpods', expected: 'maxPods' },
    { severity: 'warning', path: '/podColor' },
  ]);
});
