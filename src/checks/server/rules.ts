/**
 * What kube-apiserver's own validation refuses, kind by kind, as rules (tier `server`).
 */
import { type Rule } from '../rules/rule';
import { admissionRules } from './objects/admission';
import { autoscalingRules } from './objects/autoscaling';
import { clusterRecordRules } from './objects/cluster-records';
import { configRules } from './objects/config';
import { customResourceDefinitionRules } from './objects/custom-resource-definition';
import { resourceClaimRules } from './objects/resource-claims';
import { resourceSliceRules } from './objects/resource-slices';
import { endpointRules } from './objects/endpoints';
import { gatedFieldRules } from './gated-field-rules';
import { flowControlRules } from './objects/flow-control';
import { networkingRules } from './objects/networking';
import { quotaRules } from './objects/quota';
import { rbacRules } from './objects/rbac';
import { nativeGangRules } from './objects/native-gangs';
import { schedulingRules } from './objects/scheduling';
import { serviceRules } from './objects/service';
import { storageRules } from './objects/storage';
import { coreSetRules } from './set-rules';
import { podTemplateRules } from './pods/rules';
import { appsRules } from './workloads/apps';
import { jobRules } from './workloads/job';

export const coreRules: readonly Rule[] = [
  ...podTemplateRules,
  ...gatedFieldRules,
  ...appsRules,
  ...jobRules,
  ...quotaRules,
  ...nativeGangRules,
  ...schedulingRules,
  ...serviceRules,
  ...endpointRules,
  ...networkingRules,
  ...configRules,
  ...storageRules,
  ...autoscalingRules,
  ...rbacRules,
  ...resourceClaimRules,
  ...resourceSliceRules,
  ...admissionRules,
  ...customResourceDefinitionRules,
  ...flowControlRules,
  ...clusterRecordRules,
  ...coreSetRules,
];
