/**
 * Which nodes are a part of the cluster. A node that fails is still one; a node that has not joined, or has left, is none, and no budget counts it.
 */
import { type NodeEventKind, type Scenario } from './scenario';

export class Presence {
  private readonly absent: Set<string>;

  constructor({ scaling = [], events }: Pick<Scenario, 'scaling' | 'events'>) {
    const first = new Map<string, NodeEventKind>();
    for (const event of events) {
      const named = 'nodes' in event ? event.nodes : [];
      named
        .filter((name) => !first.has(name))
        .forEach((name) => first.set(name, (event as { kind: NodeEventKind }).kind));
    }
    const later = [...first].flatMap(([name, kind]) => (kind === 'join' ? [name] : []));
    this.absent = new Set([...scaling.flatMap(({ nodes, least }) => nodes.slice(least)), ...later]);
  }

  see(kind: NodeEventKind, nodes: readonly string[]): void {
    if (kind === 'leave') {
      nodes.forEach((name) => this.absent.add(name));
    } else if (kind === 'join') {
      nodes.forEach((name) => this.absent.delete(name));
    }
  }

  has(node: string): boolean {
    return !this.absent.has(node);
  }
}
