/**
 * What a dashboard of Grafana is made of: rows of panels, each with its queries, its unit and its thresholds.
 */
import { type Duration } from 'cdk8s';

/** How a value is shown. Grafana's ids of units. */
export type PanelUnit =
  | 'percentunit'
  | 'percent'
  | 'bytes'
  | 'Bps'
  | 'celsius'
  | 'watt'
  | 'hertz'
  | 's'
  | 'short'
  | 'ops'
  | 'none';

/** A query of a panel. */
export interface PanelQuery {
  /** The query in PromQL. */
  readonly expr: string;
  /** What a line is called; labels in double braces. @default - all its labels */
  readonly legend?: string;
}

/** A panel of a dashboard. */
export interface Panel {
  /** Title of the panel. */
  readonly title: string;
  /** How the values are drawn. */
  readonly kind: 'timeseries' | 'stat' | 'table' | 'gauge' | 'heatmap';
  /** What is drawn. */
  readonly queries: readonly PanelQuery[];
  /** Unit of the values. @default short */
  readonly unit?: PanelUnit;
  /** What the panel is for, and what it does not say. @default - none */
  readonly description?: string;
  /** Columns of 24. @default 12 */
  readonly width?: number;
  /** Lines of 30 pixels. @default 8 */
  readonly height?: number;
  /** Lower end of the axis. @default - as the values are */
  readonly min?: number;
  /** Upper end of the axis. @default - as the values are */
  readonly max?: number;
  /** The value from which on a color applies. @default - none */
  readonly thresholds?: readonly { readonly from: number; readonly color: 'green' | 'yellow' | 'orange' | 'red' }[];
}

/** A row of panels. */
export interface PanelRow {
  /** Title of the row. */
  readonly title: string;
  /** The panels from left to right. */
  readonly panels: readonly Panel[];
  /** Whether the row is closed at first. @default false */
  readonly collapsed?: boolean;
}

/** A variable at the top of the dashboard, which queries refer to as `$name`. */
export interface DashboardVariable {
  /** Name by which queries refer to the variable. */
  readonly name: string;
  /** Label beside the choice. @default - the name */
  readonly label?: string;
  /** Metric and label whose values are to choose from: `label_values(metric, label)`. */
  readonly metric: string;
  /** The label whose values can be chosen. */
  readonly of: string;
  /** Labels that narrow the choice, with other variables: `node=~"$node"`. @default - none */
  readonly where?: string;
}

/** A dashboard: rows of panels, and variables that narrow them. */
export interface DashboardModel {
  /** Title of the dashboard. */
  readonly title: string;
  /** Up to 40 letters, digits, - and _; the same dashboard keeps it. */
  readonly uid: string;
  /** The rows from top to bottom. */
  readonly rows: readonly PanelRow[];
  /** Choices at the top of the dashboard. @default - none */
  readonly variables?: readonly DashboardVariable[];
  /** Tags by which the dashboard is found. @default - none */
  readonly tags?: readonly string[];
  /** Time between refreshes, whole seconds. @default Duration.minutes(1) */
  readonly refresh?: Duration;
  /** Begin of the time range, for example `now-6h`. @default - the last six hours */
  readonly from?: string;
  /** Description of the dashboard. @default - none */
  readonly description?: string;
}
