/**
 * Metrics of the DCGM exporter: whether they exist, whether anybody collects them, and what can be said of their values.
 */
import { editDistance, lettersOf, mayBeNear } from '../../../facts/spelling';
import {
  DCGM_GENERATIONS,
  DCGM_METRICS,
  type DcgmMetric,
  type DcgmUnit,
  dcgmUnitOf,
  findDcgmMetric,
  findExporterMetric,
} from '../../../facts/catalog';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { dcgmCountersOf, namedMaps } from '../../gpu-operator/rules/embedded';
import { type ManifestSet } from '../../../manifests/manifest-set';
import {
  bare,
  type BinaryOperation,
  COMPARISONS,
  constantOf,
  COUNTER_FUNCTIONS,
  type Expression,
  GAUGE_FUNCTIONS,
  metricOf,
  selectorsOf,
  walk,
} from '../../../facts/promql';
import { monitoringRule, PROMETHEUS } from './monitoring-rule';
import { type PlacedQuery, PROMETHEUS_RULE, queriesOf } from './query-places';

const KINDS = [PROMETHEUS_RULE, 'ConfigMap'];
const CATALOG = 'dcgm-exporter 4.8.4 and 4.9.0, etc/default-counters.csv; DCGM 4.7, field identifiers';

/** The metrics of DCGM that a query reads by name, each with the selectors that read it. */
function* dcgmMetricsIn({ reading }: PlacedQuery): Iterable<string> {
  if (reading.expression === undefined || reading.problems.length > 0) {
    return;
  }
  const seen = new Set<string>();
  for (const { selector } of selectorsOf(reading.expression)) {
    const name = metricOf(selector);
    if (name === undefined || seen.has(name) || !/^DCGM_(FI|EXP)_/.test(name)) {
      continue;
    }
    seen.add(name);
    yield name;
  }
}

const collected = new WeakMap<ManifestSet, ReadonlySet<string> | null>();

/** What the lists of counters of a set collect; `undefined` where there is none. */
function collectedIn(set: ManifestSet): ReadonlySet<string> | undefined {
  let names = collected.get(set);
  if (names === undefined) {
    const kinds = ['ConfigMap', 'helm.toolkit.fluxcd.io/HelmRelease', 'argoproj.io/Application'];
    const lists = kinds.flatMap((kind) => set.ofKind(kind)).flatMap((manifest) => dcgmCountersOf(manifest, set));
    const rows = lists.flatMap(({ reading }) => reading.rows);
    names = rows.length === 0 ? null : new Set(rows.map(({ field }) => field));
    collected.set(set, names);
  }
  return names ?? undefined;
}

const addMetric = (name: string): string =>
  `Add a line for ${name} to the counter list of dcgm-exporter (in a Gantry app: DcgmCounters), or use another metric in expr.`;

export const dcgmRules: readonly Rule[] = [
  monitoringRule(
    'dcgm-metric-collected',
    KINDS,
    {
      row: 'DM1',
      tier: 'advice',
      summary:
        "A DCGM metric that an alert or a panel uses must be in the counter list that is deployed, or in the exporter's default list.",
      why: 'The series never exists: the alert never fires and the panel stays empty, without an error.',
      source: CATALOG,
      fix: 'Add a line for the metric to the counter list of dcgm-exporter (in a Gantry app: DcgmCounters), or use another metric in expr.',
    },
    function* (manifest, { set }) {
      const own = collectedIn(set);
      for (const query of queriesOf(manifest)) {
        for (const name of dcgmMetricsIn(query)) {
          if (own?.has(name) === true) {
            continue;
          }
          const metric = findDcgmMetric(name);
          if (own !== undefined) {
            // A name that is none is said by another rule.
            if (metric === undefined && misspelled(name) !== undefined) {
              continue;
            }
            const other = metric && namesOf(metric).find((one) => own.has(one));
            const what =
              other === undefined
                ? 'the counter list in these manifests does not contain this metric'
                : `the counter list contains ${other} instead`;
            // There may also be an exporter without a counter list of its own.
            const maybe =
              metric !== undefined &&
              isShippedOn(metric, name) &&
              other === undefined &&
              namedMaps(set, 'dcgmExporter').size === 0;
            const severity = maybe ? ('warning' as const) : ('error' as const);
            yield {
              path: query.path,
              message: `${query.title} uses ${name}, but ${what}`,
              found: name,
              expected: other,
              severity,
              fix:
                other === undefined
                  ? addMetric(name)
                  : `Replace ${name} with ${other} in expr, or add ${name} to the counter list.`,
            };
            continue;
          }
          if (metric === undefined || isShippedOn(metric, name)) {
            continue;
          }
          const message = `${query.title} uses ${name}, which dcgm-exporter does not export by default`;
          yield { path: query.path, message, found: name, severity: 'warning', fix: addMetric(name) };
        }
      }
    },
  ),

  monitoringRule(
    'dcgm-metric-known',
    KINDS,
    {
      row: 'DM2',
      tier: 'advice',
      severity: 'warning',
      summary: 'The name of a DCGM metric must be spelled as in DCGM.',
      why: 'A selector for an unknown metric matches nothing, without an error.',
      source: CATALOG,
      fix: 'Rename the metric in expr to its name in DCGM, for example DCGM_FI_DEV_GPU_UTIL.',
    },
    function* (manifest, { set }) {
      for (const query of queriesOf(manifest)) {
        for (const name of dcgmMetricsIn(query)) {
          const meant =
            findDcgmMetric(name) === undefined && collectedIn(set)?.has(name) !== true ? misspelled(name) : undefined;
          if (meant !== undefined) {
            yield {
              path: query.path,
              message: `${query.title} reads the unknown metric "${name}" (did you mean ${meant}?)`,
              found: name,
              expected: meant,
            };
          }
        }
      }
    },
  ),

  monitoringRule(
    'function-suits-metric-type',
    KINDS,
    {
      row: 'DM3',
      tier: 'advice',
      otherTiers: [],
      summary: 'Functions such as rate and increase must be applied to counters, and averages over time to gauges.',
      why: 'The rate of a gauge counts increases and treats each decrease as a restart; the average of a counter depends mainly on the age of the process.',
      source: `${PROMETHEUS} documentation, querying/functions; ${CATALOG}`,
      fix: 'Use avg_over_time, delta, or deriv in expr for a gauge, and rate or increase for a counter.',
    },
    function* (manifest) {
      for (const query of queriesOf(manifest)) {
        const { expression, problems } = query.reading;
        if (expression === undefined || problems.length > 0) {
          continue;
        }
        for (const { selector, around } of selectorsOf(expression)) {
          const name = metricOf(selector);
          const call = around[0]?.kind === 'range' ? around[1] : undefined;
          const type = name === undefined ? undefined : typeOfMetric(name);
          if (name === undefined || type === undefined || call?.kind !== 'call') {
            continue;
          }
          if (type.is !== 'counter' && COUNTER_FUNCTIONS.has(call.name)) {
            const hint = type.declared
              ? ": the metric is already a rate, although the exporter's list declares it as a counter"
              : '';
            yield {
              path: query.path,
              message: `${query.title} applies ${call.name} to ${name}, which is a gauge${hint}`,
              found: call.name,
              ...(type.declared ? { severity: 'warning' as const } : {}),
            };
          } else if (type.is === 'counter' && GAUGE_FUNCTIONS.has(call.name)) {
            yield {
              path: query.path,
              message: `${query.title} applies ${call.name} to ${name}, which is a counter`,
              found: call.name,
              severity: 'warning',
            };
          }
        }
      }
    },
  ),

  monitoringRule(
    'comparison-in-unit',
    KINDS,
    {
      row: 'DM4',
      tier: 'advice',
      summary:
        'A metric must be compared with a number in its own unit: percentages from 0 to 100, ratios from 0 to 1, memory in MiB or bytes.',
      why: 'The comparison is never or always true: the alert never fires, or never resolves.',
      source: CATALOG,
      fix: 'Change the number in expr to the unit of the metric, or divide used memory by the sum of used, free, and reserved memory.',
    },
    function* (manifest) {
      for (const query of queriesOf(manifest)) {
        const { expression, problems } = query.reading;
        if (expression === undefined || problems.length > 0) {
          continue;
        }
        for (const part of walk(expression)) {
          if (part.kind === 'binary' && COMPARISONS.has(part.operator)) {
            yield* comparisonProblems(part, query);
          }
        }
      }
    },
  ),

  monitoringRule(
    'last-xid-not-compared',
    [PROMETHEUS_RULE],
    {
      row: 'DM5',
      tier: 'advice',
      severity: 'warning',
      summary: 'An alert on XIDs must count them instead of comparing the last one.',
      why: 'DCGM_FI_DEV_XID_ERRORS keeps the last XID until the driver is reloaded: the alert never resolves, and a second error with the same code is not detected. Applications cause XIDs too.',
      source: CATALOG,
      fix: 'Replace the metric in expr with DCGM_EXP_XID_ERRORS_COUNT, and select the relevant codes by the label xid.',
    },
    function* (manifest) {
      for (const query of queriesOf(manifest)) {
        const { expression } = query.reading;
        if (query.rule?.alert === undefined || expression === undefined) {
          continue;
        }
        for (const part of walk(expression)) {
          if (part.kind !== 'binary' || !['>', '!=', '>='].includes(part.operator)) {
            continue;
          }
          const name = [part.left, part.right]
            .map(scaledMetric)
            .find((found) => found !== undefined && findDcgmMetric(found)?.key === 'XID_ERRORS');
          if (name === undefined || ![part.left, part.right].some((side) => constantOf(side) === 0)) {
            continue;
          }
          yield {
            path: query.path,
            message: `${query.title} compares ${name}, which keeps the last XID, so the alert does not resolve`,
            found: name,
          };
        }
      }
    },
  ),
];

/** Whether the exporter's own list, of either generation, collects it under this name. */
function isShippedOn({ names }: DcgmMetric, name: string): boolean {
  return DCGM_GENERATIONS.some((generation) => names[generation].on && names[generation].name === name);
}

function namesOf({ names, aliases }: DcgmMetric): readonly string[] {
  return [...DCGM_GENERATIONS.map((generation) => names[generation].name), ...aliases];
}

function typeOfMetric(
  name: string,
): { readonly is: 'gauge' | 'counter' | 'label'; readonly declared: boolean } | undefined {
  const metric = findDcgmMetric(name);
  if (metric !== undefined) {
    return { is: metric.type, declared: metric.declared === 'counter' };
  }
  const other = findExporterMetric(name);
  return other && { is: other.type, declared: false };
}

/** Functions that leave values in the unit and the bounds that they have. */
const KEEPS_SCALE: ReadonlySet<string> = new Set([
  'avg_over_time',
  'min_over_time',
  'max_over_time',
  'quantile_over_time',
  'last_over_time',
  'first_over_time',
  'abs',
  'sort',
  'sort_desc',
  'scalar',
  'label_replace',
  'label_join',
]);
const KEEPS_SCALE_TOGETHER: ReadonlySet<string> = new Set(['avg', 'min', 'max', 'quantile', 'topk', 'bottomk']);

/** The metric whose value this is, in its own unit: itself, or an average, a greatest or a chosen one of it. */
function scaledMetric(expression: Expression): string | undefined {
  const inside = bare(expression);
  switch (inside.kind) {
    case 'selector':
      return metricOf(inside);
    case 'range':
    case 'subquery':
      return scaledMetric(inside.of);
    case 'call': {
      const of = inside.args.find((arg) => constantOf(arg) === undefined && arg.kind !== 'string');
      return of !== undefined && KEEPS_SCALE.has(inside.name) ? scaledMetric(of) : undefined;
    }
    case 'aggregation': {
      const of = inside.args.at(-1);
      return of !== undefined && KEEPS_SCALE_TOGETHER.has(inside.operator) ? scaledMetric(of) : undefined;
    }
    case 'binary':
      // A comparison without bool leaves the value of its left side.
      if (!COMPARISONS.has(inside.operator) || inside.bool || constantOf(inside.right) === undefined) {
        return undefined;
      }
      return scaledMetric(inside.left);
    case 'number':
    case 'string':
    case 'unary':
      return undefined;
  }
}

interface Bounds {
  readonly most: number;
  readonly called: string;
}

/** All begin at 0. */
const BOUNDS: Partial<Readonly<Record<DcgmUnit, Bounds>>> = {
  '%': { most: 100, called: 'percent, from 0 to 100' },
  ratio: { most: 1, called: 'a ratio, from 0 to 1' },
  flag: { most: 1, called: '0 or 1' },
};

const MIRRORED: Readonly<Record<string, string>> = {
  '>': '<',
  '<': '>',
  '>=': '<=',
  '<=': '>=',
  '==': '==',
  '!=': '!=',
};

/** Whether a comparison of a value from 0 to `most` is true for no such value, or for all of them; by its sign. */
const OUTCOMES: Readonly<
  Record<string, (value: number, most: number) => { readonly never: boolean; readonly always: boolean }>
> = {
  '>': (value, most) => ({ never: value >= most, always: value < 0 }),
  '>=': (value, most) => ({ never: value > most, always: value <= 0 }),
  '<': (value, most) => ({ never: value <= 0, always: value > most }),
  '<=': (value, most) => ({ never: value < 0, always: value >= most }),
  '==': (value, most) => ({ never: value > most || value < 0, always: false }),
};

/** `name sign value`, with the metric at the left. */
interface Comparison {
  readonly name: string;
  readonly sign: string;
  readonly value: number;
  readonly unit: DcgmUnit;
}

function comparisonOf({ left, right, operator, bool }: BinaryOperation): Comparison | undefined {
  const turned = constantOf(left) !== undefined;
  const value = constantOf(turned ? left : right);
  const name = scaledMetric(turned ? right : left);
  const unit = name === undefined ? undefined : dcgmUnitOf(name);
  return value === undefined || name === undefined || unit === undefined || bool
    ? undefined
    : { name, sign: turned ? (MIRRORED[operator] ?? operator) : operator, value, unit };
}

function* comparisonProblems(operation: BinaryOperation, { title, path }: PlacedQuery): Iterable<Violation> {
  const comparison = comparisonOf(operation);
  if (comparison === undefined) {
    return;
  }
  const bounds = BOUNDS[comparison.unit];
  const problem = bounds === undefined ? sizeProblem(comparison) : boundProblem(comparison, bounds);
  if (problem !== undefined) {
    const { name, sign, value } = comparison;
    yield { ...problem, path, message: `in ${title}, ${name} ${sign} ${value} ${problem.message}`, found: value };
  }
}

type ComparisonProblem = Pick<Violation, 'message' | 'expected' | 'severity'>;

function boundProblem({ sign, value, unit }: Comparison, bounds: Bounds): ComparisonProblem | undefined {
  const { never = false, always = false } = OUTCOMES[sign]?.(value, bounds.most) ?? {};
  if (never || always) {
    return {
      message: `is ${never ? 'never' : 'always'} true, because the metric is ${bounds.called}`,
      expected: bounds.called,
    };
  }
  return unit === '%' && value > 0 && value < 1
    ? {
        message: 'compares a percentage with a number that looks like a ratio',
        expected: bounds.called,
        severity: 'warning',
      }
    : undefined;
}

/** An amount of memory that is compared with a ratio or a percentage. */
function sizeProblem({ sign, value, unit }: Comparison): ComparisonProblem | undefined {
  const looksLikePart = (value > 0 && value <= 1) || (value >= 50 && value < 100);
  return (unit === 'MiB' || unit === 'bytes') && sign.startsWith('>') && looksLikePart
    ? {
        message: `compares ${unit} with a number that looks like ${value <= 1 ? 'a ratio' : 'a percentage'}`,
        expected: `a number of ${unit}`,
        severity: 'warning',
      }
    : undefined;
}

/** The name of the catalog that is at most two letters away. */
function misspelled(name: string): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  const letters = lettersOf(name);
  for (const metric of DCGM_METRICS) {
    for (const known of namesOf(metric)) {
      if (!mayBeNear(letters, lettersOf(known), (best?.distance ?? 3) - 1)) {
        continue;
      }
      const distance = editDistance(name, known, best?.distance ?? 3);
      if (distance > 0 && distance < (best?.distance ?? 3)) {
        best = { name: known, distance };
      }
    }
  }
  return best?.name;
}
