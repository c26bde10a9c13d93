/**
 * What the charts of the platform require from an installation, and what Helm rejects.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { fieldPathOf } from '../../../manifests/pointer';
import { asArray, asObject } from '../../../manifests/read';
import { allOf } from '../../../facts/words';
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
      summary: 'The release of an operator should pin the version of its chart, without a range.',
      why: 'Otherwise the operator, its CRDs, and the driver of every node change whenever a new chart is published.',
      source: 'Flux, HelmRelease spec.chart.spec.version (default: the latest); Argo CD, targetRevision',
      fix: 'Set spec.chart.spec.version of the HelmRelease, or spec.source.targetRevision of the Application, to an exact version.',
    },
    function* ({ facts, version, versionPath }) {
      const fixed = version !== undefined && /^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version);
      if (!fixed) {
        yield {
          path: versionPath,
          message:
            version === undefined
              ? `the version of the chart "${facts.name}" is not set, so each new version is installed when it is published`
              : `"${version}" is not an exact version of the chart "${facts.name}"`,
          found: version,
          expected: facts.version ?? 'an exact version',
          ...(facts.version !== undefined && { fix: `Set ${fieldPathOf(versionPath)} to "${facts.version}".` }),
        };
      }
    },
  ),

  installRule(
    'repository-current',
    {
      severity: 'warning',
      summary: 'A chart should be installed from the repository in which its project currently publishes it.',
      why: 'The former address serves only old releases, or nothing.',
      source: `${cite('volcano')}, README; NVIDIA network-operator, documents`,
      fix: 'Set spec.url of the HelmRepository, or spec.source.repoURL of the Application, to the current repository.',
    },
    function* ({ facts, repository, repositoryPath, repositoryField }) {
      if (repository !== undefined && facts.formerRepositories.includes(repository.replace(/\/+$/, ''))) {
        yield {
          path: repositoryPath,
          message: `the chart "${facts.name}" is no longer published in ${repository}`,
          found: repository,
          expected: facts.repository,
          fix: `Set ${repositoryField} to ${facts.repository}.`,
        };
      }
    },
  ),

  installRule(
    'large-crds-server-side',
    {
      severity: 'error',
      summary: 'Argo CD must apply charts with large CRDs with server-side apply.',
      why: 'A client-side apply copies the whole CRD into an annotation, which is limited to 262144 bytes: the CRDs are rejected, and the operator does not start.',
      source:
        'kubernetes, metadata.annotations limit; the CRDs of Kueue, KEDA, Kubeflow Trainer, KubeRay, JobSet, LeaderWorkerSet, and prometheus-operator',
      fix: 'Add ServerSideApply=true to spec.syncPolicy.syncOptions.',
    },
    function* ({ facts }, object) {
      const options = asArray(asObject(asObject(object.spec).syncPolicy).syncOptions);
      if (facts.largeCrds && !options.includes('ServerSideApply=true')) {
        yield {
          path: '/spec',
          message: `the CRDs of the chart "${facts.name}" are too large for a client-side apply, so the API server rejects them`,
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
      summary: "Values of the GPU operator's chart must use gpuPodDeletion, which is podDeletion in the ClusterPolicy.",
      why: 'The chart reads only its own key: pods are deleted with the default settings.',
      source: `${cite('nvidia-gpu-operator')}, deployments/gpu-operator/templates/clusterpolicy.yaml`,
      fix: 'Rename driver.upgradePolicy.podDeletion to gpuPodDeletion in the values.',
    },
    function* (values, at) {
      const policy = asObject(asObject(values.driver).upgradePolicy);
      if (policy.podDeletion !== undefined) {
        yield {
          path: at('/driver/upgradePolicy/podDeletion'),
          message: 'the chart ignores podDeletion, a field of the ClusterPolicy, and reads gpuPodDeletion',
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
        "Values of the GPU operator's chart must use driver.nvidiaDriverCRD.enabled, which is driver.useNvidiaDriverCRD in the ClusterPolicy.",
      why: 'The chart ignores the field of the ClusterPolicy, and NVIDIADrivers stay in the state disabled.',
      source: `${cite('nvidia-gpu-operator')}, deployments/gpu-operator/templates/clusterpolicy.yaml`,
      fix: 'Replace driver.useNvidiaDriverCRD with driver.nvidiaDriverCRD.enabled in the values.',
    },
    function* (values, at) {
      const found = asObject(values.driver).useNvidiaDriverCRD;
      if (found !== undefined) {
        yield {
          path: at('/driver/useNvidiaDriverCRD'),
          message:
            'the chart ignores useNvidiaDriverCRD, a field of the ClusterPolicy, and reads nvidiaDriverCRD.enabled',
          found,
          expected: 'driver.nvidiaDriverCRD.enabled',
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-one-resource',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'The chart must deploy either a ClusterPolicy or a GPUCluster.',
      why: 'Helm refuses to render the chart.',
      source: VALIDATIONS,
      fix: 'Set clusterPolicy.deployCR or gpuCluster.deployCR to false.',
    },
    function* (values, at) {
      const [policy, cluster] = ['clusterPolicy', 'gpuCluster'].map((part) => asObject(values[part]).deployCR === true);
      if (policy && cluster) {
        yield {
          path: at('/gpuCluster/deployCR'),
          message:
            'clusterPolicy.deployCR and gpuCluster.deployCR are both true, but the chart deploys only one of the two',
          found: true,
          expected: 'only one of them true',
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-gpu-cluster-has-drivers',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'With a GPUCluster, drivers must come from NVIDIADriver resources.',
      why: 'Helm refuses to render the chart, because a GPUCluster has no driver settings.',
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
        message: 'gpuCluster.deployCR requires driver.nvidiaDriverCRD.enabled: true',
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
      summary: 'The NRI plugin requires CDI and the container toolkit.',
      why: 'Helm refuses to render the chart.',
      source: VALIDATIONS,
      fix: 'Set cdi.enabled: true and toolkit.enabled: true, or set cdi.nriPluginEnabled: false.',
    },
    function* (values, at) {
      const cdi = asObject(values.cdi);
      if (cdi.nriPluginEnabled === true && (cdi.enabled === false || asObject(values.toolkit).enabled === false)) {
        const required = `${cdi.enabled === false ? 'cdi' : 'toolkit'}.enabled`;
        yield {
          path: at('/cdi/nriPluginEnabled'),
          message: `cdi.nriPluginEnabled requires ${required}, which is false`,
          found: true,
          expected: `${required}: true`,
          fix: `Set ${required}: true, or set cdi.nriPluginEnabled: false.`,
        };
      }
    },
  ),

  gpuOperatorRule(
    'gpu-operator-plugin-config-complete',
    {
      row: 'GO4',
      severity: 'error',
      summary: 'A device-plugin ConfigMap that the chart creates must have a name and data.',
      why: 'Helm refuses to render the chart.',
      source: VALIDATIONS,
      fix: 'Set devicePlugin.config.name and devicePlugin.config.data.',
    },
    function* (values, at) {
      const config = asObject(asObject(values.devicePlugin).config);
      if (config.create !== true) {
        return;
      }
      const given = { name: (config.name ?? '') !== '', data: Object.keys(asObject(config.data)).length > 0 };
      const missing = Object.entries(given)
        .filter(([, there]) => !there)
        .map(([part]) => `devicePlugin.config.${part}`);
      if (missing.length > 0) {
        yield {
          path: at('/devicePlugin/config'),
          message: `devicePlugin.config.create requires ${allOf(missing)}`,
          expected: allOf(missing),
          fix: `Set ${allOf(missing)}, or set devicePlugin.config.create: false.`,
        };
      }
    },
  ),
];
