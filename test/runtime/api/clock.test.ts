import { microTimeText, ServerClock, timeText } from '../../../src/runtime/api/clock';

class Hands {
  time = 5000;
  offset = 0;
  monotonic = (): number => this.time;
  wall = (): number => this.time + this.offset;
}

const SERVER = Date.UTC(2026, 0, 1);
const dateOf = (milliseconds: number): string => new Date(milliseconds).toUTCString();

describe('the time of the API server', () => {
  it("is the machine's until the server was heard", () => {
    const hands = new Hands();
    hands.offset = 77;
    expect(new ServerClock(hands).now()).toBe(5077);
  });

  it('is known to better than a second after a few answers, whatever the machine says', () => {
    const hands = new Hands();
    hands.offset = -3_600_000;
    const clock = new ServerClock(hands);
    for (let i = 0; i < 40; i++) {
      hands.time += 333;
      clock.observe(dateOf(SERVER + hands.time), 5);
    }
    expect(Math.abs(clock.now() - (SERVER + hands.time))).toBeLessThan(400);
    expect(Math.abs(clock.skew() + 3_600_000 + SERVER)).toBeLessThan(400);
  });

  it("never goes back while the server's clock goes forward", () => {
    const hands = new Hands();
    const clock = new ServerClock(hands);
    let last = 0;
    for (let i = 0; i < 200; i++) {
      hands.time += 97;
      clock.observe(dateOf(SERVER + hands.time), 5);
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
    }
  });

  it('follows a server whose clock was set, and leaves slow and senseless answers aside', () => {
    const hands = new Hands();
    const clock = new ServerClock(hands);
    clock.observe(dateOf(SERVER), 5);
    clock.observe(dateOf(SERVER + 3_600_000), 5000);
    clock.observe('yesterday', 5);
    expect(clock.now()).toBe(SERVER);
    clock.observe(dateOf(SERVER - 3_600_000), 5);
    expect(clock.now()).toBe(SERVER - 3_600_000);
  });

  it.each([
    ['a server clock that is set back by more than five seconds', 5001, true],
    ['no earlier answer within five seconds', 5000, false],
  ])('follows %s', (_, back, isFollowed) => {
    const hands = new Hands();
    const clock = new ServerClock(hands);
    clock.observe(dateOf(SERVER), 5);
    // A `Date` header has whole seconds; the monotonic clock makes up the rest.
    const part = back % 1000;
    hands.time += part;
    const set = SERVER - back + part;
    clock.observe(dateOf(set), 5);
    expect(clock.now()).toBe(isFollowed ? set : SERVER + part);
  });

  it.each([
    [1000, true],
    [1001, false],
  ])('believes an answer that took %d ms: %s', (took, isBelieved) => {
    const hands = new Hands();
    hands.offset = 77;
    const clock = new ServerClock(hands);
    clock.observe(dateOf(SERVER), took);
    expect(clock.now()).toBe(isBelieved ? SERVER : 5077);
    expect(clock.skew()).toBe(isBelieved ? 5077 - SERVER : 0);
  });
});

test('moments are written as the API server reads them: Time in seconds, MicroTime in microseconds', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  expect(timeText(at)).toBe('2026-01-02T03:04:05Z');
  expect(microTimeText(at)).toBe('2026-01-02T03:04:05.678000Z');
});
