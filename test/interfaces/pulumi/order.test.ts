/**
 * What each object waits for.
 */
import { Chart } from 'cdk8s';
import { GpuPlatform } from '../../../src';
import { CustomResourceDefinition } from '../../../src/facts/api/types/apiextensions.k8s.io/v1';
import { ConfigMap, Namespace } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack } from '../../../src/interfaces/pulumi';
import { mockedEngine } from './mocked-engine';

const WIDGET = { apiVersion: 'lab.example.com/v1', kind: 'Widget' };

test('an object is created after its namespace, the definition of its kind, and what its construct depends on in any chart', async () => {
  const engine = await mockedEngine();
  const stack = new GantryStack('lab', {
    app: (app) => {
      // Later in the tree than what waits for it.
      const uses = new Chart(app, 'uses');
      const widget = new Resource(uses, 'widget', WIDGET, { metadata: { name: 'w', namespace: 'research' } });
      const base = new Chart(app, 'base');
      new Resource(base, 'ns', Namespace, { metadata: { name: 'research' } });
      const settings = new Resource(base, 'settings', ConfigMap, { metadata: { name: 's', namespace: 'research' } });
      new Resource(base, 'crd', CustomResourceDefinition, {
        metadata: { name: 'widgets.lab.example.com' },
        spec: {
          group: 'lab.example.com',
          scope: 'Namespaced',
          names: { kind: 'Widget', plural: 'widgets' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      });
      widget.node.addDependency(settings);
    },
  });
  await stack.done;
  const dependenciesOf = (name: string): readonly string[] =>
    engine
      .optionsOf(name)
      .dependencies.map((urn) => urn.split('::').at(-1) ?? '')
      .sort();
  expect(dependenciesOf('base/settings')).toEqual(['lab/base/ns']);
  // Not the namespace again, for which the settings wait.
  expect(dependenciesOf('uses/widget')).toEqual(['lab/base/crd', 'lab/base/settings']);
  expect(dependenciesOf('base/ns')).toEqual([]);
});

test('a platform that Pulumi delivers has its operators as Helm releases, and its custom resources wait for them', async () => {
  const engine = await mockedEngine();
  const stack = new GantryStack('gpus', {
    app: (app) => {
      new GpuPlatform(app, 'platform', {
        pools: { training: { nodes: 2, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
        teams: { research: { deserved: { training: 2 } } },
        delivery: { through: 'pulumi', also: [{ chart: 'keda' }] },
      });
    },
  });
  await stack.done;
  const releases = engine.registered.filter(({ type }) => type === 'kubernetes:helm.sh/v3:Release');
  expect(new Set(releases.map(({ inputs }) => inputs.name))).toEqual(new Set(['gpu-operator', 'volcano', 'keda']));
  const queue = engine.registered.find(({ type }) => type.endsWith(':Queue'));
  const { dependencies } = engine.optionsOf(queue?.name ?? '');
  expect(releases.every(({ name }) => dependencies.some((urn) => urn.endsWith(name)))).toBe(true);
});
