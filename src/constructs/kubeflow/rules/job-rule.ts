/**
 * What every rule on training-operator jobs shares: it sees a `TrainingJob`, and only of the kinds that it names.
 */
import { type ObjectRule, type RuleContext, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type FrameworkKind, FRAMEWORKS, TRAINING_JOB_KINDS, TRAINING_OPERATOR } from '../frameworks';
import { type NamedTrainingJob, type TrainingJob, trainingJobOf } from '../training-job';

export interface JobRuleFacts extends Omit<RuleFacts, 'id' | 'source'> {
  /** Without the domain. */
  readonly id: string;
  /** Files of the training-operator (or of PyTorch, whose paths begin with `torch/`), and what in them. */
  readonly source: string;
  /** Default: all six. */
  readonly kinds?: readonly FrameworkKind[];
}

/** A rule on training jobs, which does not see their names. MPIJob of the mpi-operator (`v2beta1`) is another kind and is skipped. */
export function jobRule(
  facts: JobRuleFacts,
  check: (job: TrainingJob, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  return { ...namedJobRule(facts, check), sees: 'spec' };
}

/** A rule on training jobs that also sees their names. */
export function namedJobRule(
  facts: JobRuleFacts,
  check: (job: NamedTrainingJob, context: RuleContext) => Iterable<Violation>,
): ObjectRule {
  const { id, source, kinds, ...rest } = facts;
  return {
    on: 'object',
    ...rest,
    id: `kubeflow/${id}`,
    source: `${TRAINING_OPERATOR}, ${source}`,
    kinds: kinds?.map((kind) => `kubeflow.org/${kind}`) ?? TRAINING_JOB_KINDS,
    check: (manifest, context) => {
      const job = trainingJobOf(manifest, context.set.specOf(manifest));
      return job === undefined ? [] : check(job, context);
    },
  };
}

export function roleNames(kind: FrameworkKind): readonly string[] {
  return FRAMEWORKS[kind].roles.map((role) => role.name);
}
