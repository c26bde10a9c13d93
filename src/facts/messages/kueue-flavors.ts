/**
 * Messages of Kueue about quota, flavors, topologies, and what admission checks wait for.
 */
import { cite } from '../upstream';
import { type KnownMessage, messagesOf } from './known-message';

export const KUEUE_FLAVOR_MESSAGES: readonly KnownMessage[] = messagesOf(cite('kueue'), [
  {
    id: 'kueue/no-flavor',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format: "couldn't assign flavors to pod set %s: %s",
    cause: 'No resource flavor of the ClusterQueue has quota, labels, or topology for the pod set.',
    verify: 'kubectl describe workload: the rest of the message gives the reason for each flavor',
    remedy: 'Act on the reason that follows in the message.',
  },
  {
    id: 'kueue/unused-quota',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format: 'insufficient unused quota for %s in flavor %s, %s more needed',
    cause: 'The quota is large enough, but admitted workloads use it.',
    verify: 'kubectl get clusterqueue NAME -o yaml: status.flavorsReservation',
    remedy: 'Wait, allow borrowing in a cohort, or allow preemption in spec.preemption of the ClusterQueue.',
  },
  {
    id: 'kueue/quota-too-small',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format:
      'insufficient quota for %s in flavor %s, previously considered podsets requests (%s) + current podset request (%s) > maximum capacity (%s)',
    cause: 'The request exceeds all that the ClusterQueue can ever have of the flavor, borrowing included.',
    verify:
      'kubectl get clusterqueue NAME -o yaml: nominalQuota and borrowingLimit of the flavor, and those of the cohort',
    remedy: 'Raise nominalQuota or borrowingLimit, or lower the request. Waiting does not help.',
  },
  {
    id: 'kueue/flavor-taint',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format: 'untolerated taint %s in flavor %s',
    matches: ['untolerated taint {text} in flavor {name}'],
    cause: 'The ResourceFlavor has a taint that neither the workload nor the flavor tolerates.',
    verify: 'kubectl get resourceflavor NAME -o yaml: spec.nodeTaints, spec.tolerations',
    remedy: 'Add the toleration to the flavor, if all its workloads may run there, or to the pod template.',
  },
  {
    id: 'kueue/flavor-affinity',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format: "flavor %s doesn't match node affinity",
    cause: 'The node selector or affinity of the workload asks for a label value that the flavor does not have.',
    verify: 'kubectl get resourceflavor NAME -o yaml: spec.nodeLabels',
    remedy: 'Correct the selector, or remove it: the flavor adds its labels to the pods.',
  },
  {
    id: 'kueue/flavor-resource',
    file: 'pkg/scheduler/flavorassigner/flavor_assigner_attempts.go',
    format: 'flavor %s does not provide resource %s',
    cause: 'The ClusterQueue states no quota for the resource in this flavor.',
    verify: 'kubectl get clusterqueue NAME -o yaml: resourceGroups[].coveredResources',
    remedy: 'Add the resource with its quota to the resource group of the flavor.',
  },
  {
    id: 'kueue/resource-missing',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format: 'resource %s unavailable in ClusterQueue',
    cause: 'No resource group of the ClusterQueue covers the resource that the workload requests.',
    verify: 'kubectl get clusterqueue NAME -o yaml: resourceGroups[].coveredResources',
    remedy:
      'Add the resource to a resource group with a quota for each flavor, or exclude it with resources.excludeResourcePrefixes.',
  },
  {
    id: 'kueue/flavor-missing',
    file: 'pkg/scheduler/flavorassigner/flavorassigner.go',
    format: 'flavor %s not found',
    cause: 'The ClusterQueue names a ResourceFlavor that does not exist.',
    verify: 'kubectl get resourceflavors',
    remedy: 'Create the ResourceFlavor, or correct its name in the ClusterQueue.',
  },
  {
    id: 'kueue/topology-no-fit',
    file: 'pkg/cache/scheduler/tas_flavor_snapshot.go',
    format: "topology %q doesn't allow to fit any of %d %s(s)",
    also: ['topology %q allows to fit only %d out of %d %s(s)', "topology %q doesn't allow to fit"],
    cause: 'No domain of the requested topology level has enough free capacity for the pods together.',
    verify:
      'kubectl get workload NAME -n NAMESPACE -o yaml: podSets[].topologyRequest; kubectl get nodes -L of the level',
    remedy: 'Ask for a higher level or a preferred one, free nodes in one domain, or use fewer pods.',
  },
  {
    id: 'kueue/topology-level',
    file: 'pkg/cache/scheduler/tas_flavor_snapshot.go',
    format: 'no requested topology level: %s',
    also: ['Flavor %q does not contain the requested level'],
    cause: 'The topology of the flavor does not have the level that the workload asks for.',
    verify: 'kubectl get topology.kueue.x-k8s.io NAME -o yaml: spec.levels',
    remedy: 'Ask for a level of the Topology, or add the level.',
  },
  {
    id: 'kueue/flavor-without-topology',
    file: 'pkg/scheduler/flavorassigner/tas_flavorassigner.go',
    format: 'Flavor %q does not support TopologyAwareScheduling',
    cause: 'The workload asks for a topology, and the flavor has no topologyName.',
    verify: 'kubectl get resourceflavor NAME -o yaml: spec.topologyName',
    remedy: 'Set topologyName of the flavor, or remove the topology annotation from the pod template.',
  },
  {
    id: 'kueue/flavor-only-topology',
    file: 'pkg/scheduler/flavorassigner/tas_flavorassigner.go',
    format: 'Flavor %q supports only TopologyAwareScheduling',
    cause: 'The flavor has a topology, and the workload cannot use one.',
    verify:
      'kubectl get resourceflavor NAME -o yaml: spec.topologyName; kubectl get workload NAME -n NAMESPACE -o yaml',
    remedy: 'Add a topology annotation to the pod template, or use a flavor without topology.',
  },
  {
    id: 'kueue/topology-cache',
    file: 'pkg/scheduler/flavorassigner/errors.go',
    format: 'workload requires Topology, but there is no TAS cache information',
    cause: 'The ClusterQueue has no flavor whose Topology exists.',
    verify: 'kubectl get clusterqueue NAME -o yaml: the condition Active; kubectl get topologies.kueue.x-k8s.io',
    remedy: 'Create the Topology, and name it in the flavor of the ClusterQueue.',
  },
  {
    id: 'kueue/provisioning-failed',
    file: 'pkg/controller/admissionchecks/provisioning/controller.go',
    format: 'Retrying after failure: %s',
    cause: 'The ProvisioningRequest of the workload failed, and Kueue creates a new one after a wait.',
    verify: 'kubectl get provisioningrequests -n NAMESPACE -o yaml: the condition Failed',
    remedy: 'Act on the message of the cloud provider: stock, quota, or a class that does not exist.',
  },
  {
    id: 'kueue/check-parameters',
    file: 'pkg/controller/admissionchecks/multikueue/admissioncheck.go',
    format: 'Cannot load the AdmissionChecks parameters: %s',
    cause: 'The object that spec.parameters of the AdmissionCheck names does not exist.',
    verify: 'kubectl get admissioncheck NAME -o yaml: spec.parameters',
    remedy: 'Create the object, or correct the reference.',
  },
  {
    id: 'kueue/multikueue-clusters',
    file: 'pkg/controller/admissionchecks/multikueue/admissioncheck.go',
    format: 'Inactive clusters: %v',
    also: ['Missing clusters: %v'],
    cause: 'Worker clusters of the MultiKueueConfig do not exist or cannot be reached.',
    verify: 'kubectl get multikueueclusters -o yaml: the condition Active',
    remedy: 'Create the MultiKueueCluster, or repair its kubeconfig Secret and its network.',
  },
]);
