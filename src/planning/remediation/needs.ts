/**
 * What a program with these settings reads and changes: the program watches by it, and the construct grants rights by it.
 */
import { type CollectionName } from '../scheduler-settings/collections';
import { type RemediationAction, type RemediationSettings } from './rules';

export interface RemediationNeeds {
  /** Collections that are watched. */
  readonly collections: readonly CollectionName[];
  /** Whether alerts are a cause. */
  readonly alerts: boolean;
  /** Whether pods are evicted. */
  readonly evicts: boolean;
  /** Actions of all rules. */
  readonly actions: ReadonlySet<RemediationAction>;
}

/** What the placement core needs to know of a cluster beside nodes and pods. */
const OF_PLACEMENT: readonly CollectionName[] = [
  'namespaces',
  'priorityClasses',
  'persistentVolumeClaims',
  'persistentVolumes',
  'storageClasses',
  'volcanoPodGroups',
  'nativePodGroups',
  'schedulerPluginsPodGroups',
  'kueueTopologies',
  'hyperNodes',
];

export function remediationNeeds({ rules }: RemediationSettings): RemediationNeeds {
  const actions = new Set(rules.flatMap((rule) => rule.actions));
  const needsPods = (['evict', 'move', 'restart-device-plugin'] as const).some((action) => actions.has(action));
  return {
    collections: ['nodes', ...(needsPods ? (['pods'] as const) : []), ...(actions.has('move') ? OF_PLACEMENT : [])],
    alerts: rules.some(({ cause }) => 'alert' in cause),
    evicts: needsPods,
    actions,
  };
}
