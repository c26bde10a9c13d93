/**
 * What tenants' objects must hold beyond what the API server refuses: quotas that count, defaults that are meant, pods that fit.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { admissionRules } from './admission';
import { classRules } from './classes';
import { limitRangeRules } from './limit-range';
import { namespaceRules } from './namespaces';
import { podSecurityRules } from './pod-security';
import { priorityRules } from './priority';
import { queueAgreementRules } from './queue';
import { quotaRules } from './quota';

export const tenancyRules: readonly Rule[] = seeAllButName(
  [
    ...quotaRules,
    ...admissionRules,
    ...classRules,
    ...limitRangeRules,
    ...priorityRules,
    ...namespaceRules,
    ...podSecurityRules,
    ...queueAgreementRules,
  ],
  ['tenancy/quota-with-defaults', 'tenancy/global-default-deliberate'],
);
