/**
 * The output of a program as a page shows it: lines without control sequences, in which a carriage return begins the line again, as progress bars expect. Only
 * the last lines are kept.
 */
const MOST_LINES = 5000;
const LONGEST_LINE = 10_000;
/** ECMA-48 control sequences, operating system commands up to their end, and all other control characters but the tab. */
const ESCAPE = '\\u001B';
const CONTROL = new RegExp(
  [
    `${ESCAPE}\\[[0-?]*[ -/]*[@-~]`,
    `${ESCAPE}\\][^\\u0007\\u001B]*(?:\\u0007|${ESCAPE}\\\\)`,
    `${ESCAPE}[@-Z\\\\-_]`,
    '(?!\\t)\\p{Cc}',
  ].join('|'),
  'gu',
);

export class OutputText {
  private readonly lines: string[] = [''];
  /** The next character begins the last line again. */
  private returned = false;
  private cut = false;

  get text(): string {
    return this.lines.join('\n');
  }

  /** Lines before the first one were left out. */
  get isCut(): boolean {
    return this.cut;
  }

  add(output: string): void {
    for (const [index, part] of output.split('\n').entries()) {
      if (index > 0) {
        this.lines.push('');
        this.returned = false;
      }
      part.split('\r').forEach((segment, place) => {
        this.returned ||= place > 0;
        const plain = segment.replace(CONTROL, '');
        if (plain !== '') {
          this.write(plain);
        }
      });
    }
    if (this.lines.length > MOST_LINES) {
      this.lines.splice(0, this.lines.length - MOST_LINES);
      this.cut = true;
    }
  }

  private write(plain: string): void {
    const before = this.returned ? '' : this.lines.at(-1)!;
    this.lines[this.lines.length - 1] = (before + plain).slice(0, LONGEST_LINE);
    this.returned = false;
  }
}

const HEADER = 8;

/** Takes the frames of the engine, however they are cut, and gives their output without time stamps. */
export class FrameReader {
  private rest = new Uint8Array(0);
  /** A character may be cut between frames. */
  private readonly decoders = [new TextDecoder(), new TextDecoder(), new TextDecoder()] as const;

  read(chunk: Uint8Array): string {
    const bytes = new Uint8Array(this.rest.length + chunk.length);
    bytes.set(this.rest);
    bytes.set(chunk, this.rest.length);
    const view = new DataView(bytes.buffer);
    let text = '';
    let at = 0;
    while (bytes.length - at >= HEADER && bytes.length - at - HEADER >= view.getUint32(at + 4)) {
      const end = at + HEADER + view.getUint32(at + 4);
      const data = bytes.subarray(at + HEADER, end);
      text += this.decoders[bytes[at] === 2 ? 2 : 1].decode(data.subarray(data.indexOf(0x20) + 1), { stream: true });
      at = end;
    }
    this.rest = bytes.slice(at);
    return text;
  }
}
