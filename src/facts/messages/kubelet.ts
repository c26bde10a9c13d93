/**
 * Messages of the kubelet.
 */
import { cite } from '../upstream';
import { type KnownMessage, messagesOf } from './known-message';

export const KUBELET_MESSAGES: readonly KnownMessage[] = messagesOf(cite('kubernetes'), [
  {
    id: 'kubelet/allocate-failed',
    file: 'pkg/kubelet/cm/admission/errors.go',
    format: 'Allocate failed due to %w, which is unexpected',
    also: ['UnexpectedAdmissionError'],
    cause:
      'The kubelet accepted the pod, and the device plugin then refused the devices: its state differs from the state of the kubelet, or the request is one that it does not serve.',
    verify: 'kubectl logs of the device plugin pod on the node, and kubectl get node NODE -o yaml: status.allocatable',
    remedy:
      'Delete the failed pod, which is not restarted. Restart the device plugin of the node if it happens repeatedly.',
  },
  {
    id: 'kubelet/topology-affinity',
    file: 'pkg/kubelet/cm/topologymanager/topology_manager.go',
    format: 'Resources cannot be allocated with Topology locality',
    also: ['TopologyAffinityError'],
    cause:
      'The topology manager of the node aligns CPUs and devices on one NUMA node, and no NUMA node has enough of both free.',
    verify:
      'kubectl get node NODE -o yaml and the configuration of the kubelet: topologyManagerPolicy; nvidia-smi topo -m on the node',
    remedy:
      'Request fewer CPUs or devices, use policy restricted or best-effort, or delete the failed pod so that its controller creates another one elsewhere.',
  },
  {
    id: 'kubelet/devices-unavailable',
    file: 'pkg/kubelet/cm/devicemanager/manager.go',
    format: 'requested number of devices unavailable for %s. Requested: %d, Available: %d',
    cause:
      'The kubelet has fewer free devices than the scheduler counted: a device became unhealthy, or another scheduler placed pods on the same node.',
    verify:
      'kubectl get node NODE -o yaml: capacity and allocatable; kubectl get pods -A --field-selector spec.nodeName=NODE',
    remedy:
      'Let one scheduler place pods on the node, and repair the unhealthy device. Delete the failed pod, which is not restarted.',
  },
  {
    id: 'kubelet/no-healthy-devices',
    file: 'pkg/kubelet/cm/devicemanager/manager.go',
    format: 'no healthy devices present; cannot allocate unhealthy devices %s',
    cause: 'The device plugin reports all devices of the resource as unhealthy, often for an XID error.',
    verify: 'kubectl logs of the device plugin on the node; dmesg on the node: NVRM: Xid',
    remedy: 'Cordon the node, and reset or replace the device. gantry catalog explains XID codes.',
  },
  {
    id: 'kubelet/image-pull',
    file: 'pkg/kubelet/images/image_manager.go',
    format: 'Back-off pulling image %q',
    also: ['Failed to pull image %q', 'ErrImagePull', 'ImagePullBackOff'],
    cause:
      'The image cannot be pulled: its name or tag is wrong, the registry asks for credentials, or it cannot be reached.',
    verify: 'kubectl describe pod POD: the event before this one states the reason of the registry',
    remedy: 'Correct the image, add imagePullSecrets, or repair the access of the node to the registry.',
  },
  {
    id: 'kubelet/crash-loop',
    file: 'pkg/kubelet/kuberuntime/kuberuntime_manager.go',
    format: 'Back-off restarting failed container %s in pod %s',
    matches: ['Back-off restarting failed container', 'CrashLoopBackOff'],
    cause: 'The container ends repeatedly, and the kubelet waits longer before each start.',
    verify: 'kubectl logs POD --previous; kubectl get pod POD -o yaml: lastState.terminated.exitCode',
    remedy:
      'Act on the exit code and the log: 137 with OOMKilled is too little memory, 127 a command that does not exist.',
  },
  {
    id: 'kubelet/oom',
    file: 'pkg/kubelet/kuberuntime/helpers.go',
    format: 'OOMKilled',
    cause: 'The container used more memory than its limit. Page cache does not count, /dev/shm does.',
    verify:
      'kubectl get pod POD -o yaml: lastState.terminated.reason, resources.limits.memory; the size of volumes with medium Memory',
    remedy: 'Raise the memory limit, including what is kept in /dev/shm, or use fewer loader processes.',
  },
  {
    id: 'kubelet/node-pressure',
    file: 'pkg/kubelet/eviction/helpers.go',
    format: 'The node was low on resource: %v. Threshold quantity: %v, available: %v.',
    matches: ['The node was low on resource:', 'The node had condition: ['],
    cause: 'The kubelet evicted the pod because the node ran out of memory, disk, or process IDs.',
    verify: 'kubectl describe node NODE: conditions; compare requests with use of its pods',
    remedy:
      'Request what the pods use: pods that exceed their requests are evicted first. Clean images and logs if the resource is ephemeral-storage.',
  },
  {
    id: 'kubelet/ephemeral-storage',
    file: 'pkg/kubelet/eviction/helpers.go',
    format: 'Pod ephemeral local storage usage exceeds the total limit of containers %s.',
    cause: 'The container layers, logs, and emptyDir volumes of the pod exceed limits.ephemeral-storage.',
    verify: 'kubectl get pod POD -o yaml: limits; du in the container',
    remedy: 'Write checkpoints and caches to a volume, or raise limits.ephemeral-storage.',
  },
  {
    id: 'kubelet/empty-dir',
    file: 'pkg/kubelet/eviction/helpers.go',
    format: 'Usage of EmptyDir volume %q exceeds the limit %q.',
    cause: 'The pod wrote more into the emptyDir volume than its sizeLimit.',
    verify: 'kubectl get pod POD -o yaml: volumes[].emptyDir.sizeLimit',
    remedy: 'Raise sizeLimit. For medium Memory, raise the memory limit of the container as well.',
  },
  {
    id: 'kubelet/run-as-non-root',
    file: 'pkg/kubelet/kuberuntime/security_context_others.go',
    format: 'container has runAsNonRoot and image will run as root (pod: %q, container: %s)',
    matches: ['container has runAsNonRoot and image'],
    cause: 'The image runs as root or as a user by name, and the security context demands another user.',
    verify: 'kubectl get pod POD -o yaml: securityContext',
    remedy: 'Set runAsUser to the number of a user that the image supports.',
  },
  {
    id: 'kubelet/volumes',
    file: 'pkg/kubelet/kubelet.go',
    format: 'Unable to attach or mount volumes: %v',
    cause: 'A volume of the pod does not exist, is not attached, or cannot be mounted on the node.',
    verify: 'kubectl describe pod POD: the events name the volume; kubectl get volumeattachments',
    remedy: 'Act on the reason in the event; it also names a ConfigMap or Secret that does not exist.',
  },
  {
    id: 'kubelet/sandbox',
    file: 'pkg/kubelet/kuberuntime/kuberuntime_manager.go',
    format: 'Failed to create pod sandbox: %v',
    cause: 'The runtime or the network plugin could not set up the pod on the node.',
    verify: 'kubectl describe pod POD: the rest of the message; the log of the CNI plugin on the node',
    remedy:
      'Act on the rest of the message: no free addresses, a missing network attachment, or an unknown runtime handler.',
  },
  {
    id: 'kubelet/devices-lost',
    file: 'pkg/kubelet/cm/devicemanager/manager.go',
    format: 'previously allocated devices are no longer healthy; cannot allocate unhealthy devices %s',
    cause: 'A container is started again, and its device became unhealthy.',
    verify: 'kubectl logs of the device plugin on the node; dmesg on the node: NVRM: Xid',
    remedy: 'Delete the pod, so that it starts elsewhere. Cordon the node, and reset or replace the device.',
  },
  {
    id: 'kubelet/unregistered-device',
    file: 'pkg/kubelet/cm/devicemanager/manager.go',
    format: 'cannot allocate unregistered device %s',
    cause: 'The device plugin of the resource has not registered since the kubelet started.',
    verify: 'kubectl get pods -A --field-selector spec.nodeName=NODE; kubectl logs of the device plugin',
    remedy: 'Restart the device plugin of the node. Delete the failed pod, which is not restarted.',
  },
  {
    id: 'kubelet/out-of-resource',
    file: 'pkg/kubelet/lifecycle/predicate.go',
    format: "Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
    cause:
      'The scheduler placed the pod, and the kubelet counts less free: two schedulers, or a device that became unhealthy.',
    verify: 'kubectl get node NODE -o yaml: allocatable; kubectl get pods -A --field-selector spec.nodeName=NODE',
    remedy: 'Let one scheduler place pods on the node. Delete the failed pod, which is not restarted.',
  },
  {
    id: 'kubelet/critical-pod',
    file: 'pkg/kubelet/preemption/preemption.go',
    format: 'Preempted in order to admit critical pod',
    cause: 'A static or system-critical pod needed the resources of the pod.',
    verify: 'kubectl get pods -A --field-selector spec.nodeName=NODE: priority classes system-*',
    remedy: 'Reserve resources for system pods (systemReserved, DaemonSet requests) on nodes with devices.',
  },
  {
    id: 'kubelet/shutdown',
    file: 'pkg/kubelet/nodeshutdown/nodeshutdown_manager.go',
    format: 'Pod was rejected as the node is shutting down.',
    cause: 'The node shuts down, often a spot node that is taken back.',
    verify: 'kubectl describe node NODE: conditions and events',
    remedy: 'No action is needed: the controller creates another pod. Delete the failed one.',
  },
  {
    id: 'kubelet/image-never',
    file: 'pkg/kubelet/images/image_manager.go',
    format: 'Container image %q is not present with pull policy of Never',
    also: ['ErrImageNeverPull'],
    cause: 'imagePullPolicy is Never, and the node does not have the image.',
    verify: 'crictl images on the node',
    remedy: 'Set imagePullPolicy to IfNotPresent, or load the image on the node.',
  },
  {
    id: 'kubelet/probe',
    file: 'pkg/kubelet/prober/prober.go',
    format: '%s probe failed: %s',
    matches: ['Liveness probe failed:', 'Readiness probe failed:', 'Startup probe failed:'],
    cause: 'The probe of the container failed. Models that take long to load fail a liveness probe before they serve.',
    verify: 'kubectl describe pod POD: the probe and the rest of the message',
    remedy: 'Use a startupProbe with failureThreshold times periodSeconds longer than loading takes.',
  },
  {
    id: 'kubelet/config-key',
    file: 'pkg/kubelet/kubelet_pods.go',
    format: "couldn't find key %v in ConfigMap %v/%v",
    also: ["couldn't find key %v in Secret %v/%v"],
    cause: 'The container takes a variable from a key that the ConfigMap or Secret does not have.',
    verify: 'kubectl get configmap NAME -n NAMESPACE -o yaml',
    remedy: 'Add the key, correct its name, or set optional: true.',
  },
  {
    id: 'kubelet/network-not-ready',
    file: 'pkg/kubelet/errors.go',
    format: 'network is not ready',
    also: ['cni plugin not initialized'],
    cause: 'The network plugin of the node has not started.',
    verify: 'kubectl get pods -n kube-system -o wide of the network plugin; ls /etc/cni/net.d on the node',
    remedy: 'Repair the network plugin on the node; it must tolerate the taints of nodes with devices.',
  },
  {
    id: 'kubelet/prepare-claims',
    file: 'pkg/kubelet/cm/dra/manager.go',
    format: 'NodePrepareResources failed for ResourceClaim %s: %s',
    cause: 'The DRA driver of the node could not prepare the devices of the claim.',
    verify: 'kubectl logs of the DRA driver on the node; the rest of the message',
    remedy: 'Act on the rest of the message. The kubelet tries again.',
  },
  {
    id: 'kubelet/dra-driver',
    file: 'pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go',
    format: 'DRA driver %s is not registered',
    cause: 'The DRA driver does not run on the node, or has not registered since the kubelet started.',
    verify: 'kubectl get pods -A --field-selector spec.nodeName=NODE; ls /var/lib/kubelet/plugins_registry on the node',
    remedy: 'Start or restart the driver on the node.',
  },
  {
    id: 'kubelet/pod-deadline',
    file: 'pkg/kubelet/active_deadline.go',
    format: 'Pod was active on the node longer than the specified deadline',
    cause: 'The pod ran longer than its activeDeadlineSeconds.',
    verify: 'kubectl get pod POD -o yaml: spec.activeDeadlineSeconds',
    remedy: 'Raise activeDeadlineSeconds of the pod template.',
  },
  {
    id: 'kubelet/pre-start',
    file: 'pkg/kubelet/cm/devicemanager/manager.go',
    format: 'device plugin PreStartContainer rpc failed with err: %v',
    cause: 'The device plugin failed to reset or prepare the device before the container started.',
    verify: 'kubectl logs of the device plugin on the node',
    remedy: 'Act on the error; restart the device plugin, and reset the device if it persists.',
  },
]);
