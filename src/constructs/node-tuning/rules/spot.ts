/**
 * Pods on spot nodes: the label and the taint of one cloud must both be answered, and there is little time to end.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { CLOUDS, type CloudFacts, spotFacts } from '../../../facts/catalog';
import { type PodTemplateRule, type Violation } from '../../../checks/rule';
import { items, whole } from '../../../checks/server/values';
import { type PodTemplate } from '../../../manifests/pod-template';
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
    summary: 'A pod that asks for spot nodes tolerates their taint.',
    why: 'AKS taints its spot nodes by itself, and nobody adds the toleration: the pod stays pending. On GKE the taint is yours to set.',
    source: "AKS spot node pools; GKE spot VMs (vendors' documents)",
    fix: 'Add the toleration, or use NodeSelection.spot or a NodeProfile, which say both.',
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
          message: `spot nodes of ${title} carry the taint ${taint.key}, which the pod does not tolerate`,
          expected: wanted,
        };
      } else {
        yield {
          severity: 'info',
          path,
          message: `spot nodes of ${title} are usually tainted with ${taint.key}, which the pod does not tolerate`,
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
    summary: 'A pod on spot nodes ends within the notice that its cloud gives.',
    why: 'The node is gone before the grace period is over, and with it the checkpoint that was being written.',
    source: 'GKE spot VMs (30 s, of which pods have 15 and system pods 15); AWS (120 s); Azure (30 s)',
    fix: 'Write checkpoints as training goes, and let terminationGracePeriodSeconds be less than the notice.',
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
        message: `the pod may take ${seconds} s to end, and a spot node of ${title} has ${noticeSeconds}`,
        found: seconds,
        expected: `below ${noticeSeconds}`,
      };
    }
  },
);

const spotSelected = podRule(
  'spot-tolerance-selects',
  {
    row: 'P7',
    severity: 'info',
    summary: 'A pod that tolerates the taint of spot nodes asks for them as well, if it shall run there.',
    why: 'A toleration lets a pod onto nodes and draws it nowhere: it may run on nodes at full price.',
    source: 'kubernetes 1.36 (taints and tolerations)',
    fix: 'Add the node label of spot nodes, if that is meant.',
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
          message: `spot nodes of ${met.title} are tolerated and not asked for`,
          expected: `the node label ${label}=${value}, if that is meant`,
        };
      }
    }
  },
);

export const spotRules: readonly PodTemplateRule[] = [spotTolerated, spotGrace, spotSelected];
