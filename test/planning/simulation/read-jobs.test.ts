import { readScenario, simulate } from '../../../src/planning/simulation';

const scenario = (jobs: string): string =>
  `nodes: [{name: node, count: 2, allocatable: {cpu: 96, memory: 1Ti, gpus: 8}}]\nqueues: [{name: a}, {name: b}]\njobs: ${jobs}`;

function read(csv: string, jobs = 'jobs.csv'): ReturnType<typeof readScenario> {
  return readScenario(scenario(jobs), 'scenario.yaml', (file) => ({ text: csv, file }));
}

test('a plain list of jobs arrives as it was submitted, the first at 0', () => {
  const { gangs } = read(
    'submitted,duration,queue,pods,devices,cpu,name\n' +
      '2026-01-01T01:00:00Z,2h,b,2,8,16,"train, large"\n' +
      '2026-01-01T00:30:00Z,90,,1,0.5,1,\n',
  );
  expect(
    gangs.map(({ arrivesAt, durationSeconds, gang }) => [gang.name, gang.queue, arrivesAt, durationSeconds]),
  ).toEqual([
    ['job-2', 'a', 0, 90],
    ['train, large', 'b', 1800, 7200],
  ]);
  expect(gangs[0].gang.roles[0].template.accelerator).toEqual({ kind: 'fraction', milli: 500 });
  expect(gangs[1].gang.roles[0]).toMatchObject({ count: 2, template: { accelerator: { kind: 'whole', count: 8 } } });
});

test('the pod list of the openb trace is read as it is', () => {
  const { gangs } = read(
    'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n' +
      'openb-pod-0000,12000,16384,1,1000,,LS,Running,100,400,110\n' +
      'openb-pod-0001,6000,12288,1,460,V100M16|V100M32,LS,Running,150,250,150\n' +
      'openb-pod-0002,6000,12288,0,0,,LS,Running,160,,\n',
    '{file: openb.csv, queue: b}',
  );
  expect(
    gangs.map(({ arrivesAt, durationSeconds, gang }) => [gang.name, gang.queue, arrivesAt, durationSeconds]),
  ).toEqual([
    ['openb-pod-0000', 'b', 0, 290],
    ['openb-pod-0001', 'b', 50, 100],
  ]);
  expect(gangs[1].gang.roles[0].template).toMatchObject({
    request: { cpu: 6000, memory: 12288 * 2 ** 20 },
    accelerator: { kind: 'fraction', milli: 460, models: ['V100M16', 'V100M32'] },
  });
});

test('rows that cannot be read are reported with their lines', () => {
  expect(() => read('submitted,duration,pods\n0,1h,2\nsoon,1h,2\n0,1h\n0,never,0\n')).toThrow(
    /jobs.csv:3 submitted "soon" must be seconds[^]*jobs.csv:4 has 2 fields, but the header has 3[^]*jobs.csv:5/,
  );
  expect(() => read('start,end\n')).toThrow('jobs.csv has no column submitted and no column duration in its header');
});

test('a history is simulated like any other scenario', () => {
  const result = simulate(read('submitted,duration,queue,pods,devices\n0,60,a,2,8\n10,60,a,1,8\n'));
  expect(result.gangs.map(({ startedAt }) => startedAt)).toEqual([0, 60]);
});

test('JSON lines are read like a plain list, and lines that cannot be read are reported', () => {
  const csv = 'submitted,duration,queue,pods,devices,name\n0,1h,b,2,8,large\n90,30m,,,0.5,\n';
  const lines =
    '{"submitted": 0, "duration": "1h", "queue": "b", "pods": 2, "devices": 8, "name": "large"}\n\n' +
    '{"submitted": "90", "duration": "30m", "queue": null, "devices": 0.5}\n';
  expect(read(lines).gangs).toEqual(read(csv).gangs);
  expect(() =>
    read('{"submitted": 0, "duration": 1}\n{"submitted": 0}\n[]\n{"submitted": 0, "duration": {}}\n{\n'),
  ).toThrow(
    /jobs.csv:2 has no duration\n[^]*jobs.csv:3 must be a JSON object\n[^]*jobs.csv:4 "duration" must be a string, a number, or a boolean\n[^]*jobs.csv:5 must be/,
  );
  expect(() => read('{"submitted": 0, "duration": 1, "__proto__": 1}')).toThrow('__proto__ is an unknown field');
});
