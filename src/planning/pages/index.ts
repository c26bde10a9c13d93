/**
 * HTML pages: of a plan, of a live scheduler, of a simulation, of a sizing, of a Docker runner. Each is one file with everything in it.
 */
export { type LiveView, type RecentAct } from './live-view';
export * from './runner-view';
export { renderRunnerPage } from './runner-page';
export { type LivePageProps, renderLivePage, renderPlanPage } from './plan-page';
export { renderSizingPage } from './sizing-page';
export { renderTimelinePage } from './timeline-page';
