/**
 * Requests for devices that name what there is, with what goes with it.
 */
import { cite } from '../../../facts/upstream';
import { ACCELERATORS, findAccelerator, findNodeLabel, parseMigProfile, tpuCountProblem } from '../../../facts/catalog';
import { type Rule } from '../../../checks/rules/rule';
import { itemsOf, text, textsOf } from '../../../checks/server/values';
import { asObject } from '../../../manifests/read';
import { askedBy } from '../../pods/rules/advice';
import { askedByPod, deviceAdvice, nodeLabelWanted } from './device-advice';

const MIG = 'nvidia.com/mig-';
const PRODUCT = 'nvidia.com/gpu.product';
const MEMORY_LABEL = 'nvidia.com/gpu.memory';
/** The smallest GPU of the catalog has more MiB than this. */
const LEAST_LABEL_MIB = 1024;
/** What a pod selects a TPU slice by, and to what it sets that. */
const TPU_LABELS: readonly (readonly [label: string, value: string])[] = [
  ['cloud.google.com/gke-tpu-accelerator', 'the type of the slice, such as tpu-v5-lite-podslice'],
  ['cloud.google.com/gke-tpu-topology', 'the topology of the slice, such as 2x4'],
];

/** `1g.10gb.me` of a resource is `1g.10gb+me`. */
function profileOf(resource: string): string {
  return resource
    .slice(MIG.length)
    .replace(/\.shared$/, '')
    .replace(/(gb)\.(me|gfx)/, '$1+$2');
}

export const requestRules: readonly Rule[] = [
  deviceAdvice(
    'label-is-no-resource',
    {
      concerns: ['limits', 'requests'],
      severity: 'error',
      summary: 'A requested resource must not be the name of a node label.',
      why: 'No node offers a resource of that name: the pod stays pending.',
      source: `${cite('k8s-device-plugin')}, internal/rm; gpu-feature-discovery, internal/lm`,
      fix: 'Request nvidia.com/gpu or nvidia.com/mig-<profile> in resources.limits, and select nodes by the label in nodeSelector.',
    },
    (pod, say) => {
      for (const { name, path } of askedByPod(pod)) {
        if (name === 'nvidia.com/mig') {
          say(path, 'nvidia.com/mig is not a resource, because its name must include a MIG profile', {
            expected: 'nvidia.com/mig-<profile>, for example nvidia.com/mig-1g.10gb',
            fix: 'Rename nvidia.com/mig to nvidia.com/mig-<profile>, for example nvidia.com/mig-1g.10gb.',
          });
        } else if (name.startsWith('nvidia.com/') && findNodeLabel(name) !== undefined) {
          say(path, `${name} is a node label, not a resource, so no node offers it`, { expected: 'nvidia.com/gpu' });
        }
      }
    },
  ),

  deviceAdvice(
    'mig-profile-exists',
    {
      concerns: ['limits', 'requests'],
      severity: 'warning',
      summary: 'A MIG resource must name a profile that a GPU supports, in the form <slices>g.<memory>gb.',
      why: 'No node offers the resource: the pod stays pending.',
      source: `${cite('mig-parted')}, deployments/systemd/config-default.yaml; ${cite('k8s-device-plugin')}, internal/rm/rm.go`,
      fix: 'Rename the resource to nvidia.com/mig-<profile> with a MIG profile of the GPU, for example nvidia.com/mig-1g.10gb.',
    },
    (pod, say) => {
      for (const { name, path } of askedByPod(pod)) {
        if (!name.startsWith(MIG)) {
          continue;
        }
        const profile = profileOf(name);
        if (parseMigProfile(profile) === undefined) {
          say(path, `"${name.slice(MIG.length)}" is not a valid MIG profile`, {
            expected: 'nvidia.com/mig-<slices>g.<memory>gb',
            fix: `Rename ${name} to nvidia.com/mig-<profile>, for example nvidia.com/mig-1g.10gb.`,
            severity: 'error',
          });
        } else if (!ACCELERATORS.some(({ mig }) => mig.some((known) => known.name === profile))) {
          say(path, `no known GPU supports the MIG profile "${profile}"`);
        }
      }
    },
  ),

  deviceAdvice(
    'mig-profile-of-product',
    {
      concerns: ['limits', 'requests'],
      severity: 'error',
      summary: 'A pod that requests a MIG profile must not select GPUs that do not support it.',
      why: 'No node has both: the pod stays pending. Profiles depend on the GPU: 1g.10gb of an H100 is 1g.18gb on an H200.',
      source: `${cite('mig-parted')}, deployments/systemd/config-default.yaml`,
      fix: 'Request a MIG profile that the selected GPU supports, or select a different GPU with nvidia.com/gpu.product in nodeSelector.',
    },
    (pod, say) => {
      const products = nodeLabelWanted(pod, PRODUCT)?.map((label) => findAccelerator(label));
      if (products === undefined || products.some((product) => product === undefined)) {
        return;
      }
      for (const { name, path } of askedByPod(pod)) {
        if (!name.startsWith(MIG)) {
          continue;
        }
        const profile = profileOf(name);
        const [first] = products;
        if (first !== undefined && products.every((product) => product?.mig.every((known) => known.name !== profile))) {
          const profiles = first.mig.map((known) => known.name).join(', ');
          say(
            path,
            `the pod selects ${first.name} GPUs, which do not support ${profiles === '' ? 'MIG' : `the MIG profile "${profile}"`}`,
            {
              expected: profiles || 'a GPU that supports MIG',
              fix:
                profiles === ''
                  ? 'Set nvidia.com/gpu.product in nodeSelector to a GPU that supports MIG, or request nvidia.com/gpu.'
                  : `Rename ${name} to nvidia.com/mig-<profile> with a profile of ${first.name}, such as ${first.mig[0]?.name ?? ''}, or set nvidia.com/gpu.product in nodeSelector to a GPU with this profile.`,
            },
          );
        }
      }
    },
  ),

  deviceAdvice(
    'memory-label-in-mib',
    {
      concerns: ['nodeSelector', 'nodeAffinity'],
      severity: 'error',
      summary: `The node label ${MEMORY_LABEL} must be compared with MiB.`,
      why: 'A number in GiB matches every node (Gt) or none (In, Lt): an H100 has 81559.',
      source: 'gpu-feature-discovery, README (labels)',
      fix: `Compare ${MEMORY_LABEL} in nodeAffinity by the operator Gt with a number of MiB below the nominal size, such as 75000 for 80 GB.`,
    },
    (pod, say) => {
      const selected = asObject(pod.spec.nodeSelector)[MEMORY_LABEL];
      if (selected !== undefined && tooSmall(text(selected))) {
        say(`/spec/nodeSelector/${MEMORY_LABEL.replace('/', '~1')}`, belowAnyGpu(text(selected)), {
          expected: 'the exact number of MiB, such as 81559',
        });
      }
      const at = '/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms';
      const required = asObject(
        asObject(asObject(pod.spec.affinity).nodeAffinity).requiredDuringSchedulingIgnoredDuringExecution,
      );
      for (const term of itemsOf(required.nodeSelectorTerms, at)) {
        for (const { value, path } of itemsOf(term.value.matchExpressions, `${term.path}/matchExpressions`)) {
          if (value.key !== MEMORY_LABEL) {
            continue;
          }
          for (const one of textsOf(value.values, `${path}/values`)) {
            if (tooSmall(one.value)) {
              say(one.path, belowAnyGpu(one.value), {
                expected: 'a number of MiB, such as 75000 for 80 GB',
              });
            }
          }
        }
      }
    },
  ),

  deviceAdvice(
    'gaudi-has-huge-pages',
    {
      concerns: ['habana.ai/gaudi'],
      severity: 'warning',
      summary: 'A container with Gaudi accelerators must request huge pages.',
      why: 'Their driver maps huge pages; without them the process exits when it opens the device.',
      source: 'Intel Gaudi, documents (Kubernetes)',
      fix: 'Add hugepages-2Mi and memory to resources.limits.',
    },
    (pod, say) => {
      for (const container of pod.all) {
        const asked = askedBy(container);
        const gaudi = asked.find(({ name }) => name === 'habana.ai/gaudi');
        if (gaudi !== undefined && !asked.some(({ name }) => name.startsWith('hugepages-'))) {
          say(gaudi.path, `the container "${container.name}" requests Gaudi accelerators, but no huge pages`, {
            expected: 'hugepages-2Mi and memory',
          });
        }
      }
    },
  ),

  deviceAdvice(
    'tpu-names-its-slice',
    {
      concerns: ['google.com/tpu'],
      severity: 'warning',
      summary: 'A pod with TPU chips should select the type and the topology of its slice, or its node pool.',
      why: 'GKE uses both to find or create the node pool; without them the pod stays pending, unless a controller sets them, as dynamic slicing does.',
      source: 'Google GKE, documents (TPUs)',
      fix: `Set ${TPU_LABELS.map(([label]) => label).join(' and ')} in nodeSelector.`,
    },
    (pod, say) => {
      const tpu = askedByPod(pod).find(({ name }) => name === 'google.com/tpu');
      if (tpu === undefined) {
        return;
      }
      const chosenOtherwise =
        nodeLabelWanted(pod, 'cloud.google.com/gke-nodepool') !== undefined ||
        Object.keys(pod.annotations).some((key) => key.startsWith('cloud.google.com/gke-tpu'));
      const missing = chosenOtherwise ? [] : TPU_LABELS.filter(([label]) => nodeLabelWanted(pod, label) === undefined);
      if (missing.length > 0) {
        say(
          tpu.path,
          `the pod requests TPU chips, but does not select nodes by ${missing.map(([label]) => label).join(' and ')}`,
          {
            fix: `Set ${missing.map(([label, value]) => `nodeSelector["${label}"] to ${value}`).join(', and ')}.`,
          },
        );
      }
    },
  ),

  deviceAdvice(
    'tpu-request-fits-node',
    {
      concerns: ['google.com/tpu'],
      severity: 'error',
      summary: 'A pod must not request more TPU chips than a node of its slice has.',
      why: 'GKE creates no such node: the pod stays pending. A slice of several nodes has a pod on each.',
      source: 'Google GKE, documents ("Plan TPUs in GKE": topologies and machine types)',
      fix: 'Set limits["google.com/tpu"] to the number of chips on one node, and run one pod on each node of the slice.',
    },
    (pod, say) => {
      const [types = [], topologies = []] = TPU_LABELS.map(([label]) => nodeLabelWanted(pod, label) ?? []);
      const [type] = types;
      const [topology] = topologies;
      if (type === undefined || topology === undefined || types.length > 1 || topologies.length > 1) {
        return;
      }
      for (const { name, amount, path } of askedByPod(pod)) {
        const problem = name === 'google.com/tpu' ? tpuCountProblem(type, topology, amount) : undefined;
        if (problem !== undefined) {
          say(path, problem, { found: amount });
        }
      }
    },
  ),
];

function belowAnyGpu(value: string): string {
  return `the unit of ${MEMORY_LABEL} is MiB, and every GPU has more than ${value} MiB`;
}

function tooSmall(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) > 0 && Number(value) < LEAST_LABEL_MIB;
}
