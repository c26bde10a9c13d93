import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type HistoryEvent, lineOf } from '../../../src/planning/history';
import { type InProcessApiServer } from '../../support/api-server/api-server';
import { HttpServer } from '../../support/http-server';
import { snapshotServer } from '../../support/snapshot-world';
import { Workplace } from './fake-terminal';

const START = 1_767_225_600;

/** Gangs that arrive every 10 minutes and run for 20, of 8 devices each; the last one still runs. */
const EVENTS: readonly HistoryEvent[] = [
  { kind: 'segment', at: START, sequence: 1 },
  ...Array.from({ length: 12 }, (_, index): readonly HistoryEvent[] => {
    const [id, at] = [index + 1, START + index * 600];
    const members = {
      name: `research/train-${id}`,
      queue: 'research',
      pods: 1,
      cpu: 8,
      devices: 8,
      expected: 'unknown',
    };
    return [
      { kind: 'arrive', at, id, gang: { key: `research/train-${id}`, members } },
      { kind: 'start', at: at + 60, id },
      ...(index === 11 ? [] : [{ kind: 'end', at: at + 60 + 1200, id } as const]),
    ];
  }).flat(),
];

function configMap(index: number, events?: readonly HistoryEvent[], namespace = 'gantry-system'): JsonObject {
  const packed = events === undefined ? undefined : gzipSync(events.map(lineOf).join('\n')).toString('base64');
  return {
    metadata: { namespace, name: `gantry-scheduler-history-${index}` },
    ...(packed !== undefined && { binaryData: { 'history.jsonl.gz': packed } }),
  };
}

describe('gantry history', () => {
  const place = new Workplace();
  let api: InProcessApiServer;
  let server: HttpServer;

  beforeAll(async () => {
    api = snapshotServer();
    server = await HttpServer.of(api);
    server.writeKubeconfig(join(place.folder, 'config'));
  });
  beforeEach(() => {
    api.put('v1', 'configmaps', configMap(0, EVENTS));
    api.put('v1', 'configmaps', configMap(1));
  });
  afterAll(async () => {
    await server.stop();
    place.remove();
  });

  const history = (...words: readonly string[]): ReturnType<Workplace['run']> =>
    place.run(['history', '--kubeconfig', join(place.folder, 'config'), ...words]);

  it('prints the gangs that ended, and says what is not in the list', async () => {
    const run = await history();
    expect(run.status).toBe(0);
    expect(run.out.trim().split('\n')).toHaveLength(11);
    expect(JSON.parse(run.out.split('\n')[0])).toEqual({
      submitted: '2026-01-01T00:00:00Z',
      duration: 1200,
      name: 'research/train-1',
      queue: 'research',
      pods: 1,
      cpu: 8,
      devices: 8,
      expected: 'unknown',
      started: '2026-01-01T00:01:00Z',
      ended: '2026-01-01T00:21:00Z',
      evictions: 0,
    });
    expect(run.err).toBe('gantry: not in the list: 1 running gang\n');
  });

  it.each(['history.jsonl', 'history.csv'])('writes %s, which size and simulate read', async (file) => {
    const run = await history('-o', file);
    expect(run.out).toBe(`${file}: 11 gangs, recorded since 2026-01-01T00:00:00Z\n`);
    const nodes = '{accelerator: H100-SXM-80GB, perNode: 8, cpu: 96, memory: 1Ti, max: 4, pricePerHour: 40}';
    place.write(
      'sizing.yaml',
      `pools: [{name: h100, ${nodes.slice(1, -1)}}]\nqueues: [{name: research}]\njobs: ${file}\ntargets: [{wait: 1m}]\nrun: {cycle: 1m}\n`,
    );
    const sized = await place.run(['size', 'sizing.yaml', '--format', 'json']);
    expect(sized.err).toBe('');
    // Two of them run at any time, and the third arrives when the first one ends.
    const [{ best }] = JSON.parse(sized.out) as [{ best: { pools: readonly { nodes: number }[] } }];
    expect(best.pools.map(({ nodes: count }) => count)).toEqual([2]);
    place.write(
      'scenario.yaml',
      `nodes: [{name: node, count: 2, allocatable: {cpu: 96, memory: 1Ti, gpus: 8}}]\nqueues: [{name: research}]\njobs: ${file}\nexpect: [{allFinish: true}, {gang: research/train-1, endsBy: 20m}]\n`,
    );
    expect(await place.run(['simulate', 'scenario.yaml'])).toMatchObject({ status: 0, err: '' });
  });

  it('takes those that arrived in time, of a scheduler in another namespace', async () => {
    api.put('v1', 'configmaps', configMap(0, EVENTS, 'platform'));
    const run = await history('-n', 'platform', '--since', '2026-01-01T01:00:00Z', '--format', 'csv');
    expect(run.out.split('\n').slice(0, 2)).toEqual([
      'submitted,duration,name,queue,pods,cpu,devices,expected,started,ended,evictions',
      '2026-01-01T01:00:00Z,1200,research/train-7,research,1,8,8,unknown,2026-01-01T01:01:00Z,2026-01-01T01:21:00Z,0',
    ]);
    expect((await history('--since', '1h')).out).toBe('');
  });

  it.each([
    [['--since', 'soon'], '--since soon: must be a duration such as 36h or 30d, or a date and time'],
    [['--format', 'xml'], '--format'],
    [['-n', 'nowhere'], 'ConfigMap nowhere/gantry-scheduler-history-0: not found'],
    [['--scheduler', '../../secrets'], 'ConfigMap gantry-system/../../secrets-history-0: not found'],
    [['-o', 'no/such/folder/h.csv'], 'no/such/folder/h.csv'],
  ])('rejects %p with one line', async (words, message) => {
    const run = await history(...words);
    expect(run.status).toBe(2);
    expect(run.err).toContain(message);
    expect(run.err.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['of a later version', gzipSync('["h",1,1,2]\n'), 'has format 2'],
    ['that are not compressed', Buffer.from('["h",1,1,1]'), 'incorrect header check'],
    ['of zeros', gzipSync(Buffer.alloc(2 ** 26 + 1)), 'Cannot create a Buffer larger than'],
  ])('rejects contents %s with one line that names the ConfigMap', async (_, bytes, message) => {
    const { metadata } = configMap(0);
    api.put('v1', 'configmaps', { metadata, binaryData: { 'history.jsonl.gz': bytes.toString('base64') } });
    const run = await history('-o', 'unwritten.csv');
    expect(run.status).toBe(2);
    expect(run.err).toMatch(/^gantry: ConfigMap gantry-system\/gantry-scheduler-history-0: [^\n]+\n$/);
    expect(run.err).toContain(message);
    expect(() => readFileSync(join(place.folder, 'unwritten.csv'))).toThrow('ENOENT');
  });
});
