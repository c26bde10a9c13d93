/**
 * What the page of a Docker runner does with what it gets and what the user writes.
 */
import { frameBytes } from '../../../../src/runtime/docker/engine/frames';
import { areaPath, condensed, linePath, mean, POINTS } from '../../../../src/planning/pages/client/runner/history-line';
import { FrameReader, OutputText } from '../../../../src/planning/pages/client/runner/output-text';
import { shellWords } from '../../../../src/planning/pages/client/runner/shell-words';
import { taskOf } from '../../../../src/planning/pages/client/runner/task-of-form';

function shown(...outputs: readonly string[]): string {
  const text = new OutputText();
  outputs.forEach((output) => text.add(output));
  return text.text;
}

test('a carriage return begins the line again, however the output is cut', () => {
  expect(shown('10%\r20%', '\r', '30%\nnext')).toBe('30%\nnext');
  expect(shown('dos\r\nlines\r\n')).toBe('dos\nlines\n');
  expect(shown('kept\r')).toBe('kept');
});

test('control sequences are left out', () => {
  expect(shown('\u001B[1;32mgreen\u001B[0m \u001B]0;title\u0007bell\u0007 \u001B[2Kline')).toBe('green bell line');
});

test('only the last 5,000 lines are kept, each of at most 10,000 characters', () => {
  const text = new OutputText();
  text.add('line\n'.repeat(6000));
  text.add('x'.repeat(20_000));
  expect(text.text.split('\n')).toHaveLength(5000);
  expect(text.isCut).toBe(true);
  expect(text.text.split('\n').at(-1)).toHaveLength(10_000);
});

test('frames are read however they are cut, without time stamps, and characters may be cut between frames', () => {
  const euro = Buffer.from('€');
  const stamp = Buffer.from('2026-01-01T00:00:00Z ');
  const bytes = Buffer.concat([
    frameBytes({ stream: 'stdout', data: Buffer.concat([stamp, Buffer.from('a '), euro.subarray(0, 1)]) }),
    frameBytes({ stream: 'stderr', data: Buffer.concat([stamp, Buffer.from('b ')]) }),
    frameBytes({ stream: 'stdout', data: Buffer.concat([stamp, euro.subarray(1)]) }),
  ]);
  for (const size of [1, 7, 8, 30, bytes.length]) {
    const reader = new FrameReader();
    let text = '';
    for (let at = 0; at < bytes.length; at += size) {
      text += reader.read(bytes.subarray(at, at + size));
    }
    expect(text).toBe('a b €');
  }
});

test.each([
  ['python train.py', ['python', 'train.py']],
  [`sh -c 'echo "a  b"'`, ['sh', '-c', 'echo "a  b"']],
  [`a\\ b "c \\"d\\" \\n" ''`, ['a b', 'c "d" \\n', '']],
  ['  ', []],
  [`'open`, undefined],
])('words of %s', (text, words) => {
  expect(shellWords(text)).toEqual(words);
});

test('the lines of a history have gaps where nothing was measured, and a few hundred points at most', () => {
  const box = { width: 4, height: 10 };
  expect(linePath([0, 1, null, 0.5], box)).toBe('M0 10L1 10L1 0L2 0M3 5L4 5');
  expect(areaPath([null, 1], { width: 2, height: 10 })).toBe('M1 10L1 0L2 0L2 10Z');
  expect(condensed([0, null])).toEqual([0, null]);
  const day = condensed(Array.from({ length: 1440 }, (_, index) => (index < 6 ? null : index < 12 ? index % 2 : 1)));
  expect(day).toHaveLength(POINTS);
  expect(day.slice(0, 3)).toEqual([null, 0.5, 1]);
  expect(mean([null])).toBeNull();
});

test('what the user writes becomes a task, and what cannot be read is named with its field', () => {
  expect(
    taskOf({
      image: ' busybox ',
      command: 'echo "a b"',
      devices: 'memory',
      amount: '20Gi',
      timeout: '2d',
      env: 'A=1\n\n B=2',
    }),
  ).toMatchObject({
    image: 'busybox',
    command: ['echo', 'a b'],
    devices: { kind: 'memory', mebibytes: 20_480 },
    timeLimitSeconds: 172_800,
    env: ['A=1', 'B=2'],
  });
  expect(taskOf({ image: 'i', devices: 'whole', amount: '', model: 'H100' }).devices).toEqual({
    kind: 'whole',
    count: 1,
    models: ['H100'],
  });
  expect(taskOf({ image: 'i', devices: 'none', amount: '3' }).devices).toBeUndefined();
  for (const [written, field] of [
    [{}, 'image'],
    [{ command: '"' }, 'command'],
    [{ timeout: 'soon' }, 'timeout'],
    [{ memory: 'much' }, 'memory'],
    [{ cpus: '-1' }, 'cpus'],
    [{ devices: 'whole', amount: 'two' }, 'amount'],
  ] as const) {
    expect(() => taskOf({ ...(field === 'image' ? {} : { image: 'i' }), ...written })).toThrow(
      expect.objectContaining({ field }) as Error,
    );
  }
});
