/**
 * MultiKueue: whether a ClusterQueue can send its workloads to worker clusters, and whether they can run there.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { MULTIKUEUE_CONTROLLER, PROVISIONING_CONTROLLER } from '../../../facts/catalog/kueue-names';
import { allOf } from '../../../facts/words';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { fieldOf, valueAt } from '../../../manifests/pointer';
import { asArray, asObject, asString, isObject, objectsAt, stringsIn } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import {
  ADMISSION_CHECK,
  CLUSTER_QUEUE,
  KUBECONFIG_FOLDER,
  KUBECONFIG_KEY,
  KUEUE,
  MANAGED_KINDS,
  MULTIKUEUE_CLUSTER,
  MULTIKUEUE_KINDS,
  type RemoteKind,
} from '../kueue-facts';
import { flavorNames, queueOfWorkload } from '../queue-view';

const CONTROLLER = `${KUEUE}, pkg/controller/admissionchecks/multikueue`;

type Facts = Pick<ObjectRule, 'kinds' | 'summary' | 'why' | 'source' | 'fix' | 'concerns' | 'severity'>;

function multikueueRule(
  id: string,
  facts: Facts,
  check: (manifest: Manifest, set: ManifestSet) => Iterable<Violation>,
): ObjectRule {
  return {
    ...facts,
    id: `kueue/multikueue-${id}`,
    row: 'KU16',
    tier: 'advice',
    on: 'object',
    check: (manifest, { set }) => check(manifest, set),
  };
}

const parameters = multikueueRule(
  'check-refers-to-config',
  {
    kinds: [ADMISSION_CHECK],
    concerns: ['controllerName'],
    severity: 'error',
    summary: 'An AdmissionCheck of MultiKueue must refer to a MultiKueueConfig.',
    why: 'The check never becomes active without one, and the ClusterQueues that use the check admit nothing.',
    source: `${KUEUE}, pkg/util/admissioncheck/admissioncheck.go, refValidForGK`,
    fix: 'Set spec.parameters to { apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: NAME }.',
  },
  function* ({ object }) {
    const spec = asObject(object.spec);
    if (spec.controllerName !== MULTIKUEUE_CONTROLLER) {
      return;
    }
    const { apiGroup, kind } = asObject(spec.parameters);
    if (spec.parameters === undefined) {
      yield { path: '/spec', message: 'spec.parameters must be set', expected: 'a MultiKueueConfig' };
    } else if (kind !== 'MultiKueueConfig' || apiGroup !== 'kueue.x-k8s.io') {
      yield {
        path: '/spec/parameters',
        message: `spec.parameters must refer to kind MultiKueueConfig in apiGroup kueue.x-k8s.io, not to kind ${JSON.stringify(kind ?? '')} in apiGroup ${JSON.stringify(apiGroup ?? '')}`,
        expected: 'kind MultiKueueConfig in apiGroup kueue.x-k8s.io',
      };
    }
  },
);

const queueAllowed = multikueueRule(
  'queue-allows-check',
  {
    kinds: [CLUSTER_QUEUE],
    concerns: ['admissionChecksStrategy'],
    severity: 'error',
    summary:
      'A ClusterQueue must have at most one MultiKueue check, for all of its flavors, and no check for provisioning requests beside it.',
    why: 'Kueue deactivates the queue: it admits nothing.',
    source: `${KUEUE}, pkg/cache/scheduler/clusterqueue.go, MultipleMultiKueueAdmissionChecks`,
    fix: 'Keep one MultiKueue check in spec.admissionChecksStrategy.admissionChecks, without onFlavors, and remove checks for provisioning requests.',
  },
  function* (manifest, set) {
    const checks = objectsAt(manifest.object, '/spec/admissionChecksStrategy/admissionChecks').map(
      ({ value, path }) => ({
        path,
        name: asString(value.name) ?? '',
        flavors: stringsIn(value.onFlavors),
        controller: controllerOf(set, asString(value.name) ?? ''),
      }),
    );
    const multikueue = checks.filter(({ controller }) => controller === MULTIKUEUE_CONTROLLER);
    const [first, second] = multikueue;
    if (first === undefined) {
      return;
    }
    if (second !== undefined) {
      yield {
        path: second.path,
        message: `the ClusterQueue must have at most one MultiKueue check, but has ${allOf(multikueue.map(({ name }) => `"${name}"`))}`,
        fix: `Remove all but one of ${allOf(multikueue.map(({ name }) => `"${name}"`))} from spec.admissionChecksStrategy.admissionChecks.`,
      };
    }
    for (const { path, name, flavors } of multikueue) {
      const left = flavorNames(manifest).filter((flavor) => flavors.length > 0 && !flavors.includes(flavor));
      if (left.length > 0) {
        yield {
          path: `${path}/onFlavors`,
          message: `the MultiKueue check "${name}" does not apply to the ${left.length === 1 ? 'flavor' : 'flavors'} ${allOf(left.map((flavor) => `"${flavor}"`))}`,
          fix: `Remove onFlavors from the MultiKueue check "${name}".`,
        };
      }
    }
    const provisioning = checks.find(({ controller }) => controller === PROVISIONING_CONTROLLER);
    if (provisioning !== undefined) {
      yield {
        path: provisioning.path,
        message: `the check "${provisioning.name}" for provisioning requests must not be used together with the MultiKueue check "${first.name}"`,
        fix: `Remove "${provisioning.name}" or "${first.name}" from spec.admissionChecksStrategy.admissionChecks.`,
      };
    }
  },
);

function controllerOf(set: ManifestSet, check: string): string | undefined {
  return asString(asObject(set.get(ADMISSION_CHECK, check)?.object.spec).controllerName);
}

/** Whether workloads of a cluster queue run in worker clusters, as far as the manifests say. */
function sendsAway(set: ManifestSet, clusterQueue: Manifest): boolean {
  return objectsAt(clusterQueue.object, '/spec/admissionChecksStrategy/admissionChecks').some(
    ({ value }) => controllerOf(set, asString(value.name) ?? '') === MULTIKUEUE_CONTROLLER,
  );
}

function workloadRule(
  id: string,
  facts: Facts,
  check: (workload: Manifest, kind: RemoteKind | undefined) => Iterable<Violation>,
): ObjectRule {
  return multikueueRule(id, facts, function* (workload, set) {
    const clusterQueue = queueOfWorkload(set, workload)?.clusterQueue;
    if (clusterQueue !== undefined && sendsAway(set, clusterQueue)) {
      const { apiVersion, kind } = workload.id;
      yield* check(
        workload,
        MULTIKUEUE_KINDS.find((remote) => remote.apiVersion === apiVersion && remote.kind === kind),
      );
    }
  });
}

/** Group and kind, as rules list them. */
const MANAGED = [...MANAGED_KINDS].map((name) => {
  const [apiVersion = '', kind = ''] = name.split(' ');
  return apiVersion.includes('/') ? `${apiVersion.split('/')[0]}/${kind}` : `/${kind}`;
});

const kindRunsElsewhere = workloadRule(
  'kind-supported',
  {
    kinds: MANAGED,
    severity: 'warning',
    summary:
      'A workload of a ClusterQueue with a MultiKueue check should be of a kind that Kueue can run in another cluster.',
    why: 'Kueue rejects the workload, unless multiKueue.externalFrameworks in the Kueue configuration lists the kind.',
    source: `${CONTROLLER}/workload.go, No multikueue adapter found`,
    fix: 'Set the label kueue.x-k8s.io/queue-name to a queue without a MultiKueue check, or add the kind to multiKueue.externalFrameworks in the Kueue configuration.',
  },
  function* ({ id }, kind) {
    // The pods of a Deployment are what waits, and Kueue can run pods elsewhere.
    if (kind === undefined && id.kind !== 'Deployment') {
      yield { path: '/kind', message: `Kueue cannot run the kind ${id.kind} in another cluster`, found: id.kind };
    }
  },
);

const managedByKueue = workloadRule(
  'managed-by',
  {
    kinds: MANAGED,
    severity: 'error',
    summary: 'A job of a ClusterQueue with a MultiKueue check must not be managed by another controller.',
    why: 'Kueue rejects the workload of the job: a job that its own controller runs here cannot also run in another cluster.',
    source: `${CONTROLLER}/workload.go, The owner is not managed by Kueue`,
    fix: `Set managedBy to ${MULTIKUEUE_CONTROLLER}, or remove it: Kueue sets it.`,
  },
  function* ({ object }, kind) {
    const value = kind?.managedBy === undefined ? undefined : valueAt(object, kind.managedBy);
    if (kind?.managedBy !== undefined && typeof value === 'string' && value !== MULTIKUEUE_CONTROLLER) {
      yield {
        path: kind.managedBy,
        message: `managedBy must be ${MULTIKUEUE_CONTROLLER} when the ClusterQueue sends the job to another cluster, but is "${value}"`,
        found: value,
        expected: MULTIKUEUE_CONTROLLER,
      };
    }
  },
);

const pathAllowed = multikueueRule(
  'kubeconfig-path',
  {
    kinds: [MULTIKUEUE_CLUSTER],
    concerns: ['clusterSource', 'kubeConfig'],
    severity: 'warning',
    summary: `The path of the kubeconfig of a MultiKueueCluster should be below ${KUBECONFIG_FOLDER}.`,
    why: 'Kueue refuses other paths with the feature gate MultiKueueKubeConfigPathValidation, and will always do so in a later version.',
    source: `${CONTROLLER}/multikueuecluster.go, validateKubeConfigPath`,
    fix: `Set location to a path below ${KUBECONFIG_FOLDER}, or set locationType to Secret and location to the name of the Secret.`,
  },
  function* ({ object }) {
    const path = pathOf(object);
    if (path !== undefined && (!path.startsWith(`${KUBECONFIG_FOLDER}/`) || path.split('/').includes('..'))) {
      yield {
        path: pointerTo(object),
        message: `the kubeconfig "${path}" must be below ${KUBECONFIG_FOLDER}`,
        found: path,
        fix: `Set ${fieldOf(pointerTo(object))} to the path of a file below ${KUBECONFIG_FOLDER}.`,
      };
    }
  },
);

/** Where a MultiKueueCluster has its kubeconfig: below `clusterSource` since v1beta2. */
function kubeConfigOf(object: JsonObject): JsonObject {
  const spec = asObject(object.spec);
  return asObject(asObject(spec.clusterSource).kubeConfig ?? spec.kubeConfig);
}

function pointerTo(object: JsonObject): string {
  return asObject(object.spec).clusterSource === undefined
    ? '/spec/kubeConfig/location'
    : '/spec/clusterSource/kubeConfig/location';
}

function pathOf(object: JsonObject): string | undefined {
  const { locationType, location } = kubeConfigOf(object);
  return locationType === 'Path' ? asString(location) : undefined;
}

const secretUsable = multikueueRule(
  'secret-has-kubeconfig',
  {
    kinds: [MULTIKUEUE_CLUSTER],
    concerns: ['clusterSource', 'kubeConfig'],
    severity: 'error',
    summary: `The Secret of a MultiKueueCluster must have a usable kubeconfig under the key ${KUBECONFIG_KEY}.`,
    why: 'Kueue does not connect to the worker cluster: it takes certificates and a token from the kubeconfig itself, and never reads other files, runs plugins, or skips the check of certificates.',
    source: `${CONTROLLER}/multikueuecluster.go, validateKubeconfig`,
    fix: `Write a kubeconfig with certificate-authority-data and a token, or with client certificate data, under the key ${KUBECONFIG_KEY}.`,
  },
  function* ({ object }, set) {
    const { locationType = 'Secret', location } = kubeConfigOf(object);
    const name = asString(location);
    const secrets = set.manifests.filter(
      ({ id }) => id.kind === 'Secret' && id.apiVersion === 'v1' && id.name === name,
    );
    const [secret] = secrets;
    if (locationType !== 'Secret' || name === undefined || secret === undefined || secrets.length > 1) {
      return;
    }
    const text = textIn(secret.object);
    const fault = text === undefined ? `has no key ${KUBECONFIG_KEY}` : faultOf(text);
    if (fault !== undefined) {
      yield { path: pointerTo(object), message: `the Secret "${name}" ${fault}`, found: name };
    }
  },
);

/** The kubeconfig of a Secret. Another controller may fill in an empty one. */
function textIn(secret: JsonObject): string | undefined {
  const plain = asString(asObject(secret.stringData)[KUBECONFIG_KEY]);
  const encoded = asString(asObject(secret.data)[KUBECONFIG_KEY]);
  return plain ?? (encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString());
}

/** What Kueue refuses in a kubeconfig. No value of the Secret is repeated. */
function faultOf(text: string): string | undefined {
  const parsed = parseValue(text, KUBECONFIG_KEY);
  if (!('value' in parsed) || !isObject(parsed.value)) {
    return 'has a kubeconfig that is not valid YAML';
  }
  const users = membersOf(parsed.value.users, 'user');
  const clusters = membersOf(parsed.value.clusters, 'cluster');
  const fields = (objects: readonly JsonObject[], ...names: readonly string[]): readonly string[] =>
    names.filter((name) => objects.some((object) => object[name] !== undefined && object[name] !== false));
  const refused = [
    ...fields(users, 'tokenFile', 'username', 'password', 'exec', 'auth-provider'),
    ...fields(clusters, 'insecure-skip-tls-verify', 'certificate-authority'),
  ];
  if (refused.length > 0) {
    return `has a kubeconfig with ${allOf(refused)}, which Kueue rejects`;
  }
  return clusters.some(({ server }) => asString(server) === undefined || server === '')
    ? 'has a kubeconfig in which a cluster has no server'
    : undefined;
}

function membersOf(list: JsonValue | undefined, member: string): readonly JsonObject[] {
  return asArray(list).map((item) => asObject(asObject(item)[member]));
}

export const multikueueRules: readonly Rule[] = [
  parameters,
  queueAllowed,
  kindRunsElsewhere,
  managedByKueue,
  pathAllowed,
  secretUsable,
];
