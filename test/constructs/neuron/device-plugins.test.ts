/**
 * The device plugins and exporters that are DaemonSets: Gaudi, Ascend, and Neuron.
 */
import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { AscendDevicePlugin, NpuExporter, volcanoNpu } from '../../../src/constructs/ascend';
import { GaudiDevicePlugin, GaudiExporter } from '../../../src/constructs/gaudi';
import { NeuronDevicePlugin, NeuronMonitor } from '../../../src/constructs/neuron';
import { SchedulerConfiguration, SchedulerPlugin } from '../../../src/constructs/volcano';
import { volcanoRules } from '../../../src/constructs/volcano/rules';
import { Testing } from '../../../src/interfaces/testing';
import { findingsOf } from '../../support/findings';

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: unknown };
    readonly template: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: {
        readonly tolerations: readonly { readonly key: string }[];
        readonly nodeSelector?: unknown;
        readonly affinity?: unknown;
        readonly serviceAccountName?: string;
        readonly automountServiceAccountToken?: boolean;
        readonly containers: readonly [
          { readonly image: string; readonly args?: readonly string[]; readonly ports?: unknown },
        ];
      };
    };
  };
}

function rendered(make: (scope: Construct) => unknown): readonly Rendered[] {
  const chart = new Chart(Testing.app(), 'c');
  make(chart);
  return Testing.synth(chart) as unknown as readonly Rendered[];
}

function daemonSet(objects: readonly Rendered[]): Rendered {
  return objects.find(({ kind }) => kind === 'DaemonSet')!;
}

test.each([
  [
    'Gaudi',
    (scope: Construct) => new GaudiDevicePlugin(scope, 'p', { version: '1.24.2-481' }),
    'habana-system',
    'habana.ai/gaudi',
    'docker.io/intel/gaudi-device-plugin:1.24.2-481',
  ],
  [
    'Ascend',
    (scope: Construct) => new AscendDevicePlugin(scope, 'p', { image: 'r/plugin:1' }),
    'kube-system',
    'huawei.com/Ascend910',
    'r/plugin:1',
  ],
  [
    'Neuron',
    (scope: Construct) => new NeuronDevicePlugin(scope, 'p', { version: '2.12.5.0' }),
    'kube-system',
    'aws.amazon.com/neuron',
    'public.ecr.aws/neuron/neuron-device-plugin:2.12.5.0',
  ],
])('the device plugin of %s runs on its nodes, and is checked clean', (_, make, namespace, taint, image) => {
  const { metadata, spec } = daemonSet(rendered(make));
  expect(metadata.namespace).toBe(namespace);
  expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  expect(spec.template.spec.tolerations.map(({ key }) => key)).toContain(taint);
  expect(spec.template.spec.containers[0].image).toBe(image);
});

test('a plugin that talks to the API server has an account with its permissions, one that does not has no token', () => {
  const ascend = rendered((scope) => new AscendDevicePlugin(scope, 'p', { image: 'i:1', chip: '310P' }));
  expect(ascend.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'DaemonSet']);
  const { spec, metadata } = daemonSet(ascend);
  expect(spec.template.spec.serviceAccountName).toBe(metadata.name);
  expect(spec.template.spec.nodeSelector).toEqual({ accelerator: 'huawei-Ascend310P' });
  const gaudi = daemonSet(rendered((scope) => new GaudiDevicePlugin(scope, 'p', { version: '1' })));
  expect(gaudi.spec.template.spec.automountServiceAccountToken).toBe(false);
});

test('the Ascend plugin is configured for devices that Volcano chooses', () => {
  const args = (volcano: boolean): string =>
    daemonSet(rendered((scope) => new AscendDevicePlugin(scope, 'p', { image: 'i:1', volcano }))).spec.template.spec
      .containers[0].args![0];
  expect(args(true)).toContain('-volcanoType=true');
  expect(args(false)).toContain('-volcanoType=false');
});

test.each([
  ['Gaudi', (scope: Construct) => new GaudiExporter(scope, 'e', { version: '1' }), 41611],
  ['Ascend', (scope: Construct) => new NpuExporter(scope, 'e', { image: 'i:1' }), 8082],
  ['Neuron', (scope: Construct) => new NeuronMonitor(scope, 'e', { version: '1' }), 8000],
])('the exporter of %s has a port with a name', (_, make, containerPort) => {
  const { spec } = daemonSet(rendered(make));
  expect(spec.template.spec.containers[0].ports).toMatchObject([{ containerPort }]);
});

test.each([
  ['v26.1.3', 'volcano-npu_v26.1.3'],
  ['v27.0.0', 'volcano-npu_v27.0.0'],
  ['v26.0.0', 'volcano-npu_v26.0.0_linux-aarch64'],
  ['v7.3.0', 'volcano-npu_v7.3.0_linux-aarch64'],
])('the NPU plugin of %s is named as its build names it', (version, plugin) => {
  expect(volcanoNpu({ version }).plugin).toBe(plugin);
});

test("Volcano's scheduler takes the NPU plugin with its parameters", () => {
  const chart = new Chart(Testing.app(), 'c');
  const npu = volcanoNpu({ architecture: 'x86_64', superPodSize: 32 });
  const configuration = SchedulerConfiguration.forGpus(chart, 's', {
    devices: { 'huawei.com/Ascend910': 10 },
    plugins: [SchedulerPlugin.of(npu.plugin)],
    configurations: [npu.configuration],
  });
  expect(configuration.text).toMatch(/- name: volcano-npu_v[\d.]+\n/);
  expect(configuration.text).toContain('super-pod-size: "32"');
  const map = (text: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'volcano-scheduler-configmap', namespace: 'volcano-system' },
      data: { 'volcano-scheduler.conf': text },
    });
  const found = (text: string): readonly string[] =>
    findingsOf(map(text), volcanoRules).flatMap(({ message }) => (message.includes('init-params') ? [message] : []));
  expect(found(configuration.text)).toEqual([]);
  expect(found(configuration.text.replace('volcano-npu_', 'volcano-gpu_'))).toHaveLength(1);
  expect(() => volcanoNpu({ superPodSize: -1 })).toThrow('superPodSize -1: must be a whole number');
});
