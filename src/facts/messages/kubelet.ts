/**
 * Messages of the kubelet and of container runtimes. Source: Kubernetes 1.36, pkg/kubelet; the CDI library; Docker Engine 29, daemon.
 */
import { type KnownMessage } from './known-message';

export const KUBELET_MESSAGES: readonly KnownMessage[] = [
  {
    id: 'kubelet/allocate-failed',
    component: 'kubelet',
    format: 'Allocate failed due to %v, which is unexpected',
    pattern: /Allocate failed due to/,
    cause:
      'The kubelet accepted the pod, and the device plugin then refused the devices: its state differs from the state of the kubelet, or the request is one that it does not serve.',
    verify: 'kubectl logs of the device plugin pod on the node, and kubectl get node NODE -o yaml: status.allocatable',
    remedy:
      'Delete the failed pod, which is not started again. Restart the device plugin of the node if it happens repeatedly.',
  },
  {
    id: 'kubelet/topology-affinity',
    component: 'kubelet',
    format: 'Resources cannot be allocated with Topology locality',
    pattern: /Resources cannot be allocated with Topology locality|TopologyAffinityError/,
    cause:
      'The topology manager of the node aligns CPUs and devices on one NUMA node, and no NUMA node has enough of both free.',
    verify:
      'kubectl get node NODE -o yaml and the configuration of the kubelet: topologyManagerPolicy; nvidia-smi topo -m on the node',
    remedy:
      'Request fewer CPUs or devices, use policy restricted or best-effort, or delete the failed pod so that its controller makes another one elsewhere.',
  },
  {
    id: 'kubelet/devices-unavailable',
    component: 'kubelet',
    format: 'requested number of devices unavailable for %s. Requested: %d, Available: %d',
    pattern: /requested number of devices unavailable for/,
    cause:
      'The kubelet has fewer free devices than the scheduler counted: a device became unhealthy, or another scheduler placed pods on the same node.',
    verify:
      'kubectl get node NODE -o yaml: capacity and allocatable; kubectl get pods -A --field-selector spec.nodeName=NODE',
    remedy:
      'Let one scheduler place pods on the node, and repair the unhealthy device. Delete the failed pod, which is not started again.',
  },
  {
    id: 'kubelet/no-healthy-devices',
    component: 'kubelet',
    format: 'no healthy devices present; cannot allocate unhealthy devices %s',
    pattern: /no healthy devices present/,
    cause: 'The device plugin reports all devices of the resource as unhealthy, often for an XID error.',
    verify: 'kubectl logs of the device plugin on the node; dmesg on the node: NVRM: Xid',
    remedy: 'Cordon the node, and reset or replace the device. gantry catalog explains XID codes.',
  },
  {
    id: 'kubelet/image-pull',
    component: 'kubelet',
    format: 'Back-off pulling image %q',
    pattern: /Back-off pulling image|ErrImagePull|ImagePullBackOff/,
    cause:
      'The image cannot be pulled: its name or tag is wrong, the registry asks for credentials, or it cannot be reached.',
    verify: 'kubectl describe pod POD: the event before this one states the reason of the registry',
    remedy: 'Correct the image, add imagePullSecrets, or repair the access of the node to the registry.',
  },
  {
    id: 'kubelet/crash-loop',
    component: 'kubelet',
    format: 'Back-off restarting failed container %s in pod %s',
    pattern: /Back-off restarting failed container|CrashLoopBackOff/,
    cause: 'The container ends repeatedly, and the kubelet waits longer before each start.',
    verify: 'kubectl logs POD --previous; kubectl get pod POD -o yaml: lastState.terminated.exitCode',
    remedy:
      'Act on the exit code and the log: 137 with OOMKilled is too little memory, 127 a command that does not exist.',
  },
  {
    id: 'kubelet/oom',
    component: 'kubelet',
    format: 'OOMKilled',
    pattern: /OOMKilled/,
    cause: 'The container used more memory than its limit. Page cache does not count, /dev/shm does.',
    verify:
      'kubectl get pod POD -o yaml: lastState.terminated.reason, resources.limits.memory; the size of volumes with medium Memory',
    remedy: 'Raise the memory limit, including what is kept in /dev/shm, or use fewer loader processes.',
  },
  {
    id: 'kubelet/node-pressure',
    component: 'kubelet',
    format: 'The node was low on resource: %s. Threshold quantity: %s, available: %s.',
    pattern: /The node was low on resource:/,
    cause: 'The kubelet evicted the pod because the node ran out of memory, disk, or process ids.',
    verify: 'kubectl describe node NODE: conditions; compare requests with use of its pods',
    remedy:
      'Request what the pods use: pods above their requests go first. Clean images and logs if the resource is ephemeral-storage.',
  },
  {
    id: 'kubelet/ephemeral-storage',
    component: 'kubelet',
    format: 'Pod ephemeral local storage usage exceeds the total limit of containers %s.',
    pattern: /Pod ephemeral local storage usage exceeds/,
    cause: 'The container layers, logs, and emptyDir volumes of the pod exceed limits.ephemeral-storage.',
    verify: 'kubectl get pod POD -o yaml: limits; du in the container',
    remedy: 'Write checkpoints and caches to a volume, or raise limits.ephemeral-storage.',
  },
  {
    id: 'kubelet/empty-dir',
    component: 'kubelet',
    format: 'Usage of EmptyDir volume %q exceeds the limit %q.',
    pattern: /Usage of EmptyDir volume .* exceeds the limit/,
    cause: 'The pod wrote more into the emptyDir volume than its sizeLimit.',
    verify: 'kubectl get pod POD -o yaml: volumes[].emptyDir.sizeLimit',
    remedy: 'Raise sizeLimit. For medium Memory, raise the memory limit of the container as well.',
  },
  {
    id: 'kubelet/run-as-non-root',
    component: 'kubelet',
    format: 'container has runAsNonRoot and image will run as root (pod: %q, container: %s)',
    pattern: /container has runAsNonRoot and image/,
    cause: 'The image runs as root or as a user by name, and the security context demands another user.',
    verify: 'kubectl get pod POD -o yaml: securityContext',
    remedy: 'Set runAsUser to the number of a user that the image supports.',
  },
  {
    id: 'kubelet/cdi-devices',
    component: 'kubelet',
    format: 'unresolvable CDI devices %s',
    pattern: /unresolvable CDI devices/,
    cause: 'The runtime found no CDI specification for the device: it was not generated, or the driver changed since.',
    verify: 'nvidia-ctk cdi list on the node; ls /etc/cdi /var/run/cdi',
    remedy: 'Generate the specification again (nvidia-ctk cdi generate), or restart the driver that writes it.',
  },
  {
    id: 'kubelet/volumes',
    component: 'kubelet',
    format: 'Unable to attach or mount volumes: %v',
    pattern: /Unable to attach or mount volumes/,
    cause: 'A volume of the pod is not there, not attached, or cannot be mounted on the node.',
    verify: 'kubectl describe pod POD: the events name the volume; kubectl get volumeattachments',
    remedy: 'Act on the reason in the event; a ConfigMap or Secret that does not exist is named there as well.',
  },
  {
    id: 'kubelet/sandbox',
    component: 'kubelet',
    format: 'Failed to create pod sandbox: %v',
    pattern: /Failed to create pod sandbox/,
    cause: 'The runtime or the network plugin could not set up the pod on the node.',
    verify: 'kubectl describe pod POD: the rest of the message; the log of the CNI plugin on the node',
    remedy:
      'Act on the rest of the message: no free addresses, a missing network attachment, or an unknown runtime handler.',
  },
  {
    id: 'docker/device-driver',
    component: 'docker',
    format: 'could not select device driver %q with capabilities: %v',
    pattern: /could not select device driver .* with capabilities/,
    cause: 'The Docker engine has no driver for GPUs: the NVIDIA Container Toolkit is not installed or not configured.',
    verify: 'docker info: Runtimes and CDI devices; gantry docker check',
    remedy:
      'Install the NVIDIA Container Toolkit, run nvidia-ctk runtime configure --runtime=docker, and restart the engine.',
  },
];
