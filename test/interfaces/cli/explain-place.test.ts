import { Workplace } from './fake-terminal';

const QUEUE = `apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: research
spec:
  weight: 1
  guarantee:
    resource:
      nvidia.com/gpu: 16
  deserved:
    nvidia.com/gpu: 8
`;

describe('gantry explain FILE[:LINE]', () => {
  const place = new Workplace();
  beforeAll(() => place.write('queue.yaml', QUEUE));
  afterAll(() => place.remove());

  it('explains the findings of a file with the reason and the source of each', async () => {
    const { status, out } = await place.run(['explain', 'queue.yaml']);
    expect(status).toBe(0);
    expect(out).toMatch(/\[volcano\/queue-guarantee-within-deserved\][^]*\n {4}why: [^]*\n {4}source: volcano v/);
  });

  it('explains a finding on its line, and the field there', async () => {
    const all = JSON.parse((await place.run(['explain', 'queue.yaml', '--format', 'json'])).out) as {
      readonly findings: readonly { readonly rule: string; readonly line: number }[];
    };
    const { line } = all.findings.find(({ rule }) => rule === 'volcano/queue-guarantee-within-deserved')!;
    const { out } = await place.run(['explain', `queue.yaml:${line}`]);
    expect(out).toMatch(/volcano\/queue-guarantee-within-deserved/);
    expect(out).toMatch(/\nscheduling\.volcano\.sh\/v1beta1 Queue \/spec\//);
  });

  it.each([
    ['queue.yaml:6', /Queue \/spec\/weight\n {2}type +integer \(int32\)\n {2}required +no\n/],
    ['queue.yaml:6:3', /Queue \/spec\/weight\n/],
    ['queue.yaml:9', /Queue \/spec\/guarantee\/resource\/nvidia\.com~1gpu\n {2}type +integer or string\n/],
    ['queue.yaml:5', /Queue \/spec\n {2}type +object\n[^]* {2}fields +.*deserved.*guarantee/],
  ])('gives the type and limits of the field at %s', async (what, words) => {
    const { status, out } = await place.run(['explain', what]);
    expect(status).toBe(0);
    expect(out).toMatch(words);
  });

  it('gives the field as JSON', async () => {
    const { out } = await place.run(['explain', 'queue.yaml:6', '--format', 'json']);
    expect(JSON.parse(out)).toMatchObject({
      field: { kind: 'Queue', path: '/spec/weight', required: false, schema: { type: 'integer' } },
    });
  });

  it('says that a file has no findings', async () => {
    place.write('good.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n');
    expect((await place.run(['explain', 'good.yaml'])).out).toBe('good.yaml: no findings\n');
  });

  it('is one line for a line outside of every object', async () => {
    place.write('empty.yaml', '# nothing\n');
    expect(await place.run(['explain', 'empty.yaml:1'])).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^gantry: explain empty\.yaml:1: the line is not part of an object\n$/) as string,
    });
  });
});
