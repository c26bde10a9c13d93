/**
 * Lines of a stream, however the stream is cut into chunks.
 */
const LONGEST_LINE = 1024 * 1024;

export class LineReader implements AsyncIterable<string> {
  constructor(private readonly source: AsyncIterable<unknown>) {}

  /** @throws Error for a line of more than 1 MiB */
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.source) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      let end = rest.indexOf('\n');
      while (end >= 0) {
        const line = rest.slice(0, end).trim();
        rest = rest.slice(end + 1);
        if (line !== '') {
          yield line;
        }
        end = rest.indexOf('\n');
      }
      if (rest.length > LONGEST_LINE) {
        throw new Error('a line is longer than 1 MiB');
      }
    }
    if (rest.trim() !== '') {
      yield rest.trim();
    }
  }
}
