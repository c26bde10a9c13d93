/**
 * The functions of PromQL and what they take.
 *
 * Source: Prometheus v3.15, promql/parser/functions.go.
 */
import { type ValueType } from './expression';

export interface FunctionSignature {
  readonly takes: readonly ValueType[];
  /** How many of the last kind may follow or be left out: 0 for exactly those in `takes`, -1 for any number. */
  readonly variadic: number;
  readonly gives: ValueType;
  /** Refused unless Prometheus is started with `--enable-feature=promql-experimental-functions`. */
  readonly experimental: boolean;
}

type Row = readonly [takes: readonly ValueType[], names: string, more?: Partial<Omit<FunctionSignature, 'takes'>>];

const ROWS: readonly Row[] = [
  [
    ['vector'],
    'abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar ln log10 log2 rad sgn sin sinh sort sort_desc sqrt tan tanh timestamp',
  ],
  [
    ['matrix'],
    'absent_over_time avg_over_time changes count_over_time delta deriv first_over_time idelta increase irate last_over_time max_over_time min_over_time present_over_time rate resets stddev_over_time stdvar_over_time sum_over_time',
  ],
  [['vector', 'scalar', 'scalar'], 'clamp'],
  [['vector', 'scalar'], 'clamp_max clamp_min'],
  [['vector'], 'days_in_month day_of_month day_of_week day_of_year hour minute month year', { variadic: 1 }],
  [[], 'end range start step', { gives: 'scalar', experimental: true }],
  [['scalar', 'scalar', 'vector'], 'histogram_fraction'],
  [['scalar', 'vector'], 'histogram_quantile'],
  [['vector', 'string', 'scalar', 'scalar'], 'histogram_quantiles', { variadic: 9, experimental: true }],
  [['matrix', 'scalar', 'scalar'], 'double_exponential_smoothing', { experimental: true }],
  [['vector', 'vector'], 'info', { variadic: 1, experimental: true }],
  [['vector', 'string', 'string', 'string', 'string'], 'label_replace'],
  [['vector', 'string', 'string', 'string'], 'label_join', { variadic: -1 }],
  [['scalar', 'scalar'], 'max_of min_of', { gives: 'scalar', experimental: true }],
  [
    ['matrix'],
    'mad_over_time ts_of_first_over_time ts_of_max_over_time ts_of_min_over_time ts_of_last_over_time',
    { experimental: true },
  ],
  [[], 'pi time', { gives: 'scalar' }],
  [['matrix', 'scalar'], 'predict_linear'],
  [['scalar', 'matrix'], 'quantile_over_time'],
  [['vector', 'scalar'], 'round', { variadic: 1 }],
  [['vector'], 'scalar', { gives: 'scalar' }],
  [['vector', 'string'], 'sort_by_label sort_by_label_desc', { variadic: -1, experimental: true }],
  [['vector'], 'start_timestamp', { experimental: true }],
  [['scalar'], 'vector'],
];

export const FUNCTIONS: ReadonlyMap<string, FunctionSignature> = new Map(
  ROWS.flatMap(([takes, names, more]) =>
    names
      .split(' ')
      .map((name) => [name, { takes, variadic: 0, gives: 'vector', experimental: false, ...more }] as const),
  ),
);

/** Functions whose argument must be a counter to mean anything. */
export const COUNTER_FUNCTIONS: ReadonlySet<string> = new Set(['rate', 'irate', 'increase', 'resets']);

/** Functions of a range that make sense of gauges, and nearly none of counters. */
export const GAUGE_FUNCTIONS: ReadonlySet<string> = new Set([
  'avg_over_time',
  'min_over_time',
  'max_over_time',
  'sum_over_time',
  'quantile_over_time',
  'stddev_over_time',
  'stdvar_over_time',
  'delta',
  'idelta',
  'deriv',
  'predict_linear',
]);
