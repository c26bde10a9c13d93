/**
 * Rules about the scheduling of the pods of any workload; those of Volcano and Kueue are in their folders.
 */
import { type Rule } from '../../../checks/rules/rule';
import { gantryNameRules } from './gantry-names';
import { gantryQueueRules } from './gantry-queues';
import { capacityReportReadable } from './gantry-report';
import { podGroupRules } from './pod-groups';

export const schedulingRules: readonly Rule[] = [
  ...gantryNameRules,
  ...gantryQueueRules,
  capacityReportReadable,
  ...podGroupRules,
];
