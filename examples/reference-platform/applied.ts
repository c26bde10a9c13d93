/**
 * Applied fine-tunes and evaluates. Its fine-tuning is content with four nodes and takes up to eight while research leaves them idle;
 * its evaluation is a Volcano Job of four nodes.
 */
import { Duration } from 'cdk8s';
import { kubeflow, PodTemplate, volcano } from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { type Platform } from './platform';
import { type Teams } from './teams';
import { Workspace } from './workspace';

export class Applied extends Workspace {
  readonly finetuning: kubeflow.PyTorchJob;
  readonly evaluation: volcano.Job;

  constructor(scope: Construct, id: string, platform: Platform, teams: Teams) {
    super(scope, id, teams.applied);
    this.finetuning = new kubeflow.PyTorchJob(this, 'llama-70b-sft', {
      ...this.wholeNode('registry.example.com/applied/finetune:1.9.0'),
      metadata: { name: 'llama-70b-sft' },
      nodes: 8,
      elastic: { min: 4, max: 8 },
      command: ['torchrun', 'finetune.py'],
      args: ['--base=/checkpoints/llama-70b', '--data=/data/dialogues', '--checkpoints=/checkpoints/llama-70b-sft'],
      priorityClass: platform.priorities.at('development'),
    }).submitTo(teams.applied.queue);

    const image = 'registry.example.com/applied/evaluate:1.9.0';
    const script = ['evaluate.py', '--model=/checkpoints/llama-70b-sft', '--suite=/data/benchmarks'];
    const template = new PodTemplate({
      ...this.wholeNode(image),
      ...volcano.torchrun({ processesPerNode: 8, script }),
    });
    this.evaluation = new volcano.Job(this, 'evaluation', {
      priorityClass: platform.priorities.at('scavenger'),
      plugins: [volcano.JobPlugin.pytorch()],
      policies: [volcano.Policy.onEvent('PodEvicted', 'RestartJob')],
      tasks: [
        { name: 'master', template, policies: [volcano.Policy.onEvent('TaskCompleted', 'CompleteJob')] },
        { name: 'worker', replicas: 3, template },
      ],
      ttlAfterFinished: Duration.days(7),
    }).submitTo(teams.applied.queue);
  }
}
