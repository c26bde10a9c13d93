/**
 * Placement as part of synth.
 */
import { App, Chart } from 'cdk8s';
import { Accelerator, kubeflow, Plan } from '../../../src';
import { check } from '../../../src/interfaces/checks';
import { planRules, sampleCluster } from '../../../src/planning/cluster';
import { clusterOf, gpus, setOf } from './builders';

function app(nodes: number, jobs = 1): App {
  const made = new App();
  const chart = new Chart(made, 'training', { namespace: 'ml' });
  for (let i = 0; i < jobs; i++) {
    new kubeflow.PyTorchJob(chart, `job-${i}`, {
      metadata: { name: `job-${i}` },
      image: 'registry/x:1',
      nodes,
      accelerators: Accelerator.nvidia({ count: 8 }),
      command: ['torchrun', 'train.py'],
      resources: { cpu: 8, memory: '64Gi' },
      sharedMemory: '16Gi',
    });
  }
  return made;
}

it('a gang that can never fit is an error that names the construct', () => {
  const made = app(5);
  Plan.against(clusterOf()).on(made);
  expect(() => made.synthYaml()).toThrow(
    /training\/job-0[\s\S]*cluster\/gang-fits[\s\S]*4 of 5 pods fit[\s\S]*Fits with 4 pods instead of 5/,
  );
});

it('a gang that fits is not reported, and without a plan nothing is computed', () => {
  const made = app(4);
  Plan.against(clusterOf()).on(made);
  expect(made.synthYaml()).toContain('PyTorchJob');
  expect(app(5).synthYaml()).toContain('PyTorchJob');
});

it('gangs that fit only one after the other are a warning', () => {
  const job = (name: string): string => `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: ${name}}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 3, template: {spec: ${gpus(8)}}}}}`;
  const { findings } = check(setOf(job('a'), job('b')), { rules: planRules(clusterOf()), tiers: ['advice'] });
  expect(findings.map(({ rule, severity, object }) => [rule, severity, object])).toEqual([
    ['cluster/gangs-fit-together', 'warning', 'kubeflow.org/v1 PyTorchJob b'],
  ]);
});

it('a gang that never has all its pods is an error, even if it starts with some', () => {
  const web = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 5, template: {spec: ${gpus(8)}}}`;
  const { findings } = check(setOf(web), { rules: planRules(clusterOf()), tiers: ['advice'] });
  expect(findings).toMatchObject([
    {
      rule: 'cluster/gang-fits',
      message: expect.stringContaining('only 4 of the pods of the gang') as string,
    },
  ]);
});

it('an elastic gang that has its minimum is only warned of', () => {
  const job = `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: e}
spec: {elasticPolicy: {minReplicas: 2}, pytorchReplicaSpecs: {Worker: {replicas: 6, template: {spec: ${gpus(8)}}}}}`;
  const { findings } = check(setOf(job), { rules: planRules(clusterOf()), tiers: ['advice'] });
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([['cluster/gangs-fit-together', 'warning']]);
});

it('a gang that fits with nodes of an autoscaler is only warned of, and beyond its limit it is an error', () => {
  const set = (limit: number): ReturnType<typeof setOf> =>
    setOf(
      `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a, namespace: ml}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 6, template: {spec: ${gpus(8)}}}}}`,
      `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: h100}\nspec: {limits: {nvidia.com/gpu: ${limit}}, template: {spec: {}}}`,
    );
  const found = (limit: number): readonly string[] =>
    check(set(limit), { rules: planRules(clusterOf()), tiers: ['advice'] }).findings.map(
      ({ rule, message }) => `${rule}: ${message}`,
    );
  expect(found(64)).toEqual([
    expect.stringMatching(
      /^cluster\/gangs-fit-together: .*; ml\/a fits with 2 more nodes of pool h100 \(limit 64 nvidia\.com\/gpu\)$/,
    ),
  ]);
  expect(found(40)).toEqual([
    expect.stringMatching(
      /^cluster\/gang-fits: .*; ml\/a would fit with 2 more nodes .*, 1 node more than the limit allows$/,
    ),
  ]);
});

it('reads a cluster file, and says where it is wrong', () => {
  expect(() => Plan.against(`${__dirname}/builders.ts`)).toThrow(/builders\.ts/);
  expect(planRules(sampleCluster()).map(({ id }) => id)).toEqual(['cluster/gang-fits', 'cluster/gangs-fit-together']);
});
