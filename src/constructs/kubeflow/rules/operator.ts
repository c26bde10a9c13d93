/**
 * Rules over the whole set: the operator that will run the jobs, and the two projects that define an MPIJob.
 */
import { cite } from '../../../facts/upstream';
import { type Manifest } from '../../../manifests/manifest';
import { asArray, asObject, asString, stringsIn } from '../../../manifests/read';
import { type Rule, type SetRule } from '../../../checks/rules/rule';
import { TRAINING_OPERATOR, TRAINING_OPERATOR_API_VERSION, TRAINING_JOB_KINDS } from '../frameworks';

const MPI_CRD = 'mpijobs.kubeflow.org';

const oneMpiJob: SetRule = {
  id: 'kubeflow/one-mpijob-definition',
  row: 'KT14',
  on: 'set',
  tier: 'advice',
  severity: 'warning',
  summary: 'All MPIJobs must belong to the same operator: the training-operator (v1) or the mpi-operator (v2beta1).',
  why: 'Both projects define mpijobs.kubeflow.org; a cluster has one definition of that name, so one of the two versions is not served.',
  source: `${TRAINING_OPERATOR}, manifests/base/crds; ${cite('mpi-operator')}, manifests/base`,
  fix: 'Set the apiVersion of all MPIJobs to that of one operator: kubeflow.org/v1 or kubeflow.org/v2beta1.',
  check: function* ({ set }) {
    const jobs = set.ofKind('kubeflow.org/MPIJob');
    const first = jobs.find((job) => job.id.apiVersion === TRAINING_OPERATOR_API_VERSION);
    for (const manifest of first === undefined ? [] : jobs) {
      if (manifest.id.apiVersion === TRAINING_OPERATOR_API_VERSION) {
        continue;
      }
      yield {
        manifest,
        path: '/apiVersion',
        message: `this MPIJob has the API version ${manifest.id.apiVersion}, but the MPIJob "${first?.id.name ?? ''}" has ${TRAINING_OPERATOR_API_VERSION}`,
        found: manifest.id.apiVersion,
        expected: 'one API version for all MPIJobs',
      };
    }
    const definitions = set
      .ofKind('apiextensions.k8s.io/CustomResourceDefinition')
      .filter(({ id }) => id.name === MPI_CRD);
    for (const manifest of definitions.slice(1)) {
      yield {
        manifest,
        path: '/metadata/name',
        message: `the CustomResourceDefinition ${MPI_CRD} appears ${definitions.length} times, and the one applied last replaces the others`,
        found: MPI_CRD,
        expected: 'one CustomResourceDefinition',
        fix: `Remove all but one CustomResourceDefinition ${MPI_CRD}.`,
        severity: 'error',
      };
    }
  },
};

const operatorKnowsGangs: SetRule = {
  id: 'kubeflow/operator-has-gang-scheduler',
  row: 'KT13',
  on: 'set',
  tier: 'advice',
  severity: 'error',
  summary: 'A training-operator must run with --gang-scheduler-name if jobs set a schedulingPolicy.',
  why: 'Without the flag the operator creates no PodGroup and ignores schedulingPolicy.',
  source: `${TRAINING_OPERATOR}, cmd/training-operator.v1/main.go`,
  fix: 'Add --gang-scheduler-name=volcano (or scheduler-plugins) to the args of the operator.',
  check: function* ({ set }) {
    const job = TRAINING_JOB_KINDS.flatMap((kind) => set.ofKind(kind)).find(hasSchedulingPolicy);
    if (job === undefined) {
      return;
    }
    for (const manifest of set.ofKind('apps/Deployment')) {
      const containers = asArray(asObject(asObject(asObject(manifest.object.spec).template).spec).containers);
      for (const [index, container] of containers.map(asObject).entries()) {
        if (!/(?:^|\/)training-operator(?::|@|$)/.test(asString(container.image) ?? '')) {
          continue;
        }
        const words = [...stringsIn(container.command), ...stringsIn(container.args)];
        if (words.some((word) => /^--?gang-scheduler-name(=|$)/.test(word))) {
          continue;
        }
        yield {
          manifest,
          path: `/spec/template/spec/containers/${index}`,
          message: `the operator runs without --gang-scheduler-name, so the schedulingPolicy of the ${job.id.kind} "${job.id.name}" has no effect`,
          expected: '--gang-scheduler-name=volcano',
        };
      }
    }
  },
};

function hasSchedulingPolicy(manifest: Manifest): boolean {
  return (
    manifest.id.apiVersion === TRAINING_OPERATOR_API_VERSION &&
    asObject(asObject(manifest.object.spec).runPolicy).schedulingPolicy !== undefined
  );
}

export const operatorRules: readonly Rule[] = [oneMpiJob, operatorKnowsGangs];
