import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { schedulingRules } from '../../../src/constructs/pods/rules/scheduling';
import { findingsOf, rulesFiring } from '../../support/findings';
import { expectRuleFacts, rulesSurvive } from '../../support/rules-survive';

interface Pods {
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly spec?: JsonObject;
  readonly pods?: number;
  readonly name?: string;
  readonly on?: JsonObject;
}

const G = 'gantry.dev/';
const GANG = { [`${G}gang`]: 'train', [`${G}queue`]: 'q' };

function job({ labels = {}, annotations = {}, spec = {}, pods = 4, name = 'train', on = {} }: Pods): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'ml', ...on },
    spec: {
      parallelism: pods,
      completions: pods,
      template: { metadata: { labels, annotations }, spec: { containers: [{ name: 'a', image: 'x' }], ...spec } },
    },
  };
}

const gantry = { schedulerName: 'gantry' };
const gate = { schedulingGates: [{ name: `${G}placement` }] };
const native = (minCount: number, namespace = 'ml'): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'train', namespace },
  spec: { schedulingPolicy: { gang: { minCount } } },
});
const workload = (minCount: number): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'train', namespace: 'ml' },
  spec: { podGroups: [{ name: 'pods', policy: { gang: { minCount } } }] },
});
const plugins = (minMember: number): JsonObject => ({
  apiVersion: 'scheduling.x-k8s.io/v1alpha1',
  kind: 'PodGroup',
  metadata: { name: 'train', namespace: 'ml' },
  spec: { minMember },
});
/** Gantry's configuration with the queues research, which the namespace ml may use, and ops, which it may not. */
const settings: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'gantry', namespace: 'gantry', labels: { 'app.kubernetes.io/name': 'gantry-scheduler' } },
  data: {
    'scheduler.yaml': stringify({
      queues: [{ name: 'research' }, { name: 'vision', parent: 'research' }, { name: 'ops', namespaces: ['ops'] }],
    }),
  },
};
const queued = (queue: string, spec: JsonObject = gantry): JsonObject =>
  job({ labels: { [`${G}queue`]: queue }, spec });
const inNative = (name = 'train'): JsonObject => job({ spec: { schedulingGroup: { podGroupName: name } } });
const yaml = (...objects: readonly JsonObject[]): string => objects.map((object) => stringify(object)).join('---\n');

describe('nothing is said of', () => {
  test.each<[string, readonly JsonObject[]]>([
    ['pods without a word to Gantry', [job({})]],
    [
      'a gang',
      [
        job({
          labels: GANG,
          annotations: { [`${G}gang-min-member`]: '4', [`${G}topology-required`]: 'rack', [`${G}preemptible`]: 'true' },
          spec: gantry,
        }),
      ],
    ],
    [
      'a gang of two jobs',
      [
        job({ labels: GANG, spec: gantry, annotations: { [`${G}gang-min-member`]: '8' } }),
        job({ labels: GANG, spec: gantry, annotations: { [`${G}gang-min-member`]: '8' }, name: 'b' }),
      ],
    ],
    ['a hand-over', [job({ labels: GANG, spec: gate })]],
    ['a queue alone', [job({ labels: { [`${G}queue`]: 'q' } })]],
    [
      'names on objects',
      [job({ on: { labels: { [`${G}team`]: 'a', [`${G}queue`]: 'q' }, annotations: { [`${G}ignore`]: 'a: b' } } })],
    ],
    ['other gates', [job({ spec: { schedulingGates: [{ name: 'example.com/gate' }] } })]],
    ['a native group', [native(4), inNative()]],
    ['a native Workload', [workload(2), job({ spec: { workloadRef: { name: 'train', podGroup: 'pods' } } })]],
    ['a group of scheduler-plugins', [plugins(4), job({ labels: { 'scheduling.x-k8s.io/pod-group': 'train' } })]],
    ['a group of the cluster', [inNative('other')]],
    ['a group without pods here', [native(40)]],
    ['a queue of the configuration', [settings, queued('vision')]],
    ['the default queue', [settings, queued('default')]],
    [
      'a queue of Volcano',
      [
        settings,
        { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'night' }, spec: {} },
        queued('night', gate),
      ],
    ],
    ['a queue of another scheduler', [settings, queued('other', { schedulerName: 'volcano' })]],
    [
      'a resource claim that is handed over',
      [job({ labels: GANG, spec: { ...gate, resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] } })],
    ],
    ['a queue where no scheduler is configured', [queued('other')]],
  ])('%s', (_what, objects) => {
    expect(findingsOf(yaml(...objects), schedulingRules, { kubernetes: '1.36' })).toEqual([]);
  });
});

const FOUND: readonly (readonly [string, readonly JsonObject[], string])[] = [
  ['an unknown annotation', [job({ on: { annotations: { [`${G}toplogy-required`]: 'rack' } } })], 'gantry-name-known'],
  ['a label as an annotation', [job({ on: { annotations: { [`${G}queue`]: 'q' } } })], 'gantry-name-known'],
  ['an unknown label of pods', [job({ labels: { [`${G}qeue`]: 'q' } })], 'gantry-pod-name-known'],
  ['an unknown gate', [job({ spec: { schedulingGates: [{ name: `${G}place` }] } })], 'gantry-pod-name-known'],
  [
    'a number that is none',
    [job({ labels: GANG, annotations: { [`${G}gang-min-member`]: 'all' }, spec: gantry })],
    'gantry-value-readable',
  ],
  [
    'a time with a unit',
    [job({ labels: GANG, annotations: { [`${G}minimum-runtime-seconds`]: '1h' }, spec: gantry })],
    'gantry-value-readable',
  ],
  [
    'a report without devices',
    [
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'a', annotations: { [`${G}accelerator-capacity`]: '{"at":1}' } },
      },
    ],
    'gantry-capacity-report-readable',
  ],
  ['a gate and the scheduler', [job({ labels: GANG, spec: { ...gate, ...gantry } })], 'gantry-binds-or-hands-over'],
  ['words to another scheduler', [job({ labels: GANG, spec: { schedulerName: 'volcano' } })], 'gantry-listens'],
  [
    'a size without a gang',
    [job({ annotations: { [`${G}gang-min-member`]: '4' }, spec: gantry })],
    'gantry-gang-named',
  ],
  [
    'two words of one gang',
    [
      job({ labels: GANG, annotations: { [`${G}topology-required`]: 'rack' }, spec: gantry }),
      job({ labels: GANG, spec: gantry, name: 'b' }),
    ],
    'gantry-gang-agrees',
  ],
  [
    'two queues of one gang',
    [job({ labels: GANG, spec: gantry }), job({ labels: { ...GANG, [`${G}queue`]: 'r' }, spec: gantry, name: 'b' })],
    'gantry-gang-agrees',
  ],
  [
    'a gang that is never whole',
    [job({ labels: GANG, annotations: { [`${G}gang-min-member`]: '5' }, spec: gantry })],
    'gantry-gang-has-its-pods',
  ],
  ['a misspelled queue', [settings, queued('reserch')], 'gantry-queue-known'],
  ['a queue that is not configured', [settings, queued('nightly', gate)], 'gantry-queue-known'],
  ['a queue that does not admit the namespace', [settings, queued('ops')], 'gantry-queue-known'],
  ['a misspelled group', [native(4), inNative('trian')], 'pod-group-known'],
  ['a group of another namespace', [native(4, 'other'), inNative()], 'pod-group-known'],
  ['a group that is never whole', [native(5), inNative()], 'pod-group-has-its-pods'],
  [
    'a Workload that is never whole',
    [workload(5), job({ spec: { workloadRef: { name: 'train', podGroup: 'pods' } } })],
    'pod-group-has-its-pods',
  ],
  [
    'a group of scheduler-plugins that is never whole',
    [plugins(5), job({ labels: { 'scheduling.x-k8s.io/pod-group': 'train' } })],
    'pod-group-has-its-pods',
  ],
];

test.each(FOUND)('%s is found', (_what, objects, rule) => {
  expect(rulesFiring(yaml(...objects), schedulingRules, { kubernetes: '1.36' })).toEqual([`scheduling/${rule}`]);
});

test('every rule is met above', () => {
  expect([...new Set(FOUND.map(([, , rule]) => `scheduling/${rule}`))].sort()).toEqual(
    schedulingRules.map(({ id }) => id).sort(),
  );
});

test('a misspelled name is answered with the right one', () => {
  const [finding] = findingsOf(
    yaml(job({ on: { annotations: { [`${G}toplogy-required`]: 'rack' } } })),
    schedulingRules,
  );
  expect(finding).toMatchObject({
    message: 'unknown Gantry annotation "gantry.dev/toplogy-required" (did you mean "gantry.dev/topology-required"?)',
    expected: 'gantry.dev/topology-required',
  });
});

test('a misspelled queue is a warning beside its twin, and information without one', () => {
  const found = (queue: string): readonly (readonly unknown[])[] =>
    findingsOf(yaml(settings, queued(queue)), schedulingRules).map(({ severity, expected }) => [severity, expected]);
  expect(found('reserch')).toEqual([['warning', 'research']]);
  expect(found('nightly')).toEqual([['info', '"default", "research", "vision", "ops"']]);
});

test('rules survive any value in any place', () => {
  rulesSurvive(
    schedulingRules,
    [
      job({ labels: GANG, annotations: { [`${G}gang-min-member`]: '5' }, spec: gate }),
      native(4),
      workload(4),
      plugins(4),
      inNative(),
      settings,
      queued('reserch'),
      job({ spec: { workloadRef: { name: 'train', podGroup: 'pods' } } }),
    ],
    150,
  );
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  const ofOthers = schedulingRules.filter(({ row = '' }) => row.startsWith('PG'));
  expectRuleFacts(ofOthers, 'scheduling', /^PG\d+$/);
  for (const { source } of schedulingRules) {
    expect(source).not.toBe('');
  }
});
