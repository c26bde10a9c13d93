/**
 * Tenants: teams with their namespace, quota, defaults, queue and members; priority classes.
 */
export {
  type ContainerAmounts,
  type ContainerLimits,
  LimitRange,
  type LimitRangeProps,
  type LimitRatios,
} from './limit-range';
export { type NamespaceReference, Namespace, type NamespaceProps } from './namespace';
export { type PreemptionPolicy, PriorityClass, type PriorityClassProps } from './priority-class';
export { PriorityLadder, type PriorityLadderProps, type Rung } from './priority-ladder';
export { type QuotaScope, ResourceQuota, type ResourceQuotaProps } from './resource-quota';
export { Team, TEAM_LABEL, type TeamOverrides, type TeamProps, type TeamQueueProps, type TeamQuota } from './team';
export { type TeamSubject } from './team-access';
