/**
 * The end of an output: its last frames, within a bounded memory.
 */
import { Readable } from 'node:stream';
import { type Frame, frameBytes, framesOf } from '../engine/frames';

/** Bytes of output that are kept in any case. */
const MOST_BYTES = 1024 * 1024;

/** @param most frames; the engine writes one for each line */
export function lastFrames(source: Readable, most: number): Readable {
  return Readable.from(end(source, most), { objectMode: false });
}

async function* end(source: Readable, most: number): AsyncGenerator<Buffer> {
  let kept: Frame[] = [];
  let first = 0;
  let bytes = 0;
  for await (const frame of framesOf(source)) {
    // What a frame shows is a part of a larger buffer, which must not be kept for it.
    kept.push({ stream: frame.stream, data: Buffer.from(frame.data) });
    bytes += frame.data.length;
    while (kept.length - first > most || (bytes > MOST_BYTES && kept.length - first > 1)) {
      bytes -= kept[first].data.length;
      first++;
    }
    if (first > kept.length / 2) {
      kept = kept.slice(first);
      first = 0;
    }
  }
  for (const frame of kept.slice(first)) {
    yield frameBytes(frame);
  }
}
