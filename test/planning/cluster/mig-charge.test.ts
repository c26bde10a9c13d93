/**
 * MIG instances in queues: by the name of the instance where queues state it, in compute slices where KAI counts them so.
 */
import { App, Chart } from 'cdk8s';
import { batch, cluster, gpuOperator, GpuPlatform, kai } from '../../../src';
import { manifestsOf } from '../../../src/manifests/constructs';

const POOL = {
  nodes: 2,
  accelerator: 'A100-SXM-80GB',
  devices: 8,
  cpu: 96,
  memory: '768Gi',
  sharing: gpuOperator.Sharing.mig({ gpu: 'A100-SXM-80GB', layout: { '3g.40gb': 2 } }),
};

/** Amounts that the queue is charged, of a Job with 16 pods that have one instance each. */
function usedBy(kaiQueue: boolean): Readonly<Record<string, number>> {
  const app = new App();
  const platform = new GpuPlatform(app, 'platform', {
    pools: { slices: POOL },
    teams: { research: { deserved: { slices: 2 } } },
  });
  const { research } = platform.teams;
  const job = new batch.Job(research.chart, 'eval', {
    ...research.share('slices'),
    image: 'registry.example.com/eval:1',
    parallelism: 16,
    completions: 16,
    resources: { cpu: 2, memory: '8Gi' },
  });
  if (kaiQueue) {
    job.submitTo(new kai.Queue(new Chart(app, 'queues'), 'slices'));
  } else {
    job.submitTo(research.queue);
  }
  const { view } = cluster.planOf(manifestsOf(app), platform.cluster);
  expect(view.gangs.map(({ state }) => state)).toEqual(['placed']);
  const queue = view.queues.find(({ name }) => name === (kaiQueue ? 'slices' : 'research'));
  return queue?.allocated ?? {};
}

test('a queue of Volcano counts instances by name, so that they do not use up whole devices', () => {
  const used = usedBy(false);
  expect(used['nvidia.com/mig-3g.40gb']).toBe(16);
  expect(used['nvidia.com/gpu'] ?? 0).toBe(0);
});

test('a queue of KAI counts their compute slices', () => {
  expect(usedBy(true)['nvidia.com/gpu']).toBe(48);
});
