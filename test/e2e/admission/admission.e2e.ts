import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { askAboutPods } from './ask';
import { agree, gantrySays } from './verdict';
import { CLASSES } from './worlds';

describeLive('admission of pods', () => {
  let live: LiveCluster;
  beforeAll(async () => {
    live = await liveCluster();
  });
  afterAll(() => live.cluster.client.close());

  it('is predicted from namespaces, limit ranges, quotas, and classes', async () => {
    const { cluster, discovery, minor } = live;
    const amount = {
      worlds: Number(process.env.GANTRY_ADMISSION_WORLDS ?? 40),
      pods: 50,
      seed: Number(process.env.GANTRY_ADMISSION_SEED ?? 11),
    };
    const asked = await askAboutPods(cluster.client, discovery, amount);
    const counts = new Map<string, number>();
    for (const { server } of asked) {
      counts.set(server, (counts.get(server) ?? 0) + 1);
    }
    process.stdout.write(`admission: ${JSON.stringify(Object.fromEntries([...counts].sort()))}\n`);
    const wrong = asked
      .map((one) => ({
        ...one,
        gantry: gantrySays(one.pod, [...CLASSES, ...one.world.objects], one.world.name, minor),
      }))
      .filter(({ server, gantry }) => !agree(server, gantry));
    const described = wrong.map(({ world, pod, server, message, gantry }) => ({
      server: `${server}: ${message}`,
      gantry,
      world: JSON.stringify(world.objects),
      pod: JSON.stringify(pod),
    }));
    expect(described.slice(0, 8)).toEqual([]);
    expect(counts.get('accepted')).toBeGreaterThan(100);
  });
});
