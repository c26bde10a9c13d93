/**
 * A platform whose pools share GPUs is planned on nodes that have what GPU feature discovery writes there, so that shares fit.
 */
import { App } from 'cdk8s';
import { batch, gpuOperator, GpuPlatform, Plan } from '../../../src';
import { Testing } from '../../../src/interfaces/testing';

const SHARINGS: readonly (readonly [string, gpuOperator.Sharing])[] = [
  ['time-slicing', gpuOperator.Sharing.timeSlicing({ replicas: 4 })],
  ['time-slicing under the usual resource', gpuOperator.Sharing.timeSlicing({ replicas: 4, rename: false })],
  ['MPS', gpuOperator.Sharing.mps({ replicas: 4 })],
  ['MPS under the usual resource', gpuOperator.Sharing.mps({ replicas: 4, rename: false })],
];

function gangsOn(sharing: gpuOperator.Sharing, pods: number): readonly string[] {
  const app = new App();
  const platform = new GpuPlatform(app, 'shared', {
    pools: { small: { nodes: 1, accelerator: 'L40S', devices: 2, cpu: 96, memory: '768Gi', sharing } },
    teams: { research: { deserved: { small: 1 } } },
  });
  const { research } = platform.teams;
  new batch.Job(research.chart, 'evaluate', {
    ...research.share('small'),
    parallelism: pods,
    completions: pods,
    resources: { cpu: 1, memory: '1Gi' },
    image: 'registry.example.com/evaluate:1.0.0',
    command: ['evaluate'],
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  const { findings, notChecked } = Testing.check(app);
  expect(notChecked.filter(({ failed }) => failed)).toEqual([]);
  return findings.filter(({ rule }) => rule.startsWith('cluster/')).map(({ rule }) => rule);
}

test.each(SHARINGS)('shares of %s fit the nodes of their pool, as many as they offer', (_, sharing) => {
  expect(gangsOn(sharing, 8)).toEqual([]);
  expect(gangsOn(sharing, 9)).toEqual(['cluster/gang-fits']);
});
