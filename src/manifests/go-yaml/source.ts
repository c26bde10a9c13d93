/**
 * A YAML text and the place in it that is read next.
 */

export class YamlSyntaxError extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

export function isBreak(char: string): boolean {
  return char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029';
}

export function isSpace(char: string): boolean {
  return char === ' ' || char === '\t';
}

/** A space, a tab, a line break, or the end of the text. */
export function isGap(char: string): boolean {
  return char === '' || isSpace(char) || isBreak(char);
}

/** A key and its colon must not be farther apart, in characters. */
const MAX_KEY_LENGTH = 1024;

/** A place to return to. */
export interface Place {
  readonly at: number;
  readonly line: number;
  readonly lineStart: number;
  readonly blockAllowed: boolean;
}

export class Source {
  at = 0;
  line = 0;
  private lineStart = 0;
  /** Brackets and braces that are open here. */
  flowDepth = 0;
  /** A list item or a map key in block style may begin here: only indicators are before it on its line. */
  blockAllowed = true;

  constructor(readonly text: string) {}

  get char(): string {
    return this.text.charAt(this.at);
  }

  get next(): string {
    return this.text.charAt(this.at + 1);
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  get place(): Place {
    return { at: this.at, line: this.line, lineStart: this.lineStart, blockAllowed: this.blockAllowed };
  }

  return(place: Place): void {
    this.at = place.at;
    this.line = place.line;
    this.lineStart = place.lineStart;
    this.blockAllowed = place.blockAllowed;
  }

  /** An indicator such as `-` with a gap after it. */
  isIndicator(indicator: string): boolean {
    return this.char === indicator && isGap(this.next);
  }

  /** `---` or `...` at the beginning of a line. */
  get isMarker(): boolean {
    return (
      this.column === 0 &&
      /^(?:---|\.\.\.)$/.test(this.text.slice(this.at, this.at + 3)) &&
      isGap(this.text.charAt(this.at + 3))
    );
  }

  /** The document ends here: with the text, at a marker, or at a line that begins with `%`. */
  get isEnd(): boolean {
    return this.at >= this.text.length || this.isMarker || (this.column === 0 && this.char === '%');
  }

  /** Reads one line break and returns what it means within a string. */
  readBreak(): string {
    const { char } = this;
    this.at += char === '\r' && this.next === '\n' ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
    if (this.flowDepth === 0) {
      this.blockAllowed = true;
    }
    return char === '\u2028' || char === '\u2029' ? char : '\n';
  }

  skipSpaces(): void {
    while (isSpace(this.char)) {
      this.at++;
    }
  }

  skipLine(): void {
    while (this.char !== '' && !isBreak(this.char)) {
      this.at++;
    }
  }

  /** Skips blanks, comments, and line breaks. */
  skipGap(): void {
    for (;;) {
      while (this.char === ' ' || (this.char === '\t' && (this.flowDepth > 0 || !this.blockAllowed))) {
        this.at++;
      }
      if (this.char === '#') {
        this.skipLine();
      }
      if (!isBreak(this.char)) {
        break;
      }
      this.readBreak();
    }
    if (this.char === '\t') {
      throw new YamlSyntaxError(this.at, 'a tab must not be used for indentation');
    }
  }

  /** Whether what began at a place may be the key of a colon that is here. */
  mayBeKey(begin: Place): boolean {
    const { at, line } = begin;
    if (line !== this.line || (this.flowDepth === 0 && this.isNeverKey(begin))) {
      return false;
    }
    return this.at - at <= MAX_KEY_LENGTH || [...this.text.slice(at, this.at)].length <= MAX_KEY_LENGTH;
  }

  /** kubectl takes `{}`, `[]`, and `{? a}` for no key in block style. */
  isNeverKey({ at }: Place): boolean {
    return /^[[{][ \t]*[\]}?]/.test(this.text.slice(at, this.at));
  }
}
