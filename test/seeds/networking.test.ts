/**
 * The corrected manifest of an RDMA pod, as constructs say it: the same objects, however their texts are laid out.
 */
import { App, Chart } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Accelerator, NcclProfile, networking, PodTemplate, Rdma, Resource } from '../../src';
import { Pod } from '../../src/facts/api/types/core/v1';
import { type JsonObject } from '../../src/facts/api/schema';
import { parseYaml } from '../../src/manifests/yaml';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const FIXED = resolve(__dirname, '../fixtures/manifests/corrected/rdma-pod.yaml');
/** The CNI text as a value; quantities of whole devices as numbers; without the toleration that a GPU of Gantry's brings along. */
function meaning(manifest: JsonObject): JsonObject {
  const spec = asObject(manifest.spec);
  if (manifest.kind === 'NetworkAttachmentDefinition') {
    return { ...manifest, spec: { config: JSON.parse(asString(spec.config) ?? '') as JsonObject } };
  }
  const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'tolerations'));
  const containers = asArray(spec.containers)
    .map(asObject)
    .map((container) => {
      const limits = asObject(asObject(container.resources).limits);
      const counts = Object.entries(limits).map(([name, amount]) => [name, Number(amount)]);
      return { ...container, resources: { limits: Object.fromEntries(counts) as JsonObject } };
    });
  return { ...manifest, spec: { ...rest, containers } };
}

test('rdma-pod.yaml', () => {
  const { Cni, Ipam, NetworkAttachmentDefinition } = networking;
  const chart = new Chart(new App(), 'rdma', { namespace: 'training' });
  const network = new NetworkAttachmentDefinition(chart, 'roce', {
    device: 'nvidia.com/mlx5_rdma',
    cniVersion: '0.3.1',
    cni: Cni.sriov({ ipam: Ipam.whereabouts({ range: '192.168.100.0/24' }) }),
  });
  const template = new PodTemplate({
    image: 'registry.example.com/trainer:1.4',
    accelerators: Accelerator.nvidia({ count: 8 }),
    sharedMemory: '16Gi',
    rdma: Rdma.over(network, { nccl: NcclProfile.of({}) }),
  }).toPodTemplate({ containerName: 'training', restartPolicy: 'Never', namespace: 'training' });
  new Resource(chart, 'pod', Pod, {
    metadata: { name: 'roce-worker', annotations: { ...template.metadata?.annotations } },
    spec: template.spec,
  });

  const wanted = parseYaml(readFileSync(FIXED, 'utf8'), FIXED).manifests.map(({ object }) => meaning(object));
  expect(Testing.synth(chart).map(meaning)).toEqual(wanted);
});
