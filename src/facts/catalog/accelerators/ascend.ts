/**
 * Huawei Ascend NPUs.
 *
 * Sources: Ascend mind-cluster (resources, labels `accelerator-type` and `node.kubernetes.io/npu.chip.name`, NPUs of each server,
 * HCCS rings and chip types in component/ascend-for-volcano); HAMi, device-configmap.yaml, and ModelLink, README of LLaMA (memory);
 * Ascend Transformer Boost, LCAL communication (links of the 910B2C). An A3 server counts each of the two dies of a 910C package as one NPU.
 */
import { type AcceleratorEntry } from './facts';

const ascend = {
  architecture: 'da-vinci',
  formFactor: 'module',
  productLabelKey: 'node.kubernetes.io/npu.chip.name',
} as const;
const ascend910 = { ...ascend, resource: 'huawei.com/Ascend910' } as const;
const a2 = { ...ascend910, fabric: { link: 'HCCS', island: 8 }, host: { devices: 8 } } as const;

export const ASCEND = {
  'Ascend-910A': {
    ...ascend910,
    fabric: { link: 'HCCS', island: 4 },
    host: { devices: 8 },
    words: '910a 910 ascend | 32gb hbm atlas 800',
    memoryGB: 32,
    productLabels: ['910A'],
    note: 'accelerator-type is module; a node has two HCCS rings of four NPUs.',
  },
  'Ascend-910B1': {
    ...a2,
    words: '910b1 910b 910 ascend | 64gb hbm a2',
    memoryGB: 64,
    productLabels: ['910B1'],
    note: 'accelerator-type is module-910b-8.',
  },
  'Ascend-910B2': {
    ...a2,
    words: '910b2 910b 910 ascend | 64gb hbm a2',
    memoryGB: 64,
    productLabels: ['910B2'],
    note: 'accelerator-type is module-910b-8, or module-910b-16 for a node of 16.',
  },
  'Ascend-910B2C': {
    ...a2,
    host: { devices: 16 },
    words: '910b2c 910b 910 ascend | 64gb hbm a2',
    memoryGB: 64,
    productLabels: ['910B2C'],
    note: 'accelerator-type is module-910b-16: a node has two groups of eight NPUs.',
  },
  'Ascend-910B3': {
    ...a2,
    words: '910b3 910b 910 ascend | 64gb hbm a2',
    memoryGB: 64,
    productLabels: ['910B3'],
    note: 'accelerator-type is module-910b-8, or module-910b-16 for a node of 16.',
  },
  'Ascend-910B4': {
    ...a2,
    words: '910b4 910b 910 ascend | 32gb hbm a2',
    memoryGB: 32,
    productLabels: ['910B4'],
    note: 'accelerator-type is module-910b-8.',
  },
  'Ascend-910B4-1': {
    ...a2,
    words: '910b4 910b 910 ascend | 1 64gb hbm a2',
    memoryGB: 64,
    productLabels: ['910B4-1'],
    note: 'accelerator-type is module-910b-8.',
  },
  'Ascend-910C': {
    ...ascend910,
    fabric: { link: 'HCCS', island: 16 },
    host: { devices: 16 },
    words: '910c 910 a3 ascend | 64gb hbm atlas',
    memoryGB: 64,
    productLabels: ['Ascend910'],
    note: 'accelerator-type is module-a3-16, or module-a3-16-super-pod in a SuperPoD; memory is that of one die.',
  },
  'Ascend-310P': {
    ...ascend,
    resource: 'huawei.com/Ascend310P',
    formFactor: 'PCIe',
    fabric: { link: 'PCIe', island: 1 },
    words: '310p 310p3 ascend | 24gb pcie atlas 300i',
    memoryGB: 24,
    productLabels: ['310P3'],
  },
} as const satisfies Readonly<Record<string, AcceleratorEntry>>;
