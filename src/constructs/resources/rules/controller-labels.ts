/**
 * Labels that controllers add to the pods of a workload, with the name of the workload as value: a selector may use them although no pod
 * template has them.
 */
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';

const KUBEFLOW = ['training.kubeflow.org/job-name'];

const LABELS: ReadonlyMap<string, readonly string[]> = new Map([
  ['batch/Job', ['batch.kubernetes.io/job-name', 'job-name']],
  ['jobset.x-k8s.io/JobSet', ['jobset.sigs.k8s.io/jobset-name']],
  ['leaderworkerset.x-k8s.io/LeaderWorkerSet', ['leaderworkerset.sigs.k8s.io/name']],
  ['batch.volcano.sh/Job', ['volcano.sh/job-name']],
  ['ray.io/RayCluster', ['ray.io/cluster']],
  ['serving.knative.dev/Service', ['serving.knative.dev/service']],
  ...['PyTorchJob', 'TFJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'MPIJob'].map(
    (kind) => [`kubeflow.org/${kind}`, KUBEFLOW] as const,
  ),
]);

/** The labels that its controller adds to the pods of a workload; `undefined` if there are none. */
export function controllerLabels({ id }: Manifest): Readonly<Record<string, string>> | undefined {
  const labels = LABELS.get(kindKey(id));
  return labels === undefined ? undefined : Object.fromEntries(labels.map((label) => [label, id.name]));
}
