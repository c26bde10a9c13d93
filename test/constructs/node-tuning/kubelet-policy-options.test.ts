/**
 * Options of the CPU manager and the topology manager, as the kubelet reads them when it starts.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { kubeletPolicyOptionRules } from '../../../src/constructs/node-tuning/rules/kubelet-policy-options';
import { findingsOf } from '../../support/findings';

const [valid] = kubeletPolicyOptionRules;

/** Path and message of each finding in a file with these fields. */
function said(fields: JsonObject): readonly string[] {
  const file = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...fields };
  return findingsOf(JSON.stringify(file), [valid]).map(({ path, message }) => `${path}: ${message}`);
}

const cpu = (cpuManagerPolicyOptions: JsonObject, more: JsonObject = {}): readonly string[] =>
  said({ cpuManagerPolicy: 'static', cpuManagerPolicyOptions, ...more });
const topology = (topologyManagerPolicyOptions: JsonObject): readonly string[] =>
  said({ topologyManagerPolicyOptions });
const ALPHA = { featureGates: { CPUManagerPolicyAlphaOptions: true } };

test.each<[string, readonly string[]]>([
  ['no options', said({})],
  ['no options of the policy none', said({ cpuManagerPolicy: 'none', cpuManagerPolicyOptions: {} })],
  [
    'options that are on',
    cpu({ 'full-pcpus-only': 'true', 'strict-cpu-reservation': 'T', 'prefer-align-cpus-by-uncorecache': '1' }),
  ],
  ['an option of beta', cpu({ 'distribute-cpus-across-numa': 'false', 'prefer-align-cpus-by-uncorecache': 'true' })],
  ['options of alpha with their gate', cpu({ 'align-by-socket': 'true' }, ALPHA)],
  [
    'options that exclude each other, one of them off',
    cpu({ 'full-pcpus-only': 'false', 'distribute-cpus-across-cores': 'true' }, ALPHA),
  ],
  [
    'options of the topology manager',
    topology({ 'prefer-closest-numa-nodes': 'true', 'max-allowable-numa-nodes': '8' }),
  ],
  ['more NUMA nodes than the default', topology({ 'max-allowable-numa-nodes': '16' })],
])('%s: nothing is reported', (_, found) => {
  expect(found).toEqual([]);
});

const AT = '/cpuManagerPolicyOptions';

test.each<[string, readonly string[], string]>([
  ['an unknown option', cpu({ 'full-pcpus': 'true' }), `${AT}/full-pcpus: unknown option "full-pcpus"`],
  [
    'a value that is no boolean',
    cpu({ 'full-pcpus-only': 'yes' }),
    `${AT}/full-pcpus-only: full-pcpus-only must be the string "true" or "false"`,
  ],
  [
    'a value without quotes',
    cpu({ 'full-pcpus-only': true }),
    `${AT}/full-pcpus-only: full-pcpus-only must be the string "true" or "false"`,
  ],
  [
    'an option of alpha without its gate',
    cpu({ 'align-by-socket': 'true' }),
    `${AT}/align-by-socket: align-by-socket requires the CPUManagerPolicyAlphaOptions feature gate, which is disabled by default`,
  ],
  [
    'options of the policy none',
    said({ cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } }),
    `${AT}: cpuManagerPolicyOptions requires cpuManagerPolicy: static`,
  ],
  [
    'whole cores and cores that are spread',
    cpu({ 'full-pcpus-only': 'true', 'distribute-cpus-across-cores': 'true' }, ALPHA),
    `${AT}/distribute-cpus-across-cores: distribute-cpus-across-cores must not be set when full-pcpus-only is set`,
  ],
  [
    'NUMA nodes and caches',
    cpu({ 'prefer-align-cpus-by-uncorecache': 'true', 'distribute-cpus-across-numa': 'true' }),
    `${AT}/distribute-cpus-across-numa: distribute-cpus-across-numa must not be set when prefer-align-cpus-by-uncorecache is set`,
  ],
  [
    'sockets beside one NUMA node',
    cpu({ 'align-by-socket': 'true' }, { ...ALPHA, topologyManagerPolicy: 'single-numa-node' }),
    `${AT}/align-by-socket: align-by-socket must not be set when topologyManagerPolicy is single-numa-node`,
  ],
  [
    'an unknown option of the topology manager',
    topology({ 'prefer-closest': 'true' }),
    '/topologyManagerPolicyOptions/prefer-closest: unknown option "prefer-closest"',
  ],
  [
    'fewer NUMA nodes than the default',
    topology({ 'max-allowable-numa-nodes': '7' }),
    '/topologyManagerPolicyOptions/max-allowable-numa-nodes: max-allowable-numa-nodes must be a string with a number greater than or equal to 8',
  ],
  [
    'a number of NUMA nodes without quotes',
    topology({ 'max-allowable-numa-nodes': 16 }),
    '/topologyManagerPolicyOptions/max-allowable-numa-nodes: max-allowable-numa-nodes must be a string with a number greater than or equal to 8',
  ],
])('%s is reported', (_, found, finding) => {
  expect(found).toEqual([finding]);
});

test('a near name is suggested, and a drop-in leaves to other files what it does not state', () => {
  const file = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const options = { cpuManagerPolicyOptions: { 'full-pcpu-only': 'true' } };
  const [finding] = findingsOf(JSON.stringify({ ...file, cpuManagerPolicy: 'static', ...options }), [valid]);
  expect(finding?.expected).toBe('full-pcpus-only');
  const dropIn = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubelet', namespace: 'kube-system' },
    data: { '10-gpu.conf': JSON.stringify({ ...file, cpuManagerPolicyOptions: { 'align-by-socket': 'true' } }) },
  };
  expect(findingsOf(JSON.stringify(dropIn), [valid])).toEqual([]);
});
