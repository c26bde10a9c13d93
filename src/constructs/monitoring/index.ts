/**
 * What is measured, fetched, alerted on and shown of GPU nodes, through Prometheus, its operator and Grafana.
 */
export {
  type DashboardModel,
  type DashboardVariable,
  type Panel,
  type PanelQuery,
  type PanelRow,
  type PanelUnit,
} from './dashboard/panel';
export { GrafanaDashboard, type GrafanaDashboardProps } from './dashboard/grafana-dashboard';
export { gpuDashboard, type GpuDashboardOptions } from './dashboard/gpu-panels';
export {
  type AlertGroupName,
  type AlertSetting,
  type GpuAlertName,
  gpuAlerts,
  type GpuAlertsOptions,
} from './gpu-alerts';
export { dockerRunnerAlerts, dockerRunnerDashboard } from './docker-runner';
export { GpuMonitoring, type GpuMonitoringOverrides, type GpuMonitoringProps } from './gpu-monitoring';
export {
  AcceleratorMonitoring,
  type AcceleratorMonitoringOverrides,
  type AcceleratorMonitoringProps,
  type OperatorScrape,
} from './vendors/accelerator-monitoring';
export { type VendorAlertName, vendorAlerts, type VendorAlertsOptions } from './vendors/vendor-alerts';
export { vendorDashboard } from './vendors/vendor-dashboard';
export { PodMonitor, type PodMonitorProps, ServiceMonitor, type ServiceMonitorProps } from './monitors';
export { AlertReceiver, AlertRoutes, type AlertRoutesProps, type AlertSecret } from './alert-routes';
export { PrometheusRule, type PrometheusRuleProps } from './prometheus-rule';
export { type Alert, type AlertSeverity, type Recording, type RuleGroup } from './rule-groups';
export { ScrapeConfig, type ScrapeConfigProps } from './scrape-config';
export { NODE_RELABELING, type Relabeling, ScrapeAuthentication, type ScrapeOptions } from './scrape-endpoint';
