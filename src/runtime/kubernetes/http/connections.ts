/**
 * Limits the connections to the port, so that no client uses up the files and the memory of the program: an address has at most some tens,
 * and where there are too many in all, the oldest one of the address with the most is closed. So a probe of the kubelet always gets in.
 */
import { type Socket } from 'node:net';

const MOST_OF_ADDRESS = 64;
const MOST = 1024;

export class Connections {
  private readonly byAddress = new Map<string, Set<Socket>>();
  private count = 0;

  take(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const own = this.byAddress.get(address) ?? new Set<Socket>();
    if (own.size >= MOST_OF_ADDRESS) {
      socket.destroy();
      return;
    }
    this.byAddress.set(address, own.add(socket));
    this.count++;
    socket.once('close', () => this.forget(address, socket));
    if (this.count > MOST) {
      this.closeOldest();
    }
  }

  private closeOldest(): void {
    const [[address, most]] = [...this.byAddress].sort(([, a], [, b]) => b.size - a.size);
    const [oldest] = most;
    this.forget(address, oldest);
    oldest.destroy();
  }

  private forget(address: string, socket: Socket): void {
    const own = this.byAddress.get(address);
    if (own?.delete(socket) === true) {
      this.count--;
      if (own.size === 0) {
        this.byAddress.delete(address);
      }
    }
  }
}
