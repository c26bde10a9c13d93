/**
 * The page of a cluster: the verdict, the picture of its devices, pending gangs and why, queues, pools, gangs.
 *
 * `renderView` draws a view into an element. Called again for the same element it updates in place: what the reader looked for, picked and
 * zoomed into stays.
 */
import { type ClusterView, type ViewPod } from '../../cluster/view/view';
import { el, refill } from './dom';
import { FleetPicture } from './fleet-picture';
import { type Coloring, Focus } from './focus';
import { gangPanel } from './gang-panel';
import { factsOf, verdictOf } from './headline';
import { evictionPanel, recentPanel } from './movement-panel';
import { nodeHealthPanel } from './node-health-panel';
import { Pane } from './pane';
import { type LiveView } from '../live-view';
import { type Actions } from './actions';
import { ColorBook } from './palette';
import { POD_STATES } from './node-card';
import { stateOf } from './node-drawing';
import { pendingPanel } from './pending-panel';
import { poolPanel } from './pool-panel';
import { queuePanel } from './queue-panel';
import { count, shortened, tell } from './words';

const pages = new WeakMap<Element, PlanPage>();

export function renderView(root: Element, view: LiveView): void {
  const page = pages.get(root) ?? new PlanPage(root);
  pages.set(root, page);
  page.show(view);
}

/** With more nodes than this the picture has the whole width. */
const BESIDE = 600;

/** In the legend: the gangs with the most devices. */
const NAMED = 8;
/** Characters of a name in the legend. */
const LONGEST_NAME = 24;

class PlanPage implements Actions {
  readonly focus = new Focus();
  readonly book = new ColorBook();
  readonly opened = new Set<string>();
  resource: string | undefined;
  private view!: LiveView;
  private readonly heading = el('h1');
  private readonly lead = el('p', { class: 'lead' });
  private readonly facts = el('dl', { class: 'facts' });
  private readonly found = el('p', { class: 'found', role: 'status' });
  private readonly search = el('input', {
    type: 'search',
    placeholder: 'Find a gang, queue, node or rack',
    'aria-label': 'Find a gang, queue, node or rack',
    autocomplete: 'off',
    spellcheck: 'false',
    input: () => this.look(),
  });
  private readonly pending = el('section', { class: 'card', 'aria-labelledby': 'pending-title' });
  private readonly queues = el('section', { class: 'card', 'aria-labelledby': 'queues-title' });
  private readonly pools = el('section', { class: 'card', 'aria-labelledby': 'pools-title' });
  private readonly health = el('section', { class: 'card below', 'aria-labelledby': 'health-title' });
  private readonly evictions = el('section', { class: 'card below', 'aria-labelledby': 'evictions-title' });
  private readonly recent = el('section', { class: 'card below', 'aria-labelledby': 'recent-title' });
  private readonly gangs = el('section', { class: 'card below', 'aria-labelledby': 'gangs-title' });
  private readonly notes = el('section', { class: 'card below', 'aria-labelledby': 'notes-title' });
  private readonly legend = el('div', {
    class: 'legend',
    role: 'group',
    'aria-label': 'Legend. Pick an entry to see it alone.',
  });
  private readonly hint = el('p', { class: 'hint' });
  private readonly fleetTools = el('div', { class: 'tools' });
  private readonly title = el('h2', { id: 'fleet-title' });
  private readonly lower: HTMLElement;
  private readonly upper: HTMLElement;
  private readonly picture = new FleetPicture(this.book, this.focus, (node) => this.chooseNode(node));
  private readonly pane = new Pane(
    this.picture,
    'Picture of the cluster. Use the arrow keys to go from node to node, and Enter to pick the gang on a node.',
  );

  constructor(root: Element) {
    const fleet = el(
      'section',
      { class: 'card wide', 'aria-labelledby': 'fleet-title' },
      el('header', {}, this.title, this.fleetTools),
      this.pane.element,
      this.legend,
      this.hint,
    );
    this.upper = el('div', { class: 'grid' }, fleet, this.pending);
    this.lower = el('div', { class: 'grid even' }, this.queues, this.pools);
    root.replaceChildren(
      this.heading,
      this.lead,
      this.facts,
      el(
        'div',
        { class: 'tools' },
        el('div', { class: 'search' }, this.search, el('kbd', { 'aria-hidden': 'true' }, '/')),
        this.found,
      ),
      el('div', { class: 'below' }, this.upper),
      this.lower,
      this.health,
      this.evictions,
      this.recent,
      this.gangs,
      this.notes,
    );
    document.addEventListener('keydown', (event) => this.shortcut(event));
  }

  show(view: LiveView): void {
    this.view = view;
    const bySize = view.gangs.map((gang) => gang).sort((a, b) => b.devices - a.devices);
    this.book.admit(bySize.filter(({ placed }) => placed > 0).map(({ name }) => `gang ${name}`));
    this.book.admit(view.queues.map(({ name }) => `queue ${name}`));
    this.picture.show(view);
    this.focus.apply(view);
    const { text, alert } = verdictOf(view);
    this.heading.replaceChildren(text, ...(alert === '' ? [] : [el('em', {}, alert)]));
    this.lead.textContent = leadOf(view);
    refill(
      this.facts,
      ...factsOf(view).map(({ term, value, more }) =>
        el('div', {}, el('dt', {}, term), el('dd', {}, value, more !== undefined && el('small', {}, more))),
      ),
    );
    this.title.replaceChildren('Placement', el('span', {}, `${count(view.nodes.length, 'node')}`));
    this.update();
  }

  update(): void {
    const { view } = this;
    this.focus.apply(view);
    this.found.textContent = this.focus.found(view);
    pendingPanel(this.pending, view, this);
    this.pending.hidden = view.counters.pending === 0;
    this.upper.classList.toggle('alone', view.counters.pending === 0);
    this.upper.classList.toggle('stacked', view.nodes.length > BESIDE);
    queuePanel(this.queues, view, this);
    this.queues.hidden = view.queues.length === 0;
    poolPanel(this.pools, view);
    nodeHealthPanel(this.health, view, this);
    evictionPanel(this.evictions, view, this);
    recentPanel(this.recent, view, this);
    gangPanel(this.gangs, view, this);
    this.notes.hidden = view.notes.length === 0;
    this.notes.replaceChildren(
      el('header', {}, el('h2', { id: 'notes-title' }, 'Notes')),
      el('ul', { class: 'notes' }, ...view.notes.map((note) => el('li', {}, note))),
    );
    this.fillTools();
    this.pane.refresh();
    this.fillLegend();
  }

  pickGang(name: string): void {
    this.focus.gang = this.focus.gang === name ? undefined : name;
    this.focus.queue = undefined;
    this.update();
  }

  pickQueue(name: string): void {
    this.focus.queue = this.focus.queue === name ? undefined : name;
    this.focus.gang = undefined;
    this.update();
  }

  findNode(name: string): void {
    this.search.value = name;
    this.look();
  }

  compareBy(resource: string): void {
    this.resource = resource;
    this.update();
  }

  private look(): void {
    this.focus.query = this.search.value.trim();
    this.update();
  }

  private chooseNode(node: number | undefined): void {
    const gang =
      node === undefined ? undefined : this.view.nodes[node].pods.find((pod) => pod.gang !== undefined)?.gang;
    if (gang !== undefined) {
      this.pickGang(this.view.gangs[gang].name);
    } else if (this.focus.gang !== undefined) {
      this.pickGang(this.focus.gang);
    }
  }

  private shortcut(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.search.focus();
    } else if (event.key === 'Escape' && this.focus.active) {
      this.focus.clear();
      this.search.value = '';
      this.update();
    }
  }

  private fillTools(): void {
    const color = (coloring: Coloring, label: string): HTMLElement =>
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': this.focus.coloring === coloring ? 'true' : 'false',
          'data-key': `color ${coloring}`,
          click: () => {
            this.focus.coloring = coloring;
            this.update();
          },
        },
        label,
      );
    const zoom = (by: 1 | -1 | 0, label: string, name: string): HTMLElement =>
      el(
        'button',
        {
          type: 'button',
          'aria-label': name,
          'data-key': `zoom ${by}`,
          click: () => {
            this.picture.zoom(by);
            this.pane.refresh();
            this.fillLegend();
          },
        },
        label,
      );
    refill(
      this.fleetTools,
      el(
        'div',
        { class: 'segments', role: 'group', 'aria-label': 'Color by' },
        color('gang', 'By gang'),
        color('queue', 'By queue'),
      ),
      el(
        'div',
        { class: 'segments', role: 'group', 'aria-label': 'Zoom' },
        zoom(-1, '−', 'Smaller'),
        zoom(0, 'Fit', 'Fit'),
        zoom(1, '+', 'Larger'),
      ),
    );
  }

  private fillLegend(): void {
    const { view, focus, book } = this;
    const holders = view.gangs
      .filter(({ placed, devices }) => placed > 0 && devices > 0)
      .sort((a, b) => b.devices - a.devices);
    const entries =
      focus.coloring === 'gang'
        ? holders.slice(0, NAMED).map(({ name }) => ({
            name,
            pressed: focus.gang === name,
            pick: () => this.pickGang(name),
            css: book.css(`gang ${name}`),
          }))
        : view.queues
            .filter(({ placed }) => placed > 0)
            .slice(0, 12)
            .map(({ name }) => ({
              name,
              pressed: focus.queue === name,
              pick: () => this.pickQueue(name),
              css: book.css(`queue ${name}`),
            }));
    const button = (name: string, pressed: boolean, pick: () => void, swatch: HTMLElement | false): HTMLElement =>
      el(
        'button',
        {
          type: 'button',
          class: swatch === false ? 'filter' : undefined,
          'aria-pressed': pressed ? 'true' : 'false',
          'data-key': `legend ${name}`,
          title: name,
          'aria-label': name,
          click: pick,
        },
        swatch,
        el('span', {}, shortened(name, LONGEST_NAME)),
      );
    const states = new Set(view.nodes.flatMap(({ pods }) => pods.map(({ state }) => state ?? 'running')));
    const stateButtons = STATES.filter(({ state }) => states.has(state) && states.size > 1).map(
      ({ state, label, mark }) =>
        button(
          label,
          focus.state === state,
          () => {
            focus.state = focus.state === state ? undefined : state;
            this.update();
          },
          mark !== undefined && el('i', { class: mark }),
        ),
    );
    const key = (label: string, mark: string): HTMLElement =>
      el('span', { class: 'chip key' }, el('i', { class: `swatch ${mark}` }), label);
    const foreign = view.nodes.some(({ pods }) => pods.some(({ gang }) => gang === undefined));
    const off =
      view.nodes.some((node) => stateOf(node) !== '') || view.deviceKinds.some(({ healthy }) => healthy === false);
    refill(
      this.legend,
      ...entries.map(({ name, pressed, pick, css }) => button(name, pressed, pick, el('i', { '--swatch': css }))),
      ...stateButtons,
      view.fragmentation.freeWhole + view.fragmentation.freeParts > 0 &&
        key('free', this.picture.outlined() ? 'free' : 'free line'),
      foreign && key('no gang', 'foreign'),
      off && key('not ready or cordoned', 'off'),
    );
    const more = holders.length - NAMED;
    this.hint.textContent =
      focus.coloring === 'gang' && more > 0
        ? `${tell(holders.length)} gangs share ten colors. Pick a gang, or find it by name, to see it alone. Point at a device for details, or use the arrow keys.`
        : 'Point at a device for details, or use the arrow keys.';
  }
}

const STATES: readonly {
  readonly state: NonNullable<ViewPod['state']> | 'running';
  readonly label: string;
  readonly mark: string | undefined;
}[] = [
  { state: 'planned', label: POD_STATES.planned, mark: undefined },
  { state: 'running', label: 'running', mark: undefined },
  { state: 'nominated', label: POD_STATES.nominated, mark: 'nominated' },
  { state: 'leaving', label: POD_STATES.leaving, mark: 'leaving' },
];

function leadOf(view: ClusterView): string {
  const several = view.levels.filter(({ domains }) => domains > 0 && domains < view.nodes.length);
  const levels = several.map(({ title, domains }) => count(domains, title));
  const { bindings, evictions, nominations } = view.counters;
  const acts = [
    bindings > 0 ? `${count(bindings, 'pod')} ${bindings === 1 ? 'starts' : 'start'} now` : '',
    nominations > 0 ? `${count(nominations, 'pod')} ${nominations === 1 ? 'starts' : 'start'} after evictions` : '',
    evictions > 0 ? `${count(evictions, 'pod')} ${evictions === 1 ? 'is' : 'are'} evicted` : '',
  ].filter((text) => text !== '');
  return `${view.cluster}: ${[count(view.nodes.length, 'node'), ...levels].join(', ')}.${acts.length === 0 ? '' : ` ${acts.join(', ')}.`}`;
}
