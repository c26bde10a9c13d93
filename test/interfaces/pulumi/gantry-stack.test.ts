import * as pulumi from '@pulumi/pulumi';
import { App, Chart, type ChartProps } from 'cdk8s';
import { type Construct } from 'constructs';
import { charts, kueue } from '../../../src';
import { synthesize } from '../../../src/checks/synth/synthesize';
import { ConfigMap, Namespace, Pod, Secret } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack, PulumiOptions } from '../../../src/interfaces/pulumi';
import { mockedEngine, unknownOutput, valueOf } from './mocked-engine';

/** What a program writes into a template literal, which lint of this project rejects. */
function inText(output: pulumi.Output<string>): string {
  return output as unknown as string;
}

class Lab extends Chart {
  constructor(scope: Construct, id: string, props: ChartProps & { readonly team: string }) {
    super(scope, id, props);
    new Resource(this, props.team, Namespace, { metadata: { name: props.team } });
  }
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
          immutable: pulumi.output(true),
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

  it('builds chart classes, apps with several charts, and stops at a program that computes with an output', async () => {
    await mockedEngine();
    const one = new GantryStack('one', Lab, { props: { team: 'blue' } });
    const two = new GantryStack('two', {
      app: (app) => {
        PulumiOptions.of(new Chart(app, 'a')).set({ protect: true });
        new Chart(app, 'b');
      },
    });
    await Promise.all([one.done, two.done]);
    expect(() => new GantryStack('four', { app: () => undefined }, { namespace: 'lab' })).toThrow(
      'four: namespace must not be set when the program is an app',
    );
    expect(() => new GantryStack('three', () => Number(pulumi.output(3)))).toThrow('must not be used in a computation');
    expect(`${inText(pulumi.output('x'))}`).toContain('Calling [toString]');
  });
});

describe('objects of a stack', () => {
  it('are checked apart where they are for two clusters', async () => {
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

  it('are rejected where they depend on each other', async () => {
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

  it('wait for the charts that bring their definitions, which are Helm releases', async () => {
    const engine = await mockedEngine();
    const stack = new GantryStack('operators', (chart) => {
      new charts.PulumiRelease(chart, 'kueue', { chart: 'kueue', values: { enablePrometheus: true } });
      new kueue.ResourceFlavor(chart, 'flavor');
      new Resource(chart, 'ns', Namespace, { metadata: { name: 'own' } });
    });
    await stack.done;
    const release = expect.stringContaining('kubernetes:helm.sh/v3:Release::operators/kueue') as unknown;
    expect(engine.optionsOf('operators/flavor/Resource').dependencies).toEqual([release]);
    expect(engine.optionsOf('operators/ns').dependencies).toEqual([]);
    expect(engine.find('operators/kueue')).toMatchObject({
      type: 'kubernetes:helm.sh/v3:Release',
      inputs: { name: 'kueue', namespace: 'kueue-system', createNamespace: true, values: { enablePrometheus: true } },
    });
    const app = new App();
    new charts.PulumiRelease(new Chart(app, 'yaml'), 'kueue', { chart: 'kueue' });
    expect(() => synthesize(app)).toThrow('Build the app in a GantryStack');
  });
});

/** Compiled, never run: the props of a chart class are checked by the compiler. */
export function doesNotCompile(): void {
  // @ts-expect-error -- the chart class requires props
  new GantryStack('a', Lab);
  // @ts-expect-error -- the chart class has no such prop
  new GantryStack('a', Lab, { props: { team: 'blue', color: 'red' } });
  // @ts-expect-error -- the prop has another type
  new GantryStack('a', Lab, { props: { team: 1 } });
}
