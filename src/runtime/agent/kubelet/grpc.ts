/**
 * One gRPC call without streaming, over a UNIX socket. Source: gRPC over HTTP2, github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.
 */
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';

/** The kubelet limits its own messages to 16 MiB. */
const MOST_BYTES = 16 * 2 ** 20;
const FRAME_HEADER = 5;

/**
 * @param method `/package.Service/Method`
 * @throws Error where the socket cannot be reached, the call fails, or takes longer than `timeout` milliseconds
 */
export async function callUnary(
  socket: string,
  method: string,
  message: Uint8Array,
  timeout: number,
): Promise<Uint8Array> {
  const session = connect('http://localhost', { createConnection: () => connectSocket(socket) });
  try {
    return await new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${socket} ${method}: ${why}`));
      const timer = setTimeout(() => fail(`no answer within ${timeout} ms`), timeout);
      session.on('error', (error: Error) => fail(error.message));
      const request = session.request({
        ':method': 'POST',
        ':path': method,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const chunks: Buffer[] = [];
      let size = 0;
      let status: unknown;
      let reason = '';
      const settle = (headers: IncomingHttpHeaders): void => {
        status = headers['grpc-status'] ?? status;
        reason = headers['grpc-message']?.toString() ?? reason;
      };
      request.on('response', settle);
      request.on('trailers', settle);
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_BYTES) {
          request.close();
          fail(`the answer is larger than ${MOST_BYTES} bytes`);
        } else {
          chunks.push(chunk);
        }
      });
      request.on('error', (error: Error) => fail(error.message));
      request.on('end', () => {
        clearTimeout(timer);
        if (status !== '0') {
          fail(`gRPC status ${String(status)}${reason === '' ? '' : `: ${reason}`}`);
          return;
        }
        const body = Buffer.concat(chunks);
        if (body.length < FRAME_HEADER || body[0] !== 0) {
          fail('the answer has no message, or a compressed one');
          return;
        }
        resolve(body.subarray(FRAME_HEADER, FRAME_HEADER + body.readUInt32BE(1)));
      });
      request.on('close', () => clearTimeout(timer));
      const header = Buffer.alloc(FRAME_HEADER);
      header.writeUInt32BE(message.length, 1);
      request.end(Buffer.concat([header, message]));
    });
  } finally {
    session.destroy();
  }
}
