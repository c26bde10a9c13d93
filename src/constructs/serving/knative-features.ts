/**
 * Which switches of Knative the fields of a pod need. Nearly all are off until somebody turns them on in the ConfigMap `config-features`.
 *
 * Source: Knative Serving, pkg/apis/config/features.go, pkg/apis/serving/fieldmask.go and k8s_validation.go.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject, objectsAt } from '../../manifests/read';
import { pointer } from '../../manifests/pointer';

export const FEATURES_CONFIG_MAP = 'config-features';
export const KNATIVE_NAMESPACE = 'knative-serving';

/** Switches that are on unless somebody turns them off. */
const ON_BY_DEFAULT = ['multi-container', 'kubernetes.podspec-volumes-emptydir'];

export interface NeededFeature {
  /** Key of `config-features`. */
  readonly feature: string;
  /** Pointer of the field that needs it, from the pod's spec. */
  readonly path: string;
}

const POD_FIELDS: Readonly<Record<string, string>> = {
  affinity: 'kubernetes.podspec-affinity',
  topologySpreadConstraints: 'kubernetes.podspec-topologyspreadconstraints',
  hostAliases: 'kubernetes.podspec-hostaliases',
  nodeSelector: 'kubernetes.podspec-nodeselector',
  runtimeClassName: 'kubernetes.podspec-runtimeclassname',
  tolerations: 'kubernetes.podspec-tolerations',
  securityContext: 'kubernetes.podspec-securitycontext',
  shareProcessNamespace: 'kubernetes.podspec-shareprocessnamespace',
  priorityClassName: 'kubernetes.podspec-priorityclassname',
  schedulerName: 'kubernetes.podspec-schedulername',
  initContainers: 'kubernetes.podspec-init-containers',
  dnsPolicy: 'kubernetes.podspec-dnspolicy',
  dnsConfig: 'kubernetes.podspec-dnsconfig',
  hostIPC: 'kubernetes.podspec-hostipc',
  hostPID: 'kubernetes.podspec-hostpid',
  hostNetwork: 'kubernetes.podspec-hostnetwork',
};

const VOLUME_SOURCES: Readonly<Record<string, string>> = {
  emptyDir: 'kubernetes.podspec-volumes-emptydir',
  hostPath: 'kubernetes.podspec-volumes-hostpath',
  csi: 'kubernetes.podspec-volumes-csi',
  ephemeral: 'kubernetes.podspec-volumes-ephemeral',
  image: 'kubernetes.podspec-volumes-image',
  persistentVolumeClaim: 'kubernetes.podspec-persistent-volume-claim',
};

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** The switches that a pod's spec needs, each with the field that needs it, those among them that are on by default. */
export function neededFeatures(spec: JsonObject): readonly NeededFeature[] {
  const needed: NeededFeature[] = [];
  const need = (feature: string, path: string): unknown => needed.push({ feature, path });
  for (const [field, feature] of Object.entries(POD_FIELDS)) {
    if (isSet(field, spec[field])) {
      need(feature, `/${field}`);
    }
  }
  for (const { value, path } of objectsAt(spec, '/volumes')) {
    for (const [source, feature] of Object.entries(VOLUME_SOURCES)) {
      if (isObject(value[source])) {
        need(feature, `${path}/${source}`);
      }
    }
    const claim = value.persistentVolumeClaim;
    if (isObject(claim) && claim.readOnly !== true) {
      need('kubernetes.podspec-persistent-volume-write', `${path}/persistentVolumeClaim`);
    }
  }
  const containers = objectsAt(spec, '/containers');
  if (containers.length > 1) {
    need('multi-container', '/containers');
  }
  for (const { value, path } of containers) {
    const serving = containers.length === 1 || asArray(value.ports).length > 0;
    // An empty readiness probe is given values of its own before it is looked at.
    const probed = serving
      ? []
      : PROBES.filter(
          (name) =>
            Object.keys(asObject(value[name])).length > 0 || (name === 'readinessProbe' && isObject(value[name])),
        );
    for (const probe of probed) {
      need('multi-container-probing', `${path}/${probe}`);
    }
  }
  for (const { value, path } of [...objectsAt(spec, '/initContainers'), ...containers]) {
    const capabilities = asObject(asObject(value.securityContext).capabilities);
    if (asArray(capabilities.add).length > 0) {
      need('kubernetes.containerspec-addcapabilities', `${path}/securityContext/capabilities/add`);
    }
    for (const { value: variable, path: at } of objectsAt(value, '/env')) {
      const from = asObject(variable.valueFrom);
      for (const key of ['fieldRef', 'resourceFieldRef']) {
        if (isObject(from[key])) {
          need('kubernetes.podspec-fieldref', pointer(`${path}${at}/valueFrom`, key));
        }
      }
    }
    for (const { value: mount, path: at } of objectsAt(value, '/volumeMounts')) {
      if (typeof mount.mountPropagation === 'string') {
        need('kubernetes.podspec-volumes-mount-propagation', `${path}${at}/mountPropagation`);
      }
    }
  }
  return needed;
}

export function isOnByDefault(feature: string): boolean {
  return ON_BY_DEFAULT.includes(feature);
}

/** Whether a value of `config-features` turns a switch on for what asks for it. Case does not count. */
export function isTurnedOn(value: JsonValue | undefined): boolean {
  return asString(value)?.toLowerCase() === 'enabled';
}

/** Fields that Go tells from nothing even where they are empty or false. */
const POINTERS = ['runtimeClassName', 'shareProcessNamespace'];

/** Whether a field is there for Go: `false` and the empty text are as good as nothing, an empty list or object is not. */
function isSet(field: string, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) {
    return false;
  }
  return POINTERS.includes(field) || (value !== false && value !== '');
}
