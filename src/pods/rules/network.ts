/**
 * The pod's networks: the host's with its DNS, and attachments that exist and come with their device.
 */
import { NETWORK_RESOURCE_ANNOTATION, NETWORKS_ANNOTATION } from '../../catalog';
import { networksIn } from '../../manifests/network-annotation';
import { asObject } from '../../manifests/read';
import { type Rule } from '../../checks/rule';
import { text } from '../../checks/server/values';
import { askedBy, podAdvice } from './advice';

const ATTACHMENT = 'k8s.cni.cncf.io/NetworkAttachmentDefinition';
const PATH = `/metadata/annotations/${NETWORKS_ANNOTATION.replace('/', '~1')}`;

export const networkRules: readonly Rule[] = [
  podAdvice('host-network-resolves-services', {
    concerns: ['hostNetwork'],
    severity: 'warning',
    summary: 'A pod on the host network has dnsPolicy ClusterFirstWithHostNet.',
    why: 'With any other policy it uses the host\'s name servers and cannot resolve Services or the pods of its own job.',
    fix: 'Set dnsPolicy: ClusterFirstWithHostNet.',
    source: 'kubernetes 1.36, PodSpec.dnsPolicy',
  }, (pod, say) => {
    const policy = text(pod.spec.dnsPolicy) || 'ClusterFirst';
    if (pod.hostNetwork && policy === 'ClusterFirst') say('/spec/dnsPolicy', 'on the host network dnsPolicy ClusterFirst means the host\'s name servers', { found: policy, expected: 'ClusterFirstWithHostNet' });
  }),

  podAdvice('network-attachment-readable', {
    concerns: [NETWORKS_ANNOTATION],
    severity: 'error',
    summary: `The annotation ${NETWORKS_ANNOTATION} is a list of [namespace/]name[@interface], or JSON.`,
    why: 'Multus cannot read it and the pod does not start.',
    fix: 'Correct the annotation.',
    source: 'multus-cni, k8s.v1.cni.cncf.io/networks',
  }, (pod, say) => {
    const said = pod.annotations[NETWORKS_ANNOTATION];
    if (typeof said === 'string' && said.trim() !== '' && networksIn(said) === undefined) say(PATH, 'Multus cannot read the list of networks', { expected: 'name, or namespace/name@interface, separated by commas' });
  }),

  podAdvice('network-attachment-known', {
    sees: 'everything',
    concerns: [NETWORKS_ANNOTATION],
    severity: 'info',
    summary: 'A network that a pod attaches to is defined in its namespace.',
    why: 'The pod does not start until the NetworkAttachmentDefinition is there.',
    fix: 'Add the NetworkAttachmentDefinition, or name its namespace.',
    source: 'network-attachment-definition-client v1.7.7; multus-cni',
  }, (pod, say, { set }) => {
    const said = pod.annotations[NETWORKS_ANNOTATION];
    const networks = typeof said === 'string' ? networksIn(said) ?? [] : [];
    const namespace = pod.template.manifest.id.namespace;
    for (const network of networks) {
      const where = network.namespace ?? namespace;
      if (set.get(ATTACHMENT, network.name, where) !== undefined) continue;
      const elsewhere = set.ofKind(ATTACHMENT).find(({ id }) => id.name === network.name);
      if (elsewhere !== undefined) say(PATH, `the network "${network.name}" is defined in the namespace "${elsewhere.id.namespace}", not in "${where}"`, { severity: 'error', expected: `${elsewhere.id.namespace}/${network.name}` });
      else say(PATH, `the network "${network.name}" is not defined in these manifests: it has to be in the cluster`);
    }
  }),

  podAdvice('network-attachment-device-asked', {
    sees: 'everything',
    concerns: [NETWORKS_ANNOTATION],
    severity: 'warning',
    summary: 'A pod that attaches to a network with a device asks for that device.',
    why: 'Without the request no virtual function is set aside, unless the network resources injector is deployed.',
    fix: 'Add the resource to the limits of a container.',
    source: `sriov-network-operator v1.6.0, annotation ${NETWORK_RESOURCE_ANNOTATION}`,
  }, (pod, say, { set }) => {
    const said = pod.annotations[NETWORKS_ANNOTATION];
    for (const network of typeof said === 'string' ? networksIn(said) ?? [] : []) {
      const definition = set.get(ATTACHMENT, network.name, network.namespace ?? pod.template.manifest.id.namespace);
      const resource = text(asObject(asObject(definition?.object.metadata).annotations)[NETWORK_RESOURCE_ANNOTATION]);
      if (resource === '' || pod.all.some((container) => askedBy(container).some(({ name }) => name === resource))) continue;
      say(PATH, `the network "${network.name}" needs ${resource}, which no container asks for`, { expected: `limits["${resource}"]` });
    }
  }),
];
