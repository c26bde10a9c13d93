/**
 * What conditions and the record of remediation say about a Node, for views and pages.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { planOf } from '../../../src/planning/cluster';
import { clusterOfObjects } from '../../../src/planning/cluster/from-objects';
import { nodeHealthOf } from '../../../src/planning/cluster/objects';

const REMEDIATION = 'gantry.dev/remediation';

const node = (conditions: readonly JsonObject[], record?: unknown): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n-1',
    ...(record !== undefined && {
      annotations: { [REMEDIATION]: typeof record === 'string' ? record : JSON.stringify(record) },
    }),
  },
  status: { conditions: [...conditions], allocatable: { cpu: '8', pods: '10' } },
});
const missing = { type: 'AcceleratorsMissing', status: 'True', message: '7 of 8' };

test('conditions that report a problem, marks, and why; other conditions may be good', () => {
  const record = {
    marks: ['taint'],
    why: ['one', 'two', 'three', 'four', 'five'],
    clearing: [{ rule: 'r', gang: 'team/g', before: 1 }],
  };
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'DevicesReady', status: 'True' },
    missing,
    { type: 'DiskPressure', status: 'True' },
    { type: 'RdmaDegraded', status: 'False' },
    { type: 'CpuThrottled', status: 'Unknown' },
  ];
  expect(nodeHealthOf(node(conditions, record))).toEqual({
    problems: [{ condition: 'AcceleratorsMissing', message: '7 of 8' }, { condition: 'DiskPressure' }],
    marks: ['taint'],
    evicts: ['team/g'],
    why: ['two', 'three', 'four', 'five'],
  });
});

test.each<readonly [string, JsonObject]>([
  ['nothing is wrong', node([{ type: 'Ready', status: 'True' }])],
  ['the record is garbage', node([], 'x'.repeat(100_000))],
  ['the record has other types', node([], { marks: 'taint', why: [1, {}], clearing: ['a'] })],
  ['conditions are no list', { metadata: { name: 'n' }, status: { conditions: 'x' } }],
  ['there is nothing', {}],
])('%s: no health', (_, object) => {
  expect(nodeHealthOf(object)).toBeUndefined();
});

test('a message of a program on the node is cut', () => {
  const health = nodeHealthOf(node([{ ...missing, message: 'x'.repeat(10_000) }]));
  expect(health?.problems[0].message).toHaveLength(200);
});

test('the view of a cluster has it', () => {
  const { view } = planOf(new ManifestSet([]), clusterOfObjects([node([missing], { marks: ['cordon'] })], 'c'));
  expect(view.nodes[0].health).toEqual({
    problems: [{ condition: 'AcceleratorsMissing', message: '7 of 8' }],
    marks: ['cordon'],
  });
});
