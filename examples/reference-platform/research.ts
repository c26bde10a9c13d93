/**
 * Research pre-trains a model of 70 billion parameters: eight nodes from the beginning to the end, or not at all.
 */
import { kubeflow } from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { type Platform } from './platform';
import { type Teams } from './teams';
import { Workspace } from './workspace';

export class Research extends Workspace {
  readonly pretraining: kubeflow.PyTorchJob;

  constructor(scope: Construct, id: string, platform: Platform, teams: Teams) {
    super(scope, id, teams.research);
    this.pretraining = new kubeflow.PyTorchJob(this, 'llama-70b', {
      ...this.wholeNode('registry.example.com/research/pretrain:2.4.1'),
      metadata: { name: 'llama-70b' },
      nodes: 8,
      command: ['torchrun', 'pretrain.py'],
      args: ['--model=llama-70b', '--tensor-parallel=8', '--data=/data/tokens', '--checkpoints=/checkpoints/llama-70b'],
      priorityClass: platform.priorities.at('production'),
    }).submitTo(teams.research.queue);
  }
}
