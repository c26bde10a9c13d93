/**
 * The example of networks: what a reader copies is free of findings, and pods name nothing that a network does not.
 */
import { App } from 'cdk8s';
import { rdmaFabric } from '../../examples/networking/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const manifests = Testing.synth(rdmaFabric(new App()));
const one = (kind: string, name: string): JsonObject => {
  const found = manifests.find((manifest) => manifest.kind === kind && asObject(manifest.metadata).name === name);
  if (found === undefined) {
    throw new Error(`no ${kind} ${name}`);
  }
  return asObject(found.spec);
};
const main = (template: JsonObject): JsonObject => asObject(asArray(asObject(template.spec).containers)[0]);
const networks = (template: JsonObject): string =>
  asString(asObject(asObject(template.metadata).annotations)['k8s.v1.cni.cncf.io/networks']) ?? '';

test('has neither errors nor warnings', () => {
  const { findings } = Testing.check(rdmaFabric(new App()));
  expect(
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
  ).toEqual([]);
});

test('is the same each time', () => {
  expect(JSON.stringify(Testing.synth(rdmaFabric(new App())))).toBe(JSON.stringify(manifests));
});

test('a training pod is on every rail, with a function of each', () => {
  const [job] = asArray(one('JobSet', 'pretrain').replicatedJobs).map(asObject);
  const template = asObject(asObject(asObject(job?.template).spec).template);
  const rails = Array.from({ length: 8 }, (_, rail) => `rail${rail}`);
  expect(networks(template)).toBe(rails.join(','));
  expect(asObject(main(template).resources).limits).toMatchObject(
    Object.fromEntries(rails.map((rail) => [`nvidia.com/${rail}`, 1])),
  );
  expect(JSON.stringify(main(template).env)).toContain('NCCL_SOCKET_IFNAME');
});

test('a share of the storage device goes with the network over it', () => {
  const template = asObject(one('Deployment', 'loader').template);
  expect([networks(template), asObject(main(template).resources).limits]).toEqual([
    'storage',
    { memory: '32Gi', 'rdma/rdma_storage': 1 },
  ]);
  expect(asString(asObject(one('NicClusterPolicy', 'nic-cluster-policy').rdmaSharedDevicePlugin).config)).toContain(
    'rdma_storage',
  );
});

test('namespaces, policies and networks come before what names them', () => {
  const order = manifests.map(
    (manifest) => `${asString(manifest.kind) ?? ''} ${asString(asObject(manifest.metadata).name) ?? ''}`,
  );
  for (const [first, second] of [
    ['Namespace research', 'SriovIBNetwork rail0'],
    ['SriovNetworkNodePolicy rail0-functions', 'SriovIBNetwork rail0'],
    ['SriovIBNetwork rail7', 'JobSet pretrain'],
    ['NicClusterPolicy nic-cluster-policy', 'MacvlanNetwork storage'],
  ] as const) {
    expect([order.indexOf(first) >= 0, order.indexOf(first) < order.indexOf(second)]).toEqual([true, true]);
  }
});
