/**
 * AWS Inferentia and Trainium.
 *
 * Sources: AWS Neuron documentation, Inf1, Inf2, Trn1, Trn2, and Trn3 architecture (devices, memory, cores, NeuronLink), scheduler
 * extension (topology of each instance type); aws-neuron-driver, v4/neuron_dhal_v4.c (instance types of Trainium3, which the documentation
 * does not list). The instance type identifies the nodes.
 */
import { type AcceleratorEntry } from './facts';

const neuron = {
  resource: 'aws.amazon.com/neuron',
  formFactor: 'instance',
  productLabelKey: 'node.kubernetes.io/instance-type',
} as const;

export const NEURON = {
  Inferentia1: {
    ...neuron,
    architecture: 'neuroncore-v1',
    fabric: { link: 'NeuronLink', island: 16 },
    host: { devices: 16 },
    cores: 4,
    words: 'inferentia inferentia1 inf1 | 1 8gb aws neuron',
    memoryGB: 8,
    productLabels: ['inf1.xlarge', 'inf1.2xlarge', 'inf1.6xlarge', 'inf1.24xlarge'],
    note: 'NeuronLink joins the devices of a node in a ring.',
  },
  Inferentia2: {
    ...neuron,
    architecture: 'neuroncore-v2',
    fabric: { link: 'NeuronLink', island: 12 },
    host: { devices: 12 },
    cores: 2,
    words: 'inferentia inferentia2 inf2 | 2 32gb aws neuron',
    memoryGB: 32,
    productLabels: ['inf2.xlarge', 'inf2.8xlarge', 'inf2.24xlarge', 'inf2.48xlarge'],
    note: 'NeuronLink joins the devices of a node in a ring.',
  },
  Trainium1: {
    ...neuron,
    architecture: 'neuroncore-v2',
    fabric: { link: 'NeuronLink', island: 16 },
    host: { devices: 16 },
    cores: 2,
    words: 'trainium trainium1 trn1 trn1n | 1 32gb aws neuron',
    memoryGB: 32,
    productLabels: ['trn1.2xlarge', 'trn1.32xlarge', 'trn1n.32xlarge'],
    note: 'NeuronLink joins the devices of a node in a 2D torus.',
  },
  Trainium2: {
    ...neuron,
    architecture: 'neuroncore-v3',
    fabric: { link: 'NeuronLink', island: 16, domain: 64 },
    host: { devices: 16 },
    cores: 8,
    words: 'trainium trainium2 trn2 trn2u | 2 96gb aws neuron',
    memoryGB: 96,
    productLabels: ['trn2.48xlarge', 'trn2u.48xlarge'],
    note: 'With two physical cores to a logical one (the default), a device has 4 logical NeuronCores, and these are what is counted.',
  },
  Trainium3: {
    ...neuron,
    architecture: 'neuroncore-v4',
    fabric: { link: 'NeuronLink', island: 16, domain: 144 },
    cores: 8,
    words: 'trainium trainium3 trn3 | 3 144gb aws neuron',
    memoryGB: 144,
    productLabels: ['trn3.48xlarge', 'trn3p.48xlarge', 'trn3e.24xlarge'],
    note: 'Switches join the devices: 64 of an UltraServer of the first generation, with 16 in each node, or 144 of the second, with 4 in each node.',
  },
} as const satisfies Readonly<Record<string, AcceleratorEntry>>;
