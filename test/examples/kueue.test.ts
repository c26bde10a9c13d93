/**
 * The Kueue example: nothing in it that a rule objects to, and gangs that are the same under every scheduler.
 */
import { App, Testing as Cdk8sTesting } from 'cdk8s';
import { kueueExample } from '../../examples/kueue/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { checkTree } from '../../src/checks/synth/check-tree';
import { manifestsOf } from '../../src/manifests/constructs';
import { asObject } from '../../src/manifests/read';

const app = kueueExample(Cdk8sTesting.app());

test('no rule objects, not even with a warning', () => {
  expect(checkTree(app).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
});

test('equal input gives equal output', () => {
  const text = (): string =>
    JSON.stringify(kueueExample(new App()).charts.map((chart) => chart.toJson() as JsonObject[]));
  expect(text()).toBe(text());
});

test('every workload of a team goes through its own local queue', () => {
  const { manifests } = manifestsOf(app);
  const queueOf = (name: string): unknown => {
    const found = manifests.find(({ id }) => id.name === name);
    return asObject(asObject(found?.object.metadata).labels)['kueue.x-k8s.io/queue-name'];
  };
  expect([queueOf('llama-70b'), queueOf('label-images')]).toEqual(['gpus', 'gpus']);
});
