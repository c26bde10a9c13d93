import { readGantryStatement } from '../../../src/manifests/pods/gantry-statement';

test('all that a pod can say is read', () => {
  expect(
    readGantryStatement({
      labels: { 'gantry.dev/queue': 'research', 'gantry.dev/gang': 'train' },
      annotations: {
        'gantry.dev/gang-min-member': '8',
        'gantry.dev/topology-required': 'topology.kubernetes.io/zone',
        'gantry.dev/topology-preferred': 'example.com/rack',
        'gantry.dev/minimum-runtime-seconds': '0',
        'gantry.dev/expected-seconds': '3600',
        'gantry.dev/checkpoint-seconds': '900',
        'gantry.dev/preemptible': 'false',
      },
    }),
  ).toEqual({
    queue: 'research',
    gang: 'train',
    minMember: 8,
    topologyRequired: 'topology.kubernetes.io/zone',
    topologyPreferred: 'example.com/rack',
    minimumRuntimeSeconds: 0,
    expectedSeconds: 3600,
    checkpointSeconds: 900,
    preemptible: false,
    problems: [],
  });
});

test('gangs of one name are told apart by a label, once the pod has it', () => {
  const annotations = { 'gantry.dev/gang-per-label': 'leaderworkerset.sigs.k8s.io/group-key' };
  const gang = { 'gantry.dev/gang': 'llama' };
  expect(readGantryStatement({ labels: gang, annotations }).gang).toBe('llama');
  expect(
    readGantryStatement({ labels: { ...gang, 'leaderworkerset.sigs.k8s.io/group-key': 'a1' }, annotations }).gang,
  ).toBe('llama/a1');
});

test('a value that cannot be read counts as unset, and is reported', () => {
  const statement = readGantryStatement({
    labels: { 'gantry.dev/gang': '' },
    annotations: {
      'gantry.dev/gang-min-member': '0',
      'gantry.dev/minimum-runtime-seconds': '1h',
      'gantry.dev/preemptible': 'no',
      'gantry.dev/topology-required': 'a rack',
      'gantry.dev/expected-seconds': 60,
    },
  });
  expect(statement).toMatchObject({
    gang: undefined,
    minMember: undefined,
    minimumRuntimeSeconds: undefined,
    preemptible: undefined,
  });
  expect(statement.problems.map(({ key }) => key).sort()).toEqual([
    'gantry.dev/expected-seconds',
    'gantry.dev/gang-min-member',
    'gantry.dev/minimum-runtime-seconds',
    'gantry.dev/preemptible',
    'gantry.dev/topology-required',
  ]);
  expect(readGantryStatement(undefined)).toMatchObject({ gang: undefined, problems: [] });
  expect(readGantryStatement({ labels: 3, annotations: [] })).toMatchObject({ gang: undefined, problems: [] });
});
