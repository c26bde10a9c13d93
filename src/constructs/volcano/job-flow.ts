/**
 * JobTemplate and JobFlow: jobs that run one after another.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import {
  JobFlow as JobFlowKind,
  type JobFlowSpec,
  JobTemplate as JobTemplateKind,
  type JobTemplateSpec,
} from '../../facts/api/types/flow.volcano.sh/v1alpha1';
import { Resource } from '../resources/resource';
import { Workload, type WorkloadProps } from '../workload/workload';
import {
  JOB_NAME_LABEL,
  JobSpecification,
  type JobSpecProps,
  VOLCANO_JOB_SCHEDULING,
  type VolcanoJobEngine,
} from './job-specification';
import { dependOn } from '../resources/depend-on';
import { type ObjectReference } from '../resources/references';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';

/** Whatever names a job template of the flow's namespace. */
export type JobTemplateReference = ObjectReference<'JobTemplate'>;

/**
 * Props of a JobTemplate.
 *
 * @beta
 */
export interface JobTemplateProps extends JobSpecProps, WorkloadProps<JobTemplateSpec, VolcanoJobEngine> {}

/**
 * A job that a flow makes (`flow.volcano.sh/v1alpha1`). Its own webhook checks nothing; the job's does when the job is made.
 *
 * @beta
 *
 * @example
 * const train = new volcano.JobTemplate(chart, 'train', { tasks: [{ name: 'node', replicas: 8, template }] }).submitTo(queue);
 * new volcano.JobFlow(chart, 'pipeline').addFlow(train);
 */
@publicClass('volcano.JobTemplate')
export class JobTemplate
  extends Workload<JobTemplateKind, JobTemplateSpec, VolcanoJobEngine>
  implements JobTemplateReference
{
  /** A template that exists in the namespace. */
  static fromName(name: string): JobTemplateReference {
    return { kind: 'JobTemplate', name };
  }

  /** Always `JobTemplate`, the kind that references carry. */
  readonly kind = 'JobTemplate';

  /** @throws if a plugin is given twice, or the job cannot be scheduled as it says */
  constructor(scope: Construct, id: string, props: JobTemplateProps) {
    const name = props.metadata?.name ?? props.name ?? id;
    const job = new JobSpecification(props, { name, perLabel: JOB_NAME_LABEL });
    super(scope, id, {
      kind: JobTemplateKind,
      title: 'Volcano JobTemplate',
      props,
      render: (choice) => job.toSpec(choice),
      means: VOLCANO_JOB_SCHEDULING,
      choiceStands: 'inside',
      references: job.references,
    });
  }
}

/**
 * Props of a JobFlow.
 *
 * @beta
 */
export interface JobFlowProps extends NamespacedObjectProps, Overridable<JobFlowKind> {
  /** What becomes of the jobs when the flow has ended. @default 'retain' */
  readonly jobRetainPolicy?: 'retain' | 'delete';
}

/**
 * Jobs in order: each starts when all that it comes after have completed.
 *
 * Rules: `volcano/job-flow-*`. Source: volcano, pkg/controllers/jobflow.
 *
 * @beta
 *
 * @example
 * const prepare = new volcano.JobTemplate(chart, 'prepare', { tasks: [{ name: 'node', template }] });
 * const train = new volcano.JobTemplate(chart, 'train', { tasks: [{ name: 'node', replicas: 8, template }] });
 * new volcano.JobFlow(chart, 'pipeline').addFlow(prepare).addFlow(train, { after: [prepare] });
 */
@publicClass('volcano.JobFlow')
export class JobFlow extends Construct {
  /** Name of the JobFlow. */
  readonly name: string;
  /** The JobFlow object. */
  readonly resource: Resource<JobFlowKind>;
  private readonly flows: {
    readonly template: JobTemplateReference;
    readonly after: readonly JobTemplateReference[];
  }[] = [];

  constructor(scope: Construct, id: string, props: JobFlowProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    const spec: JobFlowSpec = {
      jobRetainPolicy: props.jobRetainPolicy ?? 'retain',
      flows: Lazy.any({ produce: () => this.renderFlows() }) as JobFlowSpec['flows'],
    };
    this.resource = new Resource(
      this,
      'Resource',
      JobFlowKind,
      { metadata: namespacedMetadata(id, props), spec },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /**
   * Adds a job to the flow.
   *
   * @param options.after templates of this flow that must have completed
   * @throws if the template is in the flow already, or one of `after` is not, because Volcano would wait forever
   */
  addFlow(template: JobTemplateReference, options: { readonly after?: readonly JobTemplateReference[] } = {}): this {
    const name = template.name;
    const known = this.flows.map((flow) => flow.template.name);
    if (known.includes(name)) {
      throw new Error(
        `The flow ${this.name} already has the template "${name}". For a second run, create a second JobTemplate.`,
      );
    }
    const missing = options.after?.find((other) => !known.includes(other.name));
    if (missing !== undefined) {
      throw new Error(
        `"${name}" depends on "${missing.name}", which is not in the flow ${this.name}. Add "${missing.name}" first.`,
      );
    }
    this.flows.push({ template, after: options.after ?? [] });
    dependOn(this.resource, template);
    return this;
  }

  private renderFlows(): JobFlowSpec['flows'] {
    return this.flows.map(({ template, after }) => ({
      name: template.name,
      ...(after.length === 0 ? {} : { dependsOn: { targets: after.map((other) => other.name) } }),
    }));
  }
}
