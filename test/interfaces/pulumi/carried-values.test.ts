import * as pulumi from '@pulumi/pulumi';
import { type Chart } from 'cdk8s';
import { gpuOperator, kubeflow, nodeTuning, Namespace, networking, ray } from '../../../src';
import { Resource } from '../../../src/constructs/resources/resource';
import { Deployment } from '../../../src/facts/api/types/apps/v1';
import { ConfigMap, ResourceQuota, Service } from '../../../src/facts/api/types/core/v1';
import { GantryStack, type GantryStackArgs } from '../../../src/interfaces/pulumi';
import { mockedEngine, unwrapped } from './mocked-engine';

const { output } = pulumi;

type Build = (chart: Chart) => void;

/** What the engine is given for the object of the construct `x`. */
async function registered(build: Build, args: GantryStackArgs = { namespace: 'research' }): Promise<unknown> {
  const engine = await mockedEngine();
  await new GantryStack('lab', build, args).done;
  return unwrapped(engine.registered.find(({ name }) => /^lab\/x(\/Resource)?$/.test(name))?.inputs);
}

const AWKWARD = 'yes: a\n"b", c';
const WEB = { name: 'web', image: 'web:1' };

function deployment(chart: Chart, container: object, pod: object = {}): void {
  new Resource(chart, 'x', Deployment, {
    metadata: { name: 'x' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { ...pod, containers: [{ ...WEB, ...container }] } },
    },
  });
}

function configMap(chart: Chart, more: object): void {
  new Resource(chart, 'x', ConfigMap, { metadata: { name: 'x' }, ...more });
}

const inPod = (container: object): object => ({ spec: { template: { spec: { containers: [container] } } } });

describe('a stack carries', () => {
  it.each<readonly [string, Build, object]>([
    ['an image', (chart) => deployment(chart, { image: output('web:2') }), inPod({ image: 'web:2' })],
    [
      'a list with Outputs',
      (chart) => deployment(chart, { command: ['run', output('fast')] }),
      inPod({ command: ['run', 'fast'] }),
    ],
    ['a whole list', (chart) => deployment(chart, { args: output(['a', 'b']) }), inPod({ args: ['a', 'b'] })],
    [
      'a variable',
      (chart) => deployment(chart, { env: [{ name: 'A', value: output('1') }] }),
      inPod({ env: [{ name: 'A', value: '1' }] }),
    ],
    [
      'the name of a Secret in a variable',
      (chart) =>
        deployment(chart, { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: output('s'), key: 'k' } } }] }),
      inPod({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
    ],
    [
      'an annotation',
      (chart) => configMap(chart, { metadata: { name: 'x', annotations: { a: output('1') } } }),
      { metadata: { annotations: { a: '1' } } },
    ],
    [
      'all annotations',
      (chart) => configMap(chart, { metadata: { name: 'x', annotations: output({ a: '1' }) } }),
      { metadata: { annotations: { a: '1' } } },
    ],
    [
      'a quantity',
      (chart) => deployment(chart, { resources: { limits: { memory: output('1Gi'), cpu: output(2) } } }),
      inPod({ resources: { limits: { memory: '1Gi', cpu: 2 } } }),
    ],
    [
      'quantities as a whole map',
      (chart) =>
        new Resource(chart, 'x', ResourceQuota, { metadata: { name: 'x' }, spec: { hard: output({ pods: '4' }) } }),
      { spec: { hard: { pods: '4' } } },
    ],
    [
      'int-or-string, with its type',
      (chart) =>
        new Resource(chart, 'x', Service, {
          metadata: { name: 'x' },
          spec: {
            ports: [
              { name: 'a', port: 80, targetPort: output<number | string>('http') },
              { name: 'b', port: output(81), targetPort: output<number | string>(8080) },
            ],
          },
        }),
      {
        spec: {
          ports: [
            { name: 'a', port: 80, targetPort: 'http' },
            { name: 'b', port: 81, targetPort: 8080 },
          ],
        },
      },
    ],
    ['a value of a map', (chart) => configMap(chart, { data: { a: output('1') } }), { data: { a: '1' } }],
    ['a whole map', (chart) => configMap(chart, { data: output({ a: '1' }) }), { data: { a: '1' } }],
    [
      'a whole map of a promise',
      (chart) => configMap(chart, { data: Promise.resolve({ a: '1' }) }),
      { data: { a: '1' } },
    ],
    [
      'a whole map with members that a construct adds',
      (chart) => configMap(chart, { data: { own: '0', ...(output({ a: '1' }) as object), own2: '2' } }),
      { data: { own: '0', a: '1', own2: '2' } },
    ],
    ['a boolean', (chart) => configMap(chart, { data: {}, immutable: output(true) }), { immutable: true }],
    [
      'a string with an Output in it',
      (chart) => configMap(chart, { data: { url: pulumi.interpolate`s3://${output('b')}/x` } }),
      { data: { url: 's3://b/x' } },
    ],
  ])('%s', async (_, build, expected) => {
    expect(await registered(build)).toMatchObject(expected);
  });

  it('the namespace and the labels of the chart, each by itself and as a whole', async () => {
    const objectLabels = { labels: { own: 'x' } };
    const build: Build = (chart) => configMap(chart, { metadata: { name: 'x', ...objectLabels } });
    expect(await registered(build, { namespace: output('research'), labels: { ring: output('r') } })).toMatchObject({
      metadata: { namespace: 'research', labels: { ring: 'r', own: 'x' } },
    });
    for (const labels of [output({ ring: 'r' }), Promise.resolve({ ring: 'r' }) as never]) {
      expect(await registered(build, { namespace: Promise.resolve('research'), labels })).toMatchObject({
        metadata: { namespace: 'research', labels: { ring: 'r', own: 'x' } },
      });
    }
  });

  it('all labels of the chart beside all labels of an object', async () => {
    const build: Build = (chart) =>
      configMap(chart, { metadata: { name: 'x', labels: output({ own: 'x', both: 'own' }) } });
    expect(await registered(build, { labels: output({ ring: 'r', both: 'chart' }) })).toMatchObject({
      metadata: { labels: { ring: 'r', own: 'x', both: 'own' } },
    });
  });

  it('maps that are merged with what a construct renders', async () => {
    const value = await registered((chart) => {
      new kubeflow.PyTorchJob(chart, 'x', {
        nodes: 1,
        image: 'a:1',
        podLabels: output({ team: 'a' }),
        podAnnotations: { a: '1' },
        podOverrides: { metadata: { labels: { ring: 'r' }, annotations: output({ b: '2' }) as never } },
      });
    });
    expect(value).toMatchObject({
      spec: {
        pytorchReplicaSpecs: {
          Master: { template: { metadata: { labels: { team: 'a', ring: 'r' }, annotations: { a: '1', b: '2' } } } },
        },
      },
    });
  });
});

describe('a stack writes, once values are known,', () => {
  it('YAML', async () => {
    const value = (await registered((chart) => {
      new ray.RayJob(chart, 'x', {
        entrypoint: ['python', output("it's")],
        runtimeEnv: { env_vars: { NOTE: output(AWKWARD) } },
        cluster: { rayVersion: '2.52.0', head: { image: 'ray:1' }, workers: [{ groupName: 'w', image: 'ray:1' }] },
      });
    })) as { readonly spec: { readonly entrypoint: string; readonly runtimeEnvYAML: string } };
    expect(value.spec.entrypoint).toBe("python 'it'\\''s'");
    expect(value.spec.runtimeEnvYAML).toBe('env_vars:\n  NOTE: |-\n    yes: a\n    "b", c\n');
  });

  it('JSON', async () => {
    const value = (await registered((chart) => {
      new networking.NetworkAttachmentDefinition(chart, 'x', {
        cni: networking.Cni.macvlan({ master: output(AWKWARD) as never, ipam: networking.Ipam.dhcp() }),
      });
    })) as { readonly spec: { readonly config: string } };
    expect(JSON.parse(value.spec.config)).toMatchObject({ master: AWKWARD });
  });

  it('TOML', async () => {
    const value = (await registered((chart) => {
      const text = new nodeTuning.ContainerdConfiguration({
        runtimes: { rdma: { baseRuntimeSpec: output(AWKWARD) as never } },
      }).toText();
      configMap(chart, { data: { 'config.toml': text } });
    })) as { readonly data: Readonly<Record<string, string>> };
    expect(value.data['config.toml']).toContain('base_runtime_spec = "yes: a\\n\\"b\\", c"');
  });

  it('CSV', async () => {
    const value = (await registered((chart) => {
      new gpuOperator.DcgmCounters(chart, 'x', {
        counters: [{ field: 'DCGM_FI_DEV_GPU_UTIL', type: 'gauge', help: output('used, in percent') as never }],
      });
    })) as { readonly data: Readonly<Record<string, string>> };
    expect(Object.values(value.data)[0]).toBe('DCGM_FI_DEV_GPU_UTIL, gauge,"used, in percent"\n');
  });
});

describe('a promise of a whole map', () => {
  const map = Promise.resolve({ a: 'b' }) as never;
  const job = { nodes: 1, image: 'a:1' };
  it.each<readonly [string, string, Build]>([
    ['labels', 'a construct', (chart) => new Namespace(chart, 'x', { labels: map })],
    ['annotations', 'a construct', (chart) => new Namespace(chart, 'x', { annotations: map })],
    ['metadata.labels', 'an object', (chart) => configMap(chart, { metadata: { name: 'x', labels: map } })],
    ['metadata.annotations', 'an object', (chart) => configMap(chart, { metadata: { name: 'x', annotations: map } })],
    ['podLabels', 'a workload', (chart) => new kubeflow.PyTorchJob(chart, 'x', { ...job, podLabels: map })],
    ['podAnnotations', 'a workload', (chart) => new kubeflow.PyTorchJob(chart, 'x', { ...job, podAnnotations: map })],
    [
      'metadata.labels',
      'a workload',
      (chart) => new kubeflow.PyTorchJob(chart, 'x', { ...job, metadata: { labels: map } }),
    ],
    ['env', 'a workload', (chart) => new kubeflow.PyTorchJob(chart, 'x', { ...job, env: map })],
    ['overrides', 'a workload', (chart) => new kubeflow.PyTorchJob(chart, 'x', { ...job, overrides: map })],
    [
      'overrides',
      'a pod',
      (chart) => new kubeflow.PyTorchJob(chart, 'x', { ...job, podOverrides: { container: map } }),
    ],
    [
      'labels',
      'overrides of a pod with labels',
      (chart) =>
        new kubeflow.PyTorchJob(chart, 'x', {
          ...job,
          podLabels: { a: 'b' },
          podOverrides: { metadata: { labels: map } },
        }),
    ],
  ])('is rejected as %s of %s, where its members would be lost', async (prop, _, build) => {
    await mockedEngine();
    expect(() => new GantryStack('lab', build)).toThrow(
      new RegExp(`${prop.replace('.', '\\.')}: must not be (a promise|an Output)`),
    );
  });
});
