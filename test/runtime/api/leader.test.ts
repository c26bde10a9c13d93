import { type JsonObject } from '../../../src/facts/api/schema';
import { ApiError } from '../../../src/runtime/api/api-error';
import { type ApiRequest } from '../../../src/runtime/api/client';
import { Leader, type LeaderOptions } from '../../../src/runtime/api/leader';
import { until } from '../fake-server';

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
    await until(() => second.holder === 'first');
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

  it('writes what other replicas and people read of it', async () => {
    const store = new LeaseStore();
    const clock = new Hands();
    const first = start(store, 'first', clock);
    expect(first.heldSince).toBe(Infinity);
    await until(() => first.holds);
    const time = (at: number): string => new Date(at).toISOString().replace('Z', '000Z');
    const began = time(1_000_000);
    const spec = { leaseDurationSeconds: 15, acquireTime: began, leaseTransitions: 0, holderIdentity: 'first' };
    expect(store.lease).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lease', namespace: 'ns' },
      spec: { ...spec, renewTime: began },
    });
    expect(first.heldSince).toBe(1000);
    clock.pass(5000);
    const { writes } = store;
    await until(() => store.writes > writes + 1);
    // Renewed, and held since the same moment.
    expect(store.lease).toMatchObject({ spec: { ...spec, renewTime: time(1_005_000) } });
    expect([first.heldSince, first.holder]).toEqual([1000, 'first']);
    await first.stop(true);
    expect(store.lease).toMatchObject({
      spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: time(1_005_000) },
    });
    const second = start(store, 'second', clock);
    await until(() => second.holds);
    expect(store.lease).toMatchObject({ spec: { holderIdentity: 'second', leaseTransitions: 1 } });
    expect(store.lease?.spec).toMatchObject({ acquireTime: time(1_005_000), leaseDurationSeconds: 15 });
    expect(second.heldSince).toBe(6000);
  });

  it('does not give back what another has taken, and keeps what it was not asked to give', async () => {
    const store = new LeaseStore();
    const first = start(store, 'first');
    await until(() => first.holds);
    store.lease = { ...store.lease!, spec: { holderIdentity: 'second' } };
    await first.stop(true);
    expect(store.holder).toBe('second');
    const third = start(new LeaseStore(), 'third');
    await until(() => third.holds);
    await third.stop(false);
    expect(third.holds).toBe(false);
  });

  it.each([
    ['the lease states another duration', { leaseDurationSeconds: 4 }, 4000],
    ['the lease states none', {}, 15_000],
  ])('takes over when the lease has not changed for its duration: %s', async (_, stated, duration) => {
    const store = new LeaseStore();
    store.lease = { metadata: { resourceVersion: '0' }, spec: { holderIdentity: 'other', ...stated } };
    const clock = new Hands();
    const first = start(store, 'first', clock);
    await until(() => first.holder === 'other');
    clock.pass(duration);
    await new Promise((done) => setTimeout(done, 30));
    expect(first.holds).toBe(false);
    clock.pass(1);
    await until(() => first.holds);
  });

  it('says why it begins and ends to lead', async () => {
    const store = new LeaseStore();
    const clock = new Hands();
    const said: string[] = [];
    const first = start(store, 'first', clock, (holds, why) => said.push(`${holds}: ${why}`));
    await until(() => said.length === 1);
    expect(said).toEqual(['true: the lease was acquired']);
    store.isDown = true;
    await new Promise((done) => setTimeout(done, 30));
    clock.pass(10_000);
    await until(() => said.length === 2);
    expect(said[1]).toBe('false: no answer');
    store.isDown = false;
    await until(() => said.length === 3);
    await first.stop(true);
    await until(() => said.length === 4);
    expect(said.slice(2)).toEqual(['true: the lease was acquired', 'false: the lease was lost or released']);
  });
});
