import { isTimeZone, scheduleProblem } from '../../../src/constructs/volcano/cron-schedule';
import { parseGoDuration } from '../../../src/manifests/values/go-duration';
import { parseGoFlags, parseGoInt } from '../../../src/constructs/volcano/go-flags';
import { parseGoBool } from '../../../src/manifests/values/go-boolean';
import { isCountedResource, isExtendedResource } from '../../../src/constructs/volcano/queue-resources';

describe('flags as Go reads them', () => {
  const types = { name: 'string', port: 'int', wait: 'bool' } as const;

  test('one dash and two are the same, and a value may follow in the next argument', () => {
    const { values, problem } = parseGoFlags(['-name', 'a', '--port=0x10', '--wait'], types);
    expect(Object.fromEntries(values)).toEqual({ name: 'a', port: 16, wait: true });
    expect(problem).toBeUndefined();
  });

  test('a switch does not take the next argument', () => {
    expect(parseGoFlags(['--wait', 'false'], types).problem).toMatchObject({ index: 1, kind: 'not-a-flag' });
  });

  test('what is before a mistake counts, what is after it is lost', () => {
    const { values, problem } = parseGoFlags(['--name=a', '--unknown', '--port=1'], types);
    expect([...values.keys()]).toEqual(['name']);
    expect(problem).toMatchObject({ index: 1, kind: 'unknown', flag: 'unknown' });
  });

  test.each([
    [['--port=x'], 'bad-value'],
    [['--port'], 'missing-value'],
    [['---port=1'], 'bad-syntax'],
    [['--=1'], 'bad-syntax'],
    [['-'], 'not-a-flag'],
  ])('%j is a mistake: %s', (args, kind) => {
    expect(parseGoFlags(args, types).problem?.kind).toBe(kind);
  });

  test('a value that cannot be read takes the place of an earlier one, as zero', () => {
    expect(parseGoFlags(['--port=5', '--port=http'], types).values.get('port')).toBe(0);
  });

  test('two dashes alone end the flags', () => {
    expect(parseGoFlags(['--', '--unknown'], types)).toEqual({ values: new Map() });
  });

  test.each([
    ['0', 0],
    ['010', 8],
    ['0b11', 3],
    ['1_000', 1000],
    ['-5', -5],
    ['', undefined],
    ['08', undefined],
    ['1.5', undefined],
  ])('the integer %j is %p', (text, value) => {
    expect(parseGoInt(text)).toBe(value);
  });

  test.each([
    ['t', true],
    ['FALSE', false],
    ['1', true],
    ['yes', undefined],
  ])('the switch %j is %p', (text, value) => {
    expect(parseGoBool(text)).toBe(value);
  });
});

describe('durations as Go reads them', () => {
  test.each([
    ['1h30m', 5400],
    ['500ms', 0.5],
    ['-2s', -2],
    ['1.5h', 5400],
    ['0', 0],
    ['30', undefined],
    ['1d', undefined],
    ['', undefined],
  ])('%j is %p seconds', (text, seconds) => {
    expect(parseGoDuration(text)).toBe(seconds);
  });
});

describe('cron schedules', () => {
  test.each([
    '* * * * *',
    '*/5 0-12/2 ? JAN Mon-fri',
    '0,30 2 1 1 0',
    '@every 90s',
    '@hourly',
    '  0 0 * * *  ',
    '*-5 * * * *',
  ])('%j is one', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  test.each([
    '',
    '@daily ',
    '* * * *',
    '60 * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 7',
    'x * * * *',
    '@every soon',
    '1-2-3 * * * *',
  ])('%j is none', (schedule) => {
    expect(scheduleProblem(schedule)).toBeDefined();
  });

  test('time zones are names of the IANA database', () => {
    expect(['UTC', 'Etc/GMT+1', 'America/Argentina/Buenos_Aires'].every(isTimeZone)).toBe(true);
    expect(['Mars/Olympus', '../etc', 'Europe/-Berlin', 'europe/berlin', ''].some(isTimeZone)).toBe(false);
  });
});

describe('resource names that a queue counts', () => {
  test.each([
    'cpu',
    'memory',
    'pods',
    'ephemeral-storage',
    'hugepages-1Gi',
    'nvidia.com/gpu',
    'rdma/hca',
    'deviceclass/gpu.nvidia.com',
  ])('%s is counted', (name) => {
    expect(isCountedResource(name)).toBe(true);
  });

  test.each(['gpu', 'storage', 'count/pods', 'requests.nvidia.com/gpu', 'limits.cpu'])('%s is passed over', (name) => {
    expect(isCountedResource(name)).toBe(false);
  });

  test('native names are no extended resources', () => {
    expect(['cpu', 'kubernetes.io/x', 'requests.nvidia.com/gpu'].some(isExtendedResource)).toBe(false);
  });
});
