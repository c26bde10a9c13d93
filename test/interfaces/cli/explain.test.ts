import { Workplace } from './fake-terminal';

describe('gantry explain', () => {
  const place = new Workplace();
  afterAll(() => place.remove());

  it('explains a rule', async () => {
    const run = await place.run(['explain', 'volcano/queue-guarantee-within-deserved']);
    expect(run).toMatchObject({ status: 0, err: '' });
    expect(run.out).toMatch(/^volcano\/queue-guarantee-within-deserved\n[^]*fix/);
  });

  it('explains each message of an event that is pasted', async () => {
    const input =
      '0/3 nodes are available: 1 node(s) had untolerated taint {gpu: true}, 2 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available';
    const run = await place.run(['explain', '-'], { input });
    expect(run.status).toBe(0);
    expect(run.out.match(/^\S+\/\S+$/gm)).toEqual(['kube-scheduler/taint', 'kube-scheduler/insufficient-device']);
  });

  it('prints messages as JSON, with the names that the text has', async () => {
    const input = "LocalQueue research doesn't exist";
    const { status, out } = await place.run(['explain', '-', '--format', 'json'], { input });
    expect([status, JSON.parse(out)]).toEqual([
      0,
      { messages: [expect.objectContaining({ id: 'kueue/local-queue-missing', found: input, times: 1 })] },
    ]);
    const none = await place.run(['explain', '-', '--format', 'json'], { input: 'all is well' });
    expect([none.status, JSON.parse(none.out)]).toEqual([1, { messages: [] }]);
  });

  it('searches the end of a text that is too long', async () => {
    const run = await place.run(['explain', '-'], { input: `${'.'.repeat(4 * 1024 * 1024)} OOMKilled` });
    expect(run).toMatchObject({ status: 0, err: expect.stringContaining('longer than 4 MiB') as string });
    expect(run.out).toMatch(/^kubelet\/oom\n/);
  });

  it.each([
    ['queue-guarantee-within-deserved', ' (did you mean volcano/queue-guarantee-within-deserved?)'],
    ['volcano/queue-guarante-within-deserved', ' (did you mean volcano/queue-guarantee-within-deserved?)'],
    ['nothing', ''],
  ])('suggests for %s only a rule that is nearly that', async (what, suggestion) => {
    const { status, err } = await place.run(['explain', what]);
    expect([status, err]).toEqual([
      2,
      expect.stringContaining(`explain ${what}: not a rule, a file, or a known message${suggestion};`),
    ]);
  });

  it('says that a message is not known', async () => {
    expect(await place.run(['explain', '-'], { input: 'all is well' })).toMatchObject({
      status: 1,
      out: 'The input contains no known message.\n',
    });
  });

  it.each([[['explain', 'volcano/queue-guarante-within-deserved']], [['explain', 'none', '--cluster', 'sample']]])(
    'one line for %j',
    async (words) => {
      const { status, err } = await place.run(words);
      expect({ status, lines: err.trim().split('\n').length }).toEqual({ status: 2, lines: 1 });
    },
  );
});
