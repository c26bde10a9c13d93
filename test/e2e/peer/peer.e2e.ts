import { isBuiltInGroup } from '../../../src/facts/api/kinds';
import { type Answer, askBoth } from '../agreement/differential';
import { corpus } from '../agreement/corpus';
import { questions } from '../agreement/mutants';
import { prepareCluster } from '../agreement/prepare';
import { components, programPath } from '../control-plane/components';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { withoutNeighbors } from '../control-plane/custom-resources';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { compareWithPeer, type Comparison } from './compare';

const MUTANTS = 600;
const SEED = 7;

describeLive('beside kubeconform, Gantry', () => {
  let live: LiveCluster;
  let answers: readonly Answer[];
  let comparison: Comparison;

  beforeAll(async () => {
    live = await liveCluster();
    const bases = corpus();
    await prepareCluster(live.cluster.client, live.discovery, bases);
    answers = await askBoth(
      live.cluster.client,
      live.discovery,
      questions(bases, MUTANTS, SEED, live.minor),
      live.minor,
    );
    comparison = await compareWithPeer(answers, {
      program: programPath(components().find(({ name }) => name === 'kubeconform')!),
      client: live.cluster.client,
      discovery: live.discovery,
      crds: withoutNeighbors(coveredDefinitions()),
      kubernetes: live.minor,
    });
  });
  afterAll(() => live.cluster.client.close());

  it('agrees with the server more often', () => {
    expect(comparison.all.gantry).toBeGreaterThan(comparison.all.kubeconform);
  });

  // Of each built-in kind only a handful is asked here, too few to count; bench:agreement counts them.
  it('agrees with the server at least as often on every kind of custom resource', () => {
    const custom = comparison.byKind.filter(
      ({ kind }) => kind.includes('/') && !isBuiltInGroup(kind.slice(0, kind.indexOf('/'))),
    );
    expect(custom.filter(({ gantry, kubeconform }) => gantry < kubeconform)).toEqual([]);
  });

  it('judges a peer that was given a fair chance: it accepts nearly every manifest that is valid', () => {
    expect(comparison.kubeconformFalseRejects).toBeLessThan(comparison.all.asked * 0.1);
  });
});
