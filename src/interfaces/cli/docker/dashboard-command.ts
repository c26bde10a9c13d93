/**
 * `gantry docker dashboard`: the Grafana dashboard and the alerts of the runner, for a Prometheus and a Grafana without Kubernetes.
 */
import { stringify } from 'yaml';
import { dockerRunnerAlerts, dockerRunnerDashboard } from '../../../constructs/monitoring';
import { grafanaJson } from '../../../constructs/monitoring/dashboard/grafana-json';
import { renderGroup } from '../../../constructs/monitoring/rule-groups';
import { type Terminal } from '../terminal';

export interface DashboardFlags {
  readonly alerts?: boolean;
}

export function dashboardCommand({ alerts }: DashboardFlags, terminal: Pick<Terminal, 'out'>): number {
  terminal.out(
    alerts === true
      ? stringify({ groups: dockerRunnerAlerts().map(renderGroup) }, { lineWidth: 0 })
      : `${JSON.stringify(grafanaJson(dockerRunnerDashboard()), undefined, 2)}\n`,
  );
  return 0;
}
