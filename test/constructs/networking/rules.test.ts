import { type JsonObject } from '../../../src/facts/api/schema';
import { networkingRules } from '../../../src/constructs/networking/rules';
import { findingsOf } from '../../support/findings';
import { rulesSurvive } from '../../support/rules-survive';
import { cniCases } from './cni-cases';
import { nicConfigurationCases } from './nic-configuration-cases';
import { nicCases } from './nic-cases';
import { nodeCases } from './node-cases';
import { sriovCases } from './sriov-cases';
import {
  attachment,
  cni,
  expression,
  functions,
  type Manifests,
  nics,
  nodeNics,
  pod,
  policy,
  pool,
  shared,
  sriov,
} from './world';

const cases = [...sriovCases, ...nicCases, ...nicConfigurationCases, ...cniCases, ...nodeCases];

const yaml = (manifests: Manifests): string => manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
const firing = (manifests: Manifests): readonly string[] =>
  findingsOf(yaml(manifests), networkingRules).map(({ rule }) => rule);

describe.each(cases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('every rule has a case in which it fires and one in which it is silent', () => {
  const covered = cases.filter(({ fires, silent }) => [fires, silent].every((some) => Object.keys(some).length > 0));
  expect(covered.map(({ rule }) => rule).sort()).toEqual(networkingRules.map(({ id }) => id).sort());
});

test('ids are unique, in the domain, and say what must hold in kebab case', () => {
  const ids = networkingRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^networking\/[a-z0-9]+(-[a-z0-9]+)+$/);
  }
});

test.each<readonly [JsonObject, string]>([
  [{ op: 'Exists', value: ['1'] }, 'Remove matchExpressions.vendor.value.'],
  [{ op: 'In' }, 'Set matchExpressions.vendor.value to a list of at least one string, such as ["true"].'],
  [{ op: 'Ge' }, 'Set matchExpressions.vendor.value to a list with one integer in quotes, such as ["10"].'],
  [
    { op: 'Ge', value: ['a'] },
    'Set matchExpressions.vendor.value to a list with one integer in quotes, such as ["10"].',
  ],
  [{ op: 'Ge', type: 'version' }, 'Set matchExpressions.vendor.value to a list with one version, such as ["5.14"].'],
  [
    { op: 'GtLt', value: ['2', '1'] },
    'Set matchExpressions.vendor.value to a list with two integers in ascending order, in quotes, such as ["10", "20"].',
  ],
  [
    { op: 'Gt', value: ['1'], type: 'number' },
    'Remove matchExpressions.vendor.type, or set matchExpressions.vendor.type to version to compare versions.',
  ],
])('the fix of the match expression %j: %s', (value, fix) => {
  expect(
    findingsOf(yaml([expression(value)]), networkingRules)
      .filter(({ rule }) => rule === 'networking/nfd-expression-evaluates')
      .map((finding) => finding.fix),
  ).toEqual([fix]);
});

test.each<[string, string, string]>([
  ['SriovIBNetwork', 'ETH', 'linkType: ib, or a SriovNetwork'],
  ['SriovNetwork', 'ib', 'linkType: eth, or a SriovIBNetwork'],
])('a %s with functions of linkType %s: %s is expected', (kind, linkType, expected) => {
  const manifests = [policy({ linkType }), sriov(kind, { resourceName: 'rail0' })];
  expect(
    findingsOf(yaml(manifests), networkingRules)
      .filter(({ rule }) => rule === 'networking/sriov-network-fits-link')
      .map((finding) => [finding.expected, finding.fix]),
  ).toEqual([
    [
      expected,
      `Set ${expected.split(',')[0]} in the SriovNetworkNodePolicy, or create a ${expected.split(' ').at(-1)} instead of the ${kind}.`,
    ],
  ]);
});

test.each<[string, string]>([
  ['a b', '"a-b" or example.com/a-b'],
  ['x/-a_', '"a" or example.com/a'],
  ['x/--', 'example.com/<name>'],
  ['a'.repeat(64), `"${'a'.repeat(63)}" or example.com/${'a'.repeat(63)}`],
])('instead of the label %s, NFD takes %s', (key, names) => {
  const rule: JsonObject = {
    apiVersion: 'nfd.k8s-sigs.io/v1alpha1',
    kind: 'NodeFeatureRule',
    metadata: { name: 'n' },
    spec: { rules: [{ name: 'a', labels: { [key]: 'true' } }] },
  };
  expect(
    findingsOf(yaml([rule]), networkingRules)
      .filter(({ path }) => path?.includes('/labels/') === true)
      .map((finding) => finding.expected),
  ).toEqual([`a valid name, such as ${names}`]);
});

test('what is only likely wrong is a warning', () => {
  const severity = (manifests: Manifests, rule: string): readonly string[] =>
    findingsOf(yaml(manifests), networkingRules)
      .filter((finding) => finding.rule === rule)
      .map((finding) => finding.severity);
  expect(severity([attachment({ name: 'a', type: 'macvlan' })], 'networking/cni-version-known')).toEqual(['info']);
  expect(severity([attachment(cni({ cniVersion: '2.0.0' }))], 'networking/cni-version-known')).toEqual(['error']);
  expect(severity([nodeNics({}, 'a'.repeat(40))], 'networking/nic-node-policy-name-short')).toEqual(['warning']);
  expect(severity([nodeNics({}, 'a'.repeat(51))], 'networking/nic-node-policy-name-short')).toEqual(['error']);
  expect(
    severity([policy(), sriov('SriovNetwork', {}, 'n', 'ai')], 'networking/sriov-objects-in-operator-namespace'),
  ).toEqual(['warning']);
});

test('rules survive any JSON', () => {
  const objects: readonly JsonObject[] = [
    policy(),
    policy({}, 'b'),
    sriov('SriovNetwork', { resourceName: 'rail0', ipam: '{"type":"whereabouts"}', metaPlugins: '{"type":"rdma"}' }),
    sriov('SriovNetworkPoolConfig', { rdmaMode: 'exclusive', maxUnavailable: '10%' }),
    nics({}),
    nodeNics({}),
    shared({ configList: [pool] }),
    functions({ resourceList: [{ resourceName: 'a', selectors: [{ vendors: ['b'] }] }] }),
    pod({ 'rdma/a': 1, 'openshift.io/rail0': 1 }),
    attachment(cni({ ipam: { type: 'host-local', ranges: [[{ subnet: '10.0.0.0/24' }]] } })),
    {
      apiVersion: 'nfd.k8s-sigs.io/v1alpha1',
      kind: 'NodeFeatureRule',
      metadata: { name: 'n' },
      spec: {
        rules: [
          {
            name: 'a',
            labels: { 'a/b': 'c' },
            taints: [{ key: 'a/b', effect: 'NoSchedule' }],
            matchFeatures: [{ feature: 'a.b', matchExpressions: { x: { op: 'Gt', value: ['1'] } } }],
          },
        ],
      },
    },
  ];
  rulesSurvive(networkingRules, objects, 200);
});
