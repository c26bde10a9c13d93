import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownMessage, KNOWN_MESSAGES, messagesIn, patternsOf } from '../../../src/facts/messages/known-messages';

/** A line as a program prints it, and the other messages that are part of it. */
interface Sample {
  readonly text: string;
  readonly with?: readonly string[];
}

const SAMPLES = JSON.parse(readFileSync(join(__dirname, 'samples.json'), 'utf8')) as Readonly<Record<string, Sample>>;
const LINES = Object.entries(SAMPLES);

function idsIn(text: string): readonly string[] {
  return messagesIn(text).map(({ message: { id } }) => id);
}

describe('the known messages', () => {
  it.each(LINES)('%s is found in a line of its program, and no neighbor is', (id, { text, with: others = [] }) => {
    expect([...idsIn(text)].sort()).toEqual([id, ...others].sort());
  });

  it('have a sample each', () => {
    expect(Object.keys(SAMPLES)).toEqual(KNOWN_MESSAGES.map(({ id }) => id));
  });

  it('are found wherever the terminal wraps the line', () => {
    const missed = LINES.filter(
      ([id, { text }]) => !idsIn(text.replace(/ (?=\S+ \S+$)|(?<=: )/g, '\n      ')).includes(id),
    );
    expect(missed).toEqual([]);
  });

  it('are found in the JSON of the event', () => {
    const missed = LINES.filter(
      ([id, { text }]) => !idsIn(JSON.stringify({ items: [{ message: text }] })).includes(id),
    );
    expect(missed).toEqual([]);
  });

  it('are all found in one text, in its order', () => {
    const found = idsIn(LINES.map(([, { text }]) => text).join('\n'));
    expect(new Set(found)).toEqual(new Set(KNOWN_MESSAGES.map(({ id }) => id)));
    const alone = LINES.filter(([, sample]) => sample.with === undefined).map(([id]) => id);
    const first = found.filter(
      (id) => alone.includes(id) && LINES.every(([, sample]) => sample.with?.includes(id) !== true),
    );
    expect(first).toEqual(alone.filter((id) => first.includes(id)));
  });

  it.each([
    'everything is fine',
    '',
    'Insufficient funds',
    'LocalQueue a exists. ClusterQueue b is fine',
    'NotOOMKilledAtAll',
  ])('are not found in %j', (text) => {
    expect(messagesIn(text)).toEqual([]);
  });

  it.each([
    ['Failed to initialize NVML: Unknown Error', 'nvidia-container/lost-access'],
    ['prometheus query sum by (pod) (vllm:num_requests_waiting) returned multiple elements', 'keda/prometheus-several'],
    ['research  train-0  0/1  TopologyAffinityError  0  3m', 'kubelet/topology-affinity'],
    ['research  train-0  0/1  UnexpectedAdmissionError  0  3m', 'kubelet/allocate-failed'],
    ['NCCL WARN Bootstrap : no socket interface found', 'nccl/no-interface'],
    ['RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB', 'pytorch/out-of-memory'],
    ['NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.', 'nvidia-driver/off-the-bus'],
  ])('know what guides to GPU platforms diagnose: %s', (text, id) => {
    expect(idsIn(text)).toContain(id);
  });

  it('say with what names the text has them, and how often', () => {
    const line = '2 Insufficient nvidia.com/gpu. preemption: not helpful\n';
    expect(messagesIn(line.repeat(3)).map(({ found, times }) => [found, times])).toEqual([
      ['Insufficient nvidia.com/gpu', 3],
    ]);
  });

  it('have an id, a source with its file, and sentences', () => {
    expect(new Set(KNOWN_MESSAGES.map(({ id }) => id)).size).toBe(KNOWN_MESSAGES.length);
    const wrong = KNOWN_MESSAGES.filter(
      ({ id, cause, remedy, source }) =>
        !/^[a-z-]+\/[a-z-]+$/.test(id) || !/\.$/.test(cause) || !/\.$/.test(remedy) || !/^.+, .+$/.test(source),
    );
    expect(wrong).toEqual([]);
  });

  it('are counted on the page, by program', () => {
    const page = readFileSync(join(__dirname, '../../../docs/explain.md'), 'utf8');
    expect(page).toContain(`${KNOWN_MESSAGES.length} messages are known`);
    const programs = new Set(KNOWN_MESSAGES.map(({ id }) => id.split('/')[0]));
    expect([...programs].filter((program) => !page.includes(`\`${program}/\``))).toEqual([]);
  });
});

describe('a hostile text', () => {
  /** Bounds of `MessagePattern`: an anchor that is long enough is rare even where a text repeats it. */
  it('finds no part of a message that is short enough to be everywhere', () => {
    const short = KNOWN_MESSAGES.flatMap((message: KnownMessage) =>
      patternsOf(message).filter(({ longestPart }) => longestPart.length < 9),
    );
    expect(short).toEqual([]);
  });

  it('that repeats the parts of every message is read to its end', () => {
    const parts = KNOWN_MESSAGES.flatMap((message) => patternsOf(message).map(({ longestPart }) => longestPart));
    const text = parts
      .map((part) => part.repeat(200))
      .join(' ')
      .slice(0, 1024 * 1024);
    expect(messagesIn(`${text}\nOOMKilled`).map(({ message }) => message.id)).toContain('kubelet/oom');
  });

  it('of one line of a megabyte is read to its end', () => {
    const line = `${'LocalQueue '.repeat(50_000)}${'x'.repeat(512 * 1024)} OOMKilled`;
    expect(idsIn(line)).toEqual(['kubelet/oom']);
  });

  it('gives no control characters back', () => {
    const [found] = messagesIn('\u001b[31mpersistentvolumeclaim "\u001b]0;evil\u0007\u202edata" not found\u001b[0m');
    expect(found.message.id).toBe('kube-scheduler/claim-missing');
    expect(found.found).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
