import { type JsonObject } from '../../../src/facts/api/schema';
import { ascendRules } from '../../../src/constructs/ascend/rules';
import { type Finding } from '../../../src/checks/report/finding';
import { findingsOf } from '../../support/findings';
import { describeRules, podWith } from '../../support/rule-cases';

const on = (type: string, count: number): JsonObject =>
  podWith({ 'huawei.com/Ascend910': count }, { nodeSelector: { 'accelerator-type': type } });

/** One of several servers, by node affinity. */
const either = (values: readonly string[], count: number): JsonObject =>
  podWith(
    { 'huawei.com/Ascend910': count },
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'accelerator-type', operator: 'In', values: [...values] }] },
            ],
          },
        },
      },
    },
  );

describeRules(ascendRules, [
  {
    rule: 'ascend/count-of-server',
    fires: {
      'more than the server has': [on('module-910b-8', 16)],
      'across the rings of a 910A': [on('module', 6)],
      'more than a card server has': [on('card', 4)],
      'more than any server has, without a selected one': [podWith({ 'huawei.com/Ascend910': 17 })],
      'more than either of two servers has': [either(['module-910b-8', 'card'], 9)],
    },
    silent: {
      'a whole 910B server': [on('module-910b-8', 8)],
      'three of a 910B server': [on('module-910b-8', 3)],
      'a whole A3 server': [on('module-a3-16', 16)],
      'a ring': [on('module', 4)],
      'an unknown server': [on('850-Atlas-8p-8', 64)],
      'a known server or an unknown one': [either(['card', '850-Atlas-8p-8'], 64)],
      'as many as one of two servers has': [either(['module-910b-8', 'card'], 8)],
      'three, without a selected server': [podWith({ 'huawei.com/Ascend910': 3 })],
      'no server named': [podWith({ 'huawei.com/Ascend910': 16 })],
    },
  },
  {
    rule: 'ascend/one-virtual-npu',
    fires: { 'two of a template': [podWith({ 'huawei.com/Ascend910-2c': 2 })] },
    silent: {
      'one of a template': [podWith({ 'huawei.com/Ascend310P-4c': 1 })],
      'what begins as the name of a template': [podWith({ 'huawei.com/Ascend910-2c_x': 2 })],
      'a resource of another domain': [podWith({ 'x-huawei.com/Ascend910-2c': 2 })],
      'memory as HAMi counts it': [
        podWith({ 'huawei.com/Ascend910B3-memory': 16384, 'huawei.com/Ascend310P-memory': 2048 }),
      ],
    },
  },
  {
    rule: 'ascend/one-kind-of-npu',
    fires: { 'training and inference': [podWith({ 'huawei.com/Ascend910': 1, 'huawei.com/Ascend310P': 1 })] },
    silent: {
      'one kind': [podWith({ 'huawei.com/Ascend310P': 4 })],
      'a vNPU of it': [podWith({ 'huawei.com/Ascend910-2c': 1 })],
    },
  },
]);

/** What fits on each server, and what does not: the most, and one more; of 910A boards also what no ring holds. */
describe.each([
  ['card', [1, 2], [3]],
  ['module', [1, 2, 4, 8], [3, 5, 6, 7, 9]],
  ['half', [1, 2, 4], [3, 5]],
  ['card-910b-2', [1, 2], [3]],
  ['module-910b-8', [1, 3, 8], [9]],
  ['module-910b-16', [1, 9, 16], [17]],
  ['module-a3-8', [1, 8], [9]],
  ['module-a3-16', [16], [17]],
  ['module-a3-16-super-pod', [16], [17]],
])('a server with accelerator-type %s', (type, fitting, tooMany) => {
  const found = (count: number): readonly Finding[] =>
    findingsOf(JSON.stringify(on(type, count)), ascendRules).filter(({ rule }) => rule === 'ascend/count-of-server');

  test.each(fitting)('has a group of %d NPUs', (count) => {
    expect(found(count)).toEqual([]);
  });

  test.each(tooMany)('has no group of %d NPUs', (count) => {
    expect(found(count)).toMatchObject([{ path: '/spec/containers/0/resources/limits/huawei.com~1Ascend910' }]);
  });
});

test('the counts that a pod may ask for are named', () => {
  const expected = (object: JsonObject): unknown => findingsOf(JSON.stringify(object), ascendRules)[0]?.expected;
  expect(expected(on('module', 6))).toBe('1, 2, 4, 8');
  expect(expected(on('card-910b-2', 3))).toBe('1 to 2');
});

test('other resources of the pod are not counted as NPUs of the server', () => {
  const pod = podWith(
    { 'huawei.com/Ascend910': 2, 'nvidia.com/gpu': 64 },
    { nodeSelector: { 'accelerator-type': 'card' } },
  );
  expect(findingsOf(JSON.stringify(pod), ascendRules)).toEqual([]);
});

test('the second kind of NPU is where the mistake is', () => {
  const pod = podWith({ 'huawei.com/Ascend910': 1, 'huawei.com/Ascend310P': 1 });
  expect(findingsOf(JSON.stringify(pod), ascendRules)).toMatchObject([
    {
      path: '/spec/containers/0/resources/limits/huawei.com~1Ascend310P',
      message: 'the pod requests both Ascend910 and Ascend310P NPUs, which no node has together',
      expected: 'one kind of NPU',
    },
  ]);
});
