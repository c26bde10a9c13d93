/**
 * Where a pod may run: labels and taints that nodes really have (row K14), affinity that can match, pods that are replaced
 * when they are lost.
 */
import { oneOf } from '../../../facts/words';
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { ACCELERATORS, acceleratorToleration, findNodeLabel, NEVER_TAINTS } from '../../../facts/catalog';
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../../checks/rules/rule';
import { type PodView } from '../../../checks/server/pod-view';
import { items, itemsOf, text, textsOf } from '../../../checks/server/values';
import { acceleratorsOf, podAdvice } from './advice';

const PRODUCT = 'nvidia.com/gpu.product';
/** Keys that are both label and taint on the nodes that have them. */
const LABEL_AND_TAINT: ReadonlySet<string> = new Set([
  'cloud.google.com/gke-spot',
  'kubernetes.azure.com/scalesetpriority',
  'karpenter.sh/capacity-type',
  'eks.amazonaws.com/capacityType',
]);
const SPOT: ReadonlyMap<string, string> = new Map([
  ['cloud.google.com/gke-spot', 'true'],
  ['cloud.google.com/gke-preemptible', 'true'],
  ['kubernetes.azure.com/scalesetpriority', 'spot'],
  ['karpenter.sh/capacity-type', 'spot'],
  ['eks.amazonaws.com/capacityType', 'SPOT'],
]);
const PRODUCTS: readonly string[] = ACCELERATORS.filter(({ vendor }) => vendor === 'nvidia').flatMap(
  ({ productLabels }) => productLabels,
);

interface Wish {
  readonly key: string;
  readonly value: string;
  readonly path: string;
}

interface Expression {
  readonly value: JsonObject;
  readonly path: string;
  /** Of a term that must hold. */
  readonly required: boolean;
}

export const placementRules: readonly Rule[] = [
  podAdvice(
    'accelerator-tolerated',
    {
      concerns: ['limits', 'requests'],
      row: 'K14',
      severity: 'info',
      summary: 'A pod that requests an accelerator should tolerate the taint that usually reserves such nodes.',
      why: 'The admission plugin that would add the toleration (ExtendedResourceToleration) is off by default: on tainted nodes the pod stays pending.',
      fix: 'Add the toleration to spec.tolerations if the nodes have the taint, for example {key: nvidia.com/gpu, operator: Exists}.',
      source: `kubernetes 1.36, admission plugin ExtendedResourceToleration; ${cite('nvidia-gpu-operator')} chart values`,
    },
    (pod, say) => {
      const tolerations = items(pod.spec, '/tolerations').map(({ value }) => value);
      const missing = new Set<string>();
      for (const container of [...pod.containers, ...pod.initContainers]) {
        for (const { name } of acceleratorsOf(container)) {
          const wanted = acceleratorToleration(name);
          const tolerated = tolerations.some((toleration) => {
            const effect = text(toleration.effect);
            const key = text(toleration.key);
            return (
              (key === wanted.key || (key === '' && toleration.operator === 'Exists')) &&
              (effect === '' || effect === wanted.effect)
            );
          });
          if (!tolerated) {
            missing.add(wanted.key);
          }
        }
      }
      for (const key of missing) {
        say(
          '/spec/tolerations',
          `the pod requests an accelerator, but does not tolerate the taint "${key}", which nodes with this accelerator usually have`,
          {
            found: null,
            expected: `{key: ${key}, operator: Exists, effect: NoSchedule}`,
            fix: `Add {key: ${key}, operator: Exists, effect: NoSchedule} to spec.tolerations if the nodes have the taint.`,
          },
        );
      }
    },
  ),

  podAdvice(
    'toleration-of-real-taint',
    {
      concerns: ['tolerations'],
      row: 'K14',
      severity: 'warning',
      summary: 'A toleration should name a taint that exists.',
      why: 'GPU feature discovery sets this key as a label, and no component taints nodes with it, so the toleration has no effect.',
      fix: 'Set key in the toleration to nvidia.com/gpu, and select the product with nodeSelector or node affinity.',
      source: `${cite('nvidia-gpu-operator')}; k8s-device-plugin (labels of GPU feature discovery)`,
    },
    (pod, say) => {
      for (const { value, path } of itemsOf(pod.spec.tolerations, '/spec/tolerations')) {
        const key = text(value.key);
        if (NEVER_TAINTS.includes(key)) {
          say(`${path}/key`, `"${key}" is a node label, not a taint, so the toleration has no effect`, {
            expected: 'nvidia.com/gpu',
          });
        }
      }
    },
  ),

  podAdvice(
    'taint-makes-no-label',
    {
      concerns: ['nodeSelector'],
      severity: 'info',
      summary: 'A key in nodeSelector must be a label of the nodes; a taint with the same key is not enough.',
      why: 'If the nodes only have the taint, no node has the label, and the pod stays pending.',
      fix: 'Add the label of nodeSelector to the nodes in addition to the taint.',
      source: 'kubernetes 1.36 (taints and labels are separate)',
    },
    (pod, say) => {
      const tolerated = new Set(items(pod.spec, '/tolerations').map(({ value }) => text(value.key)));
      for (const [key, value] of Object.entries(asObject(pod.spec.nodeSelector))) {
        if (tolerated.has(key) && !LABEL_AND_TAINT.has(key)) {
          say(
            pointer('/spec/nodeSelector', key),
            `tolerations and nodeSelector have the key "${key}", but a node with only the taint does not match nodeSelector`,
            { fix: `Add the label ${key}=${text(value)} to the nodes, or remove "${key}" from nodeSelector.` },
          );
        }
      }
    },
  ),

  fixesByField(
    podAdvice(
      'node-label-set-by-something',
      {
        concerns: ['nodeSelector', 'nodeAffinity'],
        severity: 'warning',
        summary: 'A node label that a pod selects must be set by its component, with a possible value.',
        why: 'No node has the label or the value: the pod stays pending.',
        fix: 'Select a label and a value that a component sets on the nodes, as "kubectl get nodes --show-labels" shows them.',
        source: `NVIDIA k8s-device-plugin, GPU feature discovery (internal/lm); ${cite('nvidia-gpu-operator')}`,
      },
      (pod, say) => {
        for (const { key, value, path } of wishesOf(pod)) {
          const fact = findNodeLabel(key);
          if (fact?.successor !== undefined) {
            say(
              path,
              fact.meaning === 'set by nothing'
                ? `no component sets the node label "${key}"`
                : `the node label "${key}" is outdated`,
              {
                expected: fact.successor,
                fix: `Select the label ${fact.successor} instead of ${key}.`,
              },
            );
          } else if (key === PRODUCT) {
            const near = PRODUCTS.filter(
              (product) =>
                product.startsWith(`${value}-`) ||
                product === `NVIDIA-${value}` ||
                product.startsWith(`NVIDIA-${value}-`),
            );
            const unlike = !PRODUCTS.includes(value) && (near.length > 0 || !/^[A-Z]/.test(value));
            if (unlike) {
              const wanted =
                near.length > 0
                  ? oneOf(near)
                  : 'the product name of nvidia-smi with "-" instead of spaces, such as NVIDIA-H100-80GB-HBM3';
              say(path, `"${value}" is not a product name that GPU feature discovery writes to the label ${PRODUCT}`, {
                expected: wanted,
                fix: `Set ${fieldOf(path)} to ${wanted}.`,
              });
            }
          } else if (fact?.unit === 'MiB' && !/^\d+$/.test(value)) {
            say(path, `${key} must be a number of MiB, but is "${value}"`, {
              expected: 'a number of MiB such as 81559',
              severity: 'error',
            });
          } else if (fact?.values !== undefined && value !== '' && !fact.values.includes(value)) {
            say(path, `the node label "${key}" never has the value "${value}"`, {
              expected: oneOf(fact.values),
              fix: `Set ${fieldOf(path)} to ${oneOf(fact.values)}.`,
            });
          }
        }
      },
    ),
  ),

  podAdvice(
    'affinity-compares-numbers',
    {
      concerns: ['nodeAffinity'],
      row: 'K6',
      severity: 'error',
      summary: 'The operators Gt and Lt of node affinity must have an integer as their value.',
      why: 'The API server accepts any string; the scheduler cannot read it as a number and matches no node.',
      fix: 'Set values in the expression to one integer, without a unit.',
      source: 'observed on kube-apiserver 1.36.2; kubernetes apimachinery labels.NewRequirement',
    },
    (pod, say) => {
      for (const { value, path } of expressionsOf(pod)) {
        if (value.operator !== 'Gt' && value.operator !== 'Lt') {
          continue;
        }
        for (const { value: number, path: at } of textsOf(value.values, `${path}/values`)) {
          if (!/^[+-]?\d+$/.test(number)) {
            say(at, `"${number}" is not an integer, so no node matches`, { expected: 'an integer' });
          }
        }
      }
    },
  ),

  podAdvice(
    'topology-by-network-distance',
    {
      concerns: ['podAntiAffinity'],
      severity: 'info',
      summary:
        'Pods that exchange gradients should be placed by network distance, not by host anti-affinity within a zone.',
      why: 'Anti-affinity by host name places one pod per node anywhere in the zone; it does not take racks, switches, or NVLink domains into account.',
      fix: 'Remove the anti-affinity, and set networkTopology in a Volcano Job, a Kueue topology annotation, or pod affinity with topologyKey: nvidia.com/gpu.clique.',
      source: `${cite('volcano')} HyperNode; ${cite('kueue')} topology-aware scheduling`,
    },
    (pod, say) => {
      const affinity = asObject(pod.spec.affinity);
      const path = '/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution';
      const apart = itemsOf(asObject(affinity.podAntiAffinity).requiredDuringSchedulingIgnoredDuringExecution, path);
      const byHost = apart.find(({ value }) => value.topologyKey === 'kubernetes.io/hostname');
      const wishes = wishesOf(pod);
      if (
        byHost !== undefined &&
        wishes.some(({ key }) => /topology\.kubernetes\.io\/zone/.test(key)) &&
        wishes.some(({ key }) => /gpu|accelerator/.test(key))
      ) {
        say(
          `${byHost.path}/topologyKey`,
          'the anti-affinity places each pod on a separate host, but does not keep the hosts close to each other',
        );
      }
    },
  ),

  podAdvice(
    'spot-pod-is-replaced',
    {
      sees: 'everything',
      concerns: ['nodeSelector', 'nodeAffinity'],
      severity: 'warning',
      summary: 'A pod on spot nodes should belong to a workload that replaces it.',
      why: 'A spot node may be deleted at any time, and a bare Pod is not recreated.',
      fix: 'Add a rule with action: Ignore and onPodConditions: [{type: DisruptionTarget}] to spec.podFailurePolicy of the Job.',
      source: 'kubernetes 1.36, Job podFailurePolicy (DisruptionTarget)',
    },
    (pod, say) => {
      const spot = wishesOf(pod).find(({ key, value }) => SPOT.get(key) === value);
      if (spot === undefined) {
        return;
      }
      if (pod.isPod) {
        say(spot.path, 'a Pod without a controller on a spot node is not recreated when the node is deleted', {
          expected: 'a Job',
          fix: 'Put the pod into spec.template of a Job, with a spec.podFailurePolicy rule that ignores the DisruptionTarget condition.',
        });
      } else if (pod.group === 'batch' && pod.kind === 'Job') {
        const policy = asObject(asObject(pod.template.manifest.object.spec).podFailurePolicy);
        const ignores = items(policy, '/rules').some(
          ({ value }) =>
            value.action === 'Ignore' &&
            items(value, '/onPodConditions').some((condition) => condition.value.type === 'DisruptionTarget'),
        );
        if (!ignores) {
          say(spot.path, 'each deletion of a spot node counts as a pod failure toward the backoffLimit of the Job', {
            severity: 'info',
            expected: 'a podFailurePolicy rule with action: Ignore for DisruptionTarget',
          });
        }
      }
    },
  ),

  podAdvice(
    'accelerator-pod-is-owned',
    {
      severity: 'info',
      summary: 'A pod with an accelerator should belong to a workload.',
      why: 'A bare Pod is not recreated when its node or its GPU fails.',
      fix: 'Put the pod into spec.template of a Job, a training job, or a Deployment.',
      source: 'kubernetes 1.36 (bare Pods are not rescheduled)',
    },
    (pod, say) => {
      if (
        !pod.isPod ||
        items(pod.metadata, '/ownerReferences').length > 0 ||
        text(pod.spec.restartPolicy) === 'Never'
      ) {
        return;
      }
      if (pod.containers.some((container) => acceleratorsOf(container).length > 0)) {
        say('', 'a bare Pod with an accelerator is not recreated when its node fails', {
          found: 'Pod',
          expected: 'a Job or another workload',
        });
      }
    },
  ),
];

/** The expressions of required and preferred node affinity. */
function expressionsOf(pod: PodView): readonly Expression[] {
  const affinity = asObject(asObject(pod.spec.affinity).nodeAffinity);
  const base = '/spec/affinity/nodeAffinity';
  const required = asObject(affinity.requiredDuringSchedulingIgnoredDuringExecution);
  const terms = [
    ...itemsOf(
      required.nodeSelectorTerms,
      `${base}/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms`,
    ).map((term) => ({ ...term, required: true })),
    ...itemsOf(
      affinity.preferredDuringSchedulingIgnoredDuringExecution,
      `${base}/preferredDuringSchedulingIgnoredDuringExecution`,
    ).map(({ value, path }) => ({ value: asObject(value.preference), path: `${path}/preference`, required: false })),
  ];
  return terms.flatMap((term) =>
    itemsOf(term.value.matchExpressions, `${term.path}/matchExpressions`).map(({ value, path }) => ({
      value,
      path,
      required: term.required,
    })),
  );
}

/** The label values that a node must have one of. */
function wishesOf(pod: PodView): readonly Wish[] {
  const selector = pod.spec.nodeSelector;
  const plain = isObject(selector)
    ? Object.entries(selector).map(([key, value]) => ({
        key,
        value: text(value),
        path: pointer('/spec/nodeSelector', key),
      }))
    : [];
  const affine = expressionsOf(pod)
    .filter(({ value, required }) => required && value.operator === 'In')
    .flatMap(({ value, path }) =>
      textsOf(value.values, `${path}/values`).map((entry) => ({
        key: text(value.key),
        value: entry.value,
        path: entry.path,
      })),
    );
  return [...plain, ...affine];
}
