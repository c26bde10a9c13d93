/**
 * Tenants: teams with their namespace, quota, defaults, queue and members; priority classes.
 */
export { type ContainerLimits, LimitRange, type LimitRangeProps } from './limit-range';
export { type INamespace, Namespace, type NamespaceProps } from './namespace';
export { type IPriorityClass, type PreemptionPolicy, PriorityClass, type PriorityClassProps } from './priority-class';
export { PriorityLadder, type PriorityLadderProps, type Rung } from './priority-ladder';
export { type QuotaScope, type AmountsByName, ResourceQuota, type ResourceQuotaProps } from './resource-quota';
export { Team, TEAM_LABEL, type TeamProps, type TeamQueueProps, type TeamQuota, type TeamResources } from './team';
export { type TeamSubject } from './team-access';
