/**
 * Pods that ask for shares of GPUs, held against how the set shares them.
 */
import { cite } from '../../../facts/upstream';
import { type PodTemplateRule } from '../../../checks/rules/rule';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { asArray, asObject } from '../../../manifests/read';
import { parseQuantity } from '../../../manifests/values/quantity';
import { devicePluginConfigsOf } from './embedded';

/** Resources that, according to a configuration of the set, a pod can request only one of. */
function askedOnceIn(set: ManifestSet): ReadonlySet<string> {
  return new Set(
    set
      .ofKind('ConfigMap')
      .flatMap((map) => devicePluginConfigsOf(map, set))
      .flatMap(({ reading }) => reading.askedOnce),
  );
}

export const sharedDeviceAskedOnce: PodTemplateRule = {
  id: 'gpu-operator/shared-device-asked-once',
  tier: 'advice',
  severity: 'warning',
  summary: 'A container should request only one share of a GPU.',
  why: 'Shares are time slices of a GPU, not parts of it: two provide no more than one. With failRequestsGreaterThanOne, and always with MPS, the kubelet rejects the pod (UnexpectedAdmissionError).',
  source: `${cite('k8s-device-plugin')}, README (shared access); internal/rm`,
  fix: 'Set the resource in resources.limits to 1, or use nodes whose GPUs are not shared.',
  concerns: ['limits'],
  on: 'pod-template',
  sees: 'template',
  check: function* (template, { set }) {
    let refused: ReadonlySet<string> | undefined;
    for (const list of ['initContainers', 'containers']) {
      for (const [index, container] of asArray(template.spec[list]).entries()) {
        const limits = asObject(asObject(asObject(container).resources).limits);
        for (const [name, amount] of Object.entries(limits)) {
          const count =
            typeof amount === 'number' || typeof amount === 'string' ? (parseQuantity(amount)?.toNumber() ?? 0) : 0;
          if (count <= 1 || !name.endsWith('.shared') || !name.startsWith('nvidia.com/')) {
            continue;
          }
          refused ??= askedOnceIn(set);
          yield {
            path: pointer('/spec', list, index, 'resources', 'limits', name),
            message: `the container requests ${count} ${name}, but several shares of a GPU provide no more compute than one share`,
            found: amount,
            expected: '1',
            fix: `Set limits["${name}"] to 1, or use nodes whose GPUs are not shared.`,
            ...(refused.has(name) ? { severity: 'error' as const } : {}),
          };
        }
      }
    }
  },
};
