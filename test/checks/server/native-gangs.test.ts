import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { nativeGangRules } from '../../../src/checks/server/objects/native-gangs';
import { findingsOf, rulesFiring } from '../../support/findings';

const gang = (minCount = 2): JsonObject => ({ schedulingPolicy: { gang: { minCount } } });
const object = (version: string, kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: `scheduling.k8s.io/${version}`,
  kind,
  metadata: { name: 'a', namespace: 'ml' },
  spec,
});
const alpha = (spec: JsonObject): JsonObject => object('v1alpha2', 'PodGroup', { ...gang(), ...spec });
const beta = (spec: JsonObject): JsonObject => object('v1beta1', 'PodGroup', { ...gang(), ...spec });
const workload = (spec: JsonObject, version = 'v1beta1'): JsonObject => object(version, 'Workload', spec);
const template = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...gang(), ...more });
const composite = (name: string, more: JsonObject): JsonObject => ({
  name,
  schedulingPolicy: { gang: { minGroupCount: 1 } },
  ...more,
});
const deep = (levels: number): JsonObject =>
  composite(
    `c${levels}`,
    levels === 1 ? { podGroupTemplates: [template('leaf')] } : { compositePodGroupTemplates: [deep(levels - 1)] },
  );
const reference = { workloadRef: { workloadName: 'w', templateName: 't' } };
const group = (spec: JsonObject): JsonObject =>
  object('v1alpha3', 'CompositePodGroup', { schedulingPolicy: { basic: {} }, ...reference, ...spec });

test.each<[string, JsonObject]>([
  [
    'the groups of 1.35',
    workload(
      {
        podGroups: [
          { name: 'a', policy: { gang: { minCount: 4 } } },
          { name: 'b', policy: { basic: {} } },
        ],
      },
      'v1alpha1',
    ),
  ],
  [
    'a group of 1.36',
    alpha({
      schedulingConstraints: { topology: [{ key: 'rack' }] },
      disruptionMode: 'PodGroup',
      priority: 1000000000,
      resourceClaims: [{ name: 'a', resourceClaimName: 'x' }],
    }),
  ],
  [
    'a group of 1.37',
    beta({ disruptionMode: { all: {} }, priorityClassName: 'high', parentCompositePodGroupName: 'p', ...reference }),
  ],
  ['a composite group', group({ disruptionMode: { single: {} } })],
  ['composite templates, four deep', workload({ compositePodGroupTemplates: [deep(4)] })],
  [
    'plain templates of different priorities',
    workload({ podGroupTemplates: [template('a', { priorityClassName: 'x' }), template('b')] }),
  ],
])('nothing is said of %s', (_what, given) => {
  expect(findingsOf(stringify(given), nativeGangRules, { kubernetes: '1.37' })).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  ['two levels', alpha({ schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] } }), 'pod-group-valid'],
  ['a level without a label', alpha({ schedulingConstraints: { topology: [{}] } }), 'pod-group-valid'],
  ['a mode that is none', alpha({ disruptionMode: 'Group' }), 'pod-group-valid'],
  ['a mode of two forms', beta({ disruptionMode: { all: {}, single: {} } }), 'pod-group-valid'],
  ['a priority of the system', beta({ priority: 2000000000 }), 'pod-group-valid'],
  ['a claim of no source', alpha({ resourceClaims: [{ name: 'a' }] }), 'pod-group-valid'],
  [
    'a claim of two',
    alpha({ resourceClaims: [{ name: 'a', resourceClaimName: 'x', resourceClaimTemplateName: 'y' }] }),
    'pod-group-valid',
  ],
  [
    'five claims',
    alpha({ resourceClaims: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, resourceClaimName: 'x' })) }),
    'pod-group-valid',
  ],
  ['a parent without a Workload', beta({ parentCompositePodGroupName: 'p' }), 'pod-group-valid'],
  ['a reference of half', beta({ workloadRef: { workloadName: 'w' } }), 'pod-group-valid'],
  ['a reference to nothing', alpha({ podGroupTemplateRef: {} }), 'pod-group-valid'],
  ['a composite without a Workload', group({ workloadRef: null }), 'composite-pod-group-valid'],
  [
    'a composite gang of none',
    group({ schedulingPolicy: { gang: { minGroupCount: 0 } } }),
    'composite-pod-group-valid',
  ],
  ['no groups', workload({}), 'workload-valid'],
  [
    'nine groups',
    workload({ podGroupTemplates: Array.from({ length: 9 }, (_, index) => template(`g${index}`)) }),
    'workload-valid',
  ],
  ['groups of one name', workload({ podGroupTemplates: [template('a'), template('a')] }), 'workload-valid'],
  [
    'a name within and without',
    workload({ compositePodGroupTemplates: [composite('a', { podGroupTemplates: [template('a')] })] }),
    'workload-valid',
  ],
  [
    'both forms',
    workload({ podGroupTemplates: [template('a')], compositePodGroupTemplates: [deep(1)] }),
    'workload-valid',
  ],
  ['five deep', workload({ compositePodGroupTemplates: [deep(5)] }), 'workload-valid'],
  ['an empty composite', workload({ compositePodGroupTemplates: [composite('a', {})] }), 'workload-valid'],
  [
    'priorities that differ',
    workload({
      compositePodGroupTemplates: [composite('a', { priorityClassName: 'x', podGroupTemplates: [template('b')] })],
    }),
    'workload-valid',
  ],
])('%s is found', (_what, given, rule) => {
  expect(rulesFiring(stringify(given), nativeGangRules, { kubernetes: '1.37' })).toEqual([`core/${rule}`]);
});
