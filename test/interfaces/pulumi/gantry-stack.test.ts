import * as pulumi from '@pulumi/pulumi';
import { App, Chart, type ChartProps } from 'cdk8s';
import { Construct } from 'constructs';
import { charts } from '../../../src';
import { synthesize } from '../../../src/checks/synthesize';
import { Job } from '../../../src/facts/api/types/batch/v1';
import { ConfigMap, Namespace, Pod, Secret } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack, PulumiOptions } from '../../../src/interfaces/pulumi';
import { mockedEngine, unknownOutput, valueOf } from './mocked-engine';

/** What a program writes into a template literal, which lint of this project rejects. */
function inText(output: pulumi.Output<string>): string {
  return output as unknown as string;
}

describe('GantryStack', () => {
  it('registers each object as the resource that @pulumi/kubernetes would make, named by the path of its construct', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('lab', (chart) => {
      new Resource(chart, 'ns', Namespace, { metadata: { name: 'research' } });
      new Resource(chart, 'settings', ConfigMap, { metadata: { name: 's', namespace: 'research' }, data: { a: 'b' } });
    });
    await stack.done;
    expect(engine.registered).toEqual([
      { type: 'gantry:index:GantryStack', name: 'lab', inputs: {} },
      {
        type: 'kubernetes:core/v1:Namespace',
        name: 'lab/ns',
        inputs: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'research' } },
      },
      {
        type: 'kubernetes:core/v1:ConfigMap',
        name: 'lab/settings',
        inputs: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 's', namespace: 'research' },
          data: { a: 'b' },
        },
      },
    ]);
  });

  it('carries outputs as whole values, as text, and as parts of maps', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack(
      'lab',
      (chart) => {
        new Resource(chart, 'settings', ConfigMap, {
          metadata: { name: 's', labels: { own: 'x', ...pulumi.output({ team: 'a' }) } as never },
          data: {
            whole: pulumi.output('w') as never,
            text: `--bucket=${inText(pulumi.output('data'))}/x`,
          },
          immutable: pulumi.output(true) as never,
        });
      },
      { namespace: pulumi.output('research') as never, labels: { ring: pulumi.output('r') as never } },
    );
    await stack.done;
    expect(engine.find('settings').inputs).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 's', namespace: 'research', labels: { own: 'x', ring: 'r', team: 'a' } },
      data: { whole: 'w', text: '--bucket=data/x' },
      immutable: true,
    });
  });

  it('gives objects of the stack to other objects and to other resources', async () => {
    const engine = await mockedEngine();
    const stack: GantryStack = new GantryStack('lab', (chart, built) => {
      const ns = new Resource(chart, 'ns', Namespace, { metadata: { name: 'research' } });
      new Resource(chart, 'settings', ConfigMap, {
        metadata: { name: 's', namespace: 'research' },
        data: { uid: built.get(ns).metadata.uid as never },
      });
    });
    await stack.done;
    expect(engine.find('settings').inputs.data).toEqual({ uid: 'uid-of-lab/ns' });
    const settings = stack.app.node.findChild('lab').node.findChild('settings');
    expect(await valueOf(stack.get(settings, ConfigMap))).toMatchObject({ metadata: { uid: 'uid-of-lab/settings' } });
    expect(await valueOf(stack.nameOf(settings))).toBe('s');
  });

  it('stops before anything is registered where a check finds an error, with the URN', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('lab', (chart) => {
      new Resource(chart, 'ns', Namespace, { metadata: { name: 'Research' } });
      new Resource(chart, 'settings', ConfigMap, { metadata: { name: 's' } });
    });
    await expect(stack.done).rejects.toThrow(
      'urn:pulumi:stack::project::gantry:index:GantryStack$kubernetes:core/v1:Namespace::lab/ns',
    );
    expect(engine.registered.map(({ name }) => name)).toEqual(['lab']);
  });

  it('judges nothing by a value that is not known yet, and says how many rules depend on it', async () => {
    await mockedEngine(true);
    const stack = new GantryStack('lab', (chart) => {
      new Resource(chart, 'pod', Pod, {
        metadata: { name: 'p', namespace: 'research' },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'registry.example.com/a:1',
              resources: { requests: { cpu: '4' }, limits: { cpu: unknownOutput<string>() as never } },
            },
          ],
        },
      });
    });
    const { findings, notJudged = [] } = await stack.done;
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(notJudged.length).toBeGreaterThan(0);
  });

  it('finds in the value of an output what it would find in the value itself', async () => {
    const engine = await mockedEngine(true);
    const stack = new GantryStack('lab', (chart) => {
      new Resource(chart, 'pod', Pod, {
        metadata: { name: 'p', namespace: 'research' },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'registry.example.com/a:1',
              resources: { requests: { cpu: '4' }, limits: { cpu: pulumi.output('2') as never } },
            },
          ],
        },
      });
    });
    await expect(stack.done).rejects.toThrow('must be less than or equal to');
    expect(engine.registered).toHaveLength(1);
  });

  it('keeps the data of Secrets secret', async () => {
    await mockedEngine();
    const stack = new GantryStack('lab', (chart) => {
      new Resource(chart, 'key', Secret, { metadata: { name: 'k' }, stringData: { token: 'abcdef' } });
    });
    await stack.done;
    const secret = stack.get(stack.app.node.findChild('lab').node.findChild('key'), Secret);
    expect(await pulumi.isSecret(secret.stringData as pulumi.Output<unknown>)).toBe(true);
  });

  it('rejects an output as the name of an object and as a key', async () => {
    await mockedEngine();
    expect(
      () =>
        new GantryStack(
          'a',
          (chart) => new Resource(chart, 'x', Namespace, { metadata: { name: pulumi.output('n') } }),
        ),
    ).toThrow('must be known at synthesis');
  });

  it('builds chart classes, apps with several charts, and stops at a program of wrong numbers', async () => {
    await mockedEngine();
    class Lab extends Chart {
      constructor(scope: Chart, id: string, props: ChartProps & { readonly team: string }) {
        super(scope, id, props);
        new Resource(this, props.team, Namespace, { metadata: { name: props.team } });
      }
    }
    const one = new GantryStack('one', Lab as never, { props: { team: 'blue' } });
    const two = new GantryStack('two', {
      app: (app) => {
        PulumiOptions.of(new Chart(app, 'a')).set({ protect: true });
        new Chart(app, 'b');
      },
    });
    await Promise.all([one.done, two.done]);
    expect(() => new GantryStack('three', () => Number(pulumi.output(3)))).toThrow('must not be used in a computation');
    expect(`${inText(pulumi.output('x'))}`).toContain('Calling [toString]');
  });
});

describe('options of resources', () => {
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
    class Cluster extends pulumi.ProviderResource {
      constructor(name: string) {
        super('kubernetes', name, {});
      }
    }
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

  it('of the component hold for its objects: transformations see and change each of them', async () => {
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

  it('check the objects of two clusters apart', async () => {
    await mockedEngine();
    class Cluster extends pulumi.ProviderResource {
      constructor(name: string) {
        super('kubernetes', name, {});
      }
    }
    const twice = (providers: readonly (Cluster | undefined)[]): GantryStack =>
      new GantryStack('lab', {
        app: (app) =>
          providers.forEach((provider, index) => {
            const chart = new Chart(app, `cluster-${index}`);
            PulumiOptions.of(chart).set(provider === undefined ? {} : { provider });
            new Resource(chart, 'ns', Namespace, { metadata: { name: 'research' } });
          }),
      });
    await expect(twice([new Cluster('east'), new Cluster('west')]).done).resolves.toMatchObject({ findings: [] });
    const { findings } = await twice([undefined, undefined]).done;
    expect(findings.map(({ construct }) => construct)).toEqual(['cluster-1/ns']);
  });

  it('reject objects that depend on each other', async () => {
    await mockedEngine();
    expect(
      () =>
        new GantryStack('lab', (chart) => {
          const a = new Resource(chart, 'a', ConfigMap, { metadata: { name: 'a' } });
          const b = new Resource(chart, 'b', ConfigMap, { metadata: { name: 'b' } });
          a.node.addDependency(b);
          b.node.addDependency(a);
        }).app,
    ).toThrow('lab/b → lab/a → lab/b');
  });

  it('install charts as Helm releases, before custom resources', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('operators', (chart) => {
      new charts.PulumiRelease(chart, 'kueue', { chart: 'kueue', values: { enablePrometheus: true } });
    });
    await stack.done;
    expect(engine.find('operators/kueue')).toMatchObject({
      type: 'kubernetes:helm.sh/v3:Release',
      inputs: { name: 'kueue', namespace: 'kueue-system', createNamespace: true, values: { enablePrometheus: true } },
    });
    const app = new App();
    new charts.PulumiRelease(new Chart(app, 'yaml'), 'kueue', { chart: 'kueue' });
    expect(() => synthesize(app)).toThrow('Build the app in a GantryStack');
  });
});
