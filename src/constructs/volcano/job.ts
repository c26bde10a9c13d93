/**
 * Job: a gang of pods that start together, in one or more tasks.
 */
import { type Construct } from 'constructs';
import { Job as JobKind, type JobSpec } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { dependOn } from '../resources/depend-on';
import { Workload, type WorkloadProps } from '../workload/workload';
import { type JobPlugin } from './job-plugin';
import {
  JOB_NAME_LABEL,
  JobSpecification,
  type JobSpecProps,
  type TaskProps,
  VOLCANO_JOB_SCHEDULING,
  type VolcanoJobEngine,
} from './job-specification';
import { type Policy } from './policy';
import { publicClass } from '../resources/public-class';

/** Props of a Volcano Job. */
export interface JobProps extends JobSpecProps, WorkloadProps<JobSpec, VolcanoJobEngine> {}

/**
 * A Volcano Job (`batch.volcano.sh/v1alpha1`). How many pods start together follows from its tasks.
 *
 * Where Gantry schedules the pods, Volcano's scheduler runs too: it admits the PodGroup, and only then are pods made.
 *
 * Rules: `volcano/job-*`, `volcano/task-*`. Source: volcano, pkg/webhooks/admission/jobs.
 *
 * @example
 * const launch = volcano.torchrun({ processesPerNode: 8, script: ['train.py'] });
 * const template = new PodTemplate({ image, accelerators: Accelerator.nvidia({ count: 8 }), ...launch });
 * new volcano.Job(chart, 'train', {
 *   plugins: [volcano.JobPlugin.pytorch()],
 *   policies: [volcano.Policy.onEvent('PodEvicted', 'RestartJob')],
 *   tasks: [
 *     { name: 'master', template, policies: [volcano.Policy.onEvent('TaskCompleted', 'CompleteJob')] },
 *     { name: 'worker', replicas: 7, template },
 *   ],
 * }).submitTo(queue);
 */
@publicClass('volcano.Job')
export class Job extends Workload<JobKind, JobSpec, VolcanoJobEngine> {
  private readonly specification: JobSpecification;

  /** @throws if a plugin is given twice, or the job cannot be scheduled as its props say */
  constructor(scope: Construct, id: string, props: JobProps = {}) {
    const specification = new JobSpecification(props, { name: props.metadata?.name ?? props.name ?? id });
    super(scope, id, {
      kind: JobKind,
      selects: (name) => ({ [JOB_NAME_LABEL]: name }),
      title: 'Volcano Job',
      props,
      render: (choice) => specification.toSpec(choice),
      means: VOLCANO_JOB_SCHEDULING,
      references: specification.references,
    });
    this.specification = specification;
  }

  /** Adds a task. @throws if its template chooses a scheduler of its own */
  addTask(task: TaskProps): this {
    this.specification.addTask(task);
    this.checkNow();
    dependOn(this, ...this.specification.references);
    return this;
  }

  /** Adds a policy of the whole job. */
  addPolicy(policy: Policy): this {
    this.specification.addPolicy(policy);
    return this;
  }

  /** Adds a plugin. @throws if the job has the plugin already */
  addPlugin(plugin: JobPlugin): this {
    this.specification.addPlugin(plugin);
    return this;
  }
}
