/**
 * The templates of alerts: Go's text/template with Prometheus' functions and variables.
 *
 * Source: Prometheus v3.15, template/template.go; rules/alerting.go (the variables).
 */
import { GO_FUNCTIONS, templateProblem } from '../../../facts/go-template';

export interface TemplateReading {
  /** Labels of the alert that the text names: `$labels.pod`, `.Labels.pod`, `index $labels "pod"`. */
  readonly labels: readonly string[];
  /** Why Prometheus rejects it; `undefined` where it does not. */
  readonly problem?: string;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  ...GO_FUNCTIONS,
  'query',
  'first',
  'label',
  'value',
  'strvalue',
  'args',
  'reReplaceAll',
  'safeHtml',
  'match',
  'title',
  'toUpper',
  'toLower',
  'graphLink',
  'tableLink',
  'sortByLabel',
  'stripPort',
  'stripDomain',
  'humanize',
  'humanize1024',
  'humanizeDuration',
  'humanizePercentage',
  'humanizeTimestamp',
  'toTime',
  'toDuration',
  'now',
  'pathPrefix',
  'externalURL',
  'parseDuration',
  'parseDurationTime',
  'urlQueryEscape',
]);
/** Words that open a block in which the dot is something else, the result of a query for example. */
const MOVE_DOT: ReadonlySet<string> = new Set(['range', 'with', 'define', 'block']);
const VARIABLES = ['$labels', '$externalLabels', '$externalURL', '$value'];

/** Reads a text with `{{ … }}` in it. */
export function readTemplate(text: string): TemplateReading {
  const problem = templateProblem(text, { functions: FUNCTIONS, variables: VARIABLES });
  return { labels: [...labelsIn(text)], ...(problem === undefined ? {} : { problem }) };
}

function labelsIn(text: string): ReadonlySet<string> {
  const labels = new Set<string>();
  const open: string[] = [];
  for (const [, action = ''] of text.matchAll(/\{\{-?\s*((?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\}).)*?)\}\}/gs)) {
    const dotMoved = open.some((word) => MOVE_DOT.has(word));
    const ofAlert = dotMoved ? '\\$labels' : '(?:\\$labels|(?<![\\w)\\]])\\.Labels)';
    const named = [
      ...action.matchAll(new RegExp(`${ofAlert}\\.([A-Za-z_]\\w*)`, 'g')),
      ...action.matchAll(new RegExp(`\\bindex\\s+${ofAlert}\\s+["\`]([^"\`]+)["\`]`, 'g')),
    ];
    named.forEach(([, name = '']) => labels.add(name));
    const keyword = /^\w+/.exec(action)?.[0] ?? '';
    if (keyword === 'end') {
      open.pop();
    } else if (keyword === 'if' || MOVE_DOT.has(keyword)) {
      open.push(keyword);
    }
  }
  return labels;
}
