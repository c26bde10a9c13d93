/**
 * Fields that an API server drops: those whose feature gate is off by default in its minor version. It decodes them as strictly as all
 * others, and validates what is left.
 *
 * Source: pkg/features/kube_features.go (since when a gate is on) and the functions `dropDisabled…` of pkg/api and pkg/registry in Kubernetes
 * 1.30 to 1.37; pkg/features and pkg/registry/customresourcedefinition of apiextensions-apiserver. With the source `image`, the whole volume is
 * dropped, and with it its mounts. The reference of a claim to a source in another namespace is dropped as a whole; the claims that a controller
 * creates from a template lose it as well.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';
import { escapedToken } from '../../manifests/pointer';

export interface GatedField {
  /** `group/Kind`, or `pod` for the template of a pod. */
  readonly of: string;
  /** Its pointer, in which `*` is any index or key. */
  readonly path: string;
  readonly gate: string;
  /** The first minor that has the field, if it is later than 1.30. */
  readonly from?: number;
  /** The first minor in which the gate is on by default. @default - it is off in every minor */
  readonly since?: number;
  /** The last minor that has the field. @default - the newest minor has it */
  readonly until?: number;
  /**
   * A member with which the server drops the field; without it, the field is kept. @default - it is dropped whatever is in it
   */
  readonly onlyWith?: string;
  /** Kinds that only a server with this gate takes: where the set has one, the gate is on. @default - nothing says so */
  readonly enabledWith?: readonly string[];
}

/** A field of each container, of every kind. */
const ofContainers = (
  path: string,
  gate: Pick<GatedField, 'gate' | 'from' | 'since'>,
  holders: readonly string[] = ['containers', 'initContainers', 'ephemeralContainers'],
): readonly GatedField[] => holders.map((holder) => ({ of: 'pod', path: `/spec/${holder}/*/${path}`, ...gate }));

const POD_AFFINITY = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => [
  `/spec/affinity/${kind}/requiredDuringSchedulingIgnoredDuringExecution/*`,
  `/spec/affinity/${kind}/preferredDuringSchedulingIgnoredDuringExecution/*/podAffinityTerm`,
]);

/** Where claims for storage are stated: by themselves, for the pods of a StatefulSet, and for a single pod. */
const CLAIM_SPECS = [
  { of: 'PersistentVolumeClaim', spec: '/spec' },
  { of: 'apps/StatefulSet', spec: '/spec/volumeClaimTemplates/*/spec' },
  { of: 'pod', spec: '/spec/volumes/*/ephemeral/volumeClaimTemplate/spec' },
];

/** Kubernetes' own gangs; their kinds are served only with the gate. */
const NATIVE_GANGS = {
  gate: 'GenericWorkload',
  enabledWith: ['PodGroup', 'CompositePodGroup', 'Workload'].map((kind) => `scheduling.k8s.io/${kind}`),
};

export const GATED_FIELDS: readonly GatedField[] = [
  { of: 'pod', path: '/spec/resourceClaims', gate: 'DynamicResourceAllocation', since: 34 },
  ...ofContainers('resources/claims', { gate: 'DynamicResourceAllocation', since: 34 }),
  ...ofContainers('resizePolicy', { gate: 'InPlacePodVerticalScaling', since: 33 }),
  { of: 'pod', path: '/spec/resources', gate: 'PodLevelResources', from: 32, since: 34 },
  { of: 'pod', path: '/spec/hostnameOverride', gate: 'HostnameOverride', from: 34, since: 35 },
  ...ofContainers('restartPolicyRules', { gate: 'ContainerRestartRules', from: 34, since: 35 }),
  { of: 'pod', path: '/spec/hostUsers', gate: 'UserNamespacesSupport', since: 33 },
  ...ofContainers('securityContext/procMount', { gate: 'ProcMountType', since: 33 }),
  ...ofContainers('volumeMounts/*/recursiveReadOnly', { gate: 'RecursiveReadOnlyMounts', since: 31 }),
  {
    of: 'pod',
    path: '/spec/securityContext/supplementalGroupsPolicy',
    gate: 'SupplementalGroupsPolicy',
    from: 31,
    since: 33,
  },
  { of: 'pod', path: '/spec/securityContext/seLinuxChangePolicy', gate: 'SELinuxChangePolicy', from: 32, since: 33 },
  ...POD_AFFINITY.flatMap((term) =>
    ['matchLabelKeys', 'mismatchLabelKeys'].map((field) => ({
      of: 'pod',
      path: `${term}/${field}`,
      gate: 'MatchLabelKeysInPodAffinity',
      since: 31,
    })),
  ),
  { of: 'pod', path: '/spec/volumes/*/image', gate: 'ImageVolume', from: 31, since: 35 },
  ...ofContainers('env/*/valueFrom/fileKeyRef', { gate: 'EnvFiles', from: 34, since: 35 }),
  ...ofContainers('lifecycle/stopSignal', { gate: 'ContainerStopSignals', from: 33 }),
  {
    of: 'apps/StatefulSet',
    path: '/spec/updateStrategy/rollingUpdate/maxUnavailable',
    gate: 'MaxUnavailableStatefulSet',
    since: 37,
  },
  { of: 'pod', path: '/spec/schedulingGroup', ...NATIVE_GANGS, from: 36 },
  { of: 'pod', path: '/spec/workloadRef', ...NATIVE_GANGS, from: 35, until: 35 },
  ...CLAIM_SPECS.map(({ of, spec }) => ({
    of,
    path: `${spec}/dataSourceRef`,
    gate: 'CrossNamespaceVolumeDataSource',
    onlyWith: 'namespace',
  })),
  { of: 'batch/Job', path: '/spec/successPolicy', gate: 'JobSuccessPolicy', since: 31 },
  { of: 'batch/Job', path: '/spec/managedBy', gate: 'JobManagedBy', since: 32 },
  { of: 'Service', path: '/spec/trafficDistribution', gate: 'ServiceTrafficDistribution', since: 31 },
  { of: 'PersistentVolume', path: '/spec/volumeAttributesClassName', gate: 'VolumeAttributesClass', since: 34 },
  { of: 'PersistentVolumeClaim', path: '/spec/volumeAttributesClassName', gate: 'VolumeAttributesClass', since: 34 },
  ...['scaleUp', 'scaleDown'].map((direction) => ({
    of: 'autoscaling/HorizontalPodAutoscaler',
    path: `/spec/behavior/${direction}/tolerance`,
    gate: 'HPAConfigurableTolerance',
    from: 33,
    since: 35,
  })),
  {
    of: 'apiextensions.k8s.io/CustomResourceDefinition',
    path: '/spec/versions/*/selectableFields',
    gate: 'CustomResourceFieldSelectors',
    since: 31,
  },
];

const offBefore = new Map<string, readonly GatedField[]>();

/** The fields of a kind, or of pods, that a server of this minor knows and drops, at least with some member. */
function fieldsThatMayBeDropped(of: string, minor: number): readonly GatedField[] {
  return GATED_FIELDS.filter(
    ({ of: owner, from = 0, since = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY }) =>
      owner === of && minor < since && minor >= from && minor <= until,
  );
}

/** The fields of a kind, or of pods, that a server of this minor knows and drops whatever is in them. */
export function droppedFields(of: string, minor: number): readonly GatedField[] {
  const key = `${of} ${minor}`;
  let fields = offBefore.get(key);
  if (fields === undefined) {
    fields = fieldsThatMayBeDropped(of, minor).filter(({ onlyWith }) => onlyWith === undefined);
    offBefore.set(key, fields);
  }
  return fields;
}

/** Whether the pointer is of a field that is dropped, or of something in one. */
export function isDropped(of: string, minor: number, path: string): boolean {
  const tokens = path.split('/');
  return droppedFields(of, minor).some((field) => {
    const wanted = field.path.split('/');
    return wanted.length <= tokens.length && wanted.every((token, index) => token === '*' || token === tokens[index]);
  });
}

/** The beginning of the pointer of what is in the pod template of a built-in workload. */
const TEMPLATE = /^(?:(?:\/spec\/jobTemplate)?\/spec)?\/template(?=\/spec\/)/;

/** As `isDropped`, for a pointer in a whole object of this kind. */
export function isDroppedInObject(kind: string, minor: number, path: string): boolean {
  return isDropped(kind, minor, path) || isDropped('pod', minor, kind === 'Pod' ? path : path.replace(TEMPLATE, ''));
}

/** The fields of an object, or of a pod template, that the server drops, with their pointers. */
export function* droppedFrom(
  of: string,
  root: JsonObject,
  minor: number,
): Iterable<{ readonly path: string; readonly field: GatedField }> {
  for (const field of fieldsThatMayBeDropped(of, minor)) {
    for (const { path, value } of places(root, field.path.split('/').slice(1), '')) {
      const member = field.onlyWith === undefined ? value : isObject(value) ? value[field.onlyWith] : undefined;
      if (member !== undefined && member !== null && (field.onlyWith === undefined || member !== '')) {
        yield { path, field };
      }
    }
  }
}

interface Place {
  readonly path: string;
  readonly value: JsonValue | undefined;
}

function* places(value: JsonValue | undefined, [token, ...rest]: readonly string[], path: string): Iterable<Place> {
  if (token === undefined) {
    yield { path, value };
  } else if (token === '*') {
    const members = Array.isArray(value) ? value.entries() : Object.entries(isObject(value) ? value : {});
    for (const [key, member] of members) {
      yield* places(member, rest, `${path}/${escapedToken(String(key))}`);
    }
  } else if (isObject(value) && Object.hasOwn(value, token)) {
    yield* places(value[token], rest, `${path}/${token}`);
  }
}
