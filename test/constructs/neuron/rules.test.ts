import { type JsonObject } from '../../../src/facts/api/schema';
import { neuronRules } from '../../../src/constructs/neuron/rules';
import { describeRules, podWith } from '../../support/rule-cases';

const on = (type: string, count: number, spec: JsonObject = {}): JsonObject =>
  podWith({ 'aws.amazon.com/neuron': count }, { nodeSelector: { 'node.kubernetes.io/instance-type': type }, ...spec });

describeRules(neuronRules, [
  {
    rule: 'neuron/device-or-core',
    fires: { both: [podWith({ 'aws.amazon.com/neuron': 1, 'aws.amazon.com/neuroncore': 2 })] },
    silent: {
      devices: [podWith({ 'aws.amazon.com/neuron': 1 })],
      'none of the other': [podWith({ 'aws.amazon.com/neuron': 1, 'aws.amazon.com/neuroncore': 0 })],
    },
  },
  {
    rule: 'neuron/count-of-torus',
    fires: { 'two of a torus': [on('trn1.32xlarge', 2)], 'six of a torus': [on('trn1n.32xlarge', 6)] },
    silent: {
      'four of a torus': [on('trn1.32xlarge', 4)],
      'three of a ring': [on('inf2.48xlarge', 3)],
      'an instance type that is not named': [podWith({ 'aws.amazon.com/neuron': 2 })],
    },
  },
  {
    rule: 'neuron/several-need-extension',
    fires: {
      'two devices': [podWith({ 'aws.amazon.com/neuron': 2 })],
      'two cores': [podWith({ 'aws.amazon.com/neuroncore': 2 })],
    },
    silent: {
      one: [podWith({ 'aws.amazon.com/neuron': 1 })],
      'a whole node': [on('trn1.32xlarge', 16)],
      'the scheduler of the extension': [podWith({ 'aws.amazon.com/neuron': 2 }, { schedulerName: 'my-scheduler' })],
    },
  },
]);
