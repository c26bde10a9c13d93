/**
 * What Prometheus and its operator refuse of rules, monitors and configurations, and what they take and never do.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { dashboardRules } from './dashboards';
import { dcgmRules } from './dcgm';
import { monitorRules } from './monitors';
import { pickedUpRules } from './picked-up';
import { ruleGroupRules } from './rule-groups';
import { scrapeFileRules } from './scrape-files';
import { serverMetricRules } from './server-metrics';
import { templateRules } from './templates';

export const monitoringRules: readonly Rule[] = seeAllButName([
  ...ruleGroupRules,
  ...templateRules,
  ...dcgmRules,
  ...serverMetricRules,
  ...monitorRules,
  ...pickedUpRules,
  ...scrapeFileRules,
  ...dashboardRules,
]);
