/**
 * Where manifests hold PromQL: rule groups of a PrometheusRule, rule files and dashboards in ConfigMaps.
 *
 * Each manifest is looked through once, however many rules ask.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString, isObject, objectsAt, stringEntries } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { parsePromql, type PromqlReading } from '../../../facts/promql';

export const PROMETHEUS_RULE = 'monitoring.coreos.com/PrometheusRule';

/** A rule of a group, with its location. */
export interface PlacedRule {
  readonly raw: JsonObject;
  /** As fixes show it: `rules[3]`. */
  readonly place: string;
  /** `alert GpuHot`, `recording a:b:c`, or `rule 3` where it is neither. */
  readonly title: string;
  readonly alert?: string;
  readonly record?: string;
  readonly expr?: string;
  readonly group: PlacedGroup;
  /** Pointer of the rule; of the whole text where it is embedded. */
  readonly path: string;
}

export interface PlacedGroup {
  readonly raw: JsonObject;
  readonly name: string;
  readonly rules: readonly PlacedRule[];
  readonly path: string;
}

/** Groups that are evaluated together: one object, or one file. */
export interface RuleFile {
  readonly groups: readonly PlacedGroup[];
  readonly path: string;
  /** The ConfigMap's key, where it is a text in one. */
  readonly key?: string;
  /** LogQL looks like PromQL in many places: expressions are not judged then. */
  readonly logs: boolean;
}

/** A string in a ConfigMap that is meant to be a rule file and cannot be parsed. */
export interface BrokenText {
  readonly key: string;
  readonly path: string;
  readonly why: string;
}

interface Found {
  readonly files: readonly RuleFile[];
  readonly broken: readonly BrokenText[];
}

const cache = new WeakMap<Manifest, Found>();
const NOTHING: Found = { files: [], broken: [] };

function look(manifest: Manifest): Found {
  let found = cache.get(manifest);
  if (found === undefined) {
    found =
      manifest.id.kind === 'PrometheusRule'
        ? { files: [fileOf(manifest.object, '/spec', undefined)], broken: [] }
        : lookIntoTexts(manifest);
    cache.set(manifest, found);
  }
  return found;
}

export function ruleFilesOf(manifest: Manifest): readonly RuleFile[] {
  return look(manifest).files;
}

export function brokenRuleFilesOf(manifest: Manifest): readonly BrokenText[] {
  return look(manifest).broken;
}

/** Every rule of a manifest whose expressions are PromQL. */
export function* rulesOf(manifest: Manifest): Iterable<{ readonly rule: PlacedRule; readonly file: RuleFile }> {
  for (const file of ruleFilesOf(manifest)) {
    if (file.logs) {
      continue;
    }
    for (const { rules } of file.groups) {
      for (const rule of rules) {
        yield { rule, file };
      }
    }
  }
}

/** Texts of charts are not what they will be: `{{-`, or an action that begins a line. */
const CHART_TEMPLATE = /\{\{-|^[ \t]*\{\{/m;

/** A key `groups` at the begin of a line, or as the first key of the text as JSON. */
const RULE_FILE = /^groups[ \t]*:|(?<![^])\s*\{\s*"?groups"?\s*:/m;

function lookIntoTexts(manifest: Manifest): Found {
  const files: RuleFile[] = [];
  const broken: BrokenText[] = [];
  for (const [key, text] of stringEntries(manifest.object.data)) {
    if (!RULE_FILE.test(text) || !/\bexpr"?[ \t]*:/.test(text) || CHART_TEMPLATE.test(text)) {
      continue;
    }
    const path = pointer('/data', key);
    const parsed = parseValue(text, key);
    if ('value' in parsed) {
      if (isObject(parsed.value)) {
        files.push(fileOf({ spec: parsed.value }, path, key));
      }
    } else {
      broken.push({
        key,
        path,
        why: `line ${parsed.problem.position.line}: ${parsed.problem.message.split('\n', 1)[0] ?? ''}`,
      });
    }
  }
  return files.length + broken.length === 0 ? NOTHING : { files, broken };
}

const LOGQL =
  /\|[=~]|\|\s*(?:json|logfmt|pattern|unpack|unwrap|line_format|label_format|regexp|decolorize)\b|!=\s*`|\}\s*!=|\(\s*\{[^}]*\}\s*\[/;

function fileOf(object: JsonObject, base: string, key: string | undefined): RuleFile {
  const embedded = key !== undefined;
  const groups = objectsAt(object, '/spec/groups').map(({ value, index }): PlacedGroup => {
    const path = embedded ? base : pointer(base, 'groups', index);
    const rules: PlacedRule[] = [];
    const group: PlacedGroup = { raw: value, name: asString(value.name) ?? '', rules, path };
    for (const { value: raw, index: at } of objectsAt(value, '/rules')) {
      const [alert, record] = [asString(raw.alert), asString(raw.record)];
      const expr = typeof raw.expr === 'number' ? String(raw.expr) : asString(raw.expr);
      const title =
        (alert ?? '') !== ''
          ? `the alert "${alert}"`
          : (record ?? '') !== ''
            ? `the recording rule "${record}"`
            : `rules[${at}] in the group "${group.name}"`;
      rules.push({
        raw,
        place: `rules[${at}]`,
        title,
        alert,
        record,
        expr,
        group,
        path: embedded ? base : pointer(path, 'rules', at),
      });
    }
    return group;
  });
  const logs = groups.some(({ rules }) => rules.some(({ expr }) => expr !== undefined && LOGQL.test(expr)));
  return { groups, path: base, key, logs };
}

/** The pointer of a member of a rule; of the text where it is embedded. */
export function within(rule: PlacedRule, file: RuleFile, ...tokens: readonly string[]): string {
  return file.key === undefined ? pointer(rule.path, ...tokens) : rule.path;
}

/** A query with its location and its name in messages. */
export interface PlacedQuery {
  readonly text: string;
  readonly reading: PromqlReading;
  readonly title: string;
  readonly path: string;
  /** The alert or recording that it belongs to; absent in dashboards. */
  readonly rule?: PlacedRule;
}

/** Every query of a manifest: expressions of rules, and those of dashboards that are sent to Prometheus. */
export function* queriesOf(manifest: Manifest): Iterable<PlacedQuery> {
  for (const { rule, file } of rulesOf(manifest)) {
    if (rule.expr === undefined) {
      continue;
    }
    yield {
      text: rule.expr,
      reading: parsePromql(rule.expr),
      title: rule.title,
      path: within(rule, file, 'expr'),
      rule,
    };
  }
  for (const { panels } of dashboardsOf(manifest)) {
    yield* panels.flatMap(({ queries }) => queries);
  }
}

/** A dashboard of Grafana in a ConfigMap. */
export interface PlacedDashboard {
  readonly key: string;
  readonly path: string;
  /** The dashboard, or the envelope that Grafana's API puts around one. */
  readonly json: JsonObject;
  readonly panels: readonly PlacedPanel[];
}

export interface PlacedPanel {
  readonly raw: JsonObject;
  readonly title: string;
  readonly queries: readonly PlacedQuery[];
}

const dashboards = new WeakMap<Manifest, readonly PlacedDashboard[]>();

export function dashboardsOf(manifest: Manifest): readonly PlacedDashboard[] {
  let found = dashboards.get(manifest);
  if (found === undefined) {
    found =
      manifest.id.kind === 'ConfigMap'
        ? stringEntries(manifest.object.data).flatMap(([key, text]) => dashboardIn(key, text))
        : [];
    dashboards.set(manifest, found);
  }
  return found;
}

/** Whether a ConfigMap is one that Grafana's sidecar reads. */
export function isForGrafana(manifest: Manifest): boolean {
  return Object.keys(asObject(asObject(manifest.object.metadata).labels)).includes('grafana_dashboard');
}

/** How a Prometheus configuration begins its list of scrape jobs. */
export const SCRAPE_CONFIGS = /^scrape_configs[ \t]*:/m;

/** Whether a manifest has rules, dashboards, or scrape jobs; ConfigMaps have them as texts. */
export function isForMonitoring(manifest: Manifest): boolean {
  return (
    manifest.id.kind !== 'ConfigMap' ||
    look(manifest) !== NOTHING ||
    isForGrafana(manifest) ||
    dashboardsOf(manifest).length > 0 ||
    stringEntries(manifest.object.data).some(([, text]) => SCRAPE_CONFIGS.test(text))
  );
}

function dashboardIn(key: string, text: string): readonly PlacedDashboard[] {
  if (!/"(?:panels|rows)"\s*:/.test(text)) {
    return [];
  }
  const parsed = parseValue(text, 'dashboard.json');
  if (!('value' in parsed) || !isObject(parsed.value)) {
    return [];
  }
  const path = pointer('/data', key);
  const json = parsed.value;
  const model = isObject(json.dashboard) ? json.dashboard : json;
  return [{ key, path, json, panels: panelsIn(model, path) }];
}

function panelsIn(model: JsonObject, path: string): readonly PlacedPanel[] {
  const nested = [...objectsAt(model, '/panels'), ...objectsAt(model, '/rows')];
  return nested.flatMap(({ value }) => {
    const title = asString(value.title) ?? '';
    const queries = objectsAt(value, '/targets').flatMap(({ value: target }): readonly PlacedQuery[] => {
      const expr = asString(target.expr);
      if (expr === undefined || expr.trim() === '' || !asksPrometheus(target.datasource ?? value.datasource)) {
        return [];
      }
      return [{ text: expr, reading: readGrafana(expr), title: `the panel "${title}"`, path }];
    });
    return [{ raw: value, title, queries }, ...panelsIn(value, path)];
  });
}

/** Only what says that it asks Prometheus: other data sources have queries that look alike. */
function asksPrometheus(dataSource: JsonValue | undefined): boolean {
  if (isObject(dataSource)) {
    return dataSource.type === 'prometheus';
  }
  return typeof dataSource === 'string' && /prom/i.test(dataSource);
}

const UNKNOWN: PromqlReading = { problems: [] };

/** A query with Grafana's variables filled in as they might be; one that depends on what they are is not judged. */
function readGrafana(text: string): PromqlReading {
  const ranges = text
    .replace(/\$__(?:rate_)?interval\b|\$\{__(?:rate_)?interval\}|\$__range\b|\$\{__range\}/g, '5m')
    .replace(/\[\s*(?:\$\w+|\$\{\w+[^}]*\})/g, '[5m');
  if (!/\$\w|\$\{|\[\[/.test(withoutTexts(ranges))) {
    return parsePromql(ranges);
  }
  const variable = /\$\{[^}]*\}|\$\w+|\[\[\w+\]\]/g;
  for (const value of ['1', 'x', 'sum']) {
    const reading = parsePromql(ranges.replace(variable, value));
    if (reading.problems.length === 0) {
      return { ...reading, problems: [] };
    }
  }
  return UNKNOWN;
}

function withoutTexts(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/gs, '""');
}
