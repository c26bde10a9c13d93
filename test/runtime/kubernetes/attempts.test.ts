import { attempt, type AttemptOptions } from '../../../src/runtime/kubernetes/apply/attempts';
import { bind } from '../../../src/runtime/kubernetes/apply/bind';
import { evict } from '../../../src/runtime/kubernetes/apply/evict';
import { handOver, handOverPatch } from '../../../src/runtime/kubernetes/apply/hand-over';
import { type JsonObject } from '../../../src/facts/api/schema';
import { ApiError } from '../../../src/runtime/api/api-error';
import { type FakeServer, fakeServer, type Handler, refuse, reply, until } from '../fake-server';

/** As it was read when its place was decided. */
const KNOWN: JsonObject = { metadata: { resourceVersion: '7' }, spec: {} };
const POD = { namespace: 'default', name: 'p', uid: 'u-1', node: 'n-1', devices: [0, 3] };

describe('placing a pod', () => {
  let server: FakeServer;
  let handler: Handler;
  let leads: boolean;

  beforeEach(async () => {
    leads = true;
    server = await fakeServer((asked, response) => handler(asked, response));
  });
  afterEach(() => server.close());

  const options = (patience = 3000): AttemptOptions => ({
    client: server.client,
    leads: () => leads,
    signal: new AbortController().signal,
    patience,
    requestTimeout: 4000,
  });
  const evictions = (): Parameters<typeof evict>[1] => ({
    client: server.client,
    timeout: 4000,
    leads: () => leads,
    signal: new AbortController().signal,
  });
  const pod = (uid: string, nodeName?: string): JsonObject => ({
    metadata: { uid },
    spec: nodeName === undefined ? {} : { nodeName },
  });

  it('is one request that says node, devices and which pod of that name', async () => {
    handler = (_, response) => reply(response, 201, {});
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'done' });
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/namespaces/default/pods/p/binding',
    ]);
    expect(JSON.parse(server.asked[0].body)).toMatchObject({
      metadata: { uid: 'u-1', resourceVersion: '7', annotations: { 'gantry.dev/devices': '0,3' } },
      target: { kind: 'Node', name: 'n-1' },
    });
  });

  it('looks before it tries again: what was carried out without an answer is done', async () => {
    handler = ({ method }, response) =>
      method === 'POST' ? void response.destroy() : reply(response, 200, pod('u-1', 'n-1'));
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'done' });
    expect(server.asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('tries again after errors that pass', async () => {
    const errors = [500, 429, 503];
    handler = ({ method }, response) => {
      const code = method === 'POST' ? errors.shift() : undefined;
      if (code !== undefined) {
        refuse(response, code, 'passing');
      } else {
        reply(response, 200, pod('u-1'));
      }
    };
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'done' });
    expect(server.asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST']);
  });

  it('waits as long as the server asks for', async () => {
    const at: number[] = [];
    handler = ({ method }, response) => {
      if (method !== 'POST') {
        reply(response, 200, pod('u-1'));
      } else if (at.push(performance.now()) === 1) {
        reply(response, 429, { details: { retryAfterSeconds: 1 } });
      } else {
        reply(response, 200, {});
      }
    };
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'done' });
    expect(at[1] - at[0]).toBeGreaterThan(950);
  });

  it('says that somebody else was faster', async () => {
    handler = ({ method }, response) =>
      method === 'POST' ? refuse(response, 409, 'Conflict') : reply(response, 200, pod('u-1', 'n-7'));
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'elsewhere', node: 'n-7' });
  });

  it('says that the pod is gone, or that another has its name', async () => {
    handler = (_, response) => refuse(response, 404, 'NotFound');
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'gone' });
    handler = ({ method }, response) =>
      method === 'POST' ? refuse(response, 409, 'Conflict') : reply(response, 200, pod('u-2'));
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'gone' });
  });

  it('believes a refusal at once, and a conflict that stays', async () => {
    handler = (_, response) => refuse(response, 403, 'Forbidden', 'not you');
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'refused', reason: 'Forbidden', message: 'not you' });
    handler = ({ method }, response) =>
      method === 'POST' ? refuse(response, 409, 'Conflict', 'gated') : reply(response, 200, pod('u-1'));
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'refused', reason: 'Conflict', message: 'gated' });
  });

  it('sends nothing once it does not lead any more, not even between two tries', async () => {
    leads = false;
    handler = (_, response) => reply(response, 201, {});
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'abandoned' });
    expect(server.asked).toEqual([]);
    leads = true;
    handler = ({ method }, response) => {
      leads = method === 'POST';
      if (method === 'POST') {
        refuse(response, 500, 'InternalError');
      } else {
        reply(response, 200, pod('u-1'));
      }
    };
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'abandoned' });
    expect(server.asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it.each([
    ['placed', () => bind(POD, KNOWN, options()), { kind: 'abandoned' }],
    ['handed over', () => handOver(POD, KNOWN, options()), { kind: 'abandoned' }],
    ['evicted', () => evict(POD, evictions()), { kind: 'failed' }],
  ])(
    'a pod is not %s by a request that waited for a connection until the replica no longer led',
    async (_, act, ended) => {
      await server.close();
      let answer = (): void => undefined;
      handler = ({ path }, response) => {
        answer = () => reply(response, 200, {});
        return path === '/slow' ? undefined : answer();
      };
      server = await fakeServer((asked, response) => handler(asked, response), { connections: 1 });
      const slow = server.client.get('/slow');
      await until(() => server.asked.length === 1);
      const acted = act();
      await new Promise((done) => setTimeout(done, 5));
      leads = false;
      answer();
      await slow;
      expect(await acted).toMatchObject(ended);
      expect(server.asked.map(({ path }) => path)).toEqual(['/slow']);
    },
  );

  it('does not believe a refusal after a request that got no answer', async () => {
    let posts = 0;
    handler = ({ method }, response) => {
      if (method === 'POST' && posts++ === 0) {
        response.destroy();
      } else if (method === 'POST') {
        refuse(response, 403, 'Forbidden', 'not now');
      } else {
        reply(response, 200, pod('u-1'));
      }
    };
    expect(await bind(POD, KNOWN, options())).toEqual({ kind: 'unknown', message: 'not now' });
  });

  it('says for certain that nothing happened where the server took no request', async () => {
    handler = (_, response) => refuse(response, 429, 'TooManyRequests', 'slow down');
    expect(await bind(POD, KNOWN, options(200))).toEqual({ kind: 'unanswered', message: 'slow down' });
  });

  it('gives up when the time is over', async () => {
    handler = ({ method }, response) =>
      method === 'POST' ? refuse(response, 500, 'InternalError', 'down') : reply(response, 200, pod('u-1'));
    expect(await bind(POD, KNOWN, options(200))).toEqual({ kind: 'unknown', message: 'down' });
  });

  it('a hand-over that was carried out without an answer is done', async () => {
    handler = ({ method }, response) =>
      method === 'PATCH'
        ? void response.destroy()
        : reply(response, 200, { metadata: { uid: 'u-1', annotations: { 'gantry.dev/node': 'n-1' } }, spec: {} });
    expect(await handOver(POD, { metadata: {}, spec: {} }, options())).toEqual({ kind: 'done' });
  });

  it('looks what became of an eviction that got no answer', async () => {
    const seen: JsonObject[] = [{ uid: 'u-1', deletionTimestamp: 'now' }, { uid: 'u-1' }, { uid: 'u-2' }];
    handler = ({ method }, response) =>
      method === 'POST' ? void response.destroy() : reply(response, 200, { metadata: seen.shift() ?? {} });
    const outcomes = [];
    for (let i = 0; i < 3; i++) {
      outcomes.push((await evict(POD, evictions())).kind);
    }
    expect(outcomes).toEqual(['evicted', 'failed', 'gone']);
  });

  it('looks whether a conflict of an eviction is about another pod', async () => {
    const seen: JsonObject[] = [{ uid: 'u-1' }, { uid: 'u-2' }, { uid: 'u-1', deletionTimestamp: 'now' }];
    handler = ({ method }, response) =>
      method === 'POST'
        ? refuse(response, 409, 'Conflict', 'Operation cannot be fulfilled on poddisruptionbudgets "b"')
        : reply(response, 200, { metadata: seen.shift() ?? {} });
    const outcomes = [];
    for (let i = 0; i < 3; i++) {
      outcomes.push((await evict(POD, evictions())).kind);
    }
    expect(outcomes).toEqual(['failed', 'gone', 'evicted']);
  });

  it('tells a disruption budget from a server that is overloaded', async () => {
    handler = (_, response) =>
      refuse(response, 429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await evict(POD, evictions())).toMatchObject({ kind: 'protected' });
    handler = (_, response) => refuse(response, 429, 'TooManyRequests', 'slow down');
    expect(await evict(POD, evictions())).toMatchObject({ kind: 'failed' });
    expect(JSON.parse(server.asked[0].body)).toMatchObject({
      kind: 'Eviction',
      deleteOptions: { preconditions: { uid: 'u-1' } },
    });
  });
});

describe('the pauses between two tries', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'hrtime'] });
    // The longest of each pause.
    jest.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('double from 50 ms, up to two seconds', async () => {
    const at: number[] = [];
    const ended = attempt(
      POD,
      KNOWN,
      {
        client: { request: () => Promise.resolve({ metadata: { uid: 'u-1' } }) } as unknown as AttemptOptions['client'],
        leads: () => true,
        signal: new AbortController().signal,
        patience: 10_000,
        requestTimeout: 1000,
      },
      {
        send: () => {
          at.push(performance.now());
          return Promise.reject(new ApiError('slow down', 429, 'TooManyRequests'));
        },
        look: () => undefined,
      },
    );
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await ended).toEqual({ kind: 'unanswered', message: 'slow down' });
    expect(at.slice(1).map((time, index) => time - at[index])).toEqual([
      50, 100, 200, 400, 800, 1600, 2000, 2000, 2000,
    ]);
  });
});

describe('the patch of a hand-over', () => {
  const GATE = { name: 'gantry.dev/placement' };

  it('narrows every term of what the pod asked for, and takes only its own gate away', () => {
    const known: JsonObject = {
      metadata: { resourceVersion: '7', annotations: { a: 'b' } },
      spec: {
        schedulingGates: [{ name: 'other' }, GATE],
        affinity: {
          podAffinity: { x: 1 },
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [1],
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: ['e'] }, { matchFields: ['f'] }],
            },
          },
        },
      },
    };
    const here = { key: 'metadata.name', operator: 'In', values: ['n-1'] };
    expect(handOverPatch(POD, known)).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u-1' },
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
      { op: 'test', path: '/spec/schedulingGates', value: [{ name: 'other' }, GATE] },
      { op: 'test', path: '/spec/affinity', value: (known.spec as JsonObject).affinity },
      {
        op: 'add',
        path: '/spec/affinity',
        value: {
          podAffinity: { x: 1 },
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [1],
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: ['e'], matchFields: [here] }, { matchFields: ['f', here] }],
            },
          },
        },
      },
      { op: 'replace', path: '/spec/schedulingGates', value: [{ name: 'other' }] },
      { op: 'add', path: '/metadata/annotations/gantry.dev~1node', value: 'n-1' },
      { op: 'add', path: '/metadata/annotations/gantry.dev~1devices', value: '0,3' },
    ]);
  });

  it('makes what is not there', () => {
    const patch = handOverPatch({ ...POD, devices: [] }, { metadata: {}, spec: { schedulingGates: [GATE] } });
    expect(patch).toContainEqual({ op: 'add', path: '/metadata/annotations', value: { 'gantry.dev/node': 'n-1' } });
    expect(patch).toContainEqual({ op: 'replace', path: '/spec/schedulingGates', value: [] });
  });
});
