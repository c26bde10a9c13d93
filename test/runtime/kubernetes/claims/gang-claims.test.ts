/**
 * A gang whose devices are written waits for the watch and for its devices only as long as its replica leads and runs.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { DEFAULT_CONFIGURATION } from '../../../../src/planning/scheduler-settings/configuration';
import { type Clock } from '../../../../src/runtime/api/clock';
import { type AttemptOptions } from '../../../../src/runtime/kubernetes/apply/attempts';
import { type ClaimWrite } from '../../../../src/runtime/kubernetes/apply/claim-writes';
import { type ClaimsOutcome, GangClaims } from '../../../../src/runtime/kubernetes/apply/gang-claims';
import { Slots } from '../../../../src/runtime/kubernetes/apply/slots';
import { World } from '../../../../src/runtime/kubernetes/world/world';
import { Source } from '../watched-source';
import { letTimeRun, stopTime } from '../program/rig';

const PATH = '/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/c';

const CLAIM: JsonObject = { metadata: { name: 'c', namespace: 'a', uid: 'u-1', resourceVersion: '7' }, spec: {} };

const ALLOCATION: JsonObject = {
  devices: {
    results: [
      { request: 'gpu', driver: 'gpu.example.com', pool: 'n-1', device: 'gpu-0', bindingConditions: ['attached'] },
    ],
  },
};

const WRITE: ClaimWrite = {
  key: 'claim:a/c',
  path: PATH,
  uid: 'u-1',
  devices: [{ request: 'gpu', driver: 'gpu.example.com', pool: 'n-1', device: 'gpu-0', adminAccess: false }],
  allocation: ALLOCATION,
  pods: [{ namespace: 'a', name: 'p', uid: 'u-p' }],
  nodes: ['n-1'],
  known: CLAIM,
};

/** Each look at it takes a moment, so that nothing that only looks at it goes on forever. */
let looks = 0;
const clock: Clock = { monotonic: () => performance.now() + looks++, wall: () => Date.now() };

describe('a gang that waits', () => {
  let source: Source;
  let leads: boolean;
  let stopped: AbortController;
  let asked: string[];

  beforeEach(() => {
    stopTime();
    source = new Source();
    source.put('resourceClaims', CLAIM);
    leads = true;
    stopped = new AbortController();
    asked = [];
  });
  afterEach(() => letTimeRun());

  /** All of its writes succeed. */
  function allocate(): Promise<ClaimsOutcome> {
    const world = new World(source, DEFAULT_CONFIGURATION);
    const claims = new GangClaims({
      world,
      slots: new Slots(1),
      path: () => '/apis/resource.k8s.io/v1/resourceclaims',
      now: () => '2026-01-01T00:00:00Z',
    });
    const request = (method: string): Promise<JsonObject> => {
      asked.push(method);
      return Promise.resolve(CLAIM);
    };
    return claims.allocate([WRITE], {
      client: { request } as AttemptOptions['client'],
      leads: () => leads,
      signal: stopped.signal,
      patience: 5000,
      requestTimeout: 1000,
      clock,
    });
  }

  const ends: readonly (readonly [string, () => void])[] = [
    ['leads no longer', () => void (leads = false)],
    ['is stopped', () => stopped.abort()],
  ];

  const waits: readonly (readonly [string, () => void])[] = [
    ['the watch shows its devices', () => undefined],
    ['its devices are attached', () => source.put('resourceClaims', { ...CLAIM, status: { allocation: ALLOCATION } })],
  ];

  describe.each(waits)('until %s', (_, prepare) => {
    it.each(ends)('ends and writes nothing more once its replica %s', async (__, end) => {
      let outcome: ClaimsOutcome | undefined;
      void allocate().then((result) => (outcome = result));
      prepare();
      await jest.advanceTimersByTimeAsync(2000);
      expect(outcome).toBeUndefined();
      const before = asked.length;
      end();
      await jest.advanceTimersByTimeAsync(500);
      expect(outcome).toEqual({ kind: 'abandoned' });
      expect(asked).toHaveLength(before);
    });
  });
});
