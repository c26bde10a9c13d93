/**
 * The pod's networks: the host's with its DNS, and attachments that exist and come with their device.
 */
import { cite } from '../../../facts/upstream';
import { NETWORK_RESOURCE_ANNOTATION, NETWORKS_ANNOTATION } from '../../../facts/catalog';
import { mayShareNamespace } from '../../../manifests/identity';
import { networksIn, type NetworkSelection, readNetworks } from '../../../manifests/references/network-annotation';
import { NETWORK_ATTACHMENT } from '../../../manifests/references/reference-places';
import {
  isTiedResource,
  networksOfResource,
  type NetworkAttachment,
  networkAttachmentsOf,
} from '../../../manifests/references/network-attachments';
import { type PodView } from '../../../checks/server/pod-view';
import { type Rule } from '../../../checks/rules/rule';
import { text } from '../../../checks/server/values';
import { askedBy, podAdvice } from './advice';
import { counted } from '../../../facts/words';

const PATH = `/metadata/annotations/${NETWORKS_ANNOTATION.replace('/', '~1')}`;

/** Whether a pod of this namespace means this network. */
function isSelected(
  attachment: NetworkAttachment,
  { name, namespace }: NetworkSelection,
  podNamespace: string,
): boolean {
  return attachment.name === name && attachment.namespace === (namespace ?? podNamespace);
}

/** The namespace of a cluster's own components. */
function isSystemPod({ template }: PodView): boolean {
  return template.manifest.id.namespace === 'kube-system';
}

export const networkRules: readonly Rule[] = [
  podAdvice(
    'host-network-resolves-services',
    {
      sees: 'namespace',
      concerns: ['hostNetwork'],
      severity: 'warning',
      summary: 'A pod on the host network must have dnsPolicy ClusterFirstWithHostNet.',
      why: 'With any other policy it uses the name servers of the host and cannot resolve Services or the pods of its own job.',
      fix: 'Set dnsPolicy: ClusterFirstWithHostNet.',
      source: 'kubernetes 1.36, PodSpec.dnsPolicy',
    },
    (pod, say) => {
      const policy = text(pod.spec.dnsPolicy) || 'ClusterFirst';
      if (pod.hostNetwork && policy === 'ClusterFirst') {
        say(
          '/spec/dnsPolicy',
          "on the host network, a pod with dnsPolicy ClusterFirst uses the host's name servers, and cannot resolve Services",
          {
            found: policy,
            expected: 'ClusterFirstWithHostNet',
            // The agent of a node talks to the node and the API server, both of which it finds without the DNS of the cluster.
            ...(pod.kind === 'DaemonSet' || isSystemPod(pod) ? { severity: 'info' } : {}),
          },
        );
      }
    },
  ),

  podAdvice(
    'network-attachment-readable',
    {
      concerns: [NETWORKS_ANNOTATION],
      severity: 'error',
      summary: `The annotation ${NETWORKS_ANNOTATION} must be a list of [namespace/]name[@interface], or JSON.`,
      why: 'Otherwise Multus cannot read it, and the pod does not start.',
      fix: `Set ${NETWORKS_ANNOTATION} to a list such as "namespace/name@interface", separated by commas.`,
      source: `${cite('multus')}, pkg/k8sclient parsePodNetworkAnnotation`,
    },
    (pod, say) => {
      const said = pod.annotations[NETWORKS_ANNOTATION];
      const read = typeof said === 'string' && said.trim() !== '' ? readNetworks(said) : undefined;
      if (read !== undefined && 'complaint' in read) {
        say(PATH, `invalid list of networks: ${read.complaint}`, {
          expected: 'name, or namespace/name@interface, separated by commas',
        });
      }
    },
  ),

  podAdvice(
    'network-attachment-known',
    {
      sees: 'namespace',
      concerns: [NETWORKS_ANNOTATION],
      severity: 'info',
      summary:
        "A network that a pod attaches to must be defined in the pod's namespace, or in the namespace in the annotation.",
      why: 'The pod does not start until the NetworkAttachmentDefinition exists.',
      fix: 'Add the NetworkAttachmentDefinition to the manifests, or make sure that it exists in the namespace of the pod, or in the namespace that the annotation k8s.v1.cni.cncf.io/networks names.',
      source: `${cite('network-attachment-definition')}; multus-cni`,
    },
    (pod, say, { set }) => {
      const said = pod.annotations[NETWORKS_ANNOTATION];
      const networks = typeof said === 'string' ? (networksIn(said) ?? []) : [];
      const namespace = pod.template.manifest.id.namespace;
      for (const network of networks) {
        const where = network.namespace ?? namespace;
        const named = networkAttachmentsOf(set).filter(({ name }) => name === network.name);
        if (named.some((attachment) => mayShareNamespace(attachment.namespace, where))) {
          continue;
        }
        const [elsewhere] = named;
        if (elsewhere !== undefined) {
          say(
            PATH,
            `the network "${network.name}" is defined in the namespace "${elsewhere.namespace}", not in "${where}"`,
            {
              severity: 'warning',
              expected: `${elsewhere.namespace}/${network.name}`,
              fix: `Replace "${network.name}" with "${elsewhere.namespace}/${network.name}" in the annotation ${NETWORKS_ANNOTATION}, or add the NetworkAttachmentDefinition to the namespace "${where}".`,
            },
          );
        } else {
          say(PATH, `NetworkAttachmentDefinition "${network.name}" not found in these manifests`, {
            absent: { kind: NETWORK_ATTACHMENT, name: network.name },
            fix: `Add the NetworkAttachmentDefinition "${network.name}" to the manifests, or make sure that it exists in the namespace ${
              where === undefined || where === '' ? 'of the pod' : `"${where}"`
            }.`,
          });
        }
      }
    },
  ),

  podAdvice(
    'network-attachment-device-asked',
    {
      sees: 'namespace',
      concerns: [NETWORKS_ANNOTATION],
      severity: 'warning',
      summary: 'A pod must request one device for each attachment to a network with devices.',
      why: 'An attachment without a device fails (VF pci addr is required), and the pod does not start, unless the network resources injector adds the request; a device without an attachment stays unused.',
      fix: `Set the device in resources.limits to the number of times that the network is listed in ${NETWORKS_ANNOTATION}.`,
      source: `${cite('multus')}, pkg/k8sclient getKubernetesDelegate; ${cite('sriov-network-operator')}, annotation ${NETWORK_RESOURCE_ANNOTATION}`,
    },
    (pod, say, { set }) => {
      const said = pod.annotations[NETWORKS_ANNOTATION];
      const namespace = pod.template.manifest.id.namespace;
      const attached = new Map<string, { readonly network: string; readonly times: number }>();
      for (const network of typeof said === 'string' ? (networksIn(said) ?? []) : []) {
        const attachment = networkAttachmentsOf(set).find((one) => isSelected(one, network, namespace));
        if (attachment === undefined || attachment.resource === '') {
          continue;
        }
        const asked = pod.all
          .flatMap((container) => askedBy(container))
          .filter(({ name }) => isTiedResource(attachment, name));
        if (asked.length === 0) {
          say(
            PATH,
            `the network "${network.name}" needs the resource "${attachment.resource}", but no container requests this resource`,
            {
              expected: `limits["${attachment.resource}"]`,
              fix: `Set limits["${attachment.resource}"] in a container to the number of times that the annotation lists the network.`,
            },
          );
          continue;
        }
        const name = asked[0]?.name ?? '';
        attached.set(name, { network: network.name, times: (attached.get(name)?.times ?? 0) + 1 });
      }
      for (const [resource, { network, times }] of attached) {
        const asked = pod.all.flatMap((container) => askedBy(container)).filter(({ name }) => name === resource);
        const devices = asked.reduce((sum, { amount }) => sum + amount, 0);
        if (!Number.isInteger(devices) || devices === times) {
          continue;
        }
        if (devices < times) {
          say(
            PATH,
            `the annotation lists the network "${network}" ${times} times, but the containers request only ${devices} of ${resource}`,
            {
              found: said,
              expected: `${resource}: ${times}`,
              fix: `Set limits["${resource}"] to ${times}.`,
            },
          );
        } else {
          say(
            PATH,
            `the pod requests ${devices} of ${resource}, but has only ${counted(times, 'network attachment')}`,
            {
              found: said,
              severity: 'info',
              expected: `"${network}" listed ${devices} times`,
              fix: `Set limits["${resource}"] to ${times}, or list the network "${network}" ${devices} times in ${NETWORKS_ANNOTATION}.`,
            },
          );
        }
      }
    },
  ),

  podAdvice(
    'network-device-attached',
    {
      sees: 'namespace',
      concerns: ['limits', 'requests'],
      severity: 'warning',
      summary: 'A pod that requests the device of a network must attach to that network.',
      why: 'Without the attachment the virtual function is not configured: the pod gets no address, no partition, and no interface, and the device stays unused.',
      fix: `Add the network to the annotation ${NETWORKS_ANNOTATION}.`,
      source: `${cite('multus')}; ${cite('sriov-network-operator')}`,
    },
    (pod, say, { set }) => {
      if (networkAttachmentsOf(set).length === 0) {
        return;
      }
      const said = pod.annotations[NETWORKS_ANNOTATION];
      const namespace = pod.template.manifest.id.namespace;
      if (pod.hostNetwork || (typeof said === 'string' && networksIn(said) === undefined)) {
        return;
      }
      const selected = typeof said === 'string' ? (networksIn(said) ?? []) : [];
      for (const { name, path } of pod.all.flatMap((container) => askedBy(container))) {
        const tied = networksOfResource(set, name);
        const [first] = tied;
        // A network that this set does not define may belong to it as well.
        const isUnknown = (network: (typeof selected)[number]): boolean =>
          !networkAttachmentsOf(set).some((one) => isSelected(one, network, namespace));
        if (first === undefined || selected.some(isUnknown)) {
          continue;
        }
        const attached = selected.some((network) => tied.some((one) => isSelected(one, network, namespace)));
        if (!attached) {
          say(path, `${name} is a device of the network "${first.name}", to which the pod is not attached`, {
            expected: `${NETWORKS_ANNOTATION}: ${first.namespace === namespace ? '' : `${first.namespace}/`}${first.name}`,
          });
        }
      }
    },
  ),
];
