import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeSnapshot } from '../../../src/manifests/snapshot/cluster-snapshot';
import { smallSnapshot } from '../../support/small-snapshot';
import { Workplace } from './fake-terminal';

const queue = (gpus: number): string => `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research, labels: {team: a}}
spec: {weight: 1, reclaimable: true, capability: {nvidia.com/gpu: ${gpus}}}
`;

const job = (image: string, name = 'train'): string => `
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, namespace: research}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "${image}", resources: {limits: {nvidia.com/gpu: 8}}}]
`;

describe('gantry diff', () => {
  const place = new Workplace();
  afterAll(() => place.remove());
  beforeAll(() => {
    place.write('old/queue.yaml', queue(64));
    place.write('old/job.yaml', job('example.com/a:1'));
    place.write('new/queue.yaml', queue(48));
    place.write('new/job.yaml', `${job('example.com/a:1')}---${job('example.com/a:1', 'more')}`);
    place.write('rejected/queue.yaml', queue(64));
    place.write('rejected/job.yaml', job('example.com/a:2'));
  });
  const diff = (...words: readonly string[]): ReturnType<Workplace['run']> => place.run(['diff', ...words]);

  it('shows what changes, and what that does to queues', async () => {
    const { status, out, err } = await diff('old', 'new');
    expect(err).toBe('');
    expect(out).toContain(
      '~ scheduling.volcano.sh/v1beta1 Queue research\n    ~ spec.capability["nvidia.com/gpu"]: 64 → 48\n',
    );
    expect(out).toContain('+ batch/v1 Job research/more\n');
    expect(out).toContain('  queue research: 0 of 48 nvidia.com/gpu requested, was 0 of 64\n');
    expect(out.trimEnd().split('\n').at(-1)).toBe('1 added, 0 removed, 1 changed, 1 unchanged');
    expect(status).toBe(0);
  });

  it('exits with status 1 where an update is rejected, and says what to do', async () => {
    const { status, out } = await diff('old', 'rejected');
    expect(out).toContain(
      '    error: the API server rejects the update: spec.template.spec.containers[main].image must not change\n',
    );
    expect(out).toContain('    fix: Give the Job another name, or delete it, then apply.\n');
    expect(status).toBe(1);
  });

  it('reports a compressed file that is not whole, or not a snapshot, in one line', async () => {
    const whole = writeSnapshot(smallSnapshot({}));
    writeFileSync(join(place.folder, 'cut.gz'), whole.subarray(0, whole.length / 2));
    writeFileSync(join(place.folder, 'begun.gz'), whole.subarray(0, 2));
    writeFileSync(join(place.folder, 'manifests.gz'), gzipSync(queue(64)));

    for (const file of ['cut.gz', 'begun.gz']) {
      for (const sides of [
        ['old', file],
        [file, 'old'],
      ]) {
        expect(await diff(...sides)).toEqual({
          status: 2,
          out: '',
          err: `gantry: ${file}: cannot be read: the gzip data is incomplete or damaged; take a new snapshot with \`gantry snapshot\`\n`,
        });
      }
    }
    expect(await diff('old', 'manifests.gz')).toEqual({
      status: 2,
      out: '',
      err: 'gantry: manifests.gz:1:1: cannot be read: compressed with gzip; decompress it with gunzip\n',
    });
  });

  it('says that nothing changes', async () => {
    expect(await diff('old', 'old', '--exit-code')).toEqual({ status: 0, out: 'no differences\n', err: '' });
    expect((await diff('old', 'new', '--exit-code')).status).toBe(1);
  });

  it('plans both sides on a cluster', async () => {
    const { out } = await diff('old', 'new', '--cluster', 'sample');
    expect(out).toContain('Plan\n  research/more: not present → placed');
  });

  it('is JSON on request', async () => {
    const { changes, unchanged, sums } = JSON.parse((await diff('old', 'new', '--format', 'json')).out) as {
      changes: readonly { change: string; kind: string; name: string; fields?: readonly object[] }[];
      unchanged: number;
      sums: readonly object[];
    };
    expect(changes.map(({ change, kind, name }) => [change, kind, name])).toEqual([
      ['added', 'Job', 'more'],
      ['changed', 'Queue', 'research'],
    ]);
    expect([unchanged, sums.length]).toEqual([1, 2]);
  });

  it('is Markdown that no content can break out of, and short enough for a comment', async () => {
    place.write('evil.yaml', job('````x', 'a').replace('Never', '"Never\\n# x"'));
    const { out } = await diff('old/job.yaml', 'evil.yaml', '--format', 'markdown');
    expect(out).toMatch(/^### Manifests: 1 added, 1 removed/);
    place.write('before.yaml', job('a'));
    place.write('after.yaml', job('a````'));
    const { out: fenced } = await diff('before.yaml', 'after.yaml', '--format', 'markdown');
    expect(fenced).toContain('`````text\n');
    place.write('many.yaml', Array.from({ length: 3000 }, (_, index) => job('a', `job-${index}`)).join('---'));
    const { out: long } = await diff('before.yaml', 'many.yaml', '--format', 'markdown');
    expect(long.length).toBeLessThan(65_536);
    expect(long).toMatch(/\d+ objects more: run `gantry diff`/);
  });

  it('shows control characters as text', async () => {
    place.write('control.yaml', job('a\\u001b[31m'));
    expect((await diff('before.yaml', 'control.yaml')).out).not.toContain('\u001b');
  });

  it('compares with a snapshot, without the metadata that it does not keep', async () => {
    const snapshot = smallSnapshot({
      takenAt: new Date().toISOString(),
      lists: [
        {
          apiVersion: 'scheduling.volcano.sh/v1beta1',
          kind: 'Queue',
          plural: 'queues',
          items: [
            {
              metadata: { name: 'research' },
              spec: { weight: 1, reclaimable: true, capability: { 'nvidia.com/gpu': 64 } },
            },
            { metadata: { name: 'other' }, spec: {} },
          ],
        },
      ],
    });
    place.write('prod.gantry.json', writeSnapshot(snapshot, { compressed: false }).toString());
    const same = await diff('old', '--cluster', 'prod.gantry.json');
    expect(same.out).toContain('not compared, because a snapshot does not contain their specs: batch/Job\n');
    expect(same.out.trimEnd().split('\n').at(-1)).toBe('no differences');
    const { out } = await diff('new', '--cluster', 'prod.gantry.json');
    expect(out).toContain('0 added, 0 removed, 1 changed, 0 unchanged');
    expect((await diff('prod.gantry.json', 'prod.gantry.json')).out).toBe('no differences\n');
  });

  test.each([
    [['old'], 'a diff requires two paths, OLD and NEW, or one path and --cluster'],
    [['old', 'new', 'rejected'], 'a diff compares two paths, but 3 are given'],
    [
      ['old', '--cluster', 'sample'],
      '--cluster sample: a diff of one path requires a snapshot (`gantry snapshot`) or live[:CONTEXT]',
    ],
    [['-', '-'], '- must be given once; write the other side to a file'],
    [['old', 'missing'], 'missing: no such file or folder'],
    [['old', 'new', '--format', 'xml'], '--format xml: unknown format; supported values are text, json, markdown'],
  ])('answers %p with one line', async (words, message) => {
    expect(await diff(...words)).toEqual({ status: 2, out: '', err: `gantry: ${message}\n` });
  });

  it('refuses a side that cannot be read, whose objects would seem to be removed', async () => {
    place.write('broken/a.yaml', 'a: [1\n');
    const { status, err } = await diff('old', 'broken');
    expect([status, err.startsWith('gantry: broken/a.yaml:')]).toEqual([2, true]);
  });

  it('refuses a list with an item that is no object, as check does', async () => {
    place.write('list.yaml', 'apiVersion: v1\nkind: List\nitems:\n  - 1\n');
    expect(await diff('list.yaml', 'old')).toEqual({
      status: 2,
      out: '',
      err: 'gantry: list.yaml:4:5: item 0 of the list is a number; a Kubernetes object must set apiVersion and kind\n',
    });
  });
});
