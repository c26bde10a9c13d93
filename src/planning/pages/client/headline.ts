/**
 * The first things to know of a cluster: the verdict in a sentence, and a handful of figures.
 */
import { type ClusterView } from '../../cluster/view';
import { count, percent, tell } from './words';

export interface Fact {
  readonly term: string;
  readonly value: string;
  readonly more?: string;
}

export function verdictOf({ counters }: ClusterView): { readonly text: string; readonly alert: string } {
  const { placed, running, pending } = counters;
  const starts = placed > 0 ? `${count(placed, 'gang')} start${placed === 1 ? 's' : ''} now` : '';
  const runs =
    running > 0 ? `${placed > 0 ? tell(running) : count(running, 'gang')} run${running === 1 ? 's' : ''}` : '';
  const good = [starts, runs].filter((text) => text !== '').join(', ');
  if (pending === 0) {
    return { text: good === '' ? 'Nothing runs and nothing waits' : `${good}, nothing waits`, alert: '' };
  }
  const waits = `${good === '' ? count(pending, 'gang') : tell(pending)} wait${pending === 1 ? 's' : ''}`;
  return { text: good === '' ? '' : `${good}, `, alert: waits };
}

export function factsOf(view: ClusterView): readonly Fact[] {
  const { fragmentation, counters } = view;
  const { devices, used, unavailable, freeWhole, onFreeNodes, stranded, largest } = fragmentation;
  const facts: Fact[] = [];
  if (devices > 0) {
    facts.push({ term: 'Devices in use', value: percent(used / devices), more: `${tell(used)} of ${tell(devices)}` });
    facts.push({
      term: 'Free whole devices',
      value: tell(freeWhole),
      more: `${tell(onFreeNodes)} on completely free nodes`,
    });
    const inner = largest.slice(0, -1).at(-1);
    const level = view.levels[largest.length - 2]?.title;
    const room = inner === undefined || level === undefined ? largest.at(-1) : inner;
    if (room !== undefined) {
      const full = room.devices === 0;
      facts.push({
        term: `Most free in one ${inner === undefined ? 'node' : level}`,
        value: full ? 'None' : tell(room.devices),
        more: full ? 'no whole device is free' : room.name,
      });
    }
    if (stranded > 0) {
      facts.push({ term: 'Stranded', value: tell(stranded), more: 'free, but without CPU or memory' });
    }
    if (unavailable > 0) {
      facts.push({ term: 'Out of use', value: tell(unavailable), more: 'unhealthy, cordoned, or not ready' });
    }
  }
  if (counters.evictions > 0) {
    facts.push({ term: 'Evictions', value: tell(counters.evictions), more: 'each for a gang that then starts' });
  }
  return facts;
}
