/**
 * Gantry's scheduler beside a platform that is scheduled by something else: two queues of its own, pods that it binds itself, and notebooks
 * of a namespace that it places and hands over to the cluster's scheduler.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, Checks, GantryScheduler, kubeflow, Namespace, PlacementGate, Scheduling } from 'cdk8s-gantry';

export function scheduler(app: App): App {
  // From here on the policies that gate pods are stable.
  Checks.of(app).target('1.36');
  const system = new Chart(app, 'scheduler');
  const gantry = new GantryScheduler(system, 'gantry', {
    queues: [
      {
        name: 'research',
        weight: 2,
        deserved: { accelerators: Accelerator.nvidia({ count: 96 }) },
        guarantee: { accelerators: Accelerator.nvidia({ count: 32 }) },
      },
      {
        name: 'applied',
        deserved: { accelerators: Accelerator.nvidia({ count: 64 }) },
        capability: { accelerators: Accelerator.nvidia({ count: 128 }) },
      },
    ],
    topologies: [{ name: 'racks', levels: ['example.com/block', 'example.com/rack', 'kubernetes.io/hostname'] }],
    policy: { preferredTopology: 'balanced' },
    monitoring: { labels: { release: 'prometheus' } },
  });
  new PlacementGate(system, 'gate', { namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'notebooks' } } });

  const jobs = new Chart(app, 'jobs', { namespace: 'research' });
  const namespace = new Namespace(jobs, 'research');
  const job = new kubeflow.PyTorchJob(jobs, 'pretrain', {
    nodes: 8,
    image: 'registry.example.com/research/pretrain:2.4.1',
    command: ['torchrun', 'pretrain.py'],
    accelerators: Accelerator.nvidia({ count: 8 }),
    resources: { cpu: 128, memory: '1200Gi' },
    sharedMemory: '64Gi',
    // All in one rack, or waiting; at least an hour before anybody may push it aside.
    scheduling: Scheduling.gantry(gantry.queue('research'), {
      topology: { required: 'example.com/rack' },
      minimumRuntime: Duration.hours(1),
    }),
  });
  job.node.addDependency(namespace);
  return app;
}

if (require.main === module) {
  scheduler(new App()).synth();
}
