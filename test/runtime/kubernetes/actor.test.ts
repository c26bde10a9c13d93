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

test.each([
  [true, ['placing']],
  [false, []],
])('a decision is carried out only while the replica leads: %s', (holds, expected) => {
  const messages: string[] = [];
  const source = new Source();
  const world = new World(source, DEFAULT_CONFIGURATION);
  const assumptions = new Assumptions();
  const request = jest.fn(() => new Promise<never>(() => undefined));
  source.put('nodes', NODE);
  source.put('pods', pod('a'));
  const [[key, { uid }]] = world.pods;
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
    onDue: () => undefined,
    onEvicted: () => undefined,
  });
  const binding = { gang: 'default/a', pod: key, node: 'n', devices: [] };
  const decision = { bindings: [binding], evictions: [] };
  actor.carryOut({ decision, queueOf: () => '' } as unknown as Outcome);
  expect(messages).toEqual(expected);
  expect(request).toHaveBeenCalledTimes(holds ? 1 : 0);
  expect(assumptions.placeOf(uid) !== undefined).toBe(holds);
});
