/**
 * A plan over several clusters as text for people, and as JSON.
 */
import pico from 'picocolors';
import { allOf, oneOf } from '../../../facts/words';
import { type ClustersGang, type ClustersPlan, type PlannedCluster } from '../../../planning/clusters/plan-clusters';
import { rounded } from '../../../planning/cluster/words';
import { table } from '../table';
import { counted, notesText, podsText, shown, STATES, whereText, wrap } from './plan-text';

interface TextOptions {
  readonly color: boolean;
  /**
   * Columns that a line may take.
   * @default - lines are not broken
   */
  readonly width?: number;
}

export function clustersText(given: ClustersPlan, options: TextOptions): string {
  const plan = shown(given);
  const colors = pico.createColors(options.color);
  const { bold, red, green, dim } = colors;
  const waiting = plan.gangs.filter(({ cluster }) => cluster === undefined);
  const pending = waiting.flatMap(({ view, refusals }) => [
    `  ${red('✗')} ${bold(view.name)} ${dim(`${view.kind}, queue ${view.queue}`)}: ${counted(view.pods, 'pod')}`,
    ...refusals.flatMap(({ cluster, message }) => wrap(`${cluster}: ${message}`, '    ', '      ', options.width)),
    ...(refusals.length === 0 ? ['    No cluster is asked.'] : []),
  ]);
  const blocks = [
    clustersTable(plan, options),
    gangsTable(plan, options),
    ...(pending.length > 0 ? [[bold('Pending'), ...pending].join('\n')] : []),
    notesText(
      { notes: [...plan.gangs.flatMap(uncertainty), ...plan.notes, ...planNotes(plan)] },
      colors,
      options.width,
    ),
    waiting.length === 0
      ? green(`${plan.gangs.length === 1 ? 'The gang has' : `All ${plan.gangs.length} gangs have`} a cluster.`)
      : red(`${counted(plan.gangs.length, 'gang')}: ${waiting.length} pending.`),
  ];
  return `${blocks
    .filter((block) => block !== '')
    .map((block) => block.trimEnd())
    .join('\n\n')}\n`;
}

function clustersTable({ clusters }: ClustersPlan, options: TextOptions): string {
  const rows = clusters.map(({ name, role, plan: { view } }) => {
    const { devices, freeWhole } = view.fragmentation;
    return [
      name,
      role,
      String(view.nodes.length),
      devices > 0 ? `${rounded(devices)} (${rounded(freeWhole)} free)` : '–',
    ];
  });
  return table(['cluster', 'role', 'nodes', 'devices'], rows, { ...options, whole: [0] });
}

function gangsTable({ clusters, gangs }: ClustersPlan, options: TextOptions): string {
  if (gangs.length === 0) {
    return 'No gangs to place.';
  }
  const byName = new Map(clusters.map((cluster): [string, PlannedCluster] => [cluster.name, cluster]));
  const rows = gangs.map(({ view, cluster, alternatives, unknown }) => [
    view.name,
    view.kind,
    cluster === undefined ? `0/${view.pods}` : podsText(view),
    view.deviceUnits ?? (view.devices > 0 ? rounded(view.devices) : ''),
    cluster === undefined ? '–' : [cluster, ...alternatives, ...unknown].join(' or '),
    cluster === undefined ? STATES.pending.word : STATES[view.state].word,
    cluster === undefined ? '' : whereText(byName.get(cluster)!.plan.view, view),
  ]);
  return table(['gang', 'kind', 'pods', 'devices', 'cluster', 'state', 'where'], rows, { ...options, whole: [0, 4] });
}

/** Why the plan cannot know which cluster runs the gang. */
function uncertainty({ view, cluster, alternatives, unknown }: ClustersGang): readonly string[] {
  const asked = [...alternatives, ...unknown];
  if (cluster === undefined || asked.length === 0) {
    return [];
  }
  const missing =
    unknown.length === 0
      ? ''
      : ` ${allOf(unknown)} ${unknown.length > 1 ? 'are' : 'is'} not given with --cluster, so the plan cannot tell whether it fits there.`;
  return [
    `${view.name} may run in ${oneOf([cluster, ...asked])}: Kueue asks them at the same time, and the first that admits it runs it. The plan counts it in ${cluster}.${missing}`,
  ];
}

/** Notes of the plans of single clusters, each once. */
function planNotes({ clusters }: ClustersPlan): readonly string[] {
  return [...new Set(clusters.flatMap(({ name, plan: { view } }) => view.notes.map((note) => `${name}: ${note}`)))];
}

export function clustersJson({ good, gangs, clusters, notes }: ClustersPlan): string {
  const report = {
    good,
    gangs: gangs.map(({ view, cluster, alternatives, unknown, refusals }) => ({
      name: view.name,
      kind: view.kind,
      namespace: view.namespace,
      queue: view.queue,
      pods: view.pods,
      devices: view.devices,
      ...(cluster !== undefined && { cluster }),
      alternatives,
      unknown,
      refusals,
    })),
    clusters: clusters.map(({ name, role, plan: { view, asked } }) => ({ name, role, asked: asked.length, ...view })),
    notes,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
