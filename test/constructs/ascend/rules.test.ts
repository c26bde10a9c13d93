import { type JsonObject } from '../../../src/facts/api/schema';
import { ascendRules } from '../../../src/constructs/ascend/rules';
import { describeRules, podWith } from '../../support/rule-cases';

const on = (type: string, count: number): JsonObject =>
  podWith({ 'huawei.com/Ascend910': count }, { nodeSelector: { 'accelerator-type': type } });

describeRules(ascendRules, [
  {
    rule: 'ascend/count-of-server',
    fires: {
      'more than the server has': [on('module-910b-8', 16)],
      'across the rings of a 910A': [on('module', 6)],
      'more than a card server has': [on('card', 4)],
    },
    silent: {
      'a whole 910B server': [on('module-910b-8', 8)],
      'three of a 910B server': [on('module-910b-8', 3)],
      'a whole A3 server': [on('module-a3-16', 16)],
      'a ring': [on('module', 4)],
      'an unknown server': [on('850-Atlas-8p-8', 64)],
      'no server named': [podWith({ 'huawei.com/Ascend910': 16 })],
    },
  },
  {
    rule: 'ascend/one-virtual-npu',
    fires: { 'two of a template': [podWith({ 'huawei.com/Ascend910-2c': 2 })] },
    silent: {
      'one of a template': [podWith({ 'huawei.com/Ascend310P-4c': 1 })],
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
