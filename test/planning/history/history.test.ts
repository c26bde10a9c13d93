import { type JsonObject } from '../../../src/facts/api/schema';
import {
  describeGang,
  type HistoryEvent,
  isFlat,
  jobsAsCsv,
  jobsAsJsonLines,
  jobsOf,
  lineOf,
  LONGEST_LINE,
  readHistory,
  readSegment,
  type RecordedGang,
  type Segment,
} from '../../../src/planning/history';
import { readScenario } from '../../../src/planning/simulation';
import { type Gang } from '../../../src/placement';

const START = 1_767_225_600;
const gang: RecordedGang = {
  key: 'research/job/train',
  members: { name: 'research/train', queue: 'research', pods: 2, devices: 8 },
};

const EVENTS: readonly HistoryEvent[] = [
  { kind: 'segment', at: START, sequence: 3 },
  { kind: 'open', at: START, id: 4, gang, progress: { arrived: START - 50, started: START - 40, ran: 7, evicted: 1 } },
  {
    kind: 'open',
    at: START,
    id: 5,
    gang: { key: 'b' },
    progress: { arrived: START, since: START, ran: 0, evicted: 0 },
  },
  { kind: 'arrive', at: START, id: 6, gang },
  { kind: 'start', at: START, id: 6 },
  { kind: 'start', at: START, id: 6, gang },
  { kind: 'stop', at: START, id: 6 },
  { kind: 'evict', at: START, id: 6, pods: 2 },
  { kind: 'end', at: START, id: 6 },
  { kind: 'unseen', at: START, id: 4 },
  { kind: 'lost', at: START, events: 12 },
];

function segment(sequence: number, ...events: readonly HistoryEvent[]): Segment {
  return readSegment([{ kind: 'segment', at: START, sequence } as const, ...events].map(lineOf).join('\n'));
}

function ran(
  id: number,
  arrived: number,
  started: number,
  ended: number,
  of: RecordedGang = gang,
): readonly HistoryEvent[] {
  return [
    { kind: 'arrive', at: START + arrived, id, gang: of },
    { kind: 'start', at: START + started, id },
    { kind: 'end', at: START + ended, id },
  ];
}

describe('the lines of a history', () => {
  it('are read as they were written', () => {
    expect(readSegment(`${EVENTS.map(lineOf).join('\n')}\n`)).toEqual({ sequence: 3, events: EVENTS, unreadable: 0 });
  });

  it('are bounded: of a gang that says too much, the history keeps no members', () => {
    const long: RecordedGang = { key: 'a', members: { name: 'a', nodeSelector: { x: 'y'.repeat(LONGEST_LINE) } } };
    const line = lineOf({ kind: 'arrive', at: START, id: 1, gang: long });
    expect(line.length).toBeLessThan(LONGEST_LINE);
    const { ended } = readHistory([segment(1, ...ran(1, 0, 1, 2, long))]);
    expect(jobsOf({ ...readHistory([]), ended })).toEqual({ jobs: [], undescribed: 1 });
  });

  it('that cannot be read are counted, and any other text is rejected', () => {
    const text = [
      '["h",1,1,1]',
      '["a",1]',
      '["e",-1,2]',
      '[{}]',
      '{',
      '["x",1,2]',
      '["v",1,2,"many"]',
      '["o",1,2,"k",null]',
    ];
    expect(readSegment(text.join('\n'))).toMatchObject({ events: [{ kind: 'segment' }], unreadable: 7 });
    expect(() => readSegment('')).toThrow('is not a history');
    expect(() => readSegment('["a",1,2,"key"]')).toThrow('is not a history');
    expect(() => readSegment('["h",1,1,2]')).toThrow('has format 2, which this version of Gantry cannot read');
  });
});

describe('a history', () => {
  it('is a list of the gangs that ended, with the time that they ran', () => {
    const evicted: readonly HistoryEvent[] = [
      { kind: 'arrive', at: START, id: 2, gang: { ...gang, members: { ...gang.members, name: 'research/again' } } },
      { kind: 'start', at: START + 10, id: 2 },
      { kind: 'evict', at: START + 40, id: 2, pods: 2 },
      { kind: 'stop', at: START + 40, id: 2 },
      { kind: 'start', at: START + 100, id: 2 },
      { kind: 'end', at: START + 160, id: 2 },
    ];
    const { jobs } = jobsOf(readHistory([segment(1, ...ran(1, 5, 6, 126), ...evicted)]));
    expect(jobs).toEqual([
      {
        submitted: '2026-01-01T00:00:00Z',
        duration: 90,
        ...gang.members,
        name: 'research/again',
        started: '2026-01-01T00:00:10Z',
        ended: '2026-01-01T00:02:40Z',
        evictions: 2,
      },
      expect.objectContaining({
        submitted: '2026-01-01T00:00:05Z',
        duration: 120,
        name: 'research/train',
        evictions: 0,
      }),
    ]);
  });

  it('counts what is not in the list', () => {
    const open = { kind: 'open', at: START, gang, progress: { arrived: START - 9, ran: 0, evicted: 0 } } as const;
    const history = readHistory([
      segment(
        7,
        { ...open, id: 1, progress: { ...open.progress, started: START - 5, since: START - 5 } },
        { ...open, id: 2 },
        { ...open, id: 3 },
        { ...open, id: 4 },
        { kind: 'end', at: START, id: 3 },
        { kind: 'unseen', at: START, id: 4 },
        { kind: 'lost', at: START, events: 5 },
      ),
    ]);
    expect(history).toEqual({
      ended: [],
      running: 1,
      waiting: 1,
      neverStarted: 1,
      unseen: 1,
      lost: 5,
      from: START,
    });
  });

  it('goes on where a segment is missing: gangs that the next one does not name ended in between', () => {
    const first = segment(1, ...ran(1, 0, 1, 2), { kind: 'arrive', at: START, id: 2, gang });
    const later = segment(
      3,
      {
        kind: 'open',
        at: START,
        id: 3,
        gang,
        progress: { arrived: START, started: START, since: START, ran: 0, evicted: 0 },
      },
      { kind: 'end', at: START + 30, id: 3 },
    );
    const history = readHistory([later, first]);
    expect(history.ended.map(({ progress }) => progress.ran)).toEqual([1, 30]);
    expect(history).toMatchObject({ unseen: 1, running: 0, waiting: 0 });
  });

  it('gives jobs of one name different names, and takes only those that arrived in time', () => {
    const history = readHistory([segment(1, ...ran(1, 0, 1, 2), ...ran(2, 10, 11, 12), ...ran(3, 20, 21, 22))]);
    const names = (since?: number): readonly unknown[] => jobsOf(history, since).jobs.map(({ name }) => name);
    expect(names()).toEqual(['research/train', 'research/train#2', 'research/train#3']);
    expect(names(START + 10)).toEqual(['research/train', 'research/train#2']);
  });
});

describe('a gang in a history', () => {
  const nodes = 'nodes: [{name: node, count: 9, allocatable: {cpu: 96, memory: 1Ti, gpus: 8}}]';
  const simulated = (text: string): Gang =>
    readScenario(`${nodes}\nqueues: [{name: research}]\njobs: jobs`, 'file', (file) => ({ text, file })).gangs[0].gang;
  const jobs = (members: JsonObject): string =>
    jobsAsJsonLines(jobsOf(readHistory([segment(1, ...ran(1, 0, 1, 2, { key: 'k', members }))])).jobs);
  const devices = { request: { cpu: 1500, memory: 3 * 2 ** 30, pods: 1, 'nvidia.com/gpu': 8 } };

  it.each<[string, Pick<Gang, 'roles'> & Partial<Gang>]>([
    ['one role', { roles: [{ name: 'worker', count: 2, template: { request: { cpu: 500, memory: 1000 } } }] }],
    [
      'two roles with minimums, a topology, and a priority',
      {
        minimum: 3,
        priority: 7,
        preemptible: false,
        topology: { required: 'rack' },
        roles: [
          { name: 'master', count: 1, minimum: 1, template: { request: { cpu: 1000 } } },
          {
            name: 'worker',
            count: 3,
            minimum: 2,
            template: {
              request: { cpu: 1000 },
              nodeSelector: { pool: 'a' },
              tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }],
            },
          },
        ],
      },
    ],
    [
      'a fraction of a device of a model',
      {
        roles: [
          {
            name: 'worker',
            count: 1,
            template: { request: {}, accelerator: { kind: 'fraction', milli: 250, models: ['A', 'B'] } },
          },
        ],
      },
    ],
  ])('is simulated as it was: %s', (_, given) => {
    const original: Gang = { name: 'research/x', queue: 'research', ...given };
    const members = describeGang(original)!;
    expect(simulated(jobs(members))).toMatchObject(JSON.parse(JSON.stringify(original)) as object);
  });

  it('has whole devices, and no tolerations that every pod has', () => {
    const tolerations = [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' } as const];
    const members = describeGang({
      name: 'x',
      queue: 'research',
      minimum: 2,
      roles: [
        { name: 'worker', count: 2, template: { ...devices, tolerations } },
        { name: 'gone', count: 0, template: devices },
      ],
    });
    expect(members).toEqual({
      name: 'x',
      queue: 'research',
      pods: 2,
      cpu: '1500m',
      memory: '3Gi',
      devices: 8,
      expected: 'unknown',
    });
    expect(simulated(jobs(members!)).roles[0]).toMatchObject({
      count: 2,
      template: { request: { cpu: 1500, memory: 3 * 2 ** 30 }, accelerator: { kind: 'whole', count: 8 } },
    });
  });

  it.each([{ kind: 'memory', mebibytes: 5 } as const, { kind: 'shared', count: 1 } as const])(
    'is not described where a scenario has no words for its devices: %p',
    (accelerator) => {
      const roles = [{ name: 'worker', count: 1, template: { request: {}, accelerator } }];
      expect(describeGang({ name: 'x', queue: 'q', roles })).toBeUndefined();
    },
  );
});

test('a table has a column for each member, and quotes what a reader would split', () => {
  const jobs: readonly JsonObject[] = [
    { submitted: 's', duration: 1, name: 'a,"b"', devices: 8 },
    { submitted: 't', duration: 2, name: 'c', queue: 'q' },
  ];
  expect(jobsAsCsv(jobs)).toBe('submitted,duration,name,devices,queue\ns,1,"a,""b""",8,\nt,2,c,,q\n');
  expect([isFlat(jobs[0]), isFlat({ roles: [] })]).toEqual([true, false]);
});
