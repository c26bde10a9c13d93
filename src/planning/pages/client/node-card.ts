/**
 * The card of a node: where it is, how full it is, and who is on its devices.
 */
import { type ClusterView, type ViewDeviceKind, type ViewNode, type ViewPod } from '../../cluster/view/view';
import { el } from './dom';
import { healthTexts } from './node-health-panel';
import { placeName } from './fleet-layout';
import { type Focus } from './focus';
import { stateOf } from './node-drawing';
import { type ColorBook } from './palette';
import { count, percent, ranges, tell, tellAmount } from './words';

export function nodeCard(
  view: ClusterView,
  index: number,
  { focus, book }: { readonly focus: Focus; readonly book: ColorBook },
): readonly Node[] {
  const node = view.nodes[index];
  const place = node.path.map((name, level) => (name === node.name ? '' : placeName(view, level, name)));
  const state = stateOf(node);
  return [
    el('strong', {}, node.name),
    el('p', {}, listed([view.pools[node.pool]?.name, ...place])),
    state !== '' && el('p', { class: 'bad' }, state),
    el('p', {}, devicesText(view, node)),
    el('p', {}, listed(['cpu', 'memory'].map((resource) => usageText(view, node, resource)))),
    node.taints !== undefined && el('p', {}, `Taints: ${node.taints.join(', ')}`),
    ...healthTexts(node).map(({ text, isBad }) => el('p', isBad ? { class: 'bad' } : {}, text)),
    occupants(view, node, (pod) => {
      const name = focus.colorName(view, pod);
      return name === undefined ? 'var(--other)' : book.css(name);
    }),
  ].filter((part) => part !== false);
}

function listed(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** `3 of 8 H100-SXM-80GB in use`, `20 of 64 MI300X partitions (CPX/NPS4) in use`. */
function devicesText(view: ClusterView, node: ViewNode): string {
  if (node.devices.length === 0) {
    return 'No devices';
  }
  const kind = view.deviceKinds[node.devices[0]];
  const taken = new Set(node.pods.flatMap(({ devices }) => devices)).size;
  return `${tell(taken)} of ${tell(node.devices.length)} ${kindText(kind)} in use`;
}

function kindText({ model = 'devices', mig, partition, replicas }: ViewDeviceKind): string {
  if (partition !== undefined) {
    return `${model} partitions (${partition.mode})`;
  }
  if (mig !== undefined) {
    const profiles = Object.entries(mig).map(([profile, instances]) => `${tell(instances)} × ${profile}`);
    return `${model} (MIG ${profiles.join(', ')})`;
  }
  return replicas === undefined ? model : `${model} (${tell(replicas)} replicas each)`;
}

function usageText(view: ClusterView, node: ViewNode, resource: string): string {
  const at = view.resources.indexOf(resource);
  const all = node.allocatable[at] ?? 0;
  return at < 0 || all === 0
    ? ''
    : `${percent((node.used[at] ?? 0) / all)} of ${tellAmount(resource, all)}${resource === 'memory' ? ' memory' : ''}`;
}

export const POD_STATES: Readonly<Record<NonNullable<ViewPod['state']>, string>> = {
  planned: 'starts now',
  nominated: 'starts after evictions',
  leaving: 'being evicted',
};

function occupants({ gangs }: ClusterView, node: ViewNode, color: (pod: ViewPod) => string): HTMLElement {
  const groups = new Map<string, { pods: ViewPod[]; devices: number[] }>();
  for (const pod of node.pods) {
    const key = `${pod.gang ?? pod.name} ${pod.role ?? ''} ${pod.state ?? ''} ${pod.share ?? ''} ${pod.profile ?? ''}`;
    const group = groups.get(key) ?? { pods: [], devices: [] };
    group.pods.push(pod);
    group.devices.push(...pod.devices);
    groups.set(key, group);
  }
  return el(
    'ul',
    {},
    ...[...groups.values()].map(({ pods, devices }) => {
      const [pod] = pods;
      const gang = pod.gang === undefined ? undefined : gangs[pod.gang];
      return el(
        'li',
        {},
        el('i', { class: 'swatch', '--swatch': color(pod) }),
        el('span', {}, gang?.name ?? pod.name),
        el(
          'small',
          {},
          listed([
            `${devices.length === 1 ? 'device' : 'devices'} ${ranges(devices)}`,
            pods.length > 1 ? count(pods.length, 'pod') : '',
            partText(pod),
            pod.state === undefined ? '' : POD_STATES[pod.state],
          ]),
        ),
      );
    }),
  );
}

function partText({ share, profile }: ViewPod): string {
  return share !== undefined && share < 1000 ? `${percent(share / 1000)} each` : (profile ?? '');
}
