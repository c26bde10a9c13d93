/**
 * The tenants: what each of them runs, beside its quota and its limit.
 */
import { type RunnerViewTenant } from '../../runner-view';
import { el, refill } from '../dom';
import { count, tell } from '../words';
import { key } from './key';
import { type PageState } from './page-state';

export function tenantPanel(panel: HTMLElement, { view, book }: PageState): void {
  const { tenants, devices } = view;
  panel.hidden = devices.length === 0 || (tenants.length < 2 && tenants[0]?.limit === undefined);
  refill(
    panel,
    el('header', {}, el('h2', { id: 'tenants-title' }, 'Tenants', el('span', {}, 'whole devices in use'))),
    el(
      'div',
      { class: 'bars' },
      ...tenants.map((tenant) => bar(tenant, devices.length, book.css(`tenant ${tenant.name}`))),
    ),
    legend(tenants),
  );
}

/** What the lines on the bars are; only those that some bar has. */
function legend(tenants: readonly RunnerViewTenant[]): HTMLElement | false {
  const keys = [
    tenants.some(({ quota }) => quota !== undefined) && key('quota', 'quota'),
    tenants.some(({ limit }) => limit !== undefined) && key('limit', 'limit'),
  ];
  return keys.some((shown) => shown !== false) && el('p', { class: 'legend keys' }, ...keys);
}

function bar(
  { name, active, queued, devices, quota, limit }: RunnerViewTenant,
  all: number,
  color: string,
): HTMLElement {
  const facts = [
    count(active, 'running task'),
    queued > 0 ? `${tell(queued)} waiting` : '',
    quota === undefined ? '' : `quota ${tell(quota)}`,
    limit === undefined ? '' : `limit ${tell(limit)}`,
  ].filter((text) => text !== '');
  const part = (amount: number): string => `${Math.min(100, (amount / Math.max(1, all)) * 100)}%`;
  return el(
    'div',
    { class: 'bar' },
    el('div', { class: 'label' }, el('b', {}, name), el('span', { class: 'sub' }, facts.join(', '))),
    el(
      'span',
      { class: 'track tenant', '--part': part(devices), '--fill': color, 'aria-hidden': 'true' },
      quota !== undefined && el('i', { class: 'tick', '--at': part(quota) }),
      limit !== undefined && el('i', { class: 'tick limit', '--at': part(limit) }),
    ),
    el('span', { class: 'value' }, el('b', {}, tell(devices)), ` of ${tell(limit ?? all)}`),
  );
}
