/**
 * What the API server accepts of a ClusterPolicy of the Gaudi base operator, and what then does not run.
 */
import { type ObjectRule, type Rule, type RuleFacts, type SetRule } from '../../../checks/rules/rule';
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';

const KIND = 'habanalabs.habana.ai/ClusterPolicy';
const CRD = `${cite('gaudi-base-operator')}, CustomResourceDefinition clusterpolicies.habanalabs.habana.ai`;

/** Where the images of the parts are: the part, and the path of its image. */
const IMAGES: Readonly<Record<string, readonly string[]>> = {
  driver: ['driver', 'driver_runner', 'image'],
  runtime: ['runtime', 'runner', 'image'],
  device_plugin: ['device_plugin', 'image'],
  feature_discovery: ['feature_discovery', 'runner', 'image'],
  metric_exporter: ['metric_exporter', 'runner', 'image'],
  bmc_monitoring: ['bmc_monitoring', 'image'],
};

function imageOf(spec: JsonObject, path: readonly string[]): JsonObject {
  return path.reduce<JsonObject>((at, name) => asObject(at[name]), spec);
}

function policyRule(
  id: string,
  facts: Omit<RuleFacts, 'id' | 'tier' | 'concerns'>,
  check: (spec: JsonObject) => ReturnType<ObjectRule['check']>,
): ObjectRule {
  return {
    ...facts,
    id: `gaudi/${id}`,
    tier: 'advice',
    on: 'object',
    kinds: [KIND],
    check: ({ object }) => check(asObject(object.spec)),
  };
}

/** The default of the schema for an image that has none. */
const PLACEHOLDER = 'repository';

const imagesSet = policyRule(
  'cluster-policy-images-set',
  {
    severity: 'error',
    summary: 'A ClusterPolicy of the Gaudi base operator must set runtime and feature_discovery with their images.',
    why: 'The defaults of the CRD are the image `repository:latest`, which does not exist: the DaemonSet of the part never starts.',
    source: CRD,
    fix: 'Set spec.runtime.runner.image and spec.feature_discovery.runner.image to the images of your release, such as docker.io/intel/gaudi-container-runtime.',
  },
  function* (spec) {
    for (const part of ['runtime', 'feature_discovery']) {
      const path = IMAGES[part] ?? [];
      const unset = spec[part] === undefined;
      if (unset || imageOf(spec, path).repository === PLACEHOLDER) {
        yield {
          path: unset ? '/spec' : `/spec/${path.join('/')}/repository`,
          message: unset
            ? `${part} is not set, so the operator uses the image ${PLACEHOLDER}:latest, which does not exist`
            : `"${PLACEHOLDER}" is the placeholder of the CRD, and no such image exists`,
          ...(unset ? {} : { found: PLACEHOLDER }),
          expected: `${part} with the image of your release`,
          fix: `Set spec.${path.join('.')} to the image of your release.`,
        };
      }
    }
  },
);

const sameRelease = policyRule(
  'cluster-policy-one-release',
  {
    severity: 'warning',
    summary: 'All images of a ClusterPolicy of the Gaudi base operator should have the same tag.',
    why: 'Driver, runtime, and device plugin are released and tested together; another version may not work with the driver.',
    source: 'Intel Gaudi documentation, "Support Matrix"',
    fix: 'Set the tag of each image to the release of spec.driver.driver_runner.image.tag.',
  },
  function* (spec) {
    const driver = asString(imageOf(spec, IMAGES.driver ?? []).tag);
    if (driver === undefined) {
      return;
    }
    for (const [part, path] of Object.entries(IMAGES)) {
      const set = asString(imageOf(spec, path).tag);
      // The schema's default for a device plugin that is not set.
      const tag = part === 'device_plugin' && spec[part] === undefined ? 'latest' : set;
      if (tag !== undefined && tag !== driver) {
        yield {
          path: `/spec/${path.join('/')}/tag`,
          message: `${part} has the tag "${tag}", but the driver has "${driver}"`,
          found: tag,
          expected: driver,
          fix: `Set spec.${path.join('.')}.tag to "${driver}".`,
        };
      }
    }
  },
);

const portValid = policyRule(
  'cluster-policy-port-valid',
  {
    severity: 'error',
    summary: 'The port of the metric exporter must be a valid port number.',
    why: 'The CRD accepts 65536, but a DaemonSet with that container port is rejected: the exporter never starts.',
    source: `${CRD} (maximum: 65536); kubernetes, validation of container ports`,
    fix: 'Set spec.metric_exporter.port to a number from 1024 to 65535, such as 41611.',
  },
  function* (spec) {
    const { port } = asObject(spec.metric_exporter);
    if (port === 65_536) {
      yield {
        path: '/spec/metric_exporter/port',
        message: `port must be less than or equal to 65535, but is ${port}`,
        found: port,
        expected: '1024 to 65535',
      };
    }
  },
);

const one: SetRule = {
  id: 'gaudi/cluster-policy-once',
  tier: 'advice',
  severity: 'warning',
  summary: 'A cluster should have one ClusterPolicy of the Gaudi base operator.',
  why: 'The operator makes DaemonSets of the same names from each ClusterPolicy, so their settings replace each other.',
  source: 'Intel Gaudi documentation, "Intel Gaudi Base Operator for Kubernetes"',
  fix: 'Keep one ClusterPolicy, named habana-ai as in the chart, and remove the others.',
  on: 'set',
  check: function* ({ set }) {
    const [first, ...others] = set.ofKind(KIND);
    for (const manifest of others.filter(({ id }) => id.name !== first?.id.name)) {
      yield {
        manifest,
        path: '/metadata/name',
        message: `only one ClusterPolicy is supported, but these manifests also contain "${first?.id.name ?? ''}"`,
        found: manifest.id.name,
        expected: 'one ClusterPolicy',
      };
    }
  },
};

export const clusterPolicyRules: readonly Rule[] = [imagesSet, sameRelease, portValid, one];
