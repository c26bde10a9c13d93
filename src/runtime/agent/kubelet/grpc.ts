/**
 * gRPC calls without streaming, over a UNIX socket and one connection, which is kept. Source: gRPC over HTTP2, github.com/grpc/grpc,
 * doc/PROTOCOL-HTTP2.md.
 */
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';

/** The kubelet limits its own messages to 16 MiB. */
const MOST_BYTES = 16 * 2 ** 20;
const FRAME_HEADER = 5;

export class GrpcChannel {
  private session: ClientHttp2Session | undefined;

  constructor(private readonly socket: string) {}

  /**
   * @param method `/package.Service/Method`
   * @throws Error where the socket cannot be reached, the call fails, or takes longer than `timeout` milliseconds
   */
  async call(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array> {
    for (let tries = 0; ; tries++) {
      const kept = this.session;
      const session = this.connected();
      try {
        return await callOn(session, method, message, timeout);
      } catch (error) {
        this.giveUp(session);
        // A kubelet that started again has ended the connection, which may not be known yet.
        if (tries > 0 || session !== kept || !(error instanceof ConnectionLost)) {
          throw new Error(`${this.socket} ${method}: ${(error as Error).message}`, { cause: error });
        }
      }
    }
  }

  close(): void {
    if (this.session !== undefined) {
      endLater(this.session);
    }
    this.session = undefined;
  }

  private connected(): ClientHttp2Session {
    if (this.session === undefined || this.session.closed || this.session.destroyed) {
      const session = connect('http://localhost', { createConnection: () => connectSocket(this.socket) });
      // Each call reports it too; between calls nothing is lost.
      session.on('error', () => undefined);
      session.on('goaway', () => session.close());
      this.session = session;
    }
    return this.session;
  }

  /** The next call makes a new connection: one that is not answered may be that of a kubelet that has ended. */
  private giveUp(session: ClientHttp2Session): void {
    endLater(session);
    this.session = this.session === session ? undefined : this.session;
  }
}

/**
 * Not at once: an answer resolves promises while Node.js is still reading from the connection, and a session that is destroyed in between, with
 * another call under way, corrupts the memory of Node.js 20.
 */
function endLater(session: ClientHttp2Session): void {
  setImmediate(() => session.destroy());
}

const ENDED = 'the connection closed before the response ended';

/** There may be an answer on another connection. */
class ConnectionLost extends Error {}

function callOn(
  session: ClientHttp2Session,
  method: string,
  message: Uint8Array,
  timeout: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(why));
    const lost = (error: Error): void => reject(new ConnectionLost(error.message));
    session.once('error', lost);
    const request = session.request({
      ':method': 'POST',
      ':path': method,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const timer = setTimeout(() => fail(`no response within ${timeout} ms`), timeout);
    const chunks: Buffer[] = [];
    let size = 0;
    let isAnswered = false;
    let status: unknown;
    let reason = '';
    const settle = (headers: IncomingHttpHeaders): void => {
      status = headers['grpc-status'] ?? status;
      reason = headers['grpc-message']?.toString() ?? reason;
    };
    request.on('response', (headers) => {
      isAnswered = true;
      settle(headers);
    });
    request.on('trailers', settle);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) {
        request.close();
        fail(`the response is larger than ${MOST_BYTES} bytes`);
      } else {
        chunks.push(chunk);
      }
    });
    request.on('error', lost);
    request.on('end', () => {
      if (!isAnswered) {
        lost(new Error(ENDED));
        return;
      }
      if (status !== '0') {
        fail(`gRPC status ${String(status)}${reason === '' ? '' : `: ${reason}`}`);
        return;
      }
      const body = Buffer.concat(chunks);
      if (body.length < FRAME_HEADER || body[0] !== 0) {
        fail('the response has no message, or a compressed one');
        return;
      }
      resolve(body.subarray(FRAME_HEADER, FRAME_HEADER + body.readUInt32BE(1)));
    });
    request.on('close', () => {
      clearTimeout(timer);
      session.off('error', lost);
      lost(new Error(ENDED));
    });
    const header = Buffer.alloc(FRAME_HEADER);
    header.writeUInt32BE(message.length, 1);
    request.end(Buffer.concat([header, message]));
  });
}
