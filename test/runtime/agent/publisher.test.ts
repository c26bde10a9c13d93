import { type JsonObject } from '../../../src/facts/api/schema';
import { ApiError } from '../../../src/runtime/api/api-error';
import { type ApiRequest } from '../../../src/runtime/api/client';
import { type Condition } from '../../../src/runtime/agent/judge/conditions';
import { Publisher } from '../../../src/runtime/agent/publisher';

const REPORT = 'gantry.dev/accelerator-capacity';

class World {
  time = 0;
  failing = false;
  readonly sent: { readonly method: string; readonly path: string; readonly body: JsonObject }[] = [];
  readonly failures: (string | undefined)[] = [];
  readonly publisher = new Publisher({
    client: {
      request: <T>(method: string, path: string, { body }: ApiRequest = {}): Promise<T> => {
        this.sent.push({ method, path, body: body as JsonObject });
        return this.failing ? Promise.reject(new ApiError('no answer', 0, 'NoAnswer')) : Promise.resolve({} as T);
      },
    },
    node: 'n-1',
    monotonic: () => this.time,
    now: () => Date.UTC(2026, 0, 1) + this.time,
    onPatch: (failure) => this.failures.push(failure),
  });

  /** What is sent for a state at a time. */
  async at(
    time: number,
    report: string | undefined,
    conditions: readonly Condition[] = [],
  ): Promise<readonly JsonObject[]> {
    this.time = time;
    const before = this.sent.length;
    await this.publisher.publish({ annotations: { [REPORT]: report }, conditions });
    return this.sent.slice(before).map(({ body }) => body);
  }
}

const condition = (status: Condition['status'], reason = 'R', message = 'm'): Condition => ({
  type: 'RdmaDegraded',
  status,
  reason,
  message,
});
const annotated = (report: string): JsonObject => ({ metadata: { annotations: { [REPORT]: report } } });

test('one patch of the status, at most every ten seconds, and none without a change', async () => {
  const world = new World();
  expect(await world.at(0, undefined)).toEqual([]);
  expect(await world.at(0, 'a')).toEqual([annotated('a')]);
  expect(await world.at(5000, 'b')).toEqual([]);
  expect(await world.at(9999, 'c')).toEqual([]);
  expect(await world.at(10_000, 'c')).toEqual([annotated('c')]);
  expect(await world.at(60_000, 'c')).toEqual([]);
  expect(await world.at(70_000, undefined)).toEqual([]);
  expect(world.sent[0]).toMatchObject({ method: 'PATCH', path: '/api/v1/nodes/n-1/status' });
});

test('a patch without an answer is sent again', async () => {
  const world = new World();
  world.failing = true;
  await world.at(0, 'a', [condition('True')]);
  world.failing = false;
  const [patch] = await world.at(10_000, 'a', [condition('True')]);
  expect(patch).toMatchObject({
    ...annotated('a'),
    status: { conditions: [{ type: 'RdmaDegraded', status: 'True' }] },
  });
  expect(world.failures).toEqual(['no answer', undefined]);
});

test('the transition time is that of the change of the status, not of the reason', async () => {
  const world = new World();
  const times = async (at: number, one: Condition): Promise<unknown> => {
    const [patch] = await world.at(at, undefined, [one]);
    return patch?.status;
  };
  expect(await times(0, condition('False'))).toMatchObject({
    conditions: [{ lastTransitionTime: '2026-01-01T00:00:00Z', lastHeartbeatTime: '2026-01-01T00:00:00Z' }],
  });
  expect(await times(20_000, condition('True', 'PortDown'))).toMatchObject({
    conditions: [{ lastTransitionTime: '2026-01-01T00:00:20Z', reason: 'PortDown' }],
  });
  expect(await times(40_000, condition('True', 'PortErrors'))).toMatchObject({
    conditions: [
      { lastTransitionTime: '2026-01-01T00:00:20Z', lastHeartbeatTime: '2026-01-01T00:00:40Z', reason: 'PortErrors' },
    ],
  });
  expect(await times(60_000, condition('True', 'PortErrors', 'other words'))).toBeUndefined();
});

test('an event says that there is a problem, and later that there is none', async () => {
  const world = new World();
  const events = async (at: number, one: Condition): Promise<readonly unknown[]> =>
    (await world.at(at, undefined, [one])).filter(({ kind }) => kind === 'Event').map(({ type, note }) => [type, note]);
  expect(await events(0, condition('False'))).toEqual([]);
  expect(await events(10_000, condition('Unknown'))).toEqual([]);
  expect(await events(20_000, condition('True', 'PortDown', 'mlx5_0/1 is down'))).toEqual([
    ['Warning', 'RdmaDegraded: mlx5_0/1 is down'],
  ]);
  expect(await events(30_000, condition('False', 'PortsHealthy', 'all are active'))).toEqual([
    ['Normal', 'RdmaDegraded: all are active'],
  ]);
  expect(await events(40_000, condition('False', 'Other'))).toEqual([]);
});

test('a long message is cut to what the API server takes', async () => {
  const world = new World();
  const sent = await world.at(0, undefined, [condition('True', 'R', 'x'.repeat(5000))]);
  expect(sent.map(({ status, note }) => JSON.stringify(status ?? note).length < 1200)).toEqual([true, true]);
});
