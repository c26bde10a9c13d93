/**
 * What the charts of the platform demand of those who install them, and what helm refuses.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rule';
import { asArray, asObject } from '../../../manifests/read';
import { ARGO_APPLICATION, HELM_RELEASE, type Install, installOf } from './install-of';

type Facts = Omit<RuleFacts, 'id' | 'tier'> & Partial<Pick<RuleFacts, 'tier'>>;

function installRule(
  id: string,
  facts: Facts,
  check: (install: Install, object: JsonObject) => Iterable<Violation>,
  kinds = [HELM_RELEASE, ARGO_APPLICATION],
): ObjectRule {
  return {
    tier: 'advice',
    ...facts,
    id: `charts/${id}`,
    on: 'object',
    kinds,
    check: (manifest, { set }) => {
      const install = installOf(manifest, set);
      return install === undefined ? [] : check(install, manifest.object);
    },
  };
}

/** A rule over the values of the GPU operator's chart. A path within the text of Argo CD's `values` cannot be pointed at. */
function gpuOperatorRule(
  id: string,
  facts: Facts,
  check: (values: JsonObject, at: (path: string) => string) => Iterable<Violation>,
): ObjectRule {
  return installRule(id, { tier: 'webhook', ...facts }, ({ facts: { name }, values, valuesPath }) =>
    name === 'gpu-operator'
      ? check(values, (path) =>
          valuesPath.endsWith('/values') && valuesPath.startsWith('/spec/source') ? valuesPath : `${valuesPath}${path}`,
        )
      : [],
  );
}

const VALIDATIONS = `${cite('nvidia-gpu-operator')}, deployments/gpu-operator/templates/validations.yaml`;

export const chartRules: readonly Rule[] = [
  installRule(
    'version-pinned',
    {
      severity: 'warning',
      summary: 'The release of an operator names the version of its chart, without a range.',
      why: 'Otherwise the operator, its CRDs and with them the driver of every node change when somebody publishes a chart.',
      source: 'Flux, HelmRelease spec.chart.spec.version (default: the latest); Argo CD, targetRevision',
      fix: 'Name one version.',
    },
    function* ({ facts, version, versionPath }) {
      const fixed = version !== undefined && /^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version);
      if (!fixed) {
        yield {
          path: versionPath,
          message:
            version === undefined ? `the chart ${facts.name} has no version` : `"${version}" is no fixed version`,
          found: version,
          expected: facts.version ?? 'a fixed version',
        };
      }
    },
  ),

  installRule(
    'repository-current',
    {
      severity: 'warning',
      summary: 'A chart comes from the repository in which its project publishes now.',
      why: 'The former address serves old releases or nothing.',
      source: `${cite('volcano')}, README; NVIDIA network-operator, documents`,
      fix: 'Change the address.',
    },
    function* ({ facts, repository, repositoryPath }) {
      if (repository !== undefined && facts.formerRepositories.includes(repository.replace(/\/+$/, ''))) {
        yield {
          path: repositoryPath,
          message: `${repository} is a former address of ${facts.name}`,
          found: repository,
          expected: facts.repository,
        };
      }
    },
  ),

  installRule(
    'large-crds-server-side',
    {
      severity: 'error',
      summary: "Argo CD applies charts with large CRDs on the server's side.",
      why: 'A client-side apply copies the whole CRD into an annotation, which may hold 262144 bytes: the CRDs are refused and the operator does not start.',
      source:
        'kubernetes, metadata.annotations limit; the CRDs of Kueue, KEDA, Kubeflow Trainer and prometheus-operator',
      fix: 'Add ServerSideApply=true to syncPolicy.syncOptions.',
    },
    function* ({ facts }, object) {
      const options = asArray(asObject(asObject(object.spec).syncPolicy).syncOptions);
      if (facts.largeCrds && !options.includes('ServerSideApply=true')) {
        yield {
          path: '/spec',
          message: `CRDs of ${facts.name} are too long for a client-side apply`,
          expected: 'syncPolicy.syncOptions: [ServerSideApply=true]',
        };
      }
    },
    [ARGO_APPLICATION],
  ),

  gpuOperatorRule(
    'gpu-operator-upgrade-policy-keys',
    {
      row: 'GO3',
      tier: 'advice',
      severity: 'error',
      summary: "Values of the GPU operator's chart say gpuPodDeletion, where the ClusterPolicy says podDeletion.",
      why: 'The chart reads its own key and passes over the other: pods are taken away by the default.',
      source: `${cite('nvidia-gpu-operator')}, deployments/gpu-operator/templates/clusterpolicy.yaml`,
      fix: 'Rename the key.',
    },
    function* (values, at) {
      const policy = asObject(asObject(values.driver).upgradePolicy);
      if (policy.podDeletion !== undefined) {
        yield {
          path: at('/driver/upgradePolicy/podDeletion'),
          message: 'podDeletion is a field of the ClusterPolicy',
          expected: 'gpuPodDeletion',
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-driver-crd-keys',
    {
      row: 'GO3',
      tier: 'advice',
      severity: 'error',
      summary:
        "Values of the GPU operator's chart say driver.nvidiaDriverCRD.enabled, where the ClusterPolicy says driver.useNvidiaDriverCRD.",
      why: 'The chart passes over the field of the ClusterPolicy, and NVIDIADrivers stay at the state disabled.',
      source: `${cite('nvidia-gpu-operator')}, deployments/gpu-operator/templates/clusterpolicy.yaml`,
      fix: 'Write driver.nvidiaDriverCRD.enabled: true.',
    },
    function* (values, at) {
      const found = asObject(values.driver).useNvidiaDriverCRD;
      if (found !== undefined) {
        yield {
          path: at('/driver/useNvidiaDriverCRD'),
          message: 'useNvidiaDriverCRD is a field of the ClusterPolicy',
          found,
          expected: 'nvidiaDriverCRD.enabled',
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-one-resource',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'The chart deploys a ClusterPolicy or a GPUCluster, not both.',
      why: 'Helm refuses to render the chart.',
      source: VALIDATIONS,
      fix: 'Turn one of the two deployCR off.',
    },
    function* (values, at) {
      const [policy, cluster] = ['clusterPolicy', 'gpuCluster'].map((part) => asObject(values[part]).deployCR === true);
      if (policy && cluster) {
        yield {
          path: at('/gpuCluster/deployCR'),
          message: 'both clusterPolicy and gpuCluster are deployed',
          found: true,
          expected: 'one of the two',
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-gpu-cluster-has-drivers',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'With a GPUCluster, drivers come from NVIDIADriver resources.',
      why: 'Helm refuses to render the chart: a GPUCluster says nothing of drivers.',
      source: VALIDATIONS,
      fix: 'Set driver.nvidiaDriverCRD.enabled: true.',
    },
    function* (values, at) {
      const driver = asObject(values.driver);
      const provided = driver.enabled === false || asObject(driver.nvidiaDriverCRD).enabled === true;
      if (asObject(values.gpuCluster).deployCR !== true || provided) {
        return;
      }
      yield {
        path: at('/gpuCluster/deployCR'),
        message: 'a GPUCluster is deployed and NVIDIADrivers are off',
        found: true,
        expected: 'driver.nvidiaDriverCRD.enabled: true',
      };
    },
  ),

  gpuOperatorRule(
    'gpu-operator-nri-needs-cdi',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'The NRI plugin goes together with CDI and the container toolkit.',
      why: 'Helm refuses to render the chart.',
      source: VALIDATIONS,
      fix: 'Leave cdi.enabled and toolkit.enabled on, or turn cdi.nriPluginEnabled off.',
    },
    function* (values, at) {
      const cdi = asObject(values.cdi);
      if (cdi.nriPluginEnabled === true && (cdi.enabled === false || asObject(values.toolkit).enabled === false)) {
        yield {
          path: at('/cdi/nriPluginEnabled'),
          message: `nriPluginEnabled is on and ${cdi.enabled === false ? 'CDI' : 'the toolkit'} is off`,
          found: true,
          expected: 'both on',
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-plugin-config-complete',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'A device-plugin ConfigMap that the chart makes has a name and data.',
      why: 'Helm refuses to render the chart.',
      source: VALIDATIONS,
      fix: 'Name it, and give its data.',
    },
    function* (values, at) {
      const config = asObject(asObject(values.devicePlugin).config);
      if (config.create !== true) {
        return;
      }
      const given = { name: (config.name ?? '') !== '', data: Object.keys(asObject(config.data)).length > 0 };
      const missing = Object.entries(given)
        .filter(([, there]) => !there)
        .map(([part]) => part);
      if (missing.length > 0) {
        yield {
          path: at('/devicePlugin/config'),
          message: `the ConfigMap is to be created and has no ${missing.join(' and no ')}`,
          expected: 'name and data',
        };
      }
    },
  ),
];
