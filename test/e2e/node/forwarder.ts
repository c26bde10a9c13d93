/**
 * Connections from a network namespace to a port of this machine's loopback, through a socket in a folder: the namespace has no other way out.
 */
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/** Program that listens in the namespace; its arguments are the address, the port, and the socket. */
export const INNER_FORWARDER = `
const { connect, createServer } = require('node:net');
const [address, port, socket] = process.argv.slice(1);
createServer({ allowHalfOpen: true }, (from) => {
  const to = connect({ path: socket, allowHalfOpen: true });
  from.pipe(to).pipe(from);
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
}).listen(Number(port), address);
`;

/** The other end, in this process. */
export async function forward(socket: string, port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
    open.add(from);
    from.on('close', () => open.delete(from));
  });
  const open = new Set<{ destroy(): unknown }>();
  const close = server.close.bind(server);
  // A watch lasts as long as its client, and the server waits for all connections.
  server.close = (callback) => {
    open.forEach((connection) => connection.destroy());
    return close(callback);
  };
  server.listen(socket);
  await once(server, 'listening');
  return server;
}
