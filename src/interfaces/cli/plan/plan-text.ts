/**
 * A plan as text for people: where everything goes, what waits and what would help, then queues, pools and what is left.
 */
import { printable } from '../../../facts/words';
import { stripVTControlCharacters } from 'node:util';
import pico from 'picocolors';
import {
  type ClusterView,
  type ViewGang,
  type ViewGangState,
  type ViewPending,
  type ViewPool,
  type ViewQueue,
} from '../../../planning/cluster';
import { type PlanDifference } from '../../../planning/cluster/what-if';
import { amountText, rounded } from '../../../planning/cluster/words';
import { namesText } from './name-ranges';
import { table } from '../table';

export interface PlanTextOptions {
  readonly color: boolean;
  /**
   * Columns that a line may take.
   * @default - lines are not broken
   */
  readonly width?: number;
  /** How many gangs of the view were asked about: its first ones. */
  readonly asked: number;
  /** What was changed before the plan. @default - nothing */
  readonly changes?: readonly string[];
  /** How many claims have selectors that were not evaluated; a note names each. @default 0 */
  readonly claimsNotEvaluated?: number;
}

type Colors = ReturnType<typeof pico.createColors>;

/** Maximum number of gangs in a table; of larger clusters the text shows totals, and the other formats show everything. */
const MOST_ROWS = 40;

export function planText(given: ClusterView, options: PlanTextOptions): string {
  const view = shown(given);
  const colors = pico.createColors(options.color);
  const asked = view.gangs.slice(0, options.asked);
  const blocks = [
    headText(view, colors, options.changes),
    gangsText(view, asked, options),
    pendingText(asked, colors, options.width),
    evictionsText(view, options),
    queuesText(view, options),
    poolsText(view, options),
    freeText(view, colors, options.width),
    notesText(view, colors, options.width),
    verdict(asked, colors, options.claimsNotEvaluated),
  ];
  return `${blocks
    .filter((block) => block !== '')
    .map((block) => block.trimEnd())
    .join('\n\n')}\n`;
}

/** Names are other people's text: what would steer the terminal is shown, not sent. */
export function shown<T>(value: T): T {
  if (typeof value === 'string') {
    return printable(value) as T;
  }
  if (Array.isArray(value)) {
    return (value as unknown[]).map(shown) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [printable(key), shown(member as unknown)]),
  ) as T;
}

function headText(view: ClusterView, { bold }: Colors, changes: readonly string[] = []): string {
  const { devices } = view.fragmentation;
  const places = view.levels.map(({ title, domains }) => counted(domains, title));
  const parts = [counted(view.nodes.length, 'node'), ...(devices > 0 ? [counted(devices, 'device')] : []), ...places];
  const after = changes.length === 0 ? '' : ` after ${changes.map(printable).join(', ')}`;
  return `${bold(view.cluster)}${after}: ${parts.join(', ')}`;
}

export const STATES: Readonly<
  Record<ViewGangState, { readonly word: string; readonly color: 'green' | 'yellow' | 'red' | 'cyan' }>
> = {
  placed: { word: 'placed', color: 'green' },
  running: { word: 'running', color: 'cyan' },
  partial: { word: 'partial', color: 'yellow' },
  nominated: { word: 'nominated', color: 'yellow' },
  pending: { word: 'pending', color: 'red' },
  evicting: { word: 'evicted', color: 'red' },
};

function gangsText(view: ClusterView, asked: readonly ViewGang[], options: PlanTextOptions): string {
  if (asked.length === 0) {
    return 'No gangs to place.';
  }
  const shown = asked.slice(0, MOST_ROWS);
  const rows = shown.map((gang) => [
    gang.name,
    gang.kind,
    podsText(gang),
    gang.deviceUnits ?? (gang.devices > 0 ? rounded(gang.devices) : ''),
    STATES[gang.state].word,
    whereText(view, gang),
  ]);
  const rest = asked.length - shown.length;
  const text = table(['gang', 'kind', 'pods', 'devices', 'state', 'where'], rows, { ...options, whole: [0] });
  const more = rest > 0 ? `… and ${rest} more (use --format json or html for all)\n` : '';
  return `${colored(text, options.color)}${more}${claimsText(shown, options)}`;
}

/** The devices of each claim, by pod. */
function claimsText(gangs: readonly ViewGang[], options: PlanTextOptions): string {
  const all = gangs.flatMap(({ claims = [] }) => claims);
  if (all.length === 0) {
    return '';
  }
  const rows = all
    .slice(0, MOST_ROWS)
    .map(({ pod, node, request, driver, pool, device }) => [pod, node, request, driver, pool, device]);
  const rest = all.length - rows.length;
  const text = table(['pod', 'node', 'request', 'driver', 'pool', 'device'], rows, { ...options, whole: [0] });
  return `\n${text}${rest > 0 ? `… and ${rest} more (use --format json for all)\n` : ''}`;
}

/** The state's word, in its color; only at the place of its column. */
function colored(text: string, color: boolean): string {
  if (!color) {
    return text;
  }
  const colors = pico.createColors(true);
  const words = new Map(Object.values(STATES).map((state) => [state.word, state.color]));
  return text.replace(
    / {2}(placed|runs|in part|next|waits|evicted)(?= {2}|\n)/g,
    (_, word: string) => `  ${colors[words.get(word) ?? 'red'](word)}`,
  );
}

export function podsText({ placed, pods, state }: ViewGang): string {
  return state === 'placed' || state === 'running' ? String(pods) : `${placed}/${pods}`;
}

/** `rack-3: h100-17..20`, `block-1, 2 racks: h100-08..15`, `h100-01 (4 pods)`. */
export function whereText(view: ClusterView, { where, domain, placed }: ViewGang): string {
  if (where.length === 0) {
    return '';
  }
  const names = where.map(([node]) => view.nodes[node].name);
  const perNode = new Set(where.map(([, pods]) => pods));
  const [each] = perNode;
  const density =
    perNode.size > 1 || each > 1
      ? ` (${perNode.size > 1 ? `${placed} pods` : where.length > 1 ? `${each} pods each` : `${each} pods`})`
      : '';
  if (domain !== undefined && domain.level < 0) {
    return `${names[0]}${density}`;
  }
  const inner = view.levels.length - 1;
  const level = domain?.level ?? -1;
  const parts =
    level < inner ? new Set(where.map(([node]) => view.nodes[node].path.slice(0, inner + 1).join('\n'))).size : 0;
  const place = [domain?.name, parts > 0 ? counted(parts, view.levels[inner].title) : undefined]
    .filter((part) => part !== undefined)
    .join(', ');
  return `${place === '' ? '' : `${place}: `}${namesText(names)}${density}`;
}

function pendingText(asked: readonly ViewGang[], colors: Colors, width: number | undefined): string {
  const waiting = asked.filter(({ pending }) => pending !== undefined);
  if (waiting.length === 0) {
    return '';
  }
  const blocks = waiting.slice(0, MOST_ROWS).map((gang) => pendingBlock(gang, gang.pending!, colors, width));
  const rest = waiting.length - blocks.length;
  return [colors.bold('Pending'), ...blocks, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n');
}

function pendingBlock(
  gang: ViewGang,
  pending: ViewPending,
  { bold, dim, red, yellow, green }: Colors,
  width: number | undefined,
): string {
  const { name, kind, queue, pods, minimum, devices, topology, state } = gang;
  const { message, blocked, nearest, changes } = pending;
  const least = minimum < pods && minimum > 1 ? ` (at least ${minimum})` : '';
  const asks = [
    `${counted(pods, 'pod')}${least}`,
    ...(devices > 0 ? [counted(rounded(devices), 'device')] : []),
    ...(topology === undefined ? [] : [topology]),
  ];
  const mark = state === 'partial' ? yellow('~') : red('✗');
  const kept = blocked.map(
    ({ constraint, detail, nodes }) => `${nodes} by ${constraint}${detail === undefined ? '' : ` (${detail})`}`,
  );
  const details = [
    ...(kept.length > 1 ? [`nodes excluded: ${kept.join(', ')}`] : []),
    ...(nearest?.missing === undefined || nearest.detail === undefined
      ? []
      : [`nearest: node ${nearest.node} lacks ${amountText(nearest.detail, nearest.missing)} ${nearest.detail}`]),
  ];
  return [
    ...wrap(`${mark} ${bold(name)} ${dim(`${kind}, queue ${queue}`)}: ${asks.join(', ')}`, '  ', '      ', width),
    ...placeText(gang).map((place) => dim(`    ${place}`)),
    ...wrap(message, '    ', '    ', width),
    ...details.flatMap((text) => wrap(text, '    ', '      ', width).map(dim)),
    ...changes.flatMap((change) =>
      wrap(`→ ${change}`, '    ', '      ', width).map((line) => line.replace('→', green('→'))),
    ),
  ].join('\n');
}

/** Where an author finds it. */
function placeText({ source }: ViewGang): readonly string[] {
  if (source?.construct !== undefined) {
    return [source.construct];
  }
  return source?.file === undefined ? [] : [`${source.file}${source.line === undefined ? '' : `:${source.line}`}`];
}

function evictionsText(view: ClusterView, options: PlanTextOptions): string {
  if (view.evictions.length === 0) {
    return '';
  }
  const rows = view.evictions
    .slice(0, MOST_ROWS)
    .map(({ pod, node, action, for: beneficiary, movesTo }) => [
      pod,
      node < 0 ? '' : view.nodes[node].name,
      movesTo === undefined ? action : `moves to ${view.nodes[movesTo].name}`,
      beneficiary === undefined ? '' : view.gangs[beneficiary].name,
    ]);
  const rest = view.evictions.length - rows.length;
  return `${table(['evicted pod', 'node', 'by', 'for'], rows, { ...options, whole: [0, 1] })}${rest > 0 ? `… and ${rest} more\n` : ''}`;
}

function queuesText(view: ClusterView, options: PlanTextOptions): string {
  const parents = new Set(view.queues.map(({ parent }) => parent));
  const shown = view.queues.filter(
    ({ name, placed, pending, deserved, capability, guarantee, parent }) =>
      parents.has(name) ||
      placed + pending > 0 ||
      deserved !== undefined ||
      capability !== undefined ||
      guarantee !== undefined ||
      parent !== undefined,
  );
  if (shown.length === 0) {
    return '';
  }
  const resources = queueResources(view, shown);
  const rows = shown
    .slice(0, MOST_ROWS)
    .flatMap((queue) =>
      resources.map((resource, index) => [
        index === 0 ? `${'  '.repeat(queue.depth)}${queue.name}${queue.closed === true ? ' (closed)' : ''}` : '',
        resource,
        ...amountsOf(queue, resource),
        index === 0 ? gangCounts(queue) : '',
      ]),
    );
  const rest = shown.length - MOST_ROWS;
  const text = table(['queue', 'resource', 'used', 'requested', 'share', 'deserved', 'capability', 'gangs'], rows, {
    ...options,
    whole: [0, 1],
  });
  return `${text}${rest > 0 ? `… and ${rest} more\n` : ''}`;
}

/** Devices decide; where there are none, CPU. */
function queueResources(view: ClusterView, queues: readonly ViewQueue[]): readonly string[] {
  const devices = new Set(view.deviceKinds.map(({ resource }) => resource));
  const said = new Set(
    queues.flatMap(({ requested, allocated, deserved = {}, capability = {} }) =>
      [requested, allocated, deserved, capability].flatMap((amounts) => Object.keys(amounts)),
    ),
  );
  const shown = [...said].filter((name) => devices.has(name)).sort();
  return shown.length > 0 ? shown : ['cpu'];
}

function amountsOf(
  { allocated, requested, fairShare, deserved, capability }: ViewQueue,
  resource: string,
): readonly string[] {
  const amount = (value: number | 'unlimited' | undefined): string =>
    value === undefined ? '–' : value === 'unlimited' ? 'all' : amountText(resource, value);
  return [
    amount(allocated[resource] ?? 0),
    amount(requested[resource] ?? 0),
    amount(fairShare[resource] ?? 0),
    amount(deserved?.[resource]),
    amount(capability?.[resource]),
  ];
}

function gangCounts({ placed, pending }: ViewQueue): string {
  const parts = [...(placed > 0 ? [`${placed} placed`] : []), ...(pending > 0 ? [`${pending} pending`] : [])];
  return parts.join(', ');
}

function poolsText(view: ClusterView, options: PlanTextOptions): string {
  const rows = view.pools
    .slice(0, MOST_ROWS)
    .map(({ name, nodes, unavailable, model, devices, devicesUsed, allocatable, used }) => [
      name,
      unavailable === 0 ? String(nodes) : `${nodes} (${unavailable} unavailable)`,
      model ?? '',
      devices === 0 ? '' : `${rounded(devicesUsed)} of ${devices} (${percent(devicesUsed, devices)})`,
      percent(used.cpu ?? 0, allocatable.cpu ?? 0),
      percent(used.memory ?? 0, allocatable.memory ?? 0),
    ]);
  const rest = view.pools.length - rows.length;
  return `${table(['pool', 'nodes', 'model', 'devices used', 'CPU', 'memory'], rows, options)}${rest > 0 ? `… and ${rest} more\n` : ''}`;
}

/** What is left, and how it lies. */
function freeText(view: ClusterView, { bold }: Colors, width: number | undefined): string {
  const { devices, freeWhole, onFreeNodes, freeParts, stranded, unavailable, largest } = view.fragmentation;
  if (devices === 0) {
    return '';
  }
  const blocks = largest.flatMap(({ name, devices: free }, index) => {
    if (free === 0) {
      return [];
    }
    const level = view.levels[index];
    return [`${free} ${level === undefined ? `on node ${name}` : `in ${titled(level.title, name)}`}`];
  });
  const parts = [
    `${counted(freeWhole, 'whole device')}${freeWhole > onFreeNodes ? `, ${onFreeNodes} of them on completely free nodes` : ''}`,
    ...(freeParts > 0 ? [`parts of devices that add up to ${rounded(freeParts)}`] : []),
    ...(stranded > 0 ? [`${stranded} stranded without free CPU or memory`] : []),
    ...(unavailable > 0 ? [`${unavailable} unhealthy, cordoned, or on nodes that are not ready`] : []),
  ];
  const most = blocks.length > 0 ? ` Most in one place: ${blocks.join(', ')}.` : '';
  return wrap(`${bold('Free')}: ${parts.join('; ')}.${most}`, '', '  ', width).join('\n');
}

/** `rack rack-4` is said once. */
function titled(title: string, name: string): string {
  return name.toLowerCase().startsWith(title.toLowerCase()) ? name : `${title} ${name}`;
}

export function notesText({ notes }: Pick<ClusterView, 'notes'>, { bold }: Colors, width: number | undefined): string {
  if (notes.length === 0) {
    return '';
  }
  const shown = notes.slice(0, MOST_ROWS);
  const rest = notes.length - shown.length;
  return [
    bold('Notes'),
    ...shown.flatMap((note) => wrap(note, '  ', '    ', width)),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ].join('\n');
}

function verdict(asked: readonly ViewGang[], { green, red, yellow }: Colors, claimsNotEvaluated = 0): string {
  if (asked.length === 0) {
    return '';
  }
  const placed = asked.filter(({ state }) => state === 'placed' || state === 'running' || state === 'nominated').length;
  if (placed === asked.length) {
    const text = placed === 1 ? 'The gang is placed' : `All ${placed} gangs are placed`;
    return claimsNotEvaluated === 0
      ? green(`${text}.`)
      : yellow(`${text}, if the devices match the selectors of ${counted(claimsNotEvaluated, 'claim')} (see Notes).`);
  }
  const count = (state: ViewGangState): number => asked.filter((gang) => gang.state === state).length;
  const parts = [
    ...(placed > 0 ? [`${placed} placed`] : []),
    ...(count('partial') > 0 ? [`${count('partial')} partially placed`] : []),
    ...(count('pending') > 0 ? [`${count('pending')} pending`] : []),
    ...(count('evicting') > 0 ? [`${count('evicting')} evicted`] : []),
  ];
  return red(`${counted(asked.length, 'gang')}: ${parts.join(', ')}.`);
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '' : `${Math.round((100 * part) / whole)}%`;
}

export function counted(count: number | string, noun: string): string {
  return `${count} ${noun}${String(count) === '1' ? '' : 's'}`;
}

/** What the changes of `--what-if` come to. */
/** How a plan differs from another, under a title. */
export function planDifferenceText(title: string, difference: PlanDifference, options: PlanTextOptions): string {
  const { bold, green, red, dim } = pico.createColors(options.color);
  const word = (state: ViewGangState | undefined): string => (state === undefined ? 'not present' : STATES[state].word);
  const good = (state: ViewGangState | undefined): boolean =>
    state === 'placed' || state === 'running' || state === 'nominated';
  const gangs = difference.gangs.map(({ name, before, after }) => {
    const text = `${name}: ${word(before)} → ${word(after)}`;
    return `  ${good(after) ? green(text) : after === undefined ? text : red(text)}`;
  });
  const pools = difference.pools.map(({ name, before, after }) => {
    const used = (pool: ViewPool | undefined): string =>
      pool === undefined
        ? 'none'
        : `${pool.nodes} nodes${pool.unavailable > 0 ? ` (${pool.unavailable} unavailable)` : ''}, ${rounded(pool.devicesUsed)} of ${pool.devices} devices used`;
    return wrap(`pool ${name}: ${used(before)} → ${used(after)}`, '  ', '    ', options.width).join('\n');
  });
  const { before, after } = difference.freeWhole;
  const shown = [
    ...gangs.slice(0, MOST_ROWS),
    ...(gangs.length > MOST_ROWS ? [`  … and ${gangs.length - MOST_ROWS} more`] : []),
  ];
  const moved =
    difference.moved.length === 0
      ? []
      : wrap(`placed on other nodes: ${namesOf(difference.moved)}`, '  ', '    ', options.width).map(dim);
  const lines = [
    ...shown,
    ...moved,
    ...pools,
    ...(before === after ? [] : [`  free whole devices: ${before} → ${after}`]),
  ];
  return `${[bold(title), ...(lines.length > 0 ? lines : ['  no change'])].join('\n')}\n`;
}

function namesOf(names: readonly string[]): string {
  return names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ');
}

const MOST_NAMES = 8;

/** Breaks between words; colors take no room. */
export function wrap(text: string, first: string, rest: string, width: number | undefined): string[] {
  const lines: string[] = [];
  let line = first;
  let used = first.length;
  for (const word of text.split(' ')) {
    const { length } = stripVTControlCharacters(word);
    if (width !== undefined && used > rest.length && used + length > width) {
      lines.push(line.trimEnd());
      line = rest;
      used = rest.length;
    }
    line += `${word} `;
    used += length + 1;
  }
  return [...lines, line.trimEnd()];
}
