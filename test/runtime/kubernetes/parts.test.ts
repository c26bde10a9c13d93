import { type JsonObject } from '../../../src/facts/api/schema';
import { Slots } from '../../../src/runtime/kubernetes/apply/slots';
import { Backoff, pause } from '../../../src/runtime/api/backoff';
import { Lines } from '../../../src/runtime/api/lines';
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { trimmed } from '../../../src/runtime/api/trim';

describe('the small parts', () => {
  it('let no more happen at once than there are slots, first come, first served', async () => {
    const slots = new Slots(2);
    const order: number[] = [];
    let now = 0;
    let most = 0;
    await Promise.all(
      [0, 1, 2, 3, 4].map((index) =>
        slots.run(async () => {
          order.push(index);
          most = Math.max(most, ++now);
          await Promise.resolve();
          now--;
        }),
      ),
    );
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  it('let more or less happen at once as soon as the limit changes', async () => {
    const slots = new Slots(1);
    let now = 0;
    const ends: (() => void)[] = [];
    const work = (): Promise<void> => {
      now++;
      return new Promise<void>((resolve) => ends.push(resolve)).then(() => void now--);
    };
    const all = Array.from({ length: 8 }, () => slots.run(work));
    const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
    await settled();
    expect(now).toBe(1);
    slots.resize(4);
    await settled();
    expect(now).toBe(4);
    slots.resize(2);
    ends.splice(0, 1).forEach((end) => end());
    await settled();
    expect(now).toBe(3);
    ends.splice(0, 2).forEach((end) => end());
    await settled();
    expect(now).toBe(2);
    while (ends.length > 0) {
      ends.splice(0).forEach((end) => end());
      await settled();
    }
    await Promise.all(all);
    expect(now).toBe(0);
  });

  it('report each pod of which something else is assumed', () => {
    const assumptions = new Assumptions();
    const touched = jest.fn();
    assumptions.onPod = touched;
    const place = { node: 'n-1', devices: [] };
    assumptions.place('placed', place);
    assumptions.unplace('placed', { ...place });
    assumptions.unplace('placed', place);
    assumptions.leave('leaves');
    assumptions.stay('leaves');
    assumptions.protect('protected', 1000);
    assumptions.refuse('refused', 1000, 'no');
    expect(touched.mock.calls.flat()).toEqual(['placed', 'placed', 'leaves', 'leaves', 'protected', 'refused']);
  });

  it('drop an assumed place, and not the later one of the same pod', () => {
    const assumptions = new Assumptions();
    const [earlier, later] = ['n-1', 'n-2'].map((node) => ({ node, devices: [] }));
    assumptions.place('u-1', earlier);
    assumptions.place('u-1', later);
    assumptions.unplace('u-1', earlier);
    expect(assumptions.placeOf('u-1')).toBe(later);
    assumptions.unplace('u-1', later);
    expect(assumptions.placeOf('u-1')).toBeUndefined();
  });

  it.each<[string, (assumptions: Assumptions) => void]>([
    ['of a deleted pod', (assumptions) => assumptions.forget('u-1')],
    ['once this replica no longer leads', (assumptions) => assumptions.clear()],
  ])('assume nothing %s', (_, end) => {
    const assumptions = new Assumptions({ wall: () => 0, monotonic: () => 1000 });
    const knows = (): readonly unknown[] => [
      assumptions.placeOf('u-1') !== undefined,
      assumptions.isLeaving('u-1'),
      assumptions.isProtected('u-1'),
      assumptions.refusalOf('u-1'),
      assumptions.endsIn('u-1'),
    ];
    assumptions.place('u-1', { node: 'n-1', devices: [] });
    assumptions.leave('u-1');
    assumptions.protect('u-1', 2000);
    assumptions.refuse('u-1', 1000, 'no');
    expect(knows()).toEqual([true, true, true, 'no', 1000]);
    end(assumptions);
    expect(knows()).toEqual([false, false, false, undefined, Infinity]);
  });

  it('wait longer each time, up to a bound, and never for nothing', () => {
    const backoff = new Backoff({ first: 100, most: 1000, random: () => 1 });
    expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([100, 200, 400, 800, 1000, 1000]);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it('stop waiting when they are canceled', async () => {
    const end = new AbortController();
    const waiting = pause(60_000, end.signal);
    end.abort();
    await waiting;
  });

  it('put lines together from any pieces', () => {
    const lines: string[] = [];
    const reader = new Lines((line) => lines.push(line));
    ['a', 'b\nc', '\n\nd\n', 'e'].forEach((text) => reader.push(Buffer.from(text)));
    expect(lines).toEqual(['ab', 'c', 'd']);
  });

  it('keep of a pod what decisions look at', () => {
    const pod: JsonObject = {
      metadata: { name: 'p', managedFields: [{ manager: 'x' }] },
      spec: {
        containers: [{ name: 'c', env: [{ name: 'SECRET', value: 'x' }], resources: { requests: { cpu: '1' } } }],
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', persistentVolumeClaim: { claimName: 'c' } },
        ],
      },
      status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
    };
    expect(trimmed('pods', pod)).toEqual({
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }],
        volumes: [{ name: 'b', persistentVolumeClaim: { claimName: 'c' } }],
      },
      status: { phase: 'Running' },
    });
  });
});
