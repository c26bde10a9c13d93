/**
 * What becomes of a decision: by which replica, and when.
 */
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { Actor } from '../../../src/runtime/kubernetes/actor';
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { ServerClock } from '../../../src/runtime/api/clock';
import { type Explainer } from '../../../src/runtime/kubernetes/explain';
import { makeLog } from '../../../src/runtime/api/log';
import { Metrics } from '../../../src/runtime/kubernetes/metrics';
import { type Outcome } from '../../../src/runtime/kubernetes/outcome';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { NODE, pod, Source } from './watched-source';

interface Stage {
  readonly source: Source;
  readonly world: World;
  readonly assumptions: Assumptions;
  readonly request: jest.Mock;
  readonly onDue: jest.Mock;
  readonly messages: readonly string[];
  readonly actor: Actor;
}

function stage(holds = true): Stage {
  const messages: string[] = [];
  const source = new Source();
  const world = new World(source, DEFAULT_CONFIGURATION);
  const assumptions = new Assumptions();
  const request = jest.fn(() => new Promise<never>(() => undefined));
  const onDue = jest.fn();
  source.put('nodes', NODE);
  const actor = new Actor({
    client: { request },
    world,
    assumptions,
    leader: { holds, heldSince: 1 },
    explainer: {} as Explainer,
    serverClock: new ServerClock(),
    log: makeLog('info', { write: (line) => void messages.push((JSON.parse(line) as { msg: string }).msg) }),
    metrics: new Metrics(),
    config: () => DEFAULT_CONFIGURATION,
    requestTimeout: 1000,
    onSurprise: () => undefined,
    onDue,
    onEvicted: () => undefined,
  });
  return { source, world, assumptions, request, onDue, messages, actor };
}

test.each([
  [true, ['placing']],
  [false, []],
])('a decision is carried out only while the replica leads: %s', (holds, expected) => {
  const { source, world, assumptions, request, messages, actor } = stage(holds);
  source.put('pods', pod('a'));
  const [[key, { uid }]] = world.pods;
  const binding = { gang: 'default/a', pod: key, node: 'n', devices: [] };
  const decision = { bindings: [binding], evictions: [] };
  actor.carryOut({ decision, queueOf: () => '' } as unknown as Outcome);
  expect(messages).toEqual(expected);
  expect(request).toHaveBeenCalledTimes(holds ? 1 : 0);
  expect(assumptions.placeOf(uid) !== undefined).toBe(holds);
});

test('the time for a pod that was handed over is due from when it is seen, once', () => {
  const { source, world, onDue, actor } = stage();
  world.onPod = (before, after) => actor.follow(before, after);
  source.put('pods', pod('a'));
  expect(onDue).not.toHaveBeenCalled();
  const handedOver = pod('a', {
    spec: { schedulerName: 'default-scheduler' },
    annotations: { 'gantry.dev/node': 'n-1' },
  });
  world.willHandOver('uid-a', 'n-1');
  source.put('pods', handedOver);
  source.put('pods', { ...handedOver });
  expect([...world.unbound.keys()]).toEqual(['uid-a']);
  expect(onDue.mock.calls).toEqual([[DEFAULT_CONFIGURATION.handOver.timeoutSeconds * 1000]]);
});
