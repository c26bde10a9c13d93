import { bound, cluster, gang, node, run, template } from './builders';
import { historyOf } from './recorded/history';
import { checkSoftConstraints } from './soft-constraints';
import { samples } from '../support/samples';

const labels = { app: 'server' };
/** As InferenceService writes it: copies on different hosts, where that can be. */
const topologySpread = [
  {
    topologyKey: 'kubernetes.io/hostname',
    maxSkew: 1,
    whenUnsatisfiable: 'ScheduleAnyway' as const,
    selector: { labels: [{ key: 'app', operator: 'In' as const, values: ['server'] }] },
  },
];

describe('soft constraints', () => {
  it('hold no gang back that a brute force places', () => {
    checkSoftConstraints(samples(300), 5);
  });

  it('are given up once for each pod that a trial of the next cycle starts again', () => {
    expect(historyOf(2142)).toContain('cycle 3');
  });

  it('decide between places where there is room for all', () => {
    const servers = gang('s', 2, template(1, { topologySpread, labels }));
    expect(bound(run(cluster([node('a', 8), node('b', 8)], [servers])))).toEqual([
      's-worker-0 on a',
      's-worker-1 on b',
    ]);
  });

  it('give way where another gang needs a whole node', () => {
    const servers = gang('s', 2, template(1, { topologySpread, labels }), { priority: 1 });
    const whole = gang('w', 1, template(8));
    const decision = run(cluster([node('a', 8), node('b', 8)], [servers, whole]));
    expect(decision.pending).toEqual([]);
    expect(new Set(decision.bindings.filter(({ gang: name }) => name === 's').map(({ node: on }) => on)).size).toBe(1);
  });
});
