/**
 * RA1 to RA4, RA7, RA12 and RA13: names, groups and what they give to Ray.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { nameFix } from '../../../checks/rules/name-fix';
import { isAcceleratorResource } from '../../../facts/catalog/resource-names';
import { type Rule } from '../../../checks/rules/rule';
import { dns1035Label, labelFault } from '../../../manifests/values/name-syntax';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, stringEntries } from '../../../manifests/read';
import { groupsOf, isBefore, KUBERAY, RAY_KINDS, rayVersion } from '../ray-view';
import { clusterRule, groupAt, rayRule } from './ray-rule';
import { counted } from '../../../facts/words';

/** What the operator still appends, and 63 characters. */
const LONGEST: Readonly<Record<string, number>> = { RayCluster: 53, RayJob: 47, RayService: 47, RayCronJob: 36 };
const GENERATED = 5;

const name = rayRule(
  RAY_KINDS,
  {
    id: 'ray/name-fits',
    row: 'RA1',
    summary:
      'Names must be DNS-1035 labels with at most 53 characters for a RayCluster, 47 for a RayJob or RayService, and 36 for a RayCronJob.',
    why: 'Clusters, pods, and Services are named after them; the controller rejects longer names.',
    fix: 'Set metadata.name to a shorter name of lowercase letters, digits, and hyphens that starts with a letter.',
  },
  function* (manifest) {
    const most = LONGEST[manifest.id.kind] ?? 63;
    const prefix = asString(asObject(manifest.object.metadata).generateName) ?? '';
    const generated = manifest.id.name === '' && prefix !== '';
    const found = generated ? `${prefix.slice(0, 63 - GENERATED)}${'x'.repeat(GENERATED)}` : manifest.id.name;
    const complaint =
      found === ''
        ? undefined
        : found.length > most
          ? `have no more than ${most} characters, but has ${found.length}`
          : dns1035Label(found);
    if (complaint === undefined) {
      return;
    }
    yield {
      path: `/metadata/${generated ? 'generateName' : 'name'}`,
      message: `the name "${found}" must ${complaint}`,
      found: generated ? prefix : found,
    };
  },
);

const groupNames = clusterRule(
  {
    id: 'ray/worker-group-names-unique',
    row: 'RA2',
    summary: 'The worker groups of a Ray cluster must have different names.',
    why: 'Pods are identified by the name of their group; the webhook rejects duplicates.',
    source: `${KUBERAY}, ray-operator/pkg/webhooks/v1/raycluster_webhook.go`,
    fix: 'Set groupName to a unique name in each entry of workerGroupSpecs.',
  },
  function* ({ workers }) {
    const seen = new Set<string>();
    for (const group of workers) {
      if (seen.has(group.name)) {
        yield {
          path: `${group.path}/groupName`,
          message: `duplicate worker group name "${group.name}"`,
          found: group.name,
          fix: `Set ${fieldOf(group.path)}.groupName to a unique name.`,
        };
      }
      seen.add(group.name);
    }
  },
);

const range = fixesByField(
  clusterRule(
    {
      id: 'ray/worker-group-range-ordered',
      row: 'RA3',
      summary: 'minReplicas of a worker group must be at least 0 and at most maxReplicas.',
      why: 'The controller rejects the cluster otherwise.',
      fix: 'Set minReplicas to at least 0 and maxReplicas to at least minReplicas.',
    },
    function* ({ workers }) {
      for (const { value, path, name: group } of workers) {
        const min = asInteger(value.minReplicas) ?? 0;
        const max = asInteger(value.maxReplicas) ?? Number.MAX_SAFE_INTEGER;
        for (const [field, bound] of [
          ['minReplicas', min],
          ['maxReplicas', max],
        ] as const) {
          if (bound < 0) {
            yield {
              path: `${path}/${field}`,
              message: `${field} in ${groupAt(path, group)} must be greater than or equal to 0, but is ${bound}`,
              found: bound,
              expected: 'at least 0',
            };
          }
        }
        if (min > max) {
          yield {
            path: `${path}/minReplicas`,
            message: `minReplicas in ${groupAt(path, group)} must be less than or equal to maxReplicas (${min} > ${max})`,
            found: min,
            fix: `Set ${fieldOf(path)}.minReplicas to at most ${max}, or increase maxReplicas to at least ${min}.`,
          };
        }
      }
    },
  ),
);

const inRange = clusterRule(
  {
    id: 'ray/worker-group-replicas-in-range',
    row: 'RA3',
    tier: 'advice',
    severity: 'warning',
    summary: 'replicas of a worker group must be between minReplicas and maxReplicas.',
    why: 'The operator uses the nearer bound instead, so the number of workers differs from the one in the manifest.',
    source: `${KUBERAY}, ray-operator/controllers/ray/utils/util.go (GetWorkerGroupDesiredReplicas)`,
    fix: 'Set replicas to a number from minReplicas to maxReplicas, or increase maxReplicas.',
  },
  function* ({ workers }) {
    for (const { value, path, name: group } of workers) {
      const replicas = asInteger(value.replicas);
      const min = asInteger(value.minReplicas) ?? 0;
      const max = asInteger(value.maxReplicas) ?? Number.MAX_SAFE_INTEGER;
      if (replicas === undefined || min > max || (replicas >= min && replicas <= max)) {
        continue;
      }
      yield {
        path: `${path}/replicas`,
        message: `replicas in ${groupAt(path, group)} is not between minReplicas and maxReplicas: KubeRay creates ${replicas < min ? min : max} instead of ${replicas}`,
        found: replicas,
        expected: `${min} to ${max}`,
      };
    }
  },
);

const RESOURCE_PARAMETERS = ['num-cpus', 'num-gpus', 'memory', 'resources'];

const resourcesOnce = clusterRule(
  {
    id: 'ray/resources-stated-once',
    row: 'RA4',
    summary: 'A group must set its Ray resources either in rayStartParams or in resources.',
    why: 'The controller rejects the cluster.',
    fix: 'Remove num-cpus, num-gpus, memory, and resources from rayStartParams.',
  },
  function* (cluster) {
    for (const { value, path, startParams, name: group } of groupsOf(cluster)) {
      if (Object.keys(asObject(value.resources)).length === 0) {
        continue;
      }
      const parameter = RESOURCE_PARAMETERS.find((key) => (asString(startParams[key]) ?? '') !== '');
      if (parameter === undefined) {
        continue;
      }
      yield {
        path: pointer(`${path}/rayStartParams`, parameter),
        message: `${parameter} must not be set in rayStartParams when resources is set in ${groupAt(path, group)}`,
        found: startParams[parameter],
      };
    }
  },
);

const labels = fixesByField(
  clusterRule(
    {
      id: 'ray/labels-valid',
      row: 'RA4',
      summary:
        'Ray labels of a group must be set in labels, not in rayStartParams, and must be valid Kubernetes labels.',
      why: 'The controller rejects the cluster.',
      fix: 'Move the labels from rayStartParams to the labels field of the group.',
    },
    function* (cluster) {
      for (const { value, path, startParams, name: group } of groupsOf(cluster)) {
        if (startParams.labels !== undefined) {
          yield {
            path: `${path}/rayStartParams/labels`,
            message: `labels must not be set in the rayStartParams of ${groupAt(path, group)}`,
            found: startParams.labels,
            expected: 'the labels field of the group',
          };
        }
        for (const [key, text] of stringEntries(value.labels)) {
          const said = labelFault(key, text);
          if (said !== undefined) {
            yield {
              path: pointer(`${path}/labels`, key),
              message: `the ${said.message}`,
              found: said.found,
              ...(said.ofValue === undefined
                ? {}
                : { fix: nameFix(fieldOf(pointer(`${path}/labels`, key)), said.ofValue, text) }),
            };
          }
        }
      }
    },
  ),
);

const suspended = clusterRule(
  {
    id: 'ray/worker-group-suspended-without-autoscaler',
    row: 'RA7',
    summary: 'Worker groups must not be suspended while the autoscaler is on.',
    why: 'The autoscaler would request the workers that suspension removes; the controller rejects the cluster. Suspension also needs the gate RayJobDeletionPolicy, which is on by default.',
    fix: 'Set enableInTreeAutoscaling: false, or remove suspend.',
  },
  function* ({ workers, autoscaling }) {
    for (const { value, path, name: group } of autoscaling ? workers : []) {
      if (value.suspend === true) {
        yield {
          path: `${path}/suspend`,
          message: `suspend in ${groupAt(path, group)} must not be true when enableInTreeAutoscaling is true`,
          found: true,
        };
      }
    }
  },
);

/** Parts of a cluster that a feature gate of the operator must allow. */
const GATES: Readonly<Record<string, string>> = {
  networkPolicy: 'RayClusterNetworkPolicy',
  tlsOptions: 'RayClusterMTLS',
  historyServerOptions: 'RayClusterHistoryServer',
};

const gates = clusterRule(
  {
    id: 'ray/gated-options-enabled',
    row: 'RA12',
    severity: 'info',
    summary: 'networkPolicy, tlsOptions, and historyServerOptions require feature gates of the operator.',
    why: 'The gates are off by default, and the controller then rejects the cluster.',
    fix: 'Start the operator with --feature-gates=NAME=true, where NAME is the gate in the message, or remove the option.',
  },
  function* ({ spec, path }) {
    for (const [field, gate] of Object.entries(GATES)) {
      if (isObject(spec[field])) {
        yield {
          path: `${path}/${field}`,
          message: `${field} requires the ${gate} feature gate of the operator`,
          fix: `Start the operator with --feature-gates=${gate}=true, or remove ${field}.`,
        };
      }
    }
  },
);

const RAY_IMAGE = /(?:^|\/)(?:ray|ray-ml|ray-llm):v?(\d+\.\d+(?:\.\d+)?)/;

const versionMatches = clusterRule(
  {
    id: 'ray/version-matches-image',
    row: 'RA13',
    tier: 'advice',
    severity: 'warning',
    summary: 'rayVersion must be the version of Ray in the images.',
    why: 'The operator chooses features and commands by rayVersion and does not inspect the image; a head and workers with different versions do not connect.',
    source: `${KUBERAY}, ray-operator/apis/ray/v1/raycluster_types.go (rayVersion)`,
    fix: 'Set rayVersion to the version of Ray in the image.',
  },
  function* (cluster) {
    const stated = cluster.version;
    for (const { container, containerPath, name: group } of groupsOf(cluster)) {
      const image = asString(container.image) ?? '';
      const found = rayVersion(RAY_IMAGE.exec(image)?.[1] ?? '');
      if (
        stated === undefined ||
        found === undefined ||
        (found.major === stated.major && found.minor === stated.minor)
      ) {
        continue;
      }
      yield {
        path: `${containerPath}/image`,
        message: `the image of ${groupAt(containerPath, group)} contains Ray ${found.text}, but rayVersion is ${stated.text}`,
        found: image,
        expected: `Ray ${stated.text}`,
      };
    }
  },
);

const gpusMatch = clusterRule(
  {
    id: 'ray/gpus-are-devices',
    row: 'RA13',
    tier: 'advice',
    severity: 'warning',
    summary: 'num-gpus of a group must be the number of devices of its pods.',
    why: "Ray schedules by num-gpus: with a higher number, tasks share a device without knowing it; with a lower number, devices stay idle. By default Ray uses the container's limits.",
    source: `${KUBERAY}, ray-operator/controllers/ray/common/pod.go (generateRayStartCommand)`,
    fix: 'Remove num-gpus from rayStartParams.',
  },
  function* (cluster) {
    for (const { container, startParams, path, isHead, name: group } of groupsOf(cluster)) {
      const stated = asString(startParams['num-gpus']);
      const limits = Object.entries(asObject(asObject(container.resources).limits)).filter(([key]) =>
        isAcceleratorResource(key),
      );
      const devices = limits.reduce((sum, [, amount]) => sum + Number(amount), 0);
      // A head with num-gpus 0 keeps tasks away, and groups without limits may get devices by other ways.
      if (stated === undefined || !/^\d+$/.test(stated) || limits.length === 0 || !Number.isInteger(devices)) {
        continue;
      }
      if (Number(stated) === devices || (isHead && stated === '0')) {
        continue;
      }
      yield {
        path: `${path}/rayStartParams/num-gpus`,
        message: `num-gpus in ${groupAt(path, group)} is ${stated}, but each of its pods requests ${counted(devices, 'device')}`,
        found: stated,
        expected: String(devices),
      };
    }
  },
);

const auth = clusterRule(
  {
    id: 'ray/auth-needs-version',
    row: 'RA8',
    summary:
      'Token authentication requires rayVersion 2.52 or later; Kubernetes tokens require 2.55, no secretName, and a RayCluster.',
    why: 'Older versions would run without authentication; the controller rejects the cluster.',
    fix: 'Set rayVersion and the images to a version that supports authOptions, or remove authOptions.',
  },
  function* ({ spec, path, version }, { id }) {
    const options = asObject(spec.authOptions);
    const kubernetes = options.enableK8sTokenAuth === true;
    const at = `${path}/authOptions`;
    if (options.mode !== 'token') {
      if (kubernetes) {
        yield {
          path: `${at}/enableK8sTokenAuth`,
          message: 'enableK8sTokenAuth requires authOptions.mode: token',
          fix: 'Set authOptions.mode: token, or remove enableK8sTokenAuth.',
          found: true,
        };
      }
      return;
    }
    const least = kubernetes ? 55 : 52;
    if (version === undefined) {
      yield {
        path: `${path}/rayVersion`,
        message: 'rayVersion must be set when authOptions.mode is token',
        fix: `Set rayVersion to 2.${least}.0 or later.`,
        found: spec.rayVersion,
        expected: `2.${least}.0 or later`,
      };
    } else if (isBefore(version, 2, least)) {
      yield {
        path: `${path}/rayVersion`,
        message: `Ray ${version.text} does not support authOptions.mode: token`,
        fix: `Set rayVersion and the images to Ray 2.${least}.0 or later, or remove authOptions.`,
        found: version.text,
        expected: `2.${least}.0 or later`,
      };
    }
    if (!kubernetes) {
      return;
    }
    if ((asString(options.secretName) ?? '') !== '') {
      yield {
        path: `${at}/secretName`,
        message: 'secretName must not be set when enableK8sTokenAuth is set',
        found: options.secretName,
      };
    }
    if (id.kind !== 'RayCluster') {
      yield {
        path: `${at}/enableK8sTokenAuth`,
        message: `enableK8sTokenAuth is not supported for a ${id.kind}`,
        found: true,
      };
    }
  },
);

export const groupRules: readonly Rule[] = [
  name,
  groupNames,
  range,
  inRange,
  resourcesOnce,
  labels,
  suspended,
  auth,
  gates,
  versionMatches,
  gpusMatch,
];
