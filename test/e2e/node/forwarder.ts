/**
 * Connections from a network namespace to a port of this machine's loopback, through a socket in a folder: the namespace has no other way out.
 *
 * Both ends are processes of their own, since a test may block its process.
 */

/**
 * Arguments of Node.js that forward connections.
 *
 * @param from what to listen on: a path, or an address and a port
 * @param to what to connect to
 */
export function forwarder(from: string, to: string): readonly string[] {
  return ['-e', PROGRAM, from, to];
}

const PROGRAM = `
const { connect, createServer } = require('node:net');
const place = (text) => {
  const [, host, port] = /^([0-9.]+):([0-9]+)$/.exec(text) ?? [];
  return host === undefined ? { path: text } : { host, port: Number(port) };
};
const [from, to] = process.argv.slice(1).map(place);
createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ ...to, allowHalfOpen: true });
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
}).listen(from);
`;
