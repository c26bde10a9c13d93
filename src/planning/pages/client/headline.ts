/**
 * The first things to know of a cluster: the verdict in a sentence, and a handful of figures.
 */
import { type ClusterView } from '../../cluster/view/view';
import { count, percent, tell } from './words';

export interface Fact {
  readonly term: string;
  readonly value: string;
  readonly more?: string;
}

export function verdictOf({ counters }: ClusterView): { readonly text: string; readonly alert: string } {
  const { placed, running, pending } = counters;
  const good = [
    placed > 0 ? `${count(placed, 'gang')} ${placed === 1 ? 'starts' : 'start'} now` : '',
    running > 0 ? `${placed > 0 ? tell(running) : count(running, 'gang')} ${running === 1 ? 'is' : 'are'} running` : '',
  ].filter((text) => text !== '');
  if (pending === 0) {
    return {
      text: good.length === 0 ? 'No gang is running or pending' : `${good.join(', ')}, none is pending`,
      alert: '',
    };
  }
  const alert = `${good.length === 0 ? count(pending, 'gang') : tell(pending)} ${pending === 1 ? 'is' : 'are'} pending`;
  return { text: good.length === 0 ? '' : `${good.join(', ')}, `, alert };
}

export function factsOf(view: ClusterView): readonly Fact[] {
  const { devices, used, unavailable, freeWhole, onFreeNodes, freeParts, stranded } = view.fragmentation;
  const facts: Fact[] = [];
  if (devices > 0) {
    facts.push(
      { term: 'Devices in use', value: percent(used / devices), more: `${tell(used)} of ${tell(devices)}` },
      {
        term: 'Free whole devices',
        value: freeWhole === 0 ? 'None' : tell(freeWhole),
        more:
          freeWhole > 0
            ? `${tell(onFreeNodes)} on completely free nodes`
            : freeParts > 0
              ? `parts of devices add up to ${tell(freeParts)}`
              : undefined,
      },
      largestOf(view),
    );
    if (stranded > 0) {
      facts.push({ term: 'Stranded', value: tell(stranded), more: 'free, but without enough CPU or memory' });
    }
    if (unavailable > 0) {
      facts.push({ term: 'Unavailable', value: tell(unavailable), more: 'unhealthy, cordoned, or not ready' });
    }
  }
  const unhealthy = view.nodes.filter(({ health }) => health !== undefined && health.problems.length > 0).length;
  if (unhealthy > 0) {
    const marked = view.nodes.filter(({ health }) => health?.marks !== undefined).length;
    facts.push({ term: 'Nodes with a problem', value: tell(unhealthy), more: `${tell(marked)} marked by remediation` });
  }
  if (view.counters.evictions > 0) {
    facts.push({ term: 'Evictions', value: tell(view.counters.evictions), more: 'so that other gangs can start' });
  }
  return facts;
}

/** The most free whole devices in one domain of the innermost level, or on one node where there are no levels. */
function largestOf({ levels, fragmentation }: ClusterView): Fact {
  const { freeWhole, largest } = fragmentation;
  const level = levels.at(-1);
  const place = (level === undefined ? undefined : largest[levels.length - 1]) ?? largest.at(-1);
  const term = `Most free in one ${level?.title ?? 'node'}`;
  if (place !== undefined && place.devices > 0) {
    return { term, value: tell(place.devices), more: place.name };
  }
  return {
    term,
    value: 'None',
    more:
      freeWhole === 0 ? 'every device is in use or unavailable' : `free devices are in no ${level?.title ?? 'node'}`,
  };
}
