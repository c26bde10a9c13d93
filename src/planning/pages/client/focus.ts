/**
 * What the reader looks for: a text, a gang or a queue that was picked, pods in a certain state. All else is dimmed.
 */
import { type ClusterView, type ViewGang, type ViewPod } from '../../cluster/view/view';

export type Coloring = 'gang' | 'queue';

export class Focus {
  coloring: Coloring = 'gang';
  query = '';
  gang: string | undefined;
  queue: string | undefined;
  state: ViewPod['state'] | 'running' | undefined;
  /** Node that is pointed at. */
  pointed: number | undefined;
  /** Indices of what the query and the picked things mean in the view. */
  private gangs: Set<number> | undefined;
  private nodes: Set<number> | undefined;

  get active(): boolean {
    return this.query !== '' || this.gang !== undefined || this.queue !== undefined || this.state !== undefined;
  }

  /** Works out what is looked for. */
  apply(view: ClusterView): void {
    const words = this.query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const has = (...texts: readonly (string | undefined)[]): boolean => {
      const all = texts
        .filter((text) => text !== undefined)
        .join(' ')
        .toLowerCase();
      return words.every((word) => all.includes(word));
    };
    this.gangs = undefined;
    this.nodes = undefined;
    if (words.length > 0 || this.gang !== undefined || this.queue !== undefined) {
      const below = this.queue === undefined ? undefined : queuesBelow(view, this.queue);
      const meant = ({ name, queue, kind, namespace }: ViewGang): boolean =>
        has(name, queue, kind, namespace) && (this.gang ?? name) === name && (below === undefined || below.has(queue));
      this.gangs = new Set(view.gangs.flatMap((gang, index) => (meant(gang) ? [index] : [])));
    }
    if (words.length > 0) {
      this.nodes = new Set(
        view.nodes.flatMap((node, index) => (has(node.name, ...node.path, view.pools[node.pool]?.name) ? [index] : [])),
      );
    }
  }

  clear(): void {
    this.query = '';
    this.gang = undefined;
    this.queue = undefined;
    this.state = undefined;
  }

  /** By which name a pod gets its color. */
  colorName(view: ClusterView, pod: ViewPod): string | undefined {
    const gang = pod.gang === undefined ? undefined : view.gangs[pod.gang];
    return gang === undefined ? undefined : this.coloring === 'gang' ? `gang ${gang.name}` : `queue ${gang.queue}`;
  }

  litNode(node: number): boolean {
    return !this.active || (this.nodes?.has(node) ?? false);
  }

  litPod(_view: ClusterView, node: number, pod: ViewPod): boolean {
    if (!this.active) {
      return true;
    }
    if (this.state !== undefined && (pod.state ?? 'running') !== this.state) {
      return false;
    }
    if (this.gangs === undefined) {
      return true;
    }
    return (pod.gang !== undefined && this.gangs.has(pod.gang)) || (this.nodes?.has(node) ?? false);
  }

  litGang(index: number): boolean {
    return this.gangs === undefined || this.gangs.has(index);
  }

  /** How much was found, for the line beside the search. */
  found(view: ClusterView): string {
    if (this.gangs === undefined) {
      return '';
    }
    const parts = [`${this.gangs.size} of ${view.gangs.length} gangs`];
    if (this.nodes !== undefined && this.nodes.size > 0) {
      parts.push(`${this.nodes.size} nodes`);
    }
    return parts.join(', ');
  }
}

function queuesBelow(view: ClusterView, name: string): Set<string> {
  const found = new Set([name]);
  // Parents come before their children.
  for (const queue of view.queues) {
    if (queue.parent !== undefined && found.has(queue.parent)) {
      found.add(queue.name);
    }
  }
  return found;
}
