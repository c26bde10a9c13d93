/**
 * What a dashboard of Grafana is made of: rows of panels, each with its queries, its unit and its thresholds.
 */

/** How a value is shown. Grafana's ids of units. */
export type PanelUnit =
  'percentunit' | 'percent' | 'bytes' | 'Bps' | 'celsius' | 'watt' | 'hertz' | 's' | 'short' | 'ops' | 'none';

export interface PanelQuery {
  readonly expr: string;
  /** What a line is called; labels in double braces. @default - all its labels */
  readonly legend?: string;
}

export interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat' | 'table' | 'gauge' | 'heatmap';
  readonly queries: readonly PanelQuery[];
  /** @default short */
  readonly unit?: PanelUnit;
  /** What the panel is for, and what it does not say. @default - none */
  readonly description?: string;
  /** Columns of 24. @default 12 */
  readonly width?: number;
  /** Lines of 30 pixels. @default 8 */
  readonly height?: number;
  /** @default - as the values are */
  readonly min?: number;
  /** @default - as the values are */
  readonly max?: number;
  /** From which value on a colour holds. @default - none */
  readonly thresholds?: readonly { readonly from: number; readonly color: 'green' | 'yellow' | 'orange' | 'red' }[];
}

export interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
  /** @default false */
  readonly collapsed?: boolean;
}

/** A variable at the top of the dashboard, which queries refer to as `$name`. */
export interface DashboardVariable {
  readonly name: string;
  readonly label?: string;
  /** Metric and label whose values are to choose from: `label_values(metric, label)`. */
  readonly metric: string;
  readonly of: string;
  /** Labels that narrow the choice, with other variables: `node=~"$node"`. @default - none */
  readonly where?: string;
}

export interface DashboardModel {
  readonly title: string;
  /** Up to 40 letters, digits, - and _; the same dashboard keeps it. */
  readonly uid: string;
  readonly rows: readonly PanelRow[];
  /** @default - none */
  readonly variables?: readonly DashboardVariable[];
  /** @default - none */
  readonly tags?: readonly string[];
  /** Seconds between refreshes. @default 60 */
  readonly refresh?: number;
  /** @default - the last six hours */
  readonly from?: string;
  readonly description?: string;
}
