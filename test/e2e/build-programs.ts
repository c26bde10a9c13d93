/**
 * Builds the programs of the end-to-end suites that the cache does not have; with `--full`, also those of the suites named `*.full.e2e.ts`.
 * It comes before the suites, because the time of a hook or a test has a limit, and a build of several minutes on a slow machine must not count
 * against it.
 */
import { buildOracle, whyNoOracle } from './claims/oracle';
import { whyNoControlPlane } from './control-plane/availability';
import { buildPrograms } from './control-plane/build';
import { buildEstimates, whyNoEstimates } from './costs/oracle';
import { buildHelm, whyNoHelm } from './helm/helm';
import { buildKueue, whyNoKueue } from './multikueue/kueue';
import { buildEngine, whyNoEngine } from './docker/programs';
import { buildNode, whyNoNode } from './node/programs';
import { buildPromtool, whyNoPromtool } from './promtool/promtool';
import { buildPulumi, whyNoPulumi } from './pulumi/pulumi-cli';
import { buildJudge, whyNoJudge } from './yaml/judge';

type Print = (line: string) => void;

type Build = readonly [whyNot: () => string | undefined, build: (print: Print) => unknown];

const BUILDS: readonly Build[] = [
  [whyNoControlPlane, (print) => buildPrograms({ print })],
  [whyNoOracle, buildOracle],
  [whyNoEstimates, buildEstimates],
  [whyNoJudge, buildJudge],
  [whyNoPromtool, buildPromtool],
  [whyNoPulumi, buildPulumi],
  [whyNoEngine, buildEngine],
];

const BUILDS_OF_FULL: readonly Build[] = [
  [whyNoKueue, buildKueue],
  [whyNoNode, buildNode],
  [whyNoHelm, buildHelm],
];

for (const [whyNot, build] of process.argv.includes('--full') ? [...BUILDS, ...BUILDS_OF_FULL] : BUILDS) {
  // What cannot be built is said at the end of the suites.
  if (whyNot() === undefined) {
    build((line) => console.log(line));
  }
}
