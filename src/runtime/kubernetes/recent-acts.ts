/**
 * The latest decisions as sentences, for the page.
 */
import { type RecentAct } from '../../planning/pages/live-view';
import { type DecisionRecord } from './decisions';

/** Maximum number of acts on the page. */
const SHOWN = 50;

export function recentActs(latest: readonly DecisionRecord[]): readonly RecentAct[] {
  return latest
    .slice(0, SHOWN)
    .map((record) => ({ at: record.at, text: sentence(record), ...(record.what === 'evicted' && { kind: 'bad' }) }));
}

function sentence({ what, gang, pods, nodes, nodeCount, action, beneficiary }: DecisionRecord): string {
  const where = nodeCount === 1 ? nodes[0] : `${nodeCount} nodes`;
  const who = `${pods === 1 ? '1 pod' : `${pods} pods`} of ${gang}`;
  switch (what) {
    case 'repartitioned':
      return `${where} ${nodeCount === 1 ? 'gets' : 'get'} another MIG configuration for ${gang}`;
    case 'placed':
      return `${who} placed on ${where}`;
    case 'nominated':
      return `${who} nominated for ${where}, to start after the evictions`;
    case 'moved':
      return `${who} moved away from ${where}${beneficiary === undefined ? '' : `, so that ${beneficiary} fits`}`;
    case 'evicted':
      return `${who} evicted from ${where}${action === undefined ? '' : ` (${action})`}${beneficiary === undefined ? '' : ` for ${beneficiary}`}`;
  }
}
