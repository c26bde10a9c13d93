/**
 * Job: a gang of pods that start together, in one or more tasks.
 */
import { type ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { Job as JobKind, type JobSpec } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { Resource } from '../resources/resource';
import { type JobPlugin } from './job-plugin';
import { JobSpecification, type JobSpecProps, type TaskProps } from './job-specification';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { type Scheduling } from '../pods';
import { type Policy } from './policy';
import { type IQueue } from './queue';

export interface JobProps extends NamespacedObjectProps, JobSpecProps {}

/**
 * A Volcano Job. How many pods start together follows from its tasks.
 *
 * Rules: `volcano/job-*`, `volcano/task-*`. Source: volcano, pkg/webhooks/admission/jobs.
 *
 * @example
 * const launch = torchrun({ processesPerNode: 8, script: ['train.py'] });
 * const template = new PodTemplate({ image, accelerators: Accelerator.nvidia({ count: 8 }), ...launch });
 * new Job(chart, 'train', {
 *   queue,
 *   plugins: [JobPlugin.pytorch()],
 *   policies: [Policy.onEvent('PodEvicted', 'RestartJob')],
 *   tasks: [
 *     { name: 'master', template, policies: [Policy.onEvent('TaskCompleted', 'CompleteJob')] },
 *     { name: 'worker', replicas: 7, template },
 *   ],
 * });
 */
export class Job extends Construct {
  readonly jobName: string;
  readonly resource: ApiObject;
  private readonly specification: JobSpecification;

  /** @throws if a plugin is given twice, or the job cannot be scheduled as its props say */
  constructor(scope: Construct, id: string, props: JobProps = {}) {
    super(scope, id);
    this.jobName = props.name ?? id;
    this.specification = new JobSpecification(props, { name: this.jobName });
    this.resource = new Resource(this, 'Resource', JobKind, {
      metadata: namespacedMetadata(id, props),
      spec: Lazy.any({ produce: () => this.specification.toSpec() }) as JobSpec,
    });
    dependOn(this.resource, props.namespace, ...this.specification.references);
  }

  /** Sends the job to a queue, in place of the one that it was made with. */
  submitTo(queue: IQueue): this {
    this.specification.queue = queue;
    return this.dependingOnAll();
  }

  /**
   * Chooses the scheduler, and the queue with it.
   *
   * @throws if the job has a queue already, or cannot be scheduled so
   */
  scheduleBy(scheduling: Scheduling): this {
    this.specification.scheduleBy(scheduling);
    return this.dependingOnAll();
  }

  addTask(task: TaskProps): this {
    this.specification.addTask(task);
    return this.dependingOnAll();
  }

  addPolicy(policy: Policy): this {
    this.specification.addPolicy(policy);
    return this;
  }

  /** @throws if the job has the plugin already */
  addPlugin(plugin: JobPlugin): this {
    this.specification.addPlugin(plugin);
    return this;
  }

  private dependingOnAll(): this {
    dependOn(this.resource, ...this.specification.references);
    return this;
  }
}
