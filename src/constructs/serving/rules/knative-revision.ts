/**
 * What Knative's webhook demands of a revision's pod: its port, the switches that its fields need, its limits and its names.
 */
import { fixesByField, shortenBy } from '../../../checks/rules/field-fix';
import { posix } from 'node:path';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { dns1035Label } from '../../../manifests/values/name-syntax';
import { parseGoDuration } from '../../../manifests/values/go-duration';
import { asArray, asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { FEATURES_CONFIG_MAP, isOnByDefault, isTurnedOn, KNATIVE_NAMESPACE, neededFeatures } from '../knative-features';
import { startupBudget } from './probe-budget';
import { KNATIVE, revisionRule } from './serving-rule';
import { fieldOf } from '../../../manifests/pointer';

const PODS = `${KNATIVE}, pkg/apis/serving/k8s_validation.go`;
const RESERVED_PORTS = [8012, 8013, 8022, 9090, 9091, 8008];
const RESERVED_VARIABLES = ['PORT', 'K_SERVICE', 'K_CONFIGURATION', 'K_REVISION'];
const LONGEST_SECONDS = 600;
const MOST_CONCURRENCY = 1000;
const DEFAULT_DEADLINE_SECONDS = 600;
const PROGRESS_DEADLINE = 'serving.knative.dev/progress-deadline';

/** Containers that run to their end first among them. */
function containersOf(spec: JsonObject): readonly { readonly value: JsonObject; readonly path: string }[] {
  return [...objectsAt(spec, '/initContainers'), ...objectsAt(spec, '/containers')];
}

const onePort = revisionRule(
  'knative-one-port',
  {
    row: 'KN8',
    summary:
      'The containers of a revision must have exactly one port in total, over TCP, with no name or with the name http1 or h2c, and not a port that Knative uses.',
    why: 'Knative sends all requests to this port; the webhook rejects any others.',
    source: PODS,
    fix: 'Remove all entries from containers[].ports except the one that receives requests.',
  },
  function* ({ spec, specPath }) {
    const containers = objectsAt(spec, '/containers');
    const ports = containers.flatMap(({ value, path }) =>
      objectsAt(value, '/ports').map(({ value: port, path: at }) => ({ port, path: `${specPath}${path}${at}` })),
    );
    for (const { path } of ports.slice(1)) {
      yield { path, message: 'only one port is allowed across all containers of a revision', expected: 'one port' };
    }
    if (ports.length === 0 && containers.length > 1) {
      yield {
        path: `${specPath}/containers`,
        message: 'exactly one container must have a port, but none has',
        expected: 'a port in the container that receives requests',
        fix: 'Set containers[].ports in the container that receives requests, and in no other container.',
      };
    }
    for (const { port, path } of ports) {
      const { name, containerPort: number, protocol } = port;
      if (typeof name === 'string' && !['', 'http1', 'h2c'].includes(name)) {
        yield {
          path: `${path}/name`,
          message: `unsupported port name "${name}"`,
          found: name,
          expected: 'http1, h2c, or unset',
        };
      }
      if (typeof number === 'number' && RESERVED_PORTS.includes(number)) {
        yield {
          path: `${path}/containerPort`,
          message: `the port ${number} is reserved for Knative`,
          found: number,
          fix: `Set ${fieldOf(`${path}/containerPort`)} to another port, such as 8080.`,
        };
      }
      if (typeof protocol === 'string' && protocol !== '' && protocol !== 'TCP') {
        yield {
          path: `${path}/protocol`,
          message: `unsupported protocol "${protocol}"`,
          found: protocol,
          expected: 'TCP',
        };
      }
    }
  },
);

const features = revisionRule(
  'knative-feature-switched-on',
  {
    row: 'KN9',
    severity: 'warning',
    summary: "Fields of a revision's pod that depend on a feature flag must be enabled in config-features.",
    why: 'Node selectors, tolerations, schedulers, runtime classes, claims, and other fields are off by default: the webhook rejects the service.',
    source: `${KNATIVE}, pkg/apis/config/features.go, pkg/apis/serving/fieldmask.go`,
    fix: 'Set the key to enabled in the config-features ConfigMap in the knative-serving namespace (most cannot safely be disabled again), in an app with serving.KnativeFeatureSwitches, or remove the field.',
  },
  function* ({ spec, specPath }, _manifest, { set }) {
    const config = set.get('ConfigMap', FEATURES_CONFIG_MAP, KNATIVE_NAMESPACE);
    const data = asObject(config?.object.data);
    const said = new Set<string>();
    for (const { feature, path } of neededFeatures(spec)) {
      const on =
        data[feature] === undefined
          ? isOnByDefault(feature)
          : isTurnedOn(data[feature]) || asString(data[feature])?.toLowerCase() === 'allowed';
      if (on || said.has(feature)) {
        continue;
      }
      said.add(feature);
      yield {
        path: `${specPath}${path}`,
        message: `${fieldOf(`${specPath}${path}`)} requires the Knative feature ${feature}, which is disabled ${config === undefined ? 'by default' : 'in config-features'}`,
        expected: `${feature}: enabled`,
        fix: `Set ${feature}: enabled in the config-features ConfigMap in the knative-serving namespace (in a Gantry app: serving.KnativeFeatureSwitches), or remove ${fieldOf(`${specPath}${path}`)}.`,
        ...(config === undefined ? {} : { severity: 'error' as const }),
      };
    }
  },
);

const limits = revisionRule(
  'knative-limits-in-range',
  {
    row: 'KN10',
    summary: 'containerConcurrency must be 0 to 1000 and timeoutSeconds 0 to 600, unless the cluster allows more.',
    why: 'The webhook rejects values above container-concurrency-max-limit and max-revision-timeout-seconds in config-defaults.',
    source: `${KNATIVE}, pkg/apis/config/defaults.go, pkg/apis/serving/v1/revision_validation.go`,
    fix: 'Decrease containerConcurrency or timeoutSeconds, or increase the limits in the config-defaults ConfigMap in the knative-serving namespace.',
  },
  function* ({ spec, specPath }, _manifest, { set }) {
    const config = set.get('ConfigMap', 'config-defaults', KNATIVE_NAMESPACE);
    const data = asObject(config?.object.data);
    const most = (key: string, standard: number): number => Number(asString(data[key]) ?? standard);
    const ranges = [
      ['containerConcurrency', 'container-concurrency-max-limit', MOST_CONCURRENCY],
      ['timeoutSeconds', 'max-revision-timeout-seconds', LONGEST_SECONDS],
    ] as const;
    for (const [key, option, standard] of ranges) {
      const limit = most(option, standard);
      const value = asInteger(spec[key]);
      if (value === undefined || (value >= 0 && value <= limit)) {
        continue;
      }
      const beyondDefault = value >= 0 && config === undefined;
      yield {
        path: `${specPath}/${key}`,
        message: `${key} must be between 0 and ${limit}, but is ${value}`,
        found: value,
        expected: `0 to ${limit}`,
        fix: `Set ${key} to a number from 0 to ${limit}${value < 0 ? '' : `, or increase ${option} in the config-defaults ConfigMap in the knative-serving namespace`}.`,
        ...(beyondDefault ? { severity: 'warning' as const } : {}),
      };
    }
  },
);

const reserved = revisionRule(
  'knative-reserved-names-free',
  {
    row: 'KN11',
    summary:
      'A revision must not set the variables PORT, K_SERVICE, K_CONFIGURATION, and K_REVISION, and must not name a container queue-proxy.',
    why: 'Knative sets them itself; the webhook rejects other values.',
    source: PODS,
    fix: 'Remove the variable from env, because Knative sets it.',
  },
  function* ({ spec, specPath }) {
    const containers = objectsAt(spec, '/containers');
    for (const { value, path } of containers) {
      const at = `${specPath}${path}`;
      if (value.name === 'queue-proxy') {
        yield {
          path: `${at}/name`,
          message: 'the container name "queue-proxy" is reserved for Knative',
          fix: `Set ${fieldOf(`${at}/name`)} to a name other than queue-proxy.`,
          found: 'queue-proxy',
        };
      }
      const sidecar = containers.length > 1 && asArray(value.ports).length === 0;
      for (const { value: variable, path: place } of objectsAt(value, '/env')) {
        const name = asString(variable.name) ?? '';
        if (RESERVED_VARIABLES.includes(name) && !(sidecar && name === 'PORT')) {
          yield {
            path: `${at}${place}/name`,
            message: `the variable ${name} is reserved for Knative`,
            found: name,
            fix: `Remove ${name} from env, because Knative sets it.`,
          };
        }
      }
    }
  },
);

const fieldAllowed = revisionRule(
  'knative-field-allowed',
  {
    row: 'KN11',
    summary: 'A revision must not have a privileged container or automountServiceAccountToken: true.',
    why: 'The webhook rejects both; no setting allows them.',
    source: `${KNATIVE}, pkg/apis/serving/fieldmask.go`,
    fix: 'Remove the field from spec.template.spec.',
  },
  function* ({ spec, specPath }) {
    if (spec.automountServiceAccountToken === true) {
      yield {
        path: `${specPath}/automountServiceAccountToken`,
        message: 'automountServiceAccountToken must not be true',
        found: true,
      };
    }
    for (const { value, path } of containersOf(spec)) {
      if (asObject(value.securityContext).privileged === true) {
        yield {
          path: `${specPath}${path}/securityContext/privileged`,
          message: 'privileged must not be true: Knative does not support privileged containers',
          fix: 'Remove securityContext.privileged, or use a Deployment instead of the Knative Service.',
          found: true,
        };
      }
    }
  },
);

const RESERVED_PATHS = ['/', '/dev', '/dev/log'];

const mountPathFree = revisionRule(
  'knative-mount-path-free',
  {
    row: 'KN11',
    summary:
      'Volumes of a revision must not be mounted at /, /dev, or /dev/log, and must not propagate mounts to the host.',
    why: 'The webhook rejects the revision.',
    source: PODS,
    fix: 'Set mountPath to a path outside the reserved directories, or to /dev/shm.',
  },
  function* ({ spec, specPath }) {
    for (const { value, path } of containersOf(spec)) {
      for (const { value: mount, path: at } of objectsAt(value, '/volumeMounts')) {
        const place = `${specPath}${path}${at}`;
        const mountPath = asString(mount.mountPath) ?? '';
        if (mountPath !== '' && RESERVED_PATHS.includes(posix.normalize(mountPath).replace(/(.)\/$/, '$1'))) {
          yield {
            path: `${place}/mountPath`,
            message: `the mount path "${mountPath}" is reserved for Knative`,
            found: mountPath,
          };
        }
        if (mount.mountPropagation === 'Bidirectional') {
          yield {
            path: `${place}/mountPropagation`,
            message: 'mountPropagation must not be Bidirectional',
            found: 'Bidirectional',
            expected: 'HostToContainer, or unset',
          };
        }
      }
    }
  },
);

const probes = fixesByField(
  revisionRule(
    'knative-probe-valid',
    {
      row: 'KN8',
      summary:
        'Probes of a revision must use its port or none; a readiness probe with periodSeconds 0 must set neither timeoutSeconds nor failureThreshold.',
      why: "Requests and probes use the same port. Period 0 is Knative's own fast probe, which has no such limits. The webhook rejects any others.",
      source: PODS,
      fix: 'Remove port from the probe or set it to the container port, and set periodSeconds together with timeoutSeconds and failureThreshold.',
    },
    function* ({ spec, specPath }) {
      const containers = objectsAt(spec, '/containers');
      const [port] = containers.flatMap(({ value }) => objectsAt(value, '/ports').map((one) => one.value));
      const name = (asString(port?.name) ?? '') === '' ? 'http' : asString(port?.name);
      for (const { value, path } of containers) {
        const serving = containers.length === 1 || asArray(value.ports).length > 0;
        for (const kind of serving ? ['livenessProbe', 'readinessProbe', 'startupProbe'] : []) {
          const probe = asObject(value[kind]);
          for (const handler of ['httpGet', 'tcpSocket']) {
            const asked = asString(asObject(probe[handler]).port) ?? '';
            if (asked !== '' && asked !== name) {
              yield {
                path: `${specPath}${path}/${kind}/${handler}/port`,
                message: `the probe port must match a container port: "${asked}"`,
                found: asked,
                expected: name,
                fix: `Set ${fieldOf(`${path}/${kind}/${handler}/port`)} to ${name ?? 'http'}, or remove it.`,
              };
            }
          }
        }
        const readiness = asObject(value.readinessProbe);
        if (!isObject(value.readinessProbe) || (asInteger(readiness.periodSeconds) ?? 0) !== 0) {
          continue;
        }
        for (const key of ['timeoutSeconds', 'failureThreshold']) {
          if ((asInteger(readiness[key]) ?? 0) !== 0) {
            yield {
              path: `${specPath}${path}/readinessProbe/${key}`,
              message: `${key} must not be set without periodSeconds`,
              found: readiness[key],
              expected: 'periodSeconds of at least 1',
              fix: `Set ${fieldOf(`${path}/readinessProbe/periodSeconds`)} to at least 1, or remove ${key}.`,
            };
          }
        }
      }
    },
  ),
);

const volumesMounted = revisionRule(
  'knative-volume-mounted',
  {
    row: 'KN11',
    summary: 'Each volume of a revision must be mounted, and must not use huge pages.',
    why: 'The webhook rejects a volume that is not mounted, which Kubernetes itself accepts, and every medium other than Memory.',
    source: PODS,
    fix: 'Add an entry with the name of the volume and a mountPath to the volumeMounts of a container, or remove the volume from volumes.',
  },
  function* ({ spec, specPath }) {
    const mounted = new Set(
      [...objectsAt(spec, '/containers'), ...objectsAt(spec, '/initContainers')].flatMap(({ value }) =>
        objectsAt(value, '/volumeMounts').map(({ value: mount }) => asString(mount.name) ?? ''),
      ),
    );
    for (const { value, path } of objectsAt(spec, '/volumes')) {
      const name = asString(value.name) ?? '';
      if (name !== '' && !mounted.has(name)) {
        yield {
          path: `${specPath}${path}/name`,
          message: `no container mounts the volume "${name}"`,
          found: name,
          fix: `Add an entry with the name "${name}" and a mountPath to the volumeMounts of a container, or remove the volume from volumes.`,
        };
      }
      const medium = asString(asObject(value.emptyDir).medium) ?? '';
      if (medium !== '' && medium !== 'Memory') {
        yield {
          path: `${specPath}${path}/emptyDir/medium`,
          message: `unsupported medium "${medium}" in a revision`,
          found: medium,
          expected: 'Memory',
        };
      }
    }
  },
);

const revisionName = revisionRule(
  'knative-revision-name-prefixed',
  {
    row: 'KN12',
    summary:
      'The name of the template must be a DNS-1035 label that begins with the name of the Service or Configuration and a hyphen.',
    why: 'Revisions of all services share the namespace; the webhook rejects any other name.',
    source: `${KNATIVE}, pkg/apis/serving/v1/revision_validation.go`,
    fix: 'Remove spec.template.metadata.name, or set it to a name that begins with the name of the Service and a hyphen.',
  },
  function* ({ name, metadataPath, isTemplate }, { id }) {
    if (!isTemplate || name === '' || id.name === '') {
      return;
    }
    if (!name.startsWith(`${id.name}-`)) {
      yield {
        path: `${metadataPath}/name`,
        message: `the name "${name}" must begin with "${id.name}-"`,
        found: name,
        expected: `${id.name}-…`,
        fix: `Set ${fieldOf(`${metadataPath}/name`)} to a name such as "${id.name}-1", or remove it.`,
      };
      return;
    }
    const complaint = dns1035Label(name);
    if (complaint !== undefined) {
      yield {
        path: `${metadataPath}/name`,
        message: `the name "${name}" must ${complaint}`,
        found: name,
        ...(name.length > 63 && { fix: shortenBy(fieldOf(`${metadataPath}/name`), name, 63) }),
      };
    }
  },
);

const deadline = revisionRule(
  'knative-deadline-covers-startup',
  {
    row: 'KN13',
    tier: 'advice',
    severity: 'warning',
    summary: 'The progress deadline of a revision must be longer than its startup probe allows.',
    why: 'A revision that is not ready by then (600 s by default) fails, and Knative scales it to zero while the model loads.',
    source: `${KNATIVE}, pkg/deployment/config.go (progress-deadline), pkg/reconciler/revision`,
    fix: 'Set serving.knative.dev/progress-deadline in spec.template.metadata.annotations to the expected duration.',
  },
  function* ({ spec, specPath, annotations }) {
    const stated = parseGoDuration(annotations.get(PROGRESS_DEADLINE) ?? '');
    const limit = stated ?? DEFAULT_DEADLINE_SECONDS;
    for (const { value, path } of objectsAt(spec, '/containers')) {
      const budget = isObject(value.startupProbe) ? startupBudget(value.startupProbe) : 0;
      if (budget > limit) {
        yield {
          path: `${specPath}${path}/startupProbe`,
          message: `the startup probe allows ${budget} s, but the progress deadline is only ${limit} s`,
          expected: `${PROGRESS_DEADLINE}: ${budget + LONGEST_SECONDS}s`,
          fix: `Set the annotation ${PROGRESS_DEADLINE} in the template to more than ${budget}s, such as ${budget + LONGEST_SECONDS}s.`,
        };
      }
    }
  },
);

export const knativeRevisionRules: readonly Rule[] = [
  onePort,
  probes,
  features,
  limits,
  reserved,
  fieldAllowed,
  mountPathFree,
  volumesMounted,
  revisionName,
  deadline,
];
