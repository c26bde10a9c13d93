import { versionOf } from '../../../src/facts/upstream';
import { App, Chart, Duration } from 'cdk8s';
import { parse } from 'yaml';
import * as charts from '../../../src/constructs/charts';
import { GpuOperator, Sharing } from '../../../src/constructs/gpu-operator';
import { Testing } from '../../../src/interfaces/testing';

const { ArgoApplication, chartInstall, CHARTS, HelmRelease, helmCommands } = charts;
const { TrainingOperatorRelease, trainingOperatorCommand, valuesText } = charts;
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'elsewhere' });

test('Flux gets a repository and a release of a pinned version, with CRDs kept up to date', () => {
  const scope = chart();
  new HelmRelease(scope, 'volcano', {
    chart: 'volcano',
    interval: Duration.hours(1),
    values: { custom: { scheduler_replicas: 2 } },
  });
  expect(Testing.synth(scope)).toEqual([
    {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata: { name: 'volcano', namespace: 'flux-system' },
      spec: { interval: '3600s', url: 'https://volcano-sh.github.io/helm-charts' },
    },
    {
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: 'volcano', namespace: 'flux-system' },
      spec: {
        interval: '3600s',
        releaseName: 'volcano',
        targetNamespace: 'volcano-system',
        storageNamespace: 'volcano-system',
        chart: {
          spec: {
            chart: 'volcano',
            version: versionOf('volcano').slice(1),
            sourceRef: { kind: 'HelmRepository', name: 'volcano' },
          },
        },
        install: { createNamespace: true, crds: 'CreateReplace', remediation: { retries: 3 } },
        upgrade: { crds: 'CreateReplace', remediation: { retries: 3 } },
        values: { custom: { scheduler_replicas: 2 } },
      },
    },
  ]);
});

test('a registry is said as each of the two has it', () => {
  const scope = chart();
  new HelmRelease(scope, 'kueue', { chart: 'kueue' });
  new ArgoApplication(scope, 'argo', { chart: 'kueue', name: 'kueue', automated: false });
  const [repository, , application] = Testing.synth(scope);
  expect(repository?.spec).toMatchObject({ url: 'oci://registry.k8s.io/kueue/charts', type: 'oci' });
  expect(application).toEqual({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'kueue', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: {
        repoURL: 'registry.k8s.io/kueue/charts',
        chart: 'kueue',
        targetRevision: versionOf('kueue').slice(1),
        helm: { releaseName: 'kueue' },
      },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'kueue-system' },
      syncPolicy: { syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'] },
    },
  });
});

test('the values of the GPU operator come from its construct', () => {
  const scope = chart();
  const operator = new GpuOperator(scope, 'gpu', { through: 'chart', driver: { kernelModuleType: 'open' } });
  operator.addNodePool('inference', Sharing.timeSlicing({ replicas: 4 }));
  new ArgoApplication(scope, 'gpu-operator', { chart: 'gpu-operator', values: operator.values });
  expect(Testing.synth(scope)).toMatchObject([
    { kind: 'ConfigMap' },
    {
      spec: {
        source: {
          targetRevision: versionOf('nvidia-gpu-operator'),
          helm: {
            valuesObject: {
              driver: { kernelModuleType: 'open' },
              devicePlugin: { config: { name: 'device-plugin-config' } },
            },
          },
        },
      },
    },
  ]);
});

test('commands name the release, the version and the values file', () => {
  expect(helmCommands(chartInstall({ chart: 'volcano', values: { custom: {} } }))).toBe(
    [
      'helm repo add volcano https://volcano-sh.github.io/helm-charts',
      'helm repo update volcano',
      `helm upgrade volcano volcano/volcano --install --namespace volcano-system --create-namespace --version ${versionOf('volcano').slice(1)} --values volcano-values.yaml --wait`,
      '',
    ].join('\n'),
  );
  expect(helmCommands(chartInstall({ chart: 'kueue', version: '0.19.2', namespace: 'queues', release: 'q' }))).toBe(
    [
      'helm show crds oci://registry.k8s.io/kueue/charts/kueue --version 0.19.2 | kubectl apply --server-side --filename -',
      'helm upgrade q oci://registry.k8s.io/kueue/charts/kueue --install --namespace queues --create-namespace --version 0.19.2 --wait',
      '',
    ].join('\n'),
  );
});

test('a values file says the values again', () => {
  const values = {
    nfd: { enabled: false },
    daemonsets: { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] },
  };
  expect(parse(valuesText(chartInstall({ chart: 'gpu-operator', values })))).toEqual(values);
  expect(valuesText(chartInstall({ chart: 'keda' }))).toBe('');
});

test('a chart of which no release is known wants a version, and a release name has a length', () => {
  expect(() => chartInstall({ chart: 'kube-prometheus-stack' })).toThrow(
    /version of the chart kube-prometheus-stack is required/,
  );
  expect(chartInstall({ chart: 'kube-prometheus-stack', version: '90.0.0' }).version).toBe('90.0.0');
  expect(() => chartInstall({ chart: 'keda', release: 'x'.repeat(54) })).toThrow(/at most 53/);
});

test('every other chart has a version, an address and a namespace', () => {
  for (const { name, version, repository, namespace } of Object.values(CHARTS)) {
    if (name !== 'kube-prometheus-stack') {
      expect([name, version]).toEqual([name, expect.stringMatching(/^v?\d+\.\d+.\d+(-\d+)?$/)]);
    }
    expect(repository).toMatch(/^(https|oci):\/\/[^/]+\/.+[^/]$/);
    expect(namespace).toMatch(/^[a-z][a-z-]+$/);
  }
});

test('the training-operator comes from its repository', () => {
  const scope = chart();
  new TrainingOperatorRelease(scope, 'training-operator');
  expect(Testing.synth(scope)).toMatchObject([
    {
      kind: 'GitRepository',
      spec: {
        url: 'https://github.com/kubeflow/trainer',
        ref: { tag: versionOf('training-operator-v1') },
      },
    },
    {
      kind: 'Kustomization',
      spec: {
        path: './manifests/overlays/standalone',
        sourceRef: { kind: 'GitRepository', name: 'training-operator' },
      },
    },
  ]);
  expect(trainingOperatorCommand('v1.0.0')).toBe(
    "kubectl apply --server-side --kustomize 'github.com/kubeflow/trainer.git/manifests/overlays/standalone?ref=v1.0.0'\n",
  );
});

test('an unknown chart is refused with the known ones and the way to pass any other', () => {
  const make = (name: string): unknown => chartInstall({ chart: name as 'kueue' });
  expect(() => make('kueu')).toThrow(
    /^unknown chart "kueu" \(did you mean "kueue"\?\); known charts are gpu-operator, gpu-operator-charts, .*kube-prometheus-stack\. Pass any other chart as chart: \{ name, repository, version, namespace \}\.$/,
  );
  expect(() => make('toString')).toThrow('unknown chart "toString"');
});

test('any other chart is installed as one of the catalog', () => {
  const scope = chart();
  const jobset = {
    name: 'jobset',
    repository: 'oci://registry.example.com/charts',
    version: '1.2.3',
    namespace: 'jobset-system',
  };
  new HelmRelease(scope, 'jobset', { chart: jobset, values: { controller: { replicas: 2 } } });
  expect(Testing.synth(scope)).toMatchObject([
    { kind: 'HelmRepository', spec: { url: 'oci://registry.example.com/charts', type: 'oci' } },
    {
      kind: 'HelmRelease',
      spec: {
        targetNamespace: 'jobset-system',
        chart: { spec: { chart: 'jobset', version: '1.2.3' } },
        values: { controller: { replicas: 2 } },
      },
    },
  ]);
});

test.each([
  ['gpu-operator-charts', 'https://rocm.github.io/gpu-operator', 'kube-amd-gpu'],
  ['dra-driver-nvidia-gpu', 'oci://registry.k8s.io/dra-driver-nvidia/charts', 'dra-driver-nvidia-gpu'],
  ['habana-ai-operator', 'https://vault.habana.ai/artifactory/api/helm/gaudi-helm', 'habana-ai-operator'],
  ['neuron-helm-chart', 'oci://public.ecr.aws/neuron', 'kube-system'],
] as const)(
  'the operator chart %s comes from its vendor, in a version of the catalog',
  (name, repository, namespace) => {
    const install = chartInstall({ chart: name });
    expect(install).toMatchObject({ repository, namespace });
    expect(install.version).toMatch(/^v?\d/);
  },
);
