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
  const reader = new TemplateReader();
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at)) {
    const end = endOfAction(text, at + 2);
    if (end === undefined) {
      return reader.reading(`"${text.slice(at, at + 30)}" is not closed by }}`);
    }
    const action = text
      .slice(at + 2, end)
      .replace(/^-\s/, '')
      .replace(/\s-$/, '')
      .trim();
    at = end + 2;
    if (!action.startsWith('/*')) {
      reader.read(action);
    }
  }
  return reader.reading(reader.unclosed());
}

/** What the actions of a template, one after another, read and define. The first problem is the one that is reported. */
class TemplateReader {
  private readonly labels = new Set<string>();
  private readonly variables = new Set<string>(GIVEN);
  private readonly open: string[] = [];
  private problem: string | undefined;

  /** @param last a problem that only the end of the text shows */
  reading(last: string | undefined): TemplateReading {
    const problem = this.problem ?? last;
    return { labels: [...this.labels], ...(problem === undefined ? {} : { problem }) };
  }

  unclosed(): string | undefined {
    return this.open.length > 0 ? `{{ ${this.open.at(-1) ?? ''} }} has no {{ end }}` : undefined;
  }

  read(action: string): void {
    const bare = action.replace(/"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'/g, '""');
    const keyword = /^\w+/.exec(bare)?.[0] ?? '';
    this.readLabels(action);
    for (const [, name = ''] of bare.matchAll(/(\$\w+)\s*(?::?=|,)/g)) {
      this.variables.add(name);
    }
    if (action === '') {
      this.note('{{ }} is empty');
    }
    this.readBlock(keyword);
    this.readNames(bare, keyword, action);
  }

  private note(what: string): void {
    this.problem ??= what;
  }

  private readLabels(action: string): void {
    // Within these the dot is something else, the result of a query for example.
    const dotMoved = this.open.some((block) => block !== 'if');
    const ofAlert = dotMoved ? '\\$labels' : '(?:\\$labels|(?<![\\w)\\]])\\.Labels)';
    for (const [, name = ''] of action.matchAll(new RegExp(`${ofAlert}\\.([A-Za-z_]\\w*)`, 'g'))) {
      this.labels.add(name);
    }
    for (const [, name = ''] of action.matchAll(new RegExp(`\\bindex\\s+${ofAlert}\\s+["\`]([^"\`]+)["\`]`, 'g'))) {
      this.labels.add(name);
    }
  }

  private readBlock(keyword: string): void {
    if (BLOCKS.has(keyword)) {
      this.open.push(keyword);
    } else if (keyword === 'end' && this.open.pop() === undefined) {
      this.note('{{ end }} has no matching block');
    } else if (keyword === 'else' && this.open.length === 0) {
      this.note('{{ else }} is outside a block');
    }
  }

  private readNames(bare: string, keyword: string, action: string): void {
    const unknown = [...bare.matchAll(/(?<![\w.$])([A-Za-z]\w*)/g)]
      .map(([, name = '']) => name)
      .find((name) => !WORDS.has(name) && !FUNCTIONS.has(name));
    if (unknown !== undefined && keyword !== 'define' && keyword !== 'template' && keyword !== 'block') {
      this.note(`unknown function "${unknown}" in {{ ${action} }}`);
    }
    const missing = [...bare.matchAll(/\$\w*/g)].map(([name]) => name).find((name) => !this.variables.has(name));
    if (missing !== undefined) {
      this.note(`${missing} is not defined; the variables are $labels, $value, $externalLabels, and $externalURL`);
    }
  }
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
