/**
 * What CEL expressions see in each place of the built-in kinds: the variables with their types (`apiserver/pkg/admission/plugin/cel/compile.go`,
 * `dynamic-resource-allocation/cel/compile.go`).
 *
 * A server checks new expressions against the functions of the minor before its own, so that it can be rolled back.
 */
import { type Fields, type TypeEnvironment } from '../../cel/typing/check-types';
import { readSignatures } from '../../cel/typing/signatures';
import { listOf, readType, STRING, type CelType } from '../../cel/typing/types';

const named = (name: string): CelType => ({ kind: 'named', name });

function fields(types: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, readType(type)]));
}

const GROUP_KIND = { group: 'string', version: 'string', kind: 'string' };
const GROUP_RESOURCE = { group: 'string', version: 'string', resource: 'string' };

const ADMISSION_TYPES: Readonly<Record<string, Fields>> = {
  'kubernetes.GroupVersionKind': fields(GROUP_KIND),
  'kubernetes.GroupVersionResource': fields(GROUP_RESOURCE),
  'kubernetes.UserInfo': fields({
    username: 'string',
    uid: 'string',
    groups: 'list(string)',
    extra: 'map(string, list(string))',
  }),
  'kubernetes.AdmissionRequest': fields({
    kind: 'kubernetes.GroupVersionKind',
    resource: 'kubernetes.GroupVersionResource',
    subResource: 'string',
    requestKind: 'kubernetes.GroupVersionKind',
    requestResource: 'kubernetes.GroupVersionResource',
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: 'kubernetes.UserInfo',
    dryRun: 'bool',
    options: 'dyn',
  }),
  'kubernetes.NamespaceSpec': fields({ finalizers: 'list(string)' }),
  'kubernetes.NamespaceCondition': fields({
    status: 'string',
    type: 'string',
    lastTransitionTime: 'timestamp',
    message: 'string',
    reason: 'string',
  }),
  'kubernetes.NamespaceStatus': fields({ conditions: 'list(kubernetes.NamespaceCondition)', phase: 'string' }),
  'kubernetes.NamespaceMetadata': fields({
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    labels: 'map(string, string)',
    annotations: 'map(string, string)',
    UID: 'string',
    creationTimestamp: 'timestamp',
    deletionGracePeriodSeconds: 'int',
    deletionTimestamp: 'timestamp',
    generation: 'int',
    resourceVersion: 'string',
    finalizers: 'list(string)',
  }),
  'kubernetes.Namespace': fields({
    metadata: 'kubernetes.NamespaceMetadata',
    spec: 'kubernetes.NamespaceSpec',
    status: 'kubernetes.NamespaceStatus',
  }),
};

const JSON_PATCH = 'JSONPatch';
const JSON_PATCH_FIELDS: Fields = fields({ op: 'string', path: 'string', from: 'string', value: 'dyn' });

/** What a mutation evaluates to, by its patch type. */
export const PATCH_RESULTS = { ApplyConfiguration: named('Object'), JSONPatch: listOf(named(JSON_PATCH)) };

export interface AdmissionPlace {
  /** Minor of the checked Kubernetes version. */
  readonly minor: number;
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** Whether patches can be written: `Object{…}`, `JSONPatch{…}`. */
  readonly hasPatches?: boolean;
  /** Types of the policy's variables so far. @default - the place has none */
  readonly variables?: Readonly<Record<string, CelType>>;
}

export function admissionEnvironment(place: AdmissionPlace): TypeEnvironment {
  const { minor, hasParams = false, hasAuthorizer = true, hasPatches = false, variables } = place;
  const check = 'kubernetes.authorization.ResourceCheck';
  return {
    minor: minor - 1,
    variables: {
      object: readType('dyn'),
      oldObject: readType('dyn'),
      request: named('kubernetes.AdmissionRequest'),
      namespaceObject: named('kubernetes.Namespace'),
      ...(hasParams ? { params: readType('dyn') } : {}),
      ...(hasAuthorizer
        ? { authorizer: named('kubernetes.authorization.Authorizer'), 'authorizer.requestResource': named(check) }
        : {}),
      ...(variables === undefined ? {} : { variables: named('kubernetes.variables') }),
    },
    types: (name) => {
      if (name === 'kubernetes.variables') {
        return variables;
      }
      if (hasPatches && name === JSON_PATCH) {
        return JSON_PATCH_FIELDS;
      }
      if (hasPatches && /^Object(\.|$)/.test(name)) {
        return () => readType('dyn');
      }
      return Object.hasOwn(ADMISSION_TYPES, name) ? ADMISSION_TYPES[name] : undefined;
    },
    ...(hasPatches ? { functions: readSignatures(['jsonpatch.escapeKey(string): string']) } : {}),
  };
}

const DEVICE = 'kubernetes.DRADevice';

/** What the selectors of device classes and claims see. */
export function deviceEnvironment(minor: number): TypeEnvironment {
  const device: Readonly<Record<string, CelType>> = {
    driver: STRING,
    attributes: readType('map(string, map(string, any))'),
    capacity: readType('map(string, map(string, kubernetes.Quantity))'),
    ...(minor >= FIRST_WITH_SHARED_DEVICES ? { allowMultipleAllocations: readType('bool') } : {}),
  };
  return {
    minor: minor - 1,
    variables: { device: named(DEVICE) },
    types: (name) => (name === DEVICE ? device : undefined),
    hasBind: true,
  };
}

/** The first minor that has DRAConsumableCapacity on by default. */
const FIRST_WITH_SHARED_DEVICES = 36;
