/**
 * NodeTuner: a DaemonSet that sets what may be set on a live node, keeps it set, and puts back what it found when it goes.
 *
 * Each tuning has a container of its own with the folders and capabilities that it needs and nothing more; none is privileged, none sees
 * the node's processes, and none may talk to the API server.
 */
import { type Carried, passed } from '../../manifests/values/deferred';
import { optionalSecondsOf } from '../resources/durations';
import { type Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { DaemonSet } from '../../facts/api/types/apps/v1';
import {
  type Container,
  type PodSpec,
  type Toleration,
  type Volume,
  type VolumeMount,
} from '../../facts/api/types/core/v1';
import { type NodeSelection } from '../pods/node-selection';
import { PodTemplate } from '../pods/pod-template';
import { type ObjectReference, type PriorityClassReference } from '../resources/references';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { fixedConfigMap } from './node-config-map';
import { scriptText } from './script-text';
import { type Tuning, type TuningParts } from './tuning';
import { publicClass } from '../resources/public-class';

/** Props of a NodeTuner. */
export interface NodeTunerProps extends NamespacedObjectProps, Overridable<DaemonSet> {
  /** What is set, each kind of tuning once; `Tuning.forTraining()` for what does no harm on any node of a training pool. */
  readonly tunings: readonly Tuning[];
  /** Nodes that are tuned. @default - every node with Linux */
  readonly nodeSelection?: NodeSelection | readonly NodeSelection[];
  /**
   * Tolerations of the pods of the tuner.
   * @default - every taint is tolerated: a node is tuned before it is opened to pods
   */
  readonly tolerations?: readonly Toleration[];
  /** Time between two looks at the values. @default - 60 seconds */
  readonly interval?: Duration;
  /** Tells what it would set, and sets nothing. @default false */
  readonly dryRun?: boolean;
  /** An image with a POSIX shell, sed, tr and grep. @default busybox:1.37.0 */
  readonly image?: Carried<string>;
  /** SELinux type of the containers, where the node's policy keeps containers from /proc/sys: `spc_t`. @default - the runtime's */
  readonly seLinuxType?: string;
  /** Priority class of the pods of the tuner. @default system-node-critical */
  readonly priorityClass?: PriorityClassReference;
  /** How many nodes are between two versions at a time, as a number or a percentage. @default 10% */
  readonly maxUnavailable?: number | string;
}

const SCRIPT = '/opt/gantry/tune.sh';
const HOST = '/host';

/**
 * Rules: `node-tuning/live-node-setting-unchanged` and those for every pod. The namespace must admit host paths (pod security `privileged`).
 *
 * @example
 * new nodeTuning.NodeTuner(chart, 'gpu-nodes', {
 *   tunings: [nodeTuning.Tuning.sysctls({ 'net.core.rmem_max': 67108864 }), nodeTuning.Tuning.cpuGovernor('performance')],
 * });
 */
@publicClass('nodeTuning.NodeTuner')
export class NodeTuner extends Construct {
  /** The DaemonSet object. */
  readonly resource: Resource<DaemonSet>;
  /** The ConfigMap with the script and the plans. */
  readonly configMap: ObjectReference<'ConfigMap'>;
  /** Name of the DaemonSet. */
  readonly name: string;

  /** @throws if no tuning is given, one of them twice, or two of them want another RuntimeClass */
  constructor(scope: Construct, id: string, props: NodeTunerProps) {
    super(scope, id);
    const parts = props.tunings.map((tuning) => tuning.toTuning());
    checkTunings(this.node.path, parts);
    this.name = props.name ?? id;
    const plans = Object.fromEntries(parts.map(({ name, plan }) => [`${name}.plan`, `${plan.join('\n')}\n`]));
    const map = fixedConfigMap(this, 'Scripts', this.name, props, {
      'tune.sh': scriptText('tune.sh'),
      ...plans,
    });
    this.configMap = { kind: 'ConfigMap', name: map.name };
    const labels = { 'app.kubernetes.io/name': 'gantry-node-tuner', 'app.kubernetes.io/instance': this.name };
    this.resource = new Resource(
      this,
      'Resource',
      DaemonSet,
      {
        metadata: namespacedMetadata(this.name, props),
        spec: {
          selector: { matchLabels: labels },
          // Two tuners on one node would each take the other's values for originals.
          updateStrategy: {
            type: 'RollingUpdate',
            rollingUpdate: { maxSurge: 0, maxUnavailable: props.maxUnavailable ?? '10%' },
          },
          template: { metadata: { labels }, spec: this.podSpec(props, parts) },
        },
      },
      props.overrides,
    );
    dependOn(this.resource, map.resource, props.namespace, props.priorityClass);
    dependOn(map.resource, props.namespace);
  }

  private podSpec(props: NodeTunerProps, parts: readonly TuningParts[]): PodSpec {
    const runtimeClassName = parts.find(({ runtimeClass }) => runtimeClass !== undefined)?.runtimeClass;
    const { nodeSelector, affinity } = whereTo(props.nodeSelection);
    return {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(parts.some(({ hostNetwork }) => hostNetwork) ? { hostNetwork: true, dnsPolicy: 'Default' } : {}),
      ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
      priorityClassName: props.priorityClass?.name ?? 'system-node-critical',
      terminationGracePeriodSeconds: 30,
      nodeSelector: { 'kubernetes.io/os': 'linux', ...nodeSelector },
      ...(affinity === undefined ? {} : { affinity }),
      tolerations: props.tolerations ?? [{ operator: 'Exists' }],
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: parts.map((part) => containerOf(part, props)),
      volumes: [
        { name: 'scripts', configMap: { name: this.configMap.name, defaultMode: 0o555 } },
        ...this.hostVolumes(parts),
      ],
    };
  }

  private hostVolumes(parts: readonly TuningParts[]): readonly Volume[] {
    const folders = new Set(parts.flatMap((part) => part.folders.map(({ path }) => path)));
    return [
      ...[...folders].map((path): Volume => ({ name: volumeName(path), hostPath: { path, type: 'Directory' } })),
      // Lies in memory: originals outlive a killed container, and end with the values that they belong to.
      ...parts.map(({ name }): Volume => ({
        name: `state-${name}`,
        hostPath: { path: `/run/gantry/node-tuner/${this.name}/${name}`, type: 'DirectoryOrCreate' },
      })),
    ];
  }
}

function checkTunings(where: string, parts: readonly TuningParts[]): void {
  if (parts.length === 0) {
    throw new Error(`${where}: tunings must not be empty. Add at least one tuning, or use Tuning.forTraining().`);
  }
  const names = parts.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`${where}: ${twice} is set by two tunings. Put all settings into one tuning.`);
  }
}

function containerOf(part: TuningParts, props: NodeTunerProps): Container {
  const mounts: readonly VolumeMount[] = [
    { name: 'scripts', mountPath: '/opt/gantry', readOnly: true },
    { name: `state-${part.name}`, mountPath: '/run/gantry' },
    ...part.folders.map(({ path, writable }): VolumeMount => ({
      name: volumeName(path),
      mountPath: `${HOST}${path}`,
      ...(writable ? {} : { readOnly: true }),
    })),
  ];
  const env = {
    GANTRY_PLAN: `/opt/gantry/${part.name}.plan`,
    GANTRY_STATE: '/run/gantry',
    GANTRY_INTERVAL: `${optionalSecondsOf('interval', props.interval) ?? 60}`,
    ...(part.folders.length === 0 ? {} : { GANTRY_ROOT: HOST }),
    ...(props.dryRun === true ? { GANTRY_DRY_RUN: '1' } : {}),
    ...part.env,
  };
  return {
    name: part.name,
    image: part.image ?? passed(props.image) ?? 'busybox:1.37.0',
    command: ['sh', SCRIPT, 'run'],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    resources: { requests: { cpu: '5m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    readinessProbe: { exec: { command: ['sh', SCRIPT, 'ready'] }, periodSeconds: 10, timeoutSeconds: 5 },
    securityContext: {
      // Files of /proc/sys and /sys belong to root, who needs no capability to write what is his.
      runAsUser: 0,
      runAsNonRoot: false,
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], ...(part.capabilities.length === 0 ? {} : { add: part.capabilities }) },
      ...(props.seLinuxType === undefined ? {} : { seLinuxOptions: { type: props.seLinuxType } }),
    },
    volumeMounts: mounts,
  };
}

/** The selector and the affinity that every pod would get from these selections. */
function whereTo(nodeSelection: NodeTunerProps['nodeSelection']): Pick<PodSpec, 'nodeSelector' | 'affinity'> {
  if (nodeSelection === undefined) {
    return {};
  }
  const { spec } = new PodTemplate({ image: 'none', nodeSelection }).toPodTemplate();
  return { nodeSelector: spec?.nodeSelector, affinity: spec?.affinity };
}

/** `/proc/sys/net/core` as `proc-sys-net-core`. */
function volumeName(path: string): string {
  return path.slice(1).replaceAll('/', '-').replaceAll('_', '-');
}
