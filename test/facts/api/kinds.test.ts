import { versionOf } from '../../../src/facts/upstream';
import {
  allKinds,
  DEFAULT_MINOR,
  findKind,
  isBuiltInGroup,
  KUBERNETES_MINORS,
  versionsOfKind,
} from '../../../src/facts/api/kinds';
import { type KindInfo } from '../../../src/facts/api/schema';

describe('the kind table', () => {
  test('knows Kubernetes from 1.30 on without a gap, and the default minor is one of them', () => {
    expect(KUBERNETES_MINORS.slice(0, 7)).toEqual(['1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36']);
    expect(KUBERNETES_MINORS.map((minor) => Number(minor.slice(2)))).toEqual(
      KUBERNETES_MINORS.map((_minor, i) => 30 + i),
    );
    expect(KUBERNETES_MINORS).toContain(DEFAULT_MINOR);
  });

  test.each([
    ['v1', 'Pod', 'Namespaced'],
    ['v1', 'Namespace', 'Cluster'],
    ['v1', 'Node', 'Cluster'],
    ['scheduling.k8s.io/v1', 'PriorityClass', 'Cluster'],
    ['resource.k8s.io/v1', 'DeviceClass', 'Cluster'],
    ['node.k8s.io/v1', 'RuntimeClass', 'Cluster'],
    ['nvidia.com/v1', 'ClusterPolicy', 'Cluster'],
    ['nvidia.com/v1alpha1', 'NVIDIADriver', 'Cluster'],
    ['mellanox.com/v1alpha1', 'NicClusterPolicy', 'Cluster'],
    ['mellanox.com/v1alpha1', 'HostDeviceNetwork', 'Cluster'],
    ['scheduling.volcano.sh/v1beta1', 'Queue', 'Cluster'],
    ['topology.volcano.sh/v1alpha1', 'HyperNode', 'Cluster'],
    ['kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'Cluster'],
    ['trainer.kubeflow.org/v1alpha1', 'ClusterTrainingRuntime', 'Cluster'],
    ['keda.sh/v1alpha1', 'ClusterTriggerAuthentication', 'Cluster'],
    ['nfd.k8s-sigs.io/v1alpha1', 'NodeFeatureRule', 'Cluster'],
    ['karpenter.sh/v1', 'NodePool', 'Cluster'],
    ['karpenter.k8s.aws/v1', 'EC2NodeClass', 'Cluster'],
    ['deviceplugin.intel.com/v1', 'GpuDevicePlugin', 'Cluster'],
    ['scheduling.run.ai/v2', 'Queue', 'Cluster'],
    ['amd.com/v1alpha1', 'DeviceConfig', 'Namespaced'],
    ['resource.nvidia.com/v1beta1', 'ComputeDomain', 'Namespaced'],
    ['sriovnetwork.openshift.io/v1', 'SriovNetwork', 'Namespaced'],
    ['batch.volcano.sh/v1alpha1', 'Job', 'Namespaced'],
    ['ray.io/v1', 'RayJob', 'Namespaced'],
  ])('%s %s is %s', (apiVersion, kind, scope) => {
    expect(findKind(apiVersion, kind)?.scope).toBe(scope);
  });

  test.each([
    ['kubeflow.org/v1', 'PyTorchJob', 'training-operator-v1'],
    ['kubeflow.org/v1', 'MPIJob', 'training-operator-v1'],
    ['kubeflow.org/v2beta1', 'MPIJob', 'mpi-operator'],
    ['jobset.x-k8s.io/v1alpha2', 'JobSet', 'jobset'],
    ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'lws'],
    ['disaggregatedset.x-k8s.io/v1', 'DisaggregatedSet', 'lws'],
    ['monitoring.coreos.com/v1', 'ServiceMonitor', 'prometheus-operator'],
    ['serving.knative.dev/v1', 'Service', 'knative-serving'],
    ['mindxdl.gitee.com/v1', 'AscendJob', 'ascend-mind-cluster'],
    ['argoproj.io/v1alpha1', 'Application', 'argo-cd'],
    ['helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'flux-helm-controller'],
    ['kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'flux-kustomize-controller'],
    ['source.toolkit.fluxcd.io/v1', 'GitRepository', 'flux-source-controller'],
    ['source.toolkit.fluxcd.io/v1', 'HelmRepository', 'flux-source-controller'],
    ['readiness.node.x-k8s.io/v1alpha1', 'NodeReadinessRule', 'node-readiness-controller'],
    ['scheduling.x-k8s.io/v1alpha1', 'PodGroup', 'scheduler-plugins'],
    ['k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'network-attachment-definition'],
  ] as const)('%s %s comes from %s in the version of the table', (apiVersion, kind, project) => {
    expect(findKind(apiVersion, kind)?.source).toBe(`${project} ${versionOf(project)}`);
  });

  test('a built-in kind comes from kubernetes', () => {
    expect(findKind('v1', 'Pod')?.source).toBe('kubernetes');
  });

  test('says which minors serve a version of a built-in kind', () => {
    const minors = (apiVersion: string, kind: string): readonly string[] | undefined =>
      findKind(apiVersion, kind)?.minors;
    expect(minors('resource.k8s.io/v1alpha2', 'ResourceClaim')).toEqual(['1.30']);
    expect(minors('resource.k8s.io/v1alpha3', 'ResourceClaim')).toEqual(['1.31', '1.32', '1.33']);
    expect(minors('resource.k8s.io/v1beta1', 'ResourceClaim')?.[0]).toBe('1.32');
    expect(minors('resource.k8s.io/v1beta2', 'ResourceClaim')?.[0]).toBe('1.33');
    expect(minors('resource.k8s.io/v1', 'ResourceClaim')?.[0]).toBe('1.34');
    expect(minors('scheduling.k8s.io/v1', 'PriorityClass')).toEqual(KUBERNETES_MINORS);
    expect(minors('scheduling.k8s.io/v1alpha1', 'Workload')).toEqual(['1.35']);
    expect(minors('scheduling.k8s.io/v1alpha2', 'PodGroup')?.[0]).toBe('1.36');
    expect(minors('batch.volcano.sh/v1alpha1', 'Job')).toBeUndefined();
  });

  test('says since when a version is deprecated', () => {
    expect(findKind('resource.k8s.io/v1beta1', 'DeviceClass')).toMatchObject({
      deprecated: true,
      deprecatedSince: '1.35',
    });
    expect(findKind('resource.k8s.io/v1', 'DeviceClass')).toMatchObject({ deprecated: false });
    expect(findKind('kueue.x-k8s.io/v1beta1', 'ClusterQueue')).toMatchObject({
      deprecated: true,
      served: true,
      storage: false,
    });
    expect(findKind('ray.io/v1alpha1', 'RayCluster')).toMatchObject({ deprecated: true });
    expect(findKind('kueue.x-k8s.io/v1beta2', 'ClusterQueue')).toMatchObject({ deprecated: false, storage: true });
  });

  test('finds a kind only under the version that is written, and lists the others', () => {
    expect(findKind('batch.volcano.sh/v1beta1', 'Job')).toBeUndefined();
    expect(versionsOfKind('batch.volcano.sh', 'Job').map((info) => info.version)).toEqual(['v1alpha1']);
    expect(versionsOfKind('kubeflow.org', 'MPIJob').map((info) => info.version)).toEqual(['v1', 'v2beta1']);
    expect(versionsOfKind('example.com', 'Job')).toEqual([]);
    expect(versionsOfKind('', 'Pod').map((info) => info.apiVersion)).toEqual(['v1']);
  });

  test('has no kind that cannot be written as an object of its own', () => {
    for (const [apiVersion, kind] of [
      ['policy/v1', 'Eviction'],
      ['autoscaling/v1', 'Scale'],
      ['v1', 'PodList'],
      ['meta.k8s.io/v1', 'DeleteOptions'],
    ]) {
      expect(findKind(apiVersion, kind)).toBeUndefined();
    }
  });

  test('tells built-in groups from those of projects', () => {
    for (const group of ['', 'apps', 'batch', 'resource.k8s.io', 'scheduling.k8s.io', 'apiextensions.k8s.io']) {
      expect(isBuiltInGroup(group)).toBe(true);
    }
    for (const group of ['scheduling.x-k8s.io', 'batch.volcano.sh', 'kueue.x-k8s.io', 'example.com']) {
      expect(isBuiltInGroup(group)).toBe(false);
    }
  });

  test('names every kind and version once, and one storage version of each kind of a project', () => {
    const kinds = allKinds();
    expect(new Set(kinds.map((info) => `${info.apiVersion}/${info.kind}`)).size).toBe(kinds.length);
    const ofProjects = kinds.filter((info) => !info.builtIn);
    const name = (info: KindInfo): string => `${info.source} ${info.group}/${info.kind}`;
    const storage = ofProjects.filter((info) => info.storage).map(name);
    expect(storage.sort()).toEqual([...new Set(ofProjects.map(name))].sort());
  });
});
