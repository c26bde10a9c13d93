/**
 * A quota on CPU limits makes a limit mandatory, and the library's jobs state none: the defaults that follow must admit them.
 */
import { ApiObject, App, Chart } from 'cdk8s';
import { nodes } from '../../../examples/reference-platform/cluster';
import { referencePlatform } from '../../../examples/reference-platform/main';
import { Deployment } from '../../../src/constructs/serving';
import { Team, type TeamProps } from '../../../src/constructs/tenancy';
import { type JsonObject } from '../../../src/facts/api/schema';
import { manifestsOf } from '../../../src/manifests/constructs';
import { Testing } from '../../../src/interfaces/testing';

const platform = manifestsOf(referencePlatform(new App()));
/** The jobs of the reference platform's team, as its constructs render them. */
const jobs = platform.manifests.filter(
  (manifest) => manifest.id.namespace === 'research' && platform.podTemplatesOf(manifest).length > 0,
);

function withJobs(quota: TeamProps['quota'], limits?: TeamProps['limits']): Chart {
  const chart = new Chart(new App(), 'test');
  new Team(chart, 'research', { quota, limits, podSecurity: 'privileged' });
  for (const { id, object } of jobs) {
    new ApiObject(chart, id.name, structuredClone(object) as unknown as ConstructorParameters<typeof ApiObject>[2]);
  }
  return chart;
}

const ofLimitsAndQuotas = (chart: Chart): readonly string[] =>
  Testing.check(chart)
    .findings.map(({ rule }) => rule)
    .filter((rule) => /^tenancy\/(?:.*limit|quota)/.test(rule));

const limitsOf = (chart: Chart): unknown =>
  (Testing.synth(chart).find(({ kind }) => kind === 'LimitRange')?.spec as JsonObject | undefined)?.limits;

test('the reference platform has jobs that request CPU without a limit', () => {
  expect(jobs.length).toBeGreaterThan(0);
});

test('a team whose quota counts CPU limits admits them: the default limit covers their requests', () => {
  const chart = withJobs({ ...nodes(12), cpuLimit: 12 * 200, memoryLimit: '40Ti' });
  expect(ofLimitsAndQuotas(chart)).toEqual([]);
  expect(limitsOf(chart)).toEqual([
    { type: 'Container', defaultRequest: { cpu: '1', memory: '2Gi' }, default: { cpu: '144', memory: '8Gi' } },
  ]);
});

test('the prediction would report a default that does not cover them', () => {
  const limits = { defaultRequest: { cpu: 1, memory: '2Gi' }, default: { cpu: 4 } };
  expect(ofLimitsAndQuotas(withJobs({ ...nodes(12), cpuLimit: 12 * 200 }, limits))).toContain(
    'tenancy/default-limit-covers-request',
  );
});

test('a workload that is added after the team counts too, and one of another namespace does not', () => {
  const app = new App();
  const chart = new Chart(app, 'test');
  new Team(chart, 'research', { quota: { cpuLimit: 100 } });
  const server = { image: 'registry.example.com/serve:1', replicas: 1 };
  new Deployment(new Chart(app, 'own', { namespace: 'research' }), 'own', { ...server, resources: { cpu: 16 } });
  new Deployment(new Chart(app, 'else', { namespace: 'sales' }), 'else', { ...server, resources: { cpu: 64 } });
  expect(limitsOf(chart)).toMatchObject([{ default: { cpu: '16' } }]);
});
