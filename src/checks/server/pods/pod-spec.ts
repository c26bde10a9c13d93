/**
 * What the pod says as a whole: policies, deadlines, names of other objects, DNS, host names, gates.
 */
import { isObject } from '../../../manifests/read';
import { isAddress } from '../addresses';
import { type Rule } from '../../rules/rule';
import { fieldFromObject, type PodView } from '../pod-view';
import { podRule, since } from '../server-rule';
import { checkLabels } from '../selectors';
import {
  dnsLabel,
  dnsSubdomain,
  dnsSubdomainWithUnderscores,
  qualifiedName,
} from '../../../manifests/values/name-syntax';
import { given, itemsOf, size, text, textsOf, whole } from '../values';
import { oneOf } from '../../../facts/words';

const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ['restartPolicy', ['Always', 'OnFailure', 'Never']],
  ['dnsPolicy', ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']],
];
/** What batch/v1 accepts in the pod template of a Job, and apps/v1 in that of a workload that never completes. */
const JOB_RESTART_POLICIES = ['OnFailure', 'Never'];
const LASTING_RESTART_POLICIES = ['Always'];

/** Kinds whose pods all belong to ReplicaSets, StatefulSets, or DaemonSets. */
const LASTING: ReadonlySet<string> = new Set([
  '/ReplicationController',
  'apps/DaemonSet',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'disaggregatedset.x-k8s.io/DisaggregatedSet',
  'leaderworkerset.x-k8s.io/LeaderWorkerSet',
]);

/** Kinds whose pods all belong to Jobs. */
const MAKE_JOBS: ReadonlySet<string> = new Set([
  'batch/CronJob',
  'batch/Job',
  'jobset.x-k8s.io/JobSet',
  'keda.sh/ScaledJob',
  'trainer.kubeflow.org/ClusterTrainingRuntime',
  'trainer.kubeflow.org/TrainingRuntime',
]);

/** What the pod may set, by what its controller makes. KubeRay submits to a Ray cluster with a Job. */
function restartPoliciesOf({ group, kind, template }: PodView, all: readonly string[]): readonly string[] {
  const key = `${group}/${kind}`;
  if (LASTING.has(key)) {
    return LASTING_RESTART_POLICIES;
  }
  return MAKE_JOBS.has(key) || template.path.endsWith('/submitterPodTemplate') ? JOB_RESTART_POLICIES : all;
}

/** None requires name servers, which the pod may not have. */
const dnsPoliciesOf = ({ spec }: PodView, all: readonly string[]): readonly string[] =>
  isObject(spec.dnsConfig) && size(spec.dnsConfig.nameservers) > 0 ? all : all.filter((policy) => policy !== 'None');

/** Fields that name another object: where an empty name counts as none, and where it does not. */
const NAMES: readonly (readonly [string, boolean])[] = [
  ['serviceAccountName', true],
  ['nodeName', true],
  ['priorityClassName', true],
  ['runtimeClassName', false],
];

export const podSpecRules: readonly Rule[] = [
  podRule(
    'pod-policy-valid',
    {
      concerns: ['restartPolicy', 'dnsPolicy', 'preemptionPolicy'],
      summary: 'restartPolicy, dnsPolicy, and preemptionPolicy must have supported values.',
      fix: 'Set restartPolicy, dnsPolicy, or preemptionPolicy to a supported value, or leave it unset.',
      yieldsTo: 'any',
    },
    (pod, say) => {
      for (const [field, values] of CHOICES) {
        const value = text(pod.spec[field]);
        if (value !== '' && !values.includes(value)) {
          const policiesOf = field === 'restartPolicy' ? restartPoliciesOf : dnsPoliciesOf;
          const expected = oneOf(policiesOf(pod, values));
          const removed = expected === 'Always' ? ', or remove it' : '';
          say(`/spec/${field}`, `unsupported value "${value}" for ${field}`, {
            expected,
            fix: `Set ${fieldFromObject(pod, `/spec/${field}`)} to ${expected}${removed}.`,
          });
        }
      }
      const preemption = pod.spec.preemptionPolicy;
      if (typeof preemption === 'string' && !['PreemptLowerPriority', 'Never'].includes(preemption)) {
        say('/spec/preemptionPolicy', `unsupported value "${preemption}" for preemptionPolicy`, {
          expected: 'PreemptLowerPriority or Never',
        });
      }
    },
  ),

  podRule(
    'pod-deadline-valid',
    {
      concerns: ['activeDeadlineSeconds'],
      summary: 'activeDeadlineSeconds must be between 1 and 2147483647.',
      fix: 'Set activeDeadlineSeconds to at least 1, or leave it unset.',
    },
    (pod, say) => {
      const seconds = whole(pod.spec.activeDeadlineSeconds);
      if (seconds !== undefined && (seconds < 1 || seconds > 2147483647)) {
        say(
          '/spec/activeDeadlineSeconds',
          `activeDeadlineSeconds must be between 1 and 2147483647, but is ${seconds}`,
          {
            expected: '1-2147483647',
          },
        );
      }
    },
  ),

  podRule(
    'pod-reference-name-valid',
    {
      concerns: ['serviceAccountName', 'serviceAccount', 'nodeName', 'priorityClassName', 'runtimeClassName'],
      summary: 'Service account, node, priority class, and runtime class must be DNS names.',
      fix: 'Set serviceAccountName, nodeName, priorityClassName, or runtimeClassName to the name of an object.',
    },
    (pod, say) => {
      for (const [field, emptyIsNone] of NAMES) {
        // serviceAccount is the old name of the field.
        const value =
          field === 'serviceAccountName' ? text(pod.spec[field]) || text(pod.spec.serviceAccount) : pod.spec[field];
        if (typeof value !== 'string' || (emptyIsNone && value === '')) {
          continue;
        }
        const complaint = dnsSubdomain(value);
        if (complaint !== undefined) {
          say(`/spec/${field}`, `${field} ${JSON.stringify(value)} must ${complaint}`);
        }
      }
    },
  ),

  podRule(
    'pod-host-name-valid',
    {
      concerns: ['hostname', 'subdomain', 'hostnameOverride'],
      summary:
        'hostname and subdomain must be DNS labels; hostnameOverride must be a DNS name of at most 64 characters and exclude related settings.',
      fix: 'Set hostname, subdomain, or hostnameOverride to a valid name.',
    },
    (pod, say, context) => {
      for (const field of ['hostname', 'subdomain']) {
        const value = text(pod.spec[field]);
        // A StatefulSet ignores both.
        const complaint = value === '' || pod.kind === 'StatefulSet' ? undefined : dnsLabel(value);
        if (complaint !== undefined) {
          say(`/spec/${field}`, `${field} "${value}" must ${complaint}`);
        }
      }
      const override = pod.spec.hostnameOverride;
      if (typeof override !== 'string' || !since(context, 35)) {
        return;
      }
      if (pod.spec.setHostnameAsFQDN === true) {
        say('/spec/hostnameOverride', 'hostnameOverride must not be set when setHostnameAsFQDN is true');
      }
      if (pod.hostNetwork) {
        say('/spec/hostnameOverride', 'hostnameOverride must not be set when hostNetwork is true');
      }
      const complaint = override.length > 64 ? 'be no more than 64 characters' : dnsSubdomain(override);
      if (complaint !== undefined) {
        say('/spec/hostnameOverride', `hostnameOverride must ${complaint}`);
      }
    },
  ),

  podRule(
    'host-alias-valid',
    {
      concerns: ['hostAliases'],
      summary: 'A host alias must have an IP address and DNS names.',
      fix: 'Set hostAliases[].ip to an IP address and hostAliases[].hostnames to DNS names.',
    },
    (pod, say, context) => {
      for (const { value, path } of itemsOf(pod.spec.hostAliases, '/spec/hostAliases')) {
        if (!isAddress(text(value.ip), since(context, 36))) {
          say(`${path}/ip`, `${JSON.stringify(text(value.ip))} is not a valid IP address`);
        }
        for (const name of textsOf(value.hostnames, `${path}/hostnames`)) {
          const complaint = dnsSubdomain(name.value);
          if (complaint !== undefined) {
            say(name.path, `the host name "${name.value}" must ${complaint}`);
          }
        }
      }
    },
  ),

  podRule(
    'dns-config-valid',
    {
      concerns: ['dnsConfig', 'dnsPolicy'],
      summary:
        'dnsConfig must have at most 3 name servers that are IP addresses, at most 32 search domains, and named options; dnsPolicy None requires it.',
      fix: 'Set dnsConfig.nameservers, dnsConfig.searches, and dnsConfig.options to valid values.',
    },
    (pod, say, context) => {
      const config = pod.spec.dnsConfig;
      const nameservers = isObject(config) ? size(config.nameservers) : 0;
      if (text(pod.spec.dnsPolicy) === 'None' && nameservers === 0) {
        say('/spec/dnsConfig', 'dnsConfig.nameservers must not be empty when dnsPolicy is None', {
          fix: 'Add the IP address of at least one name server to dnsConfig.nameservers.',
        });
        return;
      }
      if (!isObject(config)) {
        return;
      }
      if (nameservers > 3) {
        say('/spec/dnsConfig/nameservers', `dnsConfig must have at most 3 name servers, but has ${nameservers}`, {
          expected: 'at most 3',
        });
      }
      for (const { value, path } of textsOf(config.nameservers, '/spec/dnsConfig/nameservers')) {
        if (!isAddress(value, since(context, 36))) {
          say(path, `${JSON.stringify(value)} is not a valid IP address`);
        }
      }
      const searches = textsOf(config.searches, '/spec/dnsConfig/searches');
      if (searches.length > 32) {
        say('/spec/dnsConfig/searches', `dnsConfig must have at most 32 search domains, but has ${searches.length}`, {
          expected: 'at most 32',
        });
      }
      if (searches.map(({ value }) => value).join(' ').length > 2048) {
        say('/spec/dnsConfig/searches', 'the search domains must have no more than 2048 characters in total');
      }
      for (const { value, path } of searches) {
        if (value === '.' && since(context, 33)) {
          continue;
        }
        const name = value.replace(/\.$/, '');
        const complaint = since(context, 33) ? dnsSubdomainWithUnderscores(name) : dnsSubdomain(name);
        if (complaint !== undefined) {
          say(path, `the search domain ${JSON.stringify(value)} must ${complaint}`);
        }
      }
      for (const { value, path } of itemsOf(config.options, '/spec/dnsConfig/options')) {
        if (text(value.name) === '') {
          say(`${path}/name`, 'the option must have a name');
        }
      }
    },
  ),

  podRule(
    'node-selector-labels-valid',
    {
      concerns: ['nodeSelector'],
      row: 'K6',
      summary: 'nodeSelector must have valid label keys and values.',
      fix: 'Set spec.nodeSelector to valid label keys and values.',
    },
    (pod, say) => checkLabels(pod.spec.nodeSelector, '/spec/nodeSelector', say),
  ),

  podRule(
    'pod-gate-valid',
    {
      concerns: ['schedulingGates', 'readinessGates'],
      summary: 'Scheduling gates must have valid and unique names, and readiness gates valid condition types.',
      fix: 'Set schedulingGates[].name to a unique name such as example.com/gate.',
    },
    (pod, say) => {
      const seen = new Set<string>();
      for (const { value, path } of itemsOf(pod.spec.schedulingGates, '/spec/schedulingGates')) {
        const name = text(value.name);
        const complaint = qualifiedName(name);
        if (complaint !== undefined) {
          say(`${path}/name`, `the gate name ${JSON.stringify(name)} must ${complaint}`);
        }
        if (seen.has(name)) {
          say(`${path}/name`, `duplicate gate "${name}"`);
        }
        seen.add(name);
      }
      for (const { value, path } of itemsOf(pod.spec.readinessGates, '/spec/readinessGates')) {
        const complaint = qualifiedName(text(value.conditionType));
        if (complaint !== undefined) {
          say(
            `${path}/conditionType`,
            `the condition type ${JSON.stringify(text(value.conditionType))} must ${complaint}`,
          );
        }
      }
    },
  ),

  podRule(
    'scheduling-gate-without-node',
    {
      concerns: ['schedulingGates'],
      summary: 'A Pod with scheduling gates must not set nodeName.',
      fix: 'Remove nodeName or schedulingGates.',
    },
    (pod, say) => {
      if (pod.isPod && pod.builtIn && text(pod.spec.nodeName) !== '' && size(pod.spec.schedulingGates) > 0) {
        say('/spec/nodeName', 'nodeName must not be set when schedulingGates is set');
      }
    },
  ),

  podRule(
    'mirror-pod-has-node',
    {
      concerns: ['kubernetes.io/config.mirror'],
      summary: 'A mirror pod must set nodeName.',
      fix: 'Remove the annotation kubernetes.io/config.mirror, which the kubelet sets.',
    },
    (pod, say) => {
      if (given(pod.annotations['kubernetes.io/config.mirror']) && text(pod.spec.nodeName) === '') {
        say('/metadata/annotations/kubernetes.io~1config.mirror', 'nodeName must be set for a mirror pod');
      }
    },
  ),

  podRule(
    'pod-deletion-cost-valid',
    {
      concerns: ['controller.kubernetes.io/pod-deletion-cost'],
      summary: 'The annotation controller.kubernetes.io/pod-deletion-cost must be a 32-bit integer.',
      fix: 'Set controller.kubernetes.io/pod-deletion-cost to an integer, without "+" and leading zeros.',
    },
    (pod, say) => {
      const cost = pod.annotations['controller.kubernetes.io/pod-deletion-cost'];
      if (typeof cost !== 'string') {
        return;
      }
      const valid = /^(0|[1-9]\d*|-\d+)$/.test(cost) && Number(cost) <= 2147483647 && Number(cost) >= -2147483648;
      if (!valid) {
        say(
          '/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost',
          `"${cost}" is not a valid 32-bit integer`,
        );
      }
    },
  ),
];
