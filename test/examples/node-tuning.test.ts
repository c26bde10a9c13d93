/**
 * The example of GPU nodes that are made, tuned and kept empty until they are ready: free of findings, and of one mind.
 */
import { App } from 'cdk8s';
import { gpuNodePools } from '../../examples/node-tuning/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const app = new App();
const nodes = gpuNodePools(app);
const manifests = Testing.synth(app);
const one = (kind: string, name: string): JsonObject =>
  manifests.find((manifest) => manifest.kind === kind && asString(asObject(manifest.metadata).name) === name) ?? {};
const podOf = (manifest: JsonObject): JsonObject => asObject(asObject(asObject(manifest.spec).template).spec);

test('it has no finding', () => {
  expect(Testing.check(app).findings.map(({ rule, object, message }) => `${rule} ${object}: ${message}`)).toEqual([]);
});

test('it is the same each time', () => {
  const again = new App();
  gpuNodePools(again);
  expect(JSON.stringify(Testing.synth(again))).toBe(JSON.stringify(manifests));
});

test('every pool is born with the taint that the readiness rule takes off, and the operator may come before', () => {
  const { taint } = asObject(one('NodeReadinessRule', 'gpu-ready').spec);
  for (const name of ['h100', 'h100-spot']) {
    const pool = podOf(one('NodePool', name));
    expect(pool.startupTaints).toEqual([taint]);
    const admitted = nodes.training.operatorTolerations.map(({ key }) => key);
    for (const own of [...asArray(pool.startupTaints), ...asArray(pool.taints)]) {
      expect(admitted).toContain(asString(asObject(own).key));
    }
  }
});

test('jobs ask for the labels and tolerate the taints of their pool', () => {
  for (const [job, profile] of [
    ['train', nodes.training],
    ['sweep', nodes.spot],
  ] as const) {
    const pod = podOf(one('Job', job));
    expect(pod.nodeSelector).toEqual(profile.nodeSelector);
    expect(pod.tolerations).toEqual(profile.tolerations);
  }
});

test('the files of the image are in a ConfigMap as well', () => {
  expect(Object.keys(asObject(one('ConfigMap', 'image-files').data))).toHaveLength(5);
});
