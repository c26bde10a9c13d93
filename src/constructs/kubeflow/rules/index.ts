/**
 * What the training-operator's webhooks and controllers demand of the six v1 job kinds beyond their schema, and what they take in
 * silence and get wrong (rows KT1 to KT15 of docs/kubeflow.md); and the same of the mpi-operator's MPIJob (KM1 to KM8). KT8 (the queue
 * is immutable) and the rest of KT7 (so is managedBy) are about updates, which one set of manifests does not show.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { elasticRules } from './elastic';
import { launchRules } from './launch';
import { mpiOperatorRules } from './mpi-operator';
import { nameRules } from './names';
import { ncclTestsRules } from './nccl-tests';
import { operatorRules } from './operator';
import { replicaRules } from './replicas';
import { likenessRules } from './role-likeness';
import { runPolicyRules } from './run-policy';

export const kubeflowRules: readonly Rule[] = seeAllButName(
  [
    ...nameRules,
    ...replicaRules,
    ...runPolicyRules,
    ...elasticRules,
    ...launchRules,
    ...likenessRules,
    ...operatorRules,
    ...mpiOperatorRules,
    ...ncclTestsRules,
  ],
  [
    'kubeflow/job-name-is-dns-1035',
    'kubeflow/derived-names-fit',
    'kubeflow/etcd-backend-has-host',
    'kubeflow/torchrun-address-from-operator',
    'kubeflow/mpi-operator-worker-name-is-dns-1035',
  ],
);
