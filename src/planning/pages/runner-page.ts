/**
 * The page of a Docker runner.
 *
 * It carries nothing of the runner: it asks the service that serves it, with a token that the user enters, and sends the token in a header only. So there is no
 * cookie that a page of somebody else could use, and no token in an address.
 */
import { RUNNER_SCRIPT, RUNNER_STYLE } from './runner-assets';
import { htmlPage } from './html-page';

/** One HTML file; `v1/view` and the rest of the service are asked relative to its address. */
export function renderRunnerPage(): string {
  return htmlPage({
    title: 'Docker runner',
    kind: 'Docker runner',
    script: RUNNER_SCRIPT,
    style: RUNNER_STYLE,
    asksServer: true,
    summary: 'The queue, devices, and tasks of a Docker runner.',
  });
}
