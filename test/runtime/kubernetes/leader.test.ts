import { type JsonObject } from '../../../src/facts/api/schema';
import { ApiError } from '../../../src/runtime/kubernetes/api/api-error';
import { type ApiRequest } from '../../../src/runtime/kubernetes/api/client';
import { Leader, type LeaderOptions } from '../../../src/runtime/kubernetes/leader';
import { until } from './fake-server';

/** One Lease, with the API server's optimistic locking. */
class LeaseStore {
  lease: JsonObject | undefined;
  version = 0;
  isDown = false;
  writes = 0;

  request<T>(method: string, _: string, { body }: ApiRequest = {}): Promise<T> {
    if (this.isDown) {
      return Promise.reject(new ApiError('no answer', 0, 'NoAnswer'));
    }
    if (method === 'GET') {
      return this.lease === undefined
        ? Promise.reject(new ApiError('none', 404, 'NotFound'))
        : Promise.resolve(structuredClone(this.lease) as T);
    }
    const sent = body as JsonObject;
    const known = (sent.metadata as JsonObject).resourceVersion;
    if (method === 'POST' ? this.lease !== undefined : known !== String(this.version)) {
      return Promise.reject(new ApiError('changed', 409, 'Conflict'));
    }
    this.version++;
    this.writes++;
    this.lease = { ...sent, metadata: { ...(sent.metadata as JsonObject), resourceVersion: String(this.version) } };
    return Promise.resolve(this.lease as T);
  }

  get holder(): string {
    return ((this.lease?.spec as JsonObject | undefined)?.holderIdentity as string | undefined) ?? '';
  }
}

class Hands {
  time = 1000;
  wallTime = 1_000_000;
  monotonic = (): number => this.time;
  wall = (): number => this.wallTime;

  pass(milliseconds: number): void {
    this.time += milliseconds;
    this.wallTime += milliseconds;
  }
}

describe('the leader', () => {
  const running: { leader: Leader; done: Promise<void> }[] = [];

  function start(
    store: LeaseStore,
    identity: string,
    clock = new Hands(),
    onChange?: LeaderOptions['onChange'],
  ): Leader {
    // Tries every 10 ms of real time; the clock of the test decides about the lease.
    const leader = new Leader({
      client: store,
      namespace: 'ns',
      name: 'lease',
      identity,
      leaseSeconds: 15,
      renewWithinSeconds: 10,
      retrySeconds: 0.01,
      clock,
      onChange,
    });
    running.push({ leader, done: leader.run() });
    return leader;
  }

  afterEach(async () => {
    for (const { leader, done } of running.splice(0)) {
      await leader.stop(false);
      await done;
    }
  });

  it('is the first replica, and no other', async () => {
    const store = new LeaseStore();
    const first = start(store, 'first');
    await until(() => first.holds);
    const second = start(store, 'second');
    await until(() => store.writes > 5);
    expect(second.holds).toBe(false);
    expect(store.holder).toBe('first');
  });

  it('stops counting itself as one before anybody can take over, when it cannot renew', async () => {
    const store = new LeaseStore();
    const clock = new Hands();
    const first = start(store, 'first', clock);
    await until(() => first.holds);
    store.isDown = true;
    // Whatever was under way has come back.
    await new Promise((done) => setTimeout(done, 30));
    clock.pass(9_999);
    expect(first.holds).toBe(true);
    clock.pass(1);
    expect(first.holds).toBe(false);
  });

  it('is replaced only after its lease has been seen unchanged for its whole duration, by the monotonic clock of the other', async () => {
    const store = new LeaseStore();
    const first = start(store, 'first');
    await until(() => first.holds);
    await running.pop()!.leader.stop(false);
    const clock = new Hands();
    // The other's wall clock is an hour ahead; it does not matter.
    clock.wallTime += 3_600_000;
    const second = start(store, 'second', clock);
    await new Promise((done) => setTimeout(done, 50));
    clock.pass(14_000);
    await new Promise((done) => setTimeout(done, 50));
    expect(second.holds).toBe(false);
    clock.pass(1_500);
    await until(() => second.holds);
    expect(store.holder).toBe('second');
  });

  it('a machine that slept, or whose clock was set forward, does not trust its lease', async () => {
    const store = new LeaseStore();
    const clock = new Hands();
    const first = start(store, 'first', clock);
    await until(() => first.holds);
    store.isDown = true;
    await new Promise((done) => setTimeout(done, 30));
    clock.wallTime += 60_000;
    expect(first.holds).toBe(false);
  });

  it('gives the lease back, and another has it at once', async () => {
    const store = new LeaseStore();
    const first = start(store, 'first');
    await until(() => first.holds);
    const second = start(store, 'second');
    await first.stop(true);
    expect(first.holds).toBe(false);
    await until(() => second.holds);
  });

  it('says why it begins and ends to lead', async () => {
    const store = new LeaseStore();
    const clock = new Hands();
    const said: string[] = [];
    const first = start(store, 'first', clock, (holds, why) => said.push(`${holds}: ${why}`));
    await until(() => said.length === 1);
    expect(said).toEqual(['true: the lease was granted']);
    store.isDown = true;
    await new Promise((done) => setTimeout(done, 30));
    clock.pass(10_000);
    await until(() => said.length === 2);
    expect(said[1]).toBe('false: no answer');
    store.isDown = false;
    await until(() => said.length === 3);
    await first.stop(true);
    await until(() => said.length === 4);
    expect(said.slice(2)).toEqual(['true: the lease was granted', 'false: the lease was lost or released']);
  });
});
