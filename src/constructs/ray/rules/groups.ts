/**
 * RA1 to RA4, RA7, RA12 and RA13: names, groups and what they give to Ray.
 */
import { isAcceleratorResource } from '../../../facts/catalog/resource-names';
import { type Rule } from '../../../checks/rule';
import { dns1035Label, labelValue, qualifiedName } from '../../../checks/server/syntax';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, stringEntries } from '../../../manifests/read';
import { groupsOf, isBefore, KUBERAY, RAY_KINDS, rayVersion } from '../ray-view';
import { clusterRule, rayRule } from './ray-rule';

/** What the operator still appends, and 63 characters. */
const LONGEST: Readonly<Record<string, number>> = { RayCluster: 53, RayJob: 47, RayService: 47, RayCronJob: 36 };
const GENERATED = 5;

const name = rayRule(
  RAY_KINDS,
  {
    id: 'ray/name-fits',
    row: 'RA1',
    summary:
      'Names are DNS-1035 labels: of a RayCluster at most 53 characters, of a RayJob or RayService 47, of a RayCronJob 36.',
    why: 'Clusters, pods and Services are named after them; the controller refuses longer ones.',
    fix: 'Shorten the name; begin with a letter and use lower-case letters, digits and hyphens.',
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
          ? `have at most ${most} characters, not ${found.length}`
          : dns1035Label(found);
    if (complaint === undefined) {
      return;
    }
    yield {
      path: `/metadata/${generated ? 'generateName' : 'name'}`,
      message: `The name "${found}" must ${complaint}.`,
      found: generated ? prefix : found,
    };
  },
);

const groupNames = clusterRule(
  {
    id: 'ray/worker-group-names-unique',
    row: 'RA2',
    summary: 'Worker groups of a Ray cluster have different names.',
    why: 'Pods are told apart by the name of their group; the webhook refuses two of one name.',
    source: `${KUBERAY}, ray-operator/pkg/webhooks/v1/raycluster_webhook.go`,
    fix: 'Rename one of them.',
  },
  function* ({ workers }) {
    const seen = new Set<string>();
    for (const group of workers) {
      if (seen.has(group.name)) {
        yield {
          path: `${group.path}/groupName`,
          message: `Two worker groups are called "${group.name}".`,
          found: group.name,
        };
      }
      seen.add(group.name);
    }
  },
);

const range = clusterRule(
  {
    id: 'ray/worker-group-range-ordered',
    row: 'RA3',
    summary: 'minReplicas of a worker group is at least 0 and at most maxReplicas.',
    why: 'The controller refuses the cluster otherwise.',
    fix: 'Correct the bounds.',
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
            message: `${field} of group ${group} is ${bound}.`,
            found: bound,
            expected: 'at least 0',
          };
        }
      }
      if (min > max) {
        yield {
          path: `${path}/minReplicas`,
          message: `Group ${group} has minReplicas ${min} above maxReplicas ${max}.`,
          found: min,
        };
      }
    }
  },
);

const inRange = clusterRule(
  {
    id: 'ray/worker-group-replicas-in-range',
    row: 'RA3',
    tier: 'advice',
    severity: 'warning',
    summary: 'replicas of a worker group lie between minReplicas and maxReplicas.',
    why: 'The operator takes the nearer bound instead, so there are more or fewer workers than written.',
    source: `${KUBERAY}, ray-operator/controllers/ray/utils/util.go (GetWorkerGroupDesiredReplicas)`,
    fix: 'Correct replicas or the bounds.',
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
        message: `Group ${group} has ${replicas} replicas; its bounds make that ${replicas < min ? min : max}.`,
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
    summary: 'A group states its Ray resources in rayStartParams or in resources, not in both.',
    why: 'The controller refuses the cluster.',
    fix: 'Keep resources, and take num-cpus, num-gpus, memory and resources out of rayStartParams.',
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
        message: `Group ${group} states ${parameter} beside resources.`,
        found: startParams[parameter],
      };
    }
  },
);

const labels = clusterRule(
  {
    id: 'ray/labels-valid',
    row: 'RA4',
    summary: 'Ray labels of a group stand in labels, not in rayStartParams, and are Kubernetes labels.',
    why: 'The controller refuses the cluster.',
    fix: "Write them into labels of the group, with Kubernetes' grammar.",
  },
  function* (cluster) {
    for (const { value, path, startParams, name: group } of groupsOf(cluster)) {
      if (startParams.labels !== undefined) {
        yield {
          path: `${path}/rayStartParams/labels`,
          message: `Group ${group} states labels in rayStartParams.`,
          found: startParams.labels,
          expected: 'labels of the group',
        };
      }
      for (const [key, text] of stringEntries(value.labels)) {
        const complaint = qualifiedName(key) ?? labelValue(text);
        if (complaint !== undefined) {
          yield {
            path: pointer(`${path}/labels`, key),
            message: `The Ray label ${key}=${text} must ${complaint}.`,
            found: text,
          };
        }
      }
    }
  },
);

const suspended = clusterRule(
  {
    id: 'ray/worker-group-suspended-without-autoscaler',
    row: 'RA7',
    summary: 'No worker group is suspended while the autoscaler is on.',
    why: 'The autoscaler would ask for the workers that suspension takes away; the controller refuses the cluster. Suspension also needs the gate RayJobDeletionPolicy, which is on by default.',
    fix: 'Turn the autoscaler off, or take suspend out.',
  },
  function* ({ workers, autoscaling }) {
    for (const { value, path, name: group } of autoscaling ? workers : []) {
      if (value.suspend === true) {
        yield {
          path: `${path}/suspend`,
          message: `Group ${group} is suspended, and enableInTreeAutoscaling is on.`,
          found: true,
        };
      }
    }
  },
);

/** Parts of a cluster that a feature gate of the operator must allow. */
const GATED = ['networkPolicy', 'tlsOptions', 'historyServerOptions'];

const gates = clusterRule(
  {
    id: 'ray/gated-options-enabled',
    row: 'RA12',
    severity: 'info',
    summary: `${GATED.join(', ')} need their feature gates in the operator.`,
    why: 'Where the gate is off, the controller refuses the cluster.',
    fix: 'Turn the gate on in the operator, or take the option out.',
  },
  function* ({ spec, path }) {
    for (const field of GATED) {
      if (isObject(spec[field])) {
        yield { path: `${path}/${field}`, message: `${field} is taken only where the operator's gate for it is on.` };
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
    summary: 'rayVersion is the version of Ray in the images.',
    why: 'The operator chooses features and commands by rayVersion and never looks into the image; head and workers of different versions do not connect.',
    source: `${KUBERAY}, ray-operator/apis/ray/v1/raycluster_types.go (rayVersion)`,
    fix: 'Write the version of the image.',
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
        message: `Group ${group} runs Ray ${found.text}, rayVersion says ${stated.text}.`,
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
    summary: 'num-gpus of a group, where it is written, is the number of devices of its pods.',
    why: "Ray schedules by num-gpus: more than there are lets tasks share a device unseen, fewer leaves devices idle. Left out, it is taken from the container's limits.",
    source: `${KUBERAY}, ray-operator/controllers/ray/common/pod.go (generateRayStartCommand)`,
    fix: 'Take num-gpus out.',
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
        message: `Group ${group} tells Ray of ${stated} GPUs; its pods have ${devices}.`,
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
      'Token authentication states a rayVersion of at least 2.52, with Kubernetes tokens 2.55 and no secretName; not with RayJob and RayService.',
    why: 'Older versions would run without authentication; the controller refuses the cluster.',
    fix: 'State rayVersion, use a later Ray, or turn authentication off.',
  },
  function* ({ spec, path, version }, { id }) {
    const options = asObject(spec.authOptions);
    const kubernetes = options.enableK8sTokenAuth === true;
    const at = `${path}/authOptions`;
    if (options.mode !== 'token') {
      if (kubernetes) {
        yield { path: `${at}/enableK8sTokenAuth`, message: 'enableK8sTokenAuth needs mode token.', found: true };
      }
      return;
    }
    const least = kubernetes ? 55 : 52;
    if (version === undefined) {
      yield {
        path: `${path}/rayVersion`,
        message: 'authOptions.mode token needs a rayVersion.',
        found: spec.rayVersion,
        expected: `2.${least}.0 or later`,
      };
    } else if (isBefore(version, 2, least)) {
      yield {
        path: `${path}/rayVersion`,
        message: `Ray ${version.text} has no such authentication.`,
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
        message: 'secretName stands beside enableK8sTokenAuth.',
        found: options.secretName,
      };
    }
    if (id.kind !== 'RayCluster') {
      yield { path: `${at}/enableK8sTokenAuth`, message: `A ${id.kind} cannot use Kubernetes tokens.`, found: true };
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
