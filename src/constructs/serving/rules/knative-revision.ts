/**
 * What Knative's webhook demands of a revision's pod: its port, the switches that its fields need, its limits and its names.
 */
import { posix } from 'node:path';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rule';
import { parseGoDuration } from '../../../manifests/go-duration';
import { asArray, asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { FEATURES_CONFIG_MAP, isOnByDefault, isTurnedOn, KNATIVE_NAMESPACE, neededFeatures } from '../knative-features';
import { startupBudget } from './probe-budget';
import { KNATIVE, revisionRule } from './serving-rule';

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
      'The containers of a revision have one port together, over TCP, without a name or named http1 or h2c, and none that Knative uses itself.',
    why: 'Knative sends all requests to it; the webhook refuses others.',
    source: PODS,
    fix: 'Keep the port that takes requests; metrics may stand in annotations of a PodMonitor.',
  },
  function* ({ spec, specPath }) {
    const containers = objectsAt(spec, '/containers');
    const ports = containers.flatMap(({ value, path }) =>
      objectsAt(value, '/ports').map(({ value: port, path: at }) => ({ port, path: `${specPath}${path}${at}` })),
    );
    for (const { path } of ports.slice(1)) {
      yield { path, message: 'a revision has one port', expected: 'one port in all containers' };
    }
    if (ports.length === 0 && containers.length > 1) {
      yield {
        path: `${specPath}/containers`,
        message: 'of several containers none has a port',
        expected: 'a port in the container that takes requests',
      };
    }
    for (const { port, path } of ports) {
      const { name, containerPort: number, protocol } = port;
      if (typeof name === 'string' && !['', 'http1', 'h2c'].includes(name)) {
        yield {
          path: `${path}/name`,
          message: `the port is called ${name}`,
          found: name,
          expected: 'http1, h2c (for gRPC), or no name',
        };
      }
      if (typeof number === 'number' && RESERVED_PORTS.includes(number)) {
        yield { path: `${path}/containerPort`, message: `Knative uses ${number} itself`, found: number };
      }
      if (typeof protocol === 'string' && protocol !== '' && protocol !== 'TCP') {
        yield {
          path: `${path}/protocol`,
          message: `requests do not come over ${protocol}`,
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
    summary: "Fields of a revision's pod that stand behind a switch are switched on in config-features.",
    why: 'Node selection, tolerations, schedulers, runtime classes, claims and more are off by default: the webhook refuses the service.',
    source: `${KNATIVE}, pkg/apis/config/features.go, pkg/apis/serving/fieldmask.go`,
    fix: 'Set the key to enabled in the ConfigMap config-features of knative-serving (most cannot safely be turned off again), or leave the field out.',
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
        message: `it needs ${feature}, which is off ${config === undefined ? 'by default' : 'in config-features'}`,
        expected: `${feature}: enabled`,
        ...(config === undefined ? {} : { severity: 'error' as const }),
      };
    }
  },
);

const limits = revisionRule(
  'knative-limits-in-range',
  {
    row: 'KN10',
    summary: 'containerConcurrency is 0 to 1000 and timeoutSeconds 0 to 600, unless the cluster allows more.',
    why: 'The webhook refuses what is beyond config-defaults: container-concurrency-max-limit and max-revision-timeout-seconds.',
    source: `${KNATIVE}, pkg/apis/config/defaults.go, pkg/apis/serving/v1/revision_validation.go`,
    fix: 'Stay within the limits, or raise them in config-defaults.',
  },
  function* ({ spec, specPath }, _manifest, { set }) {
    const config = set.get('ConfigMap', 'config-defaults', KNATIVE_NAMESPACE);
    const data = asObject(config?.object.data);
    const most = (key: string, standard: number): number => Number(asString(data[key]) ?? standard);
    const ranges = [
      ['containerConcurrency', most('container-concurrency-max-limit', MOST_CONCURRENCY)],
      ['timeoutSeconds', most('max-revision-timeout-seconds', LONGEST_SECONDS)],
    ] as const;
    for (const [key, limit] of ranges) {
      const value = asInteger(spec[key]);
      if (value === undefined || (value >= 0 && value <= limit)) {
        continue;
      }
      const beyondDefault = value >= 0 && config === undefined;
      yield {
        path: `${specPath}/${key}`,
        message: `${key} is ${value}`,
        found: value,
        expected: `0 to ${limit}`,
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
      'A revision sets none of the variables PORT, K_SERVICE, K_CONFIGURATION and K_REVISION, and calls no container queue-proxy.',
    why: "Knative sets them itself; the webhook refuses others' values.",
    source: PODS,
    fix: "Leave them out; the server's port is that of the container.",
  },
  function* ({ spec, specPath }) {
    const containers = objectsAt(spec, '/containers');
    for (const { value, path } of containers) {
      const at = `${specPath}${path}`;
      if (value.name === 'queue-proxy') {
        yield { path: `${at}/name`, message: "queue-proxy is Knative's container", found: 'queue-proxy' };
      }
      const sidecar = containers.length > 1 && asArray(value.ports).length === 0;
      for (const { value: variable, path: place } of objectsAt(value, '/env')) {
        const name = asString(variable.name) ?? '';
        if (RESERVED_VARIABLES.includes(name) && !(sidecar && name === 'PORT')) {
          yield { path: `${at}${place}/name`, message: `Knative sets ${name} itself`, found: name };
        }
      }
    }
  },
);

const fieldAllowed = revisionRule(
  'knative-field-allowed',
  {
    row: 'KN11',
    summary: 'A revision has no privileged container and does not insist on automountServiceAccountToken: true.',
    why: 'The webhook refuses both; there is no switch.',
    source: `${KNATIVE}, pkg/apis/serving/fieldmask.go`,
    fix: 'Leave the field out (a token is mounted anyway); what needs privileges is served by a Deployment.',
  },
  function* ({ spec, specPath }) {
    if (spec.automountServiceAccountToken === true) {
      yield { path: `${specPath}/automountServiceAccountToken`, message: 'only false is allowed', found: true };
    }
    for (const { value, path } of containersOf(spec)) {
      if (asObject(value.securityContext).privileged === true) {
        yield {
          path: `${specPath}${path}/securityContext/privileged`,
          message: 'the container is privileged',
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
    summary: 'No volume of a revision is mounted at /, /dev or /dev/log, and none passes its mounts on to the host.',
    why: 'The webhook refuses it.',
    source: PODS,
    fix: 'Mount it elsewhere; /dev/shm is free.',
  },
  function* ({ spec, specPath }) {
    for (const { value, path } of containersOf(spec)) {
      for (const { value: mount, path: at } of objectsAt(value, '/volumeMounts')) {
        const place = `${specPath}${path}${at}`;
        const mountPath = asString(mount.mountPath) ?? '';
        if (mountPath !== '' && RESERVED_PATHS.includes(posix.normalize(mountPath).replace(/(.)\/$/, '$1'))) {
          yield { path: `${place}/mountPath`, message: `${mountPath} is reserved`, found: mountPath };
        }
        if (mount.mountPropagation === 'Bidirectional') {
          yield {
            path: `${place}/mountPropagation`,
            message: 'mounts are not passed on',
            found: 'Bidirectional',
            expected: 'HostToContainer, or none',
          };
        }
      }
    }
  },
);

const probes = revisionRule(
  'knative-probe-valid',
  {
    row: 'KN8',
    summary:
      'Probes of a revision name its port or none; a readiness probe with periodSeconds 0 states neither timeoutSeconds nor failureThreshold.',
    why: "Requests and probes go to one port. Period 0 is Knative's own fast probe, which has no such limits. The webhook refuses others.",
    source: PODS,
    fix: 'Leave the port out, or write its number; state periodSeconds with the other two.',
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
              message: `the port of the revision is not called ${asked}`,
              found: asked,
              expected: name,
            };
          }
        }
      }
      const readiness = asObject(value.readinessProbe);
      if (!serving || !isObject(value.readinessProbe) || (asInteger(readiness.periodSeconds) ?? 0) !== 0) {
        continue;
      }
      for (const key of ['timeoutSeconds', 'failureThreshold']) {
        if ((asInteger(readiness[key]) ?? 0) !== 0) {
          yield {
            path: `${specPath}${path}/readinessProbe/${key}`,
            message: `${key} stands beside no periodSeconds`,
            found: readiness[key],
            expected: 'periodSeconds of 1 or more',
          };
        }
      }
    }
  },
);

const volumesMounted = revisionRule(
  'knative-volume-mounted',
  {
    row: 'KN11',
    summary: 'Each volume of a revision is mounted, and none is of huge pages.',
    why: 'The webhook refuses a volume that nobody mounts, which Kubernetes itself takes, and every medium but Memory.',
    source: PODS,
    fix: 'Mount it, or take it out.',
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
        yield { path: `${specPath}${path}/name`, message: `no container mounts the volume ${name}`, found: name };
      }
      const medium = asString(asObject(value.emptyDir).medium) ?? '';
      if (medium !== '' && medium !== 'Memory') {
        yield {
          path: `${specPath}${path}/emptyDir/medium`,
          message: `there is no medium ${medium} in a revision`,
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
      'A name of the template begins with the name of the Service or Configuration and a hyphen, and is a DNS-1035 label.',
    why: 'Revisions of all services share the namespace; the webhook refuses others.',
    source: `${KNATIVE}, pkg/apis/serving/v1/revision_validation.go`,
    fix: 'Leave the name out, or begin it with that of the service.',
  },
  function* ({ name, metadataPath, isTemplate }, { id }) {
    if (!isTemplate || name === '' || id.name === '') {
      return;
    }
    if (!name.startsWith(`${id.name}-`)) {
      yield {
        path: `${metadataPath}/name`,
        message: `${name} does not begin with ${id.name}-`,
        found: name,
        expected: `${id.name}-…`,
      };
    } else if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63) {
      yield { path: `${metadataPath}/name`, message: `${name} is no DNS-1035 label`, found: name };
    }
  },
);

const deadline = revisionRule(
  'knative-deadline-covers-startup',
  {
    row: 'KN13',
    tier: 'advice',
    severity: 'warning',
    summary: 'The progress deadline of a revision is longer than the time that its startup probe gives.',
    why: 'A revision that is not ready by then (600 s by default) has failed, and Knative scales it to zero while the model loads.',
    source: `${KNATIVE}, pkg/deployment/config.go (progress-deadline), pkg/reconciler/revision`,
    fix: 'Set the annotation serving.knative.dev/progress-deadline on the template.',
  },
  function* ({ spec, specPath, annotations }) {
    const stated = parseGoDuration(annotations.get(PROGRESS_DEADLINE) ?? '');
    const limit = stated ?? DEFAULT_DEADLINE_SECONDS;
    for (const { value, path } of objectsAt(spec, '/containers')) {
      const budget = isObject(value.startupProbe) ? startupBudget(value.startupProbe) : 0;
      if (budget > limit) {
        yield {
          path: `${specPath}${path}/startupProbe`,
          message: `startup may take ${budget} s, and the revision has ${limit} s`,
          expected: `${PROGRESS_DEADLINE}: ${budget + LONGEST_SECONDS}s`,
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
