/**
 * Parts of objects that others name: keys of ConfigMaps and Secrets, ports of Services.
 */
import { dirname } from 'node:path';
import { fieldOf } from '../../../manifests/pointer';
import { asYaml, oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { nearestName } from '../../../facts/spelling';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asInteger, asObject, asString, objectsAt } from '../../../manifests/read';
import { type Severity } from '../../../checks/report/finding';
import { type PodTemplateRule, type SetRule, type Violation } from '../../../checks/rules/rule';

interface KeyUse {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly key: string;
  readonly path: string;
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** The keys that a pod needs: a field that says `optional` needs none. */
function keysOf(spec: JsonObject): readonly KeyUse[] {
  const uses: KeyUse[] = [];
  const add = (kind: KeyUse['kind'], name: JsonValue | undefined, key: JsonValue | undefined, path: string): void => {
    if (typeof name === 'string' && typeof key === 'string') {
      uses.push({ kind, name, key, path });
    }
  };
  for (const container of CONTAINERS.flatMap((list) => objectsAt(spec, `/${list}`))) {
    for (const { value, path } of objectsAt(container.value, '/env')) {
      const from = asObject(value.valueFrom);
      for (const [field, kind] of [
        ['configMapKeyRef', 'ConfigMap'],
        ['secretKeyRef', 'Secret'],
      ] as const) {
        const reference = asObject(from[field]);
        if (reference.optional !== true) {
          add(kind, reference.name, reference.key, `/spec${container.path}${path}/valueFrom/${field}/key`);
        }
      }
    }
  }
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    const sources = [
      ...sourcesIn(value, path, 'secretName'),
      ...objectsAt(value, '/projected/sources').flatMap((one) => sourcesIn(one.value, `${path}${one.path}`, 'name')),
    ];
    for (const { kind, name, source, path: at } of sources) {
      for (const item of objectsAt(source, '/items')) {
        add(kind, name, item.value.key, `/spec${at}${item.path}/key`);
      }
    }
  }
  return uses;
}

interface VolumeSource {
  readonly kind: KeyUse['kind'];
  readonly name: JsonValue | undefined;
  readonly source: JsonObject;
  readonly path: string;
}

/** The ConfigMap and the Secret that a volume, or a part of a projected one, needs. */
function sourcesIn(holder: JsonObject, path: string, secretKey: 'name' | 'secretName'): readonly VolumeSource[] {
  return (
    [
      ['configMap', 'ConfigMap', 'name'],
      ['secret', 'Secret', secretKey],
    ] as const
  ).flatMap(([field, kind, named]) => {
    const source = asObject(holder[field]);
    return source.optional === true ? [] : [{ kind, name: source[named], source, path: `${path}/${field}` }];
  });
}

/** Mounts of a single file of a ConfigMap or a Secret: where nothing has its name, the kubelet makes an empty directory. */
function filesOf(spec: JsonObject): readonly KeyUse[] {
  const sources = new Map(
    objectsAt(spec, '/volumes').map(({ value }) => [value.name, sourcesIn(value, '', 'secretName')] as const),
  );
  return CONTAINERS.flatMap((list) => objectsAt(spec, `/${list}`)).flatMap((container) =>
    objectsAt(container.value, '/volumeMounts').flatMap(({ value, path }) => {
      const file = asString(value.subPath) ?? '';
      return (sources.get(value.name) ?? []).flatMap(({ kind, name, source }) =>
        file === '' || file.startsWith('..') || typeof name !== 'string' || source.items !== undefined
          ? []
          : [{ kind, name, key: file, path: `/spec${container.path}${path}/subPath` }],
      );
    }),
  );
}

function keysIn({ object }: Manifest): readonly string[] {
  return ['data', 'stringData', 'binaryData'].flatMap((field) => Object.keys(asObject(object[field])));
}

export const keyExists: PodTemplateRule = {
  id: 'references/key-exists',
  tier: 'advice',
  severity: 'warning',
  on: 'pod-template',
  concerns: ['configMapKeyRef', 'secretKeyRef', 'items', 'subPath'],
  summary: 'A key that a pod reads should be in the ConfigMap or Secret.',
  why: 'The container does not start without the key, unless a controller adds it or the reference is optional; a mount of the file is an empty directory.',
  source: 'kubernetes 1.36, pkg/kubelet (CreateContainerConfigError); pkg/volume/util/subpath (SafeMakeDir)',
  fix: 'Set the key to one in the ConfigMap or Secret, or set optional: true in the reference.',
  *check({ manifest, spec }, { set }): Iterable<Violation> {
    for (const { kind, name, key, path } of [...keysOf(spec), ...filesOf(spec)]) {
      const definitions = set.definitionsOf(kind, name, manifest.id.namespace).map(keysIn);
      const keys = definitions[0] ?? [];
      // An empty object is filled by somebody else.
      if (definitions.length === 0 || definitions.some((one) => one.length === 0 || one.includes(key))) {
        continue;
      }
      yield {
        path,
        message: `the ${kind} "${name}" has no key "${key}"`,
        found: key,
        expected: nearestName(key, keys) ?? oneOf(keys.slice(0, 6)),
        fix: `Set ${fieldOf(path)} to a key in the ${kind}, such as ${nearestName(key, keys) ?? keys[0]}${path.endsWith('/subPath') ? '' : ', or set optional: true in the reference'}.`,
      };
    }
  },
};

interface PortUse {
  readonly service: string;
  /** @default - that of the object */
  readonly namespace?: string;
  readonly port: string | number;
  readonly path: string;
}

function portsOfIngress(object: JsonObject): readonly PortUse[] {
  const backends = [
    { value: asObject(asObject(object.spec).defaultBackend), path: '/spec/defaultBackend' },
    ...objectsAt(object, '/spec/rules').flatMap((rule) =>
      objectsAt(rule.value, '/http/paths').map(({ value, path }) => ({
        value: asObject(value.backend),
        path: `${rule.path}${path}/backend`,
      })),
    ),
  ];
  return backends.flatMap(({ value, path }) => {
    const service = asObject(value.service);
    const { name, number } = asObject(service.port);
    const port = asString(name) ?? asInteger(number);
    const field = typeof port === 'string' ? 'name' : 'number';
    return typeof service.name === 'string' && port !== undefined
      ? [{ service: service.name, port, path: `${path}/service/port/${field}` }]
      : [];
  });
}

function portsOfRoute(object: JsonObject): readonly PortUse[] {
  return objectsAt(object, '/spec/rules').flatMap((rule) =>
    objectsAt(rule.value, '/backendRefs').flatMap(({ value, path }) => {
      const port = asInteger(value.port);
      const isService = (asString(value.kind) ?? 'Service') === 'Service' && value.namespace === undefined;
      return isService && typeof value.name === 'string' && port !== undefined
        ? [{ service: value.name, port, path: `${rule.path}${path}/port` }]
        : [];
    }),
  );
}

const WEBHOOK_PORT = 443;

/** The Service of a webhook or of an aggregated API, which the API server calls. */
function portOfCalled(holder: JsonObject, path: string): readonly PortUse[] {
  const { name, namespace, port } = asObject(holder.service);
  const number = port === undefined || port === null ? WEBHOOK_PORT : asInteger(port);
  return typeof name === 'string' && typeof namespace === 'string' && number !== undefined
    ? [{ service: name, namespace, port: number, path: `${path}/service${number === port ? '/port' : ''}` }]
    : [];
}

function portsOfWebhooks(object: JsonObject): readonly PortUse[] {
  return objectsAt(object, '/webhooks').flatMap(({ value, path }) =>
    portOfCalled(asObject(value.clientConfig), `${path}/clientConfig`),
  );
}

function portsOfConversion(object: JsonObject): readonly PortUse[] {
  const { webhook } = asObject(asObject(object.spec).conversion);
  return portOfCalled(asObject(asObject(webhook).clientConfig), '/spec/conversion/webhook/clientConfig');
}

const ROUTES: readonly (readonly [string, (object: JsonObject) => readonly PortUse[]])[] = [
  ['networking.k8s.io/Ingress', portsOfIngress],
  ['gateway.networking.k8s.io/HTTPRoute', portsOfRoute],
  ['gateway.networking.k8s.io/GRPCRoute', portsOfRoute],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', portsOfWebhooks],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', portsOfWebhooks],
  ['apiextensions.k8s.io/CustomResourceDefinition', portsOfConversion],
  ['apiregistration.k8s.io/APIService', ({ spec }) => portOfCalled(asObject(spec), '/spec')],
];

export const backendPortExists: SetRule = {
  id: 'references/backend-port-exists',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'The port of a backend, and that of a webhook, must be a port of its Service.',
  why: 'The route has no endpoints, and requests get an error; the API server cannot call the webhook, and rejects what it is for.',
  source:
    'kubernetes 1.36, Ingress and Gateway API (backends name a port of the Service); staging/src/k8s.io/apiserver/pkg/util/proxy (ResolveCluster)',
  fix: 'Set the port to a port in spec.ports of the Service.',
  *check({ set }) {
    for (const [kind, portsOf] of ROUTES) {
      for (const manifest of set.ofKind(kind)) {
        for (const use of portsOf(manifest.object)) {
          yield* unknownPort(manifest, use, set);
        }
      }
    }
  },
};

function portsIn(spec: JsonObject): readonly JsonObject[] {
  return asArray(spec.ports).map(asObject);
}

/** Of several definitions, the cluster of a route may have another one; and without a namespace, the two may be for different ones. */
function certaintyOf(definitions: readonly Manifest[], { id, origin }: Manifest): Severity {
  if (definitions.some((one) => one.origin.file === origin.file)) {
    return 'error';
  }
  if (definitions.length > 1) {
    return 'info';
  }
  const isSameFolder = dirname(definitions[0]?.origin.file ?? '') === dirname(origin.file ?? '');
  return isSameFolder || id.namespace !== '' ? 'error' : 'warning';
}

function* unknownPort(
  manifest: Manifest,
  { service, namespace = manifest.id.namespace, port, path }: PortUse,
  set: ManifestSet,
): Iterable<Violation & { readonly manifest: Manifest }> {
  const definitions = set.definitionsOf('Service', service, namespace);
  const specs = definitions.map(({ object }) => asObject(object.spec));
  const field = typeof port === 'string' ? 'name' : 'port';
  const mayHave = (spec: JsonObject): boolean =>
    spec.type === 'ExternalName' || portsIn(spec).length === 0 || portsIn(spec).some((one) => one[field] === port);
  if (definitions.length === 0 || specs.some(mayHave)) {
    return;
  }
  const ports = portsIn(specs[0]);
  const choices = oneOf(
    ports.flatMap((one) => {
      const name = asString(one[field]);
      return name === undefined ? (asInteger(one[field])?.toString() ?? []) : asYaml(name);
    }),
  );
  yield {
    manifest,
    path,
    severity: certaintyOf(definitions, manifest),
    message: `the Service "${service}" has no port ${JSON.stringify(port)}`,
    found: port,
    expected: choices,
    ...(choices === ''
      ? {}
      : { fix: `Set ${fieldOf(path.endsWith('/service') ? `${path}/port` : path)} to ${choices}.` }),
  };
}
