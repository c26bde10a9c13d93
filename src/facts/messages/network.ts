/**
 * Messages of Multus and of CNI plugins.
 */
import { cite } from '../upstream';
import { type KnownMessage, messagesOf } from './known-message';

export const NETWORK_MESSAGES: readonly KnownMessage[] = [
  ...messagesOf(cite('multus'), [
    {
      id: 'multus/attachment-missing',
      file: 'pkg/k8sclient/k8sclient.go',
      format: 'cannot find a network-attachment-definition (%s) in namespace (%s): %v',
      cause: 'The annotation k8s.v1.cni.cncf.io/networks names a NetworkAttachmentDefinition that does not exist.',
      verify: 'kubectl get network-attachment-definitions -n NAMESPACE',
      remedy: 'Create it, or write NAMESPACE/NAME in the annotation.',
    },
  ]),
  ...messagesOf(cite('cni-plugins'), [
    {
      id: 'cni/no-addresses',
      file: 'plugins/ipam/host-local/backend/allocator/allocator.go',
      format: 'no IP addresses available in range set: %s',
      cause: 'All addresses of the range are allocated, or were not released.',
      verify: 'ls /var/lib/cni/networks/NAME on the node',
      remedy: 'Enlarge the range. Remove files of pods that no longer exist.',
    },
    {
      id: 'cni/address-taken',
      file: 'plugins/ipam/host-local/backend/allocator/allocator.go',
      format: 'requested IP address %s is not available in range set %s',
      cause: 'The pod asks for an address that another pod has.',
      verify: 'ls /var/lib/cni/networks/NAME on the node',
      remedy: 'Ask for another address, or let IPAM choose.',
    },
    {
      id: 'cni/dhcp',
      file: 'plugins/ipam/dhcp/main.go',
      format: 'error dialing DHCP daemon: %v',
      cause: 'IPAM is dhcp, and its daemon does not run on the node.',
      verify: 'ls /run/cni/dhcp.sock on the node',
      remedy: 'Start the DHCP daemon of the CNI plugins, or use another IPAM.',
    },
  ]),
  ...messagesOf(cite('cni-library'), [
    {
      id: 'cni/plugin-missing',
      file: 'pkg/invoke/find.go',
      format: 'failed to find plugin %q in path %s',
      cause: 'The program of the CNI plugin is not on the node.',
      verify: 'ls /opt/cni/bin on the node',
      remedy:
        'Install the CNI plugins on the node, or set type in the network attachment to a plugin that is installed.',
    },
  ]),
];
