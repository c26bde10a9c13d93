/**
 * Prints the output of a container: both streams to where they belong, without the engine's time stamps unless they are wanted.
 */
import { framesOf } from '../../../runtime/docker/engine/frames';
import { type Terminal } from '../terminal';

export async function printOutput(
  source: AsyncIterable<unknown>,
  timestamps: boolean,
  terminal: Terminal,
): Promise<void> {
  // A character may be cut in two between frames.
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, data } of framesOf(source)) {
    const space = data.indexOf(0x20);
    const text = decoders[stream].decode(timestamps ? data : data.subarray(space + 1), { stream: true });
    (stream === 'stderr' ? terminal.err : terminal.out)(text);
  }
}
