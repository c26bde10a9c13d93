/**
 * The templates of alerts, as far as one can judge them without running them: Go's text/template with Prometheus' functions.
 *
 * Source: Prometheus v3.15, template/template.go; Go, text/template/parse and text/template/funcs.go.
 */

export interface TemplateReading {
  /** Labels of the alert that the text names: `$labels.pod`, `.Labels.pod`, `index $labels "pod"`. */
  readonly labels: readonly string[];
  /** Why Go would not take it; `undefined` where nothing is wrong that can be seen. */
  readonly problem?: string;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  // Prometheus.
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
  // Go.
  'and',
  'or',
  'not',
  'len',
  'index',
  'slice',
  'print',
  'printf',
  'println',
  'html',
  'js',
  'urlquery',
  'call',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
]);
const BLOCKS: ReadonlySet<string> = new Set(['if', 'range', 'with', 'define', 'block']);
const WORDS: ReadonlySet<string> = new Set([
  ...BLOCKS,
  'else',
  'end',
  'template',
  'break',
  'continue',
  'true',
  'false',
  'nil',
]);
const GIVEN: ReadonlySet<string> = new Set(['$', '$labels', '$externalLabels', '$externalURL', '$value']);

/** Reads a text with `{{ … }}` in it. */
export function readTemplate(text: string): TemplateReading {
  const labels = new Set<string>();
  const variables = new Set<string>(GIVEN);
  const open: string[] = [];
  let problem: string | undefined;
  const note = (what: string): void => void (problem ??= what);
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at)) {
    const end = endOfAction(text, at + 2);
    if (end === undefined) {
      return { labels: [...labels], problem: problem ?? `"${text.slice(at, at + 30)}" is not closed by }}` };
    }
    const action = text
      .slice(at + 2, end)
      .replace(/^-\s/, '')
      .replace(/\s-$/, '')
      .trim();
    at = end + 2;
    if (action.startsWith('/*')) {
      continue;
    }
    const bare = action.replace(/"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'/g, '""');
    // Within these the dot is something else, the result of a query for example.
    const dotMoved = open.some((block) => block !== 'if');
    const ofAlert = dotMoved ? '\\$labels' : '(?:\\$labels|(?<![\\w)\\]])\\.Labels)';
    for (const [, name = ''] of action.matchAll(new RegExp(`${ofAlert}\\.([A-Za-z_]\\w*)`, 'g'))) {
      labels.add(name);
    }
    for (const [, name = ''] of action.matchAll(new RegExp(`\\bindex\\s+${ofAlert}\\s+["\`]([^"\`]+)["\`]`, 'g'))) {
      labels.add(name);
    }
    for (const [, name = ''] of bare.matchAll(/(\$\w+)\s*:?=/g)) {
      variables.add(name);
    }
    for (const [, name = ''] of bare.matchAll(/(\$\w+)\s*,/g)) {
      variables.add(name);
    }
    const keyword = /^\w+/.exec(bare)?.[0] ?? '';
    if (action === '') {
      note('{{ }} is empty');
    }
    if (BLOCKS.has(keyword)) {
      open.push(keyword);
    } else if (keyword === 'end' && open.pop() === undefined) {
      note('{{ end }} has no matching block');
    } else if (keyword === 'else' && open.length === 0) {
      note('{{ else }} is outside a block');
    }
    const unknown = [...bare.matchAll(/(?<![\w.$])([A-Za-z]\w*)/g)]
      .map(([, name = '']) => name)
      .find((name) => !WORDS.has(name) && !FUNCTIONS.has(name));
    if (unknown !== undefined && keyword !== 'define' && keyword !== 'template' && keyword !== 'block') {
      note(`unknown function ${unknown} in {{ ${action} }}`);
    }
    const undefinedVariable = [...bare.matchAll(/\$\w*/g)].map(([name]) => name).find((name) => !variables.has(name));
    if (undefinedVariable !== undefined) {
      note(`${undefinedVariable} is not defined; the variables are $labels, $value, $externalLabels, and $externalURL`);
    }
  }
  if (open.length > 0) {
    note(`{{ ${open.at(-1) ?? ''} }} has no {{ end }}`);
  }
  return { labels: [...labels], ...(problem === undefined ? {} : { problem }) };
}

/** Where `}}` ends an action; braces in quotes do not. */
function endOfAction(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' || character === '`') {
      const closing = text.slice(at + 1).search(character === '"' ? /(?<!\\)"/ : /`/);
      if (closing < 0) {
        return undefined;
      }
      at += closing + 1;
    } else if (character === '}' && text[at + 1] === '}') {
      return at;
    }
  }
  return undefined;
}
