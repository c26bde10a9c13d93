/**
 * Every rule of Volcano: what its webhooks and controllers refuse, and what they accept without doing it.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
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

export const volcanoRules: readonly Rule[] = seeAllButName(
  [
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
  ],
  [
    'volcano/pod-group-has-enough-pods',
    'volcano/pod-group-is-named-by-pods',
    'volcano/job-name-serves-as-host',
    'volcano/job-derived-names-fit',
    'volcano/job-pod-names-fit',
    'volcano/cron-job-name-fits',
    'volcano/job-flow-job-names-fit',
    'volcano/hyper-node-tier-named',
    'volcano/scheduler-config-map-read',
  ],
);
