/**
 * The tokens of a template of Go's text/template.
 *
 * Source: Go 1.26, text/template/parse/lex.go.
 */

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'identifier'
  | 'keyword'
  | 'boolean'
  | 'nil'
  | 'dot'
  | 'field'
  | 'variable'
  | 'string'
  | 'character'
  | 'number'
  /** `|`, `,`, `=`, `:=`, `(`, `)`, or another character that is taken by itself. */
  | 'sign'
  | 'error'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Of an error, its message. */
  readonly text: string;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'template', 'with'],
]);

const SPACE = /[ \t\r\n]+/y;
const WORD = /[\p{L}\p{Nd}_]*/uy;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
const RAW_STRING = /`[^`]*`/y;
const CHARACTER = /'(?:[^'\\\n]|\\[^\n])*'/y;
const NUMBER =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*|0[bB][01_]*|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;
const COMMENT = /\/\*[\s\S]*?\*\//y;
const SIGNS = '|,=()';

/** All tokens up to the end, or up to the first error, which is then the last. */
export function tokensOf(text: string): readonly Token[] {
  return new Lexer(text).tokens();
}

class Lexer {
  private at = 0;
  private depth = 0;
  private readonly found: Token[] = [];

  constructor(private readonly text: string) {}

  tokens(): readonly Token[] {
    while (this.at < this.text.length) {
      const open = this.text.indexOf('{{', this.at);
      this.found.push({ kind: 'text', text: this.text.slice(this.at, open < 0 ? undefined : open) });
      if (open < 0) {
        break;
      }
      this.at = open + 2;
      const trims = /-[ \t\r\n]/y;
      trims.lastIndex = this.at;
      this.at += trims.test(this.text) ? 2 : 0;
      const error = this.text.startsWith('/*', this.at) ? this.comment() : this.action();
      if (error !== undefined) {
        return [...this.found, { kind: 'error', text: error }];
      }
    }
    return [...this.found, { kind: 'end', text: '' }];
  }

  private comment(): string | undefined {
    if (this.match(COMMENT) === undefined) {
      return 'unclosed comment';
    }
    const closing = /(?:[ \t\r\n]-)?\}\}/y;
    return this.match(closing) === undefined ? 'comment ends before closing delimiter' : undefined;
  }

  private action(): string | undefined {
    this.depth = 0;
    this.push('open', '{{');
    for (;;) {
      if (this.closes()) {
        return this.depth > 0 ? 'unclosed left paren' : undefined;
      }
      if (this.at >= this.text.length) {
        return 'unclosed action';
      }
      const error = this.token();
      if (error !== undefined) {
        return error;
      }
    }
  }

  /** Takes `}}`, or ` -}}`. */
  private closes(): boolean {
    if (this.match(/[ \t\r\n]-\}\}|\}\}/y) === undefined) {
      return false;
    }
    if (this.depth === 0) {
      this.push('close', '}}');
    }
    return true;
  }

  private token(): string | undefined {
    const character = this.text.charAt(this.at);
    if (' \t\r\n'.includes(character)) {
      return this.space();
    }
    if (SIGNS.includes(character)) {
      return this.sign(character);
    }
    switch (character) {
      case ':':
        return this.take(/:=/y, 'sign', 'expected :=');
      case '"':
        return this.take(STRING, 'string', 'unterminated quoted string');
      case '`':
        return this.take(RAW_STRING, 'string', 'unterminated raw quoted string');
      case "'":
        return this.take(CHARACTER, 'character', 'unterminated character constant');
      case '$':
      case '.':
        return character === '.' && /\d/.test(this.text.charAt(this.at + 1)) ? this.number() : this.fieldOrVariable();
      default:
        return /[-+0-9]/.test(character) ? this.number() : this.word(character);
    }
  }

  /** A run of spaces, without the last where `-}}` follows it. */
  private space(): string | undefined {
    const run = this.match(SPACE) ?? '';
    if (this.text.startsWith('-}}', this.at)) {
      this.at -= 1;
    }
    this.push('space', run);
    return undefined;
  }

  private sign(character: string): string | undefined {
    this.at += 1;
    this.depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (this.depth < 0) {
      return 'unexpected right paren';
    }
    this.push('sign', character);
    return undefined;
  }

  private take(pattern: RegExp, kind: TokenKind, error: string): string | undefined {
    const text = this.match(pattern);
    if (text === undefined) {
      return error;
    }
    this.push(kind, text);
    return undefined;
  }

  private number(): string | undefined {
    const text = this.match(NUMBER) ?? '';
    const next = this.match(WORD) ?? '';
    if (next !== '' || !/\d/.test(text)) {
      return `bad number syntax: "${text}${next}"`;
    }
    this.push('number', text);
    return undefined;
  }

  private fieldOrVariable(): string | undefined {
    const first = this.text.charAt(this.at);
    this.at += 1;
    if (this.terminated()) {
      this.push(first === '.' ? 'dot' : 'variable', first);
      return undefined;
    }
    const name = this.match(WORD) ?? '';
    this.push(first === '.' ? 'field' : 'variable', `${first}${name}`);
    return this.badCharacter();
  }

  private word(character: string): string | undefined {
    const word = this.match(WORD) ?? '';
    if (word === '') {
      this.at += 1;
      const printable = /[\x20-\x7e]/.test(character);
      this.push('sign', character);
      return printable ? undefined : `unrecognized character in action: ${JSON.stringify(character)}`;
    }
    const kind = KEYWORDS.has(word)
      ? 'keyword'
      : word === 'nil'
        ? 'nil'
        : word === 'true' || word === 'false'
          ? 'boolean'
          : 'identifier';
    this.push(kind, word);
    return this.badCharacter();
  }

  private badCharacter(): string | undefined {
    return this.terminated() ? undefined : `bad character ${JSON.stringify(this.text.charAt(this.at))}`;
  }

  /** Whether a name may end here. */
  private terminated(): boolean {
    return (
      this.at >= this.text.length ||
      /[ \t\r\n.,|:()]/.test(this.text.charAt(this.at)) ||
      this.text.startsWith('}}', this.at)
    );
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.text)?.[0];
    this.at += text?.length ?? 0;
    return text;
  }

  private push(kind: TokenKind, text: string): void {
    this.found.push({ kind, text });
  }
}
