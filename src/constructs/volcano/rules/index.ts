/**
 * Every rule of Volcano: what its webhooks and controllers refuse, and what they accept without doing it.
 */
import { type Rule } from '../../../checks/rules/rule';
import { annotationRules } from './annotations';
import { cronJobRules } from './cron-job';
import { decodingRules } from './decoding';
import { hyperNodeRules } from './hyper-node';
import { jobRules } from './job';
import { jobFlowRules } from './job-flow';
import { jobLaunchRules } from './job-launch';
import { jobNameRules } from './job-names';
import { jobPluginRules } from './job-plugins';
import { jobPolicyRules } from './job-policies';
import { jobQueueRules } from './job-queue';
import { podGroupRules } from './pod-group';
import { queueRules } from './queue';
import { queueRoomRules } from './queue-room';
import { queueTreeRules } from './queue-tree';
import { schedulerConfigRules } from './scheduler-config';
import { schedulerEffectRules } from './scheduler-effects';

export const volcanoRules: readonly Rule[] = [
  ...queueRules,
  ...queueTreeRules,
  ...podGroupRules,
  ...decodingRules,
  ...jobRules,
  ...jobPolicyRules,
  ...jobPluginRules,
  ...jobLaunchRules,
  ...jobNameRules,
  ...jobQueueRules,
  ...queueRoomRules,
  ...cronJobRules,
  ...jobFlowRules,
  ...hyperNodeRules,
  ...annotationRules,
  ...schedulerConfigRules,
  ...schedulerEffectRules,
];
