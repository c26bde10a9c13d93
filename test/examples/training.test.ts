/**
 * The training example: one statement under every engine, and nothing in it that a rule objects to.
 */
import { App, Testing as Cdk8sTesting } from 'cdk8s';
import { trainingExample } from '../../examples/training/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { checkTree } from '../../src/checks/synth/check-tree';
import { manifestsOf } from '../../src/manifests/constructs';
import { podTemplatesOf } from '../../src/manifests/pods/pod-templates';
import { asArray, asObject } from '../../src/manifests/read';

const app = trainingExample(Cdk8sTesting.app());

test('no rule objects, not even with a warning', () => {
  expect(checkTree(app).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
});

test('equal input gives equal output', () => {
  const text = (): string =>
    JSON.stringify(trainingExample(new App()).charts.map((chart) => chart.toJson() as JsonObject[]));
  expect(text()).toBe(text());
});

test('one statement is eight nodes of eight GPUs with one command, whatever it became', () => {
  const { manifests } = manifestsOf(app);
  const kinds = manifests.filter(({ id }) => id.name.startsWith('by-')).map(({ id }) => id.kind);
  expect(kinds).toEqual(['PyTorchJob', 'Job', 'JobSet', 'TrainJob']);
  for (const manifest of manifests.filter(({ id }) => id.name.startsWith('by-') && id.kind !== 'TrainJob')) {
    const templates = podTemplatesOf(manifest);
    expect([manifest.id.kind, templates.reduce((sum, { count }) => sum + (count ?? 0), 0)]).toEqual([
      manifest.id.kind,
      8,
    ]);
    for (const { spec } of templates) {
      const container = asObject(asArray(spec.containers)[0]);
      expect(container.command).toEqual(['torchrun', 'train.py', '--model=llama-70b']);
      expect(asObject(asObject(container.resources).limits)['nvidia.com/gpu']).toBe(8);
    }
  }
});
