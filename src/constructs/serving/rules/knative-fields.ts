/**
 * Fields of a pod that Knative does not take in a revision, whatever its configuration is, and those that it demands.
 *
 * Source: Knative Serving, pkg/apis/serving/fieldmask.go and k8s_validation.go.
 */
import { allOf, oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fixesByField, keepOne } from '../../../checks/rules/field-fix';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { dnsLabel, dnsSubdomain, userOrGroupId } from '../../../manifests/values/name-syntax';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, hasNoItems, isObject, isUnset, objectsAt } from '../../../manifests/read';
import { isImageReference } from '../image-reference';
import { KNATIVE, revisionRule, type RevisionView } from './serving-rule';

const MASK = `${KNATIVE}, pkg/apis/serving/fieldmask.go`;
const PODS = `${KNATIVE}, pkg/apis/serving/k8s_validation.go`;

/** What may be set in a part of a pod. */
interface Mask {
  readonly allowed: readonly string[];
  /** Of the others, those whose empty value Go does not tell from an absent one. */
  readonly plain?: readonly string[];
}

const POD: Mask = {
  allowed: [
    ...['containerConcurrency', 'timeoutSeconds', 'responseStartTimeoutSeconds', 'idleTimeoutSeconds'],
    ...['serviceAccountName', 'containers', 'volumes', 'imagePullSecrets', 'enableServiceLinks'],
    ...['automountServiceAccountToken', 'affinity', 'topologySpreadConstraints', 'hostAliases', 'nodeSelector'],
    ...['runtimeClassName', 'tolerations', 'securityContext', 'shareProcessNamespace', 'priorityClassName'],
    ...['schedulerName', 'initContainers', 'dnsPolicy', 'dnsConfig', 'hostIPC', 'hostPID', 'hostNetwork'],
  ],
  plain: ['restartPolicy', 'nodeName', 'hostname', 'subdomain', 'serviceAccount'],
};

const POD_SECURITY: Mask = {
  allowed: ['runAsUser', 'runAsGroup', 'runAsNonRoot', 'fsGroup', 'supplementalGroups', 'seccompProfile'],
};

const CONTAINER: Mask = {
  allowed: [
    ...['name', 'args', 'command', 'env', 'workingDir', 'envFrom', 'image', 'imagePullPolicy', 'livenessProbe'],
    ...['ports', 'readinessProbe', 'resources', 'securityContext', 'startupProbe', 'terminationMessagePath'],
    ...['terminationMessagePolicy', 'volumeMounts'],
  ],
  plain: ['stdin', 'stdinOnce', 'tty'],
};

const CONTAINER_SECURITY: Mask = {
  allowed: [
    ...['capabilities', 'readOnlyRootFilesystem', 'runAsUser', 'runAsGroup', 'runAsNonRoot'],
    ...['allowPrivilegeEscalation', 'seccompProfile', 'privileged'],
  ],
};

const PORT: Mask = { allowed: ['containerPort', 'name', 'protocol'], plain: ['hostIP', 'hostPort'] };
const MOUNT: Mask = {
  allowed: ['name', 'readOnly', 'mountPath', 'subPath', 'mountPropagation'],
  plain: ['subPathExpr'],
};
const VARIABLE_SOURCE: Mask = { allowed: ['configMapKeyRef', 'secretKeyRef', 'fieldRef', 'resourceFieldRef'] };
const RESOURCES: Mask = { allowed: ['limits', 'requests'] };
const VOLUME_SOURCES = [
  ...['secret', 'configMap', 'projected', 'emptyDir', 'persistentVolumeClaim', 'hostPath', 'csi', 'ephemeral', 'image'],
];
const VOLUME: Mask = { allowed: ['name', ...VOLUME_SOURCES] };
const PROJECTION_SOURCES = ['secret', 'configMap', 'serviceAccountToken', 'downwardAPI'];
const PROJECTION: Mask = { allowed: PROJECTION_SOURCES };

function isSet(value: JsonValue | undefined, plain: boolean): boolean {
  return value !== undefined && value !== null && !(plain && (value === '' || value === false || value === 0));
}

function* outside(value: JsonValue | undefined, path: string, { allowed, plain = [] }: Mask): Iterable<Violation> {
  for (const [field, member] of Object.entries(asObject(value))) {
    if (!allowed.includes(field) && isSet(member, plain.includes(field))) {
      const place = pointer(path, field);
      yield { path: place, message: `${fieldOf(place)} must not be set in a revision` };
    }
  }
}

interface Container {
  readonly value: JsonObject;
  readonly path: string;
  readonly init: boolean;
  /** Takes the requests: it is the only one, or has a port. */
  readonly serving: boolean;
}

function containersOf({ spec, specPath }: RevisionView): readonly Container[] {
  const regular = objectsAt(spec, '/containers');
  return [
    ...objectsAt(spec, '/initContainers').map(({ value, path }) => ({
      value,
      path: `${specPath}${path}`,
      init: true,
      serving: false,
    })),
    ...regular.map(({ value, path }) => ({
      value,
      path: `${specPath}${path}`,
      init: false,
      serving: regular.length === 1 || asArray(value.ports).length > 0,
    })),
  ];
}

const fieldsTaken = revisionRule(
  'knative-field-taken',
  {
    row: 'KN11',
    summary:
      'A revision must not set fields that Knative controls, such as restartPolicy, terminationGracePeriodSeconds, lifecycle, or hostPort.',
    why: 'The webhook rejects them: "must not set the field(s)". No setting allows them.',
    source: MASK,
    fix: 'Remove the field from spec.template.spec, or use a Deployment, which supports restartPolicy, lifecycle, and hostPort.',
  },
  function* (revision) {
    const { spec, specPath } = revision;
    yield* outside(spec, specPath, POD);
    yield* outside(spec.securityContext, `${specPath}/securityContext`, POD_SECURITY);
    for (const { value, path } of objectsAt(spec, '/volumes')) {
      yield* outside(value, `${specPath}${path}`, VOLUME);
      for (const { value: source, path: at } of objectsAt(value, '/projected/sources')) {
        yield* outside(source, `${specPath}${path}${at}`, PROJECTION);
      }
    }
    for (const { value, path, init } of containersOf(revision)) {
      yield* outside(value, path, CONTAINER);
      yield* outside(value.securityContext, `${path}/securityContext`, CONTAINER_SECURITY);
      yield* outside(value.resources, `${path}/resources`, RESOURCES);
      for (const { value: variable, path: at } of objectsAt(value, '/env')) {
        yield* outside(variable.valueFrom, `${path}${at}/valueFrom`, VARIABLE_SOURCE);
      }
      for (const { value: mount, path: at } of objectsAt(value, '/volumeMounts')) {
        yield* outside(mount, `${path}${at}`, MOUNT);
      }
      for (const { value: port, path: at } of objectsAt(value, '/ports')) {
        yield* outside(port, `${path}${at}`, PORT);
      }
      for (const probe of init ? ['livenessProbe', 'readinessProbe', 'startupProbe'] : []) {
        if (isSet(value[probe], false)) {
          yield { path: `${path}/${probe}`, message: `${probe} must not be set in an init container` };
        }
      }
    }
  },
);

const imageReadable = revisionRule(
  'knative-image-readable',
  {
    row: 'KN11',
    summary: 'Each container of a revision must have an image whose reference Knative can read.',
    why: 'Knative resolves the tag of the image to a digest; the webhook rejects a reference that it cannot parse.',
    source: `${PODS}; go-containerregistry, pkg/name`,
    fix: 'Set image to an image reference such as registry.example.com/server:1.2.',
    yieldsTo: 'core',
  },
  function* (revision) {
    for (const { value, path } of containersOf(revision)) {
      const image = asString(value.image) ?? '';
      if (image === '') {
        yield { path: `${path}/image`, message: 'image must be set', expected: 'an image reference' };
      } else if (!isImageReference(image)) {
        yield {
          path: `${path}/image`,
          message: `invalid image reference "${image}"`,
          found: image,
          expected: '[registry/]repository[:tag][@digest], with a lowercase repository of at least two characters',
        };
      }
    }
  },
);

const containersComplete = fixesByField(
  revisionRule(
    'knative-container-complete',
    {
      row: 'KN11',
      summary:
        'A revision must have a container, containers must have unique names, and their variables, sources, and mounts must be complete.',
      why: 'The webhook rejects the revision.',
      source: PODS,
      fix: 'Set name, image, and one of configMapRef and secretRef where they are missing, and rename duplicates.',
      yieldsTo: 'core',
    },
    function* (revision) {
      const { spec, specPath } = revision;
      if (hasNoItems(spec.containers)) {
        yield {
          path: `${specPath}/containers`,
          message: 'containers must be set',
          expected: 'a list of at least one container',
        };
      }
      const names = new Set<string>();
      for (const { value, path, init } of [...containersOf(revision)].sort((a, b) => Number(a.init) - Number(b.init))) {
        const name = asString(value.name) ?? '';
        if (name !== '' && names.has(name)) {
          yield { path: `${path}/name`, message: `duplicate container name "${name}"`, found: name };
        }
        // Init containers are held against the others, and not against each other.
        if (!init) {
          names.add(name);
        }
        yield* incompleteVariables(value, path);
        const policy = asString(value.terminationMessagePolicy) ?? '';
        if (!['', 'File', 'FallbackToLogsOnError'].includes(policy)) {
          yield {
            path: `${path}/terminationMessagePolicy`,
            message: `unsupported terminationMessagePolicy "${policy}"`,
            found: policy,
            expected: 'File or FallbackToLogsOnError',
          };
        }
        yield* wrongIds(value.securityContext, `${path}/securityContext`);
        yield* wrongPorts(value, path);
      }
      yield* wrongIds(spec.securityContext, `${specPath}/securityContext`);
      const account = asString(spec.serviceAccountName) ?? '';
      const complaint = account === '' ? undefined : dnsSubdomain(account);
      if (complaint !== undefined) {
        yield {
          path: `${specPath}/serviceAccountName`,
          message: `the serviceAccountName "${account}" must ${complaint}`,
          found: account,
        };
      }
    },
  ),
);

function* incompleteVariables(container: JsonObject, path: string): Iterable<Violation> {
  for (const { value, path: at } of objectsAt(container, '/env')) {
    if (isUnset(value.name)) {
      yield { path: `${path}${at}/name`, message: 'name must be set' };
    }
  }
  for (const { value, path: at } of objectsAt(container, '/envFrom')) {
    const sources = ['configMapRef', 'secretRef'].filter((source) => isObject(value[source]));
    if (sources.length !== 1) {
      yield {
        path: `${path}${at}`,
        message: 'exactly one of configMapRef and secretRef must be set',
        ...(sources.length > 1 && { fix: keepOne(sources, fieldOf(`${path}${at}`)) }),
      };
    }
  }
}

function* wrongPorts(container: JsonObject, path: string): Iterable<Violation> {
  for (const { value, path: at } of objectsAt(container, '/ports')) {
    const port = value.containerPort;
    if (typeof port === 'number' && (port < 0 || port > 65535)) {
      yield {
        path: `${path}${at}/containerPort`,
        message: `containerPort must be between 0 and 65535, but is ${port}`,
        found: port,
      };
    }
  }
}

function* wrongIds(value: JsonValue | undefined, path: string): Iterable<Violation> {
  const context = asObject(value);
  const ids = [
    ...['runAsUser', 'runAsGroup', 'fsGroup'].map((field) => [field, context[field]] as const),
    ...asArray(context.supplementalGroups).map((id, index) => [`supplementalGroups/${index}`, id] as const),
  ];
  for (const [field, id] of ids) {
    const complaint = typeof id === 'number' ? userOrGroupId(id) : undefined;
    if (complaint !== undefined) {
      yield {
        path: `${path}/${field}`,
        message: `${field.replace(/\/(\d+)$/, '[$1]')} must ${complaint}, but is ${JSON.stringify(id)}`,
        found: id,
      };
    }
  }
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

const probesComplete = revisionRule(
  'knative-probe-complete',
  {
    row: 'KN8',
    summary: 'Each probe of a revision must have exactly one handler, and numbers that are not negative.',
    why: 'The webhook rejects the revision. A readiness probe without a handler gets one.',
    source: PODS,
    fix: 'Set exec, httpGet, tcpSocket, or grpc in the probe.',
    yieldsTo: 'core',
  },
  function* (revision) {
    for (const { value, path, serving, init } of containersOf(revision)) {
      for (const kind of init ? [] : ['livenessProbe', 'readinessProbe', 'startupProbe']) {
        const probe = value[kind];
        if (!isObject(probe)) {
          continue;
        }
        const handlers = HANDLERS.filter((handler) => isObject(probe[handler]));
        const filledIn = kind === 'readinessProbe' && serving && handlers.length === 0;
        if (handlers.length !== 1 && !filledIn) {
          yield {
            path: `${path}/${kind}`,
            message: `the probe must have exactly one handler, but has ${handlers.length === 0 ? 'none' : handlers.length}`,
            expected: oneOf(HANDLERS),
            fix:
              handlers.length > 1
                ? keepOne(handlers, fieldOf(`${path}/${kind}`))
                : `Set ${oneOf(HANDLERS)} in ${fieldOf(`${path}/${kind}`)}.`,
          };
        }
        yield* portsWithoutServer(probe, `${path}/${kind}`, serving);
        yield* negative(kind === 'readinessProbe' ? probe : {}, `${path}/${kind}`);
      }
    }
  },
);

/** A container that takes no requests has no port that a probe could mean. */
function* portsWithoutServer(probe: JsonObject, path: string, serving: boolean): Iterable<Violation> {
  for (const handler of serving ? [] : ['httpGet', 'tcpSocket']) {
    const action = probe[handler];
    if (isObject(action) && (action.port === undefined || action.port === null || ['', 0].includes(action.port as 0))) {
      yield {
        path: `${path}/${handler}/port`,
        message: `${handler}.port must be set, because the container has no ports`,
        fix: `Set ${fieldOf(`${path}/${handler}`)}.port to the number of the port on which the container listens.`,
      };
    }
  }
}

function* negative(probe: JsonObject, path: string): Iterable<Violation> {
  const periodic = typeof probe.periodSeconds === 'number' && probe.periodSeconds !== 0;
  const fields = ['periodSeconds', 'initialDelaySeconds', 'successThreshold'];
  for (const field of periodic ? [...fields, 'timeoutSeconds', 'failureThreshold'] : fields) {
    const value = probe[field];
    if (typeof value === 'number' && value < 0) {
      yield {
        path: `${path}/${field}`,
        message: `${field} must be greater than or equal to 0, but is ${value}`,
        found: value,
      };
    }
  }
}

const volumesComplete = fixesByField(
  revisionRule(
    'knative-volume-complete',
    {
      row: 'KN11',
      summary: 'Each volume of a revision must have a unique name that is a DNS label, and exactly one source.',
      why: 'The webhook rejects the revision.',
      source: PODS,
      fix: 'Set a unique name and exactly one source, such as configMap, in each entry of volumes.',
      yieldsTo: 'core',
    },
    function* ({ spec, specPath }) {
      const names = new Set<string>();
      for (const { value, path: at } of objectsAt(spec, '/volumes')) {
        const path = `${specPath}${at}`;
        const name = asString(value.name) ?? '';
        const complaint = name === '' ? undefined : dnsLabel(name);
        if (name === '') {
          yield { path: `${path}/name`, message: 'name must be set in the volume', found: name };
        } else if (complaint !== undefined) {
          yield { path: `${path}/name`, message: `the volume name "${name}" must ${complaint}`, found: name };
        }
        if (name !== '' && names.has(name)) {
          yield { path: `${path}/name`, message: `duplicate volume name "${name}"`, found: name };
        }
        names.add(name);
        const sources = VOLUME_SOURCES.filter((source) => isObject(value[source]));
        if (sources.length !== 1) {
          yield {
            path,
            message: `the volume must have exactly one source, but has ${sources.length === 0 ? 'none' : allOf(sources)}`,
            expected: oneOf(VOLUME_SOURCES),
            fix:
              sources.length === 0
                ? `Set exactly one source, such as configMap or emptyDir, in ${fieldOf(path)}.`
                : keepOne(sources, fieldOf(path)),
          };
        }
        for (const source of ['secret', 'configMap']) {
          yield* incompleteItems(value[source], `${path}/${source}`);
        }
        for (const { value: source, path: place } of objectsAt(value, '/projected/sources')) {
          yield* incompleteProjection(source, `${path}${place}`);
        }
        yield* wrongSize(value.emptyDir, `${path}/emptyDir`);
        if (isObject(value.image) && isUnset(value.image.reference)) {
          yield { path: `${path}/image/reference`, message: 'reference must be set' };
        }
      }
    },
  ),
);

function* incompleteItems(source: JsonValue | undefined, path: string): Iterable<Violation> {
  for (const { value, path: at } of objectsAt(asObject(source), '/items')) {
    for (const field of ['key', 'path']) {
      if (isUnset(value[field])) {
        yield { path: `${path}${at}/${field}`, message: `${field} must be set` };
      }
    }
  }
}

function* incompleteProjection(source: JsonObject, path: string): Iterable<Violation> {
  const sources = PROJECTION_SOURCES.filter((name) => isObject(source[name]));
  if (sources.length !== 1) {
    const choices = oneOf(PROJECTION_SOURCES);
    yield {
      path,
      message: 'exactly one source must be set in the projection',
      expected: choices,
      fix:
        sources.length === 0
          ? `Set exactly one source, such as configMap or secret, in ${fieldOf(path)}.`
          : keepOne(sources, fieldOf(path)),
    };
  }
  for (const name of ['secret', 'configMap']) {
    if (isObject(source[name]) && isUnset(asObject(source[name]).name)) {
      yield { path: `${path}/${name}/name`, message: 'name must be set' };
    }
    yield* incompleteItems(source[name], `${path}/${name}`);
  }
  if (isObject(source.serviceAccountToken) && isUnset(source.serviceAccountToken.path)) {
    yield { path: `${path}/serviceAccountToken/path`, message: 'path must be set' };
  }
  for (const { value, path: at } of objectsAt(source, '/downwardAPI/items')) {
    if (['fieldRef', 'resourceFieldRef'].filter((name) => isObject(value[name])).length !== 1) {
      yield { path: `${path}${at}`, message: 'exactly one of fieldRef and resourceFieldRef must be set' };
    }
    if (isUnset(value.path)) {
      yield { path: `${path}${at}/path`, message: 'path must be set' };
    }
  }
}

function* wrongSize(emptyDir: JsonValue | undefined, path: string): Iterable<Violation> {
  const { sizeLimit } = asObject(emptyDir);
  const size = typeof sizeLimit === 'string' || typeof sizeLimit === 'number' ? parseQuantity(sizeLimit) : undefined;
  if (size !== undefined && size.toNumber() < 0) {
    yield {
      path: `${path}/sizeLimit`,
      message: `sizeLimit must be greater than or equal to 0, but is ${JSON.stringify(sizeLimit)}`,
      found: sizeLimit,
    };
  }
}

const mountsComplete = fixesByField(
  revisionRule(
    'knative-mount-complete',
    {
      row: 'KN11',
      summary: 'Each mount of a revision must have a unique absolute path, and be read-only if its volume is.',
      why: 'The webhook rejects the revision.',
      source: PODS,
      fix: 'Set volumeMounts[].mountPath to an absolute path that is unique in the container, and readOnly: true if the volume is read-only.',
      yieldsTo: 'core',
    },
    function* (revision) {
      const volumes = new Map(
        objectsAt(revision.spec, '/volumes').map(({ value }) => [asString(value.name) ?? '', value] as const),
      );
      for (const { value, path, init } of containersOf(revision)) {
        const paths = new Set<string>();
        for (const { value: mount, path: at } of objectsAt(value, '/volumeMounts')) {
          const place = `${path}${at}`;
          const name = asString(mount.name) ?? '';
          const volume = volumes.get(name);
          const mountPath = cleanPath(asString(mount.mountPath) ?? '');
          if (mountPath === '' || !mountPath.startsWith('/')) {
            yield {
              path: `${place}/mountPath`,
              message: `mountPath must be an absolute path, but is "${mountPath}"`,
              found: mountPath,
              expected: 'an absolute path such as /data',
            };
          } else if (paths.has(mountPath)) {
            yield { path: `${place}/mountPath`, message: `duplicate mountPath "${mountPath}"`, found: mountPath };
          }
          paths.add(mountPath);
          yield* writable(volume ?? {}, mount, place, init);
        }
      }
    },
  ),
);

/** Knative makes mounts of volumes that cannot be written read-only itself, but not in init containers. */
function* writable(volume: JsonObject, mount: JsonObject, path: string, init: boolean): Iterable<Violation> {
  if (mount.readOnly === true) {
    return;
  }
  const claim = asObject(volume.persistentVolumeClaim);
  const mayWrite = ['emptyDir', 'persistentVolumeClaim', 'ephemeral'].some((source) => isObject(volume[source]));
  if ((init && !mayWrite) || claim.readOnly === true) {
    yield {
      path: `${path}/readOnly`,
      message: `readOnly must be true, because the volume "${asString(mount.name) ?? ''}" is read-only`,
      expected: 'true',
    };
  }
}

/** As Go's path.Clean. */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') {
      parts.pop();
    } else if (part !== '' && part !== '.' && !(part === '..' && path.startsWith('/'))) {
      parts.push(part);
    }
  }
  return path === '' ? '' : `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

export const knativeFieldRules: readonly Rule[] = [
  fieldsTaken,
  imageReadable,
  containersComplete,
  probesComplete,
  volumesComplete,
  mountsComplete,
];
