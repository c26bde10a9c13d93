/**
 * The PodGroup that is written beside a workload whose controller makes none: of Volcano, of scheduler-plugins, or Kubernetes' own in the
 * form that the target minor serves.
 */
import { optionalSecondsOf } from '../resources/durations';
import { Lazy } from 'cdk8s';
import { type Construct } from 'constructs';
import { DEFAULT_MINOR } from '../../facts/api/kinds';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type KubernetesMinor } from '../../facts/api/schema';
import { Workload as WorkloadAlpha } from '../../facts/api/types/scheduling.k8s.io/v1alpha1';
import { PodGroup as PodGroupAlpha } from '../../facts/api/types/scheduling.k8s.io/v1alpha2';
import { PodGroup as PodGroupBeta } from '../../facts/api/types/scheduling.k8s.io/v1beta1';
import { PodGroup as VolcanoPodGroup } from '../../facts/api/types/scheduling.volcano.sh/v1beta1';
import { PodGroup as SchedulerPluginsPodGroup } from '../../facts/api/types/scheduling.x-k8s.io/v1alpha1';
import { Checks } from '../../checks/synth/checks-of';
import { type Gang, type Scheduling } from '../pods';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';

export interface PodGroupStatement {
  readonly gang: Gang;
  readonly scheduling: Scheduling;
  readonly namespace: NamedReference<'Namespace'> | undefined;
  /** Asked when the group is written: a priority may be given after the queue. */
  readonly priorityClassName: () => string | undefined;
}

/** The choice with the minor whose PodGroup is written; other choices as they are. */
export function forTarget(scope: Construct, scheduling: Scheduling): Scheduling {
  return scheduling.engine === 'pod-group'
    ? scheduling.forMinor(Checks.of(scope).options.kubernetes ?? DEFAULT_MINOR)
    : scheduling;
}

/** Writes the group. @throws if the minor knows no such group, or cannot say what is asked */
export function podGroupBeside(scope: Construct, statement: PodGroupStatement): Resource<unknown> {
  const {
    gang: { name },
    namespace,
  } = statement;
  const { kind, spec } = podGroupForm(statement.scheduling);
  const metadata = { name, ...(namespace === undefined ? {} : { namespace: nameOf(namespace) }) };
  const object = { metadata, spec: Lazy.any({ produce: () => spec(statement) }) as object };
  return new Resource(scope, `PodGroup-${name}`, kind, object);
}

interface PodGroupForm {
  readonly kind: ResourceKind<unknown>;
  /** @throws if the form cannot say what is asked */
  readonly spec: (statement: PodGroupStatement) => object;
}

/** @throws if the engine goes by no PodGroup, or the minor knows none */
export function podGroupForm(scheduling: Scheduling): PodGroupForm {
  switch (scheduling.engine) {
    case 'volcano':
      return { kind: VolcanoPodGroup, spec: volcanoGroup };
    case 'scheduler-plugins':
      return {
        kind: SchedulerPluginsPodGroup,
        spec: ({ gang: { minMember } }) => ({
          minMember,
          scheduleTimeoutSeconds: optionalSecondsOf('scheduleTimeout', scheduling.wishes.scheduleTimeout),
        }),
      };
    case 'pod-group':
      return nativeForm(scheduling.wishes.kubernetes ?? DEFAULT_MINOR);
    case 'default':
    case 'kueue':
    case 'kai':
    case 'gantry':
      throw new Error(`${scheduling.engine} uses no PodGroup.`);
  }
}

function volcanoGroup({ gang: { minMember }, scheduling, priorityClassName }: PodGroupStatement): object {
  return {
    minMember,
    queue: scheduling.toScheduling().queueName,
    priorityClassName: priorityClassName(),
    networkTopology: scheduling.toNetworkTopology(),
  };
}

function nativeForm(minor: KubernetesMinor): PodGroupForm {
  const number = Number(minor.slice(2));
  if (number < 35) {
    throw new Error(
      `Kubernetes ${minor} does not serve PodGroup, which requires 1.35 or later. Choose another scheduler, or set the target version.`,
    );
  }
  if (number === 35) {
    return { kind: WorkloadAlpha, spec: workloadAlpha };
  }
  return number === 36 ? { kind: PodGroupAlpha, spec: podGroupAlpha } : { kind: PodGroupBeta, spec: podGroupBeta };
}

function workloadAlpha({ gang, scheduling: { wishes } }: PodGroupStatement): object {
  for (const option of ['topology', 'disruption'] as const) {
    if (wishes[option] !== undefined) {
      throw new Error(`${option}: requires Kubernetes 1.36; PodGroups of 1.35 have no such field.`);
    }
  }
  return { podGroups: [{ name: 'pods', policy: { gang: { minCount: gang.minMember } } }] };
}

/** The pods set the priority: up to 1.36, the API server rejects the field unless another feature gate is enabled. */
function podGroupAlpha({ gang, scheduling: { wishes } }: PodGroupStatement): object {
  return {
    schedulingPolicy: { gang: { minCount: gang.minMember } },
    schedulingConstraints: constraintsOf(wishes),
    disruptionMode: wishes.disruption && { pod: 'Pod', group: 'PodGroup' }[wishes.disruption],
  };
}

function podGroupBeta({ gang, scheduling: { wishes }, priorityClassName }: PodGroupStatement): object {
  return {
    schedulingPolicy: { gang: { minCount: gang.minMember } },
    schedulingConstraints: constraintsOf(wishes),
    disruptionMode: wishes.disruption && { pod: { single: {} }, group: { all: {} } }[wishes.disruption],
    priorityClassName: priorityClassName(),
  };
}

function constraintsOf({ topology }: Scheduling['wishes']): object | undefined {
  return topology?.required === undefined ? undefined : { topology: [{ key: topology.required }] };
}
