/**
 * Where an expression stops being CEL: the first token that no valid expression can have there.
 *
 * The engine's parser tries alternatives, and names the place where the outermost of them began: the `?` of a condition, for a mistake in
 * one of its branches. The server's parser names the token itself, and so does this one. It only tells whether an operand or an operator
 * may follow, by what is open.
 */

interface Token {
  readonly text: string;
  readonly at: number;
  readonly kind: 'name' | 'literal' | 'sign';
}

const SPACE = /(?:\s|\/\/[^\n]*)+/y;
const LITERAL =
  /[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|0x[0-9a-fA-F]+[uU]?|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?[uU]?/y;
const NAME = /[A-Za-z_]\w*|`[^`]*`/y;
const SIGN = /&&|\|\||[=!<>]=|[^]/y;

const BINARY: ReadonlySet<string> = new Set([
  '&&',
  '||',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  'in',
]);
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** What is open, and what it may contain. */
interface Frame {
  readonly closer: string;
  /** Whether it is a list of items: `(…)` around an operand and `[…]` after one are not. */
  readonly isList: boolean;
  /** Whether its items have keys. */
  readonly hasKeys: boolean;
  /** Conditions of which the second alternative is missing. */
  conditions: number;
  /** Whether the item has its key already. */
  keyed: boolean;
}

/** The token that cannot be where it is, or the end of the expression; `undefined` where every token can. */
export function unexpectedToken(source: string): { readonly text: string; readonly at: number } | undefined {
  const tokens = tokensOf(source);
  const reader = new Reader();
  for (const [index, token] of tokens.entries()) {
    if (!reader.accepts(token, tokens[index - 1])) {
      return token;
    }
  }
  return reader.isComplete() ? undefined : { text: '', at: source.length };
}

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    at += match(SPACE)?.length ?? 0;
    for (const [kind, pattern] of [
      ['literal', LITERAL],
      ['name', NAME],
      ['sign', SIGN],
    ] as const) {
      const text = match(pattern);
      if (text !== undefined) {
        tokens.push({ text, at, kind });
        at += text.length;
        break;
      }
    }
  }
  return tokens;
}

class Reader {
  private readonly open: Frame[] = [frame('', false)];
  /** Whether an operand comes next; `name` where only the name of a member does. */
  private next: 'operand' | 'operator' | 'name' = 'operand';
  /** Whether the bracket may close although an operand could follow: after `[`, or after the last comma. */
  private mayClose = false;

  private get top(): Frame {
    return this.open[this.open.length - 1] ?? frame('', false);
  }

  isComplete(): boolean {
    return this.next === 'operator' && this.open.length === 1 && this.top.conditions === 0;
  }

  accepts(token: Token, before: Token | undefined): boolean {
    const { text, kind } = token;
    if (this.next === 'name') {
      this.next = 'operator';
      return kind === 'name' || (text === '?' && before?.text === '.' && this.expect('name'));
    }
    if (this.next === 'operator') {
      return this.operator(token, before);
    }
    return this.operand(token, before);
  }

  private operand({ text, kind }: Token, before: Token | undefined): boolean {
    const mayClose = this.mayClose;
    this.mayClose = false;
    if (kind === 'literal' || (kind === 'name' && text !== 'in')) {
      return this.expect('operator');
    }
    if (text === '(' || text === '[' || text === '{') {
      return this.enter(text, text !== '(', text === '{');
    }
    if (text === '?') {
      return /^[[{,]$/.test(before?.text ?? '') && this.top.closer !== ')';
    }
    return text === '!' || text === '-' || (text === '.' && this.expect('name')) || (mayClose && this.close(text));
  }

  private operator({ text, kind }: Token, before: Token | undefined): boolean {
    const { top } = this;
    if (BINARY.has(text) || text === '?') {
      top.conditions += text === '?' ? 1 : 0;
      return this.expect('operand');
    }
    if (text === ':') {
      if (top.conditions > 0) {
        top.conditions -= 1;
        return this.expect('operand');
      }
      const isKey = top.hasKeys && !top.keyed;
      top.keyed = true;
      return isKey && this.expect('operand');
    }
    if (text === '.') {
      return this.expect('name');
    }
    if (text === '(' || text === '{') {
      return before?.kind === 'name' && this.enter(text, true, text === '{');
    }
    if (text === '[') {
      return this.enter(text, false, false);
    }
    if (text === ',') {
      return this.item();
    }
    return kind === 'sign' && this.close(text);
  }

  private expect(next: 'operand' | 'operator' | 'name'): true {
    this.next = next;
    return true;
  }

  private enter(text: string, isList: boolean, hasKeys: boolean): true {
    this.open.push({ ...frame(CLOSERS[text] ?? '', isList), hasKeys });
    this.mayClose = isList;
    return this.expect('operand');
  }

  private item(): boolean {
    const { top } = this;
    if (!top.isList || !this.isItem()) {
      return false;
    }
    top.keyed = false;
    this.mayClose = top.closer !== ')';
    return this.expect('operand');
  }

  /** Whether what is open may end here. */
  private isItem(): boolean {
    return this.top.conditions === 0 && this.top.keyed === this.top.hasKeys;
  }

  private close(text: string): boolean {
    const isEmpty = this.next === 'operand';
    if (this.open.length === 1 || this.top.closer !== text || !(isEmpty || this.isItem())) {
      return false;
    }
    this.open.pop();
    return this.expect('operator');
  }
}

const frame = (closer: string, isList: boolean): Frame => ({
  closer,
  isList,
  hasKeys: false,
  conditions: 0,
  keyed: false,
});
