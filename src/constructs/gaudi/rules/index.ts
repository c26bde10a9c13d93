/**
 * What goes wrong with Gaudi devices though every component accepts it.
 */
import { type Rule, type SetRule } from '../../../checks/rules/rule';
import { asArray, asObject, asString } from '../../../manifests/read';
import { askedByPod, domainAdvice } from '../../pods/rules/domain-advice';
import { clusterPolicyRules } from './cluster-policy';

const DOCUMENTS = 'Intel Gaudi documentation';
const OPERATOR_CHART = 'habana-ai-operator';

const onePlugin: SetRule = {
  id: 'gaudi/one-device-plugin',
  tier: 'advice',
  severity: 'error',
  summary: 'Gaudi devices must be served by the base operator or by a device plugin of your own, not by both.',
  why: 'Two plugins register the same resource name with the kubelet and allocate the same devices.',
  source: `${DOCUMENTS}, "Kubernetes Installation"`,
  fix: 'Remove the DaemonSet of the device plugin, or the release of the chart habana-ai-operator.',
  on: 'set',
  check: function* ({ set }) {
    const charts = [
      ...set
        .ofKind('helm.toolkit.fluxcd.io/HelmRelease')
        .map(({ object }) => asObject(asObject(asObject(object.spec).chart).spec).chart),
      ...set.ofKind('argoproj.io/Application').map(({ object }) => asObject(asObject(object.spec).source).chart),
    ];
    if (!charts.includes(OPERATOR_CHART)) {
      return;
    }
    for (const manifest of set.ofKind('apps/DaemonSet')) {
      const spec = asObject(asObject(asObject(manifest.object.spec).template).spec);
      const images = asArray(spec.containers).map((container) => asString(asObject(container).image) ?? '');
      if (images.some((image) => /docker-k8s-device-plugin|gaudi-device-plugin/.test(image))) {
        yield {
          manifest,
          path: '/spec/template/spec/containers',
          message: `the chart ${OPERATOR_CHART} in these manifests also deploys the device plugin, and both allocate the same devices`,
          expected: 'one device plugin',
        };
      }
    }
  },
};

const VARIABLE = 'HABANA_VISIBLE_DEVICES';

const visibleDevices = domainAdvice(
  'gaudi',
  'visible-devices-left-to-plugin',
  {
    concerns: ['habana.ai/gaudi'],
    severity: 'warning',
    summary: `A container with Gaudi accelerators should not set ${VARIABLE}.`,
    why: 'The device plugin sets it to the devices that it allocated; another value gives the container devices of other pods.',
    source: `${DOCUMENTS}, "Docker Installation" (habana-container-runtime)`,
    fix: `Remove ${VARIABLE} from env; use HABANA_VISIBLE_MODULES to choose among the allocated devices.`,
  },
  (pod, say) => {
    if (!askedByPod(pod).some(({ name }) => name === 'habana.ai/gaudi')) {
      return;
    }
    for (const container of pod.all) {
      asArray(container.value.env).forEach((entry, index) => {
        if (asObject(entry).name === VARIABLE) {
          say(
            `${container.path}/env/${index}`,
            `${VARIABLE} replaces the devices that the device plugin allocated to the container`,
            {
              expected: 'unset',
            },
          );
        }
      });
    }
  },
);

export const gaudiRules: readonly Rule[] = [onePlugin, visibleDevices, ...clusterPolicyRules];
