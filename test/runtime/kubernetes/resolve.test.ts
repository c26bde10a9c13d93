/**
 * What became of a request to place a pod that got no answer.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { ApiError } from '../../../src/runtime/api/api-error';
import { type ApiRequest } from '../../../src/runtime/api/client';
import { placeOf } from '../../../src/runtime/kubernetes/apply/attempts';
import { type Resolved, resolvePlace } from '../../../src/runtime/kubernetes/apply/resolve';

const POD = { namespace: 'default', name: 'p', uid: 'u-1', node: 'n-1', devices: [] };
const NOW = '2026-01-01T00:00:30Z';

const seen = (uid: string, nodeName?: string, status: JsonObject = {}): JsonObject => ({
  metadata: { uid, resourceVersion: '7' },
  spec: nodeName === undefined ? {} : { nodeName },
  status,
});

describe('the outcome of a request without an answer', () => {
  let asked: { readonly method: string; readonly path: string; readonly request: ApiRequest }[];
  let leads: boolean;
  let ended: AbortController;

  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    leads = true;
    ended = new AbortController();
  });
  afterEach(() => jest.useRealTimers());

  /** Answers in this order; the last one stays. */
  async function resolved(...answers: readonly (JsonObject | Error)[]): Promise<Resolved> {
    const left = [...answers];
    const found = resolvePlace(POD, {
      client: {
        request: async <T>(method: string, path: string, request: ApiRequest = {}): Promise<T> => {
          asked.push({ method, path, request });
          await Promise.resolve();
          const answer = left.length > 1 ? left.shift()! : left[0];
          if (answer instanceof Error) {
            throw answer;
          }
          return answer as T;
        },
      },
      leads: () => leads,
      signal: ended.signal,
      requestTimeout: 4000,
      look: (pod) => placeOf(pod, POD.node),
      now: () => NOW,
    });
    await jest.advanceTimersByTimeAsync(60_000);
    ended.abort();
    return found;
  }
  const requests = (): readonly string[] => asked.map(({ method, path }) => `${method} ${path}`);
  const READ = 'GET /api/v1/namespaces/default/pods/p';
  const WRITE = 'PATCH /api/v1/namespaces/default/pods/p/status';

  it.each([
    ['has its node', seen('u-1', 'n-1'), { kind: 'done' }],
    ['has another node', seen('u-1', 'n-2'), { kind: 'elsewhere', node: 'n-2' }],
    ['is another one of its name', seen('u-2', 'n-1'), { kind: 'gone' }],
    ['is deleted', new ApiError('not found', 404, 'NotFound'), { kind: 'gone' }],
  ])('is known when the pod %s', async (_, answer, expected) => {
    expect(await resolved(answer)).toEqual(expected);
    expect(requests()).toEqual([READ]);
  });

  it('is that nothing happened once the pod has another version, so that no earlier request counts', async () => {
    expect(await resolved(seen('u-1'), { metadata: { resourceVersion: '8' } })).toEqual({ kind: 'undone' });
    expect(requests()).toEqual([READ, WRITE]);
    const [, { request }] = asked;
    expect(request).toMatchObject({
      contentType: 'application/strategic-merge-patch+json',
      timeout: 4000,
      body: {
        metadata: { uid: 'u-1', resourceVersion: '7' },
        status: {
          conditions: [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              lastProbeTime: NOW,
              lastTransitionTime: NOW,
            },
          ],
        },
      },
    });
    leads = false;
    expect(request.permit?.()).toBe(false);
  });

  it.each([
    ['False', '2025-12-31T00:00:00Z'],
    ['True', NOW],
  ])('keeps since when the condition is False (it was %s)', async (status, expected) => {
    const conditions = [
      { type: 'Ready', status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z' },
      { type: 'PodScheduled', status, lastTransitionTime: '2025-12-31T00:00:00Z' },
    ];
    await resolved(seen('u-1', undefined, { conditions }), { metadata: { resourceVersion: '8' } });
    expect(asked[1].request.body).toMatchObject({ status: { conditions: [{ lastTransitionTime: expected }] } });
  });

  it('is asked for again while the server fails, and while the write changes nothing', async () => {
    const fails = new ApiError('down', 503, 'ServiceUnavailable');
    const unchanged = { metadata: { resourceVersion: '7' } };
    const outcome = await resolved(fails, seen('u-1'), fails, seen('u-1'), unchanged, seen('u-1', 'n-1'));
    expect(outcome).toEqual({ kind: 'done' });
    expect(requests()).toEqual([READ, READ, WRITE, READ, WRITE, READ]);
  });

  it('is not asked for by a replica that no longer leads or ends', async () => {
    leads = false;
    expect(await resolved(seen('u-1', 'n-1'))).toEqual({ kind: 'abandoned' });
    leads = true;
    expect(await resolved(seen('u-1', 'n-1'))).toEqual({ kind: 'abandoned' });
    expect(requests()).toEqual([]);
  });

  it('is abandoned when the replica stops leading between the read and the write', async () => {
    const read = seen('u-1');
    Object.defineProperty(read, 'spec', {
      get: () => {
        leads = false;
        return {};
      },
    });
    expect(await resolved(read)).toEqual({ kind: 'abandoned' });
    expect(requests()).toEqual([READ]);
  });
});
