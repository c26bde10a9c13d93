/**
 * What kube-apiserver's own validation refuses, kind by kind, as rules (tier `server`).
 */
import { type Rule } from '../rule';
import { configRules } from './objects/config';
import { quotaRules } from './objects/quota';
import { serviceRules } from './objects/service';
import { podTemplateRules } from './pods/rules';
import { appsRules } from './workloads/apps';
import { jobRules } from './workloads/job';

export const coreRules: readonly Rule[] = [
  ...podTemplateRules,
  ...appsRules,
  ...jobRules,
  ...quotaRules,
  ...serviceRules,
  ...configRules,
];
