/**
 * Pods on spot nodes: the label and the taint of one cloud must both be answered, and there is little time to end.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { CLOUDS, type CloudFacts, spotFacts } from '../../../facts/catalog';
import { type PodTemplateRule, type Violation } from '../../../checks/rules/rule';
import { items, whole } from '../../../checks/server/values';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asObject } from '../../../manifests/read';
import { tolerates, wishFor } from './pod-nodes';

type Spot = NonNullable<CloudFacts['spot']>;

interface SpotLabel {
  readonly title: string;
  readonly spot: Spot;
}

const SPOT_LABELS: readonly SpotLabel[] = [
  ...Object.values(CLOUDS).flatMap(({ title, spot }) => (spot === undefined ? [] : [{ title, spot }])),
  ...[spotFacts('karpenter')].flatMap((spot) => (spot === undefined ? [] : [{ title: 'Karpenter', spot }])),
];

type Facts = Pick<PodTemplateRule, 'row' | 'severity' | 'summary' | 'why' | 'source' | 'fix' | 'concerns'>;

function podRule(
  name: string,
  facts: Facts,
  check: (spec: JsonObject, template: PodTemplate) => Iterable<Violation>,
): PodTemplateRule {
  return {
    id: `node-tuning/${name}`,
    tier: 'advice',
    ...facts,
    on: 'pod-template',
    sees: 'template',
    check: (template) => check(template.spec, template),
  };
}

const spotTolerated = podRule(
  'spot-taint-tolerated',
  {
    row: 'P8',
    severity: 'warning',
    summary: 'A pod that selects spot nodes must tolerate their taint.',
    why: 'AKS taints its spot nodes, and nothing adds the toleration: the pod stays pending. On GKE you set the taint yourself.',
    source: "AKS spot node pools; GKE spot VMs (vendors' documents)",
    fix: 'Add the expected toleration to spec.tolerations.',
    concerns: ['nodeSelector', 'nodeAffinity'],
  },
  function* (spec) {
    for (const {
      title,
      spot: { label, value, taint, taintBy },
    } of SPOT_LABELS) {
      const path = taint === undefined ? undefined : wishFor(spec, label, value);
      if (path === undefined || taint === undefined || tolerates(spec, taint)) {
        continue;
      }
      const wanted = `{key: ${taint.key}, operator: Equal, value: "${taint.value ?? ''}", effect: ${taint.effect}}`;
      if (taintBy === 'cloud') {
        yield {
          severity: 'error',
          path,
          fix: `Add ${wanted} to spec.tolerations.`,
          message: `the pod selects ${title} spot nodes, but does not tolerate their taint ${taint.key}`,
          expected: wanted,
        };
      } else {
        yield {
          severity: 'info',
          path,
          fix: `Add ${wanted} to spec.tolerations if the nodes have the taint.`,
          message: `the pod does not tolerate the taint ${taint.key}, which ${title} spot nodes usually have`,
          expected: wanted,
        };
      }
    }
  },
);

const spotGrace = podRule(
  'spot-grace-within-notice',
  {
    row: 'P7',
    severity: 'warning',
    summary: 'A pod on spot nodes must terminate within the notice period of its cloud.',
    why: 'Otherwise the node is deleted before the grace period ends, and the checkpoint that is being written is lost.',
    source: 'GKE spot VMs (30 s: 15 for pods, 15 for system pods); AWS (120 s); Azure (30 s)',
    fix: 'Set terminationGracePeriodSeconds to less than the notice period, and write checkpoints during training.',
    concerns: ['terminationGracePeriodSeconds'],
  },
  function* (spec) {
    const seconds = whole(spec.terminationGracePeriodSeconds);
    if (seconds === undefined) {
      return;
    }
    for (const {
      title,
      spot: { label, value, noticeSeconds },
    } of SPOT_LABELS) {
      if (noticeSeconds === undefined || seconds <= noticeSeconds || wishFor(spec, label, value) === undefined) {
        continue;
      }
      yield {
        path: '/spec/terminationGracePeriodSeconds',
        message: `terminationGracePeriodSeconds must be less than the notice period of ${title} spot nodes (${seconds} s >= ${noticeSeconds} s)`,
        found: seconds,
        expected: `less than ${noticeSeconds}`,
      };
    }
  },
);

const spotSelected = podRule(
  'spot-tolerance-selects',
  {
    row: 'P7',
    severity: 'info',
    summary: 'A pod that tolerates the taint of spot nodes should also select them, if it is to run there.',
    why: 'A toleration allows a pod on tainted nodes but does not attract it: the pod may run on nodes at full price.',
    source: 'kubernetes 1.36 (taints and tolerations)',
    fix: 'Add the label of spot nodes to spec.nodeSelector if the pod must run on them, or suppress the rule.',
    concerns: ['tolerations'],
  },
  function* (spec, { manifest }) {
    if (manifest.id.kind === 'DaemonSet') {
      return;
    }
    for (const { path, value: toleration } of items(spec, '/tolerations')) {
      const met = SPOT_LABELS.find(({ spot }) => spot.taint !== undefined && spot.taint.key === toleration.key);
      if (met === undefined) {
        continue;
      }
      const { label, value } = met.spot;
      const wished =
        Object.keys(asObject(spec.nodeSelector)).includes(label) ||
        JSON.stringify(spec.affinity ?? {}).includes(`"${label}"`);
      if (!wished) {
        yield {
          path: `/spec${path}`,
          message: `the pod tolerates the taint of ${met.title} spot nodes, but does not select spot nodes`,
          expected: `the node label ${label}=${value}, if intended`,
        };
      }
    }
  },
);

export const spotRules: readonly PodTemplateRule[] = [spotTolerated, spotGrace, spotSelected];
