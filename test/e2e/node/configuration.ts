/**
 * What containerd, the network of pods, and the kubelet are configured with on the node of the tests.
 */
import { PAUSE_IMAGE } from './images';
import { type NodePrograms } from './programs';

/** The address of the API server's Service, at which the node reaches the server too. */
export const SERVICE_ADDRESS = '10.96.0.1';
/** The node's address in the network of its pods. */
export const NODE_ADDRESS = '10.88.0.1';
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';

/** No right to raise limits or to protect processes from the kernel's memory killer is needed. */
export function containerdConfiguration({ runc, network }: NodePrograms, networkFolder: string): string {
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs"]

[grpc]
  address = "${CONTAINERD_SOCKET}"

[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "${PAUSE_IMAGE}"

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  disable_apparmor = true
  enable_cdi = true
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        BinaryName = "${runc}"
        SystemdCgroup = false
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["${network}"]
    conf_dir = "${networkFolder}"
`;
}

/** A bridge, whose address is the node's. */
export function networkConfiguration(): string {
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: '10.88.0.0/16', rangeStart: '10.88.0.10', gateway: NODE_ADDRESS }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: '/run/cni',
        },
      },
    ],
  });
}

/** JSON is YAML, and the kubelet reads it. */
export function kubeletConfiguration(resolver: string): string {
  const none = '0%';
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: NODE_ADDRESS,
    healthzBindAddress: '127.0.0.1',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    oomScoreAdj: 0,
    resolvConf: resolver,
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    // What happens on the machine besides, and how full its disk is, must not change what the node does.
    evictionHard: {
      'memory.available': none,
      'nodefs.available': none,
      'nodefs.inodesFree': none,
      'imagefs.available': none,
    },
    imageGCHighThresholdPercent: 100,
    nodeStatusUpdateFrequency: '2s',
    syncFrequency: '5s',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
    authorization: { mode: 'Webhook' },
  });
}
