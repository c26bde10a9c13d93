/**
 * A place in a YAML text that only moves forward, and what libyaml calls the characters there.
 */

/** A text that YAML does not allow, and where. Thrown and caught inside the reader of YAML. */
export class YamlSyntaxError extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function isBreak(code: number): boolean {
  return (
    code === LINE_FEED ||
    code === CARRIAGE_RETURN ||
    code === NEXT_LINE ||
    code === LINE_SEPARATOR ||
    code === PARAGRAPH_SEPARATOR
  );
}

export function isBreakOrEnd(code: number): boolean {
  return code === 0 || isBreak(code);
}

export function isBlankOrEnd(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === 0 || code === TAB || isBreak(code);
}

/** Letters, digits, `_` and `-`: what names of anchors, tag handles, and directives consist of. */
export function isWordCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d
  );
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export class Cursor {
  readonly text: string;
  /** Number of characters, without the NUL that ends the text here. */
  readonly end: number;
  pos = 0;
  line = 0;
  private lineStart = 0;

  /** @param text without NUL characters */
  constructor(text: string) {
    this.text = `${text}\0`;
    this.end = text.length;
  }

  get column(): number {
    return this.pos - this.lineStart;
  }

  /** The code unit here or further on; 0 at the end of the text. */
  code(ahead = 0): number {
    const at = this.pos + ahead;
    return at < this.end ? this.text.charCodeAt(at) : 0;
  }

  skip(count = 1): void {
    this.pos += count;
  }

  skipBlanks(): void {
    while (isBlank(this.code())) {
      this.pos++;
    }
  }

  /** Moves to the end of the line. */
  skipLine(): void {
    while (!isBreakOrEnd(this.code())) {
      this.pos++;
    }
  }

  /** Moves past a line break and returns it as a value has it; moves nowhere where there is none. */
  takeBreak(): string {
    const code = this.code();
    if (!isBreak(code)) {
      return '';
    }
    this.pos += code === CARRIAGE_RETURN && this.code(1) === LINE_FEED ? 2 : 1;
    this.startLine();
    return code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR ? String.fromCharCode(code) : '\n';
  }

  /** The end of the text begins a line of its own. */
  startLine(): void {
    this.line++;
    this.lineStart = this.pos;
  }

  /** Whether `---` or `...` begins the line here. */
  atDocumentMarker(): boolean {
    if (this.pos !== this.lineStart) {
      return false;
    }
    const code = this.code();
    return (
      (code === 0x2d || code === 0x2e) && this.code(1) === code && this.code(2) === code && isBlankOrEnd(this.code(3))
    );
  }

  fail(message: string, offset = this.pos): never {
    throw new YamlSyntaxError(Math.min(offset, this.end), message);
  }
}
