/**
 * Bytes to lines, whatever the chunks they come in.
 */
const NEWLINE = 10;

export class Lines {
  private kept: Buffer[] = [];

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      // Whole lines only are decoded, so that no character is cut in two.
      const line = this.kept.length === 0 ? end : Buffer.concat([...this.kept, end]);
      this.kept = [];
      from = at + 1;
      if (line.length > 0) {
        this.onLine(line.toString('utf8'));
      }
    }
    if (from < chunk.length) {
      this.kept.push(Buffer.from(chunk.subarray(from)));
    }
  }
}
