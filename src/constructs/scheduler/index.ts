/**
 * Gantry's scheduler in a cluster: the program, what it may do, and the gate that sends pods to it.
 */
export { SCHEDULER_ALERTS, SchedulerAlerts, type SchedulerAlertsProps } from './alerts';
export { type GantrySchedulerConfiguration, type SchedulerHistory, type SchedulerQueue } from './configuration';
export { FieldGuard, type FieldGuardProps } from './field-guard';
export { GantryQueue, type GantryQueueOptions } from './gantry-queue';
export { GantryScheduler, type GantrySchedulerProps } from './gantry-scheduler';
export { type NodeImageOptions, SchedulerImage } from './image';
export { GATED_NAMESPACES, PlacementGate, type PlacementGateProps } from './placement-gate';
export { type PodResources } from './pod';
