/**
 * Dashboards of Grafana in ConfigMaps.
 */
import { type Rule } from '../../../checks/rules/rule';
import { pointer } from '../../../manifests/pointer';
import { asString, isObject, stringEntries } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { describeProblem } from '../../../facts/promql';
import { monitoringRule, PROMETHEUS } from './monitoring-rule';
import { dashboardsOf, isForGrafana, type PlacedPanel } from './query-places';

const GRAFANA = 'Grafana, pkg/services/provisioning/dashboards';

export const dashboardRules: readonly Rule[] = [
  monitoringRule(
    'dashboard-is-one',
    ['ConfigMap'],
    {
      row: 'DB1',
      tier: 'advice',
      summary:
        "The JSON in a ConfigMap for Grafana's sidecar must be a dashboard with a title, without the envelope of Grafana's API.",
      why: 'Grafana logs an error and does not show the dashboard.',
      source: GRAFANA,
      fix: 'Set the key in data to the JSON model of the dashboard, as the dashboard settings in Grafana show it.',
    },
    function* (manifest) {
      if (!isForGrafana(manifest)) {
        return;
      }
      for (const [key, text] of stringEntries(manifest.object.data)) {
        if (!key.endsWith('.json')) {
          continue;
        }
        const path = pointer('/data', key);
        const parsed = parseValue(text, 'dashboard.json');
        if (!('value' in parsed)) {
          yield { path, message: `${key} is not valid JSON: ${parsed.problem.message.split('\n', 1)[0] ?? ''}` };
        } else if (!isObject(parsed.value)) {
          yield { path, message: `${key} must be a JSON object that describes a dashboard` };
        } else if (isObject(parsed.value.dashboard) && parsed.value.panels === undefined) {
          yield {
            path,
            message: `${key} contains the dashboard in the field "dashboard" instead of at the top level`,
            fix: `Move the fields in "dashboard" to the top level of data["${key}"].`,
          };
        }
        // Dashboards of Grafana 12 may be resources of their own.
        else if ((asString(parsed.value.title) ?? '') === '' && parsed.value.apiVersion === undefined) {
          yield {
            path,
            message: `the dashboard in ${key} has no title`,
            fix: `Set title in data["${key}"] to the name of the dashboard.`,
          };
        }
      }
    },
  ),

  monitoringRule(
    'dashboard-query-valid',
    ['ConfigMap'],
    {
      row: 'DB2',
      tier: 'advice',
      summary: 'Prometheus queries of a dashboard must be valid PromQL.',
      why: 'The panel shows an error and no data.',
      source: `${PROMETHEUS}, promql/parser`,
      fix: 'Set targets[].expr of the panel to a valid PromQL query.',
    },
    function* (manifest) {
      for (const { panels } of dashboardsOf(manifest)) {
        for (const { queries } of panels) {
          for (const { text, reading, title, path } of queries) {
            const [problem] = reading.problems;
            if (problem !== undefined) {
              yield {
                path,
                message: `the query of ${title} is invalid: ${describeProblem(text, problem)}`,
                found: text,
                ...(problem.kind === 'experimental' ? { severity: 'warning' as const } : {}),
              };
            }
          }
        }
      }
    },
  ),

  monitoringRule(
    'dashboard-panel-ids-unique',
    ['ConfigMap'],
    {
      row: 'DB3',
      tier: 'advice',
      severity: 'warning',
      summary: 'The IDs of the panels of a dashboard should be unique.',
      why: 'Links to a panel, repeated panels, and library panels refer to the wrong one.',
      source: 'Grafana, dashboard JSON model',
      fix: 'Set panels[].id to a different number for each panel.',
    },
    function* (manifest) {
      for (const { panels, path } of dashboardsOf(manifest)) {
        const seen = new Map<number, PlacedPanel>();
        for (const panel of panels) {
          const { id } = panel.raw;
          if (typeof id !== 'number') {
            continue;
          }
          const before = seen.get(id);
          if (before !== undefined) {
            yield {
              path,
              message: `the panels "${before.title}" and "${panel.title}" have the same ID ${id}`,
              found: id,
            };
          }
          seen.set(id, before ?? panel);
        }
      }
    },
  ),
];
