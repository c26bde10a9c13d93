/**
 * The page of a simulation: who ran when, how full the cluster was, and which expectations were met.
 */
import { type SimulationResult } from '../simulation';
import { TIMELINE_SCRIPT } from './assets';
import { htmlPage } from './html-page';

/** One HTML file that works without a network. */
export function renderTimelinePage(result: SimulationResult): string {
  const unmet = result.expectations.filter(({ met }) => !met).length;
  return htmlPage({
    title: `${result.name} (simulation)`,
    kind: 'simulation',
    script: TIMELINE_SCRIPT,
    data: result,
    summary: `${result.name}: ${result.summary.finished} of ${result.gangs.length} gangs finished, ${unmet} of ${result.expectations.length} expectations not met.`,
  });
}
