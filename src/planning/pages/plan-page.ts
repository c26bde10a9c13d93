/**
 * The page of a plan, and the same page for a scheduler that runs.
 */
import { type ClusterView } from '../cluster/view/view';
import { PLAN_SCRIPT } from './assets';
import { htmlPage } from './html-page';

/** One HTML file that shows the placement of everything, and what is pending and why; it works without a network. */
export function renderPlanPage(view: ClusterView): string {
  const { placed, running, pending } = view.counters;
  return htmlPage({
    title: `Plan of ${view.cluster}`,
    kind: 'plan',
    script: PLAN_SCRIPT,
    data: view,
    summary: `${view.cluster}: ${placed} gangs start now, ${running} are running, ${pending} are pending.`,
  });
}

export interface LivePageProps {
  /** What the cluster or the scheduler is called. */
  readonly title: string;
  /**
   * Address, on the server that serves the page, of server-sent events; the data of each message is a `LiveView`. An event `waiting`, with
   * a JSON string, says why there is none.
   * @default '/events'
   */
  readonly events?: string;
}

/** The same page without data: it shows what the server sends, and updates in place whenever something new comes. */
export function renderLivePage({ title, events = '/events' }: LivePageProps): string {
  return htmlPage({ title, kind: 'live', script: PLAN_SCRIPT, events, summary: `${title}.` });
}
