/**
 * Builds the programs of all end-to-end suites that the cache does not have. It comes before the suites, because the time of a hook or a
 * test has a limit, and a build of several minutes on a slow machine must not count against it.
 */
import { buildOracle, whyNoOracle } from './claims/oracle';
import { whyNoControlPlane } from './control-plane/availability';
import { buildPrograms } from './control-plane/build';
import { buildEstimates, whyNoEstimates } from './costs/oracle';
import { buildKueue, whyNoKueue } from './multikueue/kueue';
import { buildEngine, whyNoEngine } from './docker/programs';
import { buildPromtool, whyNoPromtool } from './promtool/promtool';
import { buildPulumi, whyNoPulumi } from './pulumi/pulumi-cli';
import { buildJudge, whyNoJudge } from './yaml/judge';

type Print = (line: string) => void;

const BUILDS: readonly (readonly [whyNot: () => string | undefined, build: (print: Print) => unknown])[] = [
  [whyNoControlPlane, (print) => buildPrograms({ print })],
  [whyNoOracle, buildOracle],
  [whyNoEstimates, buildEstimates],
  [whyNoKueue, buildKueue],
  [whyNoJudge, buildJudge],
  [whyNoPromtool, buildPromtool],
  [whyNoPulumi, buildPulumi],
  [whyNoEngine, buildEngine],
];

for (const [whyNot, build] of BUILDS) {
  // What cannot be built is said at the end of the suites.
  if (whyNot() === undefined) {
    build((line) => console.log(line));
  }
}
