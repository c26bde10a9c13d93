/**
 * What the platform team owns: the order of priorities, the root of the queue tree, the scheduler's configuration.
 */
import { Chart } from 'cdk8s';
import { PriorityLadder, volcano } from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { NODES, nodes } from './cluster';

export class Platform extends Chart {
  readonly priorities: PriorityLadder<'scavenger' | 'development' | 'production'>;
  /** Everything that trains or evaluates models; teams have their queues beneath it. */
  readonly ai: volcano.Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.priorities = new PriorityLadder(this, 'priorities', {
      prefix: 'ai-',
      rungs: [
        { name: 'scavenger', description: 'May be stopped at any time', preemptionPolicy: 'Never' },
        { name: 'development', description: 'Interactive work that a user waits for' },
        { name: 'production', description: 'A release waits for it' },
      ],
    });
    const everything = nodes(NODES);
    this.ai = new volcano.Queue(this, 'ai', { capability: everything, deserved: everything });

    // Gangs, deserved shares in a tree, reclaim; nodes are filled one after the other by their GPUs, so that whole nodes stay free.
    volcano.SchedulerConfiguration.forGpus(this, 'scheduler', { release: 'volcano', namespace: 'volcano-system' });
  }
}
