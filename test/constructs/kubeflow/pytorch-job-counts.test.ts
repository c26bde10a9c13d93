import { App, Chart } from 'cdk8s';
import * as fc from 'fast-check';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { PyTorchJob } from '../../../src/constructs/kubeflow';
import { elasticRange, operatorNnodes, podCount, trainingJobOf } from '../../../src/constructs/kubeflow/training-job';
import { manifestsOf } from '../../../src/manifests/constructs';
import { Accelerator, NcclProfile, Rdma, Scheduling, SharedMemory } from '../../../src/constructs/pods';
// The rules of every domain, as in a user's app.
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

test('whatever the numbers, the counts agree and no rule objects', () => {
  const statement = fc.record({
    nodes: fc.integer({ min: 1, max: 512 }),
    gpus: fc.integer({ min: 1, max: 16 }),
    elastic: fc.option(fc.record({ below: fc.nat(8), above: fc.nat(64) }), { nil: undefined }),
    scheduling: fc.constantFrom(
      Scheduling.default(),
      Scheduling.volcano({ engine: 'volcano', name: 'q' }),
      Scheduling.kueue({ engine: 'kueue', name: 'q' }),
      Scheduling.schedulerPlugins(),
      Scheduling.gantry({ engine: 'gantry', name: 'q' }),
      undefined,
    ),
    rdma: fc.constantFrom(Rdma.hostNetwork(), Rdma.shared('rdma/a'), undefined),
    nccl: fc.constantFrom(NcclProfile.infiniband(), NcclProfile.ethernet(), undefined),
    sharedMemory: fc.constantFrom('16Gi', SharedMemory.added('64Gi')),
    port: fc.option(fc.integer({ min: 1024, max: 65535 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(statement, ({ nodes, gpus, elastic, ...props }) => {
      const scope = new Chart(new App(), 'test', { namespace: 'ai-workloads' });
      const range = elastic && { min: Math.max(1, nodes - elastic.below), max: nodes + elastic.above };
      const job = new PyTorchJob(scope, 'train', {
        ...props,
        image: 'pytorch/pytorch:2.8.0',
        command: ['torchrun', 'train.py'],
        nodes,
        elastic: range,
        accelerators: Accelerator.nvidia({ count: gpus }),
        resources: { cpu: 8, memory: '100Gi' },
      });
      // Shape, CEL and the rules of every domain.
      expect(checkTree(scope).findings).toEqual([]);
      const [manifest] = manifestsOf(scope).manifests;
      const read = manifest && trainingJobOf(manifest);
      if (manifest === undefined || read === undefined) {
        throw new Error('no training job');
      }
      expect(podCount(read)).toBe(nodes);
      expect(job.worldSize).toBe(nodes * gpus);
      expect(elasticRange(read)).toEqual(range);
      expect(operatorNnodes(read)).toBe(range === undefined ? String(nodes) : `${range.min}:${range.max}`);
    }),
    { seed: 20261120, numRuns: samples(150) },
  );
});
