/**
 * The page of a sizing: the first replication of its cheapest mix over time, with the targets as expectations.
 */
import { type SimulationResult, tellDuration } from '../simulation';
import { type SizingResult } from '../sizing';
import { intervalText, mixText, money, percent, targetName } from '../sizing/words';
import { TIMELINE_SCRIPT } from './assets';
import { htmlPage } from './html-page';

/** One HTML file that works without a network. */
export function renderSizingPage(
  result: SizingResult & { readonly best: NonNullable<SizingResult['best']> },
  timeline: SimulationResult,
): string {
  const { best, method } = result;
  const about =
    `Cheapest mix: ${mixText(best)}, ${money(best.costPerHour, result)} per hour, ${percent(best.idle)} idle. ` +
    (method.replications === 1
      ? 'The timeline is the one simulation.'
      : `The timeline is the first of ${method.replications} replications.`);
  const data: SimulationResult = {
    ...timeline,
    about,
    expectations: best.targets.map((target) => ({
      expected: `${targetName(target)} at most ${tellDuration(target.seconds)}`,
      met: target.met,
      found: `${intervalText(target.wait)} over all replications`,
    })),
  };
  return htmlPage({
    title: `${result.name} (size)`,
    kind: 'size',
    script: TIMELINE_SCRIPT,
    data,
    summary: `${result.name}. ${about}`,
  });
}
