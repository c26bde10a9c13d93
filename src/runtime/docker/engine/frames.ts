/**
 * The engine's stream of a container without a terminal: frames of an 8-byte header (stream, three zeros, length big-endian) and the output.
 */
export interface Frame {
  readonly stream: 'stdout' | 'stderr';
  readonly data: Buffer;
}

const HEADER = 8;

/** Frames of a stream, however it is cut into chunks. What is left of a last, incomplete frame is dropped. */
export async function* framesOf(source: AsyncIterable<unknown>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= HEADER) {
      const length = rest.readUInt32BE(4);
      if (rest.length < HEADER + length) {
        break;
      }
      yield { stream: rest[0] === 2 ? 'stderr' : 'stdout', data: rest.subarray(HEADER, HEADER + length) };
      rest = rest.subarray(HEADER + length);
    }
  }
}

/** The bytes of a frame. */
export function frameBytes({ stream, data }: Frame): Buffer {
  const header = Buffer.alloc(HEADER);
  header[0] = stream === 'stderr' ? 2 : 1;
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}
