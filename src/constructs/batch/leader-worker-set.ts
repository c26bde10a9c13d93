/**
 * LeaderWorkerSet: groups of a leader and its workers, where the pods of a group are created and recreated together. Use it for servers: its
 * pods are restarted indefinitely.
 */
import { type Construct } from 'constructs';
import {
  LeaderWorkerSet as LeaderWorkerSetKind,
  type LeaderWorkerSetSpec,
} from '../../facts/api/types/leaderworkerset.x-k8s.io/v1';
import { PodTemplate, type PodProps, VOLCANO_QUEUE_ANNOTATION } from '../pods';
import { type EngineMeans, KUEUE_WHOLE_OR_NOT, type SchedulingMeans } from '../workload/scheduling-means';
import { requireWholeNumber } from '../workload/whole-number';
import { scaledContainers, type ScalableWorkload, type ScalingTargetDescription } from '../workload/interop';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import {
  EXCLUSIVE_TOPOLOGY,
  GROUP_KEY_LABEL,
  SUBGROUP_EXCLUSIVE_TOPOLOGY,
} from '../../manifests/pods/leader-worker-facts';
import { publicClass } from '../resources/public-class';

/** How the pods of a group are divided into subgroups. */
export interface SubGroups {
  /** Pods of each subgroup; divides the size of the group, with or without its leader. */
  readonly size: number;
  /** Whether the leader is outside of the subgroups. @default false */
  readonly leaderExcluded?: boolean;
  /** Each subgroup gets a domain of this level (a node label) for itself. @default - anywhere */
  readonly exclusiveTopology?: string;
}

/** Props of a LeaderWorkerSet. */
export interface LeaderWorkerSetProps extends PodProps, WorkloadProps<LeaderWorkerSetSpec> {
  /** Pods of each group, the leader among them. */
  readonly groupSize: number;
  /** Number of groups, each of a leader and its workers. @default 1 */
  readonly groups?: number;
  /** What is different in the leader. @default - nothing: the leader is as the workers are */
  readonly leader?: Partial<PodProps>;
  /** Name of the main container. @default main */
  readonly containerName?: string;
  /** What a failed pod brings down: its group, its group once that had started, or nothing but itself. @default 'group' */
  readonly restart?: 'group' | 'group-after-start' | 'pod';
  /** Whether workers are made with the leader, or once it is ready. @default 'with-leader' */
  readonly startup?: 'with-leader' | 'leader-ready';
  /** Groups more than wanted during an update, a number or a percentage. @default 0 */
  readonly maxSurge?: number | string;
  /** Groups fewer than wanted during an update, a number or a percentage. @default 1 */
  readonly maxUnavailable?: number | string;
  /** Groups within the group, for example one per rack. Cannot be added to or taken from a set later. @default - none */
  readonly subGroups?: SubGroups;
  /** Whether pods of all groups share one Service, or each group has its own. @default 'shared' */
  readonly subdomain?: 'shared' | 'per-group';
  /** Each group gets a domain of this level (a node label) for itself. @default - anywhere */
  readonly exclusiveTopology?: string;
}

/**
 * A LeaderWorkerSet (`leaderworkerset.x-k8s.io/v1`). Every container knows `LWS_LEADER_ADDRESS`, `LWS_GROUP_SIZE` and
 * `LWS_WORKER_INDEX`.
 *
 * With Volcano the controller makes a PodGroup for each group, where it is configured with `gangSchedulingManagement`.
 *
 * @example
 * new batch.LeaderWorkerSet(chart, 'llama-405b', { groupSize: 2, groups: 3, image, accelerators: Accelerator.nvidia({ count: 8 }) });
 */
@publicClass('batch.LeaderWorkerSet')
export class LeaderWorkerSet extends Workload<LeaderWorkerSetKind, LeaderWorkerSetSpec> implements ScalableWorkload {
  hasAutoscaler = false;
  private readonly statedGroups: number | undefined;
  private readonly markScaled: () => void;

  /** @throws if a count is not a whole number, or the subgroups do not fill the group */
  constructor(scope: Construct, id: string, props: LeaderWorkerSetProps) {
    const scaled = { is: false };
    super(scope, id, {
      kind: LeaderWorkerSetKind,
      selects: (name) => ({ 'leaderworkerset.sigs.k8s.io/name': name }),
      props: { ...props, annotations: { ...topologies(props), ...props.annotations } },
      render: (choice) => specOf(props, choice, scaled.is),
      references: [
        ...new PodTemplate(props).references,
        ...(props.leader === undefined ? [] : new PodTemplate({ ...props, ...props.leader }).references),
      ],
      means: leaderWorkerSetScheduling(props),
      gangs: (name) => [{ name, minMember: props.groupSize, members: props.groupSize, perLabel: GROUP_KEY_LABEL }],
      metadataOf: (scheduling) => {
        const { queueName } = scheduling.toScheduling();
        return scheduling.engine !== 'volcano' || queueName === undefined
          ? {}
          : { annotations: { [VOLCANO_QUEUE_ANNOTATION]: queueName } };
      },
    });
    this.statedGroups = props.groups;
    this.markScaled = () => {
      scaled.is = true;
    };
  }

  /** Leaves the number of groups to an autoscaler: the manifest states none, unless `groups` does. */
  markHasAutoscaler(): void {
    this.hasAutoscaler = true;
    this.markScaled();
  }

  /** `IScalable` of cdk8s-plus: an autoscaler sets the number of groups. */
  toScalingTarget(): ScalingTargetDescription {
    const { apiVersion, kind, name } = this.resource;
    const { containers } = this.currentSpec.leaderWorkerTemplate.workerTemplate.spec ?? { containers: [] };
    return { apiVersion, kind, name, containers: scaledContainers(containers), replicas: this.statedGroups };
  }
}

/**
 * The engines that can schedule a LeaderWorkerSet, and the options that each accepts. Each group is a gang. All groups share one template, so
 * pods can name a PodGroup only if there is one group.
 */
function leaderWorkerSetScheduling({
  groups = 1,
  startup,
}: Pick<LeaderWorkerSetProps, 'groups' | 'startup'>): SchedulingMeans {
  const elastic = 'a group needs all of its pods to serve';
  const late =
    startup === 'leader-ready'
      ? 'its workers are created when the leader is ready, so a gang of both would never start'
      : undefined;
  const one: EngineMeans | string =
    groups === 1
      ? { group: 'beside', refuses: { elastic } }
      : 'its groups share one template, and all pods of a template name the same PodGroup';
  return {
    volcano: {
      group: 'controller',
      refuses: {
        elastic,
        topology:
          'its controller creates the PodGroups without a topology. Set exclusiveTopology of the set, or subGroups',
      },
    },
    kueue: KUEUE_WHOLE_OR_NOT,
    kai: {},
    'pod-group': late ?? (typeof one === 'string' ? one : { ...one, membership: 'schedulingGroup' }),
    'scheduler-plugins': late ?? one,
    gantry: late ?? { refuses: { elastic } },
  };
}

function topologies({ exclusiveTopology, subGroups }: LeaderWorkerSetProps): Readonly<Record<string, string>> {
  return {
    ...(exclusiveTopology === undefined ? {} : { [EXCLUSIVE_TOPOLOGY]: exclusiveTopology }),
    ...(subGroups?.exclusiveTopology === undefined
      ? {}
      : { [SUBGROUP_EXCLUSIVE_TOPOLOGY]: subGroups.exclusiveTopology }),
  };
}

const RESTART = {
  group: 'RecreateGroupOnPodRestart',
  'group-after-start': 'RecreateGroupAfterStart',
  pod: 'None',
} as const;

function specOf(props: LeaderWorkerSetProps, choice: WorkloadChoice, isScaled: boolean): LeaderWorkerSetSpec {
  const { groupSize, groups = 1, leader, maxSurge, maxUnavailable, subGroups, containerName } = props;
  requireWholeNumber('groupSize', groupSize);
  requireWholeNumber('groups', groups, 0);
  if (subGroups !== undefined) {
    requireSubGroups(subGroups, groupSize);
  }
  return {
    replicas: isScaled && props.groups === undefined ? undefined : groups,
    startupPolicy: props.startup === 'leader-ready' ? 'LeaderReady' : undefined,
    rolloutStrategy:
      maxSurge === undefined && maxUnavailable === undefined
        ? undefined
        : { type: 'RollingUpdate', rollingUpdateConfiguration: { maxSurge, maxUnavailable } },
    networkConfig:
      props.subdomain === undefined
        ? undefined
        : { subdomainPolicy: props.subdomain === 'shared' ? 'Shared' : 'UniquePerReplica' },
    leaderWorkerTemplate: {
      size: groupSize,
      restartPolicy: props.restart === undefined ? undefined : RESTART[props.restart],
      subGroupPolicy: subGroups && {
        subGroupSize: subGroups.size,
        subGroupPolicyType: subGroups.leaderExcluded === true ? 'LeaderExcluded' : undefined,
      },
      leaderTemplate: leader && new PodTemplate({ ...props, ...leader }).toPodTemplate({ ...choice, containerName }),
      workerTemplate: new PodTemplate(props).toPodTemplate({ ...choice, containerName }),
    },
  };
}

function requireSubGroups({ size, leaderExcluded }: SubGroups, groupSize: number): void {
  requireWholeNumber('subGroups.size', size);
  const fits = (pods: number): boolean => pods % size === 0;
  if (size <= groupSize && (leaderExcluded === true ? fits(groupSize - 1) : fits(groupSize) || fits(groupSize - 1))) {
    return;
  }
  throw new Error(
    `subGroups.size ${size}: must be a divisor of ${groupSize}, the pods of a group, or of ${groupSize - 1}, the workers.`,
  );
}
