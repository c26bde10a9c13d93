import * as pulumi from '@pulumi/pulumi';
import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { CustomResourceDefinition } from '../../../src/facts/api/types/apiextensions.k8s.io/v1';
import { Job } from '../../../src/facts/api/types/batch/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim } from '../../../src/facts/api/types/core/v1';
import { HorizontalPodAutoscaler } from '../../../src/facts/api/types/autoscaling/v2';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack, PulumiOptions } from '../../../src/interfaces/pulumi';
import { type MockedEngine, mockedEngine } from './mocked-engine';

class Cluster extends pulumi.ProviderResource {
  constructor(name: string) {
    super('kubernetes', name, {});
  }
}

function configMap(scope: Construct, id: string): Resource<ConfigMap> {
  return new Resource(scope, id, ConfigMap, { metadata: { name: id, namespace: 'lab' } });
}

function annotationsOf(engine: MockedEngine, name: string): unknown {
  return (engine.find(name).inputs.metadata as { annotations?: object }).annotations;
}

describe('options of objects', () => {
  it('hold for a construct and everything below it, and become annotations of the provider', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('lab', (chart) => {
      const team = new Construct(chart, 'team');
      PulumiOptions.of(team).set({ waitFor: ['condition=Ready', 'jsonpath={.a}=b'], patchForce: true });
      new Resource(team, 'a', ConfigMap, { metadata: { name: 'a' } });
      PulumiOptions.of(new Resource(team, 'b', ConfigMap, { metadata: { name: 'b' } })).set({ patchForce: false });
      new Resource(chart, 'job', Job, {
        metadata: { name: 'j' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'a:1' }] } } },
      });
    });
    await stack.done;
    const annotations = (name: string): unknown =>
      (engine.find(name).inputs.metadata as { annotations?: object }).annotations;
    const waitFor = '["condition=Ready","jsonpath={.a}=b"]';
    expect(annotations('team/a')).toEqual({ 'pulumi.com/waitFor': waitFor, 'pulumi.com/patchForce': 'true' });
    expect(annotations('team/b')).toEqual({ 'pulumi.com/waitFor': waitFor });
    expect(annotations('job')).toEqual({ 'pulumi.com/skipAwait': 'true' });
  });

  it('of Pulumi reach each resource: protect, retainOnDelete, ignoreChanges, the provider of a chart', async () => {
    const engine = await mockedEngine();
    const [east, west] = [new Cluster('east'), new Cluster('west')];
    const stack = new GantryStack(
      'lab',
      {
        app: (app) => {
          const [a, b] = [new Chart(app, 'a'), new Chart(app, 'b')];
          PulumiOptions.of(b).set({ provider: west, protect: true, ignoreChanges: ['spec'] });
          new Resource(a, 'ns', Namespace, { metadata: { name: 'one' } });
          const kept = new Resource(b, 'ns', Namespace, { metadata: { name: 'two' } });
          PulumiOptions.of(kept).set({ protect: false, ignoreChanges: ['metadata.labels'] });
          new Resource(b, 'config', ConfigMap, { metadata: { name: 'c', namespace: 'two' } });
        },
      },
      { options: { retainOnDelete: true } },
      { providers: { kubernetes: east } },
    );
    await stack.done;
    const [one, two, config] = ['a/ns', 'b/ns', 'b/config'].map((name) => engine.optionsOf(name));
    expect(one).toMatchObject({ protect: false, retainOnDelete: true, ignoreChanges: [] });
    expect(two).toMatchObject({ protect: false, retainOnDelete: true, ignoreChanges: ['spec', 'metadata.labels'] });
    expect(config).toMatchObject({ protect: true, retainOnDelete: true, ignoreChanges: ['spec'] });
    expect([one, two, config].map(({ provider = '' } = {} as never) => /::(east|west)::/.exec(provider)?.[1])).toEqual([
      'east',
      'west',
      'west',
    ]);
  });

  it('are annotations with a default for each kind: what a queue starts is not waited for, definitions are deleted in the background', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('lab', (chart) => {
      new Resource(chart, 'claim', PersistentVolumeClaim, {
        metadata: { name: 'claim', namespace: 'lab' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      new Resource(chart, 'crd', CustomResourceDefinition, {
        metadata: { name: 'widgets.lab.example.com' },
        spec: {
          group: 'lab.example.com',
          scope: 'Namespaced',
          names: { kind: 'Widget', plural: 'widgets' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      });
      configMap(chart, 'plain');
      PulumiOptions.of(configMap(chart, 'stated')).set({ deletionPropagation: 'orphan', skipAwait: true });
    });
    await stack.done;
    expect(annotationsOf(engine, 'claim')).toEqual({ 'pulumi.com/skipAwait': 'true' });
    expect(annotationsOf(engine, 'crd')).toEqual({ 'pulumi.com/deletionPropagationPolicy': 'background' });
    expect(annotationsOf(engine, 'plain')).toBeUndefined();
    expect(annotationsOf(engine, 'stated')).toEqual({
      'pulumi.com/deletionPropagationPolicy': 'orphan',
      'pulumi.com/skipAwait': 'true',
    });
  });

  it('leave annotations that the object has', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack(
      'lab',
      (chart) => {
        new Resource(chart, 'config', ConfigMap, {
          metadata: { name: 'c', namespace: 'lab', annotations: { 'pulumi.com/skipAwait': 'false' } },
        });
        new Resource(chart, 'whole', ConfigMap, {
          metadata: { name: 'w', namespace: 'lab', annotations: pulumi.output({ own: 'x' }) as never },
        });
      },
      { options: { skipAwait: true } },
    );
    await stack.done;
    expect(annotationsOf(engine, 'config')).toEqual({ 'pulumi.com/skipAwait': 'false' });
    expect(annotationsOf(engine, 'whole')).toEqual({ 'pulumi.com/skipAwait': 'true', own: 'x' });
  });

  it('keep the state of what was renamed or moved: renamedFrom for a tree, aliases for one object', async () => {
    const engine = await mockedEngine();
    const urn = 'urn:pulumi:stack::project::kubernetes:core/v1:ConfigMap::by-hand';
    const stack = new GantryStack('platform', {
      app: (app) => {
        const team = new Construct(new Chart(app, 'teams'), 'research');
        PulumiOptions.of(team).set({ renamedFrom: 'old/science' });
        PulumiOptions.of(configMap(team, 'settings')).set({ aliases: [urn, { name: 'settings' }] });
        configMap(team, 'other');
        const parent = new Construct(team, 'autoscaling');
        PulumiOptions.of(parent).set({ renamedFrom: 'teams/research/scaling', aliases: [{ name: 'not inherited' }] });
        new Resource(parent, 'hpa', HorizontalPodAutoscaler, {
          metadata: { name: 'hpa', namespace: 'lab' },
          spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
        });
      },
    });
    await stack.done;
    expect(engine.optionsOf('research/settings').aliases).toEqual(['platform/old/science/settings', urn, 'settings']);
    expect(engine.optionsOf('research/other').aliases).toEqual(['platform/old/science/other']);
    // Other versions of the kind, as the typed classes state them, and the names by both constructs that were renamed.
    const { aliases } = engine.optionsOf('autoscaling/hpa');
    expect(aliases).toContain('kubernetes:autoscaling/v1:HorizontalPodAutoscaler');
    expect(aliases.filter((name) => !name.startsWith('kubernetes:'))).toEqual([
      'platform/old/science/autoscaling/hpa',
      'platform/teams/research/scaling/hpa',
    ]);
  });

  it('of Pulumi reach each resource: replacement, times, imports, and what comes before', async () => {
    const engine = await mockedEngine();
    class Other extends pulumi.CustomResource {
      constructor() {
        super('test:index:Other', 'other', {});
      }
    }
    const stack = new GantryStack('lab', (chart) => {
      PulumiOptions.of(chart).set({ replaceOnChanges: ['data'], dependsOn: [new Other()] });
      PulumiOptions.of(configMap(chart, 'a')).set({
        replaceOnChanges: ['metadata'],
        deleteBeforeReplace: true,
        customTimeouts: { create: '10m' },
        import: 'lab/a',
      });
      configMap(chart, 'b');
    });
    await stack.done;
    expect(engine.optionsOf('lab/a')).toMatchObject({
      replaceOnChanges: ['data', 'metadata'],
      deleteBeforeReplace: true,
      createTimeout: '10m',
      importId: 'lab/a',
    });
    expect(engine.optionsOf('lab/b')).toMatchObject({
      replaceOnChanges: ['data'],
      deleteBeforeReplace: false,
      importId: '',
    });
    expect(engine.optionsOf('lab/b').dependencies).toEqual([expect.stringContaining('test:index:Other::other')]);
  });
});

describe('options of the component', () => {
  it('hold for its objects: transformations see and change each of them', async () => {
    const engine = await mockedEngine();
    const seen: string[] = [];
    const stack = new GantryStack(
      'lab',
      (chart) => {
        new Resource(chart, 'config', ConfigMap, { metadata: { name: 'c', namespace: 'lab' } });
      },
      {},
      {
        protect: true,
        transformations: [
          ({ type, props, opts }) => {
            seen.push(type);
            return { props: { ...props, data: { added: 'yes' } }, opts };
          },
        ],
      },
    );
    await stack.done;
    expect(seen).toContain('kubernetes:core/v1:ConfigMap');
    expect(engine.find('lab/config').inputs.data).toEqual({ added: 'yes' });
    expect(engine.optionsOf('lab/config').protect).toBe(true);
  });
});
