/**
 * Text of an exporter on this node, with a limit of time and size.
 */
import { get } from 'node:http';

const MOST_BYTES = 8 * 2 ** 20;

/** @throws Error where there is no answer within `timeout` milliseconds, or it is not a text of at most 8 MiB with status 200 */
export function fetchText(url: string, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        response.destroy();
        reject(new Error(`${url}: status ${response.statusCode}`));
        return;
      }
      const fail = (why: string): void => reject(new Error(`${url}: ${why}`));
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_BYTES) {
          fail(`the response is larger than ${MOST_BYTES} bytes`);
          request.destroy();
        } else {
          chunks.push(chunk);
        }
      });
      response.on('error', (error) => fail(error.message));
      response.on('close', () => fail('the connection closed before the response ended'));
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    const timer = setTimeout(() => request.destroy(new Error(`no response within ${timeout} ms`)), timeout);
    request.on('close', () => clearTimeout(timer));
    request.on('error', (error) => reject(new Error(`${url}: ${error.message}`)));
  });
}
