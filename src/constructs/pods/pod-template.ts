/**
 * The one pod model that every workload shares: what runs, on which devices, over which network, with which data. It is a value;
 * a workload asks it for a `PodTemplateSpec` and says the name of the main container and whatever its kind adds.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type ByteSize } from '../resources/quantities';
import { definedMembers, nonEmpty } from '../../manifests/values/members';
import {
  type Affinity,
  type Container,
  type ContainerPort,
  type EnvFromSource,
  type EnvVar,
  type EnvVarSource,
  type PodSecurityContext,
  type PodSpec,
  type PodTemplateSpec,
  type SecurityContext,
  type Toleration,
} from '../../facts/api/types/core/v1';
import { type ObjectMeta } from '../../facts/api/types/meta/v1';
import {
  type Carried,
  type CarriedDeep,
  type CarriedList,
  type CarriedMap,
  isDeferred,
  known,
  membersOf,
  passed,
} from '../../manifests/values/deferred';
import { type Accelerator } from './accelerator';
import { nodeAffinity } from './node-affinity';
import { merged } from '../resources/merge';
import { type Mount } from './mount';
import { type NcclProfile } from './nccl';
import { type NodeSelection } from './node-selection';
import { combine, type CombinedParts, type PodContext, type PodPart } from './pod-part';
import { type Rdma } from './rdma';
import { type NamedReference, nameOf, type PriorityClassReference, referencesIn } from '../resources/references';
import { containerResources, type ResourcesProps } from './resources';
import { type Scheduling, type SchedulingParts } from './scheduling';
import { type Gang } from './scheduling-options';
import { SharedMemory } from './shared-memory';
import { type OpenPartial } from '../resources/merge';
import { publicClass } from '../resources/public-class';

/** Fields that are merged into the rendered pod template at the end. */
export interface PodOverrides {
  /** Merged into the main container. @default - none */
  readonly container?: OpenPartial<Container>;
  /** Merged into the pod's spec; lists by name (containers, volumes), mount path or port, others appended. @default - none */
  readonly pod?: OpenPartial<PodSpec>;
  /** Merged into the template's metadata. @default - none */
  readonly metadata?: OpenPartial<ObjectMeta>;
}

/** The contents of a pod, independent of the scheduler; each role of a workload has them. */
export interface PodProps {
  /** Image of the main container. */
  readonly image: Carried<string>;
  /** Command of the main container. @default - the image's entry point */
  readonly command?: CarriedList<string>;
  /** Arguments of the main container. @default - the image's arguments */
  readonly args?: CarriedList<string>;
  /** A value, or a source such as `{ secretKeyRef: { name, key } }`. Wins over what profiles set. @default - none of its own */
  readonly env?: Readonly<Record<string, Carried<string> | EnvVarSource>>;
  /** ConfigMaps and Secrets whose keys become variables. @default - none */
  readonly envFrom?: readonly CarriedDeep<EnvFromSource>[];
  /** Working directory of the main container. @default - the image's working directory */
  readonly workingDir?: Carried<string>;
  /** Ports of the main container. @default - none */
  readonly ports?: readonly ContainerPort[];
  /** CPU, memory and other resources beside accelerators. @default - none */
  readonly resources?: ResourcesProps;
  /** Devices of each pod. @default - none */
  readonly accelerators?: Accelerator;
  /** Size of `/dev/shm`: part of the memory, or `SharedMemory.added(...)` on top of it. @default - the runtime's 64 MiB */
  readonly sharedMemory?: ByteSize | SharedMemory;
  /**
   * Environment by which NCCL finds its network.
   * @default - that of `rdma`, if it has one; else NCCL finds its network by itself
   */
  readonly nccl?: NcclProfile;
  /** RDMA devices and networks of each pod. @default - no RDMA */
  readonly rdma?: Rdma;
  /** Volumes and where they are mounted in the main container. @default - none */
  readonly mounts?: readonly Mount[];
  /** Which nodes; all of them must hold. @default - any node with the resources */
  readonly nodeSelection?: NodeSelection | readonly NodeSelection[];
  /** Affinity of other kinds. Node requirements of `nodeSelection` and of the accelerator are added to it. @default - none */
  readonly affinity?: Affinity;
  /** Beside those of the accelerator. @default - none */
  readonly tolerations?: readonly CarriedDeep<Toleration>[];
  /** ServiceAccount, by name or as a construct. @default - the namespace's default */
  readonly serviceAccount?: NamedReference<'ServiceAccount'>;
  /** Security context of the main container; capabilities that parts need are added. @default - the runtime's */
  readonly securityContext?: SecurityContext;
  /** Security context of the pod. @default - the runtime's */
  readonly podSecurityContext?: PodSecurityContext;
  /** RuntimeClass, for example one with a raised memlock limit. @default - the node's default runtime */
  readonly runtimeClass?: NamedReference<'RuntimeClass'>;
  /** Secrets for pulling images, by name or as constructs. @default - none */
  readonly imagePullSecrets?: readonly NamedReference<'Secret'>[];
  /**
   * When the image is pulled.
   * @default - Kubernetes' default: `Always` for the tag `latest` or no tag, `IfNotPresent` otherwise
   */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** Containers that run to their end before the main one starts. @default - none */
  readonly initContainers?: readonly Container[];
  /** Containers beside the main one. @default - none */
  readonly sidecars?: readonly Container[];
  /** Time between SIGTERM and SIGKILL, for a checkpoint. @default - Kubernetes' 30 seconds */
  readonly terminationGracePeriod?: Duration;
  /** Further labels of the pods. @default - none */
  readonly podLabels?: CarriedMap<string>;
  /** Further annotations of the pods. @default - none */
  readonly podAnnotations?: CarriedMap<string>;
  /** Further parts, such as those of a library that knows what a pod needs for its feature. @default - none */
  readonly parts?: readonly PodPart[];
  /** Whatever has no property of its own: merged in at the end, never dropped. @default - none */
  readonly podOverrides?: PodOverrides;
}

/** A pod with its scheduling, for templates that no workload of this library renders. */
export interface PodTemplateProps extends PodProps {
  /** Priority of the pod. @default - the cluster's default class, if any */
  readonly priorityClass?: PriorityClassReference;
  /** Who schedules the pods, and through which queue. @default - the cluster's own scheduler */
  readonly scheduling?: Scheduling;
}

/** What a workload states of all its pods. */
export interface WorkloadStatement {
  /** The kind, for messages. */
  readonly title: string;
  /** Scheduling of the workload; `undefined` where it sets none. */
  readonly scheduling: Scheduling | undefined;
  /** Priority class of the workload; `undefined` where it sets none. */
  readonly priorityClass: PriorityClassReference | undefined;
}

/** What a workload adds when it asks for its template. */
export interface PodRenderOptions {
  /** Name of the main container, which some controllers prescribe. @default main */
  readonly containerName?: string;
  /** The workload that renders the template, which alone decides scheduling and priority. @default - the template is on its own */
  readonly workload?: WorkloadStatement;
  /** Scheduling of the pods. @default - that of the template */
  readonly scheduling?: Scheduling;
  /** The pods that start together. @default - each pod by itself */
  readonly gang?: Gang;
  /** Priority class of the pods. @default - that of the template */
  readonly priorityClass?: PriorityClassReference;
  /** Restart policy of the pod, for workloads that read it there. @default - none */
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  /** Namespace of the pod, by which networks of others are named in full. @default - not known: every network with a namespace is */
  readonly namespace?: string;
  /** Labels beside those of the template. @default - none */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Annotations beside those of the template. @default - none */
  readonly podAnnotations?: Readonly<Record<string, string>>;
}

/**
 * A pod as a statement of intent.
 *
 * @example
 * new PodTemplate({
 *   image: 'registry.example.com/train:1', command: ['torchrun', 'train.py'],
 *   resources: { cpu: 96, memory: '900Gi' }, accelerators: Accelerator.nvidia({ count: 8 }), sharedMemory: '64Gi',
 * });
 */
@publicClass('PodTemplate')
export class PodTemplate {
  constructor(
    /** The props that the template was made with. */
    readonly props: PodTemplateProps,
  ) {}

  /** The same template with some properties changed. */
  with(changes: Partial<PodTemplateProps>): PodTemplate {
    return new PodTemplate({ ...this.props, ...changes });
  }

  /** Devices of each pod; 0 where it asks for none. */
  get acceleratorCount(): number {
    return this.props.accelerators?.count ?? 0;
  }

  /** Constructs that must exist before a workload with this template, beside those of its scheduling and priority class. */
  get references(): readonly object[] {
    const { imagePullSecrets = [], runtimeClass, serviceAccount, mounts = [] } = this.props;
    const parts = this.combined();
    const mounted = [...mounts, ...parts.mounts].flatMap((mount) => mount.references);
    return [...parts.references, ...mounted, ...referencesIn(serviceAccount, runtimeClass, ...imagePullSecrets)];
  }

  /**
   * The template as Kubernetes has it.
   *
   * @throws where parts contradict each other (two values for one field, one mount path twice, shared memory that fills the memory)
   */
  toPodTemplate(options: PodRenderOptions = {}): PodTemplateSpec {
    this.requireOfWorkload(options.workload);
    const parts = this.combined(options.namespace);
    const scheduling = (options.scheduling ?? this.props.scheduling)?.toScheduling(options.gang);
    const labels = {
      ...parts.labels,
      ...scheduling?.podLabels,
      ...membersOf('podLabels', this.props.podLabels),
      ...options.podLabels,
    };
    const annotations = {
      ...parts.annotations,
      ...scheduling?.podAnnotations,
      ...membersOf('podAnnotations', this.props.podAnnotations),
      ...options.podAnnotations,
    };
    const stated: ObjectMeta = definedMembers({ labels: nonEmpty(labels), annotations: nonEmpty(annotations) });
    const metadata = merged(stated, this.props.podOverrides?.metadata);
    const spec = merged<PodSpec>(this.spec(parts, scheduling, options), this.props.podOverrides?.pod);
    return { ...(Object.keys(metadata).length === 0 ? {} : { metadata }), spec };
  }

  /** A template within a workload must not choose for itself: the workload's choice would replace it silently, or miss its pods. */
  private requireOfWorkload(workload: WorkloadStatement | undefined): void {
    if (workload === undefined) {
      return;
    }
    const { scheduling, priorityClass } = this.props;
    if (scheduling !== undefined && scheduling !== workload.scheduling) {
      throw new Error(
        `scheduling (${scheduling.title}) must not be set in a pod template of a ${workload.title}. Set it on the workload, or call submitTo(queue).`,
      );
    }
    if (priorityClass !== undefined && priorityClass !== workload.priorityClass) {
      throw new Error(
        `priorityClass "${priorityClass.name}" must not be set in a pod template of a ${workload.title}. Set it on the workload.`,
      );
    }
  }

  private combined(namespace?: string): CombinedParts {
    const { accelerators, rdma, nccl = rdma?.nccl, nodeSelection = [], parts = [] } = this.props;
    const selections: readonly NodeSelection[] = 'toPod' in nodeSelection ? [nodeSelection] : nodeSelection;
    const placed = [accelerators, rdma, ...selections, ...parts].filter((part) => part !== undefined);
    const first = combine(placed.map((part) => part.toPod({ hostNetwork: false })));
    const context: PodContext = {
      hostNetwork: (this.props.podOverrides?.pod?.hostNetwork ?? first.pod.hostNetwork) === true,
      namespace,
    };
    return combine([...placed, ...(nccl === undefined ? [] : [nccl])].map((part) => part.toPod(context)));
  }

  private spec(parts: CombinedParts, scheduling: SchedulingParts | undefined, options: PodRenderOptions): PodSpec {
    const { props } = this;
    const shm = props.sharedMemory === undefined ? undefined : SharedMemory.of(props.sharedMemory);
    const mounts = [...(props.mounts ?? []), ...parts.mounts, ...(shm === undefined ? [] : [shm.toMount()])];
    const main = merged(
      this.mainContainer(parts, mounts, shm, options.containerName ?? 'main'),
      props.podOverrides?.container,
    );
    const { resourceClaims, ...fields } = parts.pod;
    const rendered: Partial<PodSpec> = definedMembers({
      ...fields,
      restartPolicy: options.restartPolicy,
      schedulerName: scheduling?.schedulerName,
      ...scheduling?.pod,
      priorityClassName: (options.priorityClass ?? props.priorityClass)?.name,
      runtimeClassName: props.runtimeClass === undefined ? undefined : nameOf(props.runtimeClass),
      serviceAccountName: props.serviceAccount === undefined ? undefined : nameOf(props.serviceAccount),
      nodeSelector: nonEmpty(parts.nodeLabels),
      affinity: nodeAffinity(props.affinity, parts.nodeRequirements, parts.nodePreferences),
      tolerations: nonEmptyList([...parts.tolerations, ...((props.tolerations ?? []) as readonly Toleration[])]),
      terminationGracePeriodSeconds: optionalSecondsOf('terminationGracePeriod', props.terminationGracePeriod),
      securityContext: props.podSecurityContext,
      imagePullSecrets: nonEmptyList((props.imagePullSecrets ?? []).map((secret) => ({ name: nameOf(secret) }))),
      initContainers: nonEmptyList(props.initContainers ?? []),
      volumes: nonEmptyList(volumesOf(mounts)),
      resourceClaims: resourceClaims as PodSpec['resourceClaims'],
    });
    return { ...rendered, containers: [main, ...(props.sidecars ?? [])] };
  }

  private mainContainer(
    parts: CombinedParts,
    mounts: readonly Mount[],
    shm: SharedMemory | undefined,
    name: string,
  ): Container {
    const { props } = this;
    return {
      name,
      ...definedMembers({
        image: passed(props.image),
        imagePullPolicy: props.imagePullPolicy,
        command: passed(props.command) as readonly string[] | undefined,
        args: passed(props.args) as readonly string[] | undefined,
        workingDir: passed(props.workingDir),
        ports: nonEmptyList(props.ports ?? []),
        envFrom: nonEmptyList((props.envFrom ?? []) as readonly EnvFromSource[]),
        env: nonEmptyList(environment(parts.env, props.env)),
        resources: containerResources(props.resources ?? {}, parts, shm),
        securityContext: securityContext(props.securityContext, parts.capabilities),
        volumeMounts: nonEmptyList(mounts.map((mount) => mount.toVolumeMount())),
      }),
    };
  }
}

/** What profiles set, then what the user states, which replaces those of the same name in their place. */
function environment(fromParts: readonly EnvVar[], own: PodTemplateProps['env'] = {}): readonly EnvVar[] {
  known('env', own, 'Give each variable its own Output: env: { KEY: output }');
  const stated = Object.entries(own).map(([name, value]): EnvVar =>
    typeof value === 'string' || isDeferred(value)
      ? { name, value: passed(value as Carried<string>) }
      : { name, valueFrom: value },
  );
  return [
    ...fromParts.map((variable) => stated.find(({ name }) => name === variable.name) ?? variable),
    ...stated.filter(({ name }) => !fromParts.some((variable) => variable.name === name)),
  ];
}

function securityContext(
  own: SecurityContext | undefined,
  capabilities: readonly string[],
): SecurityContext | undefined {
  if (capabilities.length === 0) {
    return own;
  }
  const add = own?.capabilities?.add ?? [];
  const missing = add.includes('ALL') ? [] : capabilities.filter((name) => !add.includes(name));
  return { ...own, capabilities: { ...own?.capabilities, add: [...add, ...missing] } };
}

/** One volume per name: several mounts may share one, if they mean the same. */
function volumesOf(mounts: readonly Mount[]): PodSpec['volumes'] & object {
  const paths = new Set<string>();
  const volumes = new Map<string, ReturnType<Mount['toVolume']>>();
  for (const mount of mounts) {
    if (paths.has(mount.mountPath)) {
      throw new Error(`mountPath ${mount.mountPath} is used twice. Give each mount a unique path.`);
    }
    paths.add(mount.mountPath);
    const volume = mount.toVolume();
    const known = volumes.get(volume.name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(volume)) {
      throw new Error(`Duplicate volume "${volume.name}". Set another volumeName for one of the mounts.`);
    }
    volumes.set(volume.name, volume);
  }
  return [...volumes.values()];
}

function nonEmptyList<V>(value: readonly V[]): readonly V[] | undefined {
  return value.length === 0 ? undefined : value;
}
