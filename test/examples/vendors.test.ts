/**
 * An example for each vendor: free of findings, with its operator, and every pod placed on nodes with its devices.
 */
import { App } from 'cdk8s';
import { amdPool } from '../../examples/vendors/amd';
import { ascendPool } from '../../examples/vendors/ascend';
import { gaudiPool } from '../../examples/vendors/gaudi';
import { neuronPool } from '../../examples/vendors/neuron';
import { nvidiaPool } from '../../examples/vendors/nvidia';
import { tpuPool } from '../../examples/vendors/tpu';
import { Testing } from '../../src/interfaces/testing';

test.each([
  ['NVIDIA', nvidiaPool, ['HelmRelease gpu-operator', 'PyTorchJob pretrain', 'Job evaluate'], 'nvidia.com/gpu.shared'],
  ['AMD', amdPool, ['DeviceConfig amd-gpus', 'ConfigMap amd-partitions', 'PyTorchJob pretrain'], 'amd.com/gpu'],
  ['Intel Gaudi', gaudiPool, ['ClusterPolicy habana-ai', 'Job finetune'], 'habana.ai/gaudi'],
  ['Ascend', ascendPool, ['DaemonSet ascend-device-plugin-910', 'Job pretrain'], 'huawei.com/Ascend910'],
  ['Neuron', neuronPool, ['HelmRelease neuron-helm-chart', 'JobSet pretrain'], 'aws.amazon.com/neuron'],
  ['TPU', tpuPool, ['HelmRelease jobset', 'JobSet pretrain'], 'google.com/tpu'],
] as const)(
  '%s: no finding, everything placed, and the parts that the vendor needs',
  (_, example, expected, resource) => {
    // The plan is part of the check: a gang that never fits is an error, and one that waits for others a warning.
    const { findings, notChecked } = Testing.check(example(new App()));
    expect(notChecked.filter(({ failed }) => failed)).toEqual([]);
    expect(findings.map(({ rule, object, message }) => `${rule} ${object}: ${message}`)).toEqual([]);
    const objects = Testing.synth(example(new App()));
    const names = objects.map(
      ({ kind, metadata }) => `${kind as string} ${(metadata as { readonly name: string }).name}`,
    );
    expect(names).toEqual(expect.arrayContaining([...expected]));
    const workloads = objects.filter(({ kind }) => /^(Job|JobSet|PyTorchJob)$/.test(kind as string));
    expect(JSON.stringify(workloads)).toContain(`"limits":{`);
    expect(JSON.stringify(workloads)).toContain(`"${resource}":`);
  },
);
