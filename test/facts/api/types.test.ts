import { type ObjectOf, type ResourceKind } from '../../../src/facts/api/resource-kind';
import { type Deployment } from '../../../src/facts/api/types/apps/v1';
import {
  type CronJob as VolcanoCronJob,
  Job as VolcanoJob,
  type JobSpec as VolcanoJobSpec,
} from '../../../src/facts/api/types/batch.volcano.sh/v1alpha1';
import { type Pod, type PodTemplateSpec } from '../../../src/facts/api/types/core/v1';
import { type JobSet } from '../../../src/facts/api/types/jobset.x-k8s.io/v1alpha2';
import { type PyTorchJob } from '../../../src/facts/api/types/kubeflow.org/v1';
import { type MPIJob } from '../../../src/facts/api/types/kubeflow.org/v2beta1';
import { type Workload } from '../../../src/facts/api/types/kueue.x-k8s.io/v1beta2';
import { type LeaderWorkerSet } from '../../../src/facts/api/types/leaderworkerset.x-k8s.io/v1';
import { type AscendJob } from '../../../src/facts/api/types/mindxdl.gitee.com/v1';
import { type RayCluster, type RayJob } from '../../../src/facts/api/types/ray.io/v1';
import { type ResourceClaim as OldResourceClaim } from '../../../src/facts/api/types/resource.k8s.io/v1alpha2';
import { type Revision } from '../../../src/facts/api/types/serving.knative.dev/v1';

/** Compiles only if the value has the type: the assertions of this file are made by the type checker. */
function typed<T>(value: T): T {
  return value;
}

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'train' } },
  spec: {
    containers: [{ name: 'main', image: 'train:1', resources: { limits: { 'nvidia.com/gpu': 8, memory: '1Ti' } } }],
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
  },
};

describe('the generated types', () => {
  test('one pod template fits every kind that embeds one', () => {
    const objects = [
      typed<Deployment>({ spec: { selector: {}, template } }),
      typed<VolcanoJob>({ spec: { tasks: [{ name: 'worker', replicas: 2, template }] } }),
      typed<PyTorchJob>({ spec: { pytorchReplicaSpecs: { Worker: { template } } } }),
      typed<MPIJob>({ spec: { mpiReplicaSpecs: { Worker: { template } } } }),
      typed<RayCluster>({ spec: { headGroupSpec: { template, rayStartParams: {} } } }),
      typed<JobSet>({ spec: { replicatedJobs: [{ name: 'workers', template: { spec: { template } } }] } }),
      typed<LeaderWorkerSet>({ spec: { leaderWorkerTemplate: { workerTemplate: template } } }),
      typed<Workload>({ spec: { podSets: [{ name: 'main', count: 1, template }] } }),
      typed<AscendJob>({ spec: { replicaSpecs: { Worker: { template } } } }),
      typed<Revision>({ spec: template.spec }),
    ];
    for (const object of objects) {
      expect(JSON.stringify(object)).toContain('"nvidia.com/gpu":8');
    }
  });

  test('the spec of a kind is one type wherever it is', () => {
    const spec: VolcanoJobSpec = { queue: 'research', tasks: [{ template }] };
    expect(typed<VolcanoCronJob>({ spec: { schedule: '@daily', jobTemplate: { spec } } }).spec?.jobTemplate.spec).toBe(
      spec,
    );
    const rayClusterSpec: RayCluster['spec'] = { headGroupSpec: { template } };
    expect(typed<RayJob>({ spec: { rayClusterSpec } }).spec?.rayClusterSpec).toBe(rayClusterSpec);
  });

  test('a kind is a value that knows its type and its API version', () => {
    const kind: ResourceKind<VolcanoJob> = VolcanoJob;
    const job: ObjectOf<typeof VolcanoJob> = { spec: { minAvailable: 2 } };
    expect([kind.apiVersion, kind.kind, job.spec?.minAvailable]).toEqual(['batch.volcano.sh/v1alpha1', 'Job', 2]);
    // @ts-expect-error a kind of another type
    typed<ResourceKind<Pod>>(VolcanoJob);
    // @ts-expect-error a value that the enumeration does not have
    typed<VolcanoJob>({ spec: { tasks: [{ topologyPolicy: 'tight' }] } });
    // @ts-expect-error a member that the kind does not have
    typed<VolcanoJob>({ spec: { guarantee: {} } });
  });

  test('versions that only older minors serve have types', () => {
    expect(typed<OldResourceClaim>({ spec: { resourceClassName: 'gpu' } }).spec.resourceClassName).toBe('gpu');
  });
});
