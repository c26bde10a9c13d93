/**
 * After all suites: stops the control plane that they used, and says in the last line which suites were skipped, and why.
 */
import { CHROMIUM } from '../browser/browser';
import { skippedLine } from '../support/skipped';
import { whyNoOracle } from './claims/oracle';
import { whyNoControlPlane } from './control-plane/availability';
import { Cluster } from './control-plane/cluster';
import { LIVE_CLUSTER } from './control-plane/components';
import { whyNoEstimates } from './costs/oracle';
import { whyNoDockerCommand, whyNoEngine } from './docker/programs';
import { whyNoTerminal } from './docker/pty';
import { whyNoHelm } from './helm/helm';
import { whyNoKueue } from './multikueue/kueue';
import { whyNoNode } from './node/programs';
import { whyNoPromtool } from './promtool/promtool';
import { whyNoPulumi } from './pulumi/pulumi-cli';
import { whyNoJudge } from './yaml/judge';

export default async function teardown(): Promise<void> {
  const folder = process.env[LIVE_CLUSTER];
  if (folder !== undefined) {
    await Cluster.open(folder)?.stop();
  }
  const line = skippedLine('test:e2e', {
    'the suites of the control plane': whyNoControlPlane(),
    'the suites of promtool': whyNoPromtool(),
    'the suite of Pulumi': whyNoPulumi(),
    "the suite of kubectl's reader": whyNoJudge(),
    'the suite of the Docker runner': whyNoEngine(),
    'a Docker engine through SSH': whyNoDockerCommand(),
    'the Docker runner on a terminal': whyNoTerminal(),
    'the suite of MultiKueue': whyNoKueue(),
    'the suites on a real node': whyNoNode(),
    'the suite of charts': whyNoHelm(),
    'the suite of devices by claim': whyNoOracle(),
    'the suite of estimated costs': whyNoEstimates(),
    'the live pages': CHROMIUM === undefined ? 'no Chromium is installed' : undefined,
  });
  if (line !== undefined) {
    process.stdout.write(line);
  }
}
