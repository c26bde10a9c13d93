/**
 * What tests over the network need.
 */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** A certificate for 127.0.0.1 that vouches for itself: `tls.crt` and `tls.key` in the folder. */
export function certificate(folder: string): void {
  const names = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt'), '-subj', '/CN=127.0.0.1'];
  const made = spawnSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-addext', 'subjectAltName=IP:127.0.0.1', ...names],
    { encoding: 'utf8' },
  );
  if (made.status !== 0) {
    throw new Error(`openssl: ${made.stderr}`);
  }
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
