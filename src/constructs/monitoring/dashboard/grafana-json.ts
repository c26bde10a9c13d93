/**
 * From a dashboard's model to the JSON that Grafana reads: ids, places on the grid, the data source as a variable.
 *
 * Panels are placed from left to right and from the top down, so the same model always renders the same JSON.
 *
 * Source: Grafana, dashboard JSON model (schema version 39).
 */
import { Duration } from 'cdk8s';
import { type JsonObject } from '../../../facts/api/schema';
import { secondsOf } from '../../resources/durations';
import { type DashboardModel, type DashboardVariable, type Panel, type PanelRow } from './panel';

const COLUMNS = 24;
const SCHEMA_VERSION = 39;

/** The variable that holds the Prometheus to ask. */
const DATA_SOURCE: JsonObject = { type: 'prometheus', uid: '${datasource}' };

/** @throws if a panel is wider than the grid, or the uid cannot be one */
export function grafanaJson(model: DashboardModel): JsonObject {
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(model.uid)) {
    throw new Error(`uid: "${model.uid}" is not a valid Grafana uid. Use at most 40 letters, digits, "-", and "_".`);
  }
  return {
    annotations: { list: [] },
    description: model.description ?? '',
    editable: true,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    links: [],
    panels: placed(model.rows),
    refresh: `${secondsOf('refresh', model.refresh ?? Duration.minutes(1))}s`,
    schemaVersion: SCHEMA_VERSION,
    tags: [...(model.tags ?? [])],
    templating: { list: [dataSourceVariable(), ...(model.variables ?? []).map(queryVariable)] },
    time: { from: model.from ?? 'now-6h', to: 'now' },
    timezone: 'browser',
    title: model.title,
    uid: model.uid,
    version: 1,
  };
}

function placed(rows: readonly PanelRow[]): JsonObject[] {
  const panels: JsonObject[] = [];
  let id = 0;
  let y = 0;
  for (const row of rows) {
    const header: JsonObject = {
      id: (id += 1),
      type: 'row',
      title: row.title,
      collapsed: row.collapsed ?? false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    };
    y += 1;
    const top = y;
    const inside: JsonObject[] = [];
    let x = 0;
    let tallest = 0;
    for (const panel of row.panels) {
      const [width, height] = [panel.width ?? 12, panel.height ?? 8];
      if (!Number.isInteger(width) || width < 1 || width > COLUMNS) {
        throw new Error(`width: panel "${panel.title}" is ${width} columns wide. The grid has ${COLUMNS}.`);
      }
      if (x + width > COLUMNS) {
        y += tallest;
        x = 0;
        tallest = 0;
      }
      inside.push(render(panel, (id += 1), { x, y, w: width, h: height }));
      x += width;
      tallest = Math.max(tallest, height);
    }
    // Grafana keeps the panels of a collapsed row inside of it, where they take no room.
    if (row.collapsed === true) {
      panels.push({ ...header, panels: inside });
      y = top;
    } else {
      panels.push({ ...header, panels: [] }, ...inside);
      y += tallest;
    }
  }
  return panels;
}

function render(panel: Panel, id: number, gridPos: JsonObject): JsonObject {
  const { title, kind, queries, description, unit = 'short', min, max, thresholds } = panel;
  const steps = [
    { color: 'green', value: null },
    ...(thresholds ?? []).map(({ from, color }) => ({ color, value: from })),
  ];
  return {
    id,
    type: kind,
    title,
    ...(description === undefined ? {} : { description }),
    datasource: DATA_SOURCE,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        thresholds: { mode: 'absolute', steps },
        ...(kind === 'timeseries'
          ? {
              custom: {
                lineWidth: 1,
                fillOpacity: 10,
                showPoints: 'never',
                ...(thresholds === undefined ? {} : { thresholdsStyle: { mode: 'line' } }),
              },
            }
          : {}),
      },
      overrides: [],
    },
    options: optionsOf(kind),
    targets: queries.map(({ expr, legend }, index) => ({
      refId: refId(index),
      datasource: DATA_SOURCE,
      expr,
      ...(legend === undefined ? {} : { legendFormat: legend }),
      ...(kind === 'timeseries' || kind === 'heatmap'
        ? { range: true, instant: false }
        : { range: false, instant: true, ...(kind === 'table' ? { format: 'table' } : {}) }),
    })),
  };
}

/** A, B, …, Z, AA, AB, …: how Grafana tells queries of a panel apart. */
function refId(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : `${refId(Math.floor(index / 26) - 1)}${refId(index % 26)}`;
}

function optionsOf(kind: Panel['kind']): JsonObject {
  switch (kind) {
    case 'timeseries':
      return {
        legend: { displayMode: 'table', placement: 'right', calcs: ['mean', 'max'] },
        tooltip: { mode: 'multi', sort: 'desc' },
      };
    case 'stat':
    case 'gauge':
      return { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } };
    case 'table':
      return { showHeader: true };
    case 'heatmap':
      return { calculate: false };
  }
}

function dataSourceVariable(): JsonObject {
  return {
    name: 'datasource',
    label: 'Prometheus',
    type: 'datasource',
    query: 'prometheus',
    hide: 0,
    multi: false,
    includeAll: false,
    options: [],
  };
}

function queryVariable({ name, label, metric, of, where }: DashboardVariable): JsonObject {
  const query = `label_values(${metric}${where === undefined ? '' : `{${where}}`}, ${of})`;
  return {
    name,
    label: label ?? name,
    type: 'query',
    datasource: DATA_SOURCE,
    definition: query,
    query: { query, refId: 'Variable' },
    includeAll: true,
    allValue: '.*',
    multi: true,
    refresh: 2,
    sort: 1,
    hide: 0,
    options: [],
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}
